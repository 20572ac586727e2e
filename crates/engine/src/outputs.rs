//! The files that a run writes: the list, and the files that accompany it.

use super::error::Error;
use super::gate::ListFacts;
use super::plan::{Plan, Report, ReportFile, SideFile};
use super::rows::publish::Outputs;
use super::state::settle::NightEnding;
use crate::output::{self, Output, Synced};
use doiscan_input::count_names;
use doiscan_os::disk::Disk;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The files that a run writes.
pub(super) struct Files {
    pub(super) rows: Outputs,
    reports: Vec<Option<Output>>,
}

impl Files {
    pub(super) fn open(
        disk: &Arc<dyn Disk>,
        plan: &Plan,
        reports: &[ReportFile<'_>],
    ) -> Result<Self, Error> {
        let open_side_file = |path: &Path| open(disk, Some(path)).map_err(Error::of_side_file);
        let open_rows = |target: &SideFile| open_side_file(&target.path);
        let [added, removed] = plan.change_files();
        Ok(Files {
            rows: Outputs {
                list: open(disk, plan.output.as_deref())?,
                short: plan.short_doi.as_deref().map(open_side_file).transpose()?,
                eidrs: plan.eidr.as_ref().map(open_rows).transpose()?,
                hits: plan.hits.as_ref().map(open_rows).transpose()?,
                rejects: plan.rejects.as_ref().map(open_rows).transpose()?,
                inputs: plan.stats_inputs.as_ref().map(open_rows).transpose()?,
                changes: [added.map(open_rows).transpose()?, removed.map(open_rows).transpose()?],
            },
            reports: reports
                .iter()
                .map(|r| r.path.map(open_side_file).transpose())
                .collect::<Result<_, _>>()?,
        })
    }

    /// Puts the files in place after all of them are complete and synced. A refused list is not put
    /// in place, nor are its shortDOIs, EIDRs, hits and rejects. If a gate refused it, all of these
    /// are kept beside their targets.
    pub(super) fn finish(
        self,
        plan: &Plan,
        reports: &[ReportFile<'_>],
        begin: Instant,
        mut report: Report,
        ending: Option<&NightEnding<'_>>,
    ) -> Result<Report, Error> {
        let Outputs { list, short, eidrs, hits, rejects, inputs, changes: [added, removed] } =
            self.rows;
        let sync = |output: Option<Output>| {
            output.map(|output| output.sync().map_err(Error::SideFile)).transpose()
        };
        let rows = [short, eidrs, hits, rejects, added, removed];
        let side_files: Vec<_> = rows.into_iter().map(sync).collect::<Result<_, _>>()?;
        let inputs = sync(inputs)?;
        let list = list.sync()?;
        report.stats.output_bytes = list.bytes();
        report.stats.seconds = begin.elapsed().as_secs_f64();
        report.stats.peak_memory = doiscan_os::memory::peak();
        judge(plan, &mut report)?;
        if let Some(ending) = ending {
            let kept = reports.iter().find(|file| file.path.is_none());
            let kept = kept.map(|file| (file.text)(&report)).unwrap_or_default();
            ending.prepare(&report, &kept, plan.output.as_deref().zip(list.metadata()))?;
        }
        // After the state has the run: a page may show it beside those before it.
        let mut written = Vec::new();
        for (file, output) in reports.iter().zip(self.reports) {
            if let Some(output) = output {
                written.push(write_side_file((file.text)(&report).as_bytes(), output)?);
            }
        }
        let side_files = side_files.into_iter().flatten();
        match &report.refusal {
            None => {
                for output in side_files {
                    output.put_in_place().map_err(Error::SideFile)?;
                }
                list.put_in_place()?;
            }
            Some(refusal) if refusal.is_gate() => {
                // The refusal is the result, whether or not the files can be kept.
                let kept: Vec<_> = side_files.chain([list]).map(Synced::put_beside).collect();
                report.unkept = kept.into_iter().find_map(Result::err).map(|e| e.to_string());
            }
            Some(_) => {}
        }
        for output in inputs.into_iter().chain(written) {
            output.put_in_place().map_err(Error::SideFile)?;
        }
        Ok(report)
    }
}

/// Decides whether the list is put in place.
fn judge(plan: &Plan, report: &mut Report) -> Result<(), Error> {
    let gates = &plan.gates;
    report.gates = plan.judge.as_ref().map(|judge| judge.evaluate(report)).unwrap_or_default();
    let has_problems = !report.problems.is_empty();
    let fired = report.gates.iter().filter(|gate| gate.fired).count();
    let old_lines = old_lines(plan, report)?;
    let found = ListFacts { stats: &report.stats, has_problems, fired, old_lines };
    let refusal = gates.refusal(&found);
    let unusable = gates.unusable(&found);
    match gates.accept && unusable.is_none() {
        true => report.accepted = refusal,
        false if gates.accept => report.refusal = unusable,
        false => report.refusal = refusal,
    }
    Ok(())
}

/// Counts the names of the list to be replaced, if there is one and a gate needs the number.
fn old_lines(plan: &Plan, report: &Report) -> Result<Option<u64>, Error> {
    let is_old = |path: &&Path| !output::is_stdout(path) && output::existing(Some(path)).is_some();
    let old = plan.output.as_deref().filter(is_old);
    let has_drop = plan.gates.max_drop.is_some();
    let is_asked = !plan.gates.allow_empty && report.stats.written == 0 || has_drop;
    match old.filter(|_| is_asked).map(count_names).transpose() {
        Err(problem) if has_drop => Err(Error::OldList(problem)),
        // The old file may be anything but an empty list.
        Err(_) => Ok(Some(u64::MAX)),
        Ok(lines) => Ok(lines),
    }
}

/// Opens an output, or standard output if there is no path.
pub(super) fn open(disk: &Arc<dyn Disk>, path: Option<&Path>) -> Result<Output, Error> {
    if path.is_none_or(output::is_stdout) && doiscan_os::process::was_closed(1) {
        return Err(Error::StdoutClosed);
    }
    let disk = Arc::clone(disk);
    Ok(match path {
        Some(path) => Output::file_on(disk, path)?,
        None => Output::standard_on(disk)?,
    })
}

/// Writes and syncs a file that accompanies the list.
fn write_side_file(text: &[u8], mut output: Output) -> Result<Synced, Error> {
    let written = output.write(text).and_then(|()| output.sync());
    written.map_err(Error::SideFile)
}
