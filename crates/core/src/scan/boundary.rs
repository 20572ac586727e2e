//! Checks the text directly before a DOI.
//!
//! Only the bytes near the candidate decide, never earlier matches. Every way to split the input
//! therefore gives the same answer.

use super::anchor::{self, find_registrant};
use super::class::{self, Kind, is_blank, is_plain};
use super::{marker, subfield};
use crate::decode::{Layer, Text};
use crate::doi::Reason;

/// Checks whether a DOI may begin after `before`. `digits` is the text after its `10.`.
pub(super) fn left_boundary(before: &[u8], digits: &[u8]) -> Result<(), Reason> {
    match before.last() {
        Some(last) if last.is_ascii_alphanumeric() => match ends_in_escape(before) {
            true => after_slash(before, digits),
            false if marker::is_glued(before) || subfield::mark(before).is_some() => Ok(()),
            false => after_part(before, digits),
        },
        Some(b'.') => after_full_stop(before, digits),
        // A list in the path of an address: `10.1108/jd-12-2013-0166__10.1038/nature12373`.
        Some(b'_') if before.ends_with(b"__") => Ok(()),
        Some(last) if is_plain(*last) => after_slash(before, digits),
        _ => Ok(()),
    }
}

/// Checks a name that directly follows a letter or a digit. Within another name, a prefix with four or five digits begins
/// the next one: `10.1016/0272-7358(85)90039-X10.1016/…`. What has hardly a suffix is a number of the other name:
/// `10.13140/RG.2.2.15410.91843/1`.
fn after_part(before: &[u8], digits: &[u8]) -> Result<(), Reason> {
    let found = find_registrant(digits);
    let is_whole = found.len == found.first && (4..=5).contains(&found.len) && digits[0] != b'0';
    let suffix = digits[found.len..].strip_prefix(b"/").unwrap_or_default();
    let least = if before.last().is_some_and(u8::is_ascii_digit) { 3 } else { 1 };
    let is_name = is_whole && suffix.iter().take(least).filter(|b| is_plain(**b)).count() == least;
    // Authors write an agency before its number: `Council10.13039/100019180`.
    let is_number = || suffix.iter().take_while(|b| b.is_ascii_digit()).count() >= 9;
    let is_word = || before.iter().rev().take(3).filter(|b| b.is_ascii_alphabetic()).count() == 3;
    match outer(before) {
        None if is_whole && is_number() && is_word() => Ok(()),
        None => Err(Reason::LeftBoundary),
        Some(_) if is_name => Ok(()),
        Some(_) => Err(Reason::NestedDoi),
    }
}

/// Returns the reason why no name begins after `before`, where its own digits give `reason`. Digits within
/// another name are no candidate of their own: `10.003` in `10.1016/j.cell.2020.10.003`.
pub(super) fn reason(reason: Reason, before: &[u8]) -> Reason {
    let is_part = matches!(reason, Reason::NoSeparator | Reason::TooShortRegistrant);
    if is_part && outer(before).is_some() { Reason::InsideDoi } else { reason }
}

/// Whether `before` ends in an escape, whose last letter or digit does not belong to a word: `%20`,
/// `\n`, `\u0022`, `\x22`, `\u00252F`, `{\%}2F`.
fn ends_in_escape(before: &[u8]) -> bool {
    let is_escape = |len: usize| {
        let bytes = &before[before.len() - len..];
        let c = Text { bytes, twice: true }.at(0).filter(|_| b"\\%{".contains(&bytes[0]));
        c.is_some_and(|c| c.next == len)
    };
    // The `=` of quoted-printable text: `?doi=3D10.1037/emo0000542`.
    let is_equals = matches!(before, [.., word, b'=', b'3', b'D'] if word.is_ascii_alphabetic());
    is_equals || (2..=before.len().min(MAX_ESCAPE)).any(is_escape)
}

/// The length of `\u00252F`.
const MAX_ESCAPE: usize = 8;

/// Checks a full stop before the DOI. It may end a sentence, a page number or a name, or continue a
/// version, an address or a date.
fn after_full_stop(before: &[u8], digits: &[u8]) -> Result<(), Reason> {
    if outer(before).is_some() {
        return Err(Reason::NestedDoi);
    }
    let rest = &before[..before.len() - 1];
    match rest.iter().rev().take_while(|b| b.is_ascii_digit()).count() {
        0 => Ok(()),
        // One name with a subdivided registrant: `10.1000.10.1234/24`.
        len if rest[..rest.len() - len].ends_with(b"10.") => Err(Reason::InsideDoi),
        1 | 2 if is_year(digits) => Err(Reason::Date),
        // The number of a page, an entry or a version ends a sentence: `171:737.10.1038/171737a0`, `v2.4.1.10.5281/zenodo.11171501`.
        // No part of an address has four digits.
        _ if has_letter(digits) => Ok(()),
        _ => Err(Reason::VersionOrAddress),
    }
}

/// Checks a name after a mark. After a slash, one of the registrant of the name before it is another name, and one after
/// another prefix alone is meant alone: `https://a.org/10.1017/10.1080/17457289.2019.1697800`.
fn after_slash(before: &[u8], digits: &[u8]) -> Result<(), Reason> {
    let Some(name) = outer(before) else { return Ok(()) };
    let (inner, suffix) = digits.split_at(find_registrant(digits).len);
    let is_second = split(name).is_some_and(|(outer, front)| match front {
        [] => inner != outer,
        _ => inner == outer && SLASHES.iter().any(|slash| front.ends_with(slash)),
    });
    // Names of HFSP Journal end in their prefix and a digit: `10.2976/1.2422707/10.2976/1`.
    let is_part = |b: &&u8| is_plain(**b) || matches!(b, b'%' | b'\\');
    let is_long = suffix.iter().take_while(is_part).nth(5).is_some();
    if is_second && is_long { Ok(()) } else { Err(Reason::NestedDoi) }
}

/// Returns the registrant and the suffix of `name`, if it is one.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = &name[anchor::anchor(name)?..];
    let found = find_registrant(digits);
    let (registrant, rest) = digits.split_at(found.len);
    let suffix = SLASHES.iter().find_map(|slash| rest.strip_prefix(*slash))?;
    found.is_plain().then_some((registrant, suffix))
}

/// Whether the suffix after the registrant at the start of `digits` contains a letter.
fn has_letter(digits: &[u8]) -> bool {
    let behind = &digits[find_registrant(digits).len..];
    let Some(suffix) = behind.strip_prefix(b"/") else { return true };
    let run = suffix.iter().take(64).take_while(|b| b.is_ascii_graphic());
    run.into_iter().any(u8::is_ascii_alphabetic)
}

/// Whether `digits` begins with a year that no further digit follows.
fn is_year(digits: &[u8]) -> bool {
    matches!(digits, [b'1', b'9', a, b, rest @ ..] | [b'2', b'0', a, b, rest @ ..]
        if a.is_ascii_digit() && b.is_ascii_digit() && !rest.first().is_some_and(u8::is_ascii_digit))
}

/// Whether no suffix continues over `byte`.
fn ends(byte: u8) -> bool {
    let is_mark = matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b',' | b';' | b'?');
    is_mark || matches!(byte, b'#' | b'&' | b'=' | b':') || is_blank(byte)
}

/// Returns the name in whose suffix the end of `before` is. A marker, a delimiter or an unmatched bracket ends a
/// name, and so does what is not ASCII at the end.
fn outer(before: &[u8]) -> Option<&[u8]> {
    let run = before.iter().rposition(|byte| ends(*byte)).map_or(0, |at| at + 1);
    let mut starts = memchr::memrchr_iter(b'1', &before[run..]).map(|at| run + at);
    let name = &before[starts.find(|at| split(&before[*at..]).is_some())?..];
    let (text, mut at, mut open) = (Text { bytes: name, twice: false }, 0, 0_usize);
    while let Some(c) = text.at(at) {
        let is_end = match c.ascii() {
            Some(b'd' | b'D') => marker::begins(&name[at..]),
            Some(byte) => byte == b'\\' || ends(byte),
            None => c.next == name.len() || class::kind(c.code) == Kind::Ends,
        };
        match c.ascii() {
            _ if is_end => return None,
            Some(b'(' | b'[' | b'{') => open += 1,
            Some(b')' | b']' | b'}') => open = open.checked_sub(1)?,
            _ => {}
        }
        at = c.next;
    }
    (open == 0).then_some(name)
}

/// A slash and its escapes.
const SLASHES: [&[u8]; 6] = [b"/", b"\\/", b"%2F", b"%2f", b"%252F", b"%252f"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_within_a_name() {
        for (before, expected) in [
            ("10.1016/j.cell.2020.", Reason::InsideDoi),
            ("10.1111/j.1530-9290.20", Reason::InsideDoi),
            ("see 10.1016/j.cell, ", Reason::NoSeparator),
            ("\"10.1000/182\",\"", Reason::NoSeparator),
            ("version 2.", Reason::NoSeparator),
        ] {
            assert_eq!(reason(Reason::NoSeparator, before.as_bytes()), expected, "{before}");
        }
        assert_eq!(reason(Reason::Stem, b"10.1016/j.cell.2020."), Reason::Stem);
    }

    #[test]
    fn left_boundaries() {
        for (before, digits, expected) in [
            ("", "1000/1", Ok(())),
            ("see ", "1000/1", Ok(())),
            ("v", "1234/rc1", Err(Reason::LeftBoundary)),
            ("20", "1234/foo", Err(Reason::LeftBoundary)),
            ("doi", "1000/1", Ok(())),
            ("DOI", "1000/1", Ok(())),
            ("foo", "1000/1", Err(Reason::LeftBoundary)),
            ("x^2", "1590/1809", Err(Reason::LeftBoundary)),
            ("\u{1f}a", "1007/b100120", Ok(())),
            ("$a", "1007/b100120", Ok(())),
            ("$2", "1007/b100120", Err(Reason::LeftBoundary)),
            ("%20", "1103/x", Ok(())),
            ("https%3A%2F%2Fdoi.org%2F", "1103/x", Ok(())),
            (r"doi{\%}2F", "1103/x", Ok(())),
            (r"doi{\%}xF", "1103/x", Err(Reason::LeftBoundary)),
            (r"a\n", "1103/x", Ok(())),
            (r"\u0022", "1103/x", Ok(())),
            ("&nbsp;", "1103/x", Ok(())),
            ("[1m", "1103/x", Err(Reason::LeftBoundary)),
            ("192.", "1234/24", Err(Reason::VersionOrAddress)),
            ("71.", "1016/j.cell.2020.01.001", Ok(())),
            ("x\n71.", "1016/j.cell.2020.01.001", Ok(())),
            ("x 71.", "1016/j.cell.2020.01.001", Ok(())),
            ("2071.", "1016/j.cell.2020.01.001", Ok(())),
            ("10.1002/ana.22063.", "1003/ana.22063", Err(Reason::NestedDoi)),
            ("10.1002/ana.22063.", "1002", Err(Reason::NestedDoi)),
            ("10.1136/bmj.", "1136/bmj.1", Err(Reason::NestedDoi)),
            ("2.4.1.", "5281/zenodo.11171501", Ok(())),
            ("iid%253A", "2307%252Fi370516", Ok(())),
            ("Ethics, 17, 42.", "1186/s12910-016-0126-0", Ok(())),
            ("Ethics, 17(2), 42.", "1186/s12910-016-0126-0", Ok(())),
            ("1, 42.", "1186/12910", Err(Reason::VersionOrAddress)),
            ("https://doi.org", "1037/1082-989X.7.1.64", Ok(())),
            ("https://mydoi.org", "1037/1082-989X.7.1.64", Err(Reason::LeftBoundary)),
            ("10.", "1234/8080", Err(Reason::VersionOrAddress)),
            ("17.", "2014/bgbl.pdf", Err(Reason::Date)),
            ("7.", "1999/x", Err(Reason::Date)),
            ("17.", "1899/1", Err(Reason::VersionOrAddress)),
            ("17.", "2100/1", Err(Reason::VersionOrAddress)),
            ("17.", "20145/1", Err(Reason::VersionOrAddress)),
            ("117.", "2014/1", Err(Reason::VersionOrAddress)),
            ("5-17.", "2014/x", Err(Reason::Date)),
            ("10.1016/0272-7358(85)90039-X", "1016/0272-7358(85)90039-X", Ok(())),
            ("10.15700/saje.v37n3a1377", "17159/2520-9868/i81a03", Ok(())),
            ("10.15700/saje.v37n3a1377", "17159.1/x", Err(Reason::NestedDoi)),
            ("10.15700/saje.v37n3a1377", "0159/x", Err(Reason::NestedDoi)),
            ("10.15700/saje, v37n3a1377", "17159/x", Err(Reason::LeftBoundary)),
            ("577–82.", "1007/s12225-010-9239-7", Ok(())),
            ("529-549.", "1007/BF00138746", Ok(())),
            ("Sci.", "1007/x", Ok(())),
        ] {
            let found = left_boundary(before.as_bytes(), digits.as_bytes());
            assert_eq!(found, expected, "{before}10.{digits}");
        }
    }

    #[test]
    fn left_boundaries_behind_a_slash() {
        for (before, digits, expected) in [
            ("10.37473/dac/", "1101/2020.1", Err(Reason::NestedDoi)),
            ("10.1103/PhysRevD.76.013005/", "1103/PhysRevD.77", Ok(())),
            (r"10.1103\/PhysRevD.76.013005\/", r"1103\/PhysRevD.77", Ok(())),
            ("10.1103%2FPhysRevD.76.013005%2F", "1103%2FPhysRevD.77", Ok(())),
            ("10.1103/PhysRevD.76.013005_", "1103/PhysRevD.77", Err(Reason::NestedDoi)),
            ("10.2976/1.2422707/", "2976/1", Err(Reason::NestedDoi)),
            ("https://a.org/10.1017/", "1080/17457289", Ok(())),
            ("https://a.org/x/10.1017%2F", "1080%2F17457289", Ok(())),
            ("https://a.org/10.18195/", "18195/17457289", Err(Reason::NestedDoi)),
            ("https://doi.org/10.1007/", "1038/nclimate2235", Ok(())),
            ("see 10.1007/", "1038/nclimate2235", Ok(())),
            ("10.37473%2Fdac%2F", "1101/2020.1", Err(Reason::NestedDoi)),
            ("=024  7\\$a10.18195/", "18195/issn.0312-3162.23(1)", Err(Reason::NestedDoi)),
            ("doi10.37473/dac/", "1101/2020.1", Err(Reason::NestedDoi)),
            (r"10.37473\/dac\/", "1101\\/2020.1", Err(Reason::NestedDoi)),
            ("10.5012/bkcs.2013.34.", "2889/transform", Err(Reason::NestedDoi)),
            ("10.1000/x(1999)", "1000/2", Ok(())),
            ("10.1000/x\u{200b}", "1000/2", Ok(())),
            ("10.1000/x/\u{200b}", "1000/2", Ok(())),
            (r"10.1000/\u00e9\u200bx", "1000/2", Ok(())),
            (r"10.1000/x\u0022y", "1000/2", Err(Reason::LeftBoundary)),
            ("10.1000/x，", "1000/2", Ok(())),
            ("10.1000/x%20", "1000/2", Ok(())),
            ("10.1000/x%A0", "1000/2", Ok(())),
            ("10.1000/x%C2%A0", "1000/2", Ok(())),
            ("10.1000/x%40", "1000/2", Err(Reason::NestedDoi)),
            (r"10.1000/x\n", "1000/2", Ok(())),
            ("(10.1000/x)", "1000/2", Ok(())),
            ("10.1039/c1cy.http://dx.doi.org/", "1039/c1cy", Ok(())),
            ("10.1000/182)/", "1000/183", Ok(())),
            ("10.15341/jmer(2155-7993)/", "1000/4", Err(Reason::NestedDoi)),
            ("https://example.org/article/", "1000/183", Ok(())),
            ("version 10.5/", "1000/183", Ok(())),
        ] {
            let found = left_boundary(before.as_bytes(), digits.as_bytes());
            assert_eq!(found, expected, "{before}10.{digits}");
        }
    }
}
