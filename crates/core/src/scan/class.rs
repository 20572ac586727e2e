//! The effect of each character on a suffix.

use crate::decode::has_no_width;
use crate::doi::{is_graphic, is_space};
use unicode_general_category::{GeneralCategory as G, get_general_category};

/// The effect of a non-ASCII character on a suffix in running text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Part of the name.
    Part,
    /// A dash in place of a hyphen. 198 of 1.34 million names contain one; all that were examined
    /// were damaged. For those that stand for a hyphen only within a word, see [`is_other_dash`].
    Dash,
    /// Part of the name in a field, but ends it in running text, where `©`, `→` and the em dash
    /// belong to the sentence.
    Symbol,
    /// A letter of a script that is written without blanks. In running text, it ends a suffix that
    /// is ASCII so far.
    Ideograph,
    /// Has no width and is not part of any name: U+200B, U+00AD, the marks of text direction.
    Vanishes,
    /// Cannot occur in a name, or delimits one.
    Ends,
}

/// Returns the kind of the non-ASCII code point `code`.
pub(super) fn kind(code: u32) -> Kind {
    let Some(c) = char::from_u32(code) else { return Kind::Ends };
    match c {
        _ if has_no_width(code) => Kind::Vanishes,
        '‐' | '‑' | '‒' | '–' | '−' => Kind::Dash,
        // Damaged `<` and `>` of a SICI (see `sici`), primes, marks of subfields (see `subfield`), and what decoders write for
        // bytes that they cannot read.
        '¡' | '¿' | '′' | '″' | '‡' | 'ǂ' | 'ƒ' | '\u{fffd}' => Kind::Ends,
        // CJK and full-width punctuation never occurs in a name.
        '\u{3000}'..='\u{303f}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff0f}' => Kind::Ends,
        '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' => Kind::Ends,
        _ if !is_graphic(c) || is_space(c) => Kind::Ends,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => {
            Kind::Ideograph
        }
        '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Kind::Ideograph,
        _ => match get_general_category(c) {
            G::InitialPunctuation | G::FinalPunctuation => Kind::Ends,
            G::OpenPunctuation | G::ClosePunctuation => Kind::Ends,
            G::DashPunctuation | G::OtherPunctuation | G::ConnectorPunctuation => Kind::Symbol,
            G::CurrencySymbol | G::MathSymbol | G::ModifierSymbol | G::OtherSymbol => Kind::Symbol,
            G::OtherNumber => Kind::Symbol,
            _ => Kind::Part,
        },
    }
}

/// Whether `code` is a dash that stands for a hyphen between two letters or digits, but not elsewhere: one of a sentence, a
/// superscript or subscript minus, a small or full-width hyphen, or a modifier letter.
pub(super) fn is_other_dash(code: u32) -> bool {
    is_sentence_dash(code) || matches!(code, 0x2d7 | 0x207b | 0x208b | 0x2796 | 0xfe63 | 0xff0d)
}

/// Whether `code` is a long dash or a hyphen bullet, which also stand between the words of a sentence.
pub(super) fn is_sentence_dash(code: u32) -> bool {
    matches!(code, 0x2014 | 0x2015 | 0x2043 | 0xfe58)
}

/// Whether `code` is a dash of any kind.
pub(crate) fn is_dash(code: u32) -> bool {
    is_other_dash(code) || code >= 0x80 && kind(code) == Kind::Dash
}

/// Whether `code` is a figure dash, an en dash or a minus sign, which are punctuation where a blank follows.
pub(super) fn is_long_dash(code: u32) -> bool {
    matches!(code, 0x2012 | 0x2013 | 0x2212)
}

/// Whether `code` is a slash that can separate prefix and suffix: `/`, U+2044, U+2215, U+FF0F.
pub(super) fn is_slash(code: u32) -> bool {
    matches!(code, 0x2f | 0x2044 | 0x2215 | 0xff0f)
}

/// Whether `byte` is plain: part of a name in every notation and context, and never the start of an
/// escape.
pub(super) const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'.' | b'-' | b'_' | b'/' | b'!' | b'*' | b'~' | b'^' | b'@')
}

/// Leader dots before a page number. No name contains five dots in a row.
pub(super) const LEADER: &[u8] = b".....";

/// Returns where the first leader in `text` begins. Checks every fifth byte, because nearly every
/// text is the end of a name without a leader. `memmem` takes ten times as many instructions for
/// this.
pub(super) fn find_leader(text: &[u8]) -> Option<usize> {
    let last = LEADER.len() - 1;
    (last..text.len()).step_by(LEADER.len()).filter(|&at| text[at] == b'.').find_map(|at| {
        let dots = text[..at].iter().rev().take_while(|b| **b == b'.').count();
        text[at - dots..].starts_with(LEADER).then_some(at - dots)
    })
}

/// Whether `byte` is a space or an ASCII control character.
pub(super) fn is_blank(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        for (c, expected) in [
            ('é', Kind::Part),
            ('🐔', Kind::Symbol),
            ('–', Kind::Dash),
            ('—', Kind::Symbol),
            ('©', Kind::Symbol),
            ('語', Kind::Ideograph),
            ('カ', Kind::Ideograph),
            ('\u{200b}', Kind::Vanishes),
            ('\u{200e}', Kind::Vanishes),
            ('\u{202a}', Kind::Vanishes),
            ('\u{2069}', Kind::Vanishes),
            ('\u{a0}', Kind::Ends),
            ('，', Kind::Ends),
            ('。', Kind::Ends),
            ('”', Kind::Ends),
            ('\u{85}', Kind::Ends),
            ('\u{e000}', Kind::Ends),
            ('¬', Kind::Symbol),
            ('\u{f0000}', Kind::Ends),
        ] {
            assert_eq!(kind(c.into()), expected, "{c:?}");
        }
        assert_eq!(kind(crate::decode::Char::INVALID), Kind::Ends);
    }

    #[test]
    fn leaders() {
        for text in ["", ".....", "....", "a.....", "abc....d.....", ".......", "a....b....c....."]
        {
            assert_eq!(find_leader(text.as_bytes()), text.find("....."), "{text}");
        }
    }

    #[test]
    fn no_escape_begins_with_a_plain_byte() {
        for lead in b"\\&%{$" {
            assert!(!is_plain(*lead));
        }
    }
}
