//! Spreadsheets as rows of cells.

mod dates;
mod notes;
mod ods;
mod rows;
mod xls;
mod xlsx;

pub use rows::Sheets;
pub(crate) use xls::is_xls;

use crate::budget::Budget;
use crate::error::Error;
use crate::links::Names;
use crate::{Content, Kind, Parts};
use notes::Note;
use rows::{Cell, Row, Rows};
use std::ops::ControlFlow;

/// Size in bytes of the texts that rows are collected to.
const TEXT: usize = 256 * 1024;

/// Passes the rows of a spreadsheet to `sink`, sheet by sheet, until it breaks. Returns the notes of the cells.
fn read(
    kind: Kind,
    document: &[u8],
    sheets: Sheets<'_>,
    budget: &mut Budget,
    sink: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>,
) -> (Vec<Note>, Result<(), Error>) {
    let mut rows = Rows::new(sheets, sink, budget);
    let result = match kind {
        Kind::Ods => ods::read(document, &mut rows),
        Kind::Xls => xls::read(document, &mut rows),
        _ => xlsx::read(document, &mut rows),
    };
    (rows.notes, result.and(rows.error.map_or(Ok(()), Err)))
}

/// Extracts the sheets of a spreadsheet as text with tabs, and then each note of a cell as a text. The number of a line of a sheet is that of
/// its row.
pub(crate) fn extract(
    kind: Kind,
    document: &[u8],
    sheets: Sheets<'_>,
    budget: &mut Budget,
    parts: &mut Parts<'_>,
) -> Result<(), Error> {
    let (mut sheet, mut line, mut text) = (String::new(), 1, String::new());
    let has_links = !matches!(sheets, Sheets::Table(_));
    let (notes, result) = read(kind, document, sheets, budget, &mut |row| {
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
        write(row.cells, has_links, &mut text);
        if parts.is_ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    parts.give(&sheet, &text, Content::Cells);
    for Note { place, text } in notes {
        parts.give(&place, &text, Content::Text);
    }
    result
}

/// Writes a record. If `has_links`, the address of a hyperlink that its cell does not show follows the text of the
/// cell, or all cells if the text may have a name, which would not fill its cell any more.
fn write(cells: &[Cell], has_links: bool, out: &mut String) {
    let mut behind = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        let is_unseen =
            has_links && !cell.link.is_empty() && !Names::of(&cell.text).has(&cell.link);
        let is_inside = is_unseen && !cell.text.contains("10.");
        if is_unseen && !is_inside {
            behind.push(cell.link.as_str());
        }
        write_cell(number, &[&cell.text, if is_inside { &cell.link } else { "" }], out);
    }
    for (number, link) in behind.into_iter().enumerate() {
        write_cell(cells.len() + number, &[link], out);
    }
    out.push('\n');
}

/// Writes the cell `number` of a record, from 0, with blanks between its texts.
fn write_cell(number: usize, texts: &[&str], out: &mut String) {
    if number > 0 {
        out.push('\t');
    }
    let mut texts = texts.iter().filter(|text| !text.is_empty()).peekable();
    if texts.peek().is_none() {
        return;
    }
    out.push('"');
    while let Some(text) = texts.next() {
        for character in text.chars() {
            match character {
                '"' => out.push_str("\"\""),
                '\r' | '\n' => out.push(' '),
                _ => out.push(character),
            }
        }
        if texts.peek().is_some() {
            out.push(' ');
        }
    }
    out.push('"');
}
