//! The word after a line end: where it stands, and whether it can be the rest of a name.

use super::breaks::{MAX_LINE, line_break};
use super::column::{column, in_column, is_left_of, margin};
use crate::decode::{self, Utf8};
use crate::scan::glued;

/// Maximum number of blanks after the tags within a name.
const MAX_BLANKS: usize = 2;

/// Maximum number of tags between two parts of a name.
const MAX_TAGS: usize = 4;

/// Maximum number of bytes of the next word.
pub(super) const MAX_WORD: usize = 128;

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
    let is_gap = !rest[..end].iter().all(|b| matches!(b, b' ' | b'\r' | b'\\'));
    let mut from = at + end + 1;
    let mut line = line_at(after, from);
    let (column, is_column) = column(before);
    let place = if is_left_of(line, column) {
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
    let is_part = |b: &&u8| b.is_ascii_graphic() && !b"\"}`".contains(b);
    let len = line[place..].iter().take_while(is_part).count();
    let token = &line[place..place + len];
    (len > 0).then_some(Next { at: from + place, token })
}

/// Returns the line at `from`, at most [`MAX_LINE`] bytes of it.
fn line_at(text: &[u8], from: usize) -> &[u8] {
    let line = &text[from..text.len().min(from + MAX_LINE)];
    &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())]
}

/// Returns the word after the blanks and the tags of inline elements at `at`.
pub(super) fn over_tags(after: &[u8], at: usize) -> Option<Next<'_>> {
    let blanks = |at: usize| after[at..].iter().take_while(|b| **b == b' ').count();
    let (begin, mut place) = (at + blanks(at), at + blanks(at));
    for _ in 0..MAX_TAGS {
        place += decode::tag(&Utf8(&after[place..]), 0).unwrap_or(0);
    }
    if place > begin {
        place += blanks(place).min(MAX_BLANKS);
    }
    let near = &after[place..after.len().min(place + MAX_WORD)];
    let is_end = |at: &usize| {
        let is_part = near[*at].is_ascii_graphic() && !b"\"'`*\\,|}".contains(&near[*at]);
        !(is_part || near[*at..].starts_with(br"\_")) || is_tag(&near[*at..])
    };
    let token = &near[..(0..near.len()).find(is_end).unwrap_or(near.len())];
    (!token.is_empty()).then_some(Next { at: place, token })
}

/// Whether a tag begins at the start of `rest`.
pub(super) fn is_tag(rest: &[u8]) -> bool {
    matches!(rest, [b'<', b'/' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

impl<'a> Next<'a> {
    /// Returns the first word after the line end at `at` and a blank line, which programs that convert PDF files write within
    /// paragraphs.
    pub(super) fn beyond(before: &[u8], after: &'a [u8], at: usize) -> Option<Next<'a>> {
        let rest = &after[at..after.len().min(at + MAX_LINE)];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let lines = rest[..blanks].iter().filter(|b| **b == b'\n').count();
        let is_gap = lines == 2 && !column(before).1;
        is_gap.then(|| Next::after_break(after, at + blanks)).flatten()
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
    /// Whether another name begins in the word. The two would overlap if they were joined.
    pub(in crate::scan) fn holds_another(&self) -> bool {
        memchr::memchr_iter(b'1', self.token).any(|at| glued::begins_another(&self.token[at..]))
    }

    /// Returns the word without the punctuation of the sentence.
    pub(in crate::scan) fn word(&self) -> &[u8] {
        let marks = self.token.iter().rev().take_while(|b| b".,;)]'\"\\".contains(b)).count();
        &self.token[..self.token.len() - marks]
    }
}
