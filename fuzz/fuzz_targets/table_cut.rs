//! Cells of a table: chunks with chained positions give the same cells as the whole table. A range
//! of bytes changes the position in the same way as its bytes one by one.
//!
//! The first three bytes select the delimiter, the chunk size, the limit and the column. The others
//! are the table.

#![no_main]

use doiscan_core::format::{Cell, Dialect, Inside, Place, Quoting};
use libfuzzer_sys::fuzz_target;

/// Bytes before a chunk that its window includes.
const BEFORE: usize = 4;

/// Returns the cells and the misplaced quotes found in chunks of `size`. Each chunk sees only the
/// bytes of its window.
fn cells(dialect: Dialect, table: &[u8], size: usize, last: usize) -> (Vec<Cell>, Quoting) {
    let (mut place, mut cells) = (Place::default(), Vec::<Cell>::new());
    let mut quoting = Quoting::default();
    for start in (0..table.len()).step_by(size) {
        let end = table.len().min(start + size);
        let from = start.saturating_sub(BEFORE);
        // Copies the window, so that out-of-range reads are detected.
        let window = table[from..table.len().min(end + dialect.lookahead().max(40))].to_vec();
        let starts = start - from..end - from;
        let seen = dialect.cells(&window, starts.clone(), place, last, &mut |cell: Cell| {
            let starts = cell.starts.start + from..cell.starts.end + from;
            match cells.last_mut() {
                // The rest of a cell that was cut.
                Some(before) if before.starts.end == starts.start && start == starts.start => {
                    assert_eq!(before.column, cell.column);
                    before.starts.end = starts.end;
                    before.end = before.end.max(cell.end + from);
                }
                _ => cells.push(Cell { starts, end: cell.end + from, ..cell }),
            }
        });
        quoting += seen.moved(from as u64);
        place = dialect.transition(&window, starts).apply(place);
    }
    (cells, quoting)
}

/// Checks that the transition of a range of bytes equals that of its bytes one by one.
fn walks(dialect: Dialect, table: &[u8], start: usize) {
    for inside in [Inside::Unquoted, Inside::Quoted] {
        let begin = Place { inside, column: 5 };
        let mut place = begin;
        for at in start..table.len() {
            place = dialect.transition(table, at..at + 1).apply(place);
        }
        let whole = dialect.transition(table, start..table.len()).apply(begin);
        assert_eq!(whole, place, "from {start} of b\"{}\"", table.escape_ascii());
    }
}

fuzz_target!(|data: &[u8]| {
    let [choice, size, limit, table @ ..] = data else { return };
    let table = &table[..table.len().min(512)];
    let delimiter = [b',', b';', b'\t', b'|'][usize::from(choice & 3)];
    let longest_quoted = if choice & 4 == 0 { 1024 * 1024 } else { usize::from(*limit) };
    let last = [0, 1, 3, usize::MAX][usize::from(choice >> 3 & 3)];
    let dialect = Dialect { delimiter, longest_quoted };

    let size = 1 + usize::from(*size);
    let whole = cells(dialect, table, table.len().max(1), last);
    let cut = cells(dialect, table, size, last);
    assert_eq!(cut, whole, "chunks of {size}, {dialect:?}, b\"{}\"", table.escape_ascii());
    walks(dialect, table, size.min(table.len()));
});
