//! Balances brackets. A name keeps `)`, `]` and `}` if and only if they are balanced inside it: 3 %
//! of names contain `(`, 275 of 1.34 million end in `)`, and 7 are unbalanced.

use arrayvec::ArrayVec;

/// Maximum nesting depth. Real names have a depth of two.
pub(super) const DEEPEST: usize = 16;

/// The open brackets with their offsets in the name, innermost last.
#[derive(Debug, Default)]
pub(super) struct Brackets(ArrayVec<(u8, usize), DEEPEST>);

impl Brackets {
    /// Opens `bracket` at the offset `place` of the name. Returns false if the nesting is deeper
    /// than in any name.
    pub(super) fn open(&mut self, bracket: u8, place: usize) -> bool {
        self.0.try_push((bracket, place)).is_ok()
    }

    /// Closes the innermost bracket if `bracket` is its partner. Returns whether it is.
    pub(super) fn close(&mut self, bracket: u8) -> bool {
        let partner = match bracket {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        let matches = self.0.last().is_some_and(|(open, _)| *open == partner);
        if matches {
            self.0.pop();
        }
        matches
    }

    /// Returns the place of the outermost bracket that is still open.
    pub(super) fn first_open(&self) -> Option<usize> {
        self.0.first().map(|(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the length of the part of `text` that is kept.
    fn kept(text: &str) -> usize {
        let mut brackets = Brackets::default();
        for (i, byte) in text.bytes().enumerate() {
            let goes_on = match byte {
                b'(' | b'[' | b'{' => brackets.open(byte, i),
                b')' | b']' | b'}' => brackets.close(byte),
                _ => true,
            };
            if !goes_on {
                return brackets.first_open().unwrap_or(i);
            }
        }
        brackets.first_open().unwrap_or(text.len())
    }

    #[test]
    fn balance() {
        for (text, expected) in [
            ("a(b)c", "a(b)c"),
            ("a(b)c)", "a(b)c"),
            ("a)", "a"),
            ("a(b", "a"),
            ("a(b[c)d", "a"),
            ("a[(b)]", "a[(b)]"),
            ("a{b}", "a{b}"),
        ] {
            assert_eq!(&text[..kept(text)], expected, "{text}");
        }
        assert_eq!(kept(&"(".repeat(40)), 0);
    }
}
