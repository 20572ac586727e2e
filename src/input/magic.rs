//! Inputs that are no text: told by their first bytes and refused by name.

use std::path::Path;

/// First bytes, what they mean, and a command that turns FILE into text on
/// its standard output, where there is one.
struct Signature {
    at: usize,
    bytes: &'static [u8],
    what: &'static str,
    advice: Advice,
}

enum Advice {
    Decompress(&'static str),
    Unpack(&'static str),
    Convert(&'static str),
}

const fn signature(
    at: usize,
    bytes: &'static [u8],
    what: &'static str,
    advice: Advice,
) -> Signature {
    Signature { at, bytes, what, advice }
}

/// From the formats' specifications: RFC 1952 (gzip), RFC 8878 (zstd), the xz
/// and lz4 frame formats, APPNOTE (zip, also empty and spanned), POSIX ustar,
/// the Parquet format, Unicode 23.8 (byte order marks).
const SIGNATURES: [Signature; 17] = [
    signature(0, b"\x1f\x8b", "gzip data", Advice::Decompress("zcat")),
    signature(0, b"BZh", "bzip2 data", Advice::Decompress("bzcat")),
    signature(0, b"\xfd7zXZ\0", "xz data", Advice::Decompress("xzcat")),
    signature(0, b"\x28\xb5\x2f\xfd", "zstd data", Advice::Decompress("zstdcat")),
    signature(0, b"\x04\x22\x4d\x18", "lz4 data", Advice::Decompress("lz4cat")),
    signature(0, b"\x02\x21\x4c\x18", "lz4 data", Advice::Decompress("lz4cat")),
    signature(0, b"\x1f\x9d", "compress (.Z) data", Advice::Decompress("zcat")),
    signature(0, b"LZIP", "lzip data", Advice::Decompress("lzip -dc")),
    signature(0, b"PK\x03\x04", "a zip archive", Advice::Unpack("unzip -p")),
    signature(0, b"PK\x05\x06", "an empty zip archive", Advice::Unpack("unzip -p")),
    signature(0, b"PK\x07\x08", "a zip archive", Advice::Unpack("unzip -p")),
    signature(257, b"ustar", "a tar archive", Advice::Unpack("tar -xOf")),
    signature(0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", Advice::Unpack("7z x -so")),
    signature(0, b"Rar!\x1a\x07", "a rar archive", Advice::Unpack("unrar p -inul")),
    signature(0, b"PAR1", "a Parquet file", Advice::Convert("to CSV or JSON lines")),
    signature(0, b"\xff\xfe\0\0", "UTF-32 text", Advice::Convert("iconv -f UTF-32 -t UTF-8")),
    signature(0, b"\0\0\xfe\xff", "UTF-32 text", Advice::Convert("iconv -f UTF-32 -t UTF-8")),
];

/// Why the input `path` that begins with `head` is not read, or none when it
/// is. PDF is read: links in it are often plain.
pub fn refused(path: &Path, head: &[u8]) -> Option<String> {
    let found = SIGNATURES.iter().find(|s| s.matches(head))?;
    let what = found.what;
    let name = path.file_name().map_or_else(|| "FILE".into(), |n| n.to_string_lossy());
    Some(match found.advice {
        Advice::Decompress(tool) => format!(
            "{what}, which is not read yet; decompress it first \
             (for example: {tool} {name} | doiscan scan -)"
        ),
        Advice::Unpack(tool) => format!(
            "{what}, which is not read yet; unpack it first \
             (for example: {tool} {name} | doiscan scan -)"
        ),
        Advice::Convert(to) => format!("{what}, which is not read yet; convert it first ({to})"),
    })
}

/// Whether an input that begins with `head` is UTF-16 by its byte order mark.
pub fn is_utf16(head: &[u8]) -> bool {
    let is_utf32 = head.starts_with(b"\xff\xfe\0\0");
    (head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff")) && !is_utf32
}

impl Signature {
    fn matches(&self, head: &[u8]) -> bool {
        head.get(self.at..).is_some_and(|rest| rest.starts_with(self.bytes)) && self.plausible(head)
    }

    /// Text may begin with three letters: `BZh` counts with its level and the
    /// magic of a block or of the end behind it.
    fn plausible(&self, head: &[u8]) -> bool {
        self.bytes != b"BZh"
            || (matches!(head.get(3), Some(b'1'..=b'9'))
                && [&b"\x31\x41\x59\x26\x53\x59"[..], b"\x17\x72\x45\x38\x50\x90"]
                    .iter()
                    .any(|magic| head[4..].starts_with(magic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(head: &[u8]) -> Option<String> {
        refused(Path::new("a/dump.gz"), head)
    }

    #[test]
    fn text_and_pdf_are_read() {
        let texts: [&[u8]; 8] =
            [b"", b"1", b"BZ", b"BZhou 10.1/x", b"PK", b"%PDF-1.7", b"\xef\xbb\xbf{", b"PAR"];
        for head in texts {
            assert_eq!(say(head), None, "{head:?}");
        }
    }

    #[test]
    fn utf16_has_a_mark() {
        assert!(is_utf16(b"\xff\xfe1\0") && is_utf16(b"\xfe\xff\x001"));
        assert!(!is_utf16(b"\xff\xfe\0\0") && !is_utf16(b"\xef\xbb\xbf1") && !is_utf16(b""));
    }

    #[test]
    fn the_messages_offer_a_command() {
        assert_eq!(
            say(b"\x1f\x8b\x08").as_deref(),
            Some(
                "gzip data, which is not read yet; decompress it first \
                 (for example: zcat dump.gz | doiscan scan -)"
            )
        );
        assert_eq!(
            say(b"\xff\xfe\0\0").as_deref(),
            Some(
                "UTF-32 text, which is not read yet; convert it first \
                 (iconv -f UTF-32 -t UTF-8)"
            )
        );
    }

    #[test]
    fn every_signature_is_found() {
        for s in &SIGNATURES {
            let mut head = [vec![b'a'; s.at], s.bytes.to_vec()].concat();
            if s.bytes == b"BZh" {
                head.extend_from_slice(b"9\x31\x41\x59\x26\x53\x59");
            }
            assert!(say(&head).is_some_and(|m| m.starts_with(s.what)), "{}", s.what);
        }
    }
}
