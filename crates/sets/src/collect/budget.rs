//! Tracks the memory that names may use, and the blocks kept for reuse.

use doiscan_os::ledger::Ledger;
use doiscan_os::lock::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a block: an offset is a block number and a position in the block, 16 bits each.
/// Separate blocks avoid one growing buffer, whose doubling copy would briefly hold the names three
/// times.
pub(super) const BLOCK: usize = 64 * 1024;

/// Counts the bytes that grow with the names against a limit.
///
/// Blocks of names already written to a run are kept here for reuse. If one thread returned them to
/// the allocator and another requested new ones, both would exist for a while.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    /// A limit for the names alone, whatever the ledger says.
    most: AtomicUsize,
    beside: Ledger,
    used: AtomicUsize,
    free: Mutex<Vec<Vec<u8>>>,
}

impl Budget {
    pub(super) fn new(limit: usize, beside: Ledger) -> Self {
        let (most, used) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        Budget { limit, most, beside, used, free: Mutex::default() }
    }

    /// Limits the bytes of names to `most`, even if the limit would allow more.
    pub(super) fn set_most(&self, most: usize) {
        self.most.store(most, Ordering::Relaxed);
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes counted now.
    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether `more` bytes fit. Frees the kept blocks if that makes room.
    pub(super) fn has_room(&self, more: usize) -> bool {
        let fits = || self.used().saturating_add(more) <= self.left();
        fits() || {
            self.free_blocks();
            fits()
        }
    }

    /// Returns the effective limit: the limit minus the bytes in the ledger, but at least a quarter
    /// of the limit, and at most what [`Budget::set_most`] allows. Below that, merging many runs of few names would cost more memory than
    /// spilling saves.
    fn left(&self) -> usize {
        let left = self.limit - self.beside.bytes().min(self.limit / 4 * 3);
        left.min(self.most.load(Ordering::Relaxed))
    }

    /// Notes that an allocation of `before` bytes now takes `after` bytes.
    pub(super) fn resized(&self, before: usize, after: usize) {
        self.used.fetch_add(after, Ordering::Relaxed);
        self.used.fetch_sub(before, Ordering::Relaxed);
    }

    /// Returns an empty block of at least `size` bytes.
    pub(super) fn block(&self, size: usize) -> Vec<u8> {
        let kept = if size <= BLOCK { lock(&self.free).pop() } else { None };
        match kept {
            Some(block) => {
                self.resized(BLOCK, 0);
                block
            }
            None => Vec::with_capacity(BLOCK.max(size)),
        }
    }

    /// Keeps blocks for reuse.
    pub(super) fn keep(&self, blocks: impl Iterator<Item = Vec<u8>>) {
        let mut free = lock(&self.free);
        for mut block in blocks.filter(|block| block.capacity() == BLOCK) {
            block.clear();
            free.push(block);
            self.resized(0, BLOCK);
        }
    }

    fn free_blocks(&self) {
        let blocks = std::mem::take(&mut *lock(&self.free));
        self.resized(blocks.len() * BLOCK, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_are_kept_are_counted_and_give_way() {
        let budget = Budget::new(3 * BLOCK, Ledger::default());
        budget.keep([Vec::with_capacity(BLOCK), Vec::with_capacity(7)].into_iter());
        assert_eq!(budget.used(), BLOCK);
        assert_eq!(budget.block(5).capacity(), BLOCK);
        assert_eq!(budget.used(), 0);
        budget.keep(std::iter::once(Vec::with_capacity(BLOCK)));
        assert!(budget.has_room(2 * BLOCK));
        assert_eq!(budget.used(), BLOCK, "nothing stood in the way");
        assert!(budget.has_room(3 * BLOCK) && !budget.has_room(3 * BLOCK + 1));
        assert_eq!(budget.used(), 0);
    }
    #[test]
    fn names_give_way_to_what_is_held_beside_them_but_for_a_quarter() {
        let beside = Ledger::default();
        let (budget, mut held) = (Budget::new(400, beside.clone()), beside.reserve());
        held.set(150);
        assert!(budget.has_room(250) && !budget.has_room(251));
        held.set(1_000);
        assert!(budget.has_room(100) && !budget.has_room(101));
        budget.set_most(50);
        assert!(budget.has_room(50) && !budget.has_room(51));
    }
}
