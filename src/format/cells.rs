//! Where the cells of a table lie, found from any position on. Pure.
//!
//! The rules are those of the `csv` crate: cells end at the delimiter, records at
//! a line feed or a carriage return, empty lines are no records. A quote opens a
//! quoted cell at the cell's start alone; in it `""` is a quote, and line ends and
//! delimiters belong to the cell; what follows its closing quote is unquoted again.
//!
//! One rule is not: a quoted cell that does not close within [`LONGEST_QUOTED`]
//! bytes, or not before the input ends, is an unquoted cell that begins with a
//! quote. So one quote too many costs no more than its cell, and whether a cell is
//! quoted follows from its own bytes and never from what was read before it.

use super::quoting::Quoting;
use memchr::{memchr, memchr3};
use std::ops::Range;

/// Bytes between the quotes of a quoted cell, at the most. The longest abstract in
/// bibliographic dumps has some 50,000; a cell ten times as long is a lost quote.
pub const LONGEST_QUOTED: usize = 1024 * 1024;

/// The byte order mark of UTF-8, which is no part of the first cell.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// How cells are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What stands between two cells; a line feed when each line is one cell.
    pub delimiter: u8,
    /// Bytes between the quotes of a quoted cell, at the most.
    pub longest_quoted: usize,
}

/// Where a position lies with regard to quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Outside of quotes.
    #[default]
    Unquoted,
    /// In a quoted cell.
    Quoted,
    /// In a quoted cell, between the two quotes that mean one.
    Pair,
}

/// Where in the table a position is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Whether it is in quotes.
    pub inside: Inside,
    /// Its column; the first is 0.
    pub column: usize,
}

/// A cell, or the part of one whose positions were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its column; the first is 0.
    pub column: usize,
    /// Those of its positions that were asked for, its quotes among them.
    pub starts: Range<usize>,
    /// Where the whole cell ends: its delimiter, line end, or the end of the bytes.
    pub end: usize,
}

impl Dialect {
    /// Cells with this delimiter between them.
    pub fn new(delimiter: u8) -> Self {
        Dialect { delimiter, longest_quoted: LONGEST_QUOTED }
    }

    /// Bytes behind a position that may decide about its cell.
    pub fn lookahead(&self) -> usize {
        self.longest_quoted + 2
    }

    /// Reports every cell that has positions in `starts`, in order, as far as the
    /// column `last`. `place` is that of `starts.start`; `bytes` has at least four
    /// bytes before `starts` and [`Dialect::lookahead`] behind it, where the input has.
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

    /// The first record, without the byte order mark, empty lines before it and
    /// its line end. `bytes` begin the input.
    pub(super) fn first_record<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let mark = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let blank = bytes[mark..].iter().take_while(|&&b| is_line_end(b)).count();
        let end = Table::new(*self, bytes).record_end(mark + blank);
        &bytes[mark + blank..end]
    }

    /// The next quoted cell that opens in `from..to`, all of it outside of quotes:
    /// its opening and its closing quote.
    pub(super) fn next_quoted(
        &self,
        bytes: &[u8],
        mut from: usize,
        to: usize,
    ) -> Option<(usize, usize)> {
        loop {
            // Between two quoted cells stands one byte, as a rule.
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

    /// Whether a cell starts at `at`, which is outside of quotes.
    pub fn is_cell_start(&self, bytes: &[u8], at: usize) -> bool {
        let before = &bytes[..at];
        let starts_behind = |&b: &u8| b == self.delimiter || is_line_end(b);
        before.last().is_none_or(starts_behind) || before == MARK
    }

    /// The quote that closes the cell that the quote at `open` opens, if one does.
    pub(super) fn close(&self, bytes: &[u8], open: usize) -> Option<usize> {
        let reach = bytes.len().min(open.saturating_add(self.longest_quoted).saturating_add(2));
        closing(bytes, open + 1, reach).ok()
    }
}

/// Whether `byte` ends an unquoted cell and its record.
pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The first quote in `from..to`, in a quoted cell, that is not one of two. When
/// there is none, where the search ended: behind `to` when it cuts a pair.
pub(super) fn closing(bytes: &[u8], mut from: usize, to: usize) -> Result<usize, usize> {
    while let Some(at) = bytes.get(from..to).and_then(|text| memchr(b'"', text)) {
        if bytes.get(from + at + 1) != Some(&b'"') {
            return Ok(from + at);
        }
        from += at + 2;
    }
    Err(from.max(to))
}

/// A table on its way from cell to cell.
pub(super) struct Table<'a> {
    dialect: Dialect,
    pub(super) bytes: &'a [u8],
    /// The positions whose quotes are counted.
    starts: Range<usize>,
    pub(super) quoting: Quoting,
}

impl<'a> Table<'a> {
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8]) -> Self {
        Table { dialect, bytes, starts: 0..bytes.len(), quoting: Quoting::default() }
    }

    /// Walks from `place`, the place of the first position, to the last position.
    fn records(&mut self, place: Place, last: usize, found: &mut impl FnMut(Cell)) {
        let (mut start, mut column) = (self.starts.start, place.column);
        let mut inside = place.inside;
        while start < self.starts.end {
            let from = match std::mem::take(&mut inside) {
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

    /// The end of the cell that `from` lies in, outside of quotes.
    pub(super) fn cell_end(&mut self, mut from: usize) -> usize {
        if from < MARK.len() && self.bytes.starts_with(MARK) {
            from = MARK.len();
        }
        if self.bytes.get(from) == Some(&b'"') && self.dialect.is_cell_start(self.bytes, from) {
            from = self.enter(from);
        }
        let (delimiter, text) =
            (self.dialect.delimiter, self.bytes.get(from..).unwrap_or_default());
        // Behind a quoted cell, as a rule.
        if text.first().is_some_and(|&b| b == delimiter || is_line_end(b)) {
            return from;
        }
        memchr3(delimiter, b'\n', b'\r', text).map_or(self.bytes.len(), |at| from + at)
    }

    /// The end of the record that `from` lies in, outside of quotes.
    pub(super) fn record_end(&mut self, mut from: usize) -> usize {
        loop {
            let at = match self.bytes.get(from..).unwrap_or_default() {
                // Behind a quoted cell, as a rule.
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

    /// Behind the closing quote of the cell that opens at `open`; behind `open`
    /// when none closes it.
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

    /// Behind the quote that closes the cell in which `from` lies.
    fn leave(&mut self, from: usize) -> usize {
        closing(self.bytes, from, self.bytes.len())
            .map_or(self.bytes.len(), |close| self.closed(close))
    }

    /// Behind `close`, having looked at what follows it.
    fn closed(&mut self, close: usize) -> usize {
        let is_fine =
            |&b: &u8| b == self.dialect.delimiter || is_line_end(b) || matches!(b, b' ' | b'\t');
        if self.starts.contains(&close) && !self.bytes.get(close + 1).is_none_or(is_fine) {
            self.quoting.trailed(close);
        }
        close + 1
    }
}
