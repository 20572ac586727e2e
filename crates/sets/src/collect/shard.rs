//! One shard: a table of eight-byte slots over an arena of names.

use super::arena::Arena;
use super::budget::Budget;
use super::error::Error;
use super::groups::Tails;
use super::keep::{BatchRecord, Keep};
use super::names::Entry as SortEntry;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::marker::PhantomData;

/// Records that are looked up as a group.
const GROUP: usize = 128;

/// Bytes of a table that stay in the cache from one batch to the next. Larger batches and early lookups
/// pay only when the table is larger than this.
pub(super) const CACHED: usize = 16 * 1024;

/// A name in the table. The hash is stored so that growing the table does not access the names.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    at: u32,
}

/// The names of one part of the hash range.
#[derive(Debug, Default)]
pub(super) struct Shard<K> {
    table: HashTable<Slot>,
    arena: Arena,
    /// What records have besides their keys, if they are grouped.
    tails: Tails,
    received: u64,
    error: Option<Error>,
    keep: PhantomData<K>,
}

impl<K: Keep> Shard<K> {
    /// Inserts the records of a batch, at most `count`, if they fit the budget, and returns whether they did. An
    /// empty shard accepts any batch, so that there is always something to spill.
    pub(super) fn insert_all<'a>(
        &mut self,
        records: impl Iterator<Item = BatchRecord<'a>>,
        count: usize,
        budget: &Budget,
    ) -> bool {
        // Assumes no duplicates.
        let grows = K::IS_DISTINCT && self.table.capacity() - self.table.len() < count;
        let more = if grows { 4 * self.table.allocation_size() } else { 0 };
        if self.arena.len() > 0 && !budget.has_room(more) {
            return false;
        }
        let before = self.bytes();
        match K::IS_DISTINCT {
            true => self.look_up_and_insert(records, budget),
            false => records.for_each(|found| self.append(found.record, budget)),
        }
        budget.resized(before, self.bytes());
        true
    }

    /// Bytes used, including the entries needed for sorting. The table counts twice: the smaller
    /// tables that it grew from are together as large, and the allocator holds them for a while.
    fn bytes(&self) -> usize {
        let entries = self.arena.len() * size_of::<SortEntry>();
        let tails = if K::IS_GROUPED { self.tails.bytes() } else { 0 };
        tails + self.arena.bytes() + 2 * self.table.allocation_size() + entries
    }

    /// Looks up and inserts records in groups. Most names are repeats, and neither a large table nor
    /// the arena is in the cache. All lookups of a group therefore precede the first comparison, so
    /// that independent loads overlap.
    fn look_up_and_insert<'a>(
        &mut self,
        mut records: impl Iterator<Item = BatchRecord<'a>>,
        budget: &Budget,
    ) {
        let mut group = Vec::with_capacity(GROUP);
        loop {
            let is_large = self.table_bytes() > CACHED;
            let place = |found: BatchRecord<'a>| {
                let place = if is_large { self.place(found.hash) } else { None };
                (place, found)
            };
            group.clear();
            group.extend(records.by_ref().take(GROUP).map(place));
            let stored = group.iter().filter_map(|(place, _)| Some(self.arena.first((*place)?)));
            std::hint::black_box(stored.fold(0, |all, first| all ^ first));
            for &(place, found) in &group {
                if K::IS_GROUPED && found.key == BatchRecord::CONTEXT {
                    self.tails.set_context(found.record);
                    continue;
                }
                let is_same = |at: &u32| K::is_same(self.arena.get(*at), found.record, found.key);
                match place.filter(is_same) {
                    Some(at) => self.add(at, found, budget),
                    None => self.insert(found, budget),
                }
            }
            if group.len() < GROUP {
                return;
            }
        }
    }

    /// Returns the position of a record with this hash, if any.
    fn place(&self, hash: u32) -> Option<u32> {
        self.table.find(spread(hash), |slot| slot.hash == hash).map(|slot| slot.at)
    }

    /// Keeps a record if its key is new. After an error nothing more is kept; the run has failed
    /// and reports the error at the end.
    fn insert(&mut self, found: BatchRecord<'_>, budget: &Budget) {
        let BatchRecord { hash, record, key } = found;
        let arena = &self.arena;
        let same = |slot: &Slot| slot.hash == hash && K::is_same(arena.get(slot.at), record, key);
        match self.table.entry(spread(hash), same, |slot| spread(slot.hash)) {
            Entry::Occupied(occupied) => {
                let at = occupied.get().at;
                self.add(at, found, budget);
            }
            Entry::Vacant(vacant) => {
                self.received += 1;
                let pushed = match K::IS_GROUPED {
                    true => self.arena.push_both(&record[..key], &self.tails.number(), budget),
                    false => self.arena.push(record, budget),
                };
                match pushed {
                    Ok(at) => {
                        vacant.insert(Slot { hash, at });
                        if K::IS_GROUPED {
                            self.push_tail(at, found, budget);
                        }
                    }
                    Err(error) => self.error = Some(error),
                }
            }
        }
    }

    /// Merges a record into the one at `at`, which has the same key.
    #[inline]
    fn add(&mut self, at: u32, found: BatchRecord<'_>, budget: &Budget) {
        self.received += 1;
        if !K::HAS_TAIL {
            return;
        }
        if K::IS_GROUPED {
            return self.push_tail(at, found, budget);
        }
        let Some(longer) = K::add(self.arena.get_mut(at), found.record, found.key) else { return };
        match self.arena.replace(&longer, budget) {
            Ok(new) => {
                let is_it = |slot: &Slot| slot.at == at;
                if let Some(slot) = self.table.find_mut(spread(found.hash), is_it) {
                    slot.at = new;
                }
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// Keeps what a record has besides its key, which is at `at`.
    #[inline]
    fn push_tail(&mut self, at: u32, found: BatchRecord<'_>, budget: &Budget) {
        let rest = &found.record[found.key..];
        if let Err(error) = self.tails.push(self.arena.get(at), rest, budget) {
            self.error = Some(error);
        }
    }

    /// Keeps a record, even if an equal one exists.
    fn append(&mut self, record: &[u8], budget: &Budget) {
        self.received += 1;
        if let Err(error) = self.arena.push_compared(record, budget) {
            self.error = Some(error);
        }
    }

    /// Takes the names out. The table keeps its capacity because equally many names are expected
    /// again.
    pub(super) fn take(&mut self) -> Result<(Arena, Tails), Error> {
        self.table.clear();
        match self.error {
            Some(error) => Err(error),
            None => Ok((std::mem::take(&mut self.arena), std::mem::take(&mut self.tails))),
        }
    }

    /// Bytes of the table.
    pub(super) fn table_bytes(&self) -> usize {
        self.table.allocation_size()
    }

    /// Counts names that a batch recognised as repeats and did not hand over.
    pub(super) fn receive_repeats(&mut self, repeats: u64) {
        self.received += repeats;
    }

    /// Number of names received, including repeats.
    pub(super) fn received(&self) -> u64 {
        self.received
    }
}

/// Copies the 32-bit hash into both halves, because the table takes its index from the low bits and
/// its tag from the top seven.
fn spread(hash: u32) -> u64 {
    u64::from(hash) | u64::from(hash) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::keep::{Count, Counted, Names};
    use doiscan_os::ledger::Ledger;
    use doiscan_os::testing::measure;

    fn names(from: u32, to: u32) -> Vec<(u32, Vec<u8>)> {
        let hash = |i: u32| i.wrapping_mul(0x9e37_79b1);
        (from..to).map(|i| (hash(i), format!("10.1000/{i}").into_bytes())).collect()
    }

    fn insert(shard: &mut Shard<Names>, names: &[(u32, Vec<u8>)], budget: &Budget) -> bool {
        let records = names.iter().map(|(hash, name)| BatchRecord {
            hash: *hash,
            record: name,
            key: name.len(),
        });
        shard.insert_all(records, names.len(), budget)
    }

    #[test]
    fn keys_with_the_same_hash_are_told_apart() {
        let long = "10.1/".repeat(20);
        let records = ["10.1/A", "10.1/B", "10.1/AB", &long, "10.1/A"].map(|name| {
            let mut record = format!("{name}\0").into_bytes();
            let key = record.len();
            Count { count: 1, offset: 5, kind: 0, text: b"" }.write(&mut record);
            (record, key)
        });
        let found =
            || records.iter().map(|(record, key)| BatchRecord { hash: 7, record, key: *key });
        let budget = Budget::new(usize::MAX, Ledger::default());
        let mut shard = Shard::<Counted>::default();
        for _ in 0..2 {
            assert!(shard.insert_all(found(), records.len(), &budget));
        }
        let count = |stored: &[u8], key| Count::read(&stored[key..]).map(|count| count.count);
        let stored: Vec<_> = shard.arena.iter().map(|(_, stored)| stored).collect();
        assert_eq!(stored.len(), 4);
        for ((record, key), (stored, expected)) in
            records.iter().zip(stored.iter().zip([4, 2, 2, 2]))
        {
            assert_eq!(stored[..*key], record[..*key]);
            assert_eq!(count(stored, *key), Some(expected));
        }
    }

    #[test]
    fn memory_is_counted_as_the_allocator_counts_it() {
        let names = names(0, 50_000);
        let budget = Budget::new(usize::MAX, Ledger::default());
        let mut shard = Shard::default();
        let (_, live, _) = measure(|| insert(&mut shard, &names, &budget));
        let table = live - shard.arena.bytes();
        let entries = names.len() * size_of::<SortEntry>();
        let expected = shard.arena.bytes() + 2 * table + entries;
        assert!(budget.used().abs_diff(expected) < expected / 100, "{} {expected}", budget.used());
    }

    #[test]
    fn a_table_grows_only_where_the_budget_has_room_for_old_and_new() {
        let budget = Budget::new(usize::MAX, Ledger::default());
        let mut shard = Shard::default();
        assert!(insert(&mut shard, &names(0, 1_000), &budget));
        let full = shard.table.capacity() as u32;
        assert!(insert(&mut shard, &names(1_000, full), &budget));
        let (used, size) = (budget.used(), shard.table.allocation_size());
        let one = names(full, full + 1);
        let small = Budget::new(used + 4 * size - 1, Ledger::default());
        small.resized(0, used);
        let (is_taken, _, peak) = measure(|| insert(&mut shard, &one, &small));
        assert!(!is_taken && peak < 1_024, "{peak}");
        let enough = Budget::new(used + 4 * size, Ledger::default());
        enough.resized(0, used);
        let (is_taken, _, peak) = measure(|| insert(&mut shard, &one, &enough));
        assert!(is_taken && size < peak && peak <= 4 * size, "{peak} {size}");
    }
}
