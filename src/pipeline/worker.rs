//! One worker: takes pieces, scans them, and hands over what it finds.

use super::queue::{Large, Piece, Queue, Shared, judge};
use super::{Plan, Progress};
use crate::collect::{Batch, Collector};
use crate::doi::Reason;
use crate::input::{Io, Kind, Opened, Stream, Unit, Window};
use crate::quality::{Counts, Problem};
use crate::scan::{Match, Notation, Scanner, Sink};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, PoisonError};

/// What a worker leaves behind.
pub(super) struct Done {
    pub(super) counts: Counts,
    pub(super) pushed: u64,
    pub(super) problems: Vec<Problem>,
}

/// The state of one worker. Nothing in it is shared but the queue and the collector.
pub(super) struct Worker<'a> {
    queue: &'a Queue<'a>,
    progress: &'a dyn Progress,
    io: Io,
    chunk: usize,
    scanner: Scanner,
    /// Space for what is read; apart from the rest, as windows borrow it.
    buffer: Vec<u8>,
    found: Found<'a>,
    problems: Vec<Problem>,
}

/// Takes what the scanner finds.
struct Found<'a> {
    counts: Counts,
    batch: Batch<'a>,
}

impl Sink for Found<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        self.counts.accept(found.repairs);
        self.batch.push(found.doi);
    }

    fn reject(&mut self, _: usize, reason: Reason) {
        self.counts.reject(reason);
    }
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        plan: &Plan,
        queue: &'a Queue<'a>,
        collector: &'a Collector,
        progress: &'a dyn Progress,
    ) -> Self {
        Worker {
            queue,
            progress,
            io: plan.io,
            chunk: plan.chunk.get(),
            scanner: Scanner::new(plan.scan.clone()),
            buffer: Vec::new(),
            found: Found { counts: Counts::default(), batch: collector.batch() },
            problems: Vec::new(),
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
        let Found { counts, batch } = self.found;
        Done { counts, pushed: batch.finish(), problems: self.problems }
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
        let Some(file) = Opened::listed(unit, self.io)? else {
            return self.whole_file(unit, buffer);
        };
        let window = file.window(0..file.size(), 0, buffer);
        if window.fault.is_some() || file.check().is_err() {
            return self.whole_file(unit, buffer);
        }
        let notation = self.admit(unit, &file, window.bytes)?;
        self.window(&window, file.size(), notation);
        Ok(())
    }

    fn whole_file(&mut self, unit: &Unit, buffer: &mut Vec<u8>) -> Result<(), Problem> {
        let file = Opened::open(unit, self.io)?;
        let (mut at, mut notation) = (0, None);
        // Once, but for a file that has grown beyond a chunk since it was listed.
        while at < file.size() || notation.is_none() {
            let end = (at + self.chunk as u64).min(file.size());
            let window = file.window(at..end, self.scanner.lookahead(), buffer);
            let notation = match notation {
                Some(known) => known,
                None => *notation.insert(self.admit(unit, &file, window.bytes)?),
            };
            self.window(&window, end - at, notation);
            self.fault(file.path(), window.fault);
            at = end;
        }
        file.check()
    }

    /// Judges a file by its first bytes and counts it when it is to be scanned.
    fn admit(&mut self, unit: &Unit, file: &Opened, head: &[u8]) -> Result<Notation, Problem> {
        let notation = judge(unit, head)?;
        self.found.counts.files += 1;
        self.found.counts.planned += file.size();
        Ok(notation)
    }

    /// The file of a kernel is read by one worker to its end.
    fn whole_stream(&mut self, unit: &Unit, buffer: &mut Vec<u8>) -> Result<(), Problem> {
        let mut stream = Stream::open(&unit.path)?;
        let notation = judge(unit, stream.head())?;
        self.found.counts.files += 1;
        let lookahead = self.scanner.lookahead();
        while let Some(window) = stream.next_block(self.chunk, lookahead, buffer) {
            self.found.counts.planned += window.starts.len() as u64;
            self.window(&window, window.starts.len() as u64, notation);
            self.fault(&unit.path, window.fault);
        }
        Ok(())
    }

    fn part(&mut self, large: &Large, starts: Range<u64>, first: bool, buffer: &mut Vec<u8>) {
        if first {
            self.progress.input(large.file.path());
        }
        let len = starts.end - starts.start;
        let window = large.file.window(starts, self.scanner.lookahead(), buffer);
        self.window(&window, len, large.notation);
        self.fault(large.file.path(), window.fault);
        if large.chunk_done() {
            self.problems.extend(large.file.check().err());
        }
    }

    fn block(&mut self, shared: &Arc<Shared>, first: bool, buffer: &mut Vec<u8>) {
        let lookahead = self.scanner.lookahead();
        let mut stream = shared.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let window = stream.next_block(self.chunk, lookahead, buffer);
        let path = stream.path().to_path_buf();
        drop(stream);
        if first {
            self.progress.input(&path);
        }
        let Some(window) = window else { return self.queue.stream_ended(shared) };
        self.found.counts.planned += window.starts.len() as u64;
        self.window(&window, window.starts.len() as u64, shared.notation);
        self.fault(&path, window.fault);
    }

    /// Scans a window that should have had `planned` positions.
    fn window(&mut self, window: &Window<'_>, planned: u64, notation: Notation) {
        self.scanner.scan(window.bytes, window.starts.clone(), notation, &mut self.found);
        let scanned = window.starts.len() as u64;
        self.found.counts.bytes += scanned;
        // Not scanned, and a fault says so; without one the sums will not agree.
        if window.fault.is_some() {
            self.found.counts.lost += planned - scanned;
        }
        self.progress.add(planned);
    }

    fn fault(&mut self, path: &Path, fault: Option<std::io::Error>) {
        if let Some(error) = fault {
            let message = format!("{error}; what was found before it is kept");
            self.problems.push(Problem::new(path, message));
        }
    }
}
