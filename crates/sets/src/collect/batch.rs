//! Buffers the names that one worker has found and not yet handed over.

use super::budget::Budget;
use super::collector::{Collector, LEAST_DRAIN, SHARDS};
use super::keep::{BatchRecord, Keep, Names};
use doiscan_os::ledger::Ledger;

/// Bytes of header before a record in a buffer: hash and length, 32 bits each, and the end of the
/// key if the record has a tail.
const fn head<K: Keep>() -> usize {
    if K::HAS_TAIL { 12 } else { 8 }
}

/// Number of consecutive records sent to one shard when records are not deduplicated.
const TOGETHER: u64 = 16;

/// Buffers names by shard. Hands over full buffers, and the rest on [`Batch::finish`].
///
/// When the memory for names is used up, the batch keeps buffering without a limit. The caller must
/// check [`Batch::is_blocked`] from time to time, make room and call [`Batch::drain_full`].
#[derive(Debug)]
pub struct Batch<'a, K = Names> {
    collector: &'a Collector<K>,
    buffers: Box<[Buffer]>,
    latest: Latest,
    pushed: u64,
    blocked: bool,
    /// Scratch space of the shards.
    places: Vec<Option<u32>>,
}

/// Bytes of a shard's table that stay in the cache from one drain to the next. Larger batches pay
/// for their memory only when the table is larger than this.
const CACHED: usize = 16 * 1024;

/// The records for one shard.
#[derive(Clone, Debug)]
struct Buffer {
    bytes: Vec<u8>,
    /// Fill level in bytes at which the buffer is drained.
    full: usize,
}

impl<K: Keep> Collector<K> {
    /// Creates a batch for one worker.
    pub fn batch(&self) -> Batch<'_, K> {
        Batch::new(self)
    }
}

impl<'a, K: Keep> Batch<'a, K> {
    fn new(collector: &'a Collector<K>) -> Self {
        Batch {
            collector,
            buffers: vec![Buffer { bytes: Vec::new(), full: LEAST_DRAIN }; SHARDS].into(),
            latest: Latest::new(),
            pushed: 0,
            blocked: false,
            places: Vec::new(),
        }
    }

    /// Adds a record that consists of a key only. A canonical name begins with `10.`, a shortDOI
    /// with `10/`.
    pub fn push(&mut self, name: &[u8]) {
        self.push_record(name, name.len());
    }

    /// Adds a record whose key ends at `key`.
    pub fn push_record(&mut self, name: &[u8], key: usize) {
        debug_assert!(
            K::SHARED != Some(3) || name.starts_with(b"10.") || name.starts_with(b"10/"),
            "the sort key begins after three bytes that all names share"
        );
        self.pushed += 1;
        if K::IS_DISTINCT && !K::HAS_TAIL && self.latest.repeats(name) {
            return;
        }
        let hash = match K::IS_DISTINCT {
            true => self.collector.hash(&name[..key]),
            // Distributes records over all shards in turn.
            false => (self.pushed / TOGETHER) << (u64::BITS - SHARDS.trailing_zeros()),
        };
        let shard = (hash >> (u64::BITS - SHARDS.trailing_zeros())) as usize;
        let len = name.len().min(u32::MAX as usize) as u32;
        let Buffer { bytes, full } = &self.buffers[shard];
        if bytes.len() + head::<K>() + name.len() > *full && !self.blocked {
            self.blocked = !self.drain(shard, &self.collector.budget);
        }
        let Buffer { bytes: buffer, full } = &mut self.buffers[shard];
        if buffer.capacity() < *full {
            buffer.reserve_exact(*full - buffer.len());
        }
        let head = u64::from(hash as u32) | u64::from(len) << 32;
        buffer.extend_from_slice(&head.to_le_bytes());
        if K::HAS_TAIL {
            buffer.extend_from_slice(&(key as u32).to_le_bytes());
        }
        buffer.extend_from_slice(&name[..len as usize]);
    }

    /// Whether the collector had no room for the last buffer handed over.
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// Drains every buffer that is more than half full. Returns false if there is still no room.
    pub fn drain_full(&mut self) -> bool {
        self.drain_longer(2)
    }

    /// Drains all buffers. Returns false if there is no room.
    pub fn flush(&mut self) -> bool {
        self.drain_longer(usize::MAX)
    }

    /// Drains the buffers that hold more than `1 / part` of their capacity.
    fn drain_longer(&mut self, part: usize) -> bool {
        self.blocked = !(0..SHARDS).all(|shard| {
            let Buffer { bytes, full } = &self.buffers[shard];
            bytes.len() <= full / part || self.drain(shard, &self.collector.budget)
        });
        !self.blocked
    }

    /// Drains all buffers, whether there is room or not, and returns the number of names pushed.
    pub fn finish(mut self) -> u64 {
        let boundless = Budget::new(usize::MAX, Ledger::default());
        for shard in 0..SHARDS {
            self.drain(shard, &boundless);
        }
        self.collector.budget.resized(0, boundless.used());
        self.collector.shard(0).receive_repeats(self.latest.repeats);
        self.pushed
    }

    /// Discards the buffered names because the run has failed. Returns the number of names pushed.
    pub fn abandon(mut self) -> u64 {
        self.buffers.iter_mut().for_each(|buffer| buffer.bytes.clear());
        self.pushed
    }

    fn drain(&mut self, shard: usize, budget: &Budget) -> bool {
        let Buffer { bytes, full } = &mut self.buffers[shard];
        if bytes.is_empty() {
            return true;
        }
        let mut rest = bytes.as_slice();
        let records = std::iter::from_fn(move || {
            let (found, behind) = record::<K>(rest)?;
            rest = behind;
            Some(found)
        });
        let mut shard = self.collector.shard(shard);
        let taken = shard.insert_all(records.clone(), &mut self.places, budget);
        if taken {
            if shard.table_bytes() > CACHED {
                *full = self.collector.drain;
            }
            bytes.clear();
            bytes.shrink_to(*full);
        }
        taken
    }
}

/// Recognises a name that equals the last but one. In a table of citations sorted by citing work,
/// every second name does.
#[derive(Debug)]
struct Latest {
    /// The last two names.
    names: [[u8; Latest::MOST]; 2],
    lens: [usize; 2],
    /// Which of them is the older one.
    older: usize,
    /// Number of names that were recognised.
    repeats: u64,
}

impl Latest {
    /// Length in bytes of the longest name that is recognised. Nearly all names are shorter.
    const MOST: usize = 64;

    fn new() -> Self {
        Latest { names: [[0; Latest::MOST]; 2], lens: [0; 2], older: 0, repeats: 0 }
    }

    /// Whether `name` equals the last but one. Remembers it as the last.
    #[inline]
    fn repeats(&mut self, name: &[u8]) -> bool {
        let (old, len) = (&mut self.names[self.older], &mut self.lens[self.older]);
        self.older ^= 1;
        if *len > 0 && old[..*len] == *name {
            self.repeats += 1;
            return true;
        }
        *len = 0;
        if let Some(old) = old.get_mut(..name.len()) {
            old.copy_from_slice(name);
            *len = name.len();
        }
        false
    }
}

/// Splits the first record off `bytes` and returns it and the rest.
fn record<K: Keep>(bytes: &[u8]) -> Option<(BatchRecord<'_>, &[u8])> {
    let (hash, rest) = bytes.split_first_chunk::<4>()?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let len = u32::from_le_bytes(*len) as usize;
    let (key, rest) = match K::HAS_TAIL {
        true => rest.split_first_chunk::<4>().map(|(k, r)| (u32::from_le_bytes(*k) as usize, r))?,
        false => (len, rest),
    };
    let (record, rest) = rest.split_at_checked(len)?;
    Some((BatchRecord { hash: u32::from_le_bytes(*hash), record, key }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Length of a name of [`push`]. Its record fills 32 bytes of a buffer.
    const NAME: usize = 24;

    /// Pushes `count` further names of the first shard.
    fn push(batch: &mut Batch<'_>, next: &mut u64, count: usize) {
        let mut left = count;
        while left > 0 {
            let name = format!("10.1000/{next:016}");
            if batch.collector.hash(name.as_bytes()) >> (u64::BITS - SHARDS.trailing_zeros()) == 0 {
                batch.push(name.as_bytes());
                left -= 1;
            }
            *next += 1;
        }
    }

    #[test]
    fn a_buffer_is_handed_over_when_it_has_no_room_for_the_next_name() {
        let collector = Collector::<Names>::new();
        let (mut batch, mut next) = (collector.batch(), 0);
        let full = LEAST_DRAIN / (head::<Names>() + NAME);
        push(&mut batch, &mut next, full);
        assert_eq!((collector.received(), batch.buffers[0].bytes.len()), (0, LEAST_DRAIN));
        push(&mut batch, &mut next, 1);
        assert_eq!(collector.received(), full as u64);
        push(&mut batch, &mut next, full - 1);
        assert_eq!(collector.received(), full as u64);
        assert_eq!(batch.finish(), 2 * full as u64);
        assert_eq!(collector.received(), 2 * full as u64);
    }

    #[test]
    fn a_buffer_is_larger_for_a_table_that_leaves_the_cache() {
        let most = 4 * LEAST_DRAIN;
        let collector = Collector::<Names>::new().with_batches(SHARDS * most);
        let (mut batch, mut next) = (collector.batch(), 0);
        push(&mut batch, &mut next, 600);
        assert_eq!(batch.buffers[0].full, LEAST_DRAIN);
        push(&mut batch, &mut next, 1_800);
        assert_eq!(batch.buffers[0].full, most);
        assert!(batch.buffers.iter().all(|buffer| buffer.bytes.capacity() <= most));
        batch.abandon();
    }
}
