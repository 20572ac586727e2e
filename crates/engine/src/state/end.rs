//! Ends a run: checks the merge against the live sources, and compacts segments.

use super::data::{Distinct, StateUpdate};
use super::live::Live;
use super::run::FolderRun;
use super::segments::{self, merge, to_merge};
use crate::error::Error;
use crate::plan::kind::Kind;
use crate::plan::remember::Segment;
use doiscan_os::lock::lock;
use doiscan_sets::collect::run::Space;
use std::sync::Arc;

impl FolderRun<'_> {
    /// Checks that the merge saw all records of every input, and notes the number of names of each.
    pub(super) fn check_sources(&self) -> Result<(), Error> {
        let live = self.live();
        let seen = |source, kind| live.seen(source, kind);
        let names = |source| {
            let list = seen(source, Kind::Names) + seen(source, Kind::Counts);
            Distinct { list, short: seen(source, Kind::Short) }
        };
        let mut update = self.update();
        for kept in &self.comparison.kept {
            let found = names(kept.source);
            match kept.distinct {
                None => update.distinct.push((kept.source, found)),
                Some(old) if old.list != found.list => update.distrusted.push(kept.id),
                Some(_) => {}
            }
        }
        let read = &lock(&self.progress).read;
        update.distinct.extend(read.iter().map(|read| (read.source, names(read.source))));
        update.lost = self.lost;
        self.store.catalogue(|catalogue| catalogue.commit(&update))?;
        match update.distrusted.len() {
            0 => Ok(()),
            inputs => Err(Error::state(format!(
                "{} is damaged: names of {inputs} {} missing; no output was written, and the \
                 next run reads these inputs again",
                self.store.folder().display(),
                if inputs == 1 { "input are" } else { "inputs are" }
            ))),
        }
    }

    /// Removes segment files that the store no longer lists. Files that cannot be removed now are
    /// removed by the next run.
    pub(super) fn remove(&self, segments: Vec<(Kind, u64)>) {
        for (kind, number) in segments {
            let folder = self.store.segments();
            let of_kind = segments::of_kind(&folder, kind, &self.next_segment);
            let _ = of_kind.remove(&*self.disk, number);
        }
    }

    /// Compacts the segments once the files of the run are in place or discarded.
    pub(super) fn compact_all(&self, is_good: bool, memory: usize) -> Result<(), Error> {
        let after = Arc::new(self.live().after(is_good));
        let known = self.store.catalogue(|catalogue| catalogue.segments())?;
        for kind in Kind::ALL.into_iter().filter(|kind| kind.row().is_remembered) {
            let known: Vec<Segment> =
                known.iter().filter(|segment| segment.kind == kind).copied().collect();
            let dead = match kind {
                Kind::Inputs => self.dead_parts(&known),
                kind => self.live().dead(kind, is_good),
            };
            self.compact(kind, &known, dead, &after, memory)?;
        }
        Ok(())
    }

    /// Returns the dead share of the records of `Kind::Inputs`. Computed here because not
    /// all runs merge these records.
    fn dead_parts(&self, known: &[Segment]) -> f64 {
        let all: u64 = known.iter().map(|segment| segment.records).sum();
        let kept: u64 = self.comparison.kept.iter().map(|kept| kept.details.parts).sum();
        let read: u64 = lock(&self.progress).read.iter().map(|read| read.details.parts).sum();
        if all == 0 { 0.0 } else { all.saturating_sub(kept + read) as f64 / all as f64 }
    }

    fn compact(
        &self,
        kind: Kind,
        known: &[Segment],
        dead: f64,
        live: &Arc<Live>,
        memory: usize,
    ) -> Result<(), Error> {
        let sizes: Vec<u64> = known.iter().map(|segment| segment.bytes).collect();
        let chosen = to_merge(&sizes, dead, lock(&self.opened).is_damaged(kind));
        if chosen.is_empty() {
            return Ok(());
        }
        let segments = segments::of_kind(&self.store.segments(), kind, &self.next_segment);
        let mut runs = Vec::new();
        for &index in &chosen {
            let mut run = segments.open(&self.disk, known[index].number)?;
            if lock(&self.opened).is_damaged(kind) {
                run.leave_out_damaged()?;
            }
            runs.push(run);
        }
        let space = Space::of_segments(Arc::clone(&self.disk), segments);
        let merged = merge(&runs, kind, live, &space, memory, self.pool)?;
        let numbers: Vec<u64> = chosen.iter().map(|&index| known[index].number).collect();
        let added = merged.iter().filter_map(|run| Segment::of(kind, run)).collect();
        self.sync_folder()?;
        let step = StateUpdate { added, dropped: numbers.clone(), ..self.update() };
        self.store.catalogue(|catalogue| catalogue.commit(&step))?;
        self.remove(numbers.into_iter().map(|number| (kind, number)).collect());
        Ok(())
    }
}
