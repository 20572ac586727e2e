//! The columns of one input that are searched, and where each of its chunks begins.
//!
//! A worker that takes a chunk says first what the chunk does to the place (see
//! [`Dialect::transition`](crate::format::Dialect::transition)), which costs a
//! fraction of the search and waits for nobody. Then the place at its start is
//! known as soon as those before it have said the same; they were taken earlier, so
//! nobody waits for what nobody does. Each chunk is touched once, while it is in
//! the cache, and a stream needs no second pass.

use crate::format::{Columns, Place, Transition};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// One input that is a table.
pub(super) struct Table {
    columns: Columns,
    places: Mutex<Places>,
    changed: Condvar,
}

struct Places {
    /// The places at the starts of the first chunks, as far as they are known.
    known: Vec<Place>,
    /// Transitions of chunks behind those.
    ready: BTreeMap<usize, Transition>,
    /// Whether a chunk was taken and nothing said about it.
    broken: bool,
}

/// A chunk that was taken. Its transition is owed to those that take later ones.
pub(super) struct Turn<'a> {
    table: &'a Table,
    index: usize,
    paid: bool,
}

impl Table {
    pub(super) fn new(columns: Columns) -> Self {
        let places =
            Places { known: vec![Place::default()], ready: BTreeMap::new(), broken: false };
        let (places, changed) = (Mutex::new(places), Condvar::new());
        Table { columns, places, changed }
    }

    /// The turn of the chunk `index`, from 0.
    pub(super) fn turn(&self, index: usize) -> Turn<'_> {
        Turn { table: self, index, paid: false }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Turn<'a> {
    /// The columns that are searched.
    pub(super) fn columns(&self) -> &'a Columns {
        &self.table.columns
    }

    /// Where the chunk begins, given what it does to the place. None when that
    /// will never be known, as the worker of an earlier chunk panicked.
    pub(super) fn place(mut self, transition: Transition) -> Option<Place> {
        self.paid = true;
        let mut places = self.table.places();
        places.ready.insert(self.index, transition);
        if places.chain() {
            self.table.changed.notify_all();
        }
        while places.known.len() <= self.index {
            if places.broken {
                return None;
            }
            places = self.table.changed.wait(places).unwrap_or_else(PoisonError::into_inner);
        }
        Some(places.known[self.index])
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.paid {
            self.table.places().broken = true;
            self.table.changed.notify_all();
        }
    }
}

impl Places {
    /// Applies the transitions that are next. True when there were any.
    fn chain(&mut self) -> bool {
        let before = self.known.len();
        while let Some(last) = self.known.last()
            && let Some(transition) = self.ready.remove(&(self.known.len() - 1))
        {
            let place = transition.apply(*last);
            self.known.push(place);
        }
        self.known.len() > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Dialect;
    use std::thread;

    const TEXT: &[u8] = b"a,\"b\n,c\",d\ne,\"f\"\"g\",h\n\n\"i,j\"";

    fn table() -> Table {
        let columns = Columns::choose(&["1".to_owned()], Dialect::new(b','), TEXT);
        Table::new(columns.expect("a column"))
    }

    fn transition(table: &Table, index: usize) -> Transition {
        table.columns.dialect().transition(TEXT, index..index + 1)
    }

    #[test]
    fn places_do_not_depend_on_who_comes_first() {
        let ordered = table();
        let expected: Vec<_> =
            (0..TEXT.len()).map(|i| ordered.turn(i).place(transition(&ordered, i))).collect();
        assert!(expected.iter().all(Option::is_some));
        let table = table();
        let found: Vec<_> = thread::scope(|scope| {
            let place = |i| table.turn(i).place(transition(&table, i));
            let backwards = (0..TEXT.len()).rev().map(|i| scope.spawn(move || place(i)));
            let mut threads: Vec<_> = backwards.collect();
            threads.reverse();
            threads.into_iter().map(|t| t.join().expect("no panic")).collect()
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn nobody_waits_for_a_worker_that_is_gone() {
        let table = table();
        thread::scope(|scope| {
            let later = scope.spawn(|| table.turn(1).place(transition(&table, 1)));
            drop(table.turn(0));
            assert_eq!(later.join().expect("no panic"), None);
        });
    }
}
