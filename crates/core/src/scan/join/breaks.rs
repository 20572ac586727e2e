//! Recognises the ends of lines, and soft line breaks.

use crate::decode::Char;
use crate::scan::field;
use crate::scan::suffix::Suffix;
use crate::scan::{LOOKBEHIND, Notation};

/// Minimum number of blanks between two columns.
pub(super) const GAP: usize = 3;

/// Maximum number of bytes of a line that are searched.
pub(super) const MAX_LINE: usize = 512;

/// Elements that end a line: of TEI, HTML and JATS.
const BREAKS: [&[u8]; 3] = [b"lb", b"br", b"break"];

/// Maximum number of bytes of such an element.
const MAX_BREAK: usize = 64;

/// Returns the length of the element that ends a line at the start of `rest`, with a blank and a line end
/// before it: `<lb/>`, `<br />`, or of the escape of a line end in a string: `10.1016/j.   \n2015.10.406`.
pub(super) fn line_break(rest: &[u8]) -> Option<usize> {
    let blanks = rest.iter().take(GAP).take_while(|b| matches!(b, b' ' | b'\r' | b'\n')).count();
    let text = &rest[blanks..];
    if let Some(behind) = text.strip_prefix(br"\r").unwrap_or(text).strip_prefix(br"\n") {
        return Some(rest.len() - behind.len());
    }
    let inner = text.strip_prefix(b"<")?;
    let len = inner.iter().take(MAX_BREAK).take_while(|b| b.is_ascii_alphabetic()).count();
    let is_break = BREAKS.iter().any(|name| inner[..len].eq_ignore_ascii_case(name));
    let near = is_break.then_some(&inner[..inner.len().min(MAX_BREAK)])?;
    Some(blanks + memchr::memchr(b'>', near)? + 2)
}

/// Whether a line, or a column of it, ends at the start of `rest`. A carriage return ends a line only
/// with a line feed: alone, it returns to the start of the same line, as in the output of programs.
#[inline]
pub(in crate::scan) fn is_line_end(rest: &[u8]) -> bool {
    match rest {
        [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..] => true,
        [b'\\', b'\n', ..] | [b'\\', b'\r', b'\n', ..] => true,
        [b'\\' | b'<', ..] | [b' ', b'\\' | b'<', ..] | [b' ', b' ', b'\\', b'n', ..] => {
            line_break(rest).is_some()
        }
        [b' ', b' ' | b'\n' | b'\r', ..] => {
            let blanks = rest.iter().take(MAX_LINE).take_while(|b| **b == b' ').count();
            blanks >= GAP || matches!(rest[blanks..], [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..])
        }
        _ => false,
    }
}

/// Whether the line end that begins `rest` is in a quoted cell of a table with this `delimiter`.
pub(super) fn is_in_cell(before: &[u8], rest: &[u8], delimiter: u8) -> bool {
    let is_end = match rest {
        [b'\n' | b'\r', ..] => true,
        [b' ', ..] => is_line_end(rest) && !rest.starts_with(b"   "),
        _ => false,
    };
    is_end && field::is_quoted((before, b""), delimiter, before.len() < LOOKBEHIND) == Some(true)
}

impl Suffix<'_> {
    /// Returns where the name continues after a soft line break that `c` begins, followed by a character of the
    /// name: a `=` at the end of a line of quoted-printable text (RFC 2045, 6.7). An escaped mark, such as `&#x3D;`, is
    /// content. In tables and lists a line end ends a value.
    pub(in crate::scan) fn soft_break(&self, c: Char) -> Option<usize> {
        let context = self.context;
        let is_text = context.notation == Notation::Unknown && !context.options.strict;
        if !is_text || !c.is(b'=') || self.text.bytes[c.next - 1] != b'=' {
            return None;
        }
        let rest = self.rest(c.next);
        let line = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n")?;
        let next = line.first().filter(|next| next.is_ascii_graphic())?;
        let is_part = !self.suffix().is_empty() || next.is_ascii_alphanumeric();
        is_part.then_some(c.next + rest.len() - line.len())
    }
}
