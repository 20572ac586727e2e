//! Ends a run: determines the live sources, checks the merge against them and compacts segments.

use super::changes::ChangeFiles;
use super::live::Live;
use super::night::Night;
use super::segments::{self, merge, to_merge};
use super::store::{Ending, FileState, Segment, SegmentKind, StateReport, StateUpdate};
use crate::error::Error;
use crate::figures::Counts;
use crate::plan::Report;
use crate::rows::collectors::{Collectors, Pushed};
use crate::rows::digest::Digest;
use crate::rows::groups::InputNames;
use crate::rows::publish::{Means, RememberedRows};
use crate::silent::Documents;
use doiscan_input::problem::Problems;
use doiscan_sets::collect::run::{Run, Space};
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

/// A state after all inputs were read.
pub(crate) struct Settled<'a> {
    night: &'a Night<'a>,
    live: Arc<Live>,
}

impl Settled<'_> {
    /// Adds the remembered results of skipped inputs and the results recorded for inputs that were
    /// read.
    pub(crate) fn add_to(
        &self,
        counts: &mut Counts,
        documents: &mut Documents,
        problems: &mut Problems,
    ) {
        let done = self.night.done();
        *counts += &self.night.remembered.counts;
        for seen in [&self.night.remembered, &done.seen] {
            problems.append(seen.problems.clone());
            for (document, path, has_doi) in &seen.documents {
                documents.found(*document, path, u64::from(*has_doi));
            }
        }
    }

    /// Checks that the merge saw all records of every input, and notes the number of names of each.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (live, night) = (&self.live, self.night);
        let seen = |source, kind| live.seen(source, kind);
        let names = |source| {
            let list = seen(source, SegmentKind::Names) + seen(source, SegmentKind::Counts);
            [list, seen(source, SegmentKind::Short)]
        };
        let mut step = night.step();
        for kept in &night.comparison.kept {
            let found = names(kept.source);
            match kept.distinct {
                [None, _] => step.distinct.push((kept.source, found)),
                [Some(list), _] if list != found[0] => step.distrusted.push(kept.id),
                _ => {}
            }
        }
        let read = &night.done().read;
        step.distinct.extend(read.iter().map(|read| (read.source, names(read.source))));
        step.forget_good = night.lost_good;
        night.plan.store.commit(&step)?;
        match step.distrusted.len() {
            0 => Ok(()),
            inputs => Err(Error::state(format!(
                "{} is damaged: names of {inputs} inputs are missing; no output was written, and the \
                 next run reads these inputs again",
                night.plan.store.folder().display()
            ))),
        }
    }

    /// Returns the remembered results of inputs that were not read.
    pub(crate) fn published(&self) -> RememberedRows {
        let counts = &self.night.remembered.counts;
        let records = Pushed {
            names: counts.accepted,
            hits: counts.accepted,
            rejects: counts.rejected_total(),
            ..Pushed::default()
        };
        let done = self.night.done();
        let kept = self.night.comparison.kept.iter().map(|k| (k.source, &k.details));
        let read = done.read.iter().map(|r| (r.source, &r.details));
        let sources = kept.chain(read).map(|(source, d)| (source, d.members.clone()));
        RememberedRows { records, names: InputNames::of_sources(sources) }
    }
}

impl Night<'_> {
    /// Returns the bytes of skipped inputs.
    pub(crate) fn skipped_bytes(&self) -> u64 {
        self.comparison.skipped_bytes
    }

    /// Commits everything that is not yet part of the state. Call it after all inputs were read.
    pub(crate) fn settle(&self, collectors: &Collectors) -> Result<Settled<'_>, Error> {
        let read = {
            let mut done = self.done();
            if let Some(error) = done.failed.take() {
                return Err(error);
            }
            done.take_all()
        };
        let dropped = self.dropped();
        let numbers = dropped.iter().map(|(_, number)| *number).collect();
        self.commit(collectors, read, self.comparison.gone.clone(), numbers)?;
        self.remove(dropped);
        let live = Arc::new(self.live());
        collectors.settle(&live);
        Ok(Settled { night: self, live })
    }

    fn dropped(&self) -> Vec<(SegmentKind, u64)> {
        std::mem::take(&mut self.opened().dropped)
    }

    /// Removes segment files that the store no longer lists. Files that cannot be removed now are
    /// removed by the next run.
    fn remove(&self, segments: Vec<(SegmentKind, u64)>) {
        for (kind, number) in segments {
            let folder = self.plan.store.segments();
            let of_kind = segments::of_kind(&folder, kind, &self.next_segment);
            let _ = of_kind.remove(&*self.disk, number);
        }
    }

    /// Returns the report on the state.
    pub(crate) fn report(&self, changes: &Option<ChangeFiles>) -> StateReport {
        let (read, kept) = (&self.comparison.to_read, &self.comparison.kept);
        let size = |index| self.units.get(index).map_or(0, |unit| unit.size);
        StateReport {
            notes: self.notes.clone(),
            inputs: [read.len() as u64, kept.len() as u64],
            bytes: [read.iter().map(|r| size(r.index)).sum(), self.comparison.skipped_bytes],
            changed: changes.as_ref().filter(|_| self.has_good).map(|changes| changes.counts),
            since_good: self.knows_inputs.then_some(self.comparison.since_good),
            size: self.plan.store.bytes(),
        }
    }

    /// Collects the data that the store records about the end of the run.
    pub(crate) fn ending(
        &self,
        changes: Option<ChangeFiles>,
        digest: Option<Digest>,
    ) -> NightEnding<'_> {
        let prefixes = changes.filter(|_| self.has_good).map(ChangeFiles::prefixes);
        NightEnding { night: self, prefixes: prefixes.unwrap_or_default(), digest }
    }

    /// Compacts the segments once the files of the run are in place or discarded.
    pub(crate) fn close(
        &self,
        settled: &Settled<'_>,
        is_good: bool,
        means: Means<'_>,
    ) -> Result<(), Error> {
        self.plan.store.end(self.run, is_good)?;
        let after = Arc::new(settled.live.after(is_good));
        let known = self.plan.store.known_segments()?;
        for kind in SegmentKind::ALL {
            let known: Vec<Segment> =
                known.iter().filter(|segment| segment.kind == kind).copied().collect();
            let dead = match kind {
                SegmentKind::Inputs => self.dead_parts(&known),
                kind => settled.live.dead(kind, is_good),
            };
            self.compact(kind, &known, dead, &after, means)?;
        }
        Ok(())
    }

    /// Returns the dead share of the records of `SegmentKind::Inputs`. Computed here because not
    /// all runs merge these records.
    fn dead_parts(&self, known: &[Segment]) -> f64 {
        let all: u64 = known.iter().map(|segment| segment.records).sum();
        let kept: u64 = self.comparison.kept.iter().map(|kept| kept.details.parts).sum();
        let read: u64 = self.done().read.iter().map(|read| read.details.parts).sum();
        if all == 0 { 0.0 } else { all.saturating_sub(kept + read) as f64 / all as f64 }
    }

    fn compact(
        &self,
        kind: SegmentKind,
        known: &[Segment],
        dead: f64,
        live: &Arc<Live>,
        means: Means<'_>,
    ) -> Result<(), Error> {
        let sizes: Vec<u64> = known.iter().map(|segment| segment.bytes).collect();
        let chosen = to_merge(&sizes, dead, self.opened().is_damaged(kind));
        if chosen.is_empty() {
            return Ok(());
        }
        let segments = segments::of_kind(&self.plan.store.segments(), kind, &self.next_segment);
        let mut runs = Vec::new();
        for &index in &chosen {
            let mut run = segments.open(&self.disk, known[index].number)?;
            if self.opened().is_damaged(kind) {
                run.leave_out_damaged()?;
            }
            runs.push(run);
        }
        let space = Space::of_segments(Arc::clone(&self.disk), segments);
        let merged = merge(&runs, kind, live, &space, means.memory, means.pool)?;
        let numbers: Vec<u64> = chosen.iter().map(|&index| known[index].number).collect();
        let segment = |run: &Run| {
            let (records, bytes) = (run.len(), run.file_bytes());
            run.segment().map(|number| Segment { number, kind, records, bytes })
        };
        let added: Vec<Segment> = merged.iter().filter_map(segment).collect();
        self.sync_folder()?;
        let step = StateUpdate { added, dropped: numbers.clone(), ..self.step() };
        self.plan.store.commit(&step)?;
        self.remove(numbers.into_iter().map(|number| (kind, number)).collect());
        Ok(())
    }
}

/// The data that the store records about the end of a run.
pub(crate) struct NightEnding<'a> {
    night: &'a Night<'a>,
    prefixes: Vec<(&'static str, Vec<u8>, u64)>,
    digest: Option<Digest>,
}

impl NightEnding<'_> {
    /// Stores the figures of the run before its files are put in place. `list` is the path of the
    /// list and the metadata of the file that will become it.
    pub(crate) fn prepare(
        &self,
        report: &Report,
        record: &str,
        list: Option<(&Path, Metadata)>,
    ) -> Result<(), Error> {
        let (stats, state) = (&report.stats, report.state.clone().unwrap_or_default());
        let counts = &stats.counts;
        let [read, skipped] = state.inputs;
        let more = report.omitted.as_ref().map_or(0, |omitted| omitted.count);
        let ending = Ending {
            run: self.night.run,
            is_good: report.refusal.is_none(),
            is_accepted: report.accepted.is_some(),
            gates: report.gates.clone(),
            inputs: [read + skipped, read, skipped],
            bytes: state.bytes,
            candidates: [counts.candidates, counts.accepted, counts.rejected_total()],
            distinct: stats.distinct,
            changed: state.changed,
            problems: report.problems.len() as u64 + more,
            seconds: stats.seconds,
            peak_memory: stats.peak_memory,
            record: record.to_owned(),
            prefixes: self.prefixes.clone(),
            digest: self.digest.clone(),
            list: list.map(|(path, meta)| (path.to_path_buf(), FileState::of(&meta))),
        };
        Ok(self.night.plan.store.prepare(&ending)?)
    }
}
