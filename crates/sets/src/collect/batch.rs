//! Buffers the names that one worker has found and not yet handed over.

use super::budget::Budget;
use super::collector::{Collector, LEAST_DRAIN, SHARDS};
use super::keep::{BatchRecord, Keep, Names};
use super::shard::CACHED;
use doiscan_os::ledger::Ledger;
use std::ops::Range;

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
    buffers: Box<[Buffer; SHARDS]>,
    buffered: Buffered,
    context: Context,
    pushed: u64,
    blocked: bool,
}

/// The records for one shard.
#[derive(Debug)]
struct Buffer {
    bytes: Vec<u8>,
    /// Number of records in it, contexts included.
    records: usize,
    /// Fill level in bytes at which the buffer is drained.
    full: usize,
    /// The number of the last context in the buffer, if there is one.
    context: Option<u64>,
}

/// The context of the records that follow, empty at first, and its number.
#[derive(Debug, Default)]
struct Context {
    bytes: Vec<u8>,
    number: u64,
}

impl Buffer {
    const fn new() -> Self {
        Buffer { bytes: Vec::new(), records: 0, full: LEAST_DRAIN, context: None }
    }
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
            buffers: Box::new([const { Buffer::new() }; SHARDS]),
            buffered: Buffered::default(),
            context: Context::default(),
            pushed: 0,
            blocked: false,
        }
    }

    /// Adds a record that consists of a key only. A canonical name begins with `10.`, a shortDOI
    /// with `10/`.
    pub fn push(&mut self, name: &[u8]) {
        self.push_record(name, name.len());
    }

    /// Counts a record that equals an earlier one of this batch.
    #[inline]
    pub fn push_again(&mut self) {
        debug_assert!(K::IS_DISTINCT && !K::HAS_TAIL, "other records are all kept");
        self.pushed += 1;
        self.buffered.repeats += 1;
    }

    /// Counts a record that equals the last but one up to `name`, 0 and `rest`, its key, and occurs later. Returns false, and
    /// counts nothing, if that one has another key.
    #[inline]
    pub fn push_later(&mut self, name: &[u8], rest: &[u8]) -> bool {
        let is_counted = self.buffered.counts_later::<K>(&mut *self.buffers, name, rest);
        self.pushed += u64::from(is_counted);
        is_counted
    }

    /// Sets the context of the records that follow: bytes between their keys and the rest of them. Only
    /// for records that are [grouped](crate::collect::Grouped).
    pub fn set_context(&mut self, context: &[u8]) {
        debug_assert!(K::IS_GROUPED, "other records have no context");
        if self.context.bytes != context {
            self.context.bytes.clear();
            self.context.bytes.extend_from_slice(context);
            self.context.number += 1;
        }
    }

    /// Adds a record whose key ends at `key`. Its context, if any, is not part of it.
    pub fn push_record(&mut self, name: &[u8], key: usize) {
        debug_assert!(
            K::SHARED != Some(3) || name.starts_with(b"10.") || name.starts_with(b"10/"),
            "the sort key begins after three bytes that all names share"
        );
        self.pushed += 1;
        let is_counted = K::IS_DISTINCT && !K::IS_GROUPED;
        if is_counted && self.buffered.counts::<K>(&mut *self.buffers, name, key) {
            return;
        }
        let hash = match K::IS_DISTINCT {
            true => self.collector.hash(&name[..key]),
            // Distributes records over all shards in turn.
            false => (self.pushed / TOGETHER) << (u64::BITS - SHARDS.trailing_zeros()),
        };
        let shard = (hash >> (u64::BITS - SHARDS.trailing_zeros())) as usize;
        let len = name.len().min(u32::MAX as usize) as u32;
        let Buffer { bytes, full, .. } = &self.buffers[shard];
        if bytes.len() + head::<K>() + name.len() > *full && !self.blocked {
            self.blocked = !self.drain(shard, &self.collector.budget);
        }
        let Buffer { bytes: buffer, records, full, context } = &mut self.buffers[shard];
        *records += 1;
        if buffer.capacity() < *full {
            buffer.reserve_exact(*full - buffer.len());
        }
        if K::IS_GROUPED && *context != Some(self.context.number) {
            *context = Some(self.context.number);
            *records += 1;
            let Context { bytes, .. } = &self.context;
            buffer.extend_from_slice(&[0; 4]);
            buffer.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            buffer.extend_from_slice(&(BatchRecord::CONTEXT as u32).to_le_bytes());
            buffer.extend_from_slice(bytes);
        }
        let head = u64::from(hash as u32) | u64::from(len) << 32;
        buffer.extend_from_slice(&head.to_le_bytes());
        if K::HAS_TAIL {
            buffer.extend_from_slice(&(key as u32).to_le_bytes());
        }
        if is_counted {
            self.buffered.remember(shard, buffer.len()..buffer.len() + len as usize, key);
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
            let Buffer { bytes, full, .. } = &self.buffers[shard];
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
        self.collector.shard(0).receive_repeats(self.buffered.repeats);
        self.pushed
    }

    /// Discards the buffered names because the run has failed. Returns the number of names pushed.
    pub fn abandon(mut self) -> u64 {
        self.buffers.iter_mut().for_each(|buffer| buffer.bytes.clear());
        self.pushed
    }

    fn drain(&mut self, shard: usize, budget: &Budget) -> bool {
        let Buffer { bytes, records: count, full, context } = &mut self.buffers[shard];
        if bytes.is_empty() {
            return true;
        }
        let mut rest = bytes.as_slice();
        let records = std::iter::from_fn(move || {
            let (found, behind) = record::<K>(rest)?;
            rest = behind;
            Some(found)
        });
        let mut table = self.collector.shard(shard);
        let taken = table.insert_all(records, *count, budget);
        if taken {
            self.buffered.drained(shard);
            if table.table_bytes() > CACHED {
                *full = self.collector.drain;
            }
            (*count, *context) = (0, None);
            bytes.clear();
            bytes.shrink_to(*full);
        }
        taken
    }
}

/// Where the last two records are buffered. In a table of citations sorted by citing work, every second
/// record has the key of the last but one, and is added to it in the buffer.
#[derive(Debug, Default)]
struct Buffered {
    /// Their shards, their bytes in the buffers of these, and the lengths of their keys. `None` once
    /// the buffer was drained.
    places: [Option<(usize, Range<usize>, usize)>; 2],
    /// Which of them is the older one.
    older: usize,
    /// Number of records that were added to another.
    repeats: u64,
}

impl Buffered {
    /// Adds `record` to the last but one if both have the same key, and returns whether it did.
    #[inline]
    fn counts<K: Keep>(&mut self, buffers: &mut [Buffer], record: &[u8], key: usize) -> bool {
        let Some((shard, place, old)) = &self.places[self.older] else { return false };
        // Most others differ in the length or in the last byte of their keys.
        if *old != key || key == 0 {
            return false;
        }
        let stored = &mut buffers[*shard].bytes[place.clone()];
        let is_same = stored[key - 1] == record[key - 1] && stored[..key] == record[..key];
        if !is_same || !K::count(stored, record, key) {
            return false;
        }
        self.older ^= 1;
        self.repeats += 1;
        true
    }

    /// Adds one to the count of the last record but one, if `name`, 0 and `rest` are its key, and returns whether it did.
    #[inline]
    fn counts_later<K: Keep>(&mut self, buffers: &mut [Buffer], name: &[u8], rest: &[u8]) -> bool {
        let Some((shard, place, key)) = &self.places[self.older] else { return false };
        let (stored, tail) = buffers[*shard].bytes[place.clone()].split_at_mut(*key);
        let parts = stored.split_at_checked(name.len());
        let is_same = parts.is_some_and(|(front, behind)| {
            front == name && matches!(behind, [0, behind @ ..] if behind == rest)
        });
        if !is_same || !K::count_later(tail) {
            return false;
        }
        self.older ^= 1;
        self.repeats += 1;
        true
    }

    /// Remembers where the last record is.
    #[inline]
    fn remember(&mut self, shard: usize, place: Range<usize>, key: usize) {
        // A record that was cut off has no whole key.
        self.places[self.older] = (key <= place.len()).then_some((shard, place, key));
        self.older ^= 1;
    }

    /// Forgets the records of a shard, whose buffer is empty again.
    fn drained(&mut self, shard: usize) {
        for place in &mut self.places {
            place.take_if(|(of, ..)| *of == shard);
        }
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
    use crate::collect::keep::{Count, Counted};
    use std::collections::BTreeMap;

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

    /// Pushes places of names, each after the one before it if `are_later`, and compares what the collector counts with a
    /// map.
    fn assert_counts(are_later: bool, places: impl Iterator<Item = (u64, u64, &'static str)>) {
        let collector = Collector::<Counted>::new();
        let mut batch = collector.batch();
        let mut expected: BTreeMap<Vec<u8>, (u64, u64, &str)> = BTreeMap::new();
        let mut pushed = 0;
        for (name, offset, text) in places {
            let mut record = format!("10.1000/{name}\0").into_bytes();
            let key = record.len();
            let place = expected.entry(record.clone()).or_insert((0, offset, text));
            let first = (offset, text).min((place.1, place.2));
            *place = (place.0 + 1, first.0, first.1);
            Count { count: 1, offset, kind: 2, text: text.as_bytes() }.write(&mut record);
            let doi = &record[..key - 1];
            assert!(!batch.push_later(&doi[..doi.len() - 1], b"") && !batch.push_later(doi, b"x"));
            if !are_later || !batch.push_later(doi, b"") {
                batch.push_record(&record, key);
            }
            pushed += 1;
        }
        assert_eq!(batch.finish(), pushed);
        assert_eq!(collector.received(), pushed);
        let collected = collector.take().expect("sound");
        let mut found = BTreeMap::new();
        for entry in collected.entries() {
            let record = collected.name(&entry);
            let key = memchr::memchr(0, record).expect("a key") + 1;
            let Count { count, offset, text, .. } = Count::read(&record[key..]).expect("a tail");
            let text = str::from_utf8(text).expect("text").to_owned();
            assert!(found.insert(record[..key].to_vec(), (count, offset, text)).is_none());
        }
        let expected: BTreeMap<_, _> = expected
            .into_iter()
            .map(|(key, (n, at, text))| (key, (n, at, text.to_owned())))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn counts_of_alternating_names_are_those_of_a_map() {
        let texts = ["", "a", "longer text"];
        // The citing name and the cited one in turn, so that buffers are drained between repeats.
        assert_counts(
            true,
            (0..60_000).map(|i| match i % 2 {
                0 => (i / 40, i, ""),
                _ => (1_000_000 + i * 7 % 9_001, i, texts[i as usize % 3]),
            }),
        );
        // A repeat may be earlier in the input, and its text longer.
        assert_counts(
            false,
            (0..5_000).map(|i| (i % 2 + i / 100, 5_000 - i, texts[i as usize % 3])),
        );
        assert_counts(false, (0..5_000).map(|i| (i / 3 % 5, i * 7 % 11, texts[i as usize % 3])));
    }
}
