//! UTF-8 that was read as Windows-1252 or Latin-1 and written as UTF-8 again.

use super::{Char, Layer, decode_utf8};

/// Decodes marks that are encoded twice or three times: `â€“` is an en dash, `Â` and a no-break space are a no-break space,
/// `Ã¯Â¿Â½` is U+FFFD. Letters stay, because they may be those of a name.
///
/// Windows-1252 has no character for 0x9d, the last byte of a closing quote, and some programs write a blank for a no-break
/// space: `â€` is a quote, and `Â` before a blank is a blank.
#[derive(Clone, Copy, Debug)]
pub struct Double<L>(pub L);

/// The characters that Windows-1252 has for the bytes from 0x80 on. It has none for `\0`.
const WINDOWS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', //
    '\0', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

impl<L: Layer> Layer for Double<L> {
    fn at(&self, at: usize) -> Option<Char> {
        let first = self.0.at(at)?;
        Some(match first.code {
            0xc2 | 0xe2..=0xef => self.mark(first).unwrap_or(first),
            0xc3 => self.thrice(at).unwrap_or(first),
            _ => first,
        })
    }
}

impl<L: Layer> Double<L> {
    /// Returns the mark whose first byte `first` shows.
    fn mark(&self, first: Char) -> Option<Char> {
        let found = decode(first, |at| self.0.at(at)).filter(is_mark);
        found.or_else(|| self.without_last(first))
    }

    /// Returns the mark at `at` that is encoded three times.
    fn thrice(&self, at: usize) -> Option<Char> {
        let inner = |at: usize| decode(self.0.at(at)?, |at| self.0.at(at));
        decode(inner(at)?, inner).filter(is_mark)
    }

    /// Returns the quote or the no-break space whose first byte `first` shows, and whose last one is lost.
    fn without_last(&self, first: Char) -> Option<Char> {
        let next = self.0.at(first.next);
        match (first.code, next) {
            (0xc2, None) => Some(Char { code: 0xa0, ..first }),
            (0xc2, Some(blank)) if matches!(blank.code, 0x09 | 0x0a | 0x0d | 0x20) => {
                Some(Char { code: 0xa0, ..first })
            }
            (0xe2, Some(euro)) if byte_of(euro.code) == Some(0x80) => {
                Some(Char { code: 0x201d, next: euro.next, ..first })
            }
            _ => None,
        }
    }
}

/// Returns the character of UTF-8 whose bytes are the characters from `first` on.
fn decode(first: Char, at: impl Fn(usize) -> Option<Char>) -> Option<Char> {
    let len = match first.code {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => return None,
    };
    let (mut bytes, mut next) = ([0; 3], first.next);
    bytes[0] = u8::try_from(first.code).ok()?;
    for byte in &mut bytes[1..len] {
        let c = at(next)?;
        *byte = byte_of(c.code)?;
        next = c.next;
    }
    let c = decode_utf8(&bytes[..len])?;
    Some(Char { code: c.into(), next, ..first })
}

/// Returns the byte that Latin-1 or Windows-1252 shows as `code`, if it continues a character of UTF-8.
fn byte_of(code: u32) -> Option<u8> {
    if let 0x80..=0xbf = code {
        return u8::try_from(code).ok();
    }
    let index = WINDOWS.iter().position(|c| u32::from(*c) == code && code > 0)?;
    u8::try_from(0x80 + index).ok()
}

/// Whether `c` is a blank, a dash, a quote or another mark, or stands for a character that was lost.
fn is_mark(c: &Char) -> bool {
    matches!(c.code, 0xa0 | 0xad | 0x2000..=0x206f | 0x3000..=0x303f | 0xfe30..=0xfe6f)
        || matches!(c.code, 0xfeff | 0xff01..=0xff65 | 0xfffd)
}
