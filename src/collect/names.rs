//! The distinct names of a run, and the entries that are sorted in their stead.

use super::arena::Arena;
use super::keep::Keep;
use super::merge::shared;

/// One name in sorting: some of its bytes, and where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Sixteen bytes of it, big-endian, a short name filled up with zeros.
    key: [u64; 2],
    shard: u32,
    at: u32,
}

impl Entry {
    /// The key that was set last.
    pub fn key(&self) -> [u64; 2] {
        self.key
    }
}

/// Distinct names, in no order.
#[derive(Debug)]
pub struct Records {
    arenas: Vec<Arena>,
    /// Bytes that all begin with: the keys of sorting begin behind them.
    shared: usize,
    /// Whether an entry is made of a record.
    is_live: fn(&[u8]) -> bool,
}

impl Records {
    /// Records that begin with `shared` equal bytes; when none is given they are compared.
    pub(super) fn new<K: Keep>(arenas: Vec<Arena>) -> Records {
        let shared = K::SHARED.unwrap_or_else(|| shared_by_all(&arenas));
        Records { arenas, shared, is_live: K::is_live }
    }

    pub(super) fn into_arenas(self) -> impl Iterator<Item = Arena> {
        self.arenas.into_iter()
    }

    /// Bytes they take, those of their entries among them.
    pub(super) fn bytes(&self) -> usize {
        let arenas: usize = self.arenas.iter().map(Arena::bytes).sum();
        arenas + self.len() * size_of::<Entry>()
    }

    /// Distinct names.
    pub fn len(&self) -> usize {
        self.arenas.iter().map(Arena::len).sum()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records in each shard, in the order in which [`Records::fill`] counts them.
    pub fn shard_lens(&self) -> impl Iterator<Item = usize> {
        self.arenas.iter().map(Arena::len)
    }

    /// Writes the entries of one shard into `entries`, which has room for just those.
    pub fn fill(&self, shard: usize, entries: &mut [Entry]) {
        let live = self.arenas[shard].iter().filter(|(_, record)| (self.is_live)(record));
        for (entry, (at, name)) in entries.iter_mut().zip(live) {
            *entry = Entry { key: key(name, self.shared, 0), shard: shard as u32, at };
        }
    }

    /// The entries of all names, unsorted, on this thread alone.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = vec![Entry::default(); self.len()];
        let mut rest = entries.as_mut_slice();
        for (shard, len) in self.shard_lens().enumerate() {
            let (part, behind) = rest.split_at_mut(len);
            self.fill(shard, part);
            rest = behind;
        }
        entries
    }

    /// The name of an entry.
    #[inline]
    pub fn name(&self, entry: &Entry) -> &[u8] {
        self.arenas[entry.shard as usize].get(entry.at)
    }

    /// Sorts entries by the bytes of their names, on this thread alone. The
    /// names must agree in the bytes of the keys of all levels before `level`:
    /// at 0 in none.
    ///
    /// Records of one journal share sixteen bytes and more. Comparing those as
    /// wholes would fetch two names from memory for each comparison; here each
    /// is fetched once a level, and only keys are compared.
    pub fn sort(&self, entries: &mut [Entry], level: usize) {
        if entries.len() <= FEW || level >= LEVELS {
            self.fetch(entries);
            entries.sort_unstable_by(|a, b| self.name(a).cmp(self.name(b)));
            return;
        }
        self.rekey(entries, level);
        entries.sort_unstable_by_key(|entry| entry.key);
        for tied in entries.chunk_by_mut(|a, b| a.key == b.key).filter(|run| run.len() > 1) {
            self.sort(tied, level + 1);
        }
    }

    /// Brings the names of some entries into the cache: loads that do not wait for each other
    /// overlap, while comparing or copying waits for each name.
    pub fn fetch(&self, entries: &[Entry]) {
        let first = |entry: &Entry| self.arenas[entry.shard as usize].first(entry.at);
        std::hint::black_box(entries.iter().fold(0, |all, entry| all ^ first(entry)));
    }

    /// Sets the keys to those of `level`.
    pub fn rekey(&self, entries: &mut [Entry], level: usize) {
        for entry in entries {
            entry.key = key(self.name(entry), self.shared, level);
        }
    }
}

/// So few names are compared as wholes, after all of them were fetched at once.
const FEW: usize = 16;

/// Records that share this many keys are compared as wholes: all short names are
/// apart by then, and the number of passes over long ones is bounded.
const LEVELS: usize = 8;

/// Sixteen bytes behind `10.` and the keys before, big-endian.
///
/// Different keys order as the names do: where they first differ, either both
/// bytes are the names' own, or one is the filling and its name a prefix of the
/// other. Equal keys say nothing about length (`A` and `A\0` have the same).
fn key(name: &[u8], shared: usize, level: usize) -> [u64; 2] {
    let name = name.get(shared + 16 * level..).unwrap_or_default();
    let both = u128::from_be_bytes(name.first_chunk().copied().unwrap_or_else(|| {
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name);
        bytes
    }));
    [(both >> 64) as u64, both as u64]
}

/// How many bytes all records share at their beginnings.
fn shared_by_all(arenas: &[Arena]) -> usize {
    let mut records = arenas.iter().flat_map(Arena::iter).map(|(_, record)| record);
    let Some(first) = records.next() else { return 0 };
    records.fold(first.len(), |most, record| match record.get(..most) == Some(&first[..most]) {
        true => most,
        false => shared(&first[..most], &record[..record.len().min(most)]),
    })
}
