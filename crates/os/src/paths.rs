//! Names of files as bytes. On Unix they are the bytes of the system; on Windows, whose names are 16-bit
//! units, they are WTF-8, as `OsStr::as_encoded_bytes` returns them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// Returns the name with these bytes. Bytes that are no name of the system are replaced.
pub fn from_bytes(bytes: &[u8]) -> Cow<'_, OsStr> {
    #[cfg(unix)]
    return Cow::Borrowed(std::os::unix::ffi::OsStrExt::from_bytes(bytes));
    #[cfg(windows)]
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(OsStr::new(text)),
        Err(_) => Cow::Owned(std::os::windows::ffi::OsStringExt::from_wide(&wide(bytes))),
    }
}

/// Returns the path with these bytes.
pub fn path(bytes: &[u8]) -> Cow<'_, Path> {
    match from_bytes(bytes) {
        Cow::Borrowed(name) => Cow::Borrowed(Path::new(name)),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

/// Returns the folder of a file, which is the current one for a bare name.
pub fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Letters and digits at the end of the name of a temporary file.
const RANDOM: usize = 6;

/// Whether a file has the name of a temporary output: `.NAME.doiscan-` and six letters or digits.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let Some((begin, random)) = name.split_last_chunk::<RANDOM>() else { return false };
    let is_marked = begin.len() > b"..doiscan-".len() && begin.ends_with(b".doiscan-");
    is_marked && begin[0] == b'.' && random.iter().all(u8::is_ascii_alphanumeric)
}

/// Decodes WTF-8: UTF-8 in which half of a surrogate pair may stand alone, as three bytes.
#[cfg(any(windows, test))]
fn wide(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        units.extend(chunk.valid().encode_utf16());
        rest = &rest[chunk.valid().len()..];
        match rest {
            [] => break,
            [0xed, high @ 0xa0..=0xbf, low @ 0x80..=0xbf, ..] => {
                units.push(0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f));
                rest = &rest[3..];
            }
            _ => {
                units.push(0xfffd);
                rest = &rest[1..];
            }
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_are_told_by_their_names() {
        for (name, expected) in [
            (".list.doiscan-Ab12Cd", true),
            (".a.csv.gz.doiscan-000000", true),
            (".list.doiscan-Ab12C", false),
            (".list.doiscan-Ab12C-", false),
            ("list.doiscan-Ab12Cd", false),
            ("..doiscan-Ab12Cd", false),
            (".list.doiscan-Ab12Cd.gz", false),
            ("Ab12Cd", false),
        ] {
            assert_eq!(is_temporary(OsStr::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn halves_of_pairs_are_kept() {
        assert_eq!(wide("a\u{e9}\u{1d4b3}".as_bytes()), [0x61, 0xe9, 0xd835, 0xdcb3]);
        assert_eq!(wide(b"a\xed\xa0\xb5b"), [0x61, 0xd835, 0x62]);
        assert_eq!(wide(b"a\xff\xed\xa0"), [0x61, 0xfffd, 0xfffd, 0xfffd]);
    }
}
