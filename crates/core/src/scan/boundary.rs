//! Checks the text directly before a DOI.
//!
//! Only the bytes near the candidate decide, never earlier matches. Every way to split the input
//! therefore gives the same answer.

use super::anchor::{self, find_registrant};
use super::class::{self, Kind, is_blank, is_plain};
use super::{marker, subfield};
use crate::decode::{Char, Json, Layer, Percent, Text, Utf8, has_no_width};
use crate::doi::Reason;

/// Checks whether a DOI may begin after `before`. `digits` is the text after its `10.`.
pub(super) fn left_boundary(before: &[u8], digits: &[u8]) -> Result<(), Reason> {
    let before = visible(before);
    let Some(&last) = before.last() else { return Ok(()) };
    if last.is_ascii_alphanumeric() {
        return match ends_in_escape(before) {
            true => after_slash(before, digits),
            false if marker::is_glued(before) || subfield::mark(before).is_some() => Ok(()),
            false if is_after_word(before, digits) => Ok(()),
            false => after_part(before, digits),
        };
    }
    match last {
        b'.' => after_full_stop(before, digits),
        // A suffix can continue over these bytes, so the candidate may be inside one.
        0x80.. if is_apart(before) => Ok(()),
        b')' | b']' | b'}' | b'$' | b'\\' | 0x80.. => not_inside(before),
        // A list in the path of an address: `10.1108/jd-12-2013-0166__10.1038/nature12373`.
        b'_' if before.ends_with(b"__") => Ok(()),
        _ if is_plain(last) => after_slash(before, digits),
        _ => Ok(()),
    }
}

/// Returns `before` without the characters without a width at its end, escaped or not: `\u200b`, `%C2%AD`.
fn visible(mut before: &[u8]) -> &[u8] {
    while let Some(len) = last_hidden(before) {
        before = &before[..before.len() - len];
        // A string within a string doubles its backslashes.
        while len > 3 && before.ends_with(b"\\") {
            before = &before[..before.len() - 1];
        }
    }
    before
}

/// Returns the length of the character without a width that ends `before`.
fn last_hidden(before: &[u8]) -> Option<usize> {
    let begins = |len: usize, first: &dyn Fn(u8) -> bool| {
        let tail = before.get(before.len().checked_sub(len)?..).filter(|tail| first(tail[0]))?;
        let c = Json(Percent(Utf8(tail))).at(0)?;
        (c.next == len && has_no_width(c.code)).then_some(len)
    };
    match before.last() {
        Some(0x80..) => [2, 3].iter().find_map(|len| begins(*len, &|b| b >= 0xc2)),
        Some(b) if b.is_ascii_hexdigit() => {
            [6, 9].iter().find_map(|len| begins(*len, &|b| matches!(b, b'\\' | b'%')))
        }
        _ => None,
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
    match not_inside(before) {
        Ok(()) => Err(Reason::LeftBoundary),
        Err(_) if is_name => Ok(()),
        Err(reason) => Err(reason),
    }
}

/// Returns the reason why no name begins after `before`, where its own digits give `reason`. Digits within
/// another name are no candidate of their own: `10.003` in `10.1016/j.cell.2020.10.003`.
pub(super) fn reason(reason: Reason, before: &[u8]) -> Reason {
    match reason {
        Reason::NoSeparator | Reason::TooShortRegistrant => {
            not_inside(before).map_or(Reason::InsideDoi, |()| reason)
        }
        _ => reason,
    }
}

/// Maximum number of digits of an article number.
const MAX_NUMBER: usize = 8;

/// Whether a word is glued to a whole prefix and a long number, as authors write agencies: `Council10.13039/100019180`.
fn is_after_word(before: &[u8], digits: &[u8]) -> bool {
    let found = find_registrant(digits);
    let suffix = digits[found.len..].strip_prefix(b"/").unwrap_or_default();
    let len = suffix.iter().take(16).take_while(|b| b.is_ascii_digit()).count();
    let letters = before.iter().rev().take(3).take_while(|b| b.is_ascii_alphabetic()).count();
    letters == 3
        && (4..=5).contains(&found.len)
        && (9..=12).contains(&len)
        && !suffix.get(len).is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether `before` ends in an escape, whose last letter or digit does not belong to a word: `%20`,
/// `\n`, `\u0022`, `\x22`, `=3D`, `\u00252F`.
fn ends_in_escape(before: &[u8]) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'b' | b'f' | b'n' | b'r' | b't'] => true,
        // The `=` of quoted-printable text: `?doi=3D10.1037/emo0000542`.
        [.., word, b'=', b'3', b'D'] => word.is_ascii_alphabetic(),
        [.., b'%', a, b]
        | [.., b'%', b'2', b'5', a, b]
        | [.., b'\\', b'x', a, b]
        // As Mendeley writes addresses: `{\%}2F10.1371{\%}2F`.
        | [.., b'{', b'\\', b'%', b'}', a, b]
        | [.., b'\\', b'u', b'0', b'0', b'2', b'5', a, b]
            if is_hex(&[*a, *b]) =>
        {
            true
        }
        [.., b'\\', b'u', a, b, c, d] => is_hex(&[*a, *b, *c, *d]),
        _ => false,
    }
}

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

/// Checks a name after a mark. After a slash, one of the registrant of the name before it is another name, and one after the
/// prefix of another registrant in the path of a page is meant alone: `https://a.org/10.1017/10.1080/17457289.2019.1697800`.
fn after_slash(before: &[u8], digits: &[u8]) -> Result<(), Reason> {
    let Some(name) = outer(before) else { return Ok(()) };
    let is_in_path = || marker::is_in_path(&before[..before.len() - name.len()]);
    let (inner, suffix) = digits.split_at(find_registrant(digits).len);
    let is_second = split(name).is_some_and(|(outer, front)| match front {
        [] => {
            inner != outer
                && [inner, outer].iter().all(|r| (4..=5).contains(&r.len()))
                && is_in_path()
        }
        _ => {
            let front = SLASHES.iter().find_map(|slash| front.strip_suffix(*slash));
            inner == outer && front.is_some_and(|front| front.iter().any(u8::is_ascii_digit))
        }
    });
    // Names of HFSP Journal end in their prefix and a digit: `10.2976/1.2422707/10.2976/1`.
    let is_part = |b: &&u8| is_plain(**b) || matches!(b, b'%' | b'\\');
    let len = suffix.iter().take(MAX_NUMBER).take_while(is_part).count();
    if is_second && len > 5 { Ok(()) } else { Err(Reason::NestedDoi) }
}

/// Returns the registrant and the suffix of `name`.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = &name[anchor::anchor(name)?..];
    let (registrant, rest) = digits.split_at(find_registrant(digits).len);
    let suffix = SLASHES.iter().find_map(|slash| rest.strip_prefix(*slash))?;
    Some((registrant, suffix))
}

/// Whether the suffix after the registrant at the start of `digits` contains a letter.
pub(super) fn has_letter(digits: &[u8]) -> bool {
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

/// Whether a registrant is the rest of a date on the tenth day of a month: `10.05.2015`.
pub(super) fn is_date(registrant: &[u8]) -> bool {
    let (a, b, year) = match registrant {
        [a, b, b'.', year @ ..] => (*a, *b, year),
        [b, b'.', year @ ..] => (b'0', *b, year),
        _ => return false,
    };
    let month = 10 * u32::from(a.wrapping_sub(b'0')) + u32::from(b.wrapping_sub(b'0'));
    (1..=12).contains(&month) && year.len() == 4 && is_year(year)
}

/// Whether no suffix continues over `byte`.
fn ends(byte: u8) -> bool {
    let is_mark = matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b',' | b';' | b'?');
    is_mark || matches!(byte, b'#' | b'&' | b'=' | b':') || is_blank(byte)
}

/// Rejects a candidate inside the suffix of another name: `10.37473/dac/10.1101/2020…` is one name.
fn not_inside(before: &[u8]) -> Result<(), Reason> {
    outer(before).map_or(Ok(()), |_| Err(Reason::NestedDoi))
}

/// Returns the name in whose suffix the end of `before` is. A marker, a delimiter or an unmatched bracket ends a name.
fn outer(before: &[u8]) -> Option<&[u8]> {
    let run = before.iter().rposition(|byte| ends(*byte)).map_or(0, |at| at + 1);
    let mut starts = memchr::memrchr_iter(b'1', &before[run..]).map(|at| run + at);
    let name = &before[starts.find(|at| is_name_start(before, *at))?..];
    let text = Text { bytes: name, twice: false };
    let (mut at, mut open) = (0, 0_usize);
    while let Some(c) = text.at(at) {
        match c.ascii() {
            Some(b'(' | b'[' | b'{') => open += 1,
            Some(b')' | b']' | b'}') => open = open.checked_sub(1)?,
            Some(b'd' | b'D') if marker::begins(&name[at..]) => return None,
            Some(byte) if byte == b'\\' || ends(byte) => return None,
            None if class::kind(c.code) == Kind::Ends => return None,
            _ => {}
        }
        at = c.next;
    }
    (open == 0).then_some(name)
}

/// Whether the character at the end of `before` ends every name in front of another: a word of a script without
/// blanks (`10.1000/181和10.1000/182`), a symbol, or the dash of a range.
fn is_apart(before: &[u8]) -> bool {
    let at = before.iter().rposition(|b| b & 0xc0 != 0x80).unwrap_or(0);
    let kind = |c: Char| {
        class::is_long_dash(c.code) || matches!(class::kind(c.code), Kind::Symbol | Kind::Ideograph)
    };
    Utf8(&before[at..]).at(0).is_some_and(kind)
}

/// A slash and its escapes.
const SLASHES: [&[u8]; 6] = [b"/", b"\\/", b"%2F", b"%2f", b"%252F", b"%252f"];

/// Whether a DOI begins at `at`: `10.`, a registrant, a separator.
fn is_name_start(before: &[u8], at: usize) -> bool {
    let Some(anchor) = anchor::anchor(&before[at..]) else { return false };
    let rest = &before[at + anchor..];
    let found = find_registrant(rest);
    let behind = &rest[found.len..];
    let before = &before[..at];
    let is_part = before.last().is_some_and(u8::is_ascii_alphanumeric) && !ends_in_escape(before);
    let glued = is_part && !marker::is_glued(before) && subfield::mark(before).is_none();
    !glued && found.is_plain() && SLASHES.iter().any(|slash| behind.starts_with(slash))
}

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
    fn dates() {
        for (registrant, expected) in [
            ("05.2015", true),
            ("5.2015", true),
            ("13.2015", false),
            ("1000.2015", false),
            ("05.201", false),
            ("05.20151", false),
            ("12.2015", true),
            ("00.2015", false),
            ("0.2015", false),
            ("1.1999", true),
            ("1.1899", false),
            ("1.2100", false),
            ("1000", false),
        ] {
            assert_eq!(is_date(registrant.as_bytes()), expected, "{registrant}");
        }
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
            ("MCIN/AEI", "13039/501100011033", Ok(())),
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
            ("10.1136/bmj/", "1136/bmj.1", Err(Reason::NestedDoi)),
            ("10.2976/1.2422707/", "2976/1", Err(Reason::NestedDoi)),
            ("https://a.org/10.1017/", "1080/17457289", Ok(())),
            ("https://a.org/x/10.1017%2F", "1080%2F17457289", Ok(())),
            ("https://a.org/10.1017/", "10/17457289", Err(Reason::NestedDoi)),
            ("https://a.org/10.18195/", "18195/17457289", Err(Reason::NestedDoi)),
            ("https://doi.org/10.1007/", "1038/nclimate2235", Err(Reason::NestedDoi)),
            ("see 10.1007/", "1038/nclimate2235", Err(Reason::NestedDoi)),
            ("10.37473%2Fdac%2F", "1101/2020.1", Err(Reason::NestedDoi)),
            ("=024  7\\$a10.18195/", "18195/issn.0312-3162.23(1)", Err(Reason::NestedDoi)),
            ("doi10.37473/dac/", "1101/2020.1", Err(Reason::NestedDoi)),
            ("see abc10.37473/dac/", "1101/2020.1", Ok(())),
            (r"10.37473\/dac\/", "1101\\/2020.1", Err(Reason::NestedDoi)),
            ("10.5012/bkcs.2013.34.", "2889/transform", Err(Reason::NestedDoi)),
            ("10.1000/x(1999)", "1000/2", Err(Reason::NestedDoi)),
            ("10.1000/x\u{200b}", "1000/2", Ok(())),
            ("10.1000/x/\u{200b}", "1000/2", Err(Reason::NestedDoi)),
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
