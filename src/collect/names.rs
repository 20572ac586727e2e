//! The distinct names of a run, and the entries that are sorted in their stead.

use super::arena::Arena;

/// Every name begins with these three bytes: the key begins behind them.
const SHARED: usize = 3;

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
pub struct Names {
    arenas: Vec<Arena>,
}

impl Names {
    pub(super) fn new(arenas: Vec<Arena>) -> Names {
        Names { arenas }
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

    /// Names in each shard, in the order in which [`Names::fill`] counts them.
    pub fn shard_lens(&self) -> impl Iterator<Item = usize> {
        self.arenas.iter().map(Arena::len)
    }

    /// Writes the entries of one shard into `entries`, which has room for just those.
    pub fn fill(&self, shard: usize, entries: &mut [Entry]) {
        for (entry, (at, name)) in entries.iter_mut().zip(self.arenas[shard].iter()) {
            *entry = Entry { key: key(name, 0), shard: shard as u32, at };
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
    /// Names of one journal share sixteen bytes and more. Comparing those as
    /// wholes would fetch two names from memory for each comparison; here each
    /// is fetched once a level, and only keys are compared.
    pub fn sort(&self, entries: &mut [Entry], level: usize) {
        if entries.len() <= FEW || level >= LEVELS {
            entries.sort_unstable_by(|a, b| self.name(a).cmp(self.name(b)));
            return;
        }
        self.rekey(entries, level);
        entries.sort_unstable_by_key(|entry| entry.key);
        for tied in entries.chunk_by_mut(|a, b| a.key == b.key).filter(|run| run.len() > 1) {
            self.sort(tied, level + 1);
        }
    }

    /// Sets the keys to those of `level`.
    pub fn rekey(&self, entries: &mut [Entry], level: usize) {
        for entry in entries {
            entry.key = key(self.name(entry), level);
        }
    }
}

/// So few names are compared as wholes.
const FEW: usize = 4;

/// Names that share this many keys are compared as wholes: all short names are
/// apart by then, and the number of passes over long ones is bounded.
const LEVELS: usize = 8;

/// Sixteen bytes behind `10.` and the keys before, big-endian.
///
/// Different keys order as the names do: where they first differ, either both
/// bytes are the names' own, or one is the filling and its name a prefix of the
/// other. Equal keys say nothing about length (`A` and `A\0` have the same).
fn key(name: &[u8], level: usize) -> [u64; 2] {
    let name = name.get(SHARED + 16 * level..).unwrap_or_default();
    let mut bytes = [0; 16];
    let len = name.len().min(bytes.len());
    bytes[..len].copy_from_slice(&name[..len]);
    let both = u128::from_be_bytes(bytes);
    [(both >> 64) as u64, both as u64]
}
