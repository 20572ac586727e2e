//! The word after a line end: where it stands, and whether it can be the rest of a name.

use super::breaks::{MAX_LINE, line_break};
use super::column::{column, in_column, is_left_of, margin, numbered};
use crate::scan::anchor::{self, Anchor};
use crate::scan::prefix::Prefix;
use crate::scan::{glued, ocr};

/// The first word of the next line.
#[derive(Debug)]
pub(in crate::scan) struct Next<'a> {
    /// Where it begins.
    pub(in crate::scan) at: usize,
    /// Its text.
    pub(in crate::scan) token: &'a [u8],
}

/// Returns the first word of the line after the one that ends at `at`, in the same column.
pub(super) fn next<'a>(before: &[u8], after: &'a [u8], at: usize) -> Option<Next<'a>> {
    let rest = &after[at..after.len().min(at + MAX_LINE)];
    if let Some(len) = line_break(rest) {
        return Next::after_break(after, at + len);
    }
    let end = memchr::memchr(b'\n', rest)?;
    // What follows a carriage return alone is in no column of this line.
    if memchr::memchr(b'\r', &rest[..end]).is_some_and(|at| at + 1 < end) {
        return None;
    }
    let is_gap = !rest[..end].iter().all(|b| matches!(b, b' ' | b'\r' | b'\\'));
    let mut from = at + end + 1;
    let mut line = line_at(after, from);
    let (column, is_column) = column(before);
    let place = if let Some(place) = numbered(before, line) {
        place
    } else if is_left_of(line, column) {
        // Lines of two columns alternate where their heights differ.
        from += line.len() + 1;
        line = line_at(after, from.min(after.len()));
        in_column(line, column)?
    } else if is_gap || is_column {
        in_column(line, column)?
    } else {
        let margin = margin(before, line).unwrap_or(0);
        margin + line[margin..].iter().position(|b| !matches!(b, b' ' | b'\t' | b'\x0c'))?
    };
    // No name continues after the end of quotes, of a quoted cell, of braces or of code.
    let len = word(&line[place..]);
    let token = &line[place..place + len];
    (len > 0).then_some(Next { at: from + place, token })
}

/// Hyphens outside ASCII, which the text of PDF files has for those of a name.
pub(in crate::scan) const HYPHENS: [&[u8]; 2] = ["‐".as_bytes(), "‑".as_bytes()];

/// Returns the length of the word at the start of `line`.
fn word(line: &[u8]) -> usize {
    let mut len = 0;
    while let Some(&byte) = line.get(len) {
        let is_hyphen = |hyphen: &&&[u8]| line[len..].starts_with(hyphen);
        len += match byte {
            b'"' | b'}' | b'`' => break,
            b'!'..=b'~' => 1,
            0x80.. => match HYPHENS.iter().find(is_hyphen) {
                Some(hyphen) => hyphen.len(),
                None => break,
            },
            _ => break,
        };
    }
    len
}

/// Returns the line at `from`, at most [`MAX_LINE`] bytes of it.
fn line_at(text: &[u8], from: usize) -> &[u8] {
    let line = &text[from..text.len().min(from + MAX_LINE)];
    &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())]
}

impl<'a> Next<'a> {
    /// Returns the first word after the line end at `at` and a blank line, or the mark of a heading or an entry: programs that
    /// convert PDF files write both within paragraphs.
    pub(super) fn beyond(before: &[u8], after: &'a [u8], at: usize) -> Option<Next<'a>> {
        let rest = &after[at..after.len().min(at + MAX_LINE)];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let marks = rest[blanks..].iter().take_while(|b| matches!(b, b'#' | b'-')).count();
        let lines = rest[..blanks].iter().filter(|b| **b == b'\n').count();
        let is_gap = match marks {
            0 => lines == 2,
            _ => (1..=2).contains(&lines) && rest.get(blanks + marks) == Some(&b' '),
        };
        let from = at + blanks + marks + usize::from(marks > 0);
        (is_gap && !column(before).1).then(|| Next::after_break(after, from)).flatten()
    }

    /// Returns the first word after the element before `from` that ends a line. Tags end words.
    fn after_break(after: &'a [u8], from: usize) -> Option<Next<'a>> {
        let rest = &after[from..after.len().min(from + MAX_LINE)];
        let place = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let is_part = |b: &&u8| b.is_ascii_graphic() && !b"<\"|\\".contains(b);
        let len = rest[place..].iter().take_while(is_part).count();
        let token = &rest[place..place + len];
        (len > 0).then_some(Next { at: from + place, token })
    }
}

impl Next<'_> {
    /// Whether another name begins inside the word. The two would overlap if they were joined.
    pub(in crate::scan) fn holds_another(&self) -> bool {
        memchr::memchr_iter(b'1', self.token).any(|start| {
            let rest = &self.token[start..];
            rest.starts_with(b"10")
                && (glued::begins_another(rest)
                    || ocr::shape(rest).is_some()
                    || self.has_prefix(start))
        })
    }

    /// Whether a name may begin with the prefix at `start` of the word.
    fn has_prefix(&self, start: usize) -> bool {
        let len = anchor::anchor(&self.token[start..]);
        let anchor = len.map(|len| Anchor { start, end: start + len });
        let prefix = anchor.and_then(|anchor| Prefix::new(self.token, anchor));
        prefix.is_some_and(|prefix| prefix.suffix(false).is_ok())
    }

    /// Returns the word without the punctuation of the sentence.
    pub(in crate::scan) fn word(&self) -> &[u8] {
        let marks = self.token.iter().rev().take_while(|b| b".,;)]'\"\\".contains(b)).count();
        &self.token[..self.token.len() - marks]
    }

    /// Whether the word is the mark of a heading or of an entry of a list, before the text of the line.
    pub(super) fn is_mark(&self) -> bool {
        matches!(self.token, [b'#', ..] | [b'-'])
    }
}
