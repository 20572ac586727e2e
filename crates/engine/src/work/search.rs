//! Searches one window: as a whole, or only the cells of the chosen columns.

use super::fields::{FieldSink, FieldTicket, Fields};
use super::mode::{ScanMode, Tickets};
use super::parts::Text;
use super::table::ChunkTicket;
use doiscan_core::format::fields::{Cut, Label};
use doiscan_core::format::{Columns, Inside, Place, Quoting};
use doiscan_core::scan::{Match, Scanner, Sink, cut, of_doi_columns};
use doiscan_input::Window;
use std::ops::Range;

/// Receives what is found, including shortDOIs and EIDRs.
pub(super) trait Finder: Sink {
    /// Searches for shortDOIs and other non-DOI names, if wanted. If `is_cut` is set, ignores names
    /// that the end of `bytes` may cut.
    fn find_short(&mut self, bytes: &[u8], starts: Range<usize>, is_cut: bool);
    /// Called instead of [`Sink::accept`] for a name that no index has. `has_prefix` tells whether one has its
    /// prefix.
    fn accept_unknown(&mut self, found: &Match<'_>, has_prefix: bool);
    /// Called before what is found in a field of another record.
    fn label(&mut self, label: &Label) {
        let _ = label;
    }
}

/// What a window of a table or of records shows besides names.
#[derive(Default)]
pub(super) struct Shown {
    /// Its malformed quotes.
    pub(super) quoting: Quoting,
    /// Whether the table ends within a record.
    pub(super) is_cut: bool,
    /// Whether a chosen cell has a value, if there are cells below the header.
    pub(super) has_value: Option<bool>,
    /// Number of fields, if only these are searched.
    pub(super) fields: Option<u64>,
}

/// Searches a whole window, or its cells if it is a table.
pub(super) fn search<S: Finder>(
    scanner: &mut Scanner,
    window: &Window<'_>,
    mode: &ScanMode,
    tickets: Tickets<'_>,
    sink: &mut S,
) -> Option<Shown> {
    if let Some(ticket) = tickets.cells {
        return search_cells(scanner, window, mode, ticket, sink);
    }
    if let Some(ticket) = tickets.fields {
        return search_fields(scanner, window, mode, ticket, sink);
    }
    if let Some(Fields::Nothing) = mode.fields {
        return Some(Shown { fields: Some(0), ..Shown::default() });
    }
    let (bytes, starts, is_cut) = (window.bytes, window.starts.clone(), window.fault.is_some());
    let text = Text { bytes, starts, holes: &window.holes, is_cut };
    find_short(&text, sink);
    let mut of_column = mode.is_doi_column.then(|| column_scanner(scanner));
    text.scan(of_column.as_mut().unwrap_or(scanner), mode.notation, sink);
    None
}

/// Searches the fields of records. The scanner sees the text around them, as without fields.
fn search_fields(
    scanner: &mut Scanner,
    window: &Window<'_>,
    mode: &ScanMode,
    ticket: FieldTicket<'_>,
    sink: &mut dyn Finder,
) -> Option<Shown> {
    let (bytes, starts, is_cut) = (window.bytes, window.starts.clone(), window.fault.is_some());
    let (label, cuts) = ticket.cut(window)?;
    let text = |starts| Text { bytes, starts, holes: &window.holes, is_cut };
    let mut fields = 0;
    for cut in &cuts {
        if let Cut::Field(field, _) = cut {
            fields += 1;
            find_short(&text(field.clone()), sink);
        }
    }
    if fields > 0 {
        let mut sink = FieldSink::new((label, &cuts), sink);
        text(starts).scan(scanner, mode.notation, &mut sink);
    }
    Some(Shown { fields: Some(fields), ..Shown::default() })
}

/// Searches a text for shortDOIs.
fn find_short(text: &Text<'_>, sink: &mut dyn Finder) {
    if text.holes.is_empty() {
        return sink.find_short(text.bytes, text.starts.clone(), text.is_cut);
    }
    text.parts().for_each(|part| sink.find_short(part.bytes, part.starts, part.is_cut));
}

/// Returns a scanner for the cells of columns of DOIs.
fn column_scanner(scanner: &Scanner) -> Scanner {
    Scanner::new(of_doi_columns(scanner.options()))
}

/// Scans the cells of the chosen columns. The scanner sees the text before a cell and the one byte
/// that ends it, because no name extends into the next cell.
fn search_cells<S: Finder>(
    scanner: &mut Scanner,
    window: &Window<'_>,
    mode: &ScanMode,
    ticket: ChunkTicket<'_>,
    sink: &mut S,
) -> Option<Shown> {
    let (bytes, starts, columns) = (window.bytes, window.starts.clone(), ticket.columns());
    let is_last = ticket.is_last && window.fault.is_none();
    let transition = columns.dialect().transition(bytes, starts.clone());
    let place = ticket.place(transition)?;
    let ends_in_record = is_last && ends_in_record(columns, bytes, starts.start, place);
    let is_cut = window.fault.is_some() || ends_in_record;
    let (scanner, notation) = (&mut column_scanner(scanner), mode.notation);
    let header = header_in(window, columns);
    let mut has_value = false;
    // Where the positions begin that a cut may change.
    let mut from = if ends_in_record { starts.end } else { starts.start };
    // A cell that a cut does not touch is whole, so only the last one is judged again.
    let mut last = (starts.start, place);
    let quoting = columns.cells(bytes, starts.clone(), place, |cell| {
        let cell_and_end = &bytes[..bytes.len().min(cell.end + 1)];
        let starts_below = cell.starts.start.max(header)..cell.starts.end;
        has_value = has_value || bytes.get(starts_below).is_some_and(has_text);
        let text =
            |starts, is_cut| Text { bytes: cell_and_end, starts, holes: &window.holes, is_cut };
        find_short(&text(cell.starts.clone(), is_cut && cell.end >= bytes.len()), sink);
        // If the table ends within a record, the cut touches the last cell alone.
        if !is_cut || ends_in_record && cell.end < bytes.len() {
            return text(cell.starts, false).scan(scanner, notation, sink);
        }
        from = if ends_in_record { cell.starts.start } else { from };
        if cell.starts.start > starts.start {
            let inside = Inside::Unquoted;
            last = (cell.starts.start, Place { inside, column: cell.column });
        }
    });
    if is_cut && from < starts.end {
        cut::settle((bytes, 0), from..starts.end, b"\"", sink, |bytes, wanted, answers| {
            let is_one = wanted.start >= last.0;
            let (from, place) = if is_one { last } else { (starts.start, place) };
            columns.cells(bytes, from..wanted.end, place, |cell| {
                let cell_and_end = &bytes[..bytes.len().min(cell.end + 1)];
                let starts = cell.starts.start.max(wanted.start)..cell.starts.end;
                if !starts.is_empty() {
                    let holes = &window.holes;
                    let text = Text { bytes: cell_and_end, starts, holes, is_cut: false };
                    text.scan(scanner, notation, answers);
                }
            });
        });
    }
    let has_rows = has_value || bytes.get(header..starts.end).is_some_and(has_text);
    let has_value = has_rows.then_some(has_value);
    Some(Shown { quoting, is_cut: ends_in_record, has_value, fields: None })
}

/// Whether a table whose last bytes are `bytes` ends within a record. `place` is that of the position `from`.
fn ends_in_record(columns: &Columns, bytes: &[u8], from: usize, place: Place) -> bool {
    let ends_line = bytes.last().is_none_or(|last| matches!(last, b'\n' | b'\r'));
    let end = || columns.dialect().transition(bytes, from..bytes.len()).apply(place);
    !ends_line && columns.is_cut_at(end())
}

/// The first position of a window below the header.
fn header_in(window: &Window<'_>, columns: &Columns) -> usize {
    let below = (columns.header() as u64).saturating_sub(window.offset);
    window.starts.start.max(usize::try_from(below).unwrap_or(usize::MAX))
}

/// Whether a text has more than blanks, line ends and quotes.
fn has_text(text: &[u8]) -> bool {
    text.iter().any(|byte| !byte.is_ascii_whitespace() && *byte != b'"')
}
