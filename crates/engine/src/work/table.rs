//! The columns to search in one table, and the state of the table at the start of each chunk (see
//! [`Dialect::transition`](doiscan_core::format::Dialect::transition)). Each chunk is read once, while it
//! is in the cache, and a stream needs no second pass.

use crate::rows::chain::{Chain, Ticket};
use doiscan_core::format::{Columns, Place, Transition};
use std::sync::atomic::{AtomicU8, Ordering};

/// A table whose columns are searched.
pub(super) struct Table {
    columns: Columns,
    places: Chain<Place>,
    /// Whether its columns have a value: one of the following.
    values: AtomicU8,
}

/// Nothing is known yet.
const UNKNOWN: u8 = 0;
/// A chunk has none, and that was told.
const TOLD: u8 = 1;
/// A chunk has one.
const PRESENT: u8 = 2;

/// A chunk that a worker has taken. The workers on later chunks wait for its transition.
pub(super) struct ChunkTicket<'a> {
    table: &'a Table,
    ticket: Ticket<'a, Place>,
    /// Whether the window of the chunk reaches the end of the table.
    pub(super) is_last: bool,
}

impl Table {
    pub(super) fn new(columns: Columns) -> Self {
        Table { columns, places: Chain::default(), values: AtomicU8::new(UNKNOWN) }
    }

    /// Returns the ticket of the chunk `index`, counted from 0.
    pub(super) fn ticket(&self, index: u64) -> ChunkTicket<'_> {
        ChunkTicket { table: self, ticket: self.places.ticket(index), is_last: false }
    }

    /// Notes whether the columns have a value in a chunk that has rows. Returns the number to add for the table to those
    /// that may lack values, if it changes anything: 0 for the first chunk without a value, 1 for the first one with
    /// a value after that.
    pub(super) fn note(&self, has_value: bool) -> Option<u64> {
        match has_value {
            true if self.values.load(Ordering::Relaxed) == PRESENT => None,
            true => (self.values.swap(PRESENT, Ordering::Relaxed) == TOLD).then_some(1),
            false => {
                let (from, to) = (UNKNOWN, TOLD);
                let told =
                    self.values.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
                told.is_ok().then_some(0)
            }
        }
    }
}

impl<'a> ChunkTicket<'a> {
    /// The table.
    pub(super) fn table(&self) -> &'a Table {
        self.table
    }

    /// The columns to search.
    pub(super) fn columns(&self) -> &'a Columns {
        &self.table.columns
    }

    /// Waits for the state at the start of the chunk, which has this transition. Returns `None` if the worker of an earlier
    /// chunk panicked.
    pub(super) fn place(self, transition: Transition) -> Option<Place> {
        self.ticket.turn(|place| std::mem::replace(place, transition.apply(*place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_core::format::{Dialect, Header};

    const TEXT: &[u8] = b"a,\"b\n,c\",d\ne,\"f\"\"g\",h\n\n\"i,j\"";

    fn table() -> Table {
        let wanted = ["1".to_owned()];
        let header = Header::of_table(Dialect::new(b','), TEXT, &wanted);
        Table::new(Columns::choose(&wanted, &header, TEXT).expect("a column"))
    }

    #[test]
    fn a_table_without_values_is_told_once_and_taken_back_once() {
        for (chunks, expected) in [
            (&[false, false][..], &[Some(0), None][..]),
            (&[false, true, true, false], &[Some(0), Some(1), None, None]),
            (&[true, false, true], &[None, None, None]),
        ] {
            let table = table();
            let found: Vec<_> = chunks.iter().map(|&has_value| table.note(has_value)).collect();
            assert_eq!(found, expected, "{chunks:?}");
        }
    }

    #[test]
    fn states_are_those_of_the_text_as_a_whole() {
        let table = table();
        let dialect = table.columns.dialect();
        for index in 0..TEXT.len() {
            let transition = dialect.transition(TEXT, index..index + 1);
            let found = table.ticket(index as u64).place(transition);
            let whole = dialect.transition(TEXT, 0..index).apply(Place::default());
            assert_eq!(found, Some(whole), "{index}");
        }
    }
}
