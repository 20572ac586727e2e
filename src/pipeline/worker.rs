//! One worker: takes pieces, scans them, hands over what it finds, and makes room
//! for it between windows.

use super::ahead::Ahead;
use super::queue::{Before, Decoded, Flow, Large, Open, Packed, Piece, Queue, Reading};
use super::queue::{head_len, judge};
use super::spill::Spill;
use super::table::Turn;
use super::{Plan, Progress};
use crate::collect::Batch;
use crate::doi::Reason;
use crate::format::{LONGEST_QUOTED, Quoting};
use crate::input::{self, Archive, Block, Kind, Meter, Name, Opened, Packing, Section, Stream};
use crate::input::{SEGMENT, Split, Unit, Visit, Window};
use crate::quality::{Counts, Problem};
use crate::scan::short::ShortDois;
use crate::scan::{Match, Notation, Scanner, Sink};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a block of what is decoded: with what it is carried over it stays in a
/// core's cache between decoding and scanning.
const BLOCK: usize = 256 * 1024;

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
    pub(super) queue: &'a Queue<'a>,
    spill: &'a Spill,
    progress: &'a dyn Progress,
    pub(super) plan: &'a Plan,
    /// Threads of the run.
    threads: usize,
    /// Bytes behind a position that may decide about it.
    lookahead: usize,
    scanner: Scanner,
    /// Space for what is read; apart from the rest, as windows borrow it.
    buffer: Vec<u8>,
    /// Space for a block of what is decoded.
    block: Block,
    /// What was read of the input that is being unpacked.
    pub(super) meter: Meter,
    /// DOIs that the progress has heard of.
    told: u64,
    pub(super) found: Found<'a>,
    pub(super) problems: Vec<Problem>,
    quoting: BTreeMap<PathBuf, Quoting>,
}

/// Takes what the scanner finds.
pub(super) struct Found<'a> {
    pub(super) counts: Counts,
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
        threads: usize,
    ) -> Self {
        let scanner = Scanner::new(plan.scan.clone());
        let quoted = if plan.columns.is_empty() { 0 } else { LONGEST_QUOTED + 2 };
        Worker {
            queue,
            spill,
            progress,
            plan,
            threads,
            lookahead: scanner.lookahead().max(quoted),
            scanner,
            buffer: Vec::new(),
            block: Block::default(),
            meter: Meter::counting(plan.limits, spill.beside().clone()),
            told: 0,
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
        let mut before = Before::Nothing;
        while let Some(piece) = self.queue.next(before) {
            // Taken out for the time of a piece, so that a window into it and
            // `self` can be used side by side.
            let mut buffer = std::mem::take(&mut self.buffer);
            before = Before::Piece;
            match piece {
                Piece::Unit(unit) => self.unit(unit, &mut buffer),
                Piece::Chunk(large, starts) => self.chunk(&large, starts, &mut buffer),
                Piece::Members(packed, part) => self.members(&packed, part),
                #[cfg(feature = "parquet")]
                Piece::Rows(rows, group) => self.rows(&rows, group),
                Piece::Ahead(task) => task.run(),
                Piece::Block(decoded) => {
                    let block = self.decoded(decoded);
                    self.queue.recycle(block);
                    before = Before::Block;
                }
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

    /// The meter of another input.
    pub(super) fn new_meter(&self) -> Meter {
        Meter::counting(self.plan.limits, self.spill.beside().clone())
    }

    fn unit(&mut self, unit: &Unit, buffer: &mut Vec<u8>) {
        self.progress.input(&unit.path);
        let result = match unit.kind {
            Kind::File { .. } if unit.size <= self.plan.chunk.get() as u64 => {
                self.small_file(unit, buffer)
            }
            Kind::File { .. } => self.file(unit),
            Kind::Unsized | Kind::Stream | Kind::Standard => self.stream(unit),
        };
        self.problems.extend(result.err());
    }

    /// What has no size, read from its start to its end.
    fn stream(&mut self, unit: &Unit) -> Result<(), Problem> {
        let meter = self.new_meter();
        let file = meter.reader(input::open(unit)?);
        self.unpack(file, unit, meter);
        Ok(())
    }

    /// A file that is read whole and is afterwards still what was listed. When
    /// it is not, nothing of it was scanned yet, and it is taken as it is now.
    fn small_file(&mut self, unit: &Unit, buffer: &mut Vec<u8>) -> Result<(), Problem> {
        let Some(file) = Opened::listed(unit, self.plan.io)? else { return self.file(unit) };
        let window = file.window(0..file.size(), 0, buffer);
        if window.fault.is_some() || file.check().is_err() {
            return self.file(unit);
        }
        #[cfg(feature = "parquet")]
        if input::is_parquet(window.bytes) {
            return self.file(unit);
        }
        match Packing::of_file(window.bytes, window.bytes) {
            Packing::Zip => return self.file(unit),
            Packing::Plain if !input::is_utf16(window.bytes) => {}
            _ => {
                let meter = self.new_meter();
                self.unpack(meter.reader(window.bytes), unit, meter);
                return Ok(());
            }
        }
        let head = &window.bytes[..window.bytes.len().min(head_len(self.plan))];
        let reading = judge(self.plan, &Name::new(&unit.path), head)?;
        self.found.counts.files += 1;
        self.found.counts.planned += file.size();
        self.window(&unit.path, &window, file.size(), &reading, reading.turn(0));
        self.advance(file.size());
        Ok(())
    }

    /// A file that is opened once: cut into chunks or parts that all workers take, or
    /// decoded from its start to its end.
    fn file(&mut self, unit: &Unit) -> Result<(), Problem> {
        let file = Opened::open(unit, self.plan.io)?;
        let head = file.head(head_len(self.plan));
        #[cfg(feature = "parquet")]
        if input::is_parquet(&head) {
            return self.parquet(Arc::new(file));
        }
        let packing = Packing::of_file(&head, &file.tail());
        if packing == Packing::Plain && !input::is_utf16(&head) {
            return self.large(file, Name::new(&unit.path), &head, None);
        }
        let (file, meter) = (Arc::new(file), self.new_meter());
        let least = self.plan.chunk.get() as u64;
        if let Some(archive) = Archive::index(&file, packing, &meter, least, self) {
            if archive.parts().is_empty() {
                return file.check();
            }
            self.queue.add(Open::Archive(Arc::new(Packed::new(archive)), 0));
            return Ok(());
        }
        if let Packing::Codec(codec) = packing
            && self.threads > 1
            && self.segments() > 1
            && let Ok(Some(split)) = Split::new(&file, codec)
        {
            self.meter = meter.clone();
            let bytes = Ahead::new(self.queue, self.segments(), meter.clone(), split);
            input::unpack_decoded(bytes, codec, &Name::new(&unit.path), &meter, self);
            self.advance(meter.read_since());
            return file.check();
        }
        let bytes = Section::new(Arc::clone(&file), 0..file.size(), meter.clone());
        self.unpack(bytes, unit, meter);
        file.check()
    }

    /// Members that may be held decoded: two for each thread, in a quarter of the memory.
    fn segments(&self) -> usize {
        let room = self.plan.memory.map_or(usize::MAX, |limit| limit / 4 / SEGMENT);
        room.min(2 * self.threads)
    }

    /// Text of a known size is cut into chunks.
    fn large(
        &mut self,
        file: Opened,
        name: Name,
        head: &[u8],
        archive: Option<Arc<Packed>>,
    ) -> Result<(), Problem> {
        let reading = judge(self.plan, &name, head)?;
        self.found.counts.files += 1;
        self.found.counts.planned += file.size();
        let large = Large::new(file, reading, self.plan.chunk.get(), archive);
        self.queue.add(Open::File(Arc::new(large), 0));
        Ok(())
    }

    fn chunk(&mut self, large: &Large, starts: Range<u64>, buffer: &mut Vec<u8>) {
        let turn = large.reading.turn(starts.start / self.plan.chunk.get() as u64);
        let len = starts.end - starts.start;
        let window = large.file.window(starts.clone(), self.lookahead, buffer);
        self.window(large.file.path(), &window, len, &large.reading, turn);
        self.fault(large.file.path(), window.fault);
        self.advance(len);
        if large.chunk_done(starts.start, self.lookahead) {
            match &large.archive {
                Some(packed) => self.part_done(packed),
                None => self.problems.extend(large.file.check().err()),
            }
        }
    }

    /// A part of an archive: its members one after the other, or the chunks of one large
    /// member that is text.
    fn members(&mut self, packed: &Arc<Packed>, index: usize) {
        let archive = &packed.archive;
        let part = &archive.parts()[index];
        if part.size() > self.plan.chunk.get() as u64
            && let Some((name, bytes)) = archive.single(part)
        {
            let file = archive.file().section(name.path().to_path_buf(), bytes);
            let head = file.head(head_len(self.plan));
            let packing = Packing::of_file(&head, &file.tail());
            if packing == Packing::Plain && !input::is_utf16(&head) {
                self.progress.input(name.path());
                match self.large(file, name, &head, Some(Arc::clone(packed))) {
                    Ok(()) => return,
                    Err(problem) => self.problems.push(problem),
                }
                return self.part_done(packed);
            }
        }
        self.meter = archive.meter().clone();
        archive.read(part, self);
        self.advance(self.meter.read_since());
        self.part_done(packed);
    }

    fn part_done(&mut self, packed: &Packed) {
        if packed.part_done() {
            let mut changed = packed.archive.file().check().err();
            if let Some(problem) = &mut changed {
                problem.path = packed.archive.file().path().to_path_buf();
            }
            self.problems.extend(changed);
        }
    }

    fn unpack(&mut self, bytes: impl Read, unit: &Unit, meter: Meter) {
        self.meter = meter.clone();
        input::unpack(bytes, &Name::new(&unit.path), &meter, self);
        self.advance(meter.read_since());
    }

    /// Cuts an input into blocks and scans them, or has them scanned.
    fn flow(&mut self, name: &Name, bytes: &mut dyn Read) -> Result<(), Problem> {
        let fail = |e: std::io::Error| Problem::io(name.path(), &e);
        let mut stream = match Stream::new(bytes) {
            Err(error) if input::is_again(&error) => return Ok(()),
            result => result.map_err(fail)?,
        };
        let reading = judge(self.plan, name, stream.longer_head(head_len(self.plan)))?;
        self.found.counts.files += 1;
        self.blocks(stream, &Arc::new(Flow { name: name.clone(), reading }));
        Ok(())
    }

    /// Cuts a stream into blocks.
    pub(super) fn blocks(&mut self, mut stream: Stream<impl Read>, flow: &Arc<Flow>) {
        let len = BLOCK.min(self.plan.chunk.get());
        let mut block = std::mem::take(&mut self.block);
        let mut index = 0;
        while stream.next_block(len, self.lookahead, &mut block) {
            self.found.counts.planned += block.positions();
            self.advance(self.meter.read_since());
            let decoded = Decoded::new(block, Arc::clone(flow), index);
            block = match self.queue.offer(decoded) {
                Ok(spare) => spare,
                Err(decoded) => self.decoded(decoded),
            };
            index += 1;
        }
        self.block = block;
    }

    /// Scans a block; returns its space.
    fn decoded(&mut self, mut decoded: Decoded) -> Block {
        let mut block = std::mem::take(&mut decoded.block);
        let flow = Arc::clone(&decoded.flow);
        let turn = decoded.take_turn().and_then(|index| flow.reading.turn(index));
        drop(decoded);
        let planned = block.positions();
        let window = block.window();
        self.window(flow.name.path(), &window, planned, &flow.reading, turn);
        self.fault(flow.name.path(), window.fault);
        block
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

    /// Tells how far it is.
    pub(super) fn advance(&mut self, bytes: u64) {
        let found = self.found.counts.accepted;
        self.progress.found(found - std::mem::replace(&mut self.told, found));
        self.progress.add(bytes);
    }

    fn fault(&mut self, path: &Path, fault: Option<std::io::Error>) {
        if let Some(error) = fault.filter(|e| !input::is_again(e)) {
            let message = format!("{error}; what was found before it is kept");
            self.problems.push(Problem::new(path, message));
        }
    }
}

impl Visit for Worker<'_> {
    fn input(&mut self, name: &Name, bytes: &mut dyn Read) {
        self.progress.input(name.path());
        let result = self.flow(name, bytes);
        self.problems.extend(result.err());
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}
