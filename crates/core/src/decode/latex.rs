//! The escapes of TeX, BibTeX and Markdown.

use super::{Char, Layer};

/// Decodes a backslash followed by punctuation (`\_`, Markdown's `\<`), the groups `{\_}` and
/// `{[}`, a backslash before punctuation that was escaped itself (`{\textbackslash}_`), letters with accents in braces (`{\"u}`, `{\v{c}}`, `{\ss}`), `$<$`, the macros for `<`, `>` and `_`, and
/// subscripts of one digit, such as `{$_4$}`.
#[derive(Clone, Copy, Debug)]
pub struct Latex<L>(pub L);

/// Macros and the characters that they print.
const MACROS: [(&[u8], char); 16] = [
    (b"slash", '/'),
    (b"textless", '<'),
    (b"textgreater", '>'),
    (b"textunderscore", '_'),
    (b"symbol{95}", '_'),
    (b"langle", '<'),
    (b"rangle", '>'),
    (b"textendash", '-'),
    (b"nobreakdash-", '-'),
    (b"mbox{-}", '-'),
    (b"hyp{}", '-'),
    (b"allowbreak", ZERO_WIDTH),
    (b"penalty0", ZERO_WIDTH),
    (b"hspace{0pt}", ZERO_WIDTH),
    (b"discretionary{-}{}{}", ZERO_WIDTH),
    (b"discretionary{}{}{}", ZERO_WIDTH),
];

/// What a macro that only allows a line end prints.
const ZERO_WIDTH: char = '\u{200b}';

/// Maximum number of blanks after a macro.
const MAX_BLANKS: usize = 4;

/// The beginnings of macros that print the character after them: `\string_`, `` \char`_ ``, `` \char`\_ ``.
const LITERALS: [&[u8]; 3] = [b"string", br"char`\", b"char`"];

/// Accents, the letters under them, and what they print.
const ACCENTS: [(u8, &str, &str); 10] = [
    (b'"', "aeiouyAEIOUY", "äëïöüÿÄËÏÖÜŸ"),
    (b'\'', "aceilnorsuyzACEILNORSUYZ", "áćéíĺńóŕśúýźÁĆÉÍĹŃÓŔŚÚÝŹ"),
    (b'`', "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
    (b'^', "aceghijosuwyACEGHIJOSUWY", "âĉêĝĥîĵôŝûŵŷÂĈÊĜĤÎĴÔŜÛŴŶ"),
    (b'~', "ainouAINOU", "ãĩñõũÃĨÑÕŨ"),
    (b'c', "cstCST", "çşţÇŞŢ"),
    (b'v', "cdenrstzCDENRSTZ", "čďěňřšťžČĎĚŇŘŠŤŽ"),
    (b'u', "aguAGU", "ăğŭĂĞŬ"),
    (b'H', "ouOU", "őűŐŰ"),
    (b'k', "aeAE", "ąęĄĘ"),
];

/// Macros of letters.
const LETTERS: [(&[u8], char); 11] = [
    (b"ss}", 'ß'),
    (b"aa}", 'å'),
    (b"AA}", 'Å'),
    (b"ae}", 'æ'),
    (b"AE}", 'Æ'),
    (b"oe}", 'œ'),
    (b"OE}", 'Œ'),
    (b"o}", 'ø'),
    (b"O}", 'Ø'),
    (b"l}", 'ł'),
    (b"L}", 'Ł'),
];

/// How TeX writes a backslash.
const BACKSLASHES: [&[u8]; 5] = [
    br"\textbackslash{}",
    br"\textbackslash",
    br"{\textbackslash}",
    br"$\backslash$",
    br"{$\backslash$}",
];

impl<L: Layer> Layer for Latex<L> {
    fn at(&self, at: usize) -> Option<Char> {
        let first = self.0.at(at)?;
        Some(self.escape(first).or_else(|| self.escaped_twice(first, at)).unwrap_or(first))
    }
}

impl<L: Layer> Latex<L> {
    /// Decodes the escape that begins with `first`.
    fn escape(&self, first: Char) -> Option<Char> {
        match first.ascii()? {
            b'\\' => self.backslash(first.next),
            b'{' => self.enclosed(first.next, b'}').or_else(|| self.group(first.next)),
            b'$' => self.enclosed(first.next, b'$'),
            _ => None,
        }
    }

    /// Decodes the punctuation after a backslash that is escaped itself: `{\textbackslash}_`, `\textbackslash{}{[}`.
    fn escaped_twice(&self, first: Char, at: usize) -> Option<Char> {
        first.ascii().filter(|b| b"\\{$".contains(b))?;
        let end = BACKSLASHES.iter().find_map(|word| self.0.spells(at, word))?;
        let mark = self.0.at(end)?;
        let mark = self.escape(mark).unwrap_or(mark);
        mark.ascii().filter(|b| b.is_ascii_punctuation() && !b"\\{}$".contains(b))?;
        Some(mark)
    }

    /// Decodes the text at `at`, which follows a backslash.
    fn backslash(&self, at: usize) -> Option<Char> {
        let c = self.0.at(at)?;
        // A second backslash is excluded: two of them are a line break, which ends a name.
        if c.ascii().is_some_and(|b| b.is_ascii_punctuation() && b != b'\\') {
            return Some(Char { next: self.0.spells(c.next, b"{}").unwrap_or(c.next), ..c });
        }
        if let Some(place) = LITERALS.iter().find_map(|word| self.0.spells(at, word)) {
            let c = self.0.at(place)?;
            return c.ascii().filter(|b| b"_<>&%#".contains(b)).map(|_| c);
        }
        if let Some(group) = self.0.spells(at, b"ensuremath{") {
            return self.enclosed(group, b'}');
        }
        if let Some(group) = self.0.spells(at, b"textsubscript") {
            return self.subscript(group).filter(|_| self.0.spells(group, b"{").is_some());
        }
        let (end, word, c) =
            MACROS.iter().find_map(|&(word, c)| Some((self.0.spells(at, word)?, word, c)))?;
        let is_name = word.last().is_some_and(u8::is_ascii_alphanumeric);
        let blanks = || self.blanks(end).filter(|_| is_name && "<>_/".contains(c));
        let next = self.0.spells(end, b"{}").or_else(blanks).unwrap_or(end);
        Some(Char { code: c.into(), next, literal: false })
    }

    /// Returns the position after the blanks at `at`, which end a macro before a letter, a digit or a brace.
    fn blanks(&self, at: usize) -> Option<usize> {
        let mut next = at;
        for _ in 0..MAX_BLANKS {
            next = self.0.spells(next, b" ").unwrap_or(next);
        }
        let is_next = |b: u8| b.is_ascii_alphanumeric() || b == b'}';
        self.0.at(next)?.ascii().filter(|b| next > at && is_next(*b)).map(|_| next)
    }

    /// Decodes the dash or the letter at `at`, which follows a brace: `--}`.
    fn group(&self, at: usize) -> Option<Char> {
        let dash = self.0.spells(at, b"--}");
        dash.map(|next| Char { code: '-'.into(), next, literal: false }).or_else(|| self.letter(at))
    }

    /// Decodes the letter at `at`, which follows a brace: `\"u}`, `\"{u}}`, `\v{c}}`, `\ss}`. [`super::Json`] may have
    /// taken the backslash before a quote.
    fn letter(&self, at: usize) -> Option<Char> {
        let quote = || self.0.spells(at, b"\"").map(|_| at);
        let at = self.0.spells(at, b"\\").or_else(quote)?;
        let char = |code: char, next| Char { code: code.into(), next, literal: false };
        let word = LETTERS.iter().find_map(|&(word, c)| Some(char(c, self.0.spells(at, word)?)));
        if word.is_some() {
            return word;
        }
        let accent = self.0.at(at)?;
        let (mark, bases, printed) = ACCENTS.iter().find(|(mark, ..)| accent.is(*mark))?;
        let group = self.0.spells(accent.next, b"{");
        let base = self.0.at(group.unwrap_or(accent.next))?;
        let close: &[u8] = if group.is_some() { b"}}" } else { b"}" };
        let end = self.0.spells(base.next, close)?;
        // `{\vc}` is another macro.
        let is_apart = group.is_some() || mark.is_ascii_punctuation();
        let place = bases.bytes().position(|byte| base.is(byte)).filter(|_| is_apart)?;
        Some(char(printed.chars().nth(place)?, end))
    }

    /// Decodes one punctuation character between braces or dollar signs. Letters and digits are not
    /// decoded, because `{0}` is a placeholder, nor are other marks between dollar signs: `$%$`.
    fn enclosed(&self, at: usize, close: u8) -> Option<Char> {
        let c = self.0.at(at)?;
        let inner = match c.ascii() {
            Some(b'\\') => self.backslash(c.next)?,
            Some(b'_') if close == b'$' => self.subscript(c.next).unwrap_or(c),
            // `{$<$}`, as reference managers write it.
            Some(b'$') if close == b'}' => self.enclosed(c.next, b'$')?,
            Some(mark) if close == b'$' && !b"<>_-".contains(&mark) => return None,
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
