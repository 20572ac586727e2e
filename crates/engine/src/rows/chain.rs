//! State that is carried from chunk to chunk of an input, such as the line number, although chunks
//! are scanned in any order.
//!
//! A worker that takes a chunk first reports how the chunk changes the state, which costs a
//! fraction of the search and never waits. The state at the start of the chunk is known once all
//! earlier chunks have been reported. Those were taken earlier, so every wait has a running worker.

use doiscan_os::lock::lock;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

/// How a chunk changes the state.
pub(crate) trait Step<P> {
    /// Returns the state after a chunk that begins in state `place`.
    fn apply(&self, place: P) -> P;
}

/// The number of lines in a chunk.
impl Step<u64> for u64 {
    fn apply(&self, place: u64) -> u64 {
        place + self
    }
}

/// The states of one input.
pub(crate) struct Chain<P, S> {
    places: Mutex<Places<P, S>>,
    changed: Condvar,
}

struct Places<P, S> {
    /// The known states at the starts of the first chunks.
    known: Vec<P>,
    /// Reported steps of later chunks.
    ready: BTreeMap<usize, S>,
    /// Whether a ticket was dropped without a report.
    broken: bool,
}

/// The ticket of a chunk taken by a worker. The worker must report its step, because workers on
/// later chunks wait for it.
pub(crate) struct Ticket<'a, P, S> {
    chain: &'a Chain<P, S>,
    index: usize,
    is_reported: bool,
}

impl<P: Copy, S: Step<P>> Chain<P, S> {
    /// Starts a chain with the state `first`.
    pub(crate) fn new(first: P) -> Self {
        let places = Places { known: vec![first], ready: BTreeMap::new(), broken: false };
        Chain { places: Mutex::new(places), changed: Condvar::new() }
    }

    /// Returns the ticket of the chunk `index`, counted from 0.
    pub(crate) fn ticket(&self, index: usize) -> Ticket<'_, P, S> {
        Ticket { chain: self, index, is_reported: false }
    }
}

impl<P: Copy, S: Step<P>> Ticket<'_, P, S> {
    /// Reports the step of the chunk, and waits for the state at its start. Returns `None` if that
    /// will never be known because the worker of an earlier chunk panicked.
    pub(crate) fn place(mut self, step: S) -> Option<P> {
        self.is_reported = true;
        let mut places = lock(&self.chain.places);
        places.ready.insert(self.index, step);
        if places.advance() {
            self.chain.changed.notify_all();
        }
        while places.known.len() <= self.index {
            if places.broken {
                return None;
            }
            places = self.chain.changed.wait(places).unwrap_or_else(PoisonError::into_inner);
        }
        Some(places.known[self.index])
    }
}

impl<P, S> Drop for Ticket<'_, P, S> {
    fn drop(&mut self) {
        if !self.is_reported {
            lock(&self.chain.places).broken = true;
            self.chain.changed.notify_all();
        }
    }
}

impl<P: Copy, S: Step<P>> Places<P, S> {
    /// Applies all steps that can be applied. Returns whether there were any.
    fn advance(&mut self) -> bool {
        let before = self.known.len();
        while let Some(last) = self.known.last()
            && let Some(step) = self.ready.remove(&(self.known.len() - 1))
        {
            let place = step.apply(*last);
            self.known.push(place);
        }
        self.known.len() > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn places_do_not_depend_on_who_comes_first() {
        let chain = Chain::new(5);
        let found: Vec<_> = thread::scope(|scope| {
            let place = |i: usize| chain.ticket(i).place(i as u64);
            let backwards = (0..9).rev().map(|i| scope.spawn(move || place(i)));
            let mut threads: Vec<_> = backwards.collect();
            threads.reverse();
            threads.into_iter().map(|t| t.join().expect("no panic")).collect()
        });
        let expected = [5, 5, 6, 8, 11, 15, 20, 26, 33].map(Some);
        assert_eq!(found, expected);
    }

    #[test]
    fn nobody_waits_for_a_worker_that_is_gone() {
        let chain: Chain<u64, u64> = Chain::new(0);
        thread::scope(|scope| {
            let later = scope.spawn(|| chain.ticket(1).place(1));
            drop(chain.ticket(0));
            assert_eq!(later.join().expect("no panic"), None);
        });
    }
}
