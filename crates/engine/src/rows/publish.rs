//! Writes the list and its side files, and checks that no record was lost.

use super::buffer::RecordKind;
use super::collectors::{Collectors, Pushed};
use super::digest::ListTally;
use super::file::RowFile;
use super::groups::InputNames;
use super::inputs::{InputRows, write_input};
use super::write_list;
use crate::error::Error;
use crate::figures::{InputStats, Mismatch, Stats};
use crate::output::{Layout, Output};
use crate::plan::{Plan, SideFile};
use crate::state::changes::ChangeFiles;
use crate::state::live::ALWAYS;
use doiscan_input::problem::Problems;
use doiscan_sets::collect::{All, Keep};
use doiscan_sets::dedup::publish::Published;
use doiscan_sets::dedup::spill::Spill;
use doiscan_sets::pool::Pool;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// The files of a run that consist of rows.
pub(crate) struct Outputs {
    pub list: Output,
    pub short: Option<Output>,
    pub eidrs: Option<Output>,
    pub hits: Option<Output>,
    pub rejects: Option<Output>,
    pub inputs: Option<Output>,
    /// For added names, and for removed names.
    pub changes: [Option<Output>; 2],
}

/// The remembered results of inputs that were not read again.
pub(crate) struct RememberedRows {
    /// The number of their records.
    pub records: Pushed,
    /// The names of all inputs, indexed by their numbers.
    pub names: InputNames,
}

/// Threads and the bytes of memory for buffers.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub pool: &'a Pool,
    pub memory: usize,
}

/// The outputs and figures of written rows.
pub(crate) struct Publication {
    pub rows: Outputs,
    /// The figures of each input, if the report includes them.
    pub inputs: Option<Vec<InputStats>>,
    /// The tally of the list, if a digest is wanted.
    pub tally: Option<ListTally>,
    /// Added and removed names, if inputs are remembered.
    pub changes: Option<ChangeFiles>,
}

/// Writes all rows. Does not put any file in place.
pub(crate) fn publish(
    collectors: Collectors,
    plan: &Plan,
    outputs: Outputs,
    pushed: Pushed,
    means: Means<'_>,
    (problems, remembered): (&Problems, Option<RememberedRows>),
    stats: &mut Stats,
) -> Result<Publication, Error> {
    let is_omitted = remembered.is_some() && !plan.reports_inputs(stats.counts.files);
    let has_many_inputs = collectors.has_many_inputs() || is_omitted;
    let mut changes =
        remembered.as_ref().map(|_| changes(plan, outputs.changes, means)).transpose()?;
    let (kept, names) = match remembered {
        Some(remembered) => (remembered.records, remembered.names),
        None => (Pushed::default(), collectors.input_names()),
    };
    let names = Arc::new(names);
    let Collectors { names: spill, short, eidrs, counts, hits: found, rejects: refused, .. } =
        collectors;
    let inputs = collectors.inputs.filter(|_| !has_many_inputs);
    let told = (pushed.inputs, problems, changes.is_some());
    let inputs = write_inputs(inputs, outputs.inputs, plan, told, means, stats)?;
    let list = match counts {
        None => write_list(spill, outputs.list, plan, RecordKind::Names, means, changes.as_mut())?,
        Some(counts) => {
            drop(spill);
            let records = RecordKind::Counts(names);
            write_list(counts, outputs.list, plan, records, means, changes.as_mut())?
        }
    };
    stats.pushed += kept.list();
    stats.received = list.published.received + kept.list();
    stats.runs = list.published.runs;
    stats.spilled_bytes = list.published.spilled_bytes;
    stats.written = list.rows;
    stats.distinct = list.published.kept.saturating_sub(list.published.repeats);
    let is_remembered = changes.is_some();
    if is_remembered {
        // Segments contain records that no longer count. The records of each input are checked
        // separately.
        stats.distinct = list.rows;
    }
    if plan.counts {
        // A DOI is kept once for each input.
        stats.distinct = list.rows;
        Mismatch::unless_equal("accepted", stats.counts.accepted, "counted", list.sum)?;
        let (kept, written) = (list.published.kept, list.published.written);
        if !is_remembered {
            Mismatch::unless_equal("records kept", kept, "merged", written)?;
        }
    }
    let finish = |changes: &mut ChangeFiles| means.pool.run(|together| changes.finish(together))?;
    let changed = changes.as_mut().map(finish).transpose().map_err(Error::of_side_file)?;
    let files = [(short, outputs.short), (eidrs, outputs.eidrs)];
    let [short, eidrs] = write_others(files, plan, pushed, means, is_remembered, stats)?;
    let (accepted, rejected) = (stats.counts.accepted, stats.counts.rejected_total());
    let hits = OpenSideFile { output: outputs.hits, target: &plan.hits, records: RecordKind::Hits };
    let (hits, spilled) = hits.write(found, [accepted, pushed.hits, kept.hits], means)?;
    let rejects = OpenSideFile {
        output: outputs.rejects,
        target: &plan.rejects,
        records: RecordKind::Rejects,
    };
    let (rejects, more) =
        rejects.write(refused, [rejected, pushed.rejects, kept.rejects], means)?;
    stats.runs += spilled.runs + more.runs;
    stats.spilled_bytes += spilled.spilled_bytes + more.spilled_bytes;
    let (inputs, told) = inputs;
    let changed = changed.unwrap_or_default();
    let rows = Outputs { list: list.output, short, eidrs, hits, rejects, inputs, changes: changed };
    Ok(Publication { rows, inputs: told, tally: list.tally, changes })
}

/// Opens the files for added and removed names.
fn changes(
    plan: &Plan,
    outputs: [Option<Output>; 2],
    means: Means<'_>,
) -> Result<ChangeFiles, Error> {
    let [added, removed] = plan.change_files();
    let file = |output: Option<Output>, target: Option<&SideFile>| {
        let Some((output, target)) = output.zip(target) else { return Ok(None) };
        let threads = means.pool.threads();
        RowFile::new(output, target.layout, RecordKind::Names, threads, means.memory).map(Some)
    };
    let [came, went] = outputs;
    Ok(ChangeFiles::new([file(came, added)?, file(went, removed)?]))
}

/// A written file that is not yet in place.
struct Written {
    output: Output,
    published: Published,
    /// Number of rows, and the sum of their counts.
    rows: u64,
    sum: u64,
    /// The tally of its names, if enabled.
    tally: Option<ListTally>,
}

/// Writes the list.
fn write_list<K: Keep>(
    spill: Spill<K>,
    output: Output,
    plan: &Plan,
    records: RecordKind,
    means: Means<'_>,
    changes: Option<&mut ChangeFiles>,
) -> Result<Written, Error> {
    let threads = means.pool.threads();
    let mut file = RowFile::new(output, plan.layout, records, threads, means.memory)?;
    if plan.keeps_digest() {
        file.keep_tally();
    }
    write_file(spill, file, means, changes)
}

/// Writes the records of one collector.
fn write_rows<K: Keep>(
    spill: Spill<K>,
    output: Output,
    layout: Layout,
    records: RecordKind,
    means: Means<'_>,
    changes: Option<&mut ChangeFiles>,
) -> Result<Written, Error> {
    let threads = means.pool.threads();
    let file = RowFile::new(output, layout, records, threads, means.memory)?;
    write_file(spill, file, means, changes)
}

fn write_file<K: Keep>(
    spill: Spill<K>,
    mut file: RowFile,
    means: Means<'_>,
    changes: Option<&mut ChangeFiles>,
) -> Result<Written, Error> {
    let published = write_list::all(spill, means.memory, means.pool, &mut file, changes)?;
    let is_plain = file.is_plain();
    let (rows, sum, tally) = (file.rows(), file.sum(), file.take_tally());
    let output = means.pool.run(|together| file.finish(together))??;
    let rows = if is_plain { published.written } else { rows };
    Ok(Written { output, published, rows, sum, tally })
}

/// Writes the figures of each input to its file, or returns them for the report.
fn write_inputs(
    spill: Option<Spill<All>>,
    output: Option<Output>,
    plan: &Plan,
    (pushed, problems, is_remembered): (u64, &Problems, bool),
    means: Means<'_>,
    stats: &mut Stats,
) -> Result<(Option<Output>, Option<Vec<InputStats>>), Error> {
    let Some(spill) = spill else { return Ok((output, None)) };
    let pushed = pushed + push_problems(&spill, problems, is_remembered);
    let (output, rows, published, candidates) = match (output, &plan.stats_inputs) {
        (Some(output), Some(target)) => {
            let written = write_rows(spill, output, target.layout, RecordKind::Inputs, means, None);
            let written = written.map_err(Error::of_side_file)?;
            (Some(written.output), None, written.published, written.sum)
        }
        (output, _) => {
            let mut rows = InputRows::default();
            let add = |more: &mut InputRows, _| {
                rows.extend(more.0.drain(..));
                Ok::<(), Error>(())
            };
            let published = doiscan_sets::dedup::publish::each(
                spill,
                means.memory,
                means.pool,
                InputRows::default,
                add,
            )?;
            let candidates = rows.0.iter().map(|row| row.counts.candidates).sum();
            (output, Some(rows.0), published, candidates)
        }
    };
    Mismatch::unless_equal("records of inputs", pushed, "received", published.received)?;
    Mismatch::unless_equal(
        "candidates",
        stats.counts.candidates,
        "those of all inputs",
        candidates,
    )?;
    stats.runs += published.runs;
    stats.spilled_bytes += published.spilled_bytes;
    Ok((output, rows))
}

/// Adds the problems of inputs and returns their number.
fn push_problems(spill: &Spill<All>, problems: &Problems, is_remembered: bool) -> u64 {
    let (mut batch, mut record) = (spill.batch(), Vec::new());
    let trailer: &[u8] = if is_remembered { &ALWAYS.to_le_bytes() } else { &[] };
    for problem in problems.iter() {
        let name = problem.path.as_os_str().as_bytes().to_vec();
        let problem = problem.message.clone();
        write_input(&mut record, &InputStats { name, problem, ..InputStats::default() });
        record.extend_from_slice(trailer);
        batch.push(&record);
    }
    batch.finish()
}

/// Writes the shortDOIs and the EIDRs, if wanted.
fn write_others(
    [short, eidrs]: [(Option<Spill>, Option<Output>); 2],
    plan: &Plan,
    pushed: Pushed,
    means: Means<'_>,
    is_remembered: bool,
    stats: &mut Stats,
) -> Result<[Option<Output>; 2], Error> {
    let layout = plan.eidr.as_ref().map(|target| target.layout).unwrap_or_default();
    let found = stats.counts.eidrs.found;
    Mismatch::unless_equal("EIDRs found", found, "handed over", pushed.eidrs)?;
    let words = ["shortDOIs handed over", "distinct shortDOIs"];
    // Whoever made the plan has seen that the name can be that of a list.
    let short_layout = plan.short_doi.as_deref().and_then(|path| Layout::of(path).ok());
    let (short_layout, _) = short_layout.unwrap_or_default();
    let (short, written) =
        write_names(short, short_layout, pushed.short, words, (means, is_remembered), stats)?;
    stats.short = written;
    let words = ["EIDRs handed over", "distinct EIDRs"];
    let (eidrs, written) =
        write_names(eidrs, layout, pushed.eidrs, words, (means, is_remembered), stats)?;
    stats.eidrs = written;
    Ok([short, eidrs])
}

/// Writes a list of names that accompanies the DOIs, if it is wanted, and checks that none were
/// lost. `words` describe the names handed over and the names written. Returns the number of names.
fn write_names(
    (spill, output): (Option<Spill>, Option<Output>),
    layout: Layout,
    pushed: u64,
    [handed_over, wanted]: [&'static str; 2],
    (means, is_remembered): (Means<'_>, bool),
    stats: &mut Stats,
) -> Result<(Option<Output>, Option<u64>), Error> {
    let (Some(spill), Some(output)) = (spill, output) else { return Ok((None, None)) };
    let written = write_rows(spill, output, layout, RecordKind::Names, means, None);
    let Written { output, published, rows, .. } = written.map_err(Error::of_side_file)?;
    Mismatch::unless_equal(handed_over, pushed, "received", published.received)?;
    let distinct = published.kept.saturating_sub(published.repeats);
    if !is_remembered {
        Mismatch::unless_equal(wanted, distinct, "written", rows)?;
    }
    stats.runs += published.runs;
    stats.spilled_bytes += published.spilled_bytes;
    Ok((Some(output), Some(rows)))
}

/// The open file of hits or rejects, and what its plan asks for.
struct OpenSideFile<'a> {
    output: Option<Output>,
    target: &'a Option<SideFile>,
    records: RecordKind,
}

impl OpenSideFile<'_> {
    /// Writes its rows, if requested, and checks their number. `expected` holds the number of
    /// records counted, handed over and remembered.
    fn write(
        self,
        spill: Option<Spill<All>>,
        expected: [u64; 3],
        means: Means<'_>,
    ) -> Result<(Option<Output>, Published), Error> {
        let (Some(output), Some(target), Some(spill)) = (self.output, self.target, spill) else {
            return Ok((None, Published::default()));
        };
        let what = match self.records {
            RecordKind::Hits => "rows of hits",
            _ => "rows of rejects",
        };
        let written = write_rows(spill, output, target.layout, self.records, means, None);
        let Written { output, published, rows, .. } = written.map_err(Error::of_side_file)?;
        let [counted, handed_over, kept] = expected;
        let (handed_over, received) = (handed_over + kept, published.received + kept);
        Mismatch::unless_equal("candidates", counted, "handed over", handed_over)?;
        Mismatch::unless_equal("handed over", handed_over, "received", received)?;
        Mismatch::unless_equal("received", received, what, rows)?;
        Ok((Some(output), published))
    }
}
