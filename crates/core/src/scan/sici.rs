//! SICI (Z39.56): the only form in which a name contains `<`, `>` and `;`.
//!
//! An example is `10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O`. Some names have
//! `[…]` instead of `<…>`, which the balance of brackets covers.

use super::serial::issn;
use crate::decode::{Char, Layer, Text};
use alloc::vec::Vec;
use core::ops::Range;

/// Maximum number of characters between `<` and `>`. Real SICIs have up to 30.
const MAX_PAGES: usize = 64;

/// Returns the end of the pages `<693::AID-ASI4>` that begin at `at`, if a version such as `3.0`
/// follows them. Empty pages (`<>`) occur.
pub(super) fn pages(text: &Text<'_>, at: usize) -> Option<usize> {
    let open = text.at(at)?;
    // DOIs are registered with the marks that fonts of TeX have for these.
    let close = match open.code {
        0x3c => 0x3e,
        0xa1 => 0xbf,
        _ => return None,
    };
    let (mut place, mut colon) = (open.next, false);
    for count in 0..MAX_PAGES {
        let c = text.at(place)?;
        place = c.next;
        if c.code == close {
            return ((colon || count == 0) && is_version(text, place)).then_some(place);
        }
        colon |= c.ascii().filter(u8::is_ascii_graphic)? == b':';
    }
    None
}

/// What comes before a SICI in the names of Wiley.
const LABEL: &[u8] = b"(SICI)";

/// Whether `suffix` begins like a SICI, with its label or with an ISSN and a bracket: `0012-9658(2003)084`.
pub(super) fn begins(suffix: &[u8]) -> bool {
    suffix.starts_with(LABEL) || issn(suffix).is_some_and(|len| suffix.get(len) == Some(&b'('))
}

/// Whether the folded `suffix` is an ISSN, a year and a number alone, with which SICIs begin: `1520-0400(2002)130`.
pub(super) fn is_front(suffix: &[u8]) -> bool {
    let is_part = |b: &u8| b.is_ascii_digit() || b"-():+".contains(b);
    begins(suffix) && suffix.contains(&b')') && suffix.iter().all(is_part)
}

/// Whether the folded `suffix` is a SICI that stops before its end: one with its label that has no code or no check character
/// after it, or one whose bracket is open or has something else than the code after it: `(SICI)1097-0200(19970515)16:9`,
/// `1520-0400(2002)130[0550:IO`, `(SICI)1098-1063(1997)7:3<283::AID-HIPO4>3.0.CO;2`. Names may end in pages:
/// `0016-7606(1952)63[1117]`.
pub(super) fn is_cut(suffix: &[u8]) -> bool {
    if !begins(suffix) {
        return false;
    }
    let is_end = |at: &usize| {
        suffix[at + 1..].starts_with(b"2")
            && matches!(&suffix[..*at], [.., b'.', c, d] if is_code_of_title(*c, *d))
    };
    let (has_label, holds) = (suffix.starts_with(LABEL), |mark| memchr::memchr(mark, suffix));
    // Z39.84 prints a colon in its example.
    match memchr::memchr2_iter(b';', b':', suffix).find(is_end) {
        Some(at) => has_label && matches!(&suffix[at + 2..], b"" | b"-"),
        None => has_label || holds(b'<').or(holds(b'[')).is_some() && !suffix.ends_with(b"]"),
    }
}

/// Restores the semicolon of a SICI in the folded `name`, whose suffix begins at `start`, where a comma stands for it: `3.0.CO,2-4`.
/// Returns whether one did.
pub(super) fn complete(name: &mut [u8], start: usize) -> bool {
    let is_comma =
        |at: &usize| name[at + 1..].starts_with(b"2") && is_before_semicolon(&name[start..*at]);
    let at = memchr::memrchr(b',', &name[start..]).map(|at| start + at).filter(is_comma);
    if let Some(at) = at {
        name[at] = b';';
    }
    at.is_some()
}

/// Returns the length of `suffix` without what is glued to the check character of a SICI.
pub(super) fn after_check(suffix: &[u8]) -> Option<usize> {
    let at = memchr::memchr(b';', suffix)?;
    let end = at + b";2-O".len();
    let is_code = suffix[..at].ends_with(b".CO") && suffix[at..].starts_with(b";2-");
    (is_code && end < suffix.len() && suffix[..end].is_ascii()).then_some(end)
}

/// Maximum number of bytes of a SICI that blanks divide.
const MAX_SICI: usize = 128;

/// Returns the first blanks or line end that divide the SICI which begins at `from` of `text`:
/// `10.1002/ 1521-4095 (200108) 13:15<1173::AID-ADMA1173>3.0.CO;2-1`, as databases write them.
pub(super) fn gap(text: &[u8], from: usize) -> Option<Range<usize>> {
    let near = &text[..text.len().min(from + 2 * MAX_SICI)];
    let may_begin = matches!(near.get(from), Some(b'(' | b'0'..=b'9' | b' ' | b'\n'));
    memchr::memchr(b';', near.get(from..).filter(|_| may_begin)?)?;
    let text = Text { bytes: near, twice: false };
    let (mut read, mut place, mut gap) = (Vec::new(), from, from..from);
    while !read.ends_with(b";2") {
        let c = text.at(place)?;
        match c.ascii()? {
            b' ' | b'\r' | b'\n' | b'\t' if gap.is_empty() => gap = place..c.next,
            b' ' | b'\r' | b'\n' | b'\t' if gap.end == place => gap.end = c.next,
            b' ' | b'\r' | b'\n' | b'\t' => {}
            byte => read.push(byte.to_ascii_uppercase()),
        }
        place = c.next;
    }
    let pages = read.iter().position(|b| matches!(b, b'<' | b'['))?;
    let is_number = |b: &u8| b.is_ascii_digit() || b"-()/:+X".contains(b);
    let is_page = |b: &u8| b.is_ascii_alphanumeric() || b"-:+./<>[];".contains(b);
    let label = if read.starts_with(LABEL) { LABEL.len() } else { 0 };
    let is_sici = begins(&read) && is_before_semicolon(&read[..read.len() - 2]);
    let is_sici =
        is_sici && read[label..pages].iter().all(is_number) && read[pages..].iter().all(is_page);
    (is_sici && !gap.is_empty()).then_some(gap)
}

/// Returns the length of the part of a SICI at the start of `rest`, which follows the folded `suffix` in a field: the
/// colon after a number, pages of letters, digits and `-:` before a version, or the semicolon of `.CO;2`. None of them
/// is escaped, and the rules for marks take each if no other name begins in it.
pub(super) fn plain_part(rest: &[u8], suffix: &[u8]) -> Option<usize> {
    match rest {
        [b':', ..] => suffix.last().is_some_and(u8::is_ascii_digit).then_some(1),
        [b';', b'2', ..] => is_before_semicolon(suffix).then_some(1),
        [b'<', ..] => {
            let end = pages(&Text { bytes: rest, twice: false }, 0)?;
            let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"-:<>".contains(b);
            rest[..end].iter().all(is_part).then_some(end)
        }
        _ => None,
    }
}

/// Whether a version is at `at`: digit, full stop, digit.
fn is_version(text: &Text<'_>, at: usize) -> bool {
    let digit = |at: usize| text.at(at).filter(Char::is_digit);
    let stop = digit(at).and_then(|c| text.at(c.next)).filter(|c| c.is(b'.'));
    stop.is_some_and(|c| digit(c.next).is_some())
}

/// Whether `suffix` ends in the version and the code of a SICI: `>3.0.CO`, also with zeros for the letters, as readers of
/// pages take them. The `;2` after them belongs to the name even if `;` delimits cells.
pub(super) fn is_before_semicolon(suffix: &[u8]) -> bool {
    matches!(suffix, [.., b'>' | b']' | b'\xbf', a, b'.', b, b'.', c, d]
        if a.is_ascii_digit() && b.is_ascii_digit() && is_code_of_title(*c, *d))
}

/// Whether `c` and `d` are the code of a SICI, also with zeros for letters.
fn is_code_of_title(c: u8, d: u8) -> bool {
    [c, d].iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'0')
}

/// Whether a name continues after a `;`, between the folded `suffix` and `rest`: the code of a SICI (`.CO;2`), Swets codes
/// (`25:4;1-A`), years with volume and page (`2006;05:61-70`).
pub(super) fn goes_on_after_semicolon(suffix: &[u8], rest: &[u8]) -> bool {
    let is_code =
        || matches!(suffix, [.., b'.', a, b] if a.is_ascii_uppercase() && b.is_ascii_uppercase());
    // In a table, `10.1089/sur.2018.29014.df;200` is a name and a number.
    let is_version = || !rest.get(1).is_some_and(u8::is_ascii_alphanumeric);
    let is_swets = matches!(suffix, [.., b';', b'0'..=b'9', b'-', _]);
    // `10.1590/1984-0462/;2018;36;2;00004`
    let is_list = || matches!(suffix.rsplit(|b| *b == b'/').next(), Some([] | [b';', ..]));
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    match rest.first() {
        Some(b'2') if is_before_semicolon(suffix) || is_code() && is_version() => true,
        Some(b'0'..=b'9') => is_list() || matches!(rest.get(digits), Some(b':' | b'-')),
        first => is_swets && first.is_some_and(u8::is_ascii_alphabetic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text<'_> {
        Text { bytes, twice: false }
    }

    #[test]
    fn pages_of_a_sici() {
        for (bytes, len) in [
            ("<693::AID-ASI4>3.0.CO;2-O", Some(15)),
            ("&lt;693::AID-ASI4&gt;3.0.CO;2-O", Some(21)),
            ("%3C693::AID-ASI4%3E3.0.CO;2-O", Some(19)),
            ("<>1.0.CO;2-#", Some(2)),
            ("<0130:DNF>2.0.CO;2", Some(10)),
            ("¡105::AID-AB2¿3.0.CO;2-U", Some(16)),
            ("<b>3.0", None),
            ("</doi>", None),
            ("<693::AID-ASI4>", None),
            ("<693::A B>3.0", None),
            ("a", None),
        ] {
            assert_eq!(pages(&text(bytes.as_bytes()), 0), len, "{bytes}");
        }
    }

    #[test]
    fn semicolons() {
        for (suffix, rest, expected) in [
            ("X>3.0.CO", "2-O", true),
            ("X>2.0.C0", "2.", true),
            ("X>2.0.00", "2", true),
            ("X>2.0.01", "2", false),
            ("1(2000)25:4", "1-A;FT485", true),
            ("1(2000)25:4;1-A", "FT485", true),
            ("NEUROCRIT.CARE2006", "05:61-70", true),
            ("ABC;2-Q/ABSTRACT", "jsessionid=1", false),
            ("ABC", "10.1000/182", false),
            ("1984-0462/", "2018;36;2;00004", true),
            ("1984-0462/;2018;36", "2;00004", true),
            ("1984-0462/", "2018", true),
            ("1984-0462/A", "2018;36", false),
            ("ABC", "see", false),
            ("ABC", " 2", false),
            ("ABC", "", false),
        ] {
            let found = goes_on_after_semicolon(suffix.as_bytes(), rest.as_bytes());
            assert_eq!(found, expected, "{suffix};{rest}");
        }
    }
}
