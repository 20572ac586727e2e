//! Rejects names that have the shape of a DOI but do not identify a work.

use crate::doi::Reason;
use crate::doi::notation::strip_last;
use crate::vector::{self, LANES};

/// Judges a folded name by its shape and by the text before it.
#[inline(always)] // 1 % of the instructions of dense CSV
pub(super) fn lookalike(before: &[u8], name: &[u8]) -> Option<Reason> {
    // Nearly every name begins with something else, ends in a digit, and is in no field `key`.
    let is_plain = name.get(8) != Some(&b'T') && name.last().is_some_and(u8::is_ascii_digit);
    if is_plain && !may_follow_key(before) {
        return None;
    }
    judge(before, name)
}

#[inline(never)]
fn judge(before: &[u8], name: &[u8]) -> Option<Reason> {
    // Wiley's licences for text mining: `10.1002/tdm_license_1.1`.
    if name.starts_with(b"10.1002/TDM_LICENSE") {
        return Some(Reason::Licence);
    }
    is_reference_key(before, name).then_some(Reason::ReferenceKey)
}

/// Whether `name` is the key of a reference, made from the name of the citing work:
/// `"key":"10.1016\/j.abb.2016.10.011_bib9"`, `<citation key="10.1002/ch5-BIB40|cit40">`.
/// Outside a `key` field, a name may end like this.
fn is_reference_key(before: &[u8], name: &[u8]) -> bool {
    let Some(is_labelled) = key_field(before) else { return false };
    // The AGU sets a colon before an author and a year: `10.1029/2002JA009623:gary01`. No other name of it has one.
    if name.contains(&b'|') || name.starts_with(b"10.1029/") && name.contains(&b':') {
        return true;
    }
    let mut words = name.rsplit(|b| matches!(b, b'-' | b'_'));
    let last = words.next().unwrap_or_default();
    // The number may be separate and may have parts: `REF-10`, `R_1`, `R9_2`. After the prefix no label begins.
    let is_inner = |word: &&[u8]| word.iter().filter(|b| **b == b'/').count() != 1;
    let before = words.next().filter(is_inner).and_then(|word| word.rsplit(|b| *b == b'/').next());
    let is_apart = is_labelled || before.is_some_and(is_label);
    is_label(last) || is_number(last) && is_apart
}

/// Whether `word` is a label, such as `BIB`, with or without a number.
pub(super) fn is_label(word: &[u8]) -> bool {
    let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let number = &word[letters..];
    let number = number.strip_prefix(b".").unwrap_or(number);
    (1..=4).contains(&letters) && (number.is_empty() || is_number(number))
}

/// Whether `word` is a number, optionally with a letter or another part after it: `9`, `9A`,
/// `10.9`.
fn is_number(word: &[u8]) -> bool {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'.';
    word.first().is_some_and(u8::is_ascii_digit) && word.iter().all(is_part)
}

/// Maximum number of quotes, colons and blanks between `key` and its value.
const MOST_FILLER: usize = 8;

/// Whether the field `key` may open at the end of `before`. May say so wrongly. Called for every name, so the last byte
/// is checked first, and then whether the `y` of `key` is among the bytes where it must be if a quote opens directly
/// before the name.
#[inline]
fn may_follow_key(before: &[u8]) -> bool {
    const { assert!(MOST_FILLER < LANES, "the letter before the filler is among these bytes") };
    let holds = |end| vector::holds(end, b'y') || vector::holds(end, b'Y');
    match before {
        [.., b'-'] => true,
        // `"DOI":"`.
        [.., letter, b'"', b':', b'"'] if letter.is_ascii_alphabetic() => {
            matches!(letter, b'y' | b'Y')
        }
        [.., b'"' | b'\''] => before.last_chunk().is_none_or(holds),
        _ => false,
    }
}

/// Whether the value of the field `key` begins with a label: `"key":"key-10.1145/…`. Returns `None`
/// if no such field opens at the end of `before`.
fn key_field(before: &[u8]) -> Option<bool> {
    if !may_follow_key(before) {
        return None;
    }
    let is_quote = |b: &u8| matches!(b, b'"' | b'\'');
    let is_label = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-';
    let label = before.iter().rev().take_while(is_label).count();
    let rest = &before[..before.len() - label];
    rest.last().filter(|b| is_quote(b))?;
    let is_filler = |b: &&u8| is_quote(b) || matches!(b, b':' | b'=' | b'\\' | b' ' | b'\t');
    let filler = rest.iter().rev().take(MOST_FILLER).take_while(is_filler).count();
    let word = strip_last(&rest[..rest.len() - filler], b"key")?;
    (!word.last().is_some_and(u8::is_ascii_alphanumeric)).then_some(label > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences() {
        assert_eq!(lookalike(b"", b"10.1002/TDM_LICENSE_1.1"), Some(Reason::Licence));
        assert_eq!(lookalike(b"", b"10.1002/ANIE.201"), None);
    }

    #[test]
    fn reference_keys() {
        for (before, name, expected) in [
            (",\"key\":\"", "10.1016/J.ABB.2016.10.011_BIB9", true),
            (",\"key\": \"", "10.7717/PEERJ.7347/REF-26", true),
            ("<citation key=\"", "10.1002/CH5-BIB40|CIT40", true),
            ("<citation key='", "10.1063/1.365103_R_1", true),
            ("<citation key='", "10.1063/1.366750_R9_3", true),
            ("<citation key=\"", "10.1002/A<1::B>3.0.CO;2-#-BIB10.9", true),
            ("\"key\":\"", "10.1117/12.2079414.REF5|B5", true),
            ("{\"key\":\"key-", "10.1145/2831244.2831252-14", true),
            ("{\\\"key\\\":\\\"", "10.1016/J.X_B0050", true),
            ("{\"key\":\"", "10.1145/2831244.2831252-14", false),
            ("{\"key\":\"", "10.1038/NATURE12373", false),
            ("{\"doi\":\"", "10.1016/J.ABB.2016.10.011_BIB9", false),
            ("{\"monkey\":\"", "10.1016/J.ABB.2016.10.011_BIB9", false),
            ("a longer text, \"KEY\" \t : \\\"", "10.1016/J.ABB.2016.10.011_BIB9", true),
            ("a longer text, \"KEY\" \t  : \\\"", "10.1016/J.ABB.2016.10.011_BIB9", false),
            ("key ", "10.1016/J.ABB.2016.10.011_BIB9", false),
        ] {
            let found = lookalike(before.as_bytes(), name.as_bytes());
            assert_eq!(found == Some(Reason::ReferenceKey), expected, "{before}{name}");
        }
    }
}
