//! Memory that stands beside the names, and before which they give way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that a run holds for something else than names, such as the windows of decoders.
/// Clones are one account.
///
/// What is held is counted and never refused: a decoder that was begun has to go on, and
/// names can be spilled.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<AtomicUsize>);

impl Ledger {
    /// Bytes that are held now.
    pub fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Nothing yet.
    pub fn reserve(&self) -> Reservation {
        Reservation { account: self.clone(), bytes: 0 }
    }
}

/// Bytes that one user holds; none any more when it is dropped.
#[derive(Debug)]
pub struct Reservation {
    account: Ledger,
    bytes: usize,
}

impl Reservation {
    /// It is so many now.
    pub fn set(&mut self, bytes: usize) {
        if bytes != self.bytes {
            self.account.0.fetch_add(bytes, Ordering::Relaxed);
            self.account.0.fetch_sub(self.bytes, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_until_it_is_dropped() {
        let beside = Ledger::default();
        let (mut one, mut other) = (beside.reserve(), beside.clone().reserve());
        one.set(5);
        other.set(7);
        one.set(3);
        assert_eq!(beside.bytes(), 10);
        drop(one);
        assert_eq!(beside.bytes(), 7);
        drop(other);
        assert_eq!(beside.bytes(), 0);
    }
}
