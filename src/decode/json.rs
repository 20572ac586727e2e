//! The escapes of JSON strings (RFC 8259, section 7), and `\xNN` of programming languages.

use super::{Char, Layer};

/// Undoes `\/`, `\\`, `\"`, `\n`, `\uXXXX` (surrogate pairs as one) and the like.
///
/// Other backslashes stay: they may belong to [`super::Latex`].
#[derive(Clone, Copy, Debug)]
pub struct Json<L>(pub L);

/// TeX macros that begin like the JSON escape `\t`, without those two characters.
const MACROS: [&[u8]; 3] = [b"extless", b"extgreater", b"extunderscore"];

impl<L: Layer> Layer for Json<L> {
    fn at(&self, at: usize) -> Option<Char> {
        let first = self.0.at(at)?;
        if !first.is(b'\\') {
            return Some(first);
        }
        Some(self.escape(first.next).unwrap_or(first))
    }
}

impl<L: Layer> Json<L> {
    /// The escape whose second character is at `at`.
    fn escape(&self, at: usize) -> Option<Char> {
        let kind = self.0.at(at)?;
        let found = |code, next| Some(Char { code, next, literal: false });
        match kind.ascii()? {
            b'/' | b'\\' | b'"' => found(kind.code, kind.next),
            b't' if MACROS.iter().any(|word| self.0.spells(kind.next, word).is_some()) => None,
            b'b' | b'f' | b'n' | b'r' | b't' => found(u32::from(b'\n'), kind.next),
            b'x' => self.0.hex(kind.next, 2).and_then(|(code, next)| found(code, next)),
            b'u' => self.unicode(kind.next),
            _ => None,
        }
    }

    /// The four digits at `at`, or eight where they are two surrogates.
    fn unicode(&self, at: usize) -> Option<Char> {
        let (high, next) = self.0.hex(at, 4)?;
        let pair = (0xd800..0xdc00).contains(&high).then(|| {
            let (low, end) = self.0.spells(next, b"\\u").and_then(|at| self.0.hex(at, 4))?;
            let code = 0x10000 + ((high - 0xd800) << 10) + low.checked_sub(0xdc00)?;
            (low < 0xe000).then_some((code, end))
        });
        let (code, next) = pair.flatten().unwrap_or((high, next));
        let code = char::from_u32(code).map_or(Char::INVALID, u32::from);
        Some(Char { code, next, literal: false })
    }
}
