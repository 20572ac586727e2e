//! Sorts names, on all threads where they work together.

use super::Error;
use super::page::{BUFFER, Page};
use super::wave::Piece;
use crate::collect::{Entry, Names};
use rayon::prelude::*;

/// Names that one thread formats.
const SLICE: usize = 8 * 1024;

/// Names with one key that are worth more than one thread.
const TOGETHER: usize = 16 * 1024;

/// So many keys are sorted by all threads: names that share more are rare.
const PASSES: usize = 4;

/// The entries of all names in the order of the names' bytes.
pub(super) fn sorted(names: &Names, together: bool) -> Vec<Entry> {
    if !together {
        let mut entries = names.entries();
        names.sort(&mut entries, 0);
        return entries;
    }
    let mut entries = vec![Entry::default(); names.len()];
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

/// As [`Names::sort`], on all threads. The keys of `level` are set.
fn sort(names: &Names, entries: &mut [Entry], level: usize) {
    entries.par_sort_unstable_by_key(Entry::key);
    entries.par_chunk_by_mut(|a, b| a.key() == b.key()).for_each(|tied| {
        if tied.len() > TOGETHER && level < PASSES {
            tied.par_chunks_mut(SLICE).for_each(|part| names.rekey(part, level + 1));
            sort(names, tied, level + 1);
        } else if tied.len() > 1 {
            names.sort(tied, level + 1);
        }
    });
}

/// A stretch of sorted names.
pub(super) struct Stretch<'a> {
    names: &'a Names,
    entries: &'a [Entry],
    /// Names given out.
    pub(super) given: u64,
}

impl<'a> Stretch<'a> {
    /// All of `entries`, in stretches.
    pub(super) fn all(names: &'a Names, entries: &'a [Entry]) -> impl Iterator<Item = Self> {
        entries.chunks(SLICE).map(move |entries| Stretch { names, entries, given: 0 })
    }
}

impl<O: Page> Piece<O> for Stretch<'_> {
    fn fill(&mut self, out: &mut O) -> Result<bool, Error> {
        out.clear();
        while let Some((entry, rest)) = self.entries.split_first() {
            if out.len() >= BUFFER {
                break;
            }
            out.push(self.names.name(entry));
            self.entries = rest;
            self.given += 1;
        }
        out.close();
        Ok(self.entries.is_empty())
    }
}
