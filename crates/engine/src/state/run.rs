//! Runs with a state: the inputs to read, the checkpoints and the updates of the state.

use super::compare::{Comparison, KeptDetails, ToRead, file_state};
use super::data::{FileState, Lost, ReadInput, StateUpdate, name_hash};
use super::details::encode;
use super::filter::{SourceFilters, Wanted};
use super::live::Live;
use super::segments::{self, Opened};
use super::sqlite::Store;
use crate::error::Error;
use crate::figures::Counts;
use crate::plan::kind::Kind;
use crate::plan::remember::{Ending, Remembered, Segment, StateRun};
use crate::plan::report::{Changes, GONE_NAMED, StateReport};
use crate::reading::{Details, InputReading};
use doiscan_input::problem::{ProblemCode, Problems};
use doiscan_input::{InputKind, Units};
use doiscan_os::disk::Disk;
use doiscan_os::lock::lock;
use doiscan_sets::collect::run::{Run, Space};
use doiscan_sets::dedup::filter::Filters;
use doiscan_sets::pool::Pool;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

/// Checkpoints take at most one part in this many of the time of a run.
const SHARE: u32 = 20;

/// A run with a state in a folder. Shared by all workers.
pub(super) struct FolderRun<'a> {
    pub(super) store: &'a Store,
    pub(super) checkpoint: Duration,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) units: &'a Units,
    pub(super) pool: &'a Pool,
    pub(super) run: i64,
    /// Whether there is a good run or an old list to compare with.
    pub(super) has_good: bool,
    /// Whether the inputs of the last good run are known.
    pub(super) knows_inputs: bool,
    /// What was lost of the last good run.
    pub(super) lost: Lost,
    pub(super) comparison: Comparison,
    pub(super) opened: Mutex<Opened>,
    /// Notes for the user about the state.
    pub(super) notes: Vec<String>,
    pub(super) next_source: AtomicU32,
    pub(super) next_segment: Arc<AtomicU64>,
    pub(super) progress: Mutex<Progress>,
    /// The live sources, once all inputs were read.
    pub(super) live: OnceLock<Arc<Live>>,
}

/// The inputs read so far.
pub(super) struct Progress {
    /// Inputs read that belong to no checkpoint yet, and inputs of the checkpoint in progress.
    finished: Vec<ReadInput>,
    taken: Vec<ReadInput>,
    /// Number of workers that have not yet handed over their records for the checkpoint in
    /// progress.
    left: usize,
    is_saving: bool,
    due: Instant,
    /// Segments listed in the store.
    committed: HashSet<u64>,
    /// Counts of the inputs that are not read.
    skipped: Counts,
    /// Results of all inputs.
    seen: Details,
    pub(super) read: Vec<Read>,
    /// The places, among the inputs to read, of files that other runs wrote.
    left_out: Vec<usize>,
    failed: Option<Error>,
}

/// An input that was read.
pub(super) struct Read {
    pub(super) source: u32,
    pub(super) is_good: bool,
    pub(super) details: KeptDetails,
}

impl Progress {
    pub(super) fn new(committed: HashSet<u64>, checkpoint: Duration, seen: Details) -> Self {
        Progress {
            finished: Vec::new(),
            taken: Vec::new(),
            left: 0,
            is_saving: false,
            due: Instant::now() + checkpoint,
            committed,
            skipped: seen.counts.clone(),
            seen,
            read: Vec::new(),
            left_out: Vec::new(),
            failed: None,
        }
    }
}

impl Drop for FolderRun<'_> {
    /// Removes the segments of a failed run, which take up room.
    fn drop(&mut self) {
        if let Ok(known) = self.store.catalogue(|catalogue| catalogue.segments()) {
            segments::remove_stale(self.store, &*self.disk, &known);
        }
    }
}

impl StateRun for FolderRun<'_> {
    fn skipped_bytes(&self) -> u64 {
        self.comparison.skipped_bytes
    }

    fn segments(&self, kind: Kind) -> (Space, Vec<Run>) {
        let segments = segments::of_kind(&self.store.segments(), kind, &self.next_segment);
        let space = Space::of_segments(Arc::clone(&self.disk), segments);
        (space, lock(&self.opened).runs.remove(&kind).unwrap_or_default())
    }

    fn read(&self, place: usize) -> Option<(usize, Arc<InputReading>)> {
        let index = self.comparison.to_read.get(place)?.index;
        let source = self.next_source.fetch_add(1, Ordering::Relaxed);
        Some((index, Arc::new(InputReading::new(place, source))))
    }

    fn done(&self, reading: &InputReading) {
        if reading.is_left_out.is_set() {
            return lock(&self.progress).left_out.push(reading.index);
        }
        let to_read = &self.comparison.to_read[reading.index];
        let Some(unit) = self.units.get(to_read.index) else { return };
        let (details, seconds) = reading.details();
        let instead = reading.instead();
        let file = instead.map(FileState::from).or_else(|| file_state(&unit));
        let hash = self.comparison.hashes.get(&to_read.index).copied();
        let hash = hash.filter(|_| instead.is_none());
        let is_same = || hash.is_none() || is_still(&unit.path, file);
        let is_trusted = file.is_some_and(|file| !is_recent(file, reading.begun))
            && is_lasting(&details.problems)
            && !reading.is_distrusted.is_set()
            && (unit.kind != InputKind::Empty || details.counts.bytes == 0)
            && is_same();
        let counts = &details.counts;
        let input = ReadInput {
            path: unit.path,
            file,
            hash,
            is_trusted,
            source: reading.source,
            is_good: to_read.lost.is_some(),
            change: to_read.change,
            bytes: counts.bytes,
            accepted: counts.accepted,
            rejected: counts.rejected_total(),
            seconds,
            problem: problem(&details.problems),
            details: encode(&details),
        };
        let read = Read {
            source: reading.source,
            is_good: to_read.lost.is_some(),
            details: KeptDetails::of(&details),
        };
        let mut progress = lock(&self.progress);
        progress.finished.push(input);
        progress.read.push(read);
        progress.seen.append(details);
    }

    fn begins_checkpoint(&self, workers: usize) -> bool {
        let Ok(mut progress) = self.progress.try_lock() else { return false };
        if progress.is_saving || progress.finished.is_empty() || Instant::now() < progress.due {
            return false;
        }
        progress.taken = std::mem::take(&mut progress.finished);
        (progress.left, progress.is_saving) = (workers, true);
        true
    }

    fn handed_over(&self) -> bool {
        let mut progress = lock(&self.progress);
        progress.left = progress.left.saturating_sub(1);
        progress.left == 0
    }

    fn save(&self, segments: Result<Vec<Segment>, Error>) -> bool {
        let begin = Instant::now();
        let taken = std::mem::take(&mut lock(&self.progress).taken);
        let update = StateUpdate { read: taken, ..self.update() };
        let saved = segments.and_then(|segments| self.commit(segments, update));
        let mut progress = lock(&self.progress);
        progress.is_saving = false;
        let least = if self.checkpoint.is_zero() { 0 } else { SHARE };
        progress.due = Instant::now() + self.checkpoint.max(begin.elapsed() * least);
        let is_saved = saved.is_ok();
        progress.failed = saved.err();
        is_saved
    }

    fn all_done(&self, segments: Result<Vec<Segment>, Error>) -> Result<Remembered, Error> {
        let read = {
            let mut progress = lock(&self.progress);
            if let Some(error) = progress.failed.take() {
                return Err(error);
            }
            let mut all = std::mem::take(&mut progress.taken);
            all.append(&mut progress.finished);
            all
        };
        let old = std::mem::take(&mut lock(&self.opened).dropped);
        let dropped = old.iter().map(|(_, number)| *number).collect();
        let (mut gone, linked) = (self.comparison.gone.clone(), self.comparison.linked.clone());
        for path in self.left_out() {
            gone.extend(self.store.catalogue(|catalogue| catalogue.live(&path))?);
        }
        let mut names: Vec<_> = self
            .units
            .other_names()
            .map(|name| {
                let unit = doiscan_input::probe(&name).ok();
                name_hash(&name, unit.as_ref().and_then(file_state))
            })
            .collect();
        names.sort_unstable();
        let update = StateUpdate { read, gone, linked, dropped, ..self.update() };
        self.commit(segments?, StateUpdate { other_names: Some(names), ..update })?;
        self.remove(old);
        let live = Arc::new(self.sources());
        let _ = self.live.set(live);
        let mut progress = lock(&self.progress);
        let seen = std::mem::take(&mut progress.seen);
        let kept = self.comparison.kept.iter().map(|kept| (kept.source, &kept.details));
        let read = progress.read.iter().map(|read| (read.source, &read.details));
        let members = |(source, details): (u32, &KeptDetails)| (source, details.members.clone());
        Ok(Remembered {
            skipped: progress.skipped.clone(),
            problems: seen.problems,
            suspects: seen.suspects,
            sources: kept.chain(read).map(members).collect(),
        })
    }

    fn filters(&self, kind: Kind) -> Arc<dyn Filters> {
        let live = Arc::clone(self.live());
        Arc::new(SourceFilters { live, kind, wanted: Wanted::Answer })
    }

    fn check(&self) -> Result<(), Error> {
        self.check_sources()
    }

    fn report(&self, changed: Changes<u64>) -> StateReport {
        let comparison = &self.comparison;
        let read = &comparison.to_read;
        let size = |read: &ToRead| self.units.get(read.index).map_or(0, |unit| unit.size);
        let left_out = lock(&self.progress).left_out.clone();
        let left_out_bytes: u64 = left_out.iter().map(|&place| size(&read[place])).sum();
        StateReport {
            notes: self.notes.clone(),
            read: (read.len() - left_out.len()) as u64,
            read_bytes: read.iter().map(size).sum::<u64>() - left_out_bytes,
            skipped: comparison.kept.len() as u64,
            skipped_bytes: self.comparison.skipped_bytes,
            changed: self.has_good.then_some(changed),
            since_good: self.knows_inputs.then(|| comparison.changes_without(&left_out)),
            gone: if self.knows_inputs { self.gone_first() } else { Vec::new() },
            size: self.store.bytes(),
        }
    }

    fn prepare(&self, ending: &Ending<'_>) -> Result<(), Error> {
        let none = BTreeMap::new();
        let prefixes = match self.has_good {
            true => ending.prefixes,
            false => Changes { added: &none, removed: &none },
        };
        let ending = Ending { prefixes, ..ending.clone() };
        Ok(self.store.catalogue(|catalogue| catalogue.prepare(self.run, &ending))?)
    }

    fn close(&self, is_good: bool, memory: usize) -> Result<(), Error> {
        let is_last = self.store.catalogue(|catalogue| catalogue.end(self.run, is_good))?;
        self.compact_all(is_last, memory)
    }
}

impl FolderRun<'_> {
    /// The files among the inputs to read that other runs wrote.
    fn left_out(&self) -> Vec<PathBuf> {
        let places = lock(&self.progress).left_out.clone();
        let unit = |place: &usize| self.units.get(self.comparison.to_read[*place].index);
        places.iter().filter_map(unit).map(|unit| unit.path).collect()
    }

    /// The first inputs that only the last good run had, sorted by path.
    fn gone_first(&self) -> Vec<PathBuf> {
        let to_read = &self.comparison.to_read;
        let is_good = |place: &&usize| to_read[**place].good.is_some();
        let progress = lock(&self.progress);
        let units = progress.left_out.iter().filter(is_good).map(|&place| to_read[place].index);
        let left_out = units.filter_map(|index| self.units.get(index)).map(|unit| unit.path);
        let mut gone: Vec<_> = self.comparison.gone_first.iter().cloned().chain(left_out).collect();
        gone.sort_unstable();
        gone.truncate(GONE_NAMED);
        gone
    }

    /// Adds those of `segments` that are new, and the inputs of the update, to the state.
    pub(super) fn commit(
        &self,
        mut segments: Vec<Segment>,
        update: StateUpdate,
    ) -> Result<(), Error> {
        segments.retain(|segment| !lock(&self.progress).committed.contains(&segment.number));
        if !segments.is_empty() {
            self.sync_folder()?;
        }
        let numbers: Vec<u64> = segments.iter().map(|segment| segment.number).collect();
        self.store
            .catalogue(|catalogue| catalogue.commit(&StateUpdate { added: segments, ..update }))?;
        lock(&self.progress).committed.extend(numbers);
        Ok(())
    }

    /// Returns an empty update of this run.
    pub(super) fn update(&self) -> StateUpdate {
        StateUpdate {
            run: self.run,
            next_source: self.next_source.load(Ordering::SeqCst),
            next_segment: self.next_segment.load(Ordering::SeqCst),
            ..StateUpdate::default()
        }
    }

    /// Syncs the folder of the segments, which makes the names of new segments durable.
    pub(super) fn sync_folder(&self) -> Result<(), Error> {
        let folder = self.store.segments();
        let synced = self.disk.sync_folder(&folder);
        synced.map_err(|e| Error::state(format!("cannot sync {}: {e}", folder.display())))
    }

    /// The live sources.
    pub(super) fn live(&self) -> &Arc<Live> {
        self.live.get_or_init(|| Arc::new(self.sources()))
    }

    /// Returns the live sources after all inputs were read.
    fn sources(&self) -> Live {
        let mut live = Live::default();
        let progress = lock(&self.progress);
        for kept in &self.comparison.kept {
            live.add_now(kept.source);
        }
        for read in &progress.read {
            live.add_now(read.source);
            if read.is_good {
                live.add_good(read.source);
            }
        }
        self.comparison.good.iter().for_each(|&source| live.add_good(source));
        live
    }
}

/// Whether a file changed so shortly before `begun` that a later change may have the same time.
/// Times with fractions of a second are assumed to advance at least every 10 ms; the margin is 50
/// ms. Times in whole seconds get a margin of two seconds.
fn is_recent(file: FileState, begun: SystemTime) -> bool {
    let step = if file.ctime_ns % 1_000_000_000 == 0 { 2_000_000_000 } else { 50_000_000 };
    let begun = begun.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    file.ctime_ns >= i64::try_from(begun).unwrap_or(i64::MAX) - step
}

/// Whether a file is unchanged since it was listed.
fn is_still(path: &std::path::Path, file: Option<FileState>) -> bool {
    let unit = doiscan_input::probe(path).ok();
    unit.as_ref().and_then(file_state) == file
}

/// Codes of problems that recur as long as the content is unchanged.
const LASTING: [ProblemCode; 7] = [
    ProblemCode::NoColumn,
    ProblemCode::Truncated,
    ProblemCode::Damaged,
    ProblemCode::Unsupported,
    ProblemCode::Encrypted,
    ProblemCode::Limit,
    ProblemCode::UnclosedQuote,
];

/// Whether reading the same bytes again gives the same problems.
fn is_lasting(problems: &Problems) -> bool {
    problems.omitted().0 == 0 && problems.iter().all(|problem| LASTING.contains(&problem.code))
}

/// Summarises the problems of an input in one line.
fn problem(problems: &Problems) -> Option<String> {
    let first = problems.iter().next()?;
    let more = problems.iter().count() - 1;
    let rest = if more == 0 { String::new() } else { format!(" ({more} more)") };
    Some(format!("{}{rest}", first.message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_input::problem::Problem;

    fn file(ctime_ns: i64) -> FileState {
        FileState { device: 1, inode: 2, size: 3, mtime_ns: 0, ctime_ns }
    }

    #[test]
    fn a_file_that_changed_just_now_is_not_trusted() {
        let begun = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let second = 1_000_000_000;
        for (ctime, expected) in [
            (1_000 * second - 49_999_999, true),
            (1_000 * second - 50_000_001, false),
            (1_001 * second + 1, true),
            // Times in whole seconds may stay the same for two seconds.
            (998 * second, true),
            (997 * second, false),
        ] {
            assert_eq!(is_recent(file(ctime), begun), expected, "{ctime}");
        }
    }

    #[test]
    fn only_problems_of_the_content_last() {
        for (code, expected) in [
            (ProblemCode::Truncated, true),
            (ProblemCode::Damaged, true),
            (ProblemCode::PermissionDenied, false),
            (ProblemCode::IoError, false),
            (ProblemCode::Changed, false),
        ] {
            let mut problems = Problems::default();
            problems.push(Problem::new(std::path::Path::new("x"), code, "x"));
            assert_eq!(is_lasting(&problems), expected, "{code:?}");
        }
        assert!(is_lasting(&Problems::default()));
    }

    #[test]
    fn details_of_an_input_that_was_read_are_kept() {
        let details = KeptDetails::of(&Details { parts: 3, ..Details::default() });
        assert_eq!((details.parts, details.accepted), (3, 0));
    }
}
