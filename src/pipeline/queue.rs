//! What is still to be scanned, in pieces that workers take one by one.
//!
//! An input is a piece that its worker opens. When it is a large file it comes back as
//! chunks, when it is an archive as parts, which all workers take. What must be decoded
//! or read from its start to its end stays with one worker, which cuts it into blocks;
//! others scan them when they have nothing else to do, and the worker itself when they
//! have enough. So nobody waits while there is work, no more than two blocks a helper
//! are held, and one thread alone does all of it.
//!
//! Blocks go before members that are decoded ahead, those before pieces of inputs that
//! are open, and those before new inputs: what
//! was begun is brought to its end, and few files are open at once.

use super::Plan;
use super::ahead::Task;
#[cfg(feature = "parquet")]
use super::rows::Rows;
use super::table::{Table, Turn};
use crate::format::{ColumnError, Columns, Dialect};
use crate::input::{self, Archive, Block, HEAD, Name, Opened, Unit};
use crate::quality::Problem;
use crate::scan::Notation;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Blocks that may wait for each worker that has nothing else to do.
const BLOCKS_A_HELPER: usize = 2;

/// Chunks that lie within the bytes a scanner looks ahead, at most.
const REACH: usize = 64;

/// One piece of work.
pub(super) enum Piece<'a> {
    /// An input, to be opened.
    Unit(&'a Unit),
    /// A part of a large file.
    Chunk(Arc<Large>, Range<u64>),
    /// A part of an archive.
    Members(Arc<Packed>, usize),
    /// A row group.
    #[cfg(feature = "parquet")]
    Rows(Arc<Rows>, usize),
    /// A part of what another worker decodes.
    Block(Decoded),
    /// What another worker will come to.
    Ahead(Arc<Task>),
}

/// A large file that several workers scan.
pub(super) struct Large {
    pub(super) file: Opened,
    pub(super) reading: Reading,
    /// Chunks that are not scanned yet. Who scans the last one checks the file.
    left: AtomicUsize,
    /// Bytes of a chunk, and whether each is scanned.
    chunk: u64,
    scanned: Box<[AtomicBool]>,
    /// The archive that it is a member of.
    pub(super) archive: Option<Arc<Packed>>,
}

impl Large {
    /// A file that is cut into pieces of `chunk` bytes. One that was cut to nothing
    /// since it was listed still has one chunk, an empty one, so that it is checked.
    pub(super) fn new(
        file: Opened,
        reading: Reading,
        chunk: usize,
        archive: Option<Arc<Packed>>,
    ) -> Large {
        let chunk = chunk as u64;
        let chunks = file.size().div_ceil(chunk).max(1);
        let left = AtomicUsize::new(chunks as usize);
        let scanned = (0..chunks).map(|_| AtomicBool::new(false)).collect();
        Large { file, reading, left, chunk, scanned, archive }
    }

    /// Notes that the chunk at `start`, and `lookahead` bytes behind it, were scanned. True
    /// for the last chunk.
    ///
    /// Chunks that nobody will look at again are let go of: those that are scanned, and whose
    /// neighbours are as far as these look into them. Not before: who looks at a
    /// mapped chunk relies on its being resident.
    pub(super) fn chunk_done(&self, start: u64, lookahead: usize) -> bool {
        let index = (start / self.chunk) as usize;
        let reach = (lookahead as u64).div_ceil(self.chunk) as usize;
        self.scanned[index].store(true, Ordering::SeqCst);
        let last = self.scanned.len() - 1;
        // Small chunks are a test's: there is nothing to spare.
        let end = if reach > REACH { 0 } else { (index + reach).min(last) + 1 };
        for chunk in index.saturating_sub(1)..end {
            let lookers = &self.scanned[chunk.saturating_sub(reach)..=(chunk + 1).min(last)];
            if lookers.iter().all(|scanned| scanned.load(Ordering::SeqCst)) {
                let start = chunk as u64 * self.chunk;
                self.file.release(start..(start + self.chunk).min(self.file.size()));
            }
        }
        self.left.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// An archive whose parts several workers read.
pub(super) struct Packed {
    pub(super) archive: Archive,
    left: AtomicUsize,
}

impl Packed {
    pub(super) fn new(archive: Archive) -> Packed {
        let left = AtomicUsize::new(archive.parts().len());
        Packed { archive, left }
    }

    /// Notes that a part is read. True for the last.
    pub(super) fn part_done(&self) -> bool {
        self.left.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// An input whose bytes come one after the other.
pub(super) struct Flow {
    pub(super) name: Name,
    pub(super) reading: Reading,
}

/// A block of a [`Flow`]. One that is dropped before it is scanned tells the
/// workers that wait for its turn.
pub(super) struct Decoded {
    pub(super) block: Block,
    pub(super) flow: Arc<Flow>,
    turn: Option<u64>,
}

impl Decoded {
    /// The block `index`, from 0.
    pub(super) fn new(block: Block, flow: Arc<Flow>, index: u64) -> Self {
        Decoded { block, flow, turn: Some(index) }
    }

    /// Its place among those of the input; once.
    pub(super) fn take_turn(&mut self) -> Option<u64> {
        self.turn.take()
    }
}

impl Drop for Decoded {
    fn drop(&mut self) {
        if let Some(index) = self.turn {
            drop(self.flow.reading.turn(index));
        }
    }
}

/// How an input is read.
pub(super) struct Reading {
    pub(super) notation: Notation,
    /// The columns that alone are searched, when such were asked for.
    table: Option<Table>,
}

impl Reading {
    /// Of values that each have a line of their own.
    #[cfg(feature = "parquet")]
    pub(super) fn lines() -> Self {
        Reading { notation: Notation::Csv(b'\n'), table: None }
    }

    /// The turn of the chunk or block `index` of a table.
    pub(super) fn turn(&self, index: u64) -> Option<Turn<'_>> {
        self.table.as_ref().map(|table| table.turn(index as usize))
    }
}

/// All pieces of a run.
pub(super) struct Queue<'a> {
    units: &'a [Unit],
    chunk: u64,
    state: Mutex<State>,
    /// Something was added, or nothing will be any more.
    changed: Condvar,
    closed: AtomicBool,
}

#[derive(Default)]
struct State {
    next: usize,
    open: Vec<Open>,
    blocks: VecDeque<Decoded>,
    ahead: VecDeque<Arc<Task>>,
    /// Blocks that were scanned, for their space.
    spare: Vec<Block>,
    /// Workers with a piece, those of them with a block, and those without.
    working: usize,
    scanning: usize,
    waiting: usize,
}

/// An input that is handed out in pieces, and what is next.
pub(super) enum Open {
    File(Arc<Large>, u64),
    Archive(Arc<Packed>, usize),
    #[cfg(feature = "parquet")]
    Rows(Arc<Rows>, usize),
}

/// What a worker had before it asks for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Piece,
    Block,
}

impl<'a> Queue<'a> {
    pub(super) fn new(units: &'a [Unit], plan: &Plan) -> Self {
        Queue {
            units,
            chunk: plan.chunk.get() as u64,
            state: Mutex::default(),
            changed: Condvar::new(),
            closed: AtomicBool::new(false),
        }
    }

    /// The next piece, as soon as there is one. None when there will be no more.
    pub(super) fn next(&self, before: Before) -> Option<Piece<'a>> {
        let mut state = self.state();
        state.working -= usize::from(before != Before::Nothing);
        state.scanning -= usize::from(before == Before::Block);
        loop {
            if self.is_closed() {
                return None;
            }
            if let Some(piece) = self.take(&mut state) {
                state.working += 1;
                state.scanning += usize::from(matches!(piece, Piece::Block(_)));
                return Some(piece);
            }
            if state.working == 0 {
                self.changed.notify_all();
                return None;
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    /// Adds an input that was opened and whose pieces all workers shall take.
    pub(super) fn add(&self, open: Open) {
        self.state().open.push(open);
        self.changed.notify_all();
    }

    /// Adds what one worker will need and others may decode before. It is done by that
    /// one in the end, if nobody does it.
    pub(super) fn ahead(&self, task: Arc<Task>) {
        self.state().ahead.push_back(task);
        self.changed.notify_one();
    }

    /// Gives a block to others and returns space for the next one, or returns the block
    /// when nobody is free to scan it soon.
    pub(super) fn offer(&self, decoded: Decoded) -> Result<Block, Decoded> {
        let mut state = self.state();
        let helpers = state.waiting + state.scanning;
        if self.is_closed() || state.blocks.len() >= BLOCKS_A_HELPER * helpers {
            return Err(decoded);
        }
        state.blocks.push_back(decoded);
        let spare = state.spare.pop().unwrap_or_default();
        drop(state);
        self.changed.notify_one();
        Ok(spare)
    }

    /// Takes back the space of a block that was scanned.
    pub(super) fn recycle(&self, block: Block) {
        self.state().spare.push(block);
    }

    /// No worker gets another piece, and none waits for one.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let blocks = std::mem::take(&mut self.state().blocks);
        self.changed.notify_all();
        drop(blocks);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn take(&self, state: &mut State) -> Option<Piece<'a>> {
        if let Some(decoded) = state.blocks.pop_front() {
            return Some(Piece::Block(decoded));
        }
        if let Some(task) = state.ahead.pop_front() {
            return Some(Piece::Ahead(task));
        }
        if let Some(piece) = self.continued(state) {
            return Some(piece);
        }
        let unit = self.units.get(state.next)?;
        state.next += 1;
        Some(Piece::Unit(unit))
    }

    fn continued(&self, state: &mut State) -> Option<Piece<'a>> {
        let (piece, is_last) = match state.open.last_mut()? {
            Open::File(large, at) => {
                let (large, start) = (Arc::clone(large), *at);
                *at = start.saturating_add(self.chunk).min(large.file.size());
                let (end, size) = (*at, large.file.size());
                (Piece::Chunk(large, start..end), end == size)
            }
            Open::Archive(packed, next) => {
                let (packed, part) = (Arc::clone(packed), *next);
                *next += 1;
                let is_last = *next >= packed.archive.parts().len();
                (Piece::Members(packed, part), is_last)
            }
            #[cfg(feature = "parquet")]
            Open::Rows(rows, next) => {
                let (rows, group) = (Arc::clone(rows), *next);
                *next += 1;
                let is_last = *next >= rows.parquet.groups();
                (Piece::Rows(rows, group), is_last)
            }
        };
        if is_last {
            state.open.pop();
        }
        Some(piece)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first bytes of an input by which [`judge`] judges it.
pub(super) fn head_len(plan: &Plan) -> usize {
    if plan.columns.is_empty() { HEAD } else { HEAD.max(Columns::HEAD) }
}

/// How an input that begins with `head` is read, or why it is not.
pub(super) fn judge(plan: &Plan, name: &Name, head: &[u8]) -> Result<Reading, Problem> {
    let first = &head[..head.len().min(HEAD)];
    if let Some(reason) = input::refused(name.content(), first) {
        return Err(Problem::new(name.path(), reason));
    }
    if plan.columns.is_empty() {
        let notation = plan.format.notation(Some(name.content()), first);
        return Ok(Reading { notation, table: None });
    }
    let misfit = |error: ColumnError| Problem::misfit(name.path(), error.to_string());
    let delimiter = plan.format.table(Some(name.content()), first).ok_or(ColumnError::NotATable);
    let dialect = Dialect::new(delimiter.map_err(misfit)?);
    let columns = Columns::choose(&plan.columns, dialect, head).map_err(misfit)?;
    let notation = Notation::Csv(dialect.delimiter);
    Ok(Reading { notation, table: Some(Table::new(columns)) })
}
