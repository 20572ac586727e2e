//! Operations on sorted lists: union, intersection, difference, and what changed. Each
//! reads its lists once, in their order, and holds a buffer for each.

use super::page::{BUFFER, Page};
use super::wave::{Piece, in_order};
use super::{Error, open};
use crate::collect::disk::{Disk, System};
use crate::collect::merge::{Merge, Source};
use crate::collect::run::{Encoder, Range, Reader, Run, Space};
use crate::input::{List, ListError, memory};
use crate::output::lines;
use crate::quality::Mismatch;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Descriptors that are not for lists: standard streams, the output and its folder, runs.
const RESERVED: usize = 12;

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
    let mut work = Work { plan, space, lines: 0, letters: [None, None] };
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
    in_order(false, 1, Some(&mut piece), |piece, text: &mut Vec<u8>| {
        written += std::mem::take(&mut piece.given);
        Ok(output.write(text)?)
    })?;
    let repeats = piece.repeats;
    work.close(&piece)?;
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
        in_order(false, 1, Some(&mut piece), |_, blocks: &mut Encoder| Ok(writer.append(blocks)?))?;
        let run = writer.finish()?;
        self.close(&piece)?;
        Ok(run)
    }

    /// Adds up what was seen in lists that were read to their ends.
    fn close(&mut self, piece: &Operating<'_>) -> Result<(), Error> {
        for source in piece.merge.sources() {
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

impl<O: Page> Piece<O> for &mut Operating<'_> {
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
    let mut work = Work { plan: &plan, space, lines: 0, letters: [None, None] };
    let inputs: Vec<Input> = plan.lists.iter().cloned().map(Input::List).collect();
    let mut piece = work.open(Operation::Union, &inputs)?;
    let mut change = Change { told, found: Difference::default(), text: Vec::new() };
    // A name of the old list is told when the next shows that the new one has it not.
    let mut old_name: Option<Vec<u8>> = None;
    let mut space_for_name = Vec::new();
    while let Some(head) = piece.merge.advance()? {
        match (head.is_repeat, head.source) {
            (true, 1) => {
                if let Some(name) = old_name.take() {
                    change.found.kept += 1;
                    space_for_name = name;
                }
            }
            (true, _) => {}
            (false, source) => {
                if let Some(name) = old_name.take() {
                    change.removed(&name);
                    space_for_name = name;
                }
                if source == 1 {
                    change.added(piece.merge.name());
                } else {
                    let mut name = std::mem::take(&mut space_for_name);
                    name.clear();
                    name.extend_from_slice(piece.merge.name());
                    old_name = Some(name);
                }
            }
        }
        if change.text.len() >= BUFFER {
            output.write(&change.text)?;
            change.text.clear();
        }
    }
    if let Some(name) = old_name {
        change.removed(&name);
    }
    work.close(&piece)?;
    output.write(&change.text)?;
    output.finish()?;
    Ok(change.found)
}

/// Writes what changed.
struct Change {
    told: Told,
    found: Difference,
    text: Vec<u8>,
}

impl Change {
    fn added(&mut self, name: &[u8]) {
        self.found.added += 1;
        self.tell(name, b'+', Told::Added);
    }

    fn removed(&mut self, name: &[u8]) {
        self.found.removed += 1;
        self.tell(name, b'-', Told::Removed);
    }

    fn tell(&mut self, name: &[u8], sign: u8, what: Told) {
        if self.told == Told::Both {
            self.text.push(sign);
        }
        if self.told == Told::Both || self.told == what {
            lines(std::iter::once(name), &mut self.text);
        }
    }
}
