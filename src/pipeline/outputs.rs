//! The files that a run writes: the list, and what goes with it.

use super::error::Error;
use super::gate::{Found, Refusal};
use super::plan::{Plan, Record, Report, Target};
use super::rows::publish::Outputs;
use super::state::settle::NightEnding;
use crate::input::count_names;
use crate::output::{self, Output, Synced};
use crate::sys;
use crate::sys::disk::Disk;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The files that a run writes.
pub(super) struct Files {
    pub(super) rows: Outputs,
    record: Option<Output>,
}

impl Files {
    pub(super) fn open(
        disk: &Arc<dyn Disk>,
        plan: &Plan,
        record: Option<Record<'_>>,
    ) -> Result<Self, Error> {
        let open_side_file = |path: &Path| open(disk, Some(path)).map_err(Error::of_side_file);
        let open_rows = |target: &Target| open_side_file(&target.path);
        let [.., added, removed] = plan.row_files();
        Ok(Files {
            rows: Outputs {
                list: open(disk, plan.output.as_deref())?,
                short: plan.short_doi.as_deref().map(open_side_file).transpose()?,
                hits: plan.hits.as_ref().map(open_rows).transpose()?,
                rejects: plan.rejects.as_ref().map(open_rows).transpose()?,
                inputs: plan.stats_inputs.as_ref().map(open_rows).transpose()?,
                changes: [added.map(open_rows).transpose()?, removed.map(open_rows).transpose()?],
            },
            record: record.and_then(|r| r.path).map(open_side_file).transpose()?,
        })
    }

    /// All are whole and on the disk before the first is put in place. A list that a gate
    /// refuses is not put in place, nor are the shortDOIs, hits and rejects that go with it.
    pub(super) fn finish(
        self,
        plan: &Plan,
        record: Option<Record<'_>>,
        begin: Instant,
        mut report: Report,
        ending: Option<&NightEnding<'_>>,
    ) -> Result<Report, Error> {
        let stats = &mut report.stats;
        let Outputs { list, short, hits, rejects, inputs, changes: [added, removed] } = self.rows;
        let sync = |output: Option<Output>| {
            output.map(|output| output.sync().map_err(Error::SideFile)).transpose()
        };
        let side_files = [sync(short)?, sync(hits)?, sync(rejects)?, sync(added)?, sync(removed)?];
        let inputs = sync(inputs)?;
        let list = list.sync()?;
        stats.output_bytes = list.bytes();
        stats.seconds = begin.elapsed().as_secs_f64();
        stats.peak_memory = sys::memory::peak();
        report.refusal = refusal(plan, &report)?;
        let text = record.map(|r| (r.text)(&report)).unwrap_or_default();
        let write = |output| write_side_file(text.as_bytes(), output);
        let record = self.record.map(write).transpose()?;
        if let Some(ending) = ending {
            ending.prepare(&report, &text, plan.output.as_deref().zip(list.metadata()))?;
        }
        if report.refusal.is_none() {
            for output in side_files.into_iter().flatten() {
                output.put_in_place().map_err(Error::SideFile)?;
            }
            list.put_in_place()?;
        }
        for output in [inputs, record].into_iter().flatten() {
            output.put_in_place().map_err(Error::SideFile)?;
        }
        Ok(report)
    }
}

/// Why the list is not put in place.
fn refusal(plan: &Plan, report: &Report) -> Result<Option<Refusal>, Error> {
    let old = plan.output.as_deref().filter(|path| output::existing(Some(path)).is_some());
    let has_drop = plan.gates.max_drop.is_some();
    let is_asked = !plan.gates.allow_empty && report.stats.written == 0 || has_drop;
    let old_lines = match old.filter(|_| is_asked).map(count_names).transpose() {
        Err(problem) if has_drop => return Err(Error::OldList(problem)),
        // Whatever the old file is, it is not an empty list.
        Err(_) => Some(u64::MAX),
        Ok(lines) => lines,
    };
    let has_problems = !report.problems.is_empty();
    let found = Found { stats: &report.stats, has_problems, old_lines };
    Ok(plan.gates.refusal(&found))
}

/// Opens an output, standard output when there is no path.
pub(super) fn open(disk: &Arc<dyn Disk>, path: Option<&Path>) -> Result<Output, Error> {
    if path.is_none_or(output::is_stdout) && sys::process::was_closed(1) {
        return Err(Error::StdoutClosed);
    }
    let disk = Arc::clone(disk);
    Ok(match path {
        Some(path) => Output::file_on(disk, path)?,
        None => Output::standard_on(disk)?,
    })
}

/// Writes a file that goes with the list.
fn write_side_file(text: &[u8], mut output: Output) -> Result<Synced, Error> {
    let written = output.write(text).and_then(|()| output.sync());
    written.map_err(Error::SideFile)
}
