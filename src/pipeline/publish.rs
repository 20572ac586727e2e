//! Sorts the names and writes them.

use super::Error;
use super::crew::Crew;
use crate::collect::{Entry, Names};
use crate::output::{Output, lines};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Names formatted into one buffer, about 256 KiB of them.
const SLICE: usize = 8 * 1024;

/// Names with one key that are worth more than one thread.
const TOGETHER: usize = 16 * 1024;

/// So many keys are sorted by all threads: names that share more are rare.
const PASSES: usize = 4;

/// Writes all names in the order of their bytes and returns how many.
pub(super) fn write(names: &Names, crew: &Crew, output: &mut Output) -> Result<u64, Error> {
    let entries = sorted(names, crew)?;
    let mut buffers: Vec<Vec<u8>> = vec![Vec::new(); 4 * crew.threads()];
    let mut written = 0;
    for wave in entries.chunks(SLICE * buffers.len()) {
        let format = |(slice, buffer): (&[Entry], &mut Vec<u8>)| {
            buffer.clear();
            lines(slice.iter().map(|entry| names.name(entry)), buffer);
            slice.len() as u64
        };
        written += crew.run(|together| match together {
            false => wave.chunks(SLICE).zip(&mut buffers).map(format).sum::<u64>(),
            true => wave.par_chunks(SLICE).zip(&mut buffers).map(format).sum(),
        })?;
        for buffer in &buffers[..wave.len().div_ceil(SLICE)] {
            output.write(buffer)?;
        }
    }
    Ok(written)
}

/// Writes the shortDOIs, one a line. Returns how many there are.
pub(super) fn short(found: &BTreeSet<Vec<u8>>, mut output: Output) -> Result<u64, Error> {
    let mut text = Vec::new();
    lines(found.iter().map(Vec::as_slice), &mut text);
    output.write(&text)?;
    output.finish()?;
    Ok(found.len() as u64)
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

/// The entries of all names in the order of the names' bytes.
fn sorted(names: &Names, crew: &Crew) -> Result<Vec<Entry>, Error> {
    crew.run(|together| {
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
    })
}
