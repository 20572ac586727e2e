//! Detects that a DOI fills a field alone. Such a DOI is kept whole.
//!
//! Everything between two delimiters is what the author meant as the name. The rules for running
//! text would cut real names (`10.1021/JA043356+`, `10.5438/GY4A-STW*`, `10.1002/…CO;2-#`).

use super::{LOOKBEHIND, Notation, subfield};
use crate::doi::notation::{self, MAX_LABELS};

/// The end of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// This character.
    Byte(u8),
    /// This cell delimiter, or the end of the line or the input.
    Cell(u8),
    /// The end of the line or the input.
    Line,
    /// The next subfield, whose mark this is, or the end of the line, field or input.
    Subfield(u8),
}

/// A field that opens directly before a DOI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The end of the field.
    pub(super) close: Close,
    /// Whether its value is a resolver address.
    pub(super) url: bool,
}

impl Field {
    /// Whether `byte` closes the field in every context: it begins no escape, and neither a SICI
    /// nor a bracket can make it part of the name.
    pub(super) fn closes_plainly(&self, byte: u8) -> bool {
        !matches!(byte, b'<' | b'}' | b';') && self.closes(byte)
    }

    /// Whether the field is a string of code. `rest` is the text after its value. An odd number of quotes before the end of
    /// a cell closes a quoted cell, which is no string of code.
    pub(super) fn is_code(&self, rest: &[u8], notation: Notation) -> bool {
        let Close::Byte(quote @ (b'"' | b'\'')) = self.close else { return false };
        let Notation::Csv(delimiter) = notation else { return true };
        let at = memchr::memchr(quote, rest).unwrap_or(rest.len());
        let quotes = rest[at..].iter().take_while(|byte| **byte == b'"').count();
        let next = rest.get(at + quotes);
        quotes.is_multiple_of(2) || !next.is_none_or(|byte| ends_cell(*byte, delimiter))
    }

    /// Whether `byte` closes the field, if it is not part of an escape, a SICI or a bracket pair.
    pub(super) fn closes(&self, byte: u8) -> bool {
        match self.close {
            Close::Byte(close) => byte == close,
            Close::Cell(delimiter) => ends_cell(byte, delimiter),
            Close::Line => matches!(byte, b'\n' | b'\r'),
            Close::Subfield(_) => matches!(byte, b'\n' | b'\r' | 0x1d..=0x1f),
        }
    }

    /// Whether `mark` and `rest` after it begin the next subfield of a record.
    pub(super) fn ends_subfield(&self, mark: u8, rest: &[u8]) -> bool {
        self.close == Close::Subfield(mark) && subfield::begins(rest)
    }
}

/// Whether `byte` ends an unquoted cell of a table.
fn ends_cell(byte: u8, delimiter: u8) -> bool {
    byte == delimiter || matches!(byte, b'\n' | b'\r')
}

/// Returns the field that opens in `before`. Only labels and a resolver address may be between its
/// delimiter and the name, with which `after` begins.
pub(super) fn field(before: &[u8], after: &[u8], notation: Notation) -> Option<Field> {
    let (mut rest, mut url) = (before, false);
    let is_whole = before.len() < LOOKBEHIND;
    for _ in 0..MAX_LABELS {
        // Every label ends in one of these. Most names directly follow their delimiter. The previous
        // line or cell of a table, which may end in `id_doi`, is no label.
        let is_last = |b: &u8| matches!(b, b'/' | b':') || b.is_ascii_whitespace();
        if !rest.last().is_some_and(is_last) || is_start_of_cell((rest, after), notation, is_whole)
        {
            break;
        }
        if let Some(shorter) = notation::strip_resolver(rest) {
            (rest, url) = (shorter, true);
        } else if let Some(shorter) = notation::strip_label(rest) {
            rest = shorter;
        } else {
            break;
        }
    }
    Some(Field { close: close((rest, after), notation, is_whole)?, url })
}

/// Returns the end of the field that opens at the end of `before`.
fn close((before, after): (&[u8], &[u8]), notation: Notation, is_whole: bool) -> Option<Close> {
    if let Notation::Csv(delimiter) = notation
        && is_start_of_cell((before, after), notation, is_whole)
    {
        return Some(Close::Cell(delimiter));
    }
    if is_list(before) {
        return Some(Close::Line);
    }
    let rest = before.trim_ascii_end();
    let byte = match *rest.last()? {
        quote @ (b'"' | b'\'' | b'`') => quote,
        b'>' => b'<',
        b'{' => b'}',
        // A line of RIS: `DO  - `.
        b'-' if rest.ends_with(b"  -") => return Some(Close::Line),
        _ => return subfield::mark(rest).map(Close::Subfield),
    };
    Some(Close::Byte(byte))
}

/// Whether `before` ends where a cell of a table begins, or in the blanks before its value. In a quoted cell no other
/// cell begins. The quote of a long cell may be before the window, unless the table begins in it; then a delimiter and
/// a blank are text.
fn is_start_of_cell((before, after): (&[u8], &[u8]), notation: Notation, is_whole: bool) -> bool {
    let Notation::Csv(delimiter) = notation else { return false };
    let mut rest = before;
    loop {
        rest = match rest {
            [] => return true,
            [.., last] if *last == delimiter || *last == b'\n' => {
                let is_near = rest.len() == before.len() || is_whole;
                let after = if *last == b'\n' { b"" } else { after };
                return match is_quoted((rest, after), delimiter, is_whole) {
                    None => is_near || memchr::memchr(b'\n', rest).is_some(),
                    Some(is_quoted) => !is_quoted,
                };
            }
            [rest @ .., b' ' | b'\t'] => rest,
            // No-break spaces, and the byte order mark of a file.
            [rest @ .., 0xc2, 0xa0] | [rest @ .., 0xef, 0xbb, 0xbf] => rest,
            _ => return false,
        };
    }
}

/// Whether the place between `before` and `after` is in a quoted cell of a table with this `delimiter`. It is if the last
/// quote in `before` that is not doubled opens a cell or, without one, if the next quote closes a cell. Returns `None` if no
/// quote decides.
/// `is_whole` says that the table begins with `before`.
pub(super) fn is_quoted(
    (before, after): (&[u8], &[u8]),
    delimiter: u8,
    is_whole: bool,
) -> Option<bool> {
    let is_end = |byte: &u8| ends_cell(*byte, delimiter);
    let mut rest = before;
    while let Some(at) = memchr::memrchr(b'"', rest) {
        let (front, cell) = (&rest[..at], &rest[at + 1..]);
        rest = match front {
            [front @ .., b'"'] => front,
            [] | [0xef, 0xbb, 0xbf] => return Some(is_whole),
            [.., byte] => return Some(is_end(byte) && !cell.first().is_some_and(is_end)),
        };
    }
    (!is_whole && ends_quoted(after, delimiter)).then_some(true)
}

/// Number of bytes after the start of a name in which the quote that closes its cell is looked for.
pub(super) const REACH: usize = 2048;

/// Whether a quoted cell ends in the first line of `after`: its first quotes are doubled, or the end of a cell follows
/// them and does not precede them.
fn ends_quoted(after: &[u8], delimiter: u8) -> bool {
    let near = &after[..after.len().min(REACH)];
    let Some(at) = memchr::memchr2(b'"', b'\n', near) else { return false };
    let count = near[at..].iter().take_while(|byte| **byte == b'"').count();
    let is_end = |byte: u8| ends_cell(byte, delimiter);
    let is_last = match near.get(at + count) {
        Some(&next) => is_end(next),
        None if near.len() == REACH => return false,
        None => true,
    };
    let is_even = count.is_multiple_of(2);
    match at.checked_sub(1).is_some_and(|last| is_end(near[last])) {
        _ if count == 0 => false,
        true => is_even && !is_last,
        false => is_even || is_last,
    }
}

/// Whether `before` ends in a line that is only a name. A list with one name per line is a table
/// with one column.
pub(super) fn is_list(before: &[u8]) -> bool {
    let Some(rest) = before.strip_suffix(b"\n") else { return false };
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    let start = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
    // A line that begins before the window does not count.
    let is_whole = start > 0 || before.len() < LOOKBEHIND;
    is_whole && is_line_of_list(&rest[start..])
}

/// Whether `line` is only a name. A `,`, a `|` or a `;` separates columns.
fn is_line_of_list(line: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b',' | b'|' | b';');
    line.starts_with(b"10.") && line.iter().all(is_part)
}

/// Returns the length of the tag that begins `text`: `<br/>`, `</td>`.
pub(super) fn tag(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"<").filter(|rest| is_tag(rest))?;
    Some(memchr::memchr(b'>', &rest[..rest.len().min(MAX_TAG)])? + 2)
}

/// Maximum length of a tag after a value.
const MAX_TAG: usize = 32;

/// Whether `rest`, after a `<`, begins with a tag: `br/>`, `a href=`, `/ref>`.
pub(super) fn is_tag(rest: &[u8]) -> bool {
    let word = rest.strip_prefix(b"/").unwrap_or(rest);
    let len = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let is_end = word.get(len).is_some_and(|b| matches!(b, b'>' | b'/' | b' '));
    len > 0 && is_end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let byte = |b, url| Some(Field { close: Close::Byte(b), url });
        for (before, expected) in [
            ("\"DOI\":\"", byte(b'"', false)),
            ("\"DOI\": \" ", byte(b'"', false)),
            ("\"https://doi.org/", byte(b'"', true)),
            ("<doi>", byte(b'<', false)),
            ("<doi>\n    ", byte(b'<', false)),
            ("doi = {", byte(b'}', false)),
            ("\\\"doi:", byte(b'"', false)),
            ("\nDO  - ", Some(Field { close: Close::Line, url: false })),
            ("10.1000/1\n", Some(Field { close: Close::Line, url: false })),
            ("x\n10.1000/1\r\n", Some(Field { close: Close::Line, url: false })),
            ("see 10.1000/1\n", None),
            ("10.1000/1 \n", None),
            ("10.1000/1,\n", None),
            ("10.1000/1|2\n", None),
            ("10.1000/1;2\n", None),
            ("10.1000/1.CO;2\n", None),
            ("\x1fa", Some(Field { close: Close::Subfield(0x1f), url: false })),
            ("$uhttp://dx.doi.org/", Some(Field { close: Close::Subfield(b'$'), url: true })),
            ("see ", None),
            ("(", None),
            ("", None),
        ] {
            assert_eq!(field(before.as_bytes(), b"", Notation::Unknown), expected, "{before}");
        }
    }

    #[test]
    fn cells() {
        let cell = Some(Field { close: Close::Cell(b','), url: false });
        for before in
            ["", "1,", "1,2\n", "id_doi\n", "id_doi,", "1, ", "1,\t doi: ", "\u{feff}", "1,\u{a0}"]
        {
            assert_eq!(field(before.as_bytes(), b"", Notation::Csv(b',')), cell, "{before}");
        }
        for before in ["1;", "1; ", "1, a "] {
            assert_eq!(field(before.as_bytes(), b"", Notation::Csv(b',')), None, "{before}");
        }
    }
}
