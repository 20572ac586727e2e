//! The plan of a scan, and its report.

use super::gate::{GateOutcome, Gates, Refusal};
use super::rows::digest::Digest;
use super::silent::Silent;
use super::state::store::{StateReport, Store, Trust};
use crate::figures::{InputStats, Stats};
use crate::output::Layout;
use doiscan_core::format::Format;
use doiscan_input::problem::{Omitted, Problem};
use doiscan_input::{Io, LeftOut, Limits, NameList, Select};
use doiscan_os::cancel::Cancel;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Default chunk size. The table shows seconds for 3.4 GB of prose with few DOIs and for 0.5 GB of
/// dense CSV, on two cores with a warm page cache, best of four:
///
/// | chunk | prose mapped | prose read | CSV mapped | CSV read |
/// |---|---|---|---|---|
/// | 256 KiB | 0.39 | 0.35 | 1.02 | 0.97 |
/// | 1 MiB | 0.32 | 0.32 | 0.99 | 0.84 |
/// | 2 MiB | 0.31 | 0.33 | 0.83 | 0.88 |
/// | 4 MiB | 0.31 | 0.34 | 0.81 | 0.82 |
/// | 16 MiB | 0.31 | 0.40 | 0.85 | 0.87 |
pub const CHUNK: NonZeroUsize = NonZeroUsize::new(2 * 1024 * 1024).expect("not zero");

/// Maximum number of inputs that a report lists individually: more than anyone reads in one JSON
/// object.
pub(super) const INPUTS: u64 = 10_000;

/// A file of rows that accompanies the list. With [`OutputFormat::Lines`](crate::OutputFormat::Lines),
/// only the first column is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideFile {
    /// The file.
    pub path: PathBuf,
    /// The format of its rows.
    pub layout: Layout,
}

impl SideFile {
    /// The file `path` with rows of this format.
    pub fn new(path: impl Into<PathBuf>, layout: Layout) -> SideFile {
        SideFile { path: path.into(), layout }
    }
}

/// The settings for the state kept between runs.
#[derive(Clone, Debug)]
pub struct StatePlan {
    /// The store that holds the state.
    pub store: Arc<dyn Store>,
    /// How unchanged inputs are recognised.
    pub trust: Trust,
    /// How often the state is saved while inputs are read.
    pub checkpoint: Duration,
    /// The file for names added since the last good run.
    pub added: Option<SideFile>,
    /// The file for removed names.
    pub removed: Option<SideFile>,
    /// The version of the recognition rules, in any notation.
    pub rules: String,
}

/// All settings of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Files, folders, and `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// Files that name more inputs.
    pub lists: Vec<NameList>,
    /// The output file, or standard output if `None`.
    pub output: Option<PathBuf>,
    /// The format of the list.
    pub layout: Layout,
    /// Whether the list includes, for each DOI, the number of occurrences, the number of inputs,
    /// and the first position. [`OutputFormat::Lines`](crate::OutputFormat::Lines) writes only the names.
    pub counts: bool,
    /// The file for all accepted occurrences.
    pub hits: Option<SideFile>,
    /// The file for all rejected candidates.
    pub rejects: Option<SideFile>,
    /// Whether the report lists the figures of each input, if there are at most 10,000.
    pub per_input: bool,
    /// The file for the figures of each input, without a limit on their number. The report then
    /// does not list them.
    pub stats_inputs: Option<SideFile>,
    /// Whether the report includes a digest: examples, prefixes and repeats.
    pub digest: bool,
    /// Maximum number of threads. Defaults to one for each core.
    pub threads: Option<NonZeroUsize>,
    /// How regular files are read.
    pub io: Io,
    /// Options of the scanner.
    pub scan: doiscan_core::scan::Options,
    /// The notation of the inputs.
    pub format: Format,
    /// The only columns to search, by name or by number from 1. If empty, everything is searched.
    pub columns: Vec<String>,
    /// Whether names are written and sorted in lower case.
    pub lower: bool,
    /// The file for shortDOIs. They are searched only if it is set.
    pub short_doi: Option<PathBuf>,
    /// The file for EIDRs. They are searched only if it is set.
    pub eidr: Option<SideFile>,
    /// Memory limit in bytes for everything that grows with the input, mainly names. Names beyond
    /// it are sorted and spilled. Without a limit, everything is held in memory.
    pub memory: Option<usize>,
    /// Folders for spilled names, used in turn. The files in them are anonymous.
    pub temporary: Vec<PathBuf>,
    /// Bytes of input that a worker takes at a time, if memory allows.
    pub chunk: NonZeroUsize,
    /// The part of each file to scan, in bytes of the file, for engines that distribute the parts
    /// of a file over machines. Positions of a text, members of an archive and row groups of a
    /// Parquet file belong to the part in which they start, so parts that cover a file without
    /// overlap give together the results of a whole scan. Other inputs are scanned completely. Only
    /// the part that starts at 0 counts the input.
    pub part: Option<Range<u64>>,
    /// Limits on decompressed data.
    pub limits: Limits,
    /// Which files in folders are inputs.
    pub select: Select,
    /// The conditions for putting the list in place.
    pub gates: Gates,
    /// The gates of the caller.
    pub judge: Option<GateJudge>,
    /// The state that remembers inputs between runs.
    pub state: Option<StatePlan>,
    /// Cancels the run.
    pub cancel: Cancel,
}

impl Plan {
    /// A run over `inputs`, with default settings.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Plan {
        Plan { inputs: inputs.into_iter().map(Into::into).collect(), ..Plan::default() }
    }

    /// Whether there is a digest, for the report or for the state.
    pub(super) fn keeps_digest(&self) -> bool {
        self.digest || self.state.is_some()
    }

    /// Whether the figures of each of this many inputs are reported.
    pub(super) fn reports_inputs(&self, count: u64) -> bool {
        self.stats_inputs.is_some() || self.per_input && count <= INPUTS
    }

    /// The files for names that were added and removed.
    pub(super) fn change_files(&self) -> [Option<&SideFile>; 2] {
        let state = self.state.as_ref();
        [state.and_then(|s| s.added.as_ref()), state.and_then(|s| s.removed.as_ref())]
    }
}

/// No inputs, and default settings.
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
            scan: doiscan_core::scan::Options::default(),
            format: Format::Auto,
            columns: Vec::new(),
            lower: false,
            short_doi: None,
            eidr: None,
            memory: None,
            temporary: Vec::new(),
            chunk: CHUNK,
            part: None,
            limits: Limits::default(),
            select: Select::default(),
            gates: Gates::default(),
            judge: None,
            state: None,
            cancel: Cancel::default(),
        }
    }
}

/// The report of a completed run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The figures.
    pub stats: Stats,
    /// Inputs that could not be read completely, sorted by path.
    pub problems: Vec<Problem>,
    /// The figures of each input, sorted by name, if the plan asks for them and there are not too
    /// many.
    pub inputs: Option<Vec<InputStats>>,
    /// Problems omitted from `problems`, if there are very many.
    pub omitted: Option<Omitted>,
    /// Files in folders that were not used as inputs.
    pub left_out: LeftOut,
    /// Documents, such as Word files, in which no DOI was found.
    pub silent: Vec<Silent>,
    /// Why the list was not put in place. An old list stays unchanged.
    pub refusal: Option<Refusal>,
    /// Why the list would have been refused if the plan did not accept it.
    pub accepted: Option<Refusal>,
    /// Why the files that a gate refused could not be kept beside their targets.
    pub unkept: Option<String>,
    /// The results of the caller's gates.
    pub gates: Vec<GateOutcome>,
    /// Examples, prefixes and repeats, if the plan asks for them.
    pub digest: Option<Digest>,
    /// The report of the state, if the run has one.
    pub state: Option<StateReport>,
}

/// Evaluates the caller's gates when all figures of a run are known, before the list is put in
/// place.
#[derive(Clone)]
pub struct GateJudge(Arc<Evaluate>);

type Evaluate = dyn Fn(&Report) -> Vec<GateOutcome> + Send + Sync;

impl GateJudge {
    /// Creates a judge that calls `evaluate` once, at the end of a run.
    pub fn new(evaluate: impl Fn(&Report) -> Vec<GateOutcome> + Send + Sync + 'static) -> Self {
        GateJudge(Arc::new(evaluate))
    }

    pub(super) fn evaluate(&self, report: &Report) -> Vec<GateOutcome> {
        (self.0)(report)
    }
}

impl fmt::Debug for GateJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}

/// A report file that is written with the list.
#[derive(Clone, Copy)]
pub struct ReportFile<'a> {
    /// The setting that names it, for messages, such as `--stats`.
    pub flag: &'a str,
    /// Its path, if the file is wanted. A state stores the text in any case.
    pub path: Option<&'a Path>,
    /// Returns its text.
    pub text: &'a dyn Fn(&Report) -> String,
}
