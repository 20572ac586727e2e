//! UTF-8 that was read as Windows-1252 or Latin-1 and written as UTF-8 again.

use super::{Char, Layer, decode_utf8};

/// Decodes marks that are encoded twice: `â€“` is an en dash, `Â` and a no-break space are a no-break space. Letters stay,
/// because they may be those of a name.
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
        let len = match first.code {
            0xc2 => 2,
            0xe2..=0xef => 3,
            _ => return Some(first),
        };
        Some(self.decode(first, len).unwrap_or(first))
    }
}

impl<L: Layer> Double<L> {
    /// Decodes `len` bytes, of which `first` is the first one.
    fn decode(&self, first: Char, len: usize) -> Option<Char> {
        let (mut bytes, mut next) = ([0; 3], first.next);
        bytes[0] = u8::try_from(first.code).ok()?;
        for byte in &mut bytes[1..len] {
            let c = self.0.at(next)?;
            *byte = byte_of(c.code)?;
            next = c.next;
        }
        let c = decode_utf8(&bytes[..len]).filter(|c| is_mark(*c))?;
        Some(Char { code: c.into(), next, ..first })
    }
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
fn is_mark(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{ad}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' | '\u{fe30}'..='\u{fe6f}')
        || matches!(c, '\u{feff}' | '\u{ff01}'..='\u{ff65}' | '\u{fffd}')
}
