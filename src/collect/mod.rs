//! Gathers names from many workers, keeps each once, and puts them in order.
//!
//! A [`Collector`] is cut into shards by hash. Every worker fills a [`Batch`]:
//! one small buffer per shard, drained into the shard's table under its lock
//! when full, so that a table stays in the cache while it is worked on.
//! [`Collector::finish`] drops the tables and leaves [`Names`] to sort.
//!
//! No thread is started here: `pipeline` drives the parallel steps.

mod arena;
mod batch;
mod names;
mod shard;

pub use batch::Batch;
pub use names::{Entry, Names};

use foldhash::quality::RandomState;
use shard::Shard;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shards of a collector. 64 buffers of [`batch::DRAIN`] bytes fit a core's
/// second-level cache, and 64 locks are enough for as many workers.
const SHARDS: usize = 64;

/// Keeps every name once. Shared by all workers; filled through a [`Batch`].
#[derive(Debug)]
pub struct Collector {
    shards: Box<[Mutex<Shard>]>,
    /// Seeded at random, so that no input can be made to collide. Answers do
    /// not depend on it: names are sorted in the end.
    seed: RandomState,
}

/// What cannot be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A shard's offsets have 32 bits.
    #[error("more distinct names than can be addressed: 65,536 blocks in one of {SHARDS} shards")]
    Full,
    /// A name whose length does not fit 32 bits.
    #[error("a name is longer than 4 GiB")]
    NameTooLong,
}

impl Default for Collector {
    fn default() -> Self {
        Collector::new()
    }
}

impl Collector {
    /// An empty collector. Allocates nothing that counts until names come.
    pub fn new() -> Self {
        Collector {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            seed: RandomState::default(),
        }
    }

    /// A worker's way in.
    pub fn batch(&self) -> Batch<'_> {
        Batch::new(self)
    }

    /// The names, each once and in no order. Every [`Batch`] must have been
    /// finished: the borrow checker sees that none is left, and
    /// [`Names::received`] shows whether one was dropped with names in it.
    ///
    /// # Errors
    ///
    /// When the names were too many or too long to be held.
    pub fn finish(self) -> Result<Names, Error> {
        let shards = self.shards.into_vec().into_iter();
        Names::gather(shards.map(|s| s.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    fn hash(&self, name: &[u8]) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write(name);
        hasher.finish()
    }

    /// A worker that panicked has failed the whole run already, so a poisoned
    /// lock is taken as it is.
    fn shard(&self, index: usize) -> MutexGuard<'_, Shard> {
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(names: &[&[u8]]) -> Vec<Vec<u8>> {
        let collector = Collector::new();
        let mut batch = collector.batch();
        names.iter().for_each(|name| batch.push(name));
        batch.finish();
        let names = collector.finish().expect("few names");
        let mut entries = names.entries();
        names.sort(&mut entries, 0);
        entries.iter().map(|e| names.name(e).to_vec()).collect()
    }

    #[test]
    fn each_name_once_in_byte_order() {
        let found = collect(&[b"10.2/B", b"10.1000/A", b"10.2/B", b"10.10/A"]);
        assert_eq!(found, [&b"10.10/A"[..], b"10.1000/A", b"10.2/B"]);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(collect(&[]).is_empty());
    }

    #[test]
    fn order_is_that_of_bytes_even_with_low_bytes_and_shared_heads() {
        let head = format!("10.{}", "1016/J.PHYSLETB.".repeat(12));
        let mut names: Vec<Vec<u8>> = Vec::new();
        for tail in ["", "\0", "\0\0", "A", "A\0", "A\0B", "AB", "\u{7f}", "é", &"\0".repeat(40)] {
            for cut in 3..=head.len() {
                names.push([&head.as_bytes()[..cut], tail.as_bytes()].concat());
            }
        }
        let found = collect(&names.iter().map(Vec::as_slice).collect::<Vec<_>>());
        names.sort_unstable();
        names.dedup();
        assert_eq!(found, names);
    }

    #[test]
    fn a_name_longer_than_a_block_or_a_batch_is_kept() {
        let long = [b"10.1/".as_slice(), &vec![b'X'; 300_000]].concat();
        let longer = [long.as_slice(), b"Y"].concat();
        let found = collect(&[&longer, b"10.1/A", &long, &longer, b"10.1/B"]);
        assert_eq!(found, [&b"10.1/A"[..], b"10.1/B", &long, &longer]);
    }

    #[test]
    fn many_names_from_many_workers() {
        let collector = Collector::new();
        let mut batches: Vec<_> = (0..4).map(|_| collector.batch()).collect();
        for i in 0..50_000 {
            for (worker, batch) in batches.iter_mut().enumerate() {
                batch.push(format!("10.1000/{}", (i * (worker + 1)) % 60_000).as_bytes());
            }
        }
        batches.into_iter().for_each(|batch| assert_eq!(batch.finish(), 50_000));
        let names = collector.finish().expect("few names");
        let expected: std::collections::BTreeSet<String> = (0..4)
            .flat_map(|w| (0..50_000).map(move |i| format!("10.1000/{}", (i * (w + 1)) % 60_000)))
            .collect();
        assert_eq!(names.received(), 200_000);
        assert_eq!(names.len(), expected.len());
        let mut entries = names.entries();
        names.sort(&mut entries, 0);
        assert!(entries.iter().map(|e| names.name(e)).eq(expected.iter().map(String::as_bytes)));
    }
}
