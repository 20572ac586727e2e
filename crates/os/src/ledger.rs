//! Counts memory used for purposes other than names; the budget for names shrinks by it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that a run holds for purposes other than names, such as the windows of decoders. Clones
/// share one account.
///
/// Reservations are counted and never refused: a decoder that has started must be able to continue,
/// whereas names can be spilled.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<AtomicUsize>);

impl Ledger {
    /// Bytes reserved now.
    pub fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Creates a reservation of 0 bytes.
    pub fn reserve(&self) -> Reservation {
        Reservation { account: self.clone(), bytes: 0 }
    }
}

/// Bytes reserved by one user. Dropping it releases them.
#[derive(Debug)]
pub struct Reservation {
    account: Ledger,
    bytes: usize,
}

impl Reservation {
    /// Sets the reserved bytes.
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
