//! Divides the memory limit of a run.

use std::num::NonZeroUsize;

/// Minimum size of a chunk when memory is short.
const LEAST_CHUNK: usize = 64 * 1024;

/// Minimum number of bytes of one worker's buffers for the collector (see `collect::Batch`).
const BATCH: usize = 512 * 1024;

/// Maximum number of bytes of all workers' buffers together.
const BATCHES: usize = 64 * 1024 * 1024;

/// Bytes that a thread uses regardless of the limit: merge buffers, and memory that the allocator
/// returns late. With 64 threads and `-S 16M`, 600 MB were used.
const THREAD: usize = 16 * 1024 * 1024;

/// Maximum number of threads for a limit of `limit` bytes.
pub(super) fn threads(limit: Option<usize>) -> NonZeroUsize {
    let most = limit.map_or(usize::MAX, |limit| limit / THREAD);
    NonZeroUsize::new(most.max(2)).unwrap_or(NonZeroUsize::MIN)
}

/// Returns what is left of `limit` without the `ahead` bytes that inputs hold ahead of their readers.
pub(super) fn without(limit: Option<usize>, ahead: usize) -> Option<usize> {
    limit.map(|limit| limit.saturating_sub(ahead))
}

/// The shares of the memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    /// For the collector.
    pub(super) names: usize,
    /// For the buffers that merge runs, after the collector was dropped.
    pub(super) merge: usize,
    /// For a chunk.
    pub(super) chunk: NonZeroUsize,
    /// For the buffers between one worker and the collector.
    pub(super) batch: usize,
}

impl Memory {
    /// Divides `limit` bytes among the given number of threads, which prefer chunks of `chunk`
    /// bytes.
    ///
    /// A worker holds the chunk that it reads. While the collector is full, the worker also buffers
    /// the names it finds, which take about two more chunks. All workers together get a quarter of
    /// the limit for this. Names get three quarters of the rest; the remaining quarter is reserved
    /// for the allocator, which rounds sizes up and returns memory late. With an eighth, 900 MB of
    /// names within 112 MiB peaked at 163 to 191 MiB. Limits below a few MiB cannot be kept: a
    /// thread, its buffers and a block for each shard have a minimum size.
    pub(super) fn share(limit: Option<usize>, chunk: NonZeroUsize, threads: usize) -> Memory {
        let batch = BATCHES.min(limit.map_or(BATCHES, |limit| limit / 16)) / threads;
        let batch = batch.max(BATCH);
        let Some(limit) = limit else {
            return Memory { names: usize::MAX, merge: usize::MAX, chunk, batch };
        };
        let most = (limit / 4 / threads / 3).max(LEAST_CHUNK);
        let chunk = chunk.min(NonZeroUsize::new(most).unwrap_or(chunk));
        let workers = threads * (3 * chunk.get() + batch);
        let names = (limit.saturating_sub(workers) / 4 * 3).max(limit / 2);
        // The allocator still holds much of the memory that the collector used.
        Memory { names, merge: limit / 4, chunk, batch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    #[test]
    fn the_shares_are_within_the_limit() {
        let chunk = NonZeroUsize::new(2 * MIB).expect("not zero");
        for (limit, threads) in [(64 * MIB, 2), (1024 * MIB, 2), (1024 * MIB, 64)] {
            let memory = Memory::share(Some(limit), chunk, threads);
            assert!(memory.names + threads * (3 * memory.chunk.get() + memory.batch) <= limit);
            assert!(memory.names >= limit / 2 && memory.merge <= limit);
        }
        assert_eq!(Memory::share(Some(1024 * MIB), chunk, 2).chunk, chunk);
        assert_eq!(Memory::share(Some(1), chunk, 2).chunk.get(), LEAST_CHUNK);
        assert_eq!(Memory::share(None, chunk, 64).names, usize::MAX);
        let batch = |limit, threads| Memory::share(limit, chunk, threads).batch;
        assert_eq!((batch(None, 2), batch(None, 64), batch(None, 512)), (32 * MIB, MIB, BATCH));
        assert_eq!((batch(Some(1024 * MIB), 2), batch(Some(64 * MIB), 2)), (32 * MIB, 2 * MIB));
        assert_eq!(batch(Some(1), 2), BATCH);
    }

    #[test]
    fn what_inputs_hold_is_deducted() {
        assert_eq!(without(Some(64 * MIB), 8 * MIB), Some(56 * MIB));
        assert_eq!((without(Some(1), 2), without(None, 2)), (Some(0), None));
    }

    #[test]
    fn little_memory_is_for_few_threads() {
        let most = |mib: usize| threads(Some(mib * MIB)).get();
        assert_eq!((most(0), most(16), most(64), most(1024)), (2, 2, 4, 64));
        assert_eq!(threads(None).get(), usize::MAX);
    }

    #[test]
    fn a_chunk_is_never_made_larger() {
        let small = NonZeroUsize::new(7).expect("not zero");
        assert_eq!(Memory::share(Some(1), small, 1).chunk, small);
    }
}
