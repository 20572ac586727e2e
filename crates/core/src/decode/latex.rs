//! The escapes of TeX, BibTeX and Markdown.

use super::{Char, Layer};

/// Decodes a backslash followed by punctuation (`\_`, Markdown's `\<`), the groups `{\_}` and
/// `{[}`, `$<$`, the macros for `<`, `>` and `_`, and subscripts of one
/// digit, such as `{$_4$}`.
#[derive(Clone, Copy, Debug)]
pub struct Latex<L>(pub L);

/// Macros and the characters that they print.
const MACROS: [(&[u8], u8); 3] =
    [(b"textless", b'<'), (b"textgreater", b'>'), (b"textunderscore", b'_')];

impl<L: Layer> Layer for Latex<L> {
    fn at(&self, at: usize) -> Option<Char> {
        let first = self.0.at(at)?;
        let escape = match first.ascii() {
            Some(b'\\') => self.backslash(first.next),
            Some(b'{') => self.enclosed(first.next, b'}'),
            Some(b'$') => self.enclosed(first.next, b'$'),
            _ => None,
        };
        Some(escape.unwrap_or(first))
    }
}

impl<L: Layer> Latex<L> {
    /// Decodes the text at `at`, which follows a backslash.
    fn backslash(&self, at: usize) -> Option<Char> {
        let c = self.0.at(at)?;
        // A second backslash is excluded: two of them are a line break, which ends a name.
        if c.ascii().is_some_and(|b| b.is_ascii_punctuation() && b != b'\\') {
            return Some(c);
        }
        if let Some(group) = self.0.spells(at, b"ensuremath{") {
            return self.enclosed(group, b'}');
        }
        if let Some(group) = self.0.spells(at, b"textsubscript") {
            return self.subscript(group).filter(|_| self.0.spells(group, b"{").is_some());
        }
        let (end, byte) =
            MACROS.iter().find_map(|&(word, byte)| Some((self.0.spells(at, word)?, byte)))?;
        let next = self.0.spells(end, b"{}").unwrap_or(end);
        Some(Char { code: byte.into(), next, literal: false })
    }

    /// Decodes one punctuation character between braces or dollar signs. Letters and digits are not
    /// decoded, because `{0}` is a placeholder.
    fn enclosed(&self, at: usize, close: u8) -> Option<Char> {
        let c = self.0.at(at)?;
        let inner = match c.ascii() {
            Some(b'\\') => self.backslash(c.next)?,
            Some(b'_') if close == b'$' => self.subscript(c.next).unwrap_or(c),
            // `{$<$}`, as reference managers write it.
            Some(b'$') if close == b'}' => self.enclosed(c.next, b'$')?,
            _ => c,
        };
        let is_mark = inner.ascii().is_some_and(|b| b.is_ascii_punctuation() && b != close);
        let fits = is_mark || matches!(inner.code, 0x2080..=0x2089);
        let next = self.0.spells(inner.next, &[close])?;
        (fits && !inner.is(b'\\')).then_some(Char { next, ..inner })
    }

    /// Decodes the digit at `at`, perhaps in braces, as the subscript that it prints.
    fn subscript(&self, at: usize) -> Option<Char> {
        let group = self.0.spells(at, b"{");
        let digit = self.0.at(group.unwrap_or(at)).filter(Char::is_digit)?;
        let next = if group.is_some() { self.0.spells(digit.next, b"}")? } else { digit.next };
        Some(Char { code: 0x2080 + digit.code - u32::from(b'0'), next, literal: false })
    }
}
