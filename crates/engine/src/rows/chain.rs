//! State that is carried from chunk to chunk of an input, such as the line number, although chunks
//! are searched in any order.
//!
//! Each worker has its turn with the state, in the order of the chunks, which costs a fraction of the
//! search. Earlier chunks were taken earlier, so every wait has a running worker.

use doiscan_os::lock::lock;
use std::sync::{Condvar, Mutex, PoisonError};

/// The state of one input.
#[derive(Default)]
pub(crate) struct Chain<P> {
    next: Mutex<Next<P>>,
    changed: Condvar,
}

#[derive(Default)]
struct Next<P> {
    /// The first chunk that had no turn.
    index: u64,
    /// The state at its start.
    place: P,
    /// Whether a ticket was dropped without a turn, so that later states will never be known.
    is_broken: bool,
}

/// The ticket of a chunk taken by a worker. The workers on later chunks wait for its turn.
pub(crate) struct Ticket<'a, P> {
    chain: &'a Chain<P>,
    index: u64,
    is_used: bool,
}

impl<P> Chain<P> {
    /// Starts a chain with the state `place`.
    pub(crate) fn new(place: P) -> Self {
        let next = Next { index: 0, place, is_broken: false };
        Chain { next: Mutex::new(next), changed: Condvar::new() }
    }

    /// Returns the ticket of the chunk `index`, counted from 0.
    pub(crate) fn ticket(&self, index: u64) -> Ticket<'_, P> {
        Ticket { chain: self, index, is_used: false }
    }
}

impl<P> Ticket<'_, P> {
    /// Waits for the state at the start of the chunk, and returns what `work` does, which changes it to that at the end.
    /// Returns `None` if it will never be known because the worker of an earlier chunk panicked.
    pub(crate) fn turn<T>(mut self, work: impl FnOnce(&mut P) -> T) -> Option<T> {
        let mut next = lock(&self.chain.next);
        while next.index < self.index {
            if next.is_broken {
                return None;
            }
            next = self.chain.changed.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
        let done = work(&mut next.place);
        next.index += 1;
        self.is_used = true;
        Some(done)
    }
}

impl<P> Drop for Ticket<'_, P> {
    fn drop(&mut self) {
        if !self.is_used {
            lock(&self.chain.next).is_broken = true;
        }
        self.chain.changed.notify_all();
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
            let place = |i: u64| chain.ticket(i).turn(|place| (*place, *place += i).0);
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
        let chain: Chain<u64> = Chain::new(0);
        thread::scope(|scope| {
            let later = scope.spawn(|| chain.ticket(1).turn(|place| *place));
            drop(chain.ticket(0));
            assert_eq!(later.join().expect("no panic"), None);
        });
    }
}
