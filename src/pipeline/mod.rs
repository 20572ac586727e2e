//! Joins the layers: from a [`Plan`] to the list of distinct names and a
//! [`Report`]. Threads live here alone.
#![expect(clippy::disallowed_methods, reason = "this layer measures how long a run takes")]

mod ahead;
mod crew;
mod lines;
pub mod lists;
mod memory;
mod merge;
mod page;
mod publish;
mod queue;
#[cfg(feature = "parquet")]
mod rows;
mod sort;
mod spill;
mod table;
mod wave;
mod worker;

use crate::collect::disk::{Disk, System};
use crate::collect::run::{self, Space};
use crate::collect::{self, Beside, Collector};
use crate::format::{Format, Quoting};
use crate::input::{self, Io, Limits, Select, Unit};
use crate::output::{self, Output};
use crate::quality::{self, Counts, Mismatch, Problem, Stats};
use crate::scan;
use crew::Crew;
use memory::Memory;
use queue::Queue;
use spill::Spill;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;
use worker::Worker;

pub use lines::{BLOCK, LONGEST_LINE, LinePlan, LineReport, LineWork, Piece, Place, run_lines};

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

/// Inputs smaller than this in sum are scanned by one thread: starting others
/// costs more than they save.
const ALONE: u64 = 256 * 1024;

/// Everything a run needs to know.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Files, folders, and `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// The output file; standard output when none.
    pub output: Option<PathBuf>,
    /// The most threads to use; one a core when none is given.
    pub threads: Option<NonZeroUsize>,
    /// How regular files are read.
    pub io: Io,
    /// Options of the scanner.
    pub scan: scan::Options,
    /// The notation of the inputs.
    pub format: Format,
    /// Names and numbers, from 1, of the columns that alone are searched; when
    /// there are none everything is.
    pub columns: Vec<String>,
    /// Whether names are written in lower case, and sorted so.
    pub lower: bool,
    /// The file for shortDOIs, which are looked for when there is one.
    pub short_doi: Option<PathBuf>,
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
}

/// Nothing to scan, and for everything else what is usual.
impl Default for Plan {
    fn default() -> Self {
        Plan {
            inputs: Vec::new(),
            output: None,
            threads: None,
            io: Io::Auto,
            scan: scan::Options::default(),
            format: Format::Auto,
            columns: Vec::new(),
            lower: false,
            short_doi: None,
            memory: None,
            temporary: Vec::new(),
            chunk: CHUNK,
            limits: Limits::default(),
            select: Select::default(),
        }
    }
}

/// Hears how far a run is. Called from all workers.
pub trait Progress: Sync {
    /// The inputs are listed: so many bytes, packed or not, as far as sizes are known.
    fn total(&self, bytes: u64) {
        let _ = bytes;
    }
    /// So many more of these bytes are done.
    fn add(&self, bytes: u64) {
        let _ = bytes;
    }
    /// So many more DOIs are found, repeats included.
    fn found(&self, names: u64) {
        let _ = names;
    }
    /// An input, a member of an archive for example, is opened.
    fn input(&self, path: &Path) {
        let _ = path;
    }
    /// All inputs are scanned: the names are sorted and written.
    fn writing(&self) {}
}

/// For who does not want to hear.
impl Progress for () {}

/// What a run that reached its end has to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The figures.
    pub stats: Stats,
    /// Inputs that could not be read, or not to their end, in order of their paths.
    pub problems: Vec<Problem>,
}

/// A file that tells of a run and goes with its list.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a dyn Fn(&Report) -> String,
}

/// Why there is no output, or none that is whole. An old output file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody would have got the list.
    #[error("standard output is closed")]
    StdoutClosed,
    /// The output failed.
    #[error(transparent)]
    Output(#[from] output::Error),
    /// A file that goes with the list failed.
    #[error(transparent)]
    Beside(output::Error),
    /// The only input has not what it was asked for.
    #[error("{0}")]
    Misfit(Problem),
    /// A thread panicked.
    #[error("internal error: a worker failed ({0}); no output was written")]
    Worker(String),
    /// The sums do not agree.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// More than can be held.
    #[error(transparent)]
    Collect(#[from] collect::Error),
    /// A list that is merged or compared.
    #[error(transparent)]
    List(#[from] input::ListError),
    /// Lists that do not go together.
    #[error("{}: has capital letters and {} has small ones, expected lists of one case", .upper.display(), .lower.display())]
    MixedCase {
        /// The first list with capital letters.
        upper: PathBuf,
        /// The first list with small letters.
        lower: PathBuf,
    },
    /// What was spilled could not be written or read.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl Error {
    /// Whether the reader of the list went away, which is no fault.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.is_closed_pipe())
    }
}

/// Scans the inputs and writes the list.
///
/// # Errors
///
/// When there is no whole output. Inputs that fail are no error: they are in
/// the report.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<Report, Error> {
    run_with(plan, None, progress)
}

/// As [`run()`], with a record: opened before an input is read, written and on the disk
/// before the list is put in place, and put in place right after it.
///
/// # Errors
///
/// As those of [`run()`]. Only when the record is written and then cannot be put in its
/// place, the list is in its own.
pub fn run_with(
    plan: &Plan,
    record: Option<Record<'_>>,
    progress: &dyn Progress,
) -> Result<Report, Error> {
    run_on(&(Arc::new(System) as Arc<dyn Disk>), plan, record, progress)
}

/// As [`run_with`], with files written and read by `disk`.
fn run_on(
    disk: &Arc<dyn Disk>,
    plan: &Plan,
    record: Option<Record<'_>>,
    progress: &dyn Progress,
) -> Result<Report, Error> {
    let begin = Instant::now();
    // What a killed run has left is no input.
    let places = [plan.output.as_deref(), plan.short_doi.as_deref(), record.map(|r| r.path)];
    places.into_iter().flatten().for_each(output::remove_stale);
    let listing = input::list(&plan.inputs, &plan.select);
    let crew = Crew::new(threads_for(plan, &listing).min(memory::threads(plan.memory)));
    let memory = Memory::share(plan.memory, plan.chunk, crew.threads());
    let plan = &Plan { chunk: memory.chunk, ..plan.clone() };
    let probed = crew.map(&listing.found, |path| input::probe(path))?;
    let is_named_alone = plan.inputs.len() == 1 && listing.found.is_empty();
    let (units, mut problems) = input::settle(listing.units, probed);
    problems.extend(listing.problems);
    progress.total(units.iter().map(|u| u.size).sum());
    // After the inputs are listed, so that the new files are not among them.
    let mut files = Files::open(disk, plan, record)?;

    let collector = Collector::with_limit(memory.names, Beside::default());
    let space = Space::new(Arc::clone(disk), plan.temporary.clone());
    let spill = Spill::new(collector, space, crew.threads());
    let scanned = scan_all(plan, &units, &crew, &spill, progress, &mut problems)?;
    // Nothing fits: a slip in the request, which must not empty an old list.
    let is_only = |p: &Problem| is_named_alone && plan.inputs.first() == Some(&p.path);
    let is_slip = |p: &Problem| p.misfit && (is_only(p) || scanned.counts.files == 0);
    let misfit = problems.iter().find(|p| is_slip(p));
    if let Some(problem) = misfit {
        return Err(Error::Misfit(problem.clone()));
    }
    progress.writing();
    let mut stats = Stats {
        counts: scanned.counts,
        pushed: scanned.pushed,
        threads: crew.threads(),
        ..Stats::default()
    };
    publish::all(spill, memory.merge, &crew, &mut files.list, &mut stats)?;
    quality::conserved(&stats)?;
    let problems = quality::settle(problems);
    files.finish(&scanned.short, record, begin, Report { stats, problems })
}

/// The files that a run writes.
struct Files {
    list: Output,
    short: Option<Output>,
    record: Option<Output>,
}

impl Files {
    fn open(disk: &Arc<dyn Disk>, plan: &Plan, record: Option<Record<'_>>) -> Result<Self, Error> {
        let beside = |path| {
            open(disk, Some(path)).map_err(|error| match error {
                Error::Output(error) => Error::Beside(error),
                other => other,
            })
        };
        Ok(Files {
            list: open(disk, plan.output.as_deref())?,
            short: plan.short_doi.as_deref().map(beside).transpose()?,
            record: record.map(|r| beside(r.path)).transpose()?,
        })
    }

    /// All are whole and on the disk before the first is put in place.
    fn finish(
        self,
        short: &BTreeSet<Vec<u8>>,
        record: Option<Record<'_>>,
        begin: Instant,
        mut report: Report,
    ) -> Result<Report, Error> {
        let stats = &mut report.stats;
        stats.short = self.short.is_some().then_some(short.len() as u64);
        let short = self.short.map(|output| publish::short(short, output)).transpose()?;
        let list = self.list.sync()?;
        stats.output_bytes = list.bytes();
        stats.seconds = begin.elapsed().as_secs_f64();
        stats.peak_memory = input::memory::peak();
        let text = record.map(|r| (r.text)(&report)).unwrap_or_default();
        let write = |output| publish::beside(text.as_bytes(), output);
        let record = self.record.map(write).transpose()?;
        if let Some(short) = short {
            short.put_in_place().map_err(Error::Beside)?;
        }
        list.put_in_place()?;
        if let Some(record) = record {
            record.put_in_place().map_err(Error::Beside)?;
        }
        Ok(report)
    }
}

/// Opens an output, standard output when there is no path.
fn open(disk: &Arc<dyn Disk>, path: Option<&Path>) -> Result<Output, Error> {
    if path.is_none_or(output::is_stdout) && input::process::was_closed(1) {
        return Err(Error::StdoutClosed);
    }
    let disk = Arc::clone(disk);
    Ok(match path {
        Some(path) => Output::file_on(disk, path)?,
        None => Output::standard_on(disk)?,
    })
}

/// One thread for what is small and known, all of them for the rest.
fn threads_for(plan: &Plan, listing: &input::Listing) -> NonZeroUsize {
    let is_file = |u: &Unit| matches!(u.kind, input::Kind::File { .. } | input::Kind::Unsized);
    let small = listing.found.len() <= 1
        && listing.units.iter().all(is_file)
        && listing.units.iter().map(|u| u.size).sum::<u64>() <= ALONE;
    // Tests that set small chunks want to see them spread over threads.
    let alone = small && plan.chunk >= CHUNK;
    match plan.threads {
        _ if alone => NonZeroUsize::MIN,
        Some(threads) => threads,
        None => available_parallelism().unwrap_or(NonZeroUsize::MIN),
    }
}

/// What all workers found, besides the names in the collector.
#[derive(Default)]
struct Scanned {
    counts: Counts,
    pushed: u64,
    short: BTreeSet<Vec<u8>>,
}

/// Scans every unit and adds up what the workers counted.
fn scan_all(
    plan: &Plan,
    units: &[Unit],
    crew: &Crew,
    spill: &Spill,
    progress: &dyn Progress,
    problems: &mut Vec<Problem>,
) -> Result<Scanned, Error> {
    let queue = Queue::new(units, plan);
    let work = || Worker::new(plan, &queue, spill, progress, crew.threads()).run();
    let mut sum = Scanned::default();
    let mut quoting = BTreeMap::new();
    for done in crew.all(|| queue.close(), work)? {
        sum.counts += &done.counts;
        sum.pushed += done.pushed;
        sum.short.extend(done.short);
        problems.extend(done.problems);
        for (path, found) in done.quoting {
            *quoting.entry(path).or_insert_with(Quoting::default) += found;
        }
    }
    for (path, quoting) in quoting {
        // What else is wrong with the input says more.
        if problems.iter().all(|p| p.path != path) {
            problems.push(Problem::new(&path, quoting.to_string()));
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests;
