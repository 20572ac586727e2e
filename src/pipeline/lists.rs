//! Operations on sorted lists: union, intersection, difference, and what changed. Each
//! reads its lists once, in their order, and holds a buffer for each.

use super::crew::Crew;
use super::page::{BUFFER, Page};
use super::wave::{Piece, part_by_part};
use super::{Error, open};
use crate::collect::disk::{Disk, System};
use crate::collect::merge::{Merge, Source};
use crate::collect::run::{Encoder, Range, Reader, Run, Space};
use crate::input::{List, ListError, memory};
use crate::output::lines;
use crate::quality::Mismatch;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
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
    let mut output = open(&disk, plan.output.as_deref())?;
    let space = Space::new(Arc::clone(&disk), plan.temporary.clone());
    let mut work = Work { plan, space, crew: Crew::new(PAIR), lines: 0, letters: [None, None] };
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
    let mut written = 0;
    let mut piece = work.open(plan.operation, &inputs)?;
    let write = |text: &mut Vec<u8>| {
        // Not what was found but what is written: a name has one line.
        written += memchr::memchr_iter(b'\n', text).count() as u64;
        Ok(output.write(text)?)
    };
    work.crew.run(|together| part_by_part(together, &mut piece, write))??;
    let (given, repeats) = (piece.given, piece.repeats);
    work.close(piece.merge.sources())?;
    Mismatch::unless_equal("found", given, "written", written)?;
    if plan.operation == Operation::Union && inputs.len() == plan.lists.len() {
        Mismatch::unless_equal("lines", work.lines, "written and repeated", written + repeats)?;
    }
    output.finish()?;
    Ok(Figures { lines: work.lines, written, spilled_bytes: work.space.written() })
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
struct Work<'a> {
    plan: &'a Plan,
    space: Space,
    /// One thread merges, the other writes.
    crew: Crew,
    lines: u64,
    /// The first lists with capital and with small letters.
    letters: [Option<PathBuf>; 2],
}

const ALL: Range = Range { from: None, to: None };

impl Work<'_> {
    fn open<'r>(&self, operation: Operation, inputs: &'r [Input]) -> Result<Operating<'r>, Error> {
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
        Ok(Operating { merge, operation, all, seen: 0, last: 0, given: 0, repeats: 0 })
    }

    /// Makes one run of several inputs.
    fn reduce(&mut self, operation: Operation, inputs: &[Input]) -> Result<Run, Error> {
        let mut piece = self.open(operation, inputs)?;
        // A folder that is full cannot be changed for the next: lists are read once.
        let mut writer = self.space.begin(0)?;
        let write = |blocks: &mut Encoder| Ok(writer.append(blocks)?);
        self.crew.run(|together| part_by_part(together, &mut piece, write))??;
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
struct Operating<'a> {
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

impl Operating<'_> {
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

impl<O: Page> Piece<O> for Operating<'_> {
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

/// What is told of two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// `+name` for what came, `-name` for what went.
    Both,
    /// The names that came.
    Added,
    /// The names that went.
    Removed,
}

/// How two lists differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Names of the new list alone.
    pub added: u64,
    /// Names of the old list alone.
    pub removed: u64,
    /// Names of both.
    pub kept: u64,
}

/// Compares two lists, and writes what came and what went, in the order of names.
///
/// # Errors
///
/// As [`merge`].
pub fn diff(
    old: &Path,
    new: &Path,
    told: Told,
    output: Option<&Path>,
) -> Result<Difference, Error> {
    let disk: Arc<dyn Disk> = Arc::new(System);
    let mut output = open(&disk, output)?;
    let plan = Plan {
        lists: vec![old.to_path_buf(), new.to_path_buf()],
        operation: Operation::Union,
        output: None,
        memory: None,
        temporary: Vec::new(),
        width: None,
    };
    let space = Space::new(disk, Vec::new());
    let mut work =
        Work { plan: &plan, space, crew: Crew::new(PAIR), lines: 0, letters: [None, None] };
    let inputs: Vec<Input> = plan.lists.iter().cloned().map(Input::List).collect();
    let piece = work.open(Operation::Union, &inputs)?;
    let merge = piece.merge;
    let mut changes =
        Changes { merge, told, found: Difference::default(), old: None, space: Vec::new() };
    let write = |text: &mut Vec<u8>| Ok(output.write(text)?);
    work.crew.run(|together| part_by_part(together, &mut changes, write))??;
    work.close(changes.merge.sources())?;
    output.finish()?;
    Ok(changes.found)
}

/// Finds what changed.
struct Changes<'a> {
    merge: Merge<Names<'a>>,
    told: Told,
    found: Difference,
    /// The last name of the old list, until the next shows whether the new one has it too.
    old: Option<Vec<u8>>,
    /// Space for it.
    space: Vec<u8>,
}

impl Changes<'_> {
    /// Goes over one name of either list; false at the end.
    fn advance(&mut self, text: &mut Vec<u8>) -> Result<bool, Error> {
        let Some(head) = self.merge.advance()? else {
            self.settle(text);
            return Ok(false);
        };
        if head.is_repeat {
            if let (1, Some(name)) = (head.source, self.old.take_if(|_| head.source == 1)) {
                self.found.kept += 1;
                self.space = name;
            }
            return Ok(true);
        }
        self.settle(text);
        if head.source == 1 {
            self.found.added += 1;
            tell(self.told, Told::Added, self.merge.name(), text);
        } else {
            let mut name = std::mem::take(&mut self.space);
            name.clear();
            name.extend_from_slice(self.merge.name());
            self.old = Some(name);
        }
        Ok(true)
    }

    /// The new list has not the last name of the old one.
    fn settle(&mut self, text: &mut Vec<u8>) {
        if let Some(name) = self.old.take() {
            self.found.removed += 1;
            tell(self.told, Told::Removed, &name, text);
            self.space = name;
        }
    }
}

impl Piece<Vec<u8>> for Changes<'_> {
    fn fill(&mut self, text: &mut Vec<u8>) -> Result<bool, Error> {
        text.clear();
        while text.len() < BUFFER {
            if !self.advance(text)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Writes one change, if it is of the kind that is told.
fn tell(told: Told, what: Told, name: &[u8], text: &mut Vec<u8>) {
    if told == Told::Both {
        text.push(if what == Told::Added { b'+' } else { b'-' });
    }
    if told == Told::Both || told == what {
        lines(std::iter::once(name), text);
    }
}
