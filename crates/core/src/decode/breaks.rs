//! The places where browsers may break a line, which HTML marks inside words.

use super::{Char, Layer};

/// Decodes `<wbr>`, `<wbr/>` and `<wbr />` as a zero-width space, which is what they mean (HTML, 4.5.28).
#[derive(Clone, Copy, Debug)]
pub struct Break<L>(pub L);

impl<L: Layer> Layer for Break<L> {
    fn at(&self, at: usize) -> Option<Char> {
        let c = self.0.at(at)?;
        let next = if c.is(b'<') { self.end(c.next) } else { None };
        Some(next.map_or(c, |next| Char { code: 0x200b, next, literal: false }))
    }
}

impl<L: Layer> Break<L> {
    /// Returns the position after the element whose name is at `at`.
    fn end(&self, at: usize) -> Option<usize> {
        let mut at = self.0.spells(at, b"wbr").or_else(|| self.0.spells(at, b"WBR"))?;
        if let Some(c) = self.0.at(at).filter(|c| c.is(b' ')) {
            at = c.next;
        }
        if let Some(c) = self.0.at(at).filter(|c| c.is(b'/')) {
            at = c.next;
        }
        self.0.spells(at, b">")
    }
}
