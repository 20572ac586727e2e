//! Writes the sorted list.

use super::merge::{self, RangeMerge};
use super::name_buffer::NameBuffer;
use super::ordered::ordered;
use super::sort::{SortedSlice, sorted};
use super::spill::{Spill, Spilled};
use crate::collect::{Collected, Keep};
use crate::pipeline::error::Error;
use crate::pipeline::pool::Pool;
use crate::pipeline::rows::buffer::RowBuffer;
use crate::pipeline::rows::digest::TalliedLines;
use crate::pipeline::rows::file::RowFile;
use crate::pipeline::state::changes::{ChangeFiles, Tracked};

/// Writes all records of the collector to `file`.
pub(in crate::pipeline) fn all<K: Keep>(
    spill: Spill<K>,
    memory: usize,
    pool: &Pool,
    file: &mut RowFile,
    changes: Option<&mut ChangeFiles>,
) -> Result<Published, Error> {
    if let Some(changes) = changes {
        return tracked(spill, memory, pool, file, changes);
    }
    let has_tally = file.has_tally();
    if file.is_plain() && has_tally {
        let write = |page: &mut TalliedLines, together: bool| {
            file.add_tally(&page.tally);
            file.text(&page.lines, together)
        };
        return each(spill, memory, pool, TalliedLines::default, write);
    }
    if file.is_plain() {
        let write = |text: &mut Vec<u8>, together: bool| file.text(text, together);
        return each(spill, memory, pool, Vec::new, write);
    }
    let (form, records) = (file.form(), file.records().clone());
    let new = || {
        let mut buffer = RowBuffer::new(form, &records);
        if has_tally {
            buffer.keep_tally();
        }
        buffer
    };
    let write = |rows: &mut RowBuffer, together: bool| file.write(rows, together);
    let published = each(spill, memory, pool, new, write)?;
    pool.run(|together| file.close_group(together))??;
    Ok(published)
}

/// Like [`all`], and also reports added and removed names.
fn tracked<K: Keep>(
    spill: Spill<K>,
    memory: usize,
    pool: &Pool,
    file: &mut RowFile,
    changes: &mut ChangeFiles,
) -> Result<Published, Error> {
    let forms = changes.forms();
    if file.is_plain() {
        let write = |tracked: &mut Tracked<TalliedLines>, together: bool| {
            file.add_tally(&tracked.list.tally);
            file.text(&tracked.list.lines, together)?;
            changes.write(tracked, together)
        };
        let new = || Tracked::new(TalliedLines::default(), forms);
        return each(spill, memory, pool, new, write);
    }
    let (form, records) = (file.form(), file.records().clone());
    let has_tally = file.has_tally();
    let new = || {
        let mut buffer = RowBuffer::new(form, &records);
        if has_tally {
            buffer.keep_tally();
        }
        Tracked::new(buffer, forms)
    };
    let write = |tracked: &mut Tracked<RowBuffer>, together: bool| {
        file.write(&mut tracked.list, together)?;
        changes.write(tracked, together)
    };
    let published = each(spill, memory, pool, new, write)?;
    pool.run(|together| file.close_group(together))??;
    Ok(published)
}

/// The figures of a written list.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::pipeline) struct Published {
    /// Records received, including repeats.
    pub(in crate::pipeline) received: u64,
    /// Records in all runs, or in memory.
    pub(in crate::pipeline) kept: u64,
    /// Records written.
    pub(in crate::pipeline) written: u64,
    /// Records that were in more than one run.
    pub(in crate::pipeline) repeats: u64,
    /// Number of runs.
    pub(in crate::pipeline) runs: u64,
    /// Bytes written to runs.
    pub(in crate::pipeline) spilled_bytes: u64,
}

/// Passes all records of the collector to `write`, in order, in buffers made by `new`.
pub(in crate::pipeline) fn each<K: Keep, O: NameBuffer>(
    spill: Spill<K>,
    memory: usize,
    pool: &Pool,
    new: impl Fn() -> O + Send,
    write: impl FnMut(&mut O, bool) -> Result<(), Error> + Send,
) -> Result<Published, Error> {
    let (mut spilled, left) = pool.run(|together| spill.finish(together))??;
    let mut sum = Published {
        received: spilled.received,
        // Segments do not count as spilled runs.
        runs: if spilled.sources.is_some() { 0 } else { spilled.runs.len() as u64 },
        kept: spilled.names + left.len() as u64,
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
fn names<O: NameBuffer>(
    names: &Collected,
    pool: &Pool,
    new: impl Fn() -> O + Send,
    mut write: impl FnMut(&mut O, bool) -> Result<(), Error> + Send,
    sum: &mut Published,
) -> Result<(), Error> {
    let width = 4 * pool.threads();
    pool.run(|together| {
        let entries = sorted(names, together);
        let tasks = SortedSlice::all(names, &entries);
        ordered(together, width, tasks, new, |task: &mut SortedSlice<'_>, page| {
            sum.written += std::mem::take(&mut task.given);
            write(page, together)
        })
    })?
}

/// Merges the runs. Uses several passes if `memory` bytes do not allow merging all of them at once.
fn runs<O: NameBuffer>(
    spilled: &mut Spilled,
    memory: usize,
    pool: &Pool,
    new: impl Fn() -> O + Send,
    mut write: impl FnMut(&mut O, bool) -> Result<(), Error> + Send,
    sum: &mut Published,
) -> Result<(), Error> {
    let threads = pool.threads();
    pool.run(|together| {
        let plan = merge::reduce(spilled, memory, threads, together, &mut sum.repeats)?;
        let sources = spilled.sources.as_ref();
        let ranges = match sources.is_some_and(|sources| sources.kind.is_grouped()) {
            true => plan.ranges_of_names(&spilled.runs),
            false => plan.ranges(&spilled.runs),
        };
        let tasks = ranges.iter().map(|range| {
            RangeMerge::new(&spilled.runs, range, &plan, spilled.is_distinct).with(sources)
        });
        ordered(together, threads, tasks, new, |task: &mut RangeMerge<'_>, page| {
            sum.written += std::mem::take(&mut task.names);
            sum.repeats += std::mem::take(&mut task.repeats);
            write(page, together)
        })
    })?
}
