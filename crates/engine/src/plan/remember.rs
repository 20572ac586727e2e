//! What a run knows of a state. Everything else about states is in `state`.

use super::kind::Kind;
use super::report::{Changes, Report, StateReport};
use crate::error::Error;
use crate::figures::{Cause, Counts};
use crate::reading::InputReading;
use doiscan_input::Units;
use doiscan_input::problem::{Problem, Problems};
use doiscan_os::disk::Disk;
use doiscan_sets::collect::run::{Run, Space};
use doiscan_sets::dedup::filter::Filters;
use doiscan_sets::pool::Pool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Remembers the inputs of a run for the next one.
pub trait State: Debug + Send + Sync {
    /// The folder of the state. Its files are not inputs.
    fn folder(&self) -> &Path;

    /// Whether a run with this state wrote the file at `path` as it is: the names that were added or removed.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be read.
    fn has_written(&self, path: &Path) -> Result<bool, Error>;

    /// Begins a run.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be read or written.
    fn begin<'a>(&'a self, start: Start<'a>) -> Result<Box<dyn StateRun + 'a>, Error>;

    /// Lists what a run would read, and writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be read.
    fn look(&self, start: &Start<'_>) -> Result<DryRun, Error>;
}

/// What a run with a state begins with.
pub struct Start<'a> {
    /// The inputs.
    pub units: &'a Units,
    /// The threads of the run.
    pub pool: &'a Pool,
    /// Where files are written.
    pub disk: &'a Arc<dyn Disk>,
    /// The settings that affect what is found in an input, with their values.
    pub settings: Vec<(&'static str, String)>,
    /// The kinds of records to remember. The first is that of the list.
    pub kinds: Vec<Kind>,
    /// Whether names are in lower case.
    pub is_lower: bool,
    /// The list that the run may replace.
    pub list: Option<&'a Path>,
    /// Folders for temporary files.
    pub temporary: &'a [PathBuf],
}

/// A run with a state. Its methods are called in this order.
pub trait StateRun: Sync {
    /// The bytes of inputs that are not read.
    fn skipped_bytes(&self) -> u64;

    /// Where the records of a kind are kept, and the records of earlier runs.
    fn segments(&self, kind: Kind) -> (Space, Vec<Run>);

    /// Begins to read the input number `place` of those to read. Returns its index among all
    /// inputs, or `None` after the last.
    fn read(&self, place: usize) -> Option<(usize, Arc<InputReading>)>;

    /// Notes that all pieces of an input were read.
    fn done(&self, reading: &InputReading);

    /// Takes over all `segments` after all inputs were read. Returns what is known of the inputs.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be written.
    fn all_done(&self, segments: Result<Vec<Segment>, Error>) -> Result<Remembered, Error>;

    /// Which of the records of a kind count.
    fn filters(&self, kind: Kind) -> Arc<dyn Filters>;

    /// The report on the state. `changes` are the numbers of names added and removed.
    fn report(&self, changes: Changes<u64>) -> StateReport;

    /// Writes the new state before the files of the run are put in place. Uses `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    fn prepare(&self, ending: &Ending<'_>, memory: usize) -> Result<(), Error>;

    /// Replaces the old state by the new one, after the files were put in place.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be replaced. The next run does it.
    fn close(&self) -> Result<(), Error>;
}

/// Records of one kind in a file of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Number of the segment, part of its file name.
    pub number: u64,
    /// Kind of its records.
    pub kind: Kind,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Checksum of its records.
    pub checksum: u64,
}

impl Segment {
    /// The segment that a run is, if it is one.
    pub fn of(kind: Kind, run: &Run) -> Option<Segment> {
        let (bytes, checksum) = (run.file_bytes(), run.checksum());
        run.segment().map(|number| Segment { number, kind, bytes, checksum })
    }
}

/// What a state knows of the inputs of a run.
#[derive(Debug, Default)]
pub struct Remembered {
    /// The counts of inputs that were not read.
    pub skipped: Counts,
    /// The problems of all inputs.
    pub problems: Problems,
    /// The inputs that may be silent, and whether a DOI was found in each.
    pub suspects: Vec<(Cause, PathBuf, bool)>,
    /// The number of each input with members, and their names.
    pub sources: Vec<(u32, Vec<Vec<u8>>)>,
}

/// What a state stores about the end of a run.
#[derive(Clone, Debug)]
pub struct Ending<'a> {
    /// The figures.
    pub report: &'a Report,
    /// The record of the run with its digest, as JSON.
    pub record: &'a str,
    /// The registrants of names added and removed, with their numbers.
    pub prefixes: Changes<&'a BTreeMap<Vec<u8>, u64>>,
    /// The path of the list, and the file that is about to replace it. None for standard output and other
    /// files that are written as they are; an object has no file.
    pub list: Option<(&'a Path, Option<Metadata>)>,
    /// The files with names added and removed, and their hashes.
    pub written: &'a [(PathBuf, [u8; 16])],
}

/// What a run would read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRun {
    /// Inputs to read, sorted by path, with the reason and the size in bytes.
    pub to_read: Vec<(PathBuf, &'static str, u64)>,
    /// Remembered inputs that no longer exist.
    pub gone: Vec<PathBuf>,
    /// Number of inputs that would be skipped.
    pub skipped: u64,
    /// Their bytes.
    pub skipped_bytes: u64,
    /// Inputs that cannot be listed.
    pub problems: Vec<Problem>,
}
