//! The spelling of names in batch files: lists, tables, rows of JSON and Parquet.
//!
//! "The percent character (%) must always be hex encoded (%25) in any web form, batch input, or
//! URL" (Handling of special characters within the DOI syntax, rule 3). Every reader therefore
//! takes `%41` for `A`. A writer encodes only characters that a reader would misread: a `%`
//! followed by two hexadecimal digits becomes `%25`, and a space becomes `%20` (Table 1 of Z39.84),
//! because a raw space ends a name. Everything else is unchanged, so all but a few names in a
//! million are spelled as they are.
//!
//! ```
//! use doiscan_core::doi::batch;
//!
//! assert_eq!(&*batch::encode(b"10.1000/A%41"), b"10.1000/A%2541");
//! assert_eq!(&*batch::decode(b"10.1000/A%2541"), b"10.1000/A%41");
//! assert_eq!(&*batch::encode(b"10.1000/100%/B"), b"10.1000/100%/B");
//! assert_eq!(&*batch::encode(b"10.1000/A B"), b"10.1000/A%20B");
//! ```

use super::character::is_space;
use super::{Doi, is_ascii_without, is_folded, percent};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Returns the spelling of `name` for a line, a cell or a field. All code that writes a DOI as text
/// calls this function, and lists are sorted by its result.
///
/// The escapes of the file format itself (quotes in CSV, `\"` in JSON) are applied on top of it.
/// The library's [`Doi`] and [`Match`](crate::scan::Match) hold the octets of the name
/// instead.
#[inline]
pub fn encode(name: &[u8]) -> Cow<'_, [u8]> {
    if is_ascii_without(name, [b'%', b' ']) {
        return Cow::Borrowed(name);
    }
    encoded(name)
}

#[cold]
fn encoded(name: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::with_capacity(name.len() + 2);
    write(name, &mut out);
    Cow::Owned(out)
}

/// Appends the spelling of `name`, as [`encode`] returns it.
pub fn write(name: &[u8], out: &mut Vec<u8>) {
    let mut rest = name;
    while !rest.is_empty() {
        let plain = rest.iter().take_while(|&&byte| is_plain(byte)).count();
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        let misread = misread(rest);
        rest[..misread].iter().for_each(|&octet| percent::encode(octet, out));
        let kept = usize::from(misread == 0 && !rest.is_empty());
        out.extend_from_slice(&rest[misread..misread + kept]);
        rest = &rest[misread + kept..];
    }
}

/// Whether `byte` is never encoded, whatever follows it.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii() && byte != b'%' && byte != b' '
}

/// The octets at the start of `rest` that a reader would misread: a `%` that begins an encoded
/// octet, or a space.
fn misread(rest: &[u8]) -> usize {
    if rest.first() == Some(&b'%') {
        return usize::from(percent::octet(rest).is_some());
    }
    // No space takes more than three bytes.
    let head = &rest[..rest.len().min(3)];
    let first = head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    first.filter(|&c| is_space(c)).map_or(0, char::len_utf8)
}

/// Whether `line` is a canonical name in its spelling.
pub fn is_spelled(line: &[u8]) -> bool {
    let name = decode(line);
    is_folded(line) && Doi::parse(&name).is_ok() && *encode(&name) == *line
}

/// Returns `name` with percent-encoding for all that is no ASCII letter or digit after its first slash.
pub fn spelled_out(name: &[u8]) -> Vec<u8> {
    let start = memchr::memchr(b'/', name).map_or(0, |at| at + 1);
    let mut out = name[..start].to_vec();
    for &byte in &name[start..] {
        match byte.is_ascii_alphanumeric() {
            true => out.push(byte),
            false => percent::encode(byte, &mut out),
        }
    }
    out
}

/// Decodes the name that `line` spells: every `%XX` is an octet, and any other `%` is literal.
pub fn decode(line: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'%', line) else { return Cow::Borrowed(line) };
    let mut name = line[..first].to_vec();
    let mut at = first;
    while let Some(&byte) = line.get(at) {
        let octet = percent::octet(&line[at..]);
        name.push(octet.unwrap_or(byte));
        at += if octet.is_some() { percent::ENCODED } else { 1 };
    }
    Cow::Owned(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_would_be_misread_is_encoded() {
        for (name, line) in [
            ("10.1000/A", "10.1000/A"),
            ("10.1000/A%", "10.1000/A%"),
            ("10.1000/A%4", "10.1000/A%4"),
            ("10.1000/A%4G", "10.1000/A%4G"),
            ("10.1000/A%41", "10.1000/A%2541"),
            ("10.1000/A%2541", "10.1000/A%252541"),
            ("10.1000/A%%41", "10.1000/A%%2541"),
            ("10.1000/A%4%41", "10.1000/A%4%2541"),
            ("10.1000/%AB%cd", "10.1000/%25AB%25cd"),
            ("10.1000/A B%20", "10.1000/A%20B%2520"),
            ("10.1000/\u{a0}\u{3000}é本", "10.1000/%C2%A0%E3%80%80é本"),
        ] {
            assert_eq!(String::from_utf8_lossy(&encode(name.as_bytes())), line, "{name}");
            assert_eq!(String::from_utf8_lossy(&decode(line.as_bytes())), name, "{line}");
        }
    }

    proptest! {
        #[test]
        fn every_name_is_read_back(
            name in prop::collection::vec(prop::sample::select(b"%25aF/g\xc3\xa9 ".to_vec()), 0..24),
        ) {
            let line = encode(&name).into_owned();
            let read = decode(&line).into_owned();
            prop_assert_eq!(&read, &name);
            let upper = encode(&name.to_ascii_uppercase()).into_owned();
            prop_assert_eq!(line.to_ascii_uppercase(), upper, "letters may be folded after it too");
        }
    }
}
