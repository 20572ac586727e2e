//! Runs with a state: the inputs to read, and what was found in them.

use super::catalogue::{Begun, InputLine};
use super::compare::{Comparison, ToRead, file_state};
use super::data::{Beginning, Bytes, FileState, Name};
use super::details::encode;
use super::filter::{SourceFilters, Wanted};
use super::live::Live;
use super::segments::{self, Opened};
use super::store::Store;
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
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// Bytes of the lines of inputs that are written at once.
const BLOCK: usize = 64 * 1024;

/// A run with a state in a folder. Shared by all workers.
pub(super) struct FolderRun<'a> {
    pub(super) store: &'a Store,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) units: &'a Units,
    pub(super) pool: &'a Pool,
    /// The kinds of records that are remembered.
    pub(super) kinds: Vec<Kind>,
    pub(super) started: String,
    pub(super) beginning: Beginning,
    pub(super) begun: Begun,
    /// Whether there is a good run or an old list to compare with.
    pub(super) has_good: bool,
    /// Whether the inputs of the last good run are known.
    pub(super) knows_inputs: bool,
    /// Whether the names of the last good run are known.
    pub(super) has_names: bool,
    pub(super) comparison: Comparison,
    pub(super) opened: Mutex<Opened>,
    /// Notes for the user about the state.
    pub(super) notes: Vec<String>,
    /// The numbers of the inputs read begin here.
    pub(super) first_source: u32,
    pub(super) next_source: AtomicU32,
    pub(super) next_segment: Arc<AtomicU64>,
    pub(super) progress: Mutex<Progress>,
    /// The live sources, once all inputs were read.
    pub(super) live: OnceLock<Arc<Live>>,
}

/// The inputs read so far.
pub(super) struct Progress {
    /// The lines of the inputs read, and those that are not written yet.
    pub(super) lines: File,
    buffer: Vec<u8>,
    /// Members of those that have some.
    members: Vec<(u32, Vec<Vec<u8>>)>,
    /// Counts of the inputs that are not read.
    skipped: Counts,
    /// Results of all inputs.
    seen: Details,
    /// The places, among the inputs to read, of files that other runs wrote.
    left_out: Vec<usize>,
    failed: Option<Error>,
    /// All segments, once all inputs were read.
    pub(super) segments: Vec<Segment>,
}

impl Progress {
    pub(super) fn new(seen: Details, disk: &dyn Disk, folder: &Path) -> Result<Self, Error> {
        let lines = disk.unnamed(folder).map_err(|error| cannot(folder, &error))?;
        Ok(Progress {
            lines,
            buffer: Vec::with_capacity(BLOCK),
            members: Vec::new(),
            skipped: seen.counts.clone(),
            seen,
            left_out: Vec::new(),
            failed: None,
            segments: Vec::new(),
        })
    }

    /// Adds the line of an input.
    fn add(&mut self, input: &InputLine, disk: &dyn Disk) -> io::Result<()> {
        serde_json::to_writer(&mut self.buffer, input)?;
        if self.buffer.len() < BLOCK { Ok(()) } else { self.flush(disk) }
    }

    /// Writes the lines that are not written yet.
    pub(super) fn flush(&mut self, disk: &dyn Disk) -> io::Result<()> {
        let written = disk.write(&self.lines, &self.buffer);
        self.buffer.clear();
        written
    }
}

pub(super) fn cannot(folder: &Path, error: &io::Error) -> Error {
    Error::state(format!("cannot write to {}: {error}", folder.display()))
}

impl Drop for FolderRun<'_> {
    /// Removes the segments of a failed run, which take up room, and those that are no longer needed.
    fn drop(&mut self) {
        segments::remove_stale(self.store, &*self.disk, &self.store.head().segments());
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
        let index = self.comparison.to_read.get(place)?.index as usize;
        let source = self.next_source.fetch_add(1, Ordering::Relaxed);
        Some((index, Arc::new(InputReading::new(place, source))))
    }

    fn done(&self, reading: &InputReading) {
        if reading.is_left_out.is_set() {
            return lock(&self.progress).left_out.push(reading.index);
        }
        let to_read = &self.comparison.to_read[reading.index];
        let index = to_read.index as usize;
        let Some(unit) = self.units.get(index) else { return };
        let (details, seconds) = reading.details();
        let instead = reading.instead();
        let file = instead.map(FileState::from).or_else(|| file_state(&unit));
        let hash = self.comparison.hashes.get(&index).copied();
        let hash = hash.filter(|_| instead.is_none());
        let is_same = || hash.is_none() || is_still(&unit.path, file);
        let trusted = file.is_some_and(|file| !is_recent(file, reading.begun))
            && is_lasting(&details.problems)
            && !reading.is_distrusted.is_set()
            && (unit.kind != InputKind::Empty || details.counts.bytes == 0)
            && is_same();
        let counts = &details.counts;
        let past = self.comparison.past.get(&to_read.index);
        let input = InputLine {
            input: Name(unit.path),
            run: self.begun.run,
            change: (*to_read.change).to_owned(),
            file,
            hash: hash.map(|hash| Bytes(hash.to_vec())),
            trusted,
            source: Some(reading.source),
            good: past.and_then(|past| past.good),
            details: encode(&details),
            bytes: Some(counts.bytes),
            accepted: Some(counts.accepted),
            before: past.and_then(|past| past.before),
            rejected: Some(counts.rejected_total()),
            seconds: Some(seconds),
            problem: problem(&details.problems),
            ..InputLine::default()
        };
        let mut progress = lock(&self.progress);
        if let Err(error) = progress.add(&input, &*self.disk) {
            progress.failed.get_or_insert(cannot(self.store.folder(), &error));
        }
        if !details.members.is_empty() {
            progress.members.push((reading.source, details.members.clone()));
        }
        progress.seen.append(details);
    }

    fn all_done(&self, segments: Result<Vec<Segment>, Error>) -> Result<Remembered, Error> {
        let _ = self.live.set(Arc::new(self.sources()));
        let mut progress = lock(&self.progress);
        if let Some(error) = progress.failed.take() {
            return Err(error);
        }
        progress.segments = segments?;
        let seen = std::mem::take(&mut progress.seen);
        let mut sources = std::mem::take(&mut progress.members);
        sources.extend(self.comparison.members.iter().cloned());
        Ok(Remembered {
            skipped: progress.skipped.clone(),
            problems: seen.problems,
            suspects: seen.suspects,
            sources,
        })
    }

    fn filters(&self, kind: Kind) -> Arc<dyn Filters> {
        let live = Arc::clone(self.live());
        Arc::new(SourceFilters { live, kind, wanted: Wanted::Answer })
    }

    fn report(&self, changed: Changes<u64>) -> StateReport {
        let comparison = &self.comparison;
        let read = &comparison.to_read;
        let size = |read: &ToRead| self.units.get(read.index as usize).map_or(0, |unit| unit.size);
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
            size: lock(&self.progress).segments.iter().map(|segment| segment.bytes).sum(),
        }
    }

    fn prepare(&self, ending: &Ending<'_>) -> Result<(), Error> {
        self.write(ending)
    }

    fn close(&self, is_good: bool, memory: usize) -> Result<(), Error> {
        self.end(is_good, memory)
    }
}

impl FolderRun<'_> {
    /// The places in the catalogue of the files among the inputs to read that other runs wrote.
    pub(super) fn left_out(&self) -> Vec<u32> {
        let index = |place: &usize| self.comparison.to_read[*place].index;
        let past = |place| self.comparison.past.get(&index(place)).map(|past| past.id);
        lock(&self.progress).left_out.iter().filter_map(past).collect()
    }

    /// The first inputs that only the last good run had, sorted by path.
    fn gone_first(&self) -> Vec<PathBuf> {
        let to_read = &self.comparison.to_read;
        let is_good = |place: &&usize| to_read[**place].good.is_some();
        let progress = lock(&self.progress);
        let units =
            progress.left_out.iter().filter(is_good).map(|&place| to_read[place].index as usize);
        let left_out = units.filter_map(|index| self.units.get(index)).map(|unit| unit.path);
        let mut gone: Vec<_> = self.comparison.gone_first.iter().cloned().chain(left_out).collect();
        gone.sort_unstable();
        gone.truncate(GONE_NAMED);
        gone
    }

    /// The live sources.
    pub(super) fn live(&self) -> &Arc<Live> {
        self.live.get_or_init(|| Arc::new(self.sources()))
    }

    /// Returns the live sources after all inputs were read.
    fn sources(&self) -> Live {
        let read = self.first_source..self.next_source.load(Ordering::SeqCst);
        let kept = self.comparison.kept.iter().copied();
        let mut live = Live::new(&self.kinds, kept.chain(read));
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
    use std::time::Duration;

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
}
