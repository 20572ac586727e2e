//! A whole scan: lists the inputs, scans them on all threads, and writes the list.

use super::inputs::{self, Inputs};
use super::queue::Queue;
use super::worker::Worker;
use crate::cancel::CancellableDisk;
use crate::error::Error;
use crate::figures::{self, Counts, Stats};
use crate::memory::Memory;
use crate::output;
use crate::outputs::Files;
use crate::plan::{Plan, Report, ReportFile};
use crate::plan_check::{self, Outputs};
use crate::progress::{self, Progress};
use crate::rows::collectors::{Collectors, Pushed, SegmentsOf};
use crate::rows::digest::Examples;
use crate::rows::publish::{Means, Publication, publish};
use crate::silent::Documents;
use crate::state::changes::ChangeFiles;
use crate::state::night::Night;
use crate::state::settle::Settled;
use doiscan_core::format::Quoting;
use doiscan_input::problem::{Problem, ProblemCode, Problems};
use doiscan_input::{LeftOut, Units};
use doiscan_os::disk::Disk;
use doiscan_sets::pool::Pool;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Scans the inputs and writes the list.
///
/// `Ok` means that the run ended. The list is in place only if [`Report::refusal`] is `None`, and it
/// may be incomplete if [`Report::problems`] is not empty. A list that a
/// [gate](crate::Refusal::is_gate) refused is in `FILE.failed`, where `FILE` is the output.
///
/// # Errors
///
/// Fails if the plan is wrong ([`Error::Plan`]), or if the output cannot be completed. Failures of
/// single inputs are in the report instead.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<Report, Error> {
    run_with(plan, &[], progress)
}

/// Like [`run()`], with files for reports. They are opened before an input is read, written and synced before
/// the list is put in place, and put in place right after it.
///
/// # Errors
///
/// Fails under the conditions of [`run()`]. If a synced report then cannot be put in place, the
/// list is in place nevertheless.
pub fn run_with(
    plan: &Plan,
    reports: &[ReportFile<'_>],
    progress: &dyn Progress,
) -> Result<Report, Error> {
    let disk: Arc<dyn Disk> = Arc::new(CancellableDisk(plan.cancel.clone()));
    let result = progress::while_running(progress, || run_on(&disk, plan, reports, progress));
    result.map_err(|error| if plan.cancel.is_cancelled() { Error::Cancelled } else { error })
}

/// Like [`run_with`], with files written and read through `disk`.
pub(super) fn run_on(
    disk: &Arc<dyn Disk>,
    plan: &Plan,
    reports: &[ReportFile<'_>],
    progress: &dyn Progress,
) -> Result<Report, Error> {
    let begin = Instant::now();
    let outputs = Outputs::new(plan, reports);
    plan_check::check(plan, &outputs)?;
    // Files that a killed run left must not be listed as inputs.
    outputs.paths().for_each(output::remove_stale);
    let (mut inputs, pool) = inputs::list(plan, &outputs)?;
    let memory = Memory::share(plan.memory, plan.chunk, pool.threads());
    let plan = &Plan { chunk: memory.chunk, ..plan.clone() };
    let units = &inputs.units;
    let mut left_out = std::mem::take(&mut inputs.left_out);
    let mut problems = Problems::default();
    problems.extend(inputs.problems.iter().cloned());
    let begin_night = |state| Night::begin(plan, state, disk, units, &pool);
    let night = plan.state.as_ref().map(begin_night).transpose()?;
    let night = night.as_ref();
    progress.total(units.size() - night.map_or(0, Night::skipped_bytes));
    // Opened after the inputs are listed, so that the new files are not among them.
    let files = Files::open(disk, plan, reports)?;

    let segments = night.map(|night| move |kind| night.space(kind));
    let segments = segments.as_ref().map(|segments| segments as &SegmentsOf<'_>);
    let collectors = Collectors::new(disk, plan, memory, pool.threads(), segments);
    let mut listed = collectors.ledger().reserve();
    listed.set(units.bytes());
    let all = Scan { plan, units, pool: &pool, collectors: &collectors, night };
    let mut scanned = all.run(progress, &mut problems)?;
    if plan.cancel.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let settled = night.map(|night| night.settle(&collectors)).transpose()?;
    if let Some(settled) = &settled {
        settled.add_to(&mut scanned.counts, &mut scanned.documents, &mut problems);
    }
    check_misfit(&inputs, plan, &problems, &scanned.counts)?;
    left_out.append_earlier(scanned.left_out.earlier, scanned.left_out.first.take());
    progress.writing();
    let means = Means { pool: &pool, memory: memory.merge };
    let writing = Writing { plan, files, means, settled: settled.as_ref() };
    let (files, mut report, changes) = writing.publish(collectors, scanned, problems)?;
    report.left_out = left_out;
    let Some((night, settled)) = night.zip(settled.as_ref()) else {
        return files.finish(plan, reports, begin, report, None);
    };
    report.state = Some(night.report(&changes));
    // The state has the digest in any case.
    let digest = report.digest.take();
    report.digest = digest.clone().filter(|_| plan.digest);
    let ending = night.ending(changes, digest);
    let mut report = files.finish(plan, reports, begin, report, Some(&ending))?;
    let closed = night.close(settled, report.refusal.is_none(), means);
    if let (Err(error), Some(state)) = (closed, &mut report.state) {
        // The files are in place, and the next run completes the rest.
        state.notes.push(error.to_string());
    }
    Ok(report)
}

/// A request that no input satisfies is an error and must not replace an old list.
fn check_misfit(
    inputs: &Inputs,
    plan: &Plan,
    problems: &Problems,
    counts: &Counts,
) -> Result<(), Error> {
    let is_only = |p: &Problem| inputs.is_one && plan.inputs.first() == Some(&p.path);
    let is_slip = |p: &Problem| p.misfit && (is_only(p) || counts.files == 0);
    let misfit = problems.iter().find(|p| is_slip(p));
    misfit.map_or(Ok(()), |problem| Err(Error::Misfit(problem.clone())))
}

/// The outputs of a run and the resources for writing them.
struct Writing<'a> {
    plan: &'a Plan,
    files: Files,
    means: Means<'a>,
    settled: Option<&'a Settled<'a>>,
}

impl Writing<'_> {
    /// Writes all rows and checks the sums.
    fn publish(
        self,
        collectors: Collectors,
        scanned: Scanned,
        problems: Problems,
    ) -> Result<(Files, Report, Option<ChangeFiles>), Error> {
        let Writing { plan, mut files, means, settled } = self;
        let mut stats = Stats {
            counts: scanned.counts,
            pushed: scanned.pushed.list(),
            threads: means.pool.threads(),
            ..Stats::default()
        };
        let remembered = settled.map(Settled::published);
        let known = (&problems, remembered);
        let Publication { rows, inputs, tally, changes } =
            publish(collectors, plan, files.rows, scanned.pushed, means, known, &mut stats)?;
        files.rows = rows;
        let digest = tally.map(|tally| tally.digest(scanned.examples, plan.counts));
        figures::conserved(&stats)?;
        settled.map_or(Ok(()), Settled::check)?;
        let (problems, omitted) = problems.settle();
        let silent = scanned.documents.silent();
        let report =
            Report { stats, problems, inputs, omitted, silent, digest, ..Report::default() };
        Ok((files, report, changes))
    }
}

/// The results of all workers, except the names in the collector.
#[derive(Default)]
struct Scanned {
    counts: Counts,
    pushed: Pushed,
    documents: Documents,
    examples: Examples,
    left_out: LeftOut,
}

/// The state shared by workers.
struct Scan<'a> {
    plan: &'a Plan,
    units: &'a Units,
    pool: &'a Pool,
    collectors: &'a Collectors,
    night: Option<&'a Night<'a>>,
}

impl Scan<'_> {
    /// Scans every input and adds up the counts of all workers.
    fn run(&self, progress: &dyn Progress, problems: &mut Problems) -> Result<Scanned, Error> {
        let Scan { plan, units, pool, collectors, night } = *self;
        let queue = Queue::new(units, plan, night);
        let work = || Worker::new(plan, &queue, collectors, progress, pool.threads(), night).run();
        let mut sum = Scanned::default();
        let mut quoting = BTreeMap::new();
        for done in pool.all(|| queue.close(), work)? {
            sum.counts += &done.counts;
            sum.pushed += done.pushed;
            sum.documents.add(done.documents);
            sum.examples.append(done.examples);
            sum.left_out.append_earlier(done.left_out.earlier, done.left_out.first);
            problems.append(done.problems);
            for (path, found) in done.quoting {
                *quoting.entry(path).or_insert_with(Quoting::default) += found;
            }
        }
        for (path, quoting) in quoting {
            // Any other problem of the input is more informative.
            if !problems.has(&path) {
                problems.push(Problem::new(&path, ProblemCode::UnclosedQuote, quoting.to_string()));
            }
        }
        Ok(sum)
    }
}
