//! Writes what was collected, in order.

use super::merge::{self, RangeMerge};
use super::name_buffer::NameBuffer;
use super::ordered::ordered;
use super::sort::{SortedSlice, sorted};
use super::spill::{Spill, Spilled};
use crate::Error;
use crate::collect::{Collected, Keep};
use crate::pool::Pool;
/// The figures of a written list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Published {
    /// Records received, including repeats.
    pub received: u64,
    /// Records in all runs, or in memory.
    pub kept: u64,
    /// Records written.
    pub written: u64,
    /// Records that were in more than one run.
    pub repeats: u64,
    /// Number of runs.
    pub runs: u64,
    /// Bytes written to runs.
    pub spilled_bytes: u64,
}

/// Passes all records of the collector to `write`, in order, in buffers made by `new`.
pub fn each<K: Keep, O: NameBuffer, E: From<Error> + Send>(
    spill: Spill<K>,
    memory: usize,
    pool: &Pool,
    new: impl Fn() -> O + Send,
    write: impl FnMut(&mut O, bool) -> Result<(), E> + Send,
) -> Result<Published, E> {
    let (mut spilled, left) = pool.run(|together| spill.finish(together))??;
    let mut sum = Published {
        received: spilled.received,
        // Segments do not count as spilled runs.
        runs: if spilled.filters.is_some() { 0 } else { spilled.runs.len() as u64 },
        kept: spilled.names + left.records(),
        ..Published::default()
    };
    match spilled.runs.is_empty() {
        true => names(&left, pool, new, write, &mut sum)?,
        false => runs(&mut spilled, memory, pool, new, write, &mut sum)?,
    }
    sum.spilled_bytes = spilled.space.written();
    Ok(sum)
}

/// Writes all records in memory, sorted by their bytes.
fn names<O: NameBuffer, E: From<Error> + Send>(
    names: &Collected,
    pool: &Pool,
    new: impl Fn() -> O + Send,
    mut write: impl FnMut(&mut O, bool) -> Result<(), E> + Send,
    sum: &mut Published,
) -> Result<(), E> {
    let width = 4 * pool.threads();
    pool.run(|together| {
        let sorted = sorted(names, together);
        let tasks = SortedSlice::all(names, &sorted);
        ordered(together, width, tasks, new, |task: &mut SortedSlice<'_>, page| {
            sum.written += std::mem::take(&mut task.given);
            write(page, together)
        })
    })?
}

/// Merges the runs. Uses several passes if `memory` bytes do not allow merging all of them at once.
fn runs<O: NameBuffer, E: From<Error> + Send>(
    spilled: &mut Spilled,
    memory: usize,
    pool: &Pool,
    new: impl Fn() -> O + Send,
    mut write: impl FnMut(&mut O, bool) -> Result<(), E> + Send,
    sum: &mut Published,
) -> Result<(), E> {
    let threads = pool.threads();
    pool.run(|together| {
        let plan = merge::reduce(spilled, memory, threads, together, &mut sum.repeats)?;
        let filters = spilled.filters.as_deref();
        let ranges = match filters.is_some_and(|filters| filters.is_grouped()) {
            true => plan.ranges_of_names(&spilled.runs),
            false => plan.ranges(&spilled.runs),
        };
        let tasks = ranges.iter().map(|range| {
            RangeMerge::new(&spilled.runs, range, &plan, spilled.is_distinct).with(filters)
        });
        ordered(together, threads, tasks, new, |task: &mut RangeMerge<'_>, page| {
            sum.written += std::mem::take(&mut task.names);
            sum.repeats += std::mem::take(&mut task.repeats);
            write(page, together)
        })
    })?
}
