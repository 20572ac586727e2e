//! The sharded table of distinct names.

use super::budget::Budget;
use super::error::Error;
use super::keep::{Keep, Names};
use super::names::Collected;
use super::shard::Shard;
use doiscan_os::ledger::Ledger;
use doiscan_os::lock::lock;
use foldhash::quality::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, MutexGuard};

/// Shards of a collector. 64 locks are enough for 64 workers.
pub(super) const SHARDS: usize = 64;

/// Minimum and maximum size, in bytes, of a worker's buffer for one shard. At each drain the
/// shard's table is no longer in the cache, and a batch as large as the table reuses each of its
/// cache lines several times. 8.5 million names, 1.5 million of them distinct, on two cores took
/// 1.66 s of processor time with 8 KiB, 1.57 s with 128 KiB and 1.40 s with 512 KiB. 16 and 32
/// shards were no better than 64.
pub(super) const LEAST_DRAIN: usize = 8 * 1024;
const MOST_DRAIN: usize = 512 * 1024;

/// Keeps every name once. Shared by all workers, which fill it through a `Batch`.
#[derive(Debug)]
pub struct Collector<K = Names> {
    shards: Box<[Mutex<Shard<K>>]>,
    /// Random, so that no input can be crafted to cause collisions. Results do not depend on it
    /// because names are sorted at the end.
    seed: RandomState,
    pub(super) budget: Budget,
    /// Maximum size, in bytes, of each of a worker's buffers.
    pub(super) drain: usize,
}

impl<K: Keep> Default for Collector<K> {
    fn default() -> Self {
        Collector::new()
    }
}

impl<K: Keep> Collector<K> {
    /// Creates an empty collector without a limit. Allocates no counted memory until names are
    /// added.
    pub fn new() -> Self {
        Collector::with_limit(usize::MAX, Ledger::default())
    }

    /// Creates an empty collector that uses at most `bytes` of memory, provided that its names are
    /// [taken](Collector::take) whenever it is [full](crate::collect::Batch::is_blocked). Allocator
    /// overhead and up to one block of 64 KiB for each of the 64 shards come on top. The bytes
    /// recorded in `beside` reduce the limit, down to a quarter of it.
    pub fn with_limit(bytes: usize, beside: Ledger) -> Self {
        Collector {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            seed: RandomState::default(),
            budget: Budget::new(bytes, beside),
            drain: LEAST_DRAIN,
        }
    }

    /// Lets each worker buffer up to `bytes` before handing over, which saves time when there are
    /// many names. The value is clamped to 512 KiB..32 MiB.
    pub fn with_batches(mut self, bytes: usize) -> Self {
        self.drain = (bytes / SHARDS).clamp(LEAST_DRAIN, MOST_DRAIN);
        self
    }

    /// Makes the collector full at `most` bytes, even if its limit would allow more.
    pub fn set_most(&self, most: usize) {
        self.budget.set_most(most);
    }

    /// Takes out all current names, each once and in no order.
    ///
    /// They count against the limit until they are [given back](Collector::give_back).
    ///
    /// # Errors
    ///
    /// Fails if there were too many names or a name was too long.
    pub fn take(&self) -> Result<Collected, Error> {
        let taken: Result<(Vec<_>, Vec<_>), _> =
            (0..SHARDS).map(|i| self.shard(i).take()).collect();
        taken.map(|(arenas, tails)| Collected::new::<K>(arenas, tails))
    }

    /// Reclaims the space of names that are no longer needed.
    pub fn give_back(&self, names: Collected) {
        self.budget.resized(names.bytes(), 0);
        self.budget.keep(names.into_blocks());
    }

    /// Bytes that the names may take.
    pub fn limit(&self) -> usize {
        self.budget.limit()
    }

    /// Bytes that count against the limit now.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.budget.used()
    }

    /// Number of names received, including repeats. Shows whether a
    /// [`Batch`](crate::collect::Batch) was dropped with names in it.
    pub fn received(&self) -> u64 {
        (0..SHARDS).map(|shard| self.shard(shard).received()).sum()
    }

    pub(super) fn hash(&self, name: &[u8]) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write(name);
        hasher.finish()
    }

    /// Ignores lock poisoning: a worker that panicked has already failed the whole run.
    pub(super) fn shard(&self, index: usize) -> MutexGuard<'_, Shard<K>> {
        lock(&self.shards[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(names: &[&[u8]]) -> Vec<Vec<u8>> {
        let collector = Collector::<Names>::new();
        let mut batch = collector.batch();
        names.iter().for_each(|name| batch.push(name));
        batch.finish();
        let names = collector.take().expect("few names");
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
    fn a_name_that_equals_the_last_but_one_is_received_but_not_collected_again() {
        let (long, longer) = (vec![b'1'; 64], vec![b'1'; 65]);
        let long = [&b"10."[..], &long[3..]].concat();
        let longer = [&b"10."[..], &longer[3..]].concat();
        let names: [&[u8]; 4] = [b"10.1/A", b"10.1/AB", &long, &longer];
        for rows in [[0, 1, 0, 1, 0, 0, 1, 1], [2, 3, 2, 3, 2, 2, 3, 3], [0, 2, 1, 2, 3, 2, 0, 3]] {
            let collector = Collector::<Names>::new();
            let mut batch = collector.batch();
            rows.iter().for_each(|&row| batch.push(names[row]));
            assert_eq!(batch.finish(), 8);
            assert_eq!(collector.received(), 8);
            let found = collector.take().expect("few names");
            let expected: std::collections::BTreeSet<_> = rows.map(|row| names[row]).into();
            let entries = found.entries();
            let listed: std::collections::BTreeSet<_> =
                entries.iter().map(|e| found.name(e)).collect();
            assert_eq!((listed, entries.len()), (expected.clone(), expected.len()));
        }
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
        let collector = Collector::<Names>::new();
        let mut batches: Vec<_> = (0..4).map(|_| collector.batch()).collect();
        for i in 0..50_000 {
            for (worker, batch) in batches.iter_mut().enumerate() {
                batch.push(format!("10.1000/{}", (i * (worker + 1)) % 60_000).as_bytes());
            }
        }
        batches.into_iter().for_each(|batch| assert_eq!(batch.finish(), 50_000));
        let names = collector.take().expect("few names");
        let expected: std::collections::BTreeSet<String> = (0..4)
            .flat_map(|w| (0..50_000).map(move |i| format!("10.1000/{}", (i * (w + 1)) % 60_000)))
            .collect();
        assert_eq!(collector.received(), 200_000);
        assert_eq!(names.len(), expected.len());
        let mut entries = names.entries();
        names.sort(&mut entries, 0);
        assert!(entries.iter().map(|e| names.name(e)).eq(expected.iter().map(String::as_bytes)));
    }

    #[test]
    fn a_limit_blocks_and_giving_back_unblocks() {
        let limit = 16 * 1024 * 1024;
        let collector = Collector::<Names>::with_limit(limit, Ledger::default());
        let mut batch = collector.batch();
        let (mut taken, mut most) = (0, 0);
        for i in 0..1_000_000 {
            batch.push(format!("10.1000/{i}").as_bytes());
            most = most.max(collector.bytes());
            while batch.is_blocked() && !batch.drain_full() {
                let names = collector.take().expect("few names");
                taken += names.len();
                collector.give_back(names);
            }
        }
        assert!(!batch.is_blocked());
        batch.finish();
        assert!(taken > 300_000, "blocked more than once: {taken}");
        assert_eq!(taken + collector.take().expect("few names").len(), 1_000_000);
        assert_eq!(collector.received(), 1_000_000);
        assert!(most <= limit + SHARDS * crate::collect::budget::BLOCK, "{most}");
    }

    #[test]
    fn blocked_names_are_kept_until_there_is_room() {
        let collector = Collector::<Names>::with_limit(1, Ledger::default());
        let mut batch = collector.batch();
        (0..300_000).for_each(|i| batch.push(format!("10.1000/{i}").as_bytes()));
        assert!(batch.is_blocked() && !batch.flush());
        assert_eq!(batch.finish(), 300_000);
        assert_eq!(collector.take().expect("few names").len(), 300_000);
    }

    #[test]
    fn nobody_can_tell_beforehand_which_names_share_a_hash() {
        let one = Collector::<Names>::new();
        let other = Collector::<Names>::new();
        assert_ne!(one.hash(b"10.1000/182"), other.hash(b"10.1000/182"));
    }
}
