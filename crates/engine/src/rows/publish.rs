//! Writes the list and the outputs that accompany it, and checks that no record was lost.

use super::buffer::Records;
use super::changes::ChangeFile;
use super::collectors::{Collection, Collectors, RecordCounts};
use super::groups::InputNames;
use super::inputs::{InputRows, write_input};
use super::write::{Resources, Written};
use crate::error::Error;
use crate::figures::{Counts, InputStats, ListTally, Mismatch, Stats};
use crate::output::Output;
use crate::plan::Plan;
use crate::plan::kind::{Each, Kind};
use crate::plan::outputs::KeepRule;
use crate::plan::report::Changes;
use crate::reading::ALWAYS;
use doiscan_input::problem::Problems;
use doiscan_sets::collect::All;
use doiscan_sets::dedup::publish::Published;
use doiscan_sets::dedup::spill::Spill;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// The open files of the outputs.
pub(crate) type Files = Each<Option<Output>>;

/// What is published, and where.
pub(crate) struct Publisher<'a> {
    pub plan: &'a Plan,
    pub collectors: Collectors,
    pub files: Files,
    /// Number of records that workers handed over.
    pub pushed: RecordCounts,
    pub resources: Resources<'a>,
    pub problems: &'a Problems,
    /// The counts of inputs that were not read and the names of all, if inputs are remembered.
    pub remembered: Option<(Counts, InputNames)>,
    pub stats: Stats,
}

/// The outputs and figures of written rows.
pub(crate) struct Publication {
    pub files: Files,
    pub stats: Stats,
    /// The figures of each input, if the report includes them.
    pub inputs: Option<Vec<InputStats>>,
    /// The tally of the list, if a digest is wanted.
    pub tally: Option<ListTally>,
    /// Added and removed names, if inputs are remembered.
    pub changes: Option<Changes<ChangeFile>>,
}

impl Publisher<'_> {
    /// Writes all rows. Does not put any file in place.
    pub(crate) fn publish(mut self) -> Result<Publication, Error> {
        let inputs = self.inputs()?;
        let names = match self.remembered.as_mut() {
            Some((_, names)) => std::mem::take(names),
            None => self.collectors.input_names(),
        };
        let mut changes = self.remembered.is_some().then(|| self.changes()).transpose()?;
        let tally = self.list(names, changes.as_mut())?;
        if let Some(changes) = &mut changes {
            let pool = self.resources.pool;
            let finish = |file: &mut ChangeFile| pool.run(|together| file.finish(together))?;
            let added = finish(&mut changes.added).map_err(Error::of_side_file)?;
            let removed = finish(&mut changes.removed).map_err(Error::of_side_file)?;
            (self.files[Kind::Added], self.files[Kind::Removed]) = (added, removed);
        }
        for kind in Kind::ALL {
            if !kind.is_list() && kind != Kind::Inputs {
                self.side_file(kind)?;
            }
        }
        Ok(Publication { files: self.files, stats: self.stats, inputs, tally, changes })
    }

    /// Number of records of inputs that were not read.
    fn kept(&self, kind: Kind) -> u64 {
        self.remembered.as_ref().map_or(0, |(skipped, _)| match kind {
            Kind::Names | Kind::Counts | Kind::Hits => skipped.accepted,
            Kind::Rejects => skipped.rejected_total(),
            _ => 0,
        })
    }

    /// Opens the files for added and removed names.
    fn changes(&mut self) -> Result<Changes<ChangeFile>, Error> {
        let mut file = |kind: Kind| {
            let both = self.files[kind].take().zip(kind.target(self.plan));
            let open = |(output, target): (Output, crate::plan::outputs::Target<'_>)| {
                self.resources.file(output, target.layout, Records::of(kind))
            };
            both.map(open).transpose()
        };
        Ok(Changes::of_files(Changes { added: file(Kind::Added)?, removed: file(Kind::Removed)? }))
    }

    /// Writes the list.
    fn list(
        &mut self,
        names: InputNames,
        changes: Option<&mut Changes<ChangeFile>>,
    ) -> Result<Option<ListTally>, Error> {
        let kind = if self.plan.counts { Kind::Counts } else { Kind::Names };
        let (collected, output) = (self.collectors.take(kind), self.files[kind].take());
        let Some((collected, output)) = collected.zip(output) else { return Ok(None) };
        let records = Records { kind, names: Arc::new(names) };
        let mut file = self.resources.file(output, self.plan.layout, records)?;
        if self.plan.keeps_digest() {
            file.keep_tally();
        }
        let Written { output, published, rows, sum, tally } =
            self.resources.write(collected, file, changes)?;
        self.files[kind] = Some(output);
        self.add(&published);
        let (kept, is_remembered) = (self.kept(kind), self.remembered.is_some());
        let stats = &mut self.stats;
        stats.pushed = self.pushed[Kind::Names] + self.pushed[Kind::Counts] + kept;
        stats.received = published.received + kept;
        stats.written = rows;
        stats.distinct = match is_remembered || self.plan.counts {
            // Segments contain records that no longer count; the records of each input are checked
            // separately. A DOI with counts is kept once for each input.
            true => rows,
            false => published.kept.saturating_sub(published.repeats),
        };
        if self.plan.counts {
            Mismatch::unless_equal("accepted", stats.counts.accepted, "counted", sum)?;
            if !is_remembered {
                let Published { kept, written, .. } = published;
                Mismatch::unless_equal("records kept", kept, "merged", written)?;
            }
        }
        Ok(tally)
    }

    /// Writes an output that accompanies the list, if it is wanted, and checks that no record was
    /// lost.
    fn side_file(&mut self, kind: Kind) -> Result<(), Error> {
        let Some(target) = kind.target(self.plan) else { return Ok(()) };
        let Some(collected) = self.collectors.take(kind) else { return Ok(()) };
        let Some(output) = self.files[kind].take() else { return Ok(()) };
        let file = self.resources.file(output, target.layout, Records::of(kind));
        let written = file.and_then(|file| self.resources.write(collected, file, None));
        let Written { output, published, rows, .. } = written.map_err(Error::of_side_file)?;
        let (kept, name) = (self.kept(kind), kind.row().name);
        let (pushed, received) = (self.pushed[kind] + kept, published.received + kept);
        let counted = match kind {
            Kind::Hits => self.stats.counts.accepted,
            Kind::Rejects => self.stats.counts.rejected_total(),
            Kind::Eidrs => self.stats.counts.eidrs.found,
            _ => pushed,
        };
        Mismatch::unless_equal(name, counted, "handed over", pushed)?;
        Mismatch::unless_equal(name, pushed, "received", received)?;
        match kind.row().keep {
            KeepRule::All => Mismatch::unless_equal(name, received, "written", rows)?,
            _ if self.remembered.is_some() => {}
            _ => {
                let distinct = published.kept.saturating_sub(published.repeats);
                Mismatch::unless_equal(name, distinct, "written", rows)?;
            }
        }
        match kind {
            Kind::Short => self.stats.short = Some(rows),
            Kind::Eidrs => self.stats.eidrs = Some(rows),
            _ => {}
        }
        self.add(&published);
        self.files[kind] = Some(output);
        Ok(())
    }

    /// Writes the figures of each input to its file, or returns them for the report.
    fn inputs(&mut self) -> Result<Option<Vec<InputStats>>, Error> {
        let is_omitted =
            self.remembered.is_some() && !self.plan.reports_inputs(self.stats.counts.files);
        let Some(Collection::All(spill)) = self.collectors.take(Kind::Inputs) else {
            return Ok(None);
        };
        if self.collectors.has_many_inputs() || is_omitted {
            return Ok(None);
        }
        let pushed = self.pushed[Kind::Inputs] + self.push_problems(&spill);
        let wanted = self.files[Kind::Inputs].take().zip(Kind::Inputs.target(self.plan));
        let (rows, published, candidates) = match wanted {
            Some((output, target)) => {
                let file = self.resources.file(output, target.layout, Records::of(Kind::Inputs));
                let write = |file| self.resources.write(Collection::All(spill), file, None);
                let written = file.and_then(write).map_err(Error::of_side_file)?;
                self.files[Kind::Inputs] = Some(written.output);
                (None, written.published, written.sum)
            }
            None => {
                let mut rows = InputRows::default();
                let add = |more: &mut InputRows, _| {
                    rows.extend(more.0.drain(..));
                    Ok::<(), Error>(())
                };
                let Resources { pool, memory } = self.resources;
                let new = InputRows::default;
                let published = doiscan_sets::dedup::publish::each(spill, memory, pool, new, add)?;
                let candidates = rows.0.iter().map(|row| row.counts.candidates).sum();
                (Some(rows.0), published, candidates)
            }
        };
        Mismatch::unless_equal("records of inputs", pushed, "received", published.received)?;
        let counted = self.stats.counts.candidates;
        Mismatch::unless_equal("candidates", counted, "those of all inputs", candidates)?;
        Ok(rows)
    }

    /// Adds the problems of inputs and returns their number.
    fn push_problems(&self, spill: &Spill<All>) -> u64 {
        let (mut feed, mut record) = (spill.feed(), Vec::new());
        let trailer = ALWAYS.to_le_bytes();
        for problem in self.problems.iter() {
            let name = problem.path.as_os_str().as_bytes().to_vec();
            let problem = problem.message.clone();
            write_input(&mut record, &InputStats { name, problem, ..InputStats::default() });
            record.extend_from_slice(if self.remembered.is_some() { &trailer } else { &[] });
            feed.push(&record);
        }
        feed.finish()
    }

    fn add(&mut self, published: &Published) {
        self.stats.runs += published.runs;
        self.stats.spilled_bytes += published.spilled_bytes;
    }
}
