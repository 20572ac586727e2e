//! The columns to search in one table, and the state of the table at the start of each chunk (see
//! [`Dialect::transition`](doiscan_core::format::Dialect::transition)). Each chunk is read once, while it
//! is in the cache, and a stream needs no second pass.

use crate::rows::chain::{Chain, Step, Ticket};
use doiscan_core::format::{Columns, Place, Transition};

/// A table whose columns are searched.
pub(super) struct Table {
    columns: Columns,
    places: Chain<Place, Transition>,
}

impl Step<Place> for Transition {
    fn apply(&self, place: Place) -> Place {
        Transition::apply(self, place)
    }
}

/// A chunk that a worker has taken. The workers on later chunks wait for its transition.
pub(super) struct ChunkTicket<'a> {
    table: &'a Table,
    ticket: Ticket<'a, Place, Transition>,
}

impl Table {
    pub(super) fn new(columns: Columns) -> Self {
        Table { columns, places: Chain::new(Place::default()) }
    }

    /// Returns the ticket of the chunk `index`, counted from 0.
    pub(super) fn ticket(&self, index: usize) -> ChunkTicket<'_> {
        ChunkTicket { table: self, ticket: self.places.ticket(index) }
    }
}

impl<'a> ChunkTicket<'a> {
    /// The columns to search.
    pub(super) fn columns(&self) -> &'a Columns {
        &self.table.columns
    }

    /// Reports the chunk's transition and waits for the state at its start. Returns `None` if the
    /// worker of an earlier chunk panicked.
    pub(super) fn place(self, transition: Transition) -> Option<Place> {
        self.ticket.place(transition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_core::format::Dialect;

    const TEXT: &[u8] = b"a,\"b\n,c\",d\ne,\"f\"\"g\",h\n\n\"i,j\"";

    #[test]
    fn states_are_those_of_the_text_as_a_whole() {
        let columns = Columns::choose(&["1".to_owned()], Dialect::new(b','), TEXT);
        let table = Table::new(columns.expect("a column"));
        let dialect = table.columns.dialect();
        for index in 0..TEXT.len() {
            let transition = dialect.transition(TEXT, index..index + 1);
            let found = table.ticket(index).place(transition);
            let whole = dialect.transition(TEXT, 0..index).apply(Place::default());
            assert_eq!(found, Some(whole), "{index}");
        }
    }
}
