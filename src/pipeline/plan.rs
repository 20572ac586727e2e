//! What a scan is asked to do, what it reports, and how it tells its progress.

use super::gate::{GateOutcome, Gates, Refusal};
use super::rows::digest::Digest;
use super::silent::Silent;
use super::state::store::{StateReport, Store, Trust};
use crate::format::Format;
use crate::input::{Io, LeftOut, Limits, NameList, Select};
use crate::output::Layout;
use crate::quality::{InputStats, Omitted, Problem, Stats};
use crate::sys::cancel::Cancel;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a chunk when the caller sets none. Two cores, page cache warm, best
/// of four, seconds for 3.4 GB of prose with few DOIs and for 0.5 GB of dense CSV:
///
/// | chunk | prose mapped | prose read | CSV mapped | CSV read |
/// |---|---|---|---|---|
/// | 256 KiB | 0.39 | 0.35 | 1.02 | 0.97 |
/// | 1 MiB | 0.32 | 0.32 | 0.99 | 0.84 |
/// | 2 MiB | 0.31 | 0.33 | 0.83 | 0.88 |
/// | 4 MiB | 0.31 | 0.34 | 0.81 | 0.82 |
/// | 16 MiB | 0.31 | 0.40 | 0.85 | 0.87 |
pub const CHUNK: NonZeroUsize = NonZeroUsize::new(2 * 1024 * 1024).expect("not zero");

/// The most inputs of which a report tells: more than anyone reads in one JSON object.
pub(super) const INPUTS: u64 = 10_000;

/// A file of rows that goes with the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The file.
    pub path: PathBuf,
    /// In which form its rows are written.
    pub layout: Layout,
}

/// The state of a run.
#[derive(Clone, Debug)]
pub struct StatePlan {
    /// Who keeps it.
    pub store: Arc<dyn Store>,
    /// How inputs are known again.
    pub trust: Trust,
    /// How often it is saved while inputs are read.
    pub checkpoint: Duration,
    /// The file for names that came since the last good run.
    pub added: Option<Target>,
    /// The file for names that went.
    pub removed: Option<Target>,
    /// The version of the rules, whatever it is made of.
    pub rules: String,
}

/// Everything a run needs to know.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Files, folders, and `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// Files that name more inputs.
    pub lists: Vec<NameList>,
    /// The output file; standard output when none.
    pub output: Option<PathBuf>,
    /// In which form the list is written.
    pub layout: Layout,
    /// Whether the list tells of each DOI how often it occurs, in how many inputs, and where
    /// first. Lines have no room for that.
    pub counts: bool,
    /// The file for all accepted occurrences.
    pub hits: Option<Target>,
    /// The file for all rejected candidates.
    pub rejects: Option<Target>,
    /// Whether the report tells of each input, if there are at most 10,000.
    pub per_input: bool,
    /// The file for what was seen in each input, however many there are. The report does not tell
    /// of them then.
    pub stats_inputs: Option<Target>,
    /// Whether the report has a digest: examples, prefixes, repeats.
    pub digest: bool,
    /// The most threads to use; one a core when none is given.
    pub threads: Option<NonZeroUsize>,
    /// How regular files are read.
    pub io: Io,
    /// Options of the scanner.
    pub scan: crate::scan::Options,
    /// The notation of the inputs.
    pub format: Format,
    /// Names and numbers, from 1, of the columns that alone are searched; when
    /// there are none everything is.
    pub columns: Vec<String>,
    /// Whether names are written in lower case, and sorted so.
    pub lower: bool,
    /// The file for shortDOIs, which are looked for when there is one.
    pub short_doi: Option<PathBuf>,
    /// The file for EIDRs, which are looked for when there is one.
    pub eidr: Option<Target>,
    /// Bytes of memory for all that grows with the input, the names above all; what does
    /// not fit is sorted and spilled. Without a limit everything is held.
    pub memory: Option<usize>,
    /// Folders for what is spilled, used in turn. Nothing in them has a name.
    pub temporary: Vec<PathBuf>,
    /// Bytes of input a worker takes at a time, if memory allows.
    pub chunk: NonZeroUsize,
    /// How much may be unpacked.
    pub limits: Limits,
    /// Which of the files in folders are inputs.
    pub select: Select,
    /// What the list must satisfy to be put in place.
    pub gates: Gates,
    /// Gates of the caller.
    pub judge: Option<Judge>,
    /// What is remembered of the inputs from run to run.
    pub state: Option<StatePlan>,
    /// Ends the run before its time.
    pub cancel: Cancel,
}

impl Plan {
    /// The files of rows that go with the list.
    pub(super) fn row_files(&self) -> [Option<&Target>; 5] {
        let state = self.state.as_ref();
        [
            self.hits.as_ref(),
            self.rejects.as_ref(),
            self.stats_inputs.as_ref(),
            state.and_then(|state| state.added.as_ref()),
            state.and_then(|state| state.removed.as_ref()),
        ]
    }
}

/// Nothing to scan, and for everything else what is usual.
impl Default for Plan {
    fn default() -> Self {
        Plan {
            inputs: Vec::new(),
            lists: Vec::new(),
            output: None,
            layout: Layout::default(),
            counts: false,
            hits: None,
            rejects: None,
            per_input: false,
            stats_inputs: None,
            digest: false,
            threads: None,
            io: Io::READ,
            scan: crate::scan::Options::default(),
            format: Format::Auto,
            columns: Vec::new(),
            lower: false,
            short_doi: None,
            eidr: None,
            memory: None,
            temporary: Vec::new(),
            chunk: CHUNK,
            limits: Limits::default(),
            select: Select::default(),
            gates: Gates::default(),
            judge: None,
            state: None,
            cancel: Cancel::default(),
        }
    }
}

/// What a run that reached its end has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The figures.
    pub stats: Stats,
    /// Inputs that could not be read, or not to their end, in order of their paths.
    pub problems: Vec<Problem>,
    /// What was seen in each input, in the order of their names, if the plan wants it and they
    /// are not too many.
    pub inputs: Option<Vec<InputStats>>,
    /// Problems beyond those, when there are very many.
    pub omitted: Option<Omitted>,
    /// Files in folders that were no inputs.
    pub left_out: LeftOut,
    /// Documents, such as PDF files, in which no DOI was found.
    pub silent: Vec<Silent>,
    /// Why the list was not put in place. An old one is as it was.
    pub refusal: Option<Refusal>,
    /// Why it would not have been, if the plan did not accept it.
    pub accepted: Option<Refusal>,
    /// How the run fared at the gates of the caller.
    pub gates: Vec<GateOutcome>,
    /// Examples, prefixes and repeats, if the plan wants them.
    pub digest: Option<Digest>,
    /// What a state brought, if the run has one.
    pub state: Option<StateReport>,
}

/// Evaluates the caller's gates when all figures of a run are known, before the list is put in
/// place.
#[derive(Clone)]
pub struct Judge(Arc<Evaluate>);

type Evaluate = dyn Fn(&Report) -> Vec<GateOutcome> + Send + Sync;

impl Judge {
    /// A judge that calls `evaluate` once, at the end of a run.
    pub fn new(evaluate: impl Fn(&Report) -> Vec<GateOutcome> + Send + Sync + 'static) -> Self {
        Judge(Arc::new(evaluate))
    }

    pub(super) fn evaluate(&self, report: &Report) -> Vec<GateOutcome> {
        (self.0)(report)
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}

/// What tells of a run and goes with its list.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// The file, if there is to be one: a state has the text as well.
    pub path: Option<&'a Path>,
    /// Its text.
    pub text: &'a dyn Fn(&Report) -> String,
}
