//! Converts text in UTF-16 or UTF-32 to UTF-8, in pieces of any size.

/// Text in code units of two or four bytes.
#[derive(Debug)]
pub(super) struct Wide {
    /// Bytes of a code unit.
    width: usize,
    /// Whether the highest byte of a unit is first, as the name of the charset says.
    declared: Option<bool>,
    /// The same, once a byte order mark or a zero byte shows that the text is wide.
    is_big: Option<bool>,
    /// The start of a character.
    rest: Vec<u8>,
}

impl Wide {
    /// Returns the encoding with this name, in lower case, if it is UTF-16 or UTF-32, however it is
    /// punctuated.
    pub(super) fn of_charset(name: &[u8]) -> Option<Self> {
        let name: Vec<u8> = name.iter().filter(|b| b.is_ascii_alphanumeric()).copied().collect();
        let width = match &name[..] {
            name if name.starts_with(b"utf16") => 2,
            name if name.starts_with(b"utf32") => 4,
            _ => return None,
        };
        let declared = [(&b"le"[..], false), (b"be", true)];
        let declared = declared.iter().find(|(end, _)| name.ends_with(end)).map(|found| found.1);
        Some(Wide { width, declared, is_big: None, rest: Vec::new() })
    }

    /// Converts more bytes. Copies them while nothing shows that they are wide characters: headers
    /// often name a wrong charset, and a DOI in wide characters has zero bytes.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.rest.extend_from_slice(bytes);
        let mut len = self.rest.len() - self.rest.len() % self.width;
        self.is_big = self.is_big.or_else(|| self.order(&self.rest[..len]));
        let Some(is_big) = self.is_big else {
            return out.extend(self.rest.drain(..len));
        };
        let value = |unit: &[u8]| {
            let add = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
            if is_big { unit.iter().fold(0, add) } else { unit.iter().rev().fold(0, add) }
        };
        // The second half of a surrogate pair may follow.
        let last = self.rest[..len].rchunks(self.width).next().map(value);
        if self.width == 2 && last.is_some_and(|unit| unit & 0xfc00 == 0xd800) {
            len -= self.width;
        }
        let units = self.rest[..len].chunks_exact(self.width).map(value);
        let text: String = match self.width {
            2 => char::decode_utf16(units.map(|unit| unit as u16))
                .map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
            _ => units.map(|u| char::from_u32(u).unwrap_or(char::REPLACEMENT_CHARACTER)).collect(),
        };
        out.extend_from_slice(text.as_bytes());
        self.rest.drain(..len);
    }

    /// Ends the text. Returns whether it ends within a character. A line feed of one byte, which is
    /// a line end of the mail, is copied.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) -> bool {
        let rest = std::mem::take(&mut self.rest);
        let is_cut = self.is_big.is_some() && !matches!(rest[..], [] | [b'\n']);
        if !is_cut {
            out.extend_from_slice(&rest);
        }
        is_cut
    }

    /// Returns whether the highest byte of each unit is first, if the bytes show that they are wide
    /// characters: by a byte order mark, or by zero bytes, of which ASCII has one or three in each.
    fn order(&self, bytes: &[u8]) -> Option<bool> {
        let mark = match bytes {
            [0xff, 0xfe, ..] => Some(false),
            [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..] => Some(true),
            _ => None,
        };
        let zeros = |place| bytes.iter().skip(place).step_by(self.width).filter(|b| **b == 0);
        let (first, last) = (zeros(0).count(), zeros(self.width - 1).count());
        let by_zeros = (first + last > 0).then(|| self.declared.unwrap_or(first > last));
        mark.or(by_zeros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\u{feff}一 10.1000/\u{1f600}\né";

    /// Returns `text` in the encoding `name`.
    fn encoded(text: &str, name: &str) -> Vec<u8> {
        let units = text.encode_utf16();
        match name {
            "utf-16le" => units.flat_map(u16::to_le_bytes).collect(),
            "utf-16be" => units.flat_map(u16::to_be_bytes).collect(),
            "utf-32le" => text.chars().flat_map(|c| (c as u32).to_le_bytes()).collect(),
            _ => text.chars().flat_map(|c| (c as u32).to_be_bytes()).collect(),
        }
    }

    /// Converts `bytes` in pieces of `size`. Returns the text, and whether it ends early.
    fn read(charset: &str, bytes: &[u8], size: usize) -> (String, bool) {
        let mut wide = Wide::of_charset(charset.as_bytes()).expect("wide");
        let mut out = Vec::new();
        bytes.chunks(size).for_each(|piece| wide.push(piece, &mut out));
        let is_cut = wide.end(&mut out);
        (String::from_utf8_lossy(&out).into_owned(), is_cut)
    }

    #[test]
    fn the_order_is_that_of_the_mark_the_name_or_the_zero_bytes() {
        for name in ["utf-16le", "utf-16be", "utf-32le", "utf-32be"] {
            let marked = encoded(TEXT, name);
            for size in [4, 7, 100] {
                let expected = (TEXT.to_owned(), false);
                assert_eq!(read(&name[..6], &marked, size), expected, "{name} {size}");
            }
            for text in ["10.1000/1 \u{1f600}", "10.1000/一一一"] {
                let plain = encoded(text, name);
                assert_eq!(read(name, &plain, 100), (text.to_owned(), false), "{name}");
                assert_eq!(read(&name[..6], &plain, 8), (text.to_owned(), false), "{name}");
            }
            assert!(read(name, &marked[..marked.len() - 1], 9).1, "{name}");
        }
        assert!(Wide::of_charset(b"utf-8").is_none());
        assert!(Wide::of_charset(b"utf_16").is_some());
    }

    #[test]
    fn text_of_another_charset_is_copied() {
        for name in ["utf-16", "utf-16le", "utf-32"] {
            assert_eq!(read(name, b"doi:10.1000/1", 3), ("doi:10.1000/1".to_owned(), false));
        }
    }

    #[test]
    fn half_a_surrogate_pair_ends_early() {
        let text = encoded("a\u{1f600}", "utf-16le");
        assert_eq!(read("utf-16le", &text[..4], 100), ("a".to_owned(), true));
    }
}
