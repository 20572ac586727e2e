//! Ends a run: writes the catalogue, and merges segments.

use super::begin::now;
use super::catalogue::{Head, ListLine, PastRun, PrefixChange, replace};
use super::data::{Name, written_hash};
use super::run::FolderRun;
use super::segments::{self, MANY, merge};
use super::store::absolute;
use crate::error::Error;
use crate::plan::remember::{Ending, Segment};
use crate::plan::report::Changes;
use doiscan_input::Identity;
use doiscan_os::lock::lock;
use doiscan_sets::collect::run::Space;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Number of files with names added and removed that are remembered.
const WRITTEN: usize = 200;

/// Number of the newest runs whose records have examples and prefixes.
const DIGESTS: usize = 30;

/// Number of prefixes with changes that are kept of a run.
const CHANGES: usize = 100;

impl FolderRun<'_> {
    /// Completes the new catalogue before the files of the run are put in place.
    pub(super) fn write(&self, ending: &Ending<'_>, memory: usize) -> Result<(), Error> {
        let mut new = self.catalogue.clone();
        let is_last = new.add(self.past_run(ending));
        if let Some(at) = new.runs.len().checked_sub(DIGESTS + 1)
            && let Some(record) = new.runs[at].record.as_object_mut()
        {
            record.remove("digest");
        }
        let mut progress = lock(&self.progress);
        let head = &mut new.head;
        head.next_source = self.next_source.load(Ordering::SeqCst);
        head.segments.clone_from(&progress.segments);
        let written = ending.written.iter().map(|(path, hash)| written_hash(path, *hash));
        let written: Vec<_> = written.collect();
        head.written.retain(|hash| !written.contains(hash));
        head.written.extend(written);
        head.written.drain(..head.written.len().saturating_sub(WRITTEN));
        // After a run that is refused, the records of the last good run are still needed.
        if is_last {
            self.merge_all(head, memory)?;
        }
        head.next_segment = self.next_segment.load(Ordering::SeqCst);
        self.sync_segments()?;
        progress.segments.clone_from(&head.segments);
        let Some(mut writer) = progress.writer.take() else { return Ok(()) };
        new.write(&mut writer)?;
        writer.finish()?;
        progress.needed = None;
        Ok(())
    }

    /// Puts the new catalogue in place.
    pub(super) fn end(&self) -> Result<(), Error> {
        replace(&**self.start.disk, self.store.folder())?;
        let mut progress = lock(&self.progress);
        progress.needed = Some(std::mem::take(&mut progress.segments));
        Ok(())
    }

    fn past_run(&self, ending: &Ending<'_>) -> PastRun {
        let report = ending.report;
        let outcome = match (&report.refusal, &report.accepted) {
            (Some(_), _) => "failed",
            (None, None) => "passed",
            (None, Some(_)) => "accepted",
        };
        let list = ending.list.as_ref().map(|(path, meta)| {
            let path = absolute(path);
            let file = meta.as_ref().map(|meta| Identity::at(&path, meta));
            ListLine { path: Name(path), file }
        });
        PastRun {
            id: self.id,
            started: self.started.clone(),
            finished: now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            outcome: outcome.to_owned(),
            list,
            changes: if self.has_good { changes(&ending.prefixes) } else { Vec::new() },
            record: serde_json::from_str(ending.record).unwrap_or_default(),
        }
    }

    /// Merges the segments of each kind that has many into one.
    fn merge_all(&self, head: &mut Head, memory: usize) -> Result<(), Error> {
        let (disk, pool) = (self.start.disk, self.start.pool);
        for &kind in &self.start.kinds {
            let known = head.segments.iter().filter(|segment| segment.kind == kind);
            let segments = segments::of_kind(&self.store.segments(), kind, &self.next_segment);
            let runs = known.map(|segment| segments.open(disk, segment.number));
            let runs: Vec<_> = runs.collect::<Result<_, _>>()?;
            if runs.len() <= MANY {
                continue;
            }
            let space = Space::of_segments(Arc::clone(disk), segments);
            let merged = merge(&runs, kind, &self.live(), &space, memory, pool)?;
            head.segments.retain(|segment| segment.kind != kind);
            head.segments.extend(merged.iter().filter_map(|run| Segment::of(kind, run)));
        }
        Ok(())
    }

    /// Makes the names of new segments durable, before the catalogue mentions them.
    fn sync_segments(&self) -> Result<(), Error> {
        let folder = self.store.segments();
        let synced = self.start.disk.sync_folder(&folder);
        synced.map_err(|e| Error::state(format!("cannot sync {}: {e}", folder.display())))
    }
}

/// The prefixes with most names added and removed.
fn changes(prefixes: &Changes<&BTreeMap<Vec<u8>, u64>>) -> Vec<PrefixChange> {
    let mut all: BTreeMap<&[u8], PrefixChange> = BTreeMap::new();
    for (counts, is_added) in [(prefixes.added, true), (prefixes.removed, false)] {
        for (prefix, count) in counts {
            let change = all.entry(prefix).or_default();
            let sum = if is_added { &mut change.added } else { &mut change.removed };
            *sum += count;
        }
    }
    let named = all.into_iter().map(|(prefix, change)| PrefixChange {
        prefix: String::from_utf8_lossy(prefix).into_owned(),
        ..change
    });
    let mut named: Vec<_> = named.collect();
    named.sort_by_key(|change| Reverse(change.added + change.removed));
    named.truncate(CHANGES);
    named
}
