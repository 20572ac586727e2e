//! One worker: takes work, scans it, and makes room for found names between windows.

use super::at_hand::Remembering;
use super::eidrs::{EidrSink, Eidrs};
use super::mode::{ScanMode, Tickets};
use super::occurrences::{Occurrences, Placed};
use super::queue::{Finished, Queue};
use super::search::{Finder, search};
use super::sink::NameSink;
use super::table::ChunkTicket;
use super::tally::Tally;
use super::work::{ChunkedFile, SharedArchive, StreamBlock, StreamInput, Work};
use crate::figures::Counts;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::rows::collectors::{Collectors, Pushed};
use crate::rows::digest::Examples;
use crate::silent::Documents;
use crate::state::night::Night;
use doiscan_core::format::Quoting;
use doiscan_core::scan::{Notation, Scanner, eidr};
use doiscan_input::problem::{Problem, ProblemCode, Problems};
use doiscan_input::{Block, LeftOut, Meter, Stream, Unit, Window};
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Bytes of a decoded block. Together with the bytes carried over from the previous block, it stays
/// in a core's cache between decoding and scanning.
const BLOCK: usize = 256 * 1024;

/// The fewest bytes of a block: for each, all bytes that may matter behind it are carried over.
const LEAST_BLOCK: usize = 4 * 1024;

/// The results of a worker.
pub(super) struct WorkerResult {
    pub(super) counts: Counts,
    pub(super) pushed: Pushed,
    pub(super) problems: Problems,
    /// Tables with malformed quotes.
    pub(super) quoting: BTreeMap<PathBuf, Quoting>,
    pub(super) documents: Documents,
    pub(super) examples: Examples,
    /// Files of earlier runs that were not read.
    pub(super) left_out: LeftOut,
}

/// The state of one worker. Only the queue and the collector are shared.
pub(super) struct Worker<'a> {
    pub(super) queue: &'a Queue<'a>,
    pub(super) collectors: &'a Collectors,
    pub(super) progress: &'a dyn Progress,
    pub(super) plan: &'a Plan,
    /// Threads of the run.
    pub(super) threads: usize,
    /// Number of bytes after a position that may affect the result there.
    lookahead: usize,
    scanner: Scanner,
    /// Read buffer, taken out of `self` while a window borrows it.
    buffer: Vec<u8>,
    /// Buffer for a decoded block.
    block: Block,
    /// Counts bytes of the input that is being decompressed.
    pub(super) meter: Meter,
    /// DOIs already reported as progress.
    reported: u64,
    pub(super) found: NameSink<'a>,
    /// EIDRs, if wanted.
    eidrs: Option<Eidrs<'a>>,
    /// Records of each occurrence, if wanted.
    pub(super) occurrences: Option<Occurrences<'a>>,
    /// The figures of each input, if the run reports them.
    pub(super) tally: Option<Tally<'a>>,
    pub(super) problems: Problems,
    pub(super) quoting: BTreeMap<PathBuf, Quoting>,
    pub(super) documents: Documents,
    /// Files of earlier runs that were not read.
    pub(super) left_out: LeftOut,
    /// The file that is being decoded, until its content is known.
    pub(super) whole: Option<Unit>,
    /// The current input, if inputs are remembered.
    pub(super) remembered: Option<Remembering<'a>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        queue: &'a Queue<'a>,
        collectors: &'a Collectors,
        progress: &'a dyn Progress,
        threads: usize,
        night: Option<&'a Night<'a>>,
    ) -> Self {
        let scanner = Scanner::new(plan.scan.clone());
        let keys = if plan.eidr.is_some() { eidr::LOOKAHEAD } else { 0 };
        Worker {
            queue,
            collectors,
            progress,
            plan,
            threads,
            lookahead: scanner.lookahead().max(keys),
            scanner,
            buffer: Vec::new(),
            block: Block::default(),
            meter: Meter::counting(plan.limits, collectors.ledger().clone(), plan.cancel.clone()),
            reported: 0,
            found: NameSink::new(plan, collectors),
            eidrs: Eidrs::new(collectors),
            occurrences: Occurrences::new(collectors),
            tally: Tally::new(collectors),
            problems: Problems::default(),
            quoting: BTreeMap::new(),
            documents: Documents::default(),
            left_out: LeftOut::default(),
            whole: None,
            remembered: night.map(Remembering::new),
        }
    }

    /// Works until the queue is empty.
    pub(super) fn run(mut self) -> WorkerResult {
        let mut finished = Finished::Nothing;
        while let Some(piece) = self.queue.next(finished, self.epoch()) {
            // Allows a window into the buffer to be used together with `self`.
            let mut buffer = std::mem::take(&mut self.buffer);
            finished = Finished::Work;
            match piece {
                Work::Input(input, token) => {
                    self.turn_to(&token);
                    self.open(&input, &mut buffer);
                }
                Work::HandOver => {
                    finished = Finished::Nothing;
                    self.hand_over();
                }
                Work::Chunk(large, starts) => self.chunk(&large, starts, &mut buffer),
                Work::Members(packed, part) => self.members(&packed, part),
                Work::RowGroup(rows, group) => self.rows(&rows, group),
                Work::Decode(task) => task.run(),
                Work::Block(decoded) => {
                    self.turn_to(&decoded.flow.token);
                    let block = self.block(decoded);
                    self.queue.recycle(block);
                    finished = Finished::Block;
                }
            }
            self.buffer = buffer;
            self.piece_done();
        }
        let inputs = self.tally.map_or(0, |tally| tally.finish(&self.found.counts));
        let (mut counts, mut pushed) = self.found.finish();
        pushed.inputs = inputs;
        if let Some(eidrs) = self.eidrs {
            (counts.eidrs, pushed.eidrs) = eidrs.finish();
        }
        let mut examples = Examples::default();
        if let Some(occurrences) = self.occurrences {
            let records;
            (records, examples) = occurrences.finish(self.collectors);
            pushed += records;
        }
        let (problems, quoting, documents) = (self.problems, self.quoting, self.documents);
        let left_out = self.left_out;
        WorkerResult { counts, pushed, problems, quoting, documents, examples, left_out }
    }

    /// Creates a meter for a new input.
    pub(super) fn new_meter(&self) -> Meter {
        let ledger = self.collectors.ledger().clone();
        Meter::counting(self.plan.limits, ledger, self.plan.cancel.clone())
    }

    fn chunk(&mut self, large: &ChunkedFile, starts: Range<u64>, buffer: &mut Vec<u8>) {
        self.turn_to(&large.token);
        let tickets = large.mode.tickets(large.index(starts.start));
        let len = starts.end - starts.start;
        let begin = self.enter(large.file.path());
        let lookahead = self.lookahead.max(large.mode.lookahead());
        let window = large.file.window(starts.clone(), lookahead, buffer);
        self.window(large.file.path(), &window, len, &large.mode, tickets);
        self.fault(large.file.path(), window.fault);
        self.spend(begin);
        self.advance(len);
        if large.chunk_done(starts.start, lookahead) {
            match &large.archive {
                Some(packed) => self.part_done(packed),
                None => self.problems.extend(large.file.check().err()),
            }
        }
    }

    pub(super) fn part_done(&mut self, packed: &SharedArchive) {
        if packed.part_done() {
            let mut changed = packed.archive.file().check().err();
            if let Some(problem) = &mut changed {
                problem.path = packed.archive.file().path().to_path_buf();
            }
            self.problems.extend(changed);
        }
    }

    /// Splits a stream into blocks, which idle workers or this one scan.
    pub(super) fn blocks(&mut self, mut stream: Stream<impl Read>, flow: &Arc<StreamInput>) {
        let len = self.plan.chunk.get().clamp(LEAST_BLOCK, BLOCK);
        let mut block = std::mem::take(&mut self.block);
        let mut index = 0;
        while !self.queue.is_closed() && self.decode(&mut stream, len, flow, &mut block) {
            self.found.counts.planned += block.positions();
            self.advance(self.meter.read_since());
            let decoded = StreamBlock::new(block, Arc::clone(flow), index);
            block = match self.queue.offer(decoded) {
                Ok(spare) => spare,
                Err(decoded) => {
                    let block = self.block(decoded);
                    self.own_piece_done();
                    block
                }
            };
            index += 1;
        }
        self.block = block;
    }

    /// Reads the next block of a stream. Returns false at the end.
    fn decode(
        &mut self,
        stream: &mut Stream<impl Read>,
        len: usize,
        flow: &StreamInput,
        block: &mut Block,
    ) -> bool {
        let begin = self.enter(flow.name.path());
        let lookahead = self.lookahead.max(flow.mode.lookahead());
        let is_read = stream.next_block(len, lookahead, block);
        self.spend(begin);
        is_read
    }

    /// Scans a block and returns its buffer.
    fn block(&mut self, mut decoded: StreamBlock) -> Block {
        let mut block = std::mem::take(&mut decoded.block);
        let flow = Arc::clone(&decoded.flow);
        let tickets =
            decoded.take_ticket().map(|index| flow.mode.tickets(index)).unwrap_or_default();
        drop(decoded);
        let planned = block.positions();
        let begin = self.enter(flow.name.path());
        let window = block.window();
        self.window(flow.name.path(), &window, planned, &flow.mode, tickets);
        self.fault(flow.name.path(), window.fault);
        self.spend(begin);
        block
    }

    /// Scans a window that should have `planned` positions: as a whole, or only the chosen cells if
    /// the input is a table.
    pub(super) fn window(
        &mut self,
        path: &Path,
        window: &Window<'_>,
        planned: u64,
        mode: &ScanMode,
        tickets: Tickets<'_>,
    ) {
        let accepted = self.found.counts.accepted;
        if let Some(quoting) = self.search(window, mode, tickets).filter(|q| !q.is_sound()) {
            let sum = self.quoting.entry(path.to_path_buf()).or_default();
            *sum += quoting.moved(window.offset);
        }
        if let Some((document, path)) = &mode.document {
            self.documents.found(*document, path, self.found.counts.accepted - accepted);
        }
        let scanned = window.starts.len() as u64;
        self.found.counts.bytes += scanned;
        // A missing position without a fault makes the final sums disagree.
        if window.fault.is_some() {
            self.found.counts.lost += planned - scanned;
        }
        if !self.make_room() || self.plan.cancel.is_cancelled() {
            self.queue.close();
        }
        self.checkpoint();
    }

    /// Searches a window and collects records of the results, if wanted.
    fn search(
        &mut self,
        window: &Window<'_>,
        mode: &ScanMode,
        tickets: Tickets<'_>,
    ) -> Option<Quoting> {
        let Worker { scanner, found, occurrences, eidrs, collectors, .. } = self;
        if let Some((eidrs, values)) = eidrs.as_mut().zip(mode.eidrs.as_ref()) {
            eidrs.values(window, values, tickets.eidrs);
        }
        let (notation, cells) = (mode.notation, tickets.cells);
        let (Some(source), Some(occurrences)) = (&mode.source, occurrences) else {
            return search_with(scanner, window, notation, cells, found, eidrs);
        };
        let rows = (occurrences, *collectors);
        let mut sink = Placed::new(found, rows, source, mode, window, tickets.lines)?;
        search_with(scanner, window, notation, cells, &mut sink, eidrs)
    }

    /// Makes room for blocked records. Returns false if the run has failed.
    fn make_room(&mut self) -> bool {
        let occurrences = self.occurrences.as_mut();
        self.found.settle()
            && self.eidrs.as_mut().is_none_or(Eidrs::make_room)
            && occurrences.is_none_or(|rows| rows.make_room(self.collectors))
            && self.tally.as_mut().is_none_or(Tally::make_room)
    }

    /// Counts an input that was opened.
    pub(super) fn opened(&mut self, path: &Path) {
        self.opened_part(path, true);
    }

    /// Notes that a part of an input was opened. The first part counts the input.
    pub(super) fn opened_part(&mut self, path: &Path, is_first: bool) {
        self.found.counts.files += u64::from(is_first);
        self.collectors.opened();
        self.enter(path);
    }

    /// Attributes all counts from now on to the input `path`. Returns the time like
    /// [`Worker::clock`].
    fn enter(&mut self, path: &Path) -> Option<Instant> {
        if let Some(tally) = &mut self.tally {
            tally.enter(path, &self.found.counts);
        }
        self.clock()
    }

    /// The current time, if the run reports inputs.
    pub(super) fn clock(&self) -> Option<Instant> {
        self.tally.as_ref().map(|_| Instant::now())
    }

    /// Adds the time since `begin` to the current input.
    pub(super) fn spend(&mut self, begin: Option<Instant>) {
        if let Some((tally, begin)) = self.tally.as_mut().zip(begin) {
            tally.spend(begin);
        }
    }

    /// Reports progress.
    pub(super) fn advance(&mut self, bytes: u64) {
        let found = self.found.counts.accepted;
        self.progress.found(found - std::mem::replace(&mut self.reported, found));
        self.progress.add(bytes);
    }

    fn fault(&mut self, path: &Path, fault: Option<std::io::Error>) {
        if let Some(error) = fault.filter(|e| !doiscan_input::is_again(e)) {
            let message = format!("{error}; DOIs found before this point are kept");
            self.problems.push(Problem::new(path, ProblemCode::of(&error), message));
        }
    }
}

/// Searches a window, also for EIDRs if wanted.
fn search_with<S: Finder>(
    scanner: &mut Scanner,
    window: &Window<'_>,
    notation: Notation,
    cells: Option<ChunkTicket<'_>>,
    sink: &mut S,
    eidrs: &mut Option<Eidrs<'_>>,
) -> Option<Quoting> {
    match eidrs {
        None => search(scanner, window, notation, cells, sink),
        Some(eidrs) => {
            search(scanner, window, notation, cells, &mut EidrSink { inner: sink, eidrs })
        }
    }
}
