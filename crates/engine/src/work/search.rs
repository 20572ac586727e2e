//! Searches one window: as a whole, or only the cells of the chosen columns.

use super::table::ChunkTicket;
use doiscan_core::format::{Inside, Place, Quoting};
use doiscan_core::scan::{Match, Notation, Scanner, Sink, cut};
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
}

/// Searches a whole window, or its cells if it is a table. Returns the malformed quotes of the
/// table.
pub(super) fn search<S: Finder>(
    scanner: &mut Scanner,
    window: &Window<'_>,
    notation: Notation,
    cells: Option<ChunkTicket<'_>>,
    sink: &mut S,
) -> Option<Quoting> {
    if let Some(ticket) = cells {
        return search_cells(scanner, window, notation, ticket, sink);
    }
    let (bytes, starts, is_cut) = (window.bytes, window.starts.clone(), window.fault.is_some());
    sink.find_short(bytes, starts.clone(), is_cut);
    match is_cut {
        false => scanner.scan(bytes, starts, notation, sink),
        true => scanner.scan_cut(bytes, starts, notation, sink),
    }
    None
}

/// Scans the cells of the chosen columns. The scanner sees the text before a cell and the one byte
/// that ends it, because no name extends into the next cell.
fn search_cells<S: Finder>(
    scanner: &mut Scanner,
    window: &Window<'_>,
    notation: Notation,
    ticket: ChunkTicket<'_>,
    sink: &mut S,
) -> Option<Quoting> {
    let (bytes, starts, columns) = (window.bytes, window.starts.clone(), ticket.columns());
    let transition = columns.dialect().transition(bytes, starts.clone());
    let place = ticket.place(transition)?;
    let is_cut = window.fault.is_some();
    // A cell that a cut does not touch is whole, so only the last one is judged again.
    let mut last = (starts.start, place);
    let quoting = columns.cells(bytes, starts.clone(), place, |cell| {
        let cell_and_end = &bytes[..bytes.len().min(cell.end + 1)];
        sink.find_short(cell_and_end, cell.starts.clone(), is_cut && cell.end >= bytes.len());
        if !is_cut {
            return scanner.scan(cell_and_end, cell.starts, notation, sink);
        }
        if cell.starts.start > starts.start {
            let inside = Inside::Unquoted;
            last = (cell.starts.start, Place { inside, column: cell.column });
        }
    });
    if is_cut {
        cut::settle(bytes, starts.clone(), b"\"", sink, |bytes, wanted, answers| {
            let is_one = wanted.start >= last.0;
            let (from, place) = if is_one { last } else { (starts.start, place) };
            columns.cells(bytes, from..wanted.end, place, |cell| {
                let cell_and_end = &bytes[..bytes.len().min(cell.end + 1)];
                let starts = cell.starts.start.max(wanted.start)..cell.starts.end;
                if !starts.is_empty() {
                    scanner.scan(cell_and_end, starts, notation, answers);
                }
            });
        });
    }
    Some(quoting)
}
