//! The catalogue of a state: a file of JSON lines, which is read from its begin and replaced as a whole.
//!
//! The first line is the [`Head`]. Lines of runs and inputs follow. The last line has the
//! checksum of all lines before it. docs/state.md describes the fields for users.

use super::data::{Bytes, FileState, Name};
use super::details::Encoded;
use super::files::{CATALOGUE, NEW};
use crate::error::Error;
use crate::plan::kind::Kind;
use crate::plan::remember::Segment;
use doiscan_os::disk::Disk;
use doiscan_os::files::careful;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use tempfile::TempPath;
use twox_hash::XxHash3_128;

/// The version of the format.
pub(super) const VERSION: u32 = 5;

/// How the last line begins.
const END: &[u8] = b"{\"type\":\"end\"";

/// Bytes that are read or written at once.
const BLOCK: usize = 256 * 1024;

/// What a state knows as a run begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Begun {
    /// Number of the run.
    pub run: i64,
    pub head: Head,
    /// Why all inputs are read.
    pub again: Option<&'static &'static str>,
    /// The names of the options that differ from those of the last run.
    pub differing: Vec<String>,
    /// Whether there is a good run whose list can be compared.
    pub has_good: bool,
    /// The list that the last good run put in place. None if it was standard output.
    pub last_list: Option<PathBuf>,
    /// A note for the user.
    pub note: Option<String>,
}

/// A line, but for the last.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Line {
    State(Head),
    Run(PastRun),
    Input(Box<InputLine>),
}

/// The version of the format, which the first line has in every version.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// What a state knows besides its runs and inputs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Head {
    pub version: u32,
    /// The options that affect the answer, and the version of the rules.
    pub options: BTreeMap<String, String>,
    /// The kind of records of the list and the case of its names.
    pub list: String,
    /// The last good run, if its inputs can be compared, and whether its names can be too.
    pub good: Option<i64>,
    pub has_names: bool,
    pub next_source: u32,
    pub next_segment: u64,
    pub segments: Vec<SegmentLine>,
    /// The further names of inputs, in the last run and in the last good run, as
    /// [`name_hash`](super::data::name_hash).
    pub other_names: Vec<u64>,
    pub good_other_names: Vec<u64>,
    /// The files with names added and removed that runs wrote, the last ones last, as
    /// [`written_hash`](super::data::written_hash).
    pub written: Vec<u64>,
}

/// A [`Segment`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SegmentLine {
    number: u64,
    kind: String,
    records: u64,
    bytes: u64,
}

impl From<&Segment> for SegmentLine {
    fn from(segment: &Segment) -> Self {
        let Segment { number, kind, records, bytes } = *segment;
        SegmentLine { number, kind: kind.row().name.to_owned(), records, bytes }
    }
}

impl Head {
    pub(super) fn segments(&self) -> Vec<Segment> {
        let segment = |line: &SegmentLine| {
            let kind = Kind::ALL.into_iter().find(|kind| kind.row().name == line.kind)?;
            let SegmentLine { number, records, bytes, .. } = *line;
            Some(Segment { number, kind, records, bytes })
        };
        self.segments.iter().filter_map(segment).collect()
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
    /// The record of the run, as JSON.
    pub record: String,
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
    pub(super) file: Option<FileState>,
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
    pub file: Option<FileState>,
    /// XXH3 of the content, if contents are compared.
    pub hash: Option<Bytes>,
    /// Whether an unchanged file can be skipped.
    pub trusted: bool,
    /// Number carried by its records. None if the input is gone.
    pub source: Option<u32>,
    /// The same in the last good run, if it was part of that run, and if it was read since then.
    pub good: Option<u32>,
    pub details: Encoded,
    /// Figures. `before` is `accepted` in the last good run.
    pub bytes: Option<u64>,
    pub accepted: Option<u64>,
    pub before: Option<u64>,
    pub rejected: Option<u64>,
    pub seconds: Option<f64>,
    pub distinct_dois: Option<u64>,
    pub distinct_short_dois: Option<u64>,
    /// The part that was not read, and why.
    pub problem: Option<String>,
}

impl InputLine {
    /// Whether the last good run had this version.
    fn is_in(&self, head: &Head) -> bool {
        head.good.is_some_and(|good| self.run <= good)
    }

    /// Number carried by its records in the last good run.
    pub(super) fn good(&self, head: &Head) -> Option<u32> {
        if self.is_in(head) { self.source } else { self.good }
    }

    /// The names in it, repeats included, in the last good run.
    pub(super) fn before(&self, head: &Head) -> Option<u64> {
        if self.is_in(head) { self.accepted } else { self.before }
    }
}

/// Why a catalogue could not be read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// The catalogue has a newer version of the format.
    Newer(u32),
    /// The catalogue is not what was written.
    Damaged(String),
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Io(error)
    }
}

/// The lines of a catalogue but those of inputs, which are many.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalogue {
    pub head: Head,
    pub runs: Vec<PastRun>,
}

/// Calls `each` with every line but the last, and checks that all are what was written.
fn each_line(folder: &Path, each: &mut dyn FnMut(&[u8])) -> Result<(), ReadError> {
    let damaged = |what: &str| Err(ReadError::Damaged(what.to_owned()));
    let mut file = BufReader::with_capacity(BLOCK, careful().open(folder.join(CATALOGUE))?);
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

/// Whether a line is that of an input.
fn is_input(line: &[u8]) -> bool {
    line.starts_with(b"{\"type\":\"input\"")
}

impl Catalogue {
    /// Reads the catalogue in `folder` and checks all of it. None if there is no such file.
    pub(super) fn read(folder: &Path) -> Result<Option<Catalogue>, ReadError> {
        let (mut found, mut wrong) = (Catalogue::default(), None);
        let read = each_line(folder, &mut |line| {
            if is_input(line) {
                return;
            }
            match serde_json::from_slice(line) {
                Ok(Line::State(head)) => found.head = head,
                Ok(Line::Run(run)) => found.runs.push(run),
                Ok(Line::Input(_)) => {}
                Err(error) => {
                    wrong = Some(error.to_string());
                    // The fields of a newer version may be others.
                    if let Ok(Version { version }) = serde_json::from_slice(line) {
                        found.head.version = version;
                    }
                }
            }
        });
        match read {
            Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
            result => result?,
        }
        match (found.head.version, wrong) {
            (VERSION, None) => Ok(Some(found)),
            (version, _) if version > VERSION => Err(ReadError::Newer(version)),
            (version, wrong) => Err(ReadError::Damaged(
                wrong.unwrap_or_else(|| format!("it has version {version}")),
            )),
        }
    }

    /// Calls `each` with every input of the catalogue in `folder`.
    pub(super) fn each_input(
        folder: &Path,
        each: &mut dyn FnMut(InputLine),
    ) -> Result<(), ReadError> {
        let mut wrong = None;
        each_line(folder, &mut |line| {
            if is_input(line) {
                match serde_json::from_slice(line) {
                    Ok(Line::Input(input)) => each(*input),
                    Ok(_) => {}
                    Err(error) => wrong = Some(error.to_string()),
                }
            }
        })?;
        wrong.map_or(Ok(()), |what| Err(ReadError::Damaged(what)))
    }

    /// The last good run, or that before the run number `before`. Runs that wrote a file come before others.
    pub(super) fn last_good(&self, before: i64) -> Option<&PastRun> {
        let good = self.runs.iter().filter(|run| run.id < before && run.is_good());
        good.max_by_key(|run| (run.list.is_some(), run.id))
    }

    /// Ends the last run, whose list was put in place if `is_good`. Returns whether it is the last good run:
    /// if one before wrote a file, a list on standard output does not take its place.
    pub(super) fn end(&mut self, is_good: bool) -> bool {
        let had_list = self.last_good(i64::MAX).is_some_and(|run| run.list.is_some());
        let Some(run) = self.runs.last_mut() else { return false };
        let outcome = match (is_good, run.outcome.as_str()) {
            (false, _) => "failed",
            (true, "accepting") => "accepted",
            (true, _) => "passed",
        };
        run.outcome = outcome.to_owned();
        let is_last = is_good && (run.list.is_some() || !had_list);
        if is_last {
            (self.head.good, self.head.has_names) = (Some(run.id), true);
            self.head.good_other_names.clone_from(&self.head.other_names);
        }
        is_last
    }

    /// Ends the last run if it was killed before its end: it was good if its list is in place.
    pub(super) fn end_killed(&mut self) {
        let Some(run) = self.runs.last_mut() else { return };
        if !["publishing", "accepting"].contains(&run.outcome.as_str()) {
            return;
        }
        let is_in_place = run.list.as_ref().is_some_and(|list| {
            let found = std::fs::metadata(&list.path.0);
            let found = found.ok().map(|meta| FileState::at(&list.path.0, &meta));
            found.zip(list.file).is_some_and(|(found, file)| found.is_list(file))
        });
        match is_in_place {
            true => drop(self.end(true)),
            false => run.outcome = "interrupted".to_owned(),
        }
    }

    /// Begins to write a catalogue with these lines, which the lines of inputs follow.
    pub(super) fn write<'a>(
        &self,
        disk: &'a dyn Disk,
        folder: &'a Path,
    ) -> Result<Writer<'a>, Error> {
        let mut writer = Writer::new(disk, folder)?;
        writer.line(&Line::State(Head { version: VERSION, ..self.head.clone() }))?;
        self.runs.iter().try_for_each(|run| writer.line(&Line::Run(run.clone())))?;
        Ok(writer)
    }

    /// Replaces all lines but those of inputs.
    pub(super) fn replace(&self, disk: &dyn Disk, folder: &Path) -> Result<(), Error> {
        let (mut writer, mut written) = (self.write(disk, folder)?, Ok(()));
        let copied = each_line(folder, &mut |line| {
            if is_input(line) && written.is_ok() {
                written = writer.push(line);
            }
        });
        copied.map_err(|error| failed(folder, &error))?;
        written?;
        writer.finish()
    }
}

/// An error of reading a catalogue that was sound before.
pub(super) fn failed(folder: &Path, error: &ReadError) -> Error {
    let what = match error {
        ReadError::Newer(version) => format!("it has version {version}"),
        ReadError::Damaged(what) => format!("is damaged ({what})"),
        ReadError::Io(error) => error.to_string(),
    };
    Error::state(format!("{}: {what}", folder.join(CATALOGUE).display()))
}

/// A catalogue that is being written beside the one that it replaces.
pub(super) struct Writer<'a> {
    disk: &'a dyn Disk,
    folder: &'a Path,
    file: File,
    path: TempPath,
    buffer: Vec<u8>,
    hash: XxHash3_128,
}

impl<'a> Writer<'a> {
    fn new(disk: &'a dyn Disk, folder: &'a Path) -> Result<Self, Error> {
        let path = folder.join(NEW);
        // A run that was killed may have left it.
        let _ = disk.remove(&path);
        let fail = |error: io::Error| cannot(folder, &error);
        let file = disk.create(&path).map_err(fail)?;
        let (path, buffer) =
            (TempPath::try_from_path(path).map_err(fail)?, Vec::with_capacity(BLOCK));
        Ok(Writer { disk, folder, file, path, buffer, hash: XxHash3_128::new() })
    }

    pub(super) fn line(&mut self, line: &Line) -> Result<(), Error> {
        let fail = |error: serde_json::Error| cannot(self.folder, &error.into());
        let mut text = serde_json::to_vec(line).map_err(fail)?;
        text.push(b'\n');
        self.push(&text)
    }

    fn push(&mut self, line: &[u8]) -> Result<(), Error> {
        self.hash.write(line);
        self.buffer.extend_from_slice(line);
        if self.buffer.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let written = self.disk.write(&self.file, &self.buffer);
        self.buffer.clear();
        written.map_err(|error| cannot(self.folder, &error))
    }

    /// Puts the catalogue in place.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.buffer.extend(last_line(&self.hash));
        self.flush()?;
        let Writer { disk, folder, file, path, .. } = self;
        let synced = disk.sync(&file);
        drop(file);
        let placed = synced.and_then(|()| disk.rename(path, &folder.join(CATALOGUE)));
        let placed = placed.and_then(|()| disk.sync_folder(folder));
        placed.map_err(|error| cannot(folder, &error))
    }
}

fn cannot(folder: &Path, error: &io::Error) -> Error {
    Error::state(format!("cannot write {}: {error}", folder.join(CATALOGUE).display()))
}
