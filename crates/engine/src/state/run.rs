//! Runs with a state: the inputs to read, and what was found in them.

use super::catalogue::{Catalogue, InputLine, Line, Writer};
use super::compare::{Comparison, file_state, gone, probed};
use super::data::Name;
use super::details::encode;
use super::files::NEW;
use super::filter::{Live, SourceFilters};
use super::segments::{self, Runs};
use super::store::Store;
use crate::error::Error;
use crate::figures::Counts;
use crate::plan::kind::Kind;
use crate::plan::remember::{Ending, Remembered, Segment, Start, StateRun};
use crate::plan::report::{Changes, GONE_NAMED, StateReport};
use crate::reading::{Details, InputReading};
use doiscan_input::problem::{ProblemCode, Problems};
use doiscan_input::{Identity, InputKind};
use doiscan_os::lock::lock;
use doiscan_sets::collect::run::{Run, Space};
use doiscan_sets::dedup::filter::Filters;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// A run with a state in a folder. Shared by all workers.
pub(super) struct FolderRun<'a> {
    pub(super) store: &'a Store,
    pub(super) start: Start<'a>,
    pub(super) started: String,
    /// Number of the run.
    pub(super) id: i64,
    /// The runs before it, and the first line as it will be.
    pub(super) catalogue: Catalogue,
    /// Whether there is a good run or an old list to compare with.
    pub(super) has_good: bool,
    /// Whether the inputs of the last good run are known.
    pub(super) knows_inputs: bool,
    pub(super) comparison: Comparison,
    /// Content hashes by input index, if contents are compared.
    pub(super) hashes: HashMap<usize, [u8; 16]>,
    pub(super) runs: Mutex<Runs>,
    /// Notes for the user about the state.
    pub(super) notes: Vec<String>,
    pub(super) next_source: AtomicU32,
    pub(super) next_segment: Arc<AtomicU64>,
    pub(super) progress: Mutex<Progress<'a>>,
    /// The live sources, once all inputs were read.
    pub(super) live: OnceLock<Arc<Live>>,
}

/// The inputs read so far.
pub(super) struct Progress<'a> {
    /// The new catalogue, until it is in place.
    pub(super) writer: Option<Writer<'a>>,
    /// Members of those that have some.
    members: Vec<(u32, Vec<Vec<u8>>)>,
    /// Counts of the inputs that are not read.
    skipped: Counts,
    /// Results of all inputs.
    seen: Details,
    /// Indexes of files that other runs wrote.
    left_out: Vec<u32>,
    failed: Option<Error>,
    /// All segments, once all inputs were read.
    pub(super) segments: Vec<Segment>,
    /// The segments that the catalogue lists, unless the next run finds out which of two catalogues counts.
    pub(super) needed: Option<Vec<Segment>>,
}

impl<'a> Progress<'a> {
    /// Begins with what was found by comparing.
    pub(super) fn new(writer: Writer<'a>, old: &[Segment], comparison: &mut Comparison) -> Self {
        let seen = std::mem::take(&mut comparison.details);
        Progress {
            writer: Some(writer),
            members: std::mem::take(&mut comparison.members),
            skipped: seen.counts.clone(),
            seen,
            left_out: Vec::new(),
            failed: None,
            segments: Vec::new(),
            needed: Some(old.to_vec()),
        }
    }

    /// Writes the line of an input.
    fn add(&mut self, line: InputLine) {
        let written = self.writer.as_mut().map(|writer| writer.line(&Line::Input(line.into())));
        if let Some(Err(error)) = written {
            self.failed.get_or_insert(error);
        }
    }
}

impl Drop for FolderRun<'_> {
    /// Removes the files of a failed run, which take up room, and the segments that are no longer needed.
    fn drop(&mut self) {
        let (disk, mut progress) = (&**self.start.disk, lock(&self.progress));
        progress.writer = None;
        if let Some(needed) = &progress.needed {
            let _ = disk.remove(&self.store.folder().join(NEW));
            segments::remove_stale(&self.store.segments(), disk, needed);
        }
    }
}

impl StateRun for FolderRun<'_> {
    fn skipped_bytes(&self) -> u64 {
        self.comparison.skipped_bytes
    }

    fn segments(&self, kind: Kind) -> (Space, Vec<Run>) {
        let segments = segments::of_kind(&self.store.segments(), kind, &self.next_segment);
        let space = Space::of_segments(Arc::clone(self.start.disk), segments);
        (space, lock(&self.runs).remove(&kind).unwrap_or_default())
    }

    fn read(&self, place: usize) -> Option<(usize, Arc<InputReading>)> {
        let (index, _) = *self.comparison.to_read.get(place)?;
        let source = self.next_source.fetch_add(1, Ordering::Relaxed);
        Some((index as usize, Arc::new(InputReading::new(place, source))))
    }

    fn done(&self, reading: &InputReading) {
        let (index, change) = self.comparison.to_read[reading.index];
        let Some(unit) = self.start.units.get(index as usize) else { return };
        let past = self.comparison.past.get(&index).copied();
        let (good, before) = past.unwrap_or_default();
        let line = InputLine {
            run: self.id,
            change: (*change).to_owned(),
            source: Some(reading.source),
            good,
            before,
            ..InputLine::default()
        };
        if reading.is_left_out.is_set() {
            let line = InputLine { file: file_state(&unit), input: Name(unit.path), ..line };
            let mut progress = lock(&self.progress);
            progress.left_out.push(index);
            if past.is_some() {
                progress.add(gone(line, self.id));
            }
            return;
        }
        let (details, seconds) = reading.details();
        let encoded = encode(&details);
        let counts = &details.counts;
        let instead = reading.instead();
        let file = instead.or_else(|| file_state(&unit));
        let hash = self.hashes.get(&(index as usize)).copied().filter(|_| instead.is_none());
        let trusted = file.is_some_and(|file| !is_recent(file, reading.begun))
            && is_lasting(&details.problems)
            && !reading.is_distrusted.is_set()
            && (unit.kind != InputKind::Empty || counts.bytes == 0)
            && (hash.is_none() || probed(&unit.path) == file);
        let line = InputLine {
            input: Name(unit.path),
            file,
            hash,
            trusted,
            bytes: Some(counts.bytes),
            accepted: Some(counts.accepted),
            rejected: Some(counts.rejected_total()),
            seconds: Some(seconds),
            problem: problem(&details.problems),
            details: encoded,
            ..line
        };
        let mut progress = lock(&self.progress);
        progress.add(line);
        if !details.members.is_empty() {
            progress.members.push((reading.source, details.members.clone()));
        }
        progress.seen.append(details);
    }

    fn all_done(&self, segments: Result<Vec<Segment>, Error>) -> Result<Remembered, Error> {
        let read = self.catalogue.head.next_source..self.next_source.load(Ordering::SeqCst);
        let kept = self.comparison.kept.iter().copied();
        let good = self.comparison.good.iter().copied();
        let _ = self.live.set(Arc::new(Live::new(kept.chain(read), good)));
        let mut progress = lock(&self.progress);
        if let Some(error) = progress.failed.take() {
            return Err(error);
        }
        progress.segments = segments?;
        let seen = std::mem::take(&mut progress.seen);
        Ok(Remembered {
            skipped: progress.skipped.clone(),
            problems: seen.problems,
            suspects: seen.suspects,
            sources: std::mem::take(&mut progress.members),
        })
    }

    fn filters(&self, kind: Kind) -> Arc<dyn Filters> {
        Arc::new(SourceFilters { live: self.live(), kind, is_kept: false })
    }

    fn report(&self, changed: Changes<u64>) -> StateReport {
        let Comparison { to_read, kept, met, .. } = &self.comparison;
        let units = self.start.units;
        let unit = |index: u32| units.get(index as usize);
        let size = |index: u32| unit(index).map_or(0, |unit| unit.size);
        let progress = lock(&self.progress);
        let left_out = &progress.left_out;
        let was_good = left_out.iter().filter(|index| met[**index as usize].is_some());
        let mut gone = self.comparison.gone.clone();
        gone.extend(was_good.filter_map(|index| Some(unit(*index)?.path)));
        gone.sort_unstable();
        gone.truncate(GONE_NAMED);
        let bytes = |all: &mut dyn Iterator<Item = u32>| all.map(size).sum::<u64>();
        let all = bytes(&mut to_read.iter().map(|(index, _)| *index));
        StateReport {
            notes: self.notes.clone(),
            read: (to_read.len() - left_out.len()) as u64,
            read_bytes: all - bytes(&mut left_out.iter().copied()),
            skipped: kept.len() as u64,
            skipped_bytes: self.comparison.skipped_bytes,
            changed: self.has_good.then_some(changed),
            since_good: self.knows_inputs.then(|| self.comparison.changes(left_out)),
            gone: if self.knows_inputs { gone } else { Vec::new() },
            size: progress.segments.iter().map(|segment| segment.bytes).sum(),
        }
    }

    fn prepare(&self, ending: &Ending<'_>, memory: usize) -> Result<(), Error> {
        self.write(ending, memory)
    }

    fn close(&self) -> Result<(), Error> {
        self.end()
    }
}

impl FolderRun<'_> {
    /// The live sources, once all inputs were read.
    pub(super) fn live(&self) -> Arc<Live> {
        self.live.get().cloned().unwrap_or_default()
    }
}

/// Whether a file changed so shortly before `begun` that a later change may have the same time.
/// Times with fractions of a second are assumed to advance at least every 10 ms; the margin is 50
/// ms. Times in whole seconds get a margin of two seconds.
fn is_recent(file: Identity, begun: SystemTime) -> bool {
    let (seconds, rest) = file.ctime;
    let step = if rest == 0 { 2_000_000_000 } else { 50_000_000 };
    let begun = begun.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let changed = i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    changed >= i128::try_from(begun).unwrap_or(i128::MAX) - step
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

    fn file(ctime: i64) -> Identity {
        let ctime = (ctime / 1_000_000_000, ctime % 1_000_000_000);
        Identity { dev: 1, ino: 2, size: 3, mtime: (0, 0), ctime, attributes: [0; 4] }
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
