//! Spreadsheets as rows of cells.

mod ods;
mod xlsx;

use crate::budget::Budget;
use crate::error::{Error, ErrorKind};
use crate::links::Names;
use crate::{Content, Kind, Limits, Parts};
use std::ops::ControlFlow;

/// Maximum number of columns, that of Excel.
const COLUMNS: usize = 16_384;

/// Maximum number of bytes of a row. Excel allows 32,767 characters in a cell.
const ROW: usize = 16 * 1024 * 1024;

/// Size in bytes of the texts that rows are collected to.
const TEXT: usize = 256 * 1024;

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
struct Rows<'s> {
    sink: &'s mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
    budget: &'s mut Budget,
    is_ended: bool,
    error: Option<Error>,
    /// Number of bytes of the row that is being read.
    bytes: usize,
}

impl Rows<'_> {
    /// Counts `times` cells with these bytes. Cells may share their text.
    fn add(&mut self, bytes: usize, times: usize) {
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(times));
        if self.bytes > ROW && self.error.is_none() {
            let message = format!("a row has more than {ROW} bytes");
            self.error = Some(Error::new(ErrorKind::Limit, message));
        }
    }

    /// Passes on a row and empties it.
    fn give(&mut self, sheet: &str, number: u64, cells: &mut Vec<Cell>) {
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

    fn is_done(&self) -> bool {
        self.is_ended || self.error.is_some()
    }
}

/// Passes the rows of a spreadsheet to `sink`, sheet by sheet, until it breaks.
///
/// # Errors
///
/// Fails if the spreadsheet, or a sheet of it, is not read. The rows that were passed on count.
pub fn rows(
    kind: Kind,
    document: &[u8],
    limits: &Limits,
    sink: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut budget = Budget::new(*limits, document.len());
    read(kind, document, &mut budget, sink)
}

fn read(
    kind: Kind,
    document: &[u8],
    budget: &mut Budget,
    sink: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut rows = Rows { sink, budget, is_ended: false, error: None, bytes: 0 };
    match kind {
        Kind::Ods => ods::read(document, &mut rows)?,
        _ => xlsx::read(document, &mut rows)?,
    }
    rows.error.map_or(Ok(()), Err)
}

/// Extracts the sheets of a spreadsheet as CSV. The number of a line is that of its row.
pub(crate) fn extract(
    kind: Kind,
    document: &[u8],
    budget: &mut Budget,
    parts: &mut Parts<'_>,
) -> Result<(), Error> {
    let (mut sheet, mut line, mut text) = (String::new(), 1, String::new());
    let result = read(kind, document, budget, &mut |row| {
        if row.sheet != sheet || text.len() > TEXT {
            parts.give(&sheet, &text, Content::Cells);
            text.clear();
        }
        if row.sheet != sheet {
            row.sheet.clone_into(&mut sheet);
            line = 1;
        }
        for _ in line..row.number {
            text.push('\n');
        }
        line = row.number.max(line) + 1;
        write(row.cells, &mut text);
        if parts.is_ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    parts.give(&sheet, &text, Content::Cells);
    result
}

/// Writes a record: the cells, then the addresses of hyperlinks that no cell has.
fn write(cells: &[Cell], out: &mut String) {
    let links = cells.iter().filter(|cell| !cell.link.is_empty());
    let links = links.filter(|cell| !Names::of(&cell.text).has(&cell.link));
    let texts = cells.iter().map(|cell| &cell.text).chain(links.map(|cell| &cell.link));
    for (number, text) in texts.enumerate() {
        if number > 0 {
            out.push(',');
        }
        if text.is_empty() {
            continue;
        }
        out.push('"');
        for character in text.chars() {
            match character {
                '"' => out.push_str("\"\""),
                '\r' | '\n' => out.push(' '),
                _ => out.push(character),
            }
        }
        out.push('"');
    }
    out.push('\n');
}
