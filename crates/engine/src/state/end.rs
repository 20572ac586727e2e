//! Ends a run: writes the catalogue, checks the merge against it, and merges segments.

use super::begin::now;
use super::catalogue::{
    Catalogue, Example, InputLine, Line, ListLine, Name, PastRun, PrefixChange, PrefixLine,
    RepeatsLine, SegmentLine, Writer, escaped,
};
use super::compare::{Fate, file_state};
use super::data::{FileState, Lost, name_hash, written_hash};
use super::run::FolderRun;
use super::segments::{self, merge, must_merge};
use super::store::absolute;
use crate::error::Error;
use crate::figures::{Digest, Example as Found};
use crate::plan::kind::Kind;
use crate::plan::remember::{Ending, Segment};
use crate::plan::report::Changes;
use doiscan_core::doi::Reason;
use doiscan_core::scan::Repair;
use doiscan_os::lock::lock;
use doiscan_sets::collect::run::Space;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Seek};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Number of files with names added and removed that are remembered.
const WRITTEN: usize = 200;

/// Number of examples kept for each reason and each kind of repair.
const EXAMPLES: usize = 3;

/// Number of prefixes with changes that are kept of a run.
const CHANGES: usize = 100;

impl FolderRun<'_> {
    /// Writes the catalogue before the files of the run are put in place. Checks that the merge saw all
    /// records of every input.
    pub(super) fn write(&self, ending: &Ending<'_>) -> Result<(), Error> {
        let (old, _) = self.store.begun()?;
        let mut new = old.clone();
        new.runs.push(self.past_run(ending));
        if let Some(digest) = ending.digest {
            add_examples(&mut new.examples, digest, &new.runs[new.runs.len() - 1]);
        }
        self.set_head(&mut new, ending);
        // Names of files must be durable before what mentions them is.
        let folder = self.store.segments();
        let synced = self.disk.sync_folder(&folder);
        synced.map_err(|e| Error::state(format!("cannot sync {}: {e}", folder.display())))?;
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
        head.has_names = self.begun.has_good && self.lost == Lost::Nothing;
        if self.lost == Lost::All {
            head.good = None;
        }
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
            (line.good, line.before) = match self.lost {
                Lost::All => (None, line.before),
                _ if fate == Fate::Kept => (line.good, line.before),
                _ => (line.good(&old.head), line.before(&old.head)),
            };
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
                written = writer.line(&Line::Input(line));
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
        let fail = |error: std::io::Error| {
            let folder = self.store.folder().display();
            Error::state(format!("cannot read what was written to {folder}: {error}"))
        };
        let mut progress = lock(&self.progress);
        let buffer = std::mem::take(&mut progress.buffer);
        progress.lines.rewind().map_err(fail)?;
        let mut lines = BufReader::new(&progress.lines);
        let (mut rest, mut text) = (buffer.as_slice(), Vec::new());
        loop {
            text.clear();
            let len = lines.read_until(b'\n', &mut text).map_err(fail)?;
            if len == 0 && rest.read_until(b'\n', &mut text).map_err(fail)? == 0 {
                return Ok(());
            }
            if let Line::Input(mut line) =
                serde_json::from_slice(&text).map_err(|e| fail(e.into()))?
            {
                self.count(&mut line);
                writer.line(&Line::Input(line))?;
            }
        }
    }

    /// Notes the numbers of names that the merge saw.
    fn count(&self, line: &mut InputLine) {
        let seen = |kind| line.source.map_or(0, |source| self.live().seen(source, kind));
        let list = seen(Kind::Names) + seen(Kind::Counts);
        (line.distinct_dois, line.distinct_short_dois) = (Some(list), Some(seen(Kind::Short)));
    }

    fn past_run(&self, ending: &Ending<'_>) -> PastRun {
        let (report, stats) = (ending.report, &ending.report.stats);
        let state = report.state.clone().unwrap_or_default();
        let counts = &stats.counts;
        let more = report.omitted.as_ref().map_or(0, |omitted| omitted.count);
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
        let digest = ending.digest.cloned().unwrap_or_default();
        let prefix = |(prefix, dois): (Vec<u8>, u64)| PrefixLine { prefix: escaped(&prefix), dois };
        let bins = digest.repeats.into_iter().flatten();
        let repeats = bins.map(|(bin, dois)| RepeatsLine {
            least: *bin.start(),
            most: (*bin.end() < u64::MAX).then_some(*bin.end()),
            dois,
        });
        PastRun {
            id: self.begun.run,
            started: self.started.clone(),
            finished: now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            outcome: outcome.to_owned(),
            inputs_read: state.read,
            inputs_skipped: state.skipped,
            bytes_read: Some(state.read_bytes),
            bytes_skipped: state.skipped_bytes,
            candidates: counts.candidates,
            accepted: counts.accepted,
            rejected_total: counts.rejected_total(),
            distinct: Some(stats.distinct),
            added: state.changed.map(|changed| changed.added),
            removed: state.changed.map(|changed| changed.removed),
            problems: Some(report.problems.len() as u64 + more),
            seconds: Some(stats.seconds),
            peak_memory: stats.peak_memory,
            list,
            record: ending.record.to_owned(),
            changes: if self.has_good { changes(&ending.prefixes) } else { Vec::new() },
            prefix_count: digest.prefix_count,
            prefixes: digest.prefixes.into_iter().map(prefix).collect(),
            repeats: repeats.collect(),
        }
    }

    /// Ends the run once its files are in place or discarded.
    pub(super) fn end(&self, is_good: bool, memory: usize) -> Result<(), Error> {
        let (mut catalogue, _) = self.store.begun()?;
        let is_last = catalogue.end(is_good);
        let merged = self.merge_all(&mut catalogue, is_last, memory);
        catalogue.replace(&*self.disk, self.store.folder())?;
        self.store.replaced(catalogue);
        merged
    }

    /// Merges the segments of the kinds that need it.
    fn merge_all(
        &self,
        catalogue: &mut Catalogue,
        is_good: bool,
        memory: usize,
    ) -> Result<(), Error> {
        let live = self.live();
        let after = Arc::new(live.after(is_good));
        let mut all = catalogue.head.segments();
        for &kind in &self.kinds {
            let known: Vec<Segment> = all.iter().filter(|s| s.kind == kind).copied().collect();
            let dead = match kind {
                Kind::Inputs => self.dead_parts(&known),
                kind => live.dead(kind, is_good),
            };
            let is_damaged = lock(&self.opened).is_damaged(kind);
            if !must_merge(known.len(), dead, is_damaged) {
                continue;
            }
            let segments = segments::of_kind(&self.store.segments(), kind, &self.next_segment);
            let mut runs = Vec::new();
            for segment in &known {
                let mut run = segments.open(&self.disk, segment.number)?;
                if is_damaged {
                    run.leave_out_damaged()?;
                }
                runs.push(run);
            }
            let space = Space::of_segments(Arc::clone(&self.disk), segments);
            let merged = merge(&runs, kind, &after, &space, memory, self.pool)?;
            all.retain(|segment| segment.kind != kind);
            all.extend(merged.iter().filter_map(|run| Segment::of(kind, run)));
            catalogue.head.segments = all.iter().map(SegmentLine::from).collect();
            catalogue.head.next_segment = self.next_segment.load(Ordering::SeqCst);
        }
        let synced = self.disk.sync_folder(&self.store.segments());
        synced.map_err(|error| Error::state(error.to_string()))
    }

    /// Returns the dead share of the records of `Kind::Inputs`. Computed here because not
    /// all runs merge these records.
    fn dead_parts(&self, known: &[Segment]) -> f64 {
        let all: u64 = known.iter().map(|segment| segment.records).sum();
        let live = self.comparison.kept_parts + lock(&self.progress).parts;
        if all == 0 { 0.0 } else { all.saturating_sub(live) as f64 / all as f64 }
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

/// Adds the examples of a run, and keeps older ones as far as there is room.
fn add_examples(all: &mut Vec<Example>, digest: &Digest, run: &PastRun) {
    let rejected = Reason::ALL
        .map(|reason| (true, reason.name(), digest.examples.rejected(reason).collect::<Vec<_>>()));
    let repaired =
        Repair::ALL.map(|kind| (false, kind.name(), digest.examples.repaired(kind).collect()));
    let mut kept = Vec::new();
    for (is_rejected, key, found) in rejected.into_iter().chain(repaired) {
        let new: Vec<_> =
            found.into_iter().map(|found| example(run, is_rejected, key, found)).collect();
        let is_of = |old: &&Example| old.is_rejected == is_rejected && old.key == key;
        // A file that is read again, such as a log that grows, gives the same places again.
        let is_same = |old: &Example| {
            new.iter().any(|new| (&new.input, new.offset) == (&old.input, old.offset))
        };
        let old = all.iter().filter(is_of).filter(|old| !is_same(old));
        kept.extend(new.iter().chain(old).take(EXAMPLES).cloned());
    }
    kept.sort_by_key(|example| Reverse(example.run));
    *all = kept;
}

fn example(run: &PastRun, is_rejected: bool, key: &str, found: &Found) -> Example {
    Example {
        is_rejected,
        key: key.to_owned(),
        run: run.id,
        started: run.started.clone(),
        input: escaped(&found.input),
        line: found.line,
        offset: found.offset,
        before: escaped(&found.before),
        text: escaped(&found.text),
        doi: (!found.doi.is_empty()).then(|| escaped(&found.doi)),
    }
}
