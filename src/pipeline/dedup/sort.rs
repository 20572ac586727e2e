//! Sorts names, on all threads where they work together.

use super::name_buffer::{BUFFER, NameBuffer};
use super::ordered::OrderedTask;
use crate::collect::{Entry, Records, sort_key};
use crate::pipeline::error::Error;
use rayon::prelude::*;

/// Names that one thread formats.
const SLICE: usize = 8 * 1024;

/// Names that are fetched from memory at once: neighbours in the list are none there.
const AHEAD: usize = 32;

/// Names with one key that are worth more than one thread.
const TOGETHER: usize = 16 * 1024;

/// So many keys are sorted by all threads: names that share more are rare.
const PASSES: usize = 4;

/// The entries of all names in the order of the names' bytes.
pub(in crate::pipeline) fn sorted(names: &Records, together: bool) -> Vec<Entry> {
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

/// As [`Records::sort`], on all threads. The keys of `level` are set.
fn sort(names: &Records, entries: &mut [Entry], level: usize) {
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

/// A stretch of sorted names.
pub(in crate::pipeline) struct SortedSlice<'a> {
    names: &'a Records,
    entries: &'a [Entry],
    /// Names given out.
    pub(in crate::pipeline) given: u64,
}

impl<'a> SortedSlice<'a> {
    /// All of `entries`, in stretches.
    pub(in crate::pipeline) fn all(
        names: &'a Records,
        entries: &'a [Entry],
    ) -> impl Iterator<Item = Self> {
        entries.chunks(SLICE).map(move |entries| SortedSlice { names, entries, given: 0 })
    }
}

impl<O: NameBuffer> OrderedTask<O> for SortedSlice<'_> {
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
