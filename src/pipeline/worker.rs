//! One worker: takes pieces, scans them, hands over what it finds, and makes room
//! for it between windows.

use super::queue::{Large, Piece, Queue, Reading, Shared, head_len, judge};
use super::spill::Spill;
use super::table::Turn;
use super::{Plan, Progress};
use crate::collect::Batch;
use crate::doi::Reason;
use crate::format::{LONGEST_QUOTED, Quoting};
use crate::input::{self, Kind, Opened, Stream, Unit, Window};
use crate::quality::{Counts, Problem};
use crate::scan::short::ShortDois;
use crate::scan::{Match, Notation, Scanner, Sink};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

/// What a worker leaves behind.
pub(super) struct Done {
    pub(super) counts: Counts,
    pub(super) pushed: u64,
    pub(super) problems: Vec<Problem>,
    /// Tables whose quotes are wrong somewhere.
    pub(super) quoting: BTreeMap<PathBuf, Quoting>,
    /// ShortDOIs, when they are looked for.
    pub(super) short: BTreeSet<Vec<u8>>,
}

/// The state of one worker. Nothing in it is shared but the queue and the collector.
pub(super) struct Worker<'a> {
    queue: &'a Queue<'a>,
    spill: &'a Spill,
    progress: &'a dyn Progress,
    plan: &'a Plan,
    /// Bytes behind a position that may decide about it.
    lookahead: usize,
    scanner: Scanner,
    /// Space for what is read; apart from the rest, as windows borrow it.
    buffer: Vec<u8>,
    found: Found<'a>,
    problems: Vec<Problem>,
    quoting: BTreeMap<PathBuf, Quoting>,
}

/// Takes what the scanner finds.
struct Found<'a> {
    counts: Counts,
    batch: Batch<'a>,
    /// Space for a name in lower case, when it is to be.
    lower: Option<Vec<u8>>,
    /// The searcher for shortDOIs and what it found.
    short: Option<(ShortDois, BTreeSet<Vec<u8>>)>,
}

impl Found<'_> {
    /// Looks for shortDOIs, if they are wanted.
    fn find_short(&mut self, bytes: &[u8], starts: Range<usize>) {
        let Some((searcher, names)) = &mut self.short else { return };
        searcher.each(bytes, starts, |name| {
            if !names.contains(name) {
                names.insert(name.to_vec());
            }
        });
    }
}

impl Sink for Found<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        self.counts.accept(found.repairs);
        let Some(lower) = &mut self.lower else { return self.batch.push(found.doi) };
        lower.clear();
        lower.extend(found.doi.iter().map(u8::to_ascii_lowercase));
        self.batch.push(lower);
    }

    fn reject(&mut self, _: usize, reason: Reason) {
        self.counts.reject(reason);
    }
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        queue: &'a Queue<'a>,
        spill: &'a Spill,
        progress: &'a dyn Progress,
    ) -> Self {
        let scanner = Scanner::new(plan.scan.clone());
        let quoted = if plan.columns.is_empty() { 0 } else { LONGEST_QUOTED + 2 };
        Worker {
            queue,
            spill,
            progress,
            plan,
            lookahead: scanner.lookahead().max(quoted),
            scanner,
            buffer: Vec::new(),
            found: Found {
                counts: Counts::default(),
                batch: spill.batch(),
                lower: plan.lower.then(Vec::new),
                short: plan.short_doi.as_ref().map(|_| Default::default()),
            },
            problems: Vec::new(),
            quoting: BTreeMap::new(),
        }
    }

    /// Works until the queue is empty.
    pub(super) fn run(mut self) -> Done {
        while let Some((piece, first)) = self.queue.next() {
            // Taken out for the time of a piece, so that a window into it and
            // `self` can be used side by side.
            let mut buffer = std::mem::take(&mut self.buffer);
            match piece {
                Piece::Whole(unit) => self.whole(unit, &mut buffer),
                Piece::Part(large, starts) => self.part(&large, starts, first, &mut buffer),
                Piece::Block(shared) => self.block(&shared, first, &mut buffer),
            }
            self.buffer = buffer;
        }
        let Found { counts, mut batch, short, .. } = self.found;
        let pushed = match self.spill.make_room(&mut batch, Batch::flush) {
            true => batch.finish(),
            false => batch.abandon(),
        };
        Done {
            counts,
            pushed,
            problems: self.problems,
            quoting: self.quoting,
            short: short.map(|(_, names)| names).unwrap_or_default(),
        }
    }

    fn whole(&mut self, unit: &Unit, buffer: &mut Vec<u8>) {
        self.progress.input(&unit.path);
        let result = match unit.kind {
            Kind::Unsized => self.whole_stream(unit, buffer),
            _ => self.small_file(unit, buffer),
        };
        self.problems.extend(result.err());
    }

    /// A file that is read whole and is afterwards still what was listed. When
    /// it is not, nothing of it was scanned yet, and it is taken as it is now.
    fn small_file(&mut self, unit: &Unit, buffer: &mut Vec<u8>) -> Result<(), Problem> {
        let Some(file) = Opened::listed(unit, self.plan.io)? else {
            return self.whole_file(unit, buffer);
        };
        let window = file.window(0..file.size(), 0, buffer);
        if window.fault.is_some() || file.check().is_err() {
            return self.whole_file(unit, buffer);
        }
        if input::is_utf16(window.bytes) {
            return self.whole_stream(unit, buffer);
        }
        let reading = self.admit(unit, &file, window.bytes)?;
        self.window(&unit.path, &window, file.size(), &reading, reading.next_turn());
        Ok(())
    }

    fn whole_file(&mut self, unit: &Unit, buffer: &mut Vec<u8>) -> Result<(), Problem> {
        let file = Opened::open(unit, self.plan.io)?;
        if input::is_utf16(&file.head(2)) {
            return self.whole_stream(unit, buffer);
        }
        let (mut at, mut reading) = (0, None);
        // Once, but for a file that has grown beyond a chunk since it was listed.
        while (at < file.size() || reading.is_none()) && !self.queue.is_closed() {
            let end = (at + self.plan.chunk.get() as u64).min(file.size());
            let window = file.window(at..end, self.lookahead, buffer);
            let reading = match &reading {
                Some(known) => known,
                None => reading.insert(self.admit(unit, &file, window.bytes)?),
            };
            self.window(&unit.path, &window, end - at, reading, reading.next_turn());
            self.fault(file.path(), window.fault);
            file.release(at..end);
            at = end;
        }
        file.check()
    }

    /// Judges a file by its first bytes and counts it when it is to be scanned.
    fn admit(&mut self, unit: &Unit, file: &Opened, head: &[u8]) -> Result<Reading, Problem> {
        let len = head_len(self.plan);
        let reading = match head.len() < len && (head.len() as u64) < file.size() {
            true => judge(self.plan, unit, &file.head(len))?,
            false => judge(self.plan, unit, head)?,
        };
        self.found.counts.files += 1;
        self.found.counts.planned += file.size();
        Ok(reading)
    }

    /// The file of a kernel, or UTF-16, is read by one worker to its end.
    fn whole_stream(&mut self, unit: &Unit, buffer: &mut Vec<u8>) -> Result<(), Problem> {
        let mut stream = Stream::open(&unit.path)?;
        let reading = judge(self.plan, unit, stream.longer_head(head_len(self.plan)))?;
        self.found.counts.files += 1;
        let (chunk, lookahead) = (self.plan.chunk.get(), self.lookahead);
        while let Some(window) = stream.next_block(chunk, lookahead, buffer) {
            self.found.counts.planned += window.starts.len() as u64;
            let planned = window.starts.len() as u64;
            self.window(&unit.path, &window, planned, &reading, reading.next_turn());
            self.fault(&unit.path, window.fault);
            if self.queue.is_closed() {
                break;
            }
        }
        Ok(())
    }

    fn part(&mut self, large: &Large, starts: Range<u64>, first: bool, buffer: &mut Vec<u8>) {
        if first {
            self.progress.input(large.file.path());
        }
        let turn = large.reading.turn(starts.start / self.plan.chunk.get() as u64);
        let len = starts.end - starts.start;
        let window = large.file.window(starts.clone(), self.lookahead, buffer);
        self.window(large.file.path(), &window, len, &large.reading, turn);
        self.fault(large.file.path(), window.fault);
        if large.chunk_done(starts.start, self.lookahead) {
            self.problems.extend(large.file.check().err());
        }
    }

    fn block(&mut self, shared: &Arc<Shared>, first: bool, buffer: &mut Vec<u8>) {
        let mut stream = shared.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let window = stream.next_block(self.plan.chunk.get(), self.lookahead, buffer);
        // Under the lock, so that turns are in the order of blocks.
        let turn = window.as_ref().and_then(|_| shared.reading.next_turn());
        let path = stream.path().to_path_buf();
        drop(stream);
        if first {
            self.progress.input(&path);
        }
        let Some(window) = window else { return self.queue.stream_ended(shared) };
        let planned = window.starts.len() as u64;
        self.found.counts.planned += planned;
        self.window(&path, &window, planned, &shared.reading, turn);
        self.fault(&path, window.fault);
    }

    /// Scans a window that should have had `planned` positions: all of it, or the
    /// cells of a table when it is the turn of one of its chunks.
    fn window(
        &mut self,
        path: &Path,
        window: &Window<'_>,
        planned: u64,
        reading: &Reading,
        turn: Option<Turn<'_>>,
    ) {
        let (bytes, starts) = (window.bytes, window.starts.clone());
        match turn {
            None => {
                self.found.find_short(bytes, starts.clone());
                self.scanner.scan(bytes, starts, reading.notation, &mut self.found);
            }
            Some(turn) => self.cells(path, window, reading.notation, turn),
        }
        let scanned = window.starts.len() as u64;
        self.found.counts.bytes += scanned;
        // Not scanned, and a fault says so; without one the sums will not agree.
        if window.fault.is_some() {
            self.found.counts.lost += planned - scanned;
        }
        self.progress.add(planned);
        let batch = &mut self.found.batch;
        if batch.is_blocked() && !self.spill.make_room(batch, Batch::settle) {
            self.queue.close();
        }
    }

    /// Scans the cells of the chosen columns. The scanner sees what is before a
    /// cell and the one byte that ends it: no name reaches into the next cell.
    fn cells(&mut self, path: &Path, window: &Window<'_>, notation: Notation, turn: Turn<'_>) {
        let Worker { scanner, found, .. } = self;
        let (bytes, starts, columns) = (window.bytes, window.starts.clone(), turn.columns());
        let transition = columns.dialect().transition(bytes, starts.clone());
        let Some(place) = turn.place(transition) else { return };
        let quoting = columns.cells(bytes, starts, place, |cell| {
            let cell_and_end = &bytes[..bytes.len().min(cell.end + 1)];
            found.find_short(cell_and_end, cell.starts.clone());
            scanner.scan(cell_and_end, cell.starts, notation, found);
        });
        if !quoting.is_sound() {
            let sum = self.quoting.entry(path.to_path_buf()).or_default();
            *sum += quoting.moved(window.offset);
        }
    }

    fn fault(&mut self, path: &Path, fault: Option<std::io::Error>) {
        if let Some(error) = fault {
            let message = format!("{error}; what was found before it is kept");
            self.problems.push(Problem::new(path, message));
        }
    }
}
