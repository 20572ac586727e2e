//! The catalogue of a state: a file of JSON lines, which is read from its begin and replaced as a whole.
//!
//! The last line has the checksum of all lines before it. docs/state.md describes the fields for users.

use super::data::Name;
use super::files::{CATALOGUE, NEW};
use crate::error::Error;
use crate::plan::remember::Segment;
use doiscan_input::Identity;
use doiscan_os::disk::Disk;
use doiscan_os::files::careful;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use tempfile::TempPath;
use twox_hash::XxHash3_128;

/// The version of the format.
const VERSION: u32 = 8;

/// How the last line begins.
const END: &[u8] = b"{\"type\":\"end\"";

/// Bytes that are read or written at once.
const BLOCK: usize = 256 * 1024;

/// A line, but for the last.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Line {
    State(Head),
    Run(PastRun),
    Input(Box<InputLine>),
}

/// What a state knows besides its runs and inputs. Of several lines, the last counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub version: u32,
    /// The options that affect the answer, and the version of the rules.
    pub options: BTreeMap<String, String>,
    /// The kind of records of the list and the case of its names. Lists can be compared if these
    /// are equal, even when other options differ.
    pub list: String,
    /// The last good run, if its inputs can be compared, and whether its names can be too.
    pub good: Option<i64>,
    pub has_names: bool,
    pub next_source: u32,
    pub next_segment: u64,
    pub segments: Vec<Segment>,
    /// The files with names added and removed that runs wrote, the last ones last, as
    /// [`written_hash`](super::data::written_hash).
    pub written: Vec<u64>,
}

impl Default for Head {
    fn default() -> Self {
        Head {
            version: VERSION,
            options: BTreeMap::new(),
            list: String::new(),
            good: None,
            has_names: false,
            next_source: 1,
            next_segment: 1,
            segments: Vec::new(),
            written: Vec::new(),
        }
    }
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PastRun {
    /// Number of the run.
    #[serde(rename = "run")]
    pub id: i64,
    /// Start time, RFC 3339.
    pub started: String,
    /// End time, RFC 3339.
    pub finished: String,
    /// Version of the program.
    pub version: String,
    /// Outcome, one of the values in docs/state.md.
    pub outcome: String,
    /// The list, if it is a file or an object.
    pub list: Option<ListLine>,
    /// The prefixes with most names added and removed.
    pub changes: Vec<PrefixChange>,
    /// The record of the run.
    pub record: Value,
}

impl PastRun {
    pub(super) fn is_good(&self) -> bool {
        ["passed", "accepted"].contains(&self.outcome.as_str())
    }
}

/// A list that a run put in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListLine {
    pub(super) path: Name,
    pub(super) file: Option<Identity>,
}

/// Names of a registrant prefix that were added and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixChange {
    /// The prefix.
    pub prefix: String,
    /// Number of names added.
    pub added: u64,
    /// Number of names removed.
    pub removed: u64,
}

/// An input: the last version that was read, or that it is gone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct InputLine {
    pub input: Name,
    /// The run that read it or found it gone, and why.
    pub run: i64,
    pub change: String,
    /// State of the file when it was listed. None for a stream.
    pub file: Option<Identity>,
    /// XXH3 of the content, if contents are compared.
    pub hash: Option<[u8; 16]>,
    /// Whether an unchanged file can be skipped.
    pub trusted: bool,
    /// Number carried by its records. None if the input is gone.
    pub source: Option<u32>,
    /// The same in the last good run, if it was part of that run, and if it was read since then.
    pub good: Option<u32>,
    /// Figures. `before` is `accepted` in the last good run.
    pub bytes: Option<u64>,
    pub accepted: Option<u64>,
    pub before: Option<u64>,
    pub rejected: Option<u64>,
    pub seconds: Option<f64>,
    /// The part that was not read, and why.
    pub problem: Option<String>,
    /// See [`encode`](super::details::encode).
    pub details: Value,
}

impl InputLine {
    /// Notes its figures in the last good run, which may have had this version.
    pub(super) fn resolve(&mut self, head: &Head) {
        if head.good.is_some_and(|good| self.run <= good) {
            (self.good, self.before) = (self.source, self.accepted);
        }
    }
}

/// Why a catalogue could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// It is damaged, or another version wrote it.
    #[error("{0}")]
    Unusable(String),
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// The lines of a catalogue but those of inputs, which are many.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalogue {
    pub head: Head,
    pub runs: Vec<PastRun>,
}

/// Calls `each` with every line but the last, and checks that all are what was written.
fn each_line(path: &Path, each: &mut dyn FnMut(&[u8])) -> Result<(), ReadError> {
    let damaged = |what: &str| Err(ReadError::Unusable(format!("is damaged ({what})")));
    let mut file = BufReader::with_capacity(BLOCK, careful().open(path)?);
    let (mut line, mut hash) = (Vec::new(), XxHash3_128::new());
    loop {
        line.clear();
        file.read_until(b'\n', &mut line)?;
        match line.as_slice() {
            [] => return damaged("it ends early"),
            end if end.starts_with(END) => {
                let is_sound = end == last_line(&hash) && file.fill_buf()?.is_empty();
                return if is_sound { Ok(()) } else { damaged("its checksum differs") };
            }
            line => {
                hash.write(line);
                each(line);
            }
        }
    }
}

/// The line that ends a catalogue whose other lines have this hash.
fn last_line(hash: &XxHash3_128) -> Vec<u8> {
    let end = String::from_utf8_lossy(END);
    format!("{end},\"checksum\":\"{:032x}\"}}\n", hash.finish_128()).into_bytes()
}

impl Catalogue {
    /// Reads the catalogue at `path` and checks all of it.
    pub(super) fn read(path: &Path) -> Result<Catalogue, ReadError> {
        Catalogue::parsed(path, &mut |_| Ok(()))
    }

    /// Like [`Catalogue::read`], and calls `each` with every input.
    pub(super) fn each_input(
        path: &Path,
        each: &mut dyn FnMut(InputLine),
    ) -> Result<Catalogue, ReadError> {
        Catalogue::parsed(path, &mut |line| serde_json::from_slice(line).map(&mut *each))
    }

    fn parsed(
        path: &Path,
        input: &mut dyn FnMut(&[u8]) -> serde_json::Result<()>,
    ) -> Result<Catalogue, ReadError> {
        let (mut found, mut wrong) = (Catalogue::default(), None);
        let read = each_line(path, &mut |line| {
            let parsed = if line.starts_with(b"{\"type\":\"input\"") {
                input(line)
            } else {
                serde_json::from_slice(line).map(|line| match line {
                    Line::State(head) => found.head = head,
                    Line::Run(run) => found.runs.push(run),
                    Line::Input(_) => {}
                })
            };
            wrong = wrong.take().or(parsed.err());
        });
        read?;
        let is_other = wrong.is_some() || found.head.version != VERSION;
        let what = "was made by another version of doiscan";
        if is_other { Err(ReadError::Unusable(what.to_owned())) } else { Ok(found) }
    }

    /// Number of the run that follows.
    pub(super) fn next_run(&self) -> i64 {
        self.runs.last().map_or(1, |run| run.id + 1)
    }

    /// The last good run, or that before the run number `before`. Runs that wrote a file come before others.
    pub(super) fn last_good(&self, before: i64) -> Option<&PastRun> {
        let good = self.runs.iter().filter(|run| run.id < before && run.is_good());
        good.max_by_key(|run| (run.list.is_some(), run.id))
    }

    /// The list that the last good run put in place. None if it was standard output.
    pub(super) fn last_list(&self) -> Option<&Path> {
        Some(&self.last_good(i64::MAX)?.list.as_ref()?.path.0)
    }

    /// Adds a run. It is the last good one if its list is about to be put in place. If one before wrote a file, a
    /// list on standard output does not take its place. Returns whether it is.
    pub(super) fn add(&mut self, run: PastRun) -> bool {
        let is_last = run.is_good() && (run.list.is_some() || self.last_list().is_none());
        if is_last {
            (self.head.good, self.head.has_names) = (Some(run.id), true);
        }
        self.runs.push(run);
        is_last
    }

    /// Whether the list of the last run is in place.
    pub(super) fn is_in_place(&self) -> bool {
        let key = |file: Identity| (file.file(), file.size, file.mtime);
        let list = self.runs.last().and_then(|run| run.list.as_ref());
        list.is_some_and(|list| {
            let found = std::fs::metadata(&list.path.0).ok();
            let found = found.map(|meta| key(Identity::at(&list.path.0, &meta)));
            found.is_some() && found == list.file.map(key)
        })
    }

    /// Writes these lines.
    pub(super) fn write(&self, to: &mut Writer<'_>) -> Result<(), Error> {
        to.line(&Line::State(self.head.clone()))?;
        self.runs.iter().try_for_each(|run| to.line(&Line::Run(run.clone())))
    }
}

/// Names the catalogue at `path` in an error.
pub(super) fn failed(path: &Path, error: &ReadError) -> Error {
    Error::state(format!("{} {error}", path.display()))
}

/// A catalogue that is being written beside the one that it replaces.
pub(super) struct Writer<'a> {
    disk: &'a dyn Disk,
    folder: &'a Path,
    file: File,
    buffer: Vec<u8>,
    hash: XxHash3_128,
}

impl<'a> Writer<'a> {
    pub(super) fn new(disk: &'a dyn Disk, folder: &'a Path) -> Result<Self, Error> {
        let path = folder.join(NEW);
        // A run that was killed may have left it.
        let _ = disk.remove(&path);
        let file = disk.create(&path).map_err(|error| cannot(folder, &error))?;
        Ok(Writer { disk, folder, file, buffer: Vec::new(), hash: XxHash3_128::new() })
    }

    pub(super) fn line(&mut self, line: &Line) -> Result<(), Error> {
        let fail = |error: serde_json::Error| cannot(self.folder, &error.into());
        let mut text = serde_json::to_vec(line).map_err(fail)?;
        text.push(b'\n');
        self.hash.write(&text);
        self.buffer.extend(text);
        if self.buffer.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let written = self.disk.write(&self.file, &self.buffer);
        self.buffer.clear();
        written.map_err(|error| cannot(self.folder, &error))
    }

    /// Completes the new catalogue, which [`replace`] puts in place.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.buffer.extend(last_line(&self.hash));
        self.flush()?;
        let synced = self.disk.sync(&self.file);
        synced.map_err(|error| cannot(self.folder, &error))
    }
}

/// Replaces the catalogue in `folder` by the new one. If this fails, the next run does it.
pub(super) fn replace(disk: &dyn Disk, folder: &Path) -> Result<(), Error> {
    let mut new = TempPath::try_from_path(folder.join(NEW)).map_err(|e| cannot(folder, &e))?;
    new.disable_cleanup(true);
    let placed = disk.rename(new, &folder.join(CATALOGUE));
    let placed = placed.and_then(|()| disk.sync_folder(folder));
    placed.map_err(|error| cannot(folder, &error))
}

fn cannot(folder: &Path, error: &io::Error) -> Error {
    Error::state(format!("cannot write {}: {error}", folder.join(CATALOGUE).display()))
}
