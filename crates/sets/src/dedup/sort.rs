//! Sorts names, on all threads if there are several.

use super::name_buffer::{BUFFER, NameBuffer};
use super::ordered::OrderedTask;
use crate::Error;
use crate::collect::{Collected, Entry, sort_key};
use rayon::prelude::*;

/// Number of names that one thread formats at a time.
const SLICE: usize = 8 * 1024;

/// Number of names fetched from memory at once. Names adjacent in the list are not adjacent in
/// memory.
const AHEAD: usize = 32;

/// Number of names with equal keys above which sorting them uses several threads.
const TOGETHER: usize = 16 * 1024;

/// Number of keys that are sorted by all threads. Names that share more keys are rare.
const PASSES: usize = 4;

/// Returns the entries of all names, sorted by the bytes of the names.
pub(super) fn sorted(names: &Collected, together: bool) -> Vec<Entry> {
    if !together {
        let mut entries = names.entries();
        names.sort(&mut entries, 0);
        return entries;
    }
    let mut entries = vec![[0; 3]; names.len()];
    let mut rest = entries.as_mut_slice();
    let mut parts = Vec::new();
    for (shard, len) in names.shard_lens().enumerate() {
        let (part, behind) = rest.split_at_mut(len);
        parts.push((shard, part));
        rest = behind;
    }
    parts.into_par_iter().for_each(|(shard, part)| names.fill(shard, part));
    sort(names, &mut entries, 0);
    entries
}

/// Like [`Collected::sort`], on all threads. The keys of `level` must be set.
fn sort(names: &Collected, entries: &mut [Entry], level: usize) {
    entries.par_sort_unstable_by_key(sort_key);
    entries.par_chunk_by_mut(|a, b| sort_key(a) == sort_key(b)).for_each(|tied| {
        if tied.len() > TOGETHER && level < PASSES {
            tied.par_chunks_mut(SLICE).for_each(|part| names.rekey(part, level + 1));
            sort(names, tied, level + 1);
        } else if tied.len() > 1 {
            names.sort(tied, level + 1);
        }
    });
}

/// A range of sorted names.
pub(super) struct SortedSlice<'a> {
    names: &'a Collected,
    entries: &'a [Entry],
    /// Number of names returned.
    pub(super) given: u64,
}

impl<'a> SortedSlice<'a> {
    /// Splits `entries` into ranges.
    pub(super) fn all(names: &'a Collected, entries: &'a [Entry]) -> impl Iterator<Item = Self> {
        entries.chunks(SLICE).map(move |entries| SortedSlice { names, entries, given: 0 })
    }
}

impl<O: NameBuffer> OrderedTask<O> for SortedSlice<'_> {
    type Error = Error;

    fn fill(&mut self, out: &mut O) -> Result<bool, Error> {
        out.clear();
        let mut given = 0;
        while given < self.entries.len() && out.len() < BUFFER {
            if given.is_multiple_of(AHEAD) {
                let end = self.entries.len().min(given + AHEAD);
                self.names.fetch(&self.entries[given..end]);
            }
            out.push(self.names.name(&self.entries[given]));
            given += 1;
        }
        self.entries = &self.entries[given..];
        self.given += given as u64;
        out.close();
        Ok(self.entries.is_empty())
    }
}
