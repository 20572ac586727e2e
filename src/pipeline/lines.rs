//! One answer for each line, in order, on all threads.
//!
//! Workers take turns in reading a block, work on their blocks at the same time, and
//! take turns in writing, in the order of the blocks. So there are as many blocks in
//! memory as workers, and the answers are those of one worker.

use super::crew::Crew;
use super::{Error, open};
use crate::collect::disk::{Disk, System};
use crate::input::{LineBlock, Lines};
use crate::output::{self, Output};
use crate::quality::{self, Problem};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// Bytes of the longest line that is worked on as a whole.
pub const LONGEST_LINE: usize = 1024 * 1024;

/// Bytes that are read at a time when the caller sets none: so many that taking turns costs
/// nothing beside the work, and so few that what is read and answered stays in the cache.
pub const BLOCK: NonZeroUsize = NonZeroUsize::new(256 * 1024).expect("not zero");

/// What is done with each line.
pub trait LineWork: Sync {
    /// What one worker needs for itself, such as scratch space.
    type Worker;
    /// What is counted.
    type Tally: Default + Send;

    /// A worker's own.
    fn worker(&self) -> Self::Worker;

    /// Appends the answer to one line, which comes without its end.
    fn line(
        &self,
        worker: &mut Self::Worker,
        line: &[u8],
        place: &Place<'_>,
        out: &mut Vec<u8>,
        tally: &mut Self::Tally,
    );

    /// Appends what is to be said to a part of a line that is longer than
    /// [`LinePlan::longest`]. Its parts come in order, perhaps to several workers.
    fn piece(
        &self,
        worker: &mut Self::Worker,
        piece: &Piece<'_>,
        place: &Place<'_>,
        out: &mut Vec<u8>,
        tally: &mut Self::Tally,
    );

    /// Adds what was counted in a block, in order of the blocks.
    fn gather(&self, sum: &mut Self::Tally, block: Self::Tally);
}

/// Where a line stands.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The input as it was named.
    pub path: &'a Path,
    /// Its number in the input, from 1.
    pub line: u64,
}

/// A part of a long line.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The bytes, cut between characters where they are UTF-8.
    pub bytes: &'a [u8],
    /// Whether it begins the line.
    pub is_first: bool,
    /// Whether it ends it.
    pub is_last: bool,
}

/// Everything that a run over lines needs to know.
#[derive(Clone, Debug)]
pub struct LinePlan {
    /// Files, and `-` for standard input, in this order.
    pub inputs: Vec<PathBuf>,
    /// The output file; standard output when none.
    pub output: Option<PathBuf>,
    /// The most threads to use; one a core when none is given.
    pub threads: Option<NonZeroUsize>,
    /// Bytes that are read at a time.
    pub block: NonZeroUsize,
    /// Bytes of the longest line that is worked on as a whole.
    pub longest: usize,
    /// Whether what is counted decides something: then the lines are counted to the last,
    /// also when the reader of the answers went away.
    pub is_gate: bool,
}

/// No inputs, and for everything else what is usual.
impl Default for LinePlan {
    fn default() -> Self {
        LinePlan {
            inputs: Vec::new(),
            output: None,
            threads: None,
            block: BLOCK,
            longest: LONGEST_LINE,
            is_gate: false,
        }
    }
}

/// What a run that reached its end has to say.
#[derive(Clone, Debug)]
pub struct LineReport<T> {
    /// What was counted.
    pub tally: T,
    /// Inputs that could not be read, or not to their end, in their order.
    pub problems: Vec<Problem>,
}

/// Answers each line of the inputs.
///
/// # Errors
///
/// When there is no whole output. Inputs that fail are no error: they are in
/// the report.
pub fn run_lines<W: LineWork>(plan: &LinePlan, work: &W) -> Result<LineReport<W::Tally>, Error> {
    let cores = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let crew = Crew::new(plan.threads.unwrap_or_else(cores));
    let disk: Arc<dyn Disk> = Arc::new(System);
    let output = open(&disk, plan.output.as_deref())?;
    let run = Run {
        plan,
        work,
        source: Mutex::new(Source::new(&plan.inputs)),
        sink: Mutex::new(Sink::new(output)),
        written: Condvar::new(),
    };
    crew.all(|| run.close(None), || run.work())?;
    let sink = run.sink.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = sink.error {
        return Err(error);
    }
    let source = run.source.into_inner().unwrap_or_else(PoisonError::into_inner);
    quality::answered(source.lines, sink.lines)?;
    sink.output.finish()?;
    Ok(LineReport { tally: sink.tally, problems: source.problems })
}

/// The state of a run.
struct Run<'a, W: LineWork> {
    plan: &'a LinePlan,
    work: &'a W,
    source: Mutex<Source<'a>>,
    sink: Mutex<Sink<W::Tally>>,
    /// The turn in writing went on.
    written: Condvar,
}

/// What is read.
struct Source<'a> {
    left: std::slice::Iter<'a, PathBuf>,
    current: Option<Lines>,
    problems: Vec<Problem>,
    /// Blocks taken of all inputs.
    blocks: u64,
    /// Lines taken of the current input, and of all.
    line: u64,
    lines: u64,
}

/// A block that a worker took.
struct Taken {
    index: u64,
    path: Arc<Path>,
    /// Lines of the input before it.
    before: u64,
    block: LineBlock,
}

impl<'a> Source<'a> {
    fn new(inputs: &'a [PathBuf]) -> Self {
        let (current, problems) = (None, Vec::new());
        Source { left: inputs.iter(), current, problems, blocks: 0, line: 0, lines: 0 }
    }

    /// The next block, in `buffer`.
    fn next(&mut self, plan: &LinePlan, buffer: &mut Vec<u8>) -> Option<Taken> {
        loop {
            let Some(lines) = &mut self.current else {
                let path = self.left.next()?;
                match Lines::open(path) {
                    Ok(lines) => (self.current, self.line) = (Some(lines), 0),
                    Err(problem) => self.problems.push(problem),
                }
                continue;
            };
            let Some(block) = lines.next_block(buffer, plan.block.get(), plan.longest) else {
                self.problems.extend(lines.fault());
                self.current = None;
                continue;
            };
            let (index, before) = (self.blocks, self.line);
            let lines_in_it = match block {
                LineBlock::Lines => split(buffer).1,
                LineBlock::Piece { is_last, .. } => u64::from(is_last),
            };
            self.blocks += 1;
            self.line += lines_in_it;
            self.lines += lines_in_it;
            return Some(Taken { index, path: lines.path().into(), before, block });
        }
    }
}

/// The lines of a block, their ends taken off, and how many there are.
fn split(block: &[u8]) -> (impl Iterator<Item = &[u8]>, u64) {
    let body = block.strip_suffix(b"\n").unwrap_or(block);
    let ends = memchr::memchr_iter(b'\n', body).count() as u64;
    let mut rest = Some(body);
    let lines = std::iter::from_fn(move || {
        let text = rest?;
        let (line, behind) = match memchr::memchr(b'\n', text) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        rest = behind;
        let has_end = behind.is_some() || body.len() < block.len();
        Some(if has_end { line.strip_suffix(b"\r").unwrap_or(line) } else { line })
    });
    (lines, ends + 1)
}

/// What is written.
struct Sink<T> {
    output: Output,
    /// The block whose turn it is.
    next: u64,
    lines: u64,
    tally: T,
    /// Nothing more is to be done.
    is_closed: bool,
    /// The reader went away: nothing more is to be written.
    is_unread: bool,
    error: Option<Error>,
}

impl<T: Default> Sink<T> {
    fn new(output: Output) -> Self {
        let (tally, error) = (T::default(), None);
        Sink { output, next: 0, lines: 0, tally, is_closed: false, is_unread: false, error }
    }
}

impl<W: LineWork> Run<'_, W> {
    /// One worker: blocks until there are no more.
    fn work(&self) {
        let mut own = self.work.worker();
        let (mut buffer, mut out) = (Vec::new(), Vec::new());
        while let Some(taken) = self.take(&mut buffer) {
            out.clear();
            let (tally, lines) = self.answer(&mut own, &taken, &buffer, &mut out);
            if !self.put(taken.index, &out, tally, lines) {
                return;
            }
        }
    }

    fn take(&self, buffer: &mut Vec<u8>) -> Option<Taken> {
        if lock(&self.sink).is_closed {
            return None;
        }
        lock(&self.source).next(self.plan, buffer)
    }

    /// Answers the lines of a block. Returns what was counted, and how many lines ended.
    fn answer(
        &self,
        own: &mut W::Worker,
        taken: &Taken,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> (W::Tally, u64) {
        let mut tally = W::Tally::default();
        let mut place = Place { path: &taken.path, line: taken.before + 1 };
        match taken.block {
            LineBlock::Piece { is_first, is_last } => {
                let piece = Piece { bytes, is_first, is_last };
                self.work.piece(own, &piece, &place, out, &mut tally);
                return (tally, u64::from(is_last));
            }
            LineBlock::Lines => {}
        }
        for line in split(bytes).0 {
            if line.len() > self.plan.longest {
                let piece = Piece { bytes: line, is_first: true, is_last: true };
                self.work.piece(own, &piece, &place, out, &mut tally);
            } else {
                self.work.line(own, line, &place, out, &mut tally);
            }
            place.line += 1;
        }
        (tally, place.line - 1 - taken.before)
    }

    /// Writes the answers to block `index` when it is their turn. False when nothing more is
    /// to be done.
    fn put(&self, index: u64, out: &[u8], tally: W::Tally, lines: u64) -> bool {
        let mut sink = lock(&self.sink);
        while sink.next != index && !sink.is_closed {
            sink = self.written.wait(sink).unwrap_or_else(PoisonError::into_inner);
        }
        if sink.is_closed {
            return false;
        }
        if let Err(error) = self.write(&mut sink, out) {
            drop(sink);
            self.close(Some(error.into()));
            return false;
        }
        self.work.gather(&mut sink.tally, tally);
        sink.lines += lines;
        sink.next += 1;
        self.written.notify_all();
        true
    }

    /// Writes answers, as long as somebody reads them or the run is not for them alone.
    fn write(&self, sink: &mut Sink<W::Tally>, out: &[u8]) -> Result<(), output::Error> {
        if sink.is_unread {
            return Ok(());
        }
        match sink.output.write(out) {
            Err(error) if self.plan.is_gate && error.is_closed_pipe() => sink.is_unread = true,
            result => return result,
        }
        Ok(())
    }

    /// Nothing more is to be done: all workers end.
    fn close(&self, error: Option<Error>) {
        let mut sink = lock(&self.sink);
        sink.is_closed = true;
        sink.error = error;
        self.written.notify_all();
    }
}

/// A worker that panicked is an error of the run, whatever it left in here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make files")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    /// Writes each line in brackets, with its number.
    struct Brackets;

    impl LineWork for Brackets {
        type Worker = ();
        type Tally = Vec<u64>;

        fn worker(&self) {}

        fn line(
            &self,
            (): &mut (),
            line: &[u8],
            at: &Place<'_>,
            out: &mut Vec<u8>,
            t: &mut Vec<u64>,
        ) {
            assert_ne!(line, b"panic", "told to");
            out.extend_from_slice(&[b"[", line, b"]\n"].concat());
            t.push(at.line);
        }

        fn piece(
            &self,
            (): &mut (),
            p: &Piece<'_>,
            at: &Place<'_>,
            out: &mut Vec<u8>,
            t: &mut Vec<u64>,
        ) {
            if p.is_first {
                out.push(b'[');
            }
            out.extend_from_slice(p.bytes);
            if p.is_last {
                out.extend_from_slice(b"]\n");
                t.push(at.line);
            }
        }

        fn gather(&self, sum: &mut Vec<u64>, block: Vec<u64>) {
            sum.extend(block);
        }
    }

    fn plan(folder: &Path, texts: &[&[u8]]) -> LinePlan {
        let write = |(index, text): (usize, &&[u8])| {
            let path = folder.join(index.to_string());
            fs::write(&path, text).expect("write");
            path
        };
        LinePlan {
            inputs: texts.iter().enumerate().map(write).collect(),
            output: Some(folder.join("out")),
            ..LinePlan::default()
        }
    }

    /// The answers, by the definition of a line.
    fn naive(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for line in text.split_inclusive(|&b| b == b'\n') {
            let ([line @ .., b'\r', b'\n'] | [line @ .., b'\n'] | line) = line;
            out.extend_from_slice(&[b"[", line, b"]\n"].concat());
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn answers_come_in_order(
            text in prop::collection::vec(prop::sample::select(b"ab\n\r\xc3\xa9".to_vec()), 0..200),
            block in 1..40_usize,
            longest in 1..12_usize,
            threads in prop::sample::select(vec![1, 2, 8]),
        ) {
            let folder = tempfile::tempdir().expect("folder");
            let plan = LinePlan {
                threads: NonZeroUsize::new(threads),
                block: NonZeroUsize::new(block).expect("not zero"),
                longest,
                ..plan(folder.path(), &[&text, b"x\n", &text])
            };
            let report = run_lines(&plan, &Brackets).expect("runs");
            let expected = [naive(&text), b"[x]\n".to_vec(), naive(&text)].concat();
            prop_assert_eq!(fs::read(folder.path().join("out")).expect("out"), expected);
            let numbers = 1..=naive(&text).iter().filter(|&&b| b == b'[').count() as u64;
            prop_assert!(report.tally.into_iter().eq(numbers.clone().chain(1..=1).chain(numbers)));
        }
    }

    #[test]
    fn a_panic_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("folder");
        // So many that all workers are at it when one panics.
        let text = [b"x\n".repeat(500_000), b"panic\n".to_vec(), b"y\n".repeat(1_000)].concat();
        fs::write(folder.path().join("out"), "old").expect("write");
        for threads in [1, 2, 8] {
            let plan = LinePlan {
                threads: NonZeroUsize::new(threads),
                block: NonZeroUsize::new(64).expect("not zero"),
                ..plan(folder.path(), &[&text])
            };
            let error = run_lines(&plan, &Brackets).expect_err("a panic").to_string();
            assert!(error.contains("told to"), "{error}");
            assert_eq!(fs::read(folder.path().join("out")).expect("out"), b"old");
        }
    }

    #[test]
    fn inputs_that_fail_are_problems() {
        let folder = tempfile::tempdir().expect("folder");
        let mut plan = plan(folder.path(), &[b"a\nb", b"c"]);
        plan.inputs.insert(1, folder.path().join("none"));
        plan.inputs.insert(2, folder.path().to_path_buf());
        let report = run_lines(&plan, &Brackets).expect("runs");
        let paths: Vec<_> = report.problems.into_iter().map(|p| p.path).collect();
        assert_eq!(paths, plan.inputs[1..3]);
        assert_eq!(fs::read(folder.path().join("out")).expect("out"), b"[a]\n[b]\n[c]\n");
    }
}
