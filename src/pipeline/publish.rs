//! Writes the list.

use super::Error;
use super::crew::Crew;
use super::merge::{self, Overlap};
use super::sort::{Stretch, sorted};
use super::spill::{Spill, Spilled};
use super::wave::in_order;
use crate::collect::Names;
use crate::output::{Output, Synced, lines};
use crate::quality::Stats;
use std::collections::BTreeSet;

/// Writes all names of the collector and counts what became of them.
pub(super) fn all(
    spill: Spill,
    memory: usize,
    crew: &Crew,
    output: &mut Output,
    stats: &mut Stats,
) -> Result<(), Error> {
    let (mut spilled, left) = crew.run(|together| spill.finish(together))??;
    stats.received = spilled.received;
    stats.runs = spilled.runs.len() as u64;
    let kept = spilled.names + left.len() as u64;
    let published = match spilled.runs.is_empty() {
        true => names(&left, crew, output)?,
        false => runs(&mut spilled, memory, crew, output)?,
    };
    stats.spilled_bytes = spilled.space.written();
    stats.distinct = kept.saturating_sub(published.repeats);
    stats.written = published.written;
    Ok(())
}

/// What became of the names.
#[derive(Clone, Copy, Debug, Default)]
struct Published {
    /// Names written.
    written: u64,
    /// Names that were in more than one run.
    repeats: u64,
}

/// Writes all names that are in memory in the order of their bytes.
fn names(names: &Names, crew: &Crew, output: &mut Output) -> Result<Published, Error> {
    let width = 4 * crew.threads();
    crew.run(|together| {
        let entries = sorted(names, together);
        let mut sum = Published::default();
        let pieces = Stretch::all(names, &entries);
        in_order(together, width, pieces, |piece: &mut Stretch<'_>, text: &mut Vec<u8>| {
            sum.written += std::mem::take(&mut piece.given);
            Ok(output.write(text)?)
        })?;
        Ok(sum)
    })?
}

/// Merges the runs into the list, in passes as far as `memory` bytes do not allow for all
/// of them at once.
fn runs(
    spilled: &mut Spilled,
    memory: usize,
    crew: &Crew,
    output: &mut Output,
) -> Result<Published, Error> {
    let threads = crew.threads();
    crew.run(|together| {
        let mut sum = Published::default();
        let plan = merge::reduce(spilled, memory, threads, together, &mut sum.repeats)?;
        let ranges = plan.ranges(&spilled.runs);
        let pieces = ranges.iter().map(|range| Overlap::new(&spilled.runs, range, &plan));
        in_order(together, threads, pieces, |piece: &mut Overlap<'_>, text: &mut Vec<u8>| {
            sum.written += std::mem::take(&mut piece.names);
            sum.repeats += std::mem::take(&mut piece.repeats);
            Ok(output.write(text)?)
        })?;
        Ok(sum)
    })?
}

/// Writes the shortDOIs, one a line.
pub(super) fn short(found: &BTreeSet<Vec<u8>>, output: Output) -> Result<Synced, Error> {
    let mut text = Vec::new();
    lines(found.iter().map(Vec::as_slice), &mut text);
    beside(&text, output)
}

/// Writes a file that goes with the list.
pub(super) fn beside(text: &[u8], mut output: Output) -> Result<Synced, Error> {
    let written = output.write(text).and_then(|()| output.sync());
    written.map_err(Error::Beside)
}
