//! What is still to be scanned, in pieces that workers take one by one.
//!
//! A small file is one piece, which its worker opens itself. A large one is
//! opened by whoever comes to it first and cut into chunks. A stream is one
//! piece that every worker gets until it ends: they take turns in reading and
//! scan at the same time. So every core is busy with one large file as well as
//! with many small ones, and no more files are open than there are threads,
//! and one.

use super::Plan;
use super::table::{Table, Turn};
use crate::format::{ColumnError, Columns, Dialect};
use crate::input::{self, HEAD, Kind, Opened, Stream, Unit};
use crate::quality::{Counts, Problem};
use crate::scan::Notation;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Chunks that lie within the bytes a scanner looks ahead, at most.
const REACH: usize = 64;

/// One piece of work.
pub(super) enum Piece<'a> {
    /// A file no larger than a chunk, to be opened.
    Whole(&'a Unit),
    /// A part of a large file.
    Part(Arc<Large>, Range<u64>),
    /// The next block of a stream.
    Block(Arc<Shared>),
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
}

impl Large {
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

/// A stream that several workers scan.
pub(super) struct Shared {
    pub(super) stream: Mutex<Stream>,
    pub(super) reading: Reading,
}

/// How an input is read.
pub(super) struct Reading {
    pub(super) notation: Notation,
    /// The columns that alone are searched, when such were asked for.
    table: Option<Table>,
}

impl Reading {
    /// The turn of the chunk `index` of a table.
    pub(super) fn turn(&self, index: u64) -> Option<Turn<'_>> {
        self.table.as_ref().map(|table| table.turn(index as usize))
    }

    /// The turn of the next chunk of a table. Called by one worker at a time.
    pub(super) fn next_turn(&self) -> Option<Turn<'_>> {
        self.table.as_ref().map(Table::next_turn)
    }
}

/// All pieces of a run.
pub(super) struct Queue<'a> {
    units: &'a [Unit],
    plan: &'a Plan,
    chunk: u64,
    state: Mutex<State>,
    closed: AtomicBool,
}

#[derive(Default)]
struct State {
    next: usize,
    current: Option<Current>,
    counts: Counts,
    problems: Vec<Problem>,
}

enum Current {
    Large(Arc<Large>, u64),
    /// The stream, and whether no block was taken yet.
    Stream(Arc<Shared>, bool),
}

impl<'a> Queue<'a> {
    pub(super) fn new(units: &'a [Unit], plan: &'a Plan) -> Self {
        let (state, closed) = (Mutex::default(), AtomicBool::new(false));
        Queue { units, plan, chunk: plan.chunk.get() as u64, state, closed }
    }

    /// The next piece, and whether it is the first of its input.
    pub(super) fn next(&self) -> Option<(Piece<'a>, bool)> {
        let mut state = self.state();
        loop {
            if self.is_closed() {
                return None;
            }
            if let Some(found) = self.continued(&mut state) {
                return Some(found);
            }
            let unit = self.units.get(state.next)?;
            state.next += 1;
            if self.is_whole(unit) {
                return Some((Piece::Whole(unit), true));
            }
            match self.open(unit) {
                Ok(current) => {
                    state.counts.files += 1;
                    if let Current::Large(large, _) = &current {
                        state.counts.planned += large.file.size();
                    }
                    state.current = Some(current);
                }
                Err(problem) => state.problems.push(problem),
            }
        }
    }

    /// A stream's block was its last.
    pub(super) fn stream_ended(&self, ended: &Arc<Shared>) {
        let mut state = self.state();
        if let Some(Current::Stream(shared, _)) = &state.current
            && Arc::ptr_eq(shared, ended)
        {
            state.current = None;
        }
    }

    /// No worker gets another piece.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// What was counted in opening, and the inputs that could not be opened.
    pub(super) fn finish(self, problems: &mut Vec<Problem>) -> Counts {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        problems.extend(state.problems);
        state.counts
    }

    fn continued(&self, state: &mut State) -> Option<(Piece<'a>, bool)> {
        match state.current.as_mut()? {
            Current::Large(large, at) => {
                let (large, start) = (Arc::clone(large), *at);
                *at = start.saturating_add(self.chunk).min(large.file.size());
                let end = *at;
                if end == large.file.size() {
                    state.current = None;
                }
                Some((Piece::Part(large, start..end), start == 0))
            }
            Current::Stream(shared, fresh) => {
                Some((Piece::Block(Arc::clone(shared)), std::mem::take(fresh)))
            }
        }
    }

    fn is_whole(&self, unit: &Unit) -> bool {
        match unit.kind {
            Kind::File { .. } => unit.size <= self.chunk,
            Kind::Unsized => true,
            Kind::Stream | Kind::Standard => false,
        }
    }

    fn open(&self, unit: &Unit) -> Result<Current, Problem> {
        let stream = match unit.kind {
            Kind::File { .. } | Kind::Unsized => return self.open_file(unit),
            Kind::Stream => Stream::open(&unit.path)?,
            Kind::Standard => Stream::standard()?,
        };
        self.open_stream(unit, stream)
    }

    fn open_stream(&self, unit: &Unit, mut stream: Stream) -> Result<Current, Problem> {
        let reading = judge(self.plan, unit, stream.longer_head(head_len(self.plan)))?;
        Ok(Current::Stream(Arc::new(Shared { stream: Mutex::new(stream), reading }), true))
    }

    fn open_file(&self, unit: &Unit) -> Result<Current, Problem> {
        let file = Opened::open(unit, self.plan.io)?;
        let head = file.head(head_len(self.plan));
        if input::is_utf16(&head) {
            return self.open_stream(unit, Stream::open(&unit.path)?);
        }
        let reading = judge(self.plan, unit, &head)?;
        // A file that was cut to nothing since it was listed still has one
        // chunk, an empty one, so that it is checked.
        let chunks = file.size().div_ceil(self.chunk).max(1);
        let left = AtomicUsize::new(chunks as usize);
        let scanned = (0..chunks).map(|_| AtomicBool::new(false)).collect();
        let large = Large { file, reading, left, chunk: self.chunk, scanned };
        Ok(Current::Large(Arc::new(large), 0))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first bytes of a unit by which [`judge`] judges it.
pub(super) fn head_len(plan: &Plan) -> usize {
    if plan.columns.is_empty() { HEAD } else { HEAD.max(Columns::HEAD) }
}

/// How a unit that begins with `head` is read, or why it is not.
pub(super) fn judge(plan: &Plan, unit: &Unit, head: &[u8]) -> Result<Reading, Problem> {
    let first = &head[..head.len().min(HEAD)];
    if let Some(reason) = input::refused(&unit.path, first) {
        return Err(Problem::new(&unit.path, reason));
    }
    if plan.columns.is_empty() {
        let notation = plan.format.notation(Some(&unit.path), first);
        return Ok(Reading { notation, table: None });
    }
    let misfit = |error: ColumnError| Problem::misfit(&unit.path, error.to_string());
    let delimiter = plan.format.table(Some(&unit.path), first).ok_or(ColumnError::NotATable);
    let dialect = Dialect::new(delimiter.map_err(misfit)?);
    let columns = Columns::choose(&plan.columns, dialect, head).map_err(misfit)?;
    let notation = Notation::Csv(dialect.delimiter);
    Ok(Reading { notation, table: Some(Table::new(columns)) })
}
