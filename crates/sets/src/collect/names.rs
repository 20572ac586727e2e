//! The distinct names of a run, and the compact entries that are sorted instead of the names.

use super::arena::Arena;
use super::groups::{GroupIndex, NUMBER, Tails};
use super::keep::Keep;
use doiscan_os::prefix::shared;

/// Sort entry of one name: sixteen bytes of the name, big-endian and padded with zeros, then its
/// shard and its position in the shard. It is an array of integers because a vector of those can be
/// allocated as zeroed memory without writing to it. Each thread is then the first to touch the
/// pages of its part.
pub type Entry = [u64; 3];

/// Builds the entry of a name.
fn entry(key: [u64; 2], shard: usize, at: u32) -> Entry {
    [key[0], key[1], (shard as u64) << 32 | u64::from(at)]
}

/// The key that was last set in an entry, as one integer: comparing two arrays is a loop, which
/// takes twice as many instructions.
#[inline]
pub fn sort_key(entry: &Entry) -> u128 {
    u128::from(entry[0]) << 64 | u128::from(entry[1])
}

/// The shard of an entry and its position there.
#[inline]
fn place(entry: &Entry) -> (usize, u32) {
    ((entry[2] >> 32) as usize, entry[2] as u32)
}

/// Distinct names, in no order.
#[derive(Debug)]
pub struct Collected {
    arenas: Vec<Arena>,
    /// What the records of each shard have besides their keys, if they are grouped. Otherwise empty.
    tails: Vec<Tails>,
    /// Length of the prefix common to all names. Sort keys begin after it.
    shared: usize,
    /// Whether a stored record gets an entry.
    is_live: fn(&[u8]) -> bool,
}

impl Collected {
    /// Creates records. Computes the length of their common prefix if `K` does not state it.
    pub(super) fn new<K: Keep>(arenas: Vec<Arena>, tails: Vec<Tails>) -> Collected {
        let shared = K::SHARED.unwrap_or_else(|| shared_by_all(&arenas));
        let tails = if K::IS_GROUPED { tails } else { Vec::new() };
        Collected { arenas, tails, shared, is_live: K::is_live }
    }

    /// Returns the blocks for reuse.
    pub(super) fn into_blocks(self) -> impl Iterator<Item = Vec<u8>> {
        let tails = self.tails.into_iter().flat_map(Tails::into_blocks);
        self.arenas.into_iter().flat_map(Arena::into_blocks).chain(tails)
    }

    /// Bytes of memory used, including entries.
    pub(super) fn bytes(&self) -> usize {
        let arenas: usize = self.arenas.iter().map(Arena::bytes).sum();
        let tails: usize = self.tails.iter().map(Tails::bytes).sum();
        arenas + tails + self.len() * size_of::<Entry>()
    }

    /// Number of records. Those that are grouped are more than their distinct keys.
    pub fn records(&self) -> u64 {
        match self.tails.is_empty() {
            true => self.len() as u64,
            false => self.tails.iter().map(|tails| tails.len() as u64).sum(),
        }
    }

    /// Number of distinct names.
    pub fn len(&self) -> usize {
        self.arenas.iter().map(Arena::len).sum()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of records in each shard, in the shard order used by [`Collected::fill`].
    pub fn shard_lens(&self) -> impl Iterator<Item = usize> {
        self.arenas.iter().map(Arena::len)
    }

    /// Writes the entries of one shard into `entries`, whose length is the number of those entries.
    pub fn fill(&self, shard: usize, entries: &mut [Entry]) {
        for (entry, made) in entries.iter_mut().zip(self.of_shard(shard)) {
            *entry = made;
        }
    }

    /// Returns the entries of one shard.
    fn of_shard(&self, shard: usize) -> impl Iterator<Item = Entry> {
        let live = self.arenas[shard].iter().filter(|(_, record)| (self.is_live)(record));
        live.map(move |(at, name)| entry(key(name, self.shared, 0), shard, at))
    }

    /// Returns the unsorted entries of all names, on the current thread only.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(self.len());
        (0..self.arenas.len()).for_each(|shard| entries.extend(self.of_shard(shard)));
        entries
    }

    /// The name of an entry.
    #[inline]
    pub fn name(&self, entry: &Entry) -> &[u8] {
        let (shard, at) = place(entry);
        self.arenas[shard].get(at)
    }

    /// Number of shards whose records are grouped: all or none.
    pub fn grouped_shards(&self) -> usize {
        self.tails.len()
    }

    /// Finds the records of each key of a shard.
    pub fn index(&self, shard: usize) -> GroupIndex {
        self.tails[shard].index()
    }

    /// Writes the places of the records of a key, in order.
    pub fn group(&self, entry: &Entry, groups: &[GroupIndex], places: &mut Vec<u32>) {
        let (shard, at) = place(entry);
        places.clear();
        places.extend_from_slice(groups[shard].places(self.arenas[shard].get(at)));
        if places.len() > 1 {
            let tails = &self.tails[shard];
            places.sort_by(|&one, &other| tails.compare(one, other));
        }
    }

    /// The key of an entry whose records are grouped.
    #[inline]
    pub fn key(&self, entry: &Entry) -> &[u8] {
        let stored = self.name(entry);
        &stored[..stored.len() - NUMBER]
    }

    /// The context and the rest of the record at `at`, one of those of [`Collected::group`].
    #[inline]
    pub fn tail(&self, entry: &Entry, at: u32) -> (&[u8], &[u8]) {
        self.tails[place(entry).0].get(at)
    }

    /// Like [`Collected::fetch`], for the records of some entries.
    pub fn fetch_groups(&self, entries: &[Entry], groups: &[GroupIndex]) {
        self.fetch(entries);
        let first = |entry: &Entry| {
            let (shard, at) = place(entry);
            let places = groups[shard].places(self.arenas[shard].get(at));
            places.iter().fold(0, |all, &at| all ^ self.tails[shard].first(at))
        };
        std::hint::black_box(entries.iter().fold(0, |all, entry| all ^ first(entry)));
    }

    /// Sorts entries by the bytes of their names, on the current thread only. At `level`, the names
    /// must already agree in the keys of all lower levels. The keys of level 0 must be set, as
    /// [`Collected::fill`] does.
    ///
    /// Records of one journal share sixteen bytes or more. Comparing whole names would fetch two
    /// names from memory for each comparison. Here each name is fetched once a level, and only keys
    /// are compared.
    pub fn sort(&self, entries: &mut [Entry], level: usize) {
        if entries.len() <= FEW || level >= LEVELS {
            self.fetch(entries);
            entries.sort_unstable_by(|a, b| self.name(a).cmp(self.name(b)));
            return;
        }
        if level > 0 {
            self.rekey(entries, level);
        }
        entries.sort_unstable_by_key(sort_key);
        for tied in
            entries.chunk_by_mut(|a, b| sort_key(a) == sort_key(b)).filter(|run| run.len() > 1)
        {
            self.sort(tied, level + 1);
        }
    }

    /// Loads the names of some entries into the cache. Independent loads overlap, whereas comparing
    /// or copying waits for each name.
    pub fn fetch(&self, entries: &[Entry]) {
        let first = |entry: &Entry| {
            let (shard, at) = place(entry);
            self.arenas[shard].first(at)
        };
        std::hint::black_box(entries.iter().fold(0, |all, entry| all ^ first(entry)));
    }

    /// Sets the keys of `entries` to those of `level`.
    pub fn rekey(&self, entries: &mut [Entry], level: usize) {
        for entry in entries {
            let [one, two] = key(self.name(entry), self.shared, level);
            (entry[0], entry[1]) = (one, two);
        }
    }
}

/// Up to this many names are compared as a whole, after all of them were fetched.
const FEW: usize = 16;

/// Names that share this many keys are compared as a whole. By then all short names differ, and the
/// number of passes over long names is bounded.
const LEVELS: usize = 8;

/// Returns sixteen bytes of `name`, big-endian, starting after the common prefix and the keys of
/// lower levels.
///
/// Different keys sort as their names do: at the first difference, either both bytes belong to the
/// names, or one is padding and its name is a prefix of the other. Equal keys do not imply equal
/// lengths (`A` and `A\0` have the same key).
fn key(name: &[u8], shared: usize, level: usize) -> [u64; 2] {
    let name = name.get(shared + 16 * level..).unwrap_or_default();
    let both = u128::from_be_bytes(name.first_chunk().copied().unwrap_or_else(|| {
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name);
        bytes
    }));
    [(both >> 64) as u64, both as u64]
}

/// Computes the length of the prefix common to all records from the common prefix of each arena.
fn shared_by_all(arenas: &[Arena]) -> usize {
    let mut prefixes = arenas.iter().filter_map(Arena::prefix);
    let Some(first) = prefixes.next() else { return 0 };
    prefixes
        .fold(first.len(), |most, prefix| shared(&first[..most], &prefix[..most.min(prefix.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::budget::Budget;
    use crate::collect::keep::All;
    use doiscan_os::ledger::Ledger;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_all_share_is_what_a_loop_over_all_counts(
            arenas in prop::collection::vec(prop::collection::vec("(ab){0,9}[abc]{0,3}", 0..6), 0..5),
        ) {
            let budget = Budget::new(usize::MAX, Ledger::default());
            let filled = arenas.iter().map(|names| {
                let mut arena = Arena::default();
                for name in names {
                    arena.push_compared(name.as_bytes(), &budget).expect("room");
                }
                arena
            });
            let filled: Vec<Arena> = filled.collect();
            let names: Vec<&[u8]> = arenas.iter().flatten().map(|name| name.as_bytes()).collect();
            let is_shared = |len: &usize| names.iter().all(|n| n.get(..*len) == names[0].get(..*len));
            let least = names.iter().map(|name| name.len()).min().unwrap_or(0);
            let naive = (0..=least).rev().find(is_shared).unwrap_or(0);
            prop_assert_eq!(shared_by_all(&filled), naive);
        }
    }

    #[test]
    fn many_equal_names_are_sorted() {
        let (budget, mut arena) = (Budget::new(usize::MAX, Ledger::default()), Arena::default());
        let long = "10.1/".repeat(60);
        let name = |i: usize| [long.as_str(), ["B", "A", "A\0"][i % 3]].concat().into_bytes();
        let mut names: Vec<_> = (0..6 * FEW).map(name).collect();
        for name in &names {
            arena.push_compared(name, &budget).expect("room");
        }
        let collected = Collected::new::<All>(vec![arena], Vec::new());
        let mut entries = collected.entries();
        collected.sort(&mut entries, 0);
        names.sort();
        assert!(entries.iter().map(|entry| collected.name(entry)).eq(names));
    }
}
