//! Operations on sorted lists: union, intersection, difference, and what changed. Each
//! reads its lists once, in their order, and holds a buffer for each.

mod diff;

pub use diff::{DiffSide, Difference, diff};

use crate::collect::merge::{Merge, Source};
use crate::collect::run::{Encoder, Range, Reader, Run, Space};
use crate::input::{List, ListError};
use crate::output::Layout;
use crate::pipeline::dedup::name_buffer::{BUFFER, NameBuffer};
use crate::pipeline::dedup::ordered::{OrderedTask, part_by_part};
use crate::pipeline::error::Error;
use crate::pipeline::outputs::open;
use crate::pipeline::pool::Pool;
use crate::pipeline::rows::buffer::{Records, RowBuffer};
use crate::pipeline::rows::file::RowFile;
use crate::quality::Mismatch;
use crate::sys::disk::{Disk, System};
use crate::sys::memory;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// Descriptors that are not for lists: standard streams, the output and its folder, runs.
const RESERVED: usize = 12;

/// Threads.
const PAIR: NonZeroUsize = NonZeroUsize::new(2).expect("not zero");

/// Bytes of a list that are read together, where memory allows.
const READ: usize = 1024 * 1024;

/// What is made of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The names of any list.
    Union,
    /// The names that all lists have.
    Intersection,
    /// The names of the first list that no other has.
    Difference,
}

/// A merge of lists.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Sorted lists, `-` for standard input.
    pub lists: Vec<PathBuf>,
    /// What is made of them.
    pub operation: Operation,
    /// The output file; standard output when none.
    pub output: Option<PathBuf>,
    /// In which form it is written.
    pub layout: Layout,
    /// Bytes of memory for buffers.
    pub memory: Option<usize>,
    /// Folders for what is spilled when there are more lists than descriptors.
    pub temporary: Vec<PathBuf>,
    /// The most lists that are open at once; as many as the system allows when none.
    pub width: Option<usize>,
}

/// The figures of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Lines of all lists.
    pub lines: u64,
    /// Names written.
    pub written: u64,
    /// Bytes written to runs.
    pub spilled_bytes: u64,
}

/// Merges lists.
///
/// # Errors
///
/// When a list cannot be read, is no list, or is not in order; when two lists are written in
/// different case; when the output fails. An old output file is as it was.
pub fn merge(plan: &Plan) -> Result<Figures, Error> {
    let disk: Arc<dyn Disk> = Arc::new(System);
    let output = open(&disk, plan.output.as_deref())?;
    let memory = plan.memory.unwrap_or(usize::MAX) / 4;
    let mut file = RowFile::new(output, plan.layout, Records::Names, PAIR.get(), memory)?;
    let space = Space::new(Arc::clone(&disk), plan.temporary.clone());
    let mut work =
        ListMerge { plan, space, pool: Pool::new(PAIR), lines: 0, letters: [None, None] };
    let width = plan.width.unwrap_or_else(descriptors).max(2);
    let mut inputs: Vec<Input> = plan.lists.iter().cloned().map(Input::List).collect();
    while inputs.len() > width {
        let first = usize::from(plan.operation == Operation::Difference);
        let operation = match plan.operation {
            Operation::Difference => Operation::Union,
            other => other,
        };
        // Those that come first are the lists; runs are kept for last.
        let group: Vec<Input> = inputs.drain(first..first + width).collect();
        inputs.push(Input::Run(work.reduce(operation, &group)?));
    }
    let mut piece = work.open(plan.operation, &inputs)?;
    let written = work.pool.run(|together| write(&mut file, &mut piece, together))??;
    let (given, repeats) = (piece.given, piece.repeats);
    work.close(piece.merge.sources())?;
    Mismatch::unless_equal("found", given, "written", written)?;
    if plan.operation == Operation::Union && inputs.len() == plan.lists.len() {
        Mismatch::unless_equal("lines", work.lines, "written and repeated", written + repeats)?;
    }
    work.pool.run(|together| file.finish(together))??.finish()?;
    Ok(Figures { lines: work.lines, written, spilled_bytes: work.space.written() })
}

/// Writes what `piece` gives, and returns the names that were written.
fn write(file: &mut RowFile, piece: &mut OperationMerge<'_>, together: bool) -> Result<u64, Error> {
    if file.is_plain() {
        let mut written = 0;
        part_by_part(together, piece, Vec::new, |text: &mut Vec<u8>| {
            // Not what was found but what is written: a name has one line.
            written += memchr::memchr_iter(b'\n', text).count() as u64;
            file.text(text, together)
        })?;
        return Ok(written);
    }
    let (form, records) = (file.form(), file.records().clone());
    let new = || RowBuffer::new(form, &records);
    part_by_part(together, piece, new, |rows: &mut RowBuffer| file.write(rows, together))?;
    Ok(file.rows())
}

/// As many lists may be open at once.
fn descriptors() -> usize {
    memory::descriptors().map_or(256, |most| most.saturating_sub(RESERVED as u64) as usize)
}

/// What is merged.
enum Input {
    List(PathBuf),
    Run(Run),
}

/// What is read.
enum Names<'a> {
    List(List),
    Run(Reader<'a>),
}

impl Source for Names<'_> {
    type Error = Error;

    #[inline]
    fn advance(&mut self) -> Result<bool, Error> {
        match self {
            Names::List(list) => Ok(list.advance()?),
            Names::Run(run) => Ok(run.advance()?),
        }
    }

    #[inline]
    fn name(&self) -> &[u8] {
        match self {
            Names::List(list) => list.name(),
            Names::Run(run) => run.name(),
        }
    }

    #[inline]
    fn shared(&self) -> usize {
        match self {
            Names::List(list) => list.shared(),
            Names::Run(run) => run.shared(),
        }
    }
}

/// A merge on its way.
struct ListMerge<'a> {
    plan: &'a Plan,
    space: Space,
    /// One thread merges, the other writes.
    pool: Pool,
    lines: u64,
    /// The first lists with capital and with small letters.
    letters: [Option<PathBuf>; 2],
}

const ALL: Range = Range { from: None, to: None };

impl ListMerge<'_> {
    fn open<'r>(
        &self,
        operation: Operation,
        inputs: &'r [Input],
    ) -> Result<OperationMerge<'r>, Error> {
        let share = self.plan.memory.unwrap_or(usize::MAX) / 2 / inputs.len().max(1);
        let buffer = share.clamp(64 * 1024, READ);
        let open = |input: &'r Input| match input {
            Input::List(path) => Ok(Names::List(List::open(path, buffer)?)),
            Input::Run(run) => Ok(Names::Run(Reader::new(run, &ALL, buffer))),
        };
        let mut sources: Vec<_> = inputs.iter().map(open).collect::<Result<_, ListError>>()?;
        if operation == Operation::Difference {
            // Equal names come in the order of sources: when that of the first list comes,
            // it is known whether any other has it.
            sources.rotate_left(1);
        }
        let all = sources.len();
        let merge = Merge::new(sources)?;
        Ok(OperationMerge { merge, operation, all, seen: 0, last: 0, given: 0, repeats: 0 })
    }

    /// Makes one run of several inputs.
    fn reduce(&mut self, operation: Operation, inputs: &[Input]) -> Result<Run, Error> {
        let mut piece = self.open(operation, inputs)?;
        // A folder that is full cannot be changed for the next: lists are read once.
        let mut writer = self.space.begin(0)?;
        let write = |blocks: &mut Encoder| Ok(writer.append(blocks)?);
        self.pool.run(|together| part_by_part(together, &mut piece, Default::default, write))??;
        let run = writer.finish()?;
        self.close(piece.merge.sources())?;
        Ok(run)
    }

    /// Adds up what was seen in lists that were read to their ends.
    fn close(&mut self, sources: &[Names<'_>]) -> Result<(), Error> {
        for source in sources {
            let Names::List(list) = source else { continue };
            self.lines += list.lines();
            let letters = list.letters();
            for (seen, first) in [letters.upper, letters.lower].into_iter().zip(&mut self.letters) {
                if seen {
                    first.get_or_insert_with(|| list.path().to_path_buf());
                }
            }
        }
        match &self.letters {
            [Some(upper), Some(lower)] => {
                Err(Error::MixedCase { upper: upper.clone(), lower: lower.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Sources from which an operation takes its names.
struct OperationMerge<'a> {
    merge: Merge<Names<'a>>,
    operation: Operation,
    /// Sources.
    all: usize,
    /// Sources that have the name, and the last of them.
    seen: usize,
    last: usize,
    given: u64,
    repeats: u64,
}

impl OperationMerge<'_> {
    /// Goes to the next name of the answer; false at the end.
    fn advance(&mut self) -> Result<bool, Error> {
        while let Some(head) = self.merge.advance()? {
            if !head.is_repeat {
                self.seen = 1;
            } else if head.source != self.last {
                self.seen += 1;
            }
            let is_new_source = !head.is_repeat || head.source != self.last;
            self.last = head.source;
            self.repeats += u64::from(head.is_repeat);
            let is_found = match self.operation {
                Operation::Union => !head.is_repeat,
                Operation::Intersection => is_new_source && self.seen == self.all,
                Operation::Difference => !head.is_repeat && head.source + 1 == self.all,
            };
            if is_found {
                self.given += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<O: NameBuffer> OrderedTask<O> for OperationMerge<'_> {
    fn fill(&mut self, out: &mut O) -> Result<bool, Error> {
        out.clear();
        let mut ended = false;
        while out.len() < BUFFER && !ended {
            match self.advance()? {
                true => out.push(self.merge.name()),
                false => ended = true,
            }
        }
        out.close();
        Ok(ended)
    }
}
