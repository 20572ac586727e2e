//! Runs with a state: the inputs to read, the checkpoints and the updates of the state.

use super::compare::{Comparison, KeptDetails, RememberedResults, ToRead, file_state};
use super::live::Live;
use super::reading::InputReading;
use super::segments::{self, Opened};
use super::store::{FileState, ReadInput, Segment, SegmentKind, StateUpdate};
use crate::error::Error;
use crate::plan::StatePlan;
use crate::rows::collectors::Collectors;
use doiscan_input::problem::{Problem, ProblemCode, Problems};
use doiscan_input::{InputKind, Units};
use doiscan_os::disk::Disk;
use doiscan_sets::collect::run::{Run, Space};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Checkpoints take at most one part in this many of the time of a run.
const SHARE: u32 = 20;

/// A run with a state. Shared by all workers.
pub(crate) struct Night<'a> {
    pub(super) plan: &'a StatePlan,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) units: &'a Units,
    pub(super) run: i64,
    /// Whether there is a good run or an old list to compare with, and whether damage to segments
    /// lost the good run.
    pub(super) has_good: bool,
    /// Whether the inputs of the last good run are known.
    pub(super) knows_inputs: bool,
    pub(super) lost_good: bool,
    pub(super) comparison: Comparison,
    pub(super) remembered: RememberedResults,
    pub(super) opened: Mutex<Opened>,
    /// Notes for the user about the state.
    pub notes: Vec<String>,
    pub(super) next_source: AtomicU32,
    pub(super) next_segment: Arc<AtomicU64>,
    pub(super) done: Mutex<Done>,
}

/// The inputs read so far.
pub(super) struct Done {
    /// Inputs read that belong to no checkpoint yet, and inputs of the checkpoint in progress.
    pub(super) finished: Vec<ReadInput>,
    taken: Vec<ReadInput>,
    /// Number of workers that have not yet handed over their records for the checkpoint in
    /// progress.
    left: usize,
    is_saving: bool,
    due: Instant,
    /// Segments listed in the store.
    committed: HashSet<u64>,
    /// Results of all inputs that were read.
    pub(super) seen: RememberedResults,
    pub(super) read: Vec<Read>,
    pub(super) failed: Option<Error>,
}

/// An input that was read.
pub(super) struct Read {
    pub(super) source: u32,
    pub(super) is_good: bool,
    pub(super) details: KeptDetails,
}

impl Done {
    pub(super) fn new(committed: HashSet<u64>, checkpoint: Duration) -> Self {
        Done {
            finished: Vec::new(),
            taken: Vec::new(),
            left: 0,
            is_saving: false,
            due: Instant::now() + checkpoint,
            committed,
            seen: RememberedResults::default(),
            read: Vec::new(),
            failed: None,
        }
    }
}

impl Done {
    /// Removes and returns all inputs that are read but not yet committed.
    pub(super) fn take_all(&mut self) -> Vec<ReadInput> {
        let mut all = std::mem::take(&mut self.taken);
        all.append(&mut self.finished);
        all
    }
}

impl Drop for Night<'_> {
    /// Removes the segments of a failed run, which take up room.
    fn drop(&mut self) {
        if let Ok(known) = self.plan.store.known_segments() {
            segments::remove_stale(&*self.plan.store, &*self.disk, &known);
        }
    }
}

impl Night<'_> {
    /// Returns the inputs that must be read.
    pub(crate) fn to_read(&self) -> &[ToRead] {
        &self.comparison.to_read
    }

    /// Returns the space for records of one kind, and the existing segments.
    pub(crate) fn space(&self, kind: SegmentKind) -> (Space, Vec<Run>) {
        let segments = segments::of_kind(&self.plan.store.segments(), kind, &self.next_segment);
        let space = Space::of_segments(Arc::clone(&self.disk), segments);
        (space, self.opened().runs.remove(&kind).unwrap_or_default())
    }

    /// Starts reading the input at `place` in the list of inputs to read.
    pub(crate) fn reading(&self, place: usize) -> Arc<InputReading> {
        let source = self.next_source.fetch_add(1, Ordering::Relaxed);
        Arc::new(InputReading::new(place, source))
    }

    /// Notes that all pieces of an input were read.
    pub(crate) fn finish(&self, reading: &InputReading) {
        let to_read = &self.comparison.to_read[reading.index];
        let Some(unit) = self.units.get(to_read.index) else { return };
        let (details, seconds) = reading.details();
        let file = file_state(&unit);
        let hash = self.comparison.hashes.get(&to_read.index).copied();
        let is_same = || hash.is_none() || is_still(&unit.path, file);
        let is_trusted = file.is_some_and(|file| !is_recent(file, reading.begun))
            && is_lasting(&details.problems)
            && !reading.is_distrusted()
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
            candidates: [counts.candidates, counts.accepted, counts.rejected_total()],
            seconds,
            problem: problem(&details.problems),
            details: details.encode(),
        };
        let read = Read {
            source: reading.source,
            is_good: to_read.lost.is_some(),
            details: KeptDetails::of(&details),
        };
        let mut done = self.done();
        done.finished.push(input);
        done.read.push(read);
        done.seen.add(details);
    }

    /// Begins a checkpoint if one is due, and returns whether it did. Each of `workers` must then
    /// hand over its records and call [`Night::handed_over`].
    pub(crate) fn begins_checkpoint(&self, workers: usize) -> bool {
        let Ok(mut done) = self.done.try_lock() else { return false };
        if done.is_saving || done.finished.is_empty() || Instant::now() < done.due {
            return false;
        }
        done.taken = std::mem::take(&mut done.finished);
        (done.left, done.is_saving) = (workers, true);
        true
    }

    /// Notes that a worker has handed over its records for the checkpoint. Returns true for the
    /// last worker, which must call [`Night::save`].
    pub(crate) fn handed_over(&self) -> bool {
        let mut done = self.done();
        done.left = done.left.saturating_sub(1);
        done.left == 0
    }

    /// Commits the inputs of the checkpoint in progress. Returns false if the commit failed.
    pub(crate) fn save(&self, collectors: &Collectors) -> bool {
        let begin = Instant::now();
        let taken = std::mem::take(&mut self.done().taken);
        let saved = self.commit(collectors, taken, Vec::new(), Vec::new());
        let mut done = self.done();
        done.is_saving = false;
        let least = if self.plan.checkpoint.is_zero() { 0 } else { SHARE };
        done.due = Instant::now() + self.plan.checkpoint.max(begin.elapsed() * least);
        let is_saved = saved.is_ok();
        done.failed = saved.err();
        is_saved
    }

    /// Writes the collected records to segments, and commits the segments and the inputs.
    pub(super) fn commit(
        &self,
        collectors: &Collectors,
        read: Vec<ReadInput>,
        gone: Vec<i64>,
        dropped: Vec<u64>,
    ) -> Result<(), Error> {
        collectors.save()?;
        let mut added = Vec::new();
        let committed = self.done().committed.clone();
        collectors.each_segment(|kind, run| {
            if let Some(number) = run.segment().filter(|number| !committed.contains(number)) {
                let (records, bytes) = (run.len(), run.file_bytes());
                added.push(Segment { number, kind, records, bytes });
            }
        });
        let numbers: Vec<u64> = added.iter().map(|segment| segment.number).collect();
        if !added.is_empty() {
            self.sync_folder()?;
        }
        let step = StateUpdate { added, dropped, read, gone, ..self.step() };
        self.plan.store.commit(&step)?;
        self.done().committed.extend(numbers);
        Ok(())
    }

    /// Returns an empty update of this run.
    pub(super) fn step(&self) -> StateUpdate {
        StateUpdate {
            run: self.run,
            next_source: self.next_source.load(Ordering::SeqCst),
            next_segment: self.next_segment.load(Ordering::SeqCst),
            ..StateUpdate::default()
        }
    }

    /// Syncs the folder of the segments, which makes the names of new segments durable.
    pub(super) fn sync_folder(&self) -> Result<(), Error> {
        let folder = self.plan.store.segments();
        let synced = self.disk.sync_folder(&folder);
        synced.map_err(|e| Error::state(format!("cannot sync {}: {e}", folder.display())))
    }

    pub(super) fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the live sources after all inputs were read.
    pub(super) fn live(&self) -> Live {
        let mut live = Live::default();
        let done = self.done();
        for kept in &self.comparison.kept {
            live.add_now(kept.source);
        }
        for read in &done.read {
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
const LASTING: [ProblemCode; 6] = [
    ProblemCode::Truncated,
    ProblemCode::Damaged,
    ProblemCode::Unsupported,
    ProblemCode::Encrypted,
    ProblemCode::Limit,
    ProblemCode::UnclosedQuote,
];

/// Whether reading the same bytes again gives the same problems.
fn is_lasting(problems: &Problems) -> bool {
    let is_lasting = |problem: &Problem| problem.misfit || LASTING.contains(&problem.code);
    problems.omitted().0 == 0 && problems.iter().all(is_lasting)
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
    use crate::state::details::Details;

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
