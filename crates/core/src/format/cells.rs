//! Finds the cells of a table, starting at any position. Pure.
//!
//! The rules are those of the `csv` crate. Cells end at the delimiter, records at a line feed or a
//! carriage return, and empty lines are not records. A quote opens a quoted cell only at the start
//! of the cell. In a quoted cell, `""` is a quote, and line ends and delimiters belong to the cell.
//! Text after the closing quote is unquoted.
//!
//! One rule differs: if a quoted cell does not close within [`LONGEST_QUOTED`] bytes, or before the
//! input ends, it is an unquoted cell that begins with a quote. A stray quote therefore costs no
//! more than its own cell. Whether a cell is quoted depends only on its own bytes, not on earlier
//! ones.

use super::quoting::Quoting;
use core::ops::Range;
use memchr::{memchr, memchr3};

/// Maximum number of bytes between the quotes of a quoted cell. The longest abstract in
/// bibliographic dumps has about 50,000; a far longer cell indicates an unclosed quote.
pub const LONGEST_QUOTED: usize = 1024 * 1024;

/// The UTF-8 byte order mark, which is not part of the first cell.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// How cells are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The delimiter between two cells, or a line feed if each line is one cell.
    pub delimiter: u8,
    /// Maximum number of bytes between the quotes of a quoted cell.
    pub longest_quoted: usize,
}

/// Where a position is relative to quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Outside quotes.
    #[default]
    Unquoted,
    /// In a quoted cell.
    Quoted,
    /// In a quoted cell, between the two quotes of an escaped quote.
    Pair,
}

/// A position's place in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Whether it is inside quotes.
    pub inside: Inside,
    /// Its column, counted from 0.
    pub column: usize,
}

/// A cell, or the part of one that lies in the requested positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its column, counted from 0.
    pub column: usize,
    /// The requested positions that lie in it, including its quotes.
    pub starts: Range<usize>,
    /// The end of the whole cell: its delimiter, line end, or the end of the bytes.
    pub end: usize,
}

impl Dialect {
    /// Creates a dialect with this delimiter.
    pub fn new(delimiter: u8) -> Self {
        Dialect { delimiter, longest_quoted: LONGEST_QUOTED }
    }

    /// Number of bytes after a position that may affect its cell.
    pub fn lookahead(&self) -> usize {
        self.longest_quoted + 2
    }

    /// Reports every cell that has positions in `starts`, in order, up to the column `last`.
    /// `place` is the place of `starts.start`. `bytes` includes at least four bytes before `starts`
    /// and [`Dialect::lookahead`] bytes after it, unless the input has fewer.
    ///
    /// # Panics
    ///
    /// If `starts` does not lie within `bytes`.
    pub fn cells(
        &self,
        bytes: &[u8],
        starts: Range<usize>,
        place: Place,
        last: usize,
        found: &mut impl FnMut(Cell),
    ) -> Quoting {
        let mut table = Table { starts, ..Table::new(*self, bytes) };
        table.records(place, last, found);
        table.quoting
    }

    /// Returns the first record, without the byte order mark, leading empty lines and its line end.
    /// `bytes` must begin at the start of the input.
    pub(super) fn first_record<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let mark = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let blank = bytes[mark..].iter().take_while(|&&b| is_line_end(b)).count();
        let end = Table::new(*self, bytes).record_end(mark + blank);
        &bytes[mark + blank..end]
    }

    /// Finds the next quoted cell that opens in `from..to`, which starts outside quotes. Returns
    /// the positions of its opening and closing quote.
    pub(super) fn next_quoted(
        &self,
        bytes: &[u8],
        mut from: usize,
        to: usize,
    ) -> Option<(usize, usize)> {
        loop {
            // Usually one byte separates two quoted cells.
            let open = match bytes.get(from..to)? {
                [delimiter, b'"', ..] if *delimiter != b'"' => from + 1,
                text => from + memchr(b'"', text)?,
            };
            if self.is_cell_start(bytes, open)
                && let Some(close) = self.close(bytes, open)
            {
                return Some((open, close));
            }
            from = open + 1;
        }
    }

    /// Whether a cell starts at `at`, which is outside quotes.
    pub fn is_cell_start(&self, bytes: &[u8], at: usize) -> bool {
        let before = &bytes[..at];
        let starts_behind = |&b: &u8| b == self.delimiter || is_line_end(b);
        before.last().is_none_or(starts_behind) || before == MARK
    }

    /// Finds the quote that closes the cell opened at `open`, if there is one.
    pub(super) fn close(&self, bytes: &[u8], open: usize) -> Option<usize> {
        let reach = bytes.len().min(open.saturating_add(self.longest_quoted).saturating_add(2));
        closing(bytes, open + 1, reach).ok()
    }
}

/// Whether `byte` ends an unquoted cell and its record.
pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Finds the first quote in `from..to`, in a quoted cell, that is not part of a pair. If there is
/// none, returns where the search ended: after `to` if `to` splits a pair.
pub(super) fn closing(bytes: &[u8], mut from: usize, to: usize) -> Result<usize, usize> {
    while let Some(at) = bytes.get(from..to).and_then(|text| memchr(b'"', text)) {
        if bytes.get(from + at + 1) != Some(&b'"') {
            return Ok(from + at);
        }
        from += at + 2;
    }
    Err(from.max(to))
}

/// A table and the state of walking its cells.
pub(super) struct Table<'a> {
    dialect: Dialect,
    pub(super) bytes: &'a [u8],
    /// The positions in which malformed quotes are counted.
    starts: Range<usize>,
    pub(super) quoting: Quoting,
}

impl<'a> Table<'a> {
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8]) -> Self {
        Table { dialect, bytes, starts: 0..bytes.len(), quoting: Quoting::default() }
    }

    /// Walks from the first position, whose place is `place`, to the last position.
    fn records(&mut self, place: Place, last: usize, found: &mut impl FnMut(Cell)) {
        let (mut start, mut column) = (self.starts.start, place.column);
        let mut inside = place.inside;
        while start < self.starts.end {
            let from = match core::mem::take(&mut inside) {
                Inside::Unquoted => start,
                Inside::Quoted => self.leave(start),
                Inside::Pair => self.leave(start + 1),
            };
            if column > last {
                start = self.record_end(from) + 1;
                column = 0;
                continue;
            }
            let end = self.cell_end(from);
            let starts = start..end.min(self.starts.end);
            if !starts.is_empty() {
                found(Cell { column, starts, end });
            }
            let ends_record = self.bytes.get(end).is_some_and(|&b| is_line_end(b));
            column = if ends_record { 0 } else { column + 1 };
            start = end + 1;
        }
    }

    /// The end of the cell that contains `from`, which is outside quotes.
    pub(super) fn cell_end(&mut self, mut from: usize) -> usize {
        if from < MARK.len() && self.bytes.starts_with(MARK) {
            from = MARK.len();
        }
        if self.bytes.get(from) == Some(&b'"') && self.dialect.is_cell_start(self.bytes, from) {
            from = self.enter(from);
        }
        let (delimiter, text) =
            (self.dialect.delimiter, self.bytes.get(from..).unwrap_or_default());
        // The usual case after a quoted cell.
        if text.first().is_some_and(|&b| b == delimiter || is_line_end(b)) {
            return from;
        }
        memchr3(delimiter, b'\n', b'\r', text).map_or(self.bytes.len(), |at| from + at)
    }

    /// The end of the record that contains `from`, which is outside quotes.
    pub(super) fn record_end(&mut self, mut from: usize) -> usize {
        loop {
            let at = match self.bytes.get(from..).unwrap_or_default() {
                // The usual case after a quoted cell.
                [byte, ..] if is_line_end(*byte) => return from,
                [delimiter, b'"', ..] if *delimiter == self.dialect.delimiter => from + 1,
                text => match memchr3(b'"', b'\n', b'\r', text) {
                    Some(at) => from + at,
                    None => return self.bytes.len(),
                },
            };
            if self.bytes[at] != b'"' {
                return at;
            }
            from = match self.dialect.is_cell_start(self.bytes, at) {
                true => self.enter(at),
                false => at + 1,
            };
        }
    }

    /// Returns the position after the closing quote of the cell opened at `open`, or after `open`
    /// if nothing closes it.
    fn enter(&mut self, open: usize) -> usize {
        match self.dialect.close(self.bytes, open) {
            Some(close) => self.closed(close),
            None => {
                if self.starts.contains(&open) {
                    self.quoting.unclosed(open);
                }
                open + 1
            }
        }
    }

    /// Returns the position after the quote that closes the cell containing `from`.
    fn leave(&mut self, from: usize) -> usize {
        closing(self.bytes, from, self.bytes.len())
            .map_or(self.bytes.len(), |close| self.closed(close))
    }

    /// Checks what follows the closing quote at `close` and returns the position after it.
    fn closed(&mut self, close: usize) -> usize {
        let is_fine =
            |&b: &u8| b == self.dialect.delimiter || is_line_end(b) || matches!(b, b' ' | b'\t');
        if self.starts.contains(&close) && !self.bytes.get(close + 1).is_none_or(is_fine) {
            self.quoting.trailed(close);
        }
        close + 1
    }
}
