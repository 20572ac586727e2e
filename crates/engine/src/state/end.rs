//! Ends a run: writes the catalogue, checks the merge against it, and merges segments.

use super::begin::now;
use super::catalogue::{
    Catalogue, InputLine, Line, ListLine, PastRun, PrefixChange, SegmentLine, Writer,
};
use super::compare::{Fate, file_state};
use super::data::{FileState, Name, name_hash, written_hash};
use super::run::{FolderRun, cannot};
use super::segments::{self, merge, must_merge};
use super::store::absolute;
use crate::error::Error;
use crate::plan::kind::Kind;
use crate::plan::remember::{Ending, Segment};
use crate::plan::report::Changes;
use doiscan_os::lock::lock;
use doiscan_sets::collect::run::Space;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{BufReader, Seek};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Number of files with names added and removed that are remembered.
const WRITTEN: usize = 200;

/// Number of the newest runs whose records have examples and prefixes.
const DIGESTS: usize = 30;

/// Number of prefixes with changes that are kept of a run.
const CHANGES: usize = 100;

impl FolderRun<'_> {
    /// Writes the catalogue before the files of the run are put in place. Checks that the merge saw all
    /// records of every input.
    pub(super) fn write(&self, ending: &Ending<'_>) -> Result<(), Error> {
        let (old, _) = self.store.begun()?;
        let mut new = old.clone();
        new.runs.push(self.past_run(ending));
        if let Some(at) = new.runs.len().checked_sub(DIGESTS + 1) {
            shorten(&mut new.runs[at]);
        }
        self.set_head(&mut new, ending);
        self.sync_segments()?;
        let mut writer = new.write(&*self.disk, self.store.folder())?;
        let damaged = self.write_known(&old, &mut writer)?;
        self.write_read(&mut writer)?;
        writer.finish()?;
        if damaged > 0 {
            new.end(false);
            new.replace(&*self.disk, self.store.folder())?;
        }
        self.store.replaced(new);
        match damaged {
            0 => Ok(()),
            inputs => Err(Error::state(format!(
                "{} is damaged: names of {inputs} {} missing; no output was written, and the \
                 next run reads these inputs again",
                self.store.folder().display(),
                if inputs == 1 { "input are" } else { "inputs are" }
            ))),
        }
    }

    /// Updates the first line.
    fn set_head(&self, new: &mut Catalogue, ending: &Ending<'_>) {
        let head = &mut new.head;
        head.options.clone_from(&self.beginning.options);
        head.list.clone_from(&self.beginning.list);
        head.has_names = self.has_names;
        head.next_source = self.next_source.load(Ordering::SeqCst);
        head.next_segment = self.next_segment.load(Ordering::SeqCst);
        let segments = &lock(&self.progress).segments;
        head.segments = segments.iter().map(SegmentLine::from).collect();
        let name = |name: PathBuf| {
            let unit = doiscan_input::probe(&name).ok();
            name_hash(&name, unit.as_ref().and_then(file_state))
        };
        head.other_names = self.units.other_names().map(name).collect();
        head.other_names.sort_unstable();
        let written = ending.written.iter().map(|(path, hash)| written_hash(path, *hash));
        let written: Vec<_> = written.collect();
        head.written.retain(|hash| !written.contains(hash));
        head.written.extend(written);
        head.written.drain(..head.written.len().saturating_sub(WRITTEN));
    }

    /// Writes the lines of the inputs that the catalogue knew and that were not read. Returns the number of those
    /// that lost names.
    fn write_known(&self, old: &Catalogue, writer: &mut Writer<'_>) -> Result<u64, Error> {
        let (left_out, mut id, mut damaged, mut written) = (self.left_out(), 0, 0, Ok(()));
        let mut each = |mut line: InputLine| {
            let fate = match self.comparison.fates[id as usize] {
                Fate::Read if left_out.contains(&id) => Fate::Gone,
                fate => fate,
            };
            id += 1;
            if fate != Fate::Kept {
                (line.good, line.before) = (line.good(&old.head), line.before(&old.head));
            }
            match fate {
                Fate::Read => return,
                Fate::Kept => {
                    let known = line.distinct_dois;
                    self.count(&mut line);
                    if known != line.distinct_dois {
                        damaged += 1;
                        line.trusted = false;
                    }
                }
                Fate::Gone | Fate::Linked => line = self.gone(line, fate),
                // It is known for as long as a page shows it, or somebody compares with it.
                Fate::Stays if line.good.is_none() && old.head.good >= Some(line.run) => return,
                Fate::Stays => {}
            }
            if written.is_ok() {
                written = writer.line(&Line::Input(Box::new(line)));
            }
        };
        self.store.each_input(&mut each)?;
        written.map(|()| damaged)
    }

    /// The line of an input that no longer exists.
    fn gone(&self, line: InputLine, fate: Fate) -> InputLine {
        let InputLine { input, file, good, before, .. } = line;
        let change = if fate == Fate::Gone { "gone" } else { "linked" };
        let (run, change) = (self.begun.run, change.to_owned());
        InputLine { input, file, good, before, run, change, ..InputLine::default() }
    }

    /// Writes the lines of the inputs that were read.
    fn write_read(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        let fail = |error| cannot(self.store.folder(), &error);
        let mut progress = lock(&self.progress);
        progress.flush(&*self.disk).and_then(|()| progress.lines.rewind()).map_err(fail)?;
        let lines = BufReader::new(&progress.lines);
        for line in serde_json::Deserializer::from_reader(lines).into_iter() {
            let mut line = line.map_err(|error| fail(error.into()))?;
            self.count(&mut line);
            writer.line(&Line::Input(Box::new(line)))?;
        }
        Ok(())
    }

    /// Notes the numbers of names that the merge saw.
    fn count(&self, line: &mut InputLine) {
        let seen = |kind| line.source.map_or(0, |source| self.live().seen(source, kind));
        let list = seen(Kind::Names) + seen(Kind::Counts);
        (line.distinct_dois, line.distinct_short_dois) = (Some(list), Some(seen(Kind::Short)));
    }

    fn past_run(&self, ending: &Ending<'_>) -> PastRun {
        let report = ending.report;
        let outcome = match (&report.refusal, &report.accepted) {
            (Some(_), _) => "failed",
            (None, None) => "publishing",
            (None, Some(_)) => "accepting",
        };
        let list = ending.list.as_ref().map(|(path, meta)| {
            let path = absolute(path);
            let file = meta.as_ref().map(|meta| FileState::at(&path, meta));
            ListLine { path: Name(path), file }
        });
        PastRun {
            id: self.begun.run,
            started: self.started.clone(),
            finished: now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            outcome: outcome.to_owned(),
            list,
            changes: if self.has_good { changes(&ending.prefixes) } else { Vec::new() },
            record: ending.record.to_owned(),
        }
    }

    /// Ends the run once its files are in place or discarded.
    pub(super) fn end(&self, is_good: bool, memory: usize) -> Result<(), Error> {
        let (mut catalogue, _) = self.store.begun()?;
        // Of runs that are refused, the records of the last good run are still needed.
        let is_last = catalogue.end(is_good);
        let merged = if is_last { self.merge_all(&mut catalogue, memory) } else { Ok(()) };
        catalogue.replace(&*self.disk, self.store.folder())?;
        self.store.replaced(catalogue);
        merged
    }

    /// Merges the segments of each kind that has many, or many dead records, into one.
    fn merge_all(&self, catalogue: &mut Catalogue, memory: usize) -> Result<(), Error> {
        let mut all = catalogue.head.segments();
        for &kind in &self.kinds {
            let known: Vec<Segment> = all.iter().filter(|s| s.kind == kind).copied().collect();
            if !must_merge(known.len(), self.live().dead(kind)) {
                continue;
            }
            let segments = segments::of_kind(&self.store.segments(), kind, &self.next_segment);
            let runs = known.iter().map(|segment| segments.open(&self.disk, segment.number));
            let runs: Vec<_> = runs.collect::<Result<_, _>>()?;
            let space = Space::of_segments(Arc::clone(&self.disk), segments);
            let merged = merge(&runs, kind, self.live(), &space, memory, self.pool)?;
            all.retain(|segment| segment.kind != kind);
            all.extend(merged.iter().filter_map(|run| Segment::of(kind, run)));
            catalogue.head.segments = all.iter().map(SegmentLine::from).collect();
            catalogue.head.next_segment = self.next_segment.load(Ordering::SeqCst);
        }
        self.sync_segments()
    }

    /// Makes the names of new segments durable, before something mentions them.
    fn sync_segments(&self) -> Result<(), Error> {
        let folder = self.store.segments();
        let synced = self.disk.sync_folder(&folder);
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

/// Leaves out what a page shows of the newest runs alone: examples and prefixes.
fn shorten(run: &mut PastRun) {
    if let Ok(Value::Object(mut record)) = serde_json::from_str(&run.record)
        && record.remove("digest").is_some()
    {
        run.record = Value::Object(record).to_string();
    }
}
