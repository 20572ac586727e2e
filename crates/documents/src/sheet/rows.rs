//! Rows of a spreadsheet, on their way to their receiver.

use crate::budget::Budget;
use crate::error::{Error, ErrorKind};
use std::ops::ControlFlow;

/// Maximum number of columns, that of Excel.
pub(super) const COLUMNS: usize = 16_384;

/// Maximum number of bytes of a row. Excel allows 32,767 characters in a cell.
const ROW: usize = 16 * 1024 * 1024;

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cell {
    /// What the cell shows, as the file stores it.
    pub text: String,
    /// The address of its hyperlink, or empty.
    pub link: String,
}

/// A row with at least one cell that is not empty.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row<'a> {
    /// The name of the sheet.
    pub sheet: &'a str,
    /// The number of the row, from 1.
    pub number: u64,
    /// Its cells, from the first column to the last that is not empty.
    pub cells: &'a [Cell],
}

/// Receives rows. Counts them, and remembers the first error.
pub(super) struct Rows<'s> {
    sink: &'s mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
    pub(super) budget: &'s mut Budget,
    is_ended: bool,
    pub(super) error: Option<Error>,
    /// Number of bytes of the row that is being read.
    bytes: usize,
}

impl<'s> Rows<'s> {
    pub(super) fn new(
        sink: &'s mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
        budget: &'s mut Budget,
    ) -> Rows<'s> {
        Rows { sink, budget, is_ended: false, error: None, bytes: 0 }
    }

    /// Counts `times` cells with these bytes. Cells may share their text.
    pub(super) fn add(&mut self, bytes: usize, times: usize) {
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(times));
        if self.bytes > ROW && self.error.is_none() {
            let message = format!("a row has more than {ROW} bytes");
            self.error = Some(Error::new(ErrorKind::Limit, message));
        }
    }

    /// Passes on a row and empties it.
    pub(super) fn give(&mut self, sheet: &str, number: u64, cells: &mut Vec<Cell>) {
        while cells.last().is_some_and(|cell| *cell == Cell::default()) {
            cells.pop();
        }
        if !cells.is_empty() && !self.is_done() {
            let bytes: usize = cells.iter().map(|cell| 1 + cell.text.len() + cell.link.len()).sum();
            match self.budget.spend(bytes as u64) {
                Ok(()) => self.is_ended = (self.sink)(Row { sheet, number, cells }).is_break(),
                Err(error) => self.error = Some(error.at(sheet)),
            }
        }
        cells.clear();
        self.bytes = 0;
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_ended || self.error.is_some()
    }
}
