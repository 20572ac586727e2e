//! Undoes percent-encoding that is deeper than the layers: `%25255B`, `%255B` after a plain slash, and BibDesk's `%5C%2528`, whose
//! `%5C` is the backslash of TeX's `\%`. Undoes the dashes of TeX.

use super::trim;
use crate::doi::holds;
use alloc::vec::Vec;

/// Maximum number of layers that are undone.
const DEEPEST: usize = 4;

/// Undoes the encoding of the folded `name`, whose suffix begins at `start`, if an encoded `%` begins another
/// octet, and trims the marks that show at the end. Writes the dashes of TeX as hyphens.
#[inline]
pub(super) fn undo(name: &mut Vec<u8>, start: usize, is_strict: bool) {
    if holds(&name[start..], b'%') && begins_octet(&name[start..]) {
        undo_all(name, start);
        let undone = name.clone();
        if !is_strict {
            trim::whole(name, start, None);
        }
        if name.len() == start {
            *name = undone;
        }
    }
    // The dashes of TeX, if there are several: one may be that of the name, `1-2--22585`.
    let is_dash = |three: &&[u8]| three[0] != b'-' && three[1..] == *b"--";
    if !is_strict && name[start..].windows(3).filter(is_dash).count() > 1 {
        let mut last = 0;
        name.retain(|&byte| core::mem::replace(&mut last, byte) != b'-' || byte != b'-');
    }
    // The backslash that TeX has before marks: `%5C(01%5C)`.
    while let Some(at) = name[start..].windows(2).position(|two| {
        matches!(two, [b'\\', b'(' | b')' | b'[' | b']' | b'_' | b'#' | b'&' | b';' | b'<' | b'>'])
    }) {
        name.remove(start + at);
    }
}

/// Whether `suffix` contains an encoded `%` that begins an octet.
fn begins_octet(suffix: &[u8]) -> bool {
    let is_deep = |at| suffix[at..].starts_with(b"%25") && octet(&suffix[at + 3..]).is_some();
    let is_marked = |at| suffix[..at].ends_with(b"\\") && octet(&suffix[at + 1..]).is_some();
    memchr::memchr_iter(b'%', suffix).any(|at| is_deep(at) || is_marked(at))
}

#[cold]
fn undo_all(name: &mut Vec<u8>, start: usize) {
    for _ in 0..DEEPEST {
        let mut undone = Vec::with_capacity(name.len());
        undone.extend_from_slice(&name[..start]);
        let mut at = start;
        while let Some(&byte) = name.get(at) {
            let mark = usize::from(byte == b'\\');
            let (byte, len) = match name[at + mark..].strip_prefix(b"%") {
                Some(rest) => octet(rest).map_or((byte, 1), |byte| (byte, mark + 3)),
                None => (byte, 1),
            };
            undone.push(byte);
            at += len;
        }
        if undone.len() == name.len() {
            return;
        }
        *name = undone;
    }
}

/// Returns the graphic ASCII character, in upper case, whose two digits begin `rest`.
fn octet(rest: &[u8]) -> Option<u8> {
    let digits = str::from_utf8(rest.get(..2)?).ok()?;
    let byte = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii_graphic)?;
    Some(byte.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_encodings() {
        for (name, expected) in [
            (
                "10.1890/0012-9658(2002)083%25255B1490:PRHCAC%25255D2.0.CO%25253B2",
                "10.1890/0012-9658(2002)083[1490:PRHCAC]2.0.CO;2",
            ),
            (r"10.1016/0360-3016\%252884\%252990054-3", "10.1016/0360-3016(84)90054-3"),
            ("10.1000/A%5BC", "10.1000/A%5BC"),
            ("10.1000/A%25", "10.1000/A%25"),
            ("10.1000/A%252F", "10.1000/A"),
            ("10.1000/%252F", "10.1000//"),
            ("10.1000/A%25ZZ", "10.1000/A%25ZZ"),
            ("10.1000/182", "10.1000/182"),
        ] {
            let mut bytes = name.as_bytes().to_vec();
            let start = 1 + name.find('/').unwrap();
            undo(&mut bytes, start, false);
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        }
    }
}
