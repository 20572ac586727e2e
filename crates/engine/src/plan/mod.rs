//! The plan of a scan: all settings, the table of its outputs, the checks, and the report.

pub(super) mod check;
pub(super) mod kind;
pub(super) mod outputs;
pub(super) mod remember;
pub(super) mod report;

use crate::gate::Gates;
use crate::output::Layout;
use doiscan_core::format::Format;
use doiscan_input::{Io, Limits, NameList, Select};
use doiscan_os::cancel::Cancel;
use remember::State;
use report::GateJudge;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

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

/// The state of a run, and the outputs that need one.
#[derive(Clone, Debug)]
pub struct StatePlan {
    /// Remembers the inputs.
    pub state: Arc<dyn State>,
    /// The file for names added since the last good run.
    pub added: Option<SideFile>,
    /// The file for removed names.
    pub removed: Option<SideFile>,
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

    /// The settings that affect what is found in an input, with their values. A state reads inputs
    /// again if one differs.
    pub(super) fn affecting(&self) -> Vec<(&'static str, String)> {
        // No `..`: whoever adds a field decides here whether it affects what is remembered of an
        // input.
        let Plan {
            scan,
            format,
            columns,
            limits,
            lower,
            counts,
            hits,
            rejects,
            short_doi,
            // Which inputs there are, and how they are read.
            inputs: _,
            lists: _,
            select: _,
            threads: _,
            io: _,
            memory: _,
            temporary: _,
            chunk: _,
            cancel: _,
            // What is written of that which is remembered.
            output: _,
            layout: _,
            per_input: _,
            stats_inputs: _,
            digest: _,
            gates: _,
            judge: _,
            state: _,
            // Refused with a state, or set only by engines that have none.
            eidr: _,
            part: _,
        } = self;
        vec![
            ("scan", format!("{scan:?}")),
            ("format", format!("{format:?}")),
            ("columns", format!("{columns:?}")),
            ("limits", format!("{limits:?}")),
            ("lower", lower.to_string()),
            ("counts", counts.to_string()),
            ("hits", hits.is_some().to_string()),
            ("rejects", rejects.is_some().to_string()),
            ("short_doi", short_doi.is_some().to_string()),
        ]
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
