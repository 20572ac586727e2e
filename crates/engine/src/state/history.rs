//! Reads the history of runs from a state. Reading needs no lock and does not disturb a run in
//! progress.

use super::catalogue::{Catalogue, InputLine, PastRun, ReadError, failed};
use super::data::StoreError;
use super::files::{CATALOGUE, NEW, is_state};
use doiscan_os::paths::folder;
use std::cmp::Reverse;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The runs recorded in a state.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    catalogue: Catalogue,
}

/// The results of one input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Path.
    pub name: String,
    /// Reason why it was read, or that it is gone.
    pub change: Option<String>,
    /// Bytes scanned.
    pub bytes: Option<u64>,
    /// Number of DOIs in it, including repeats.
    pub accepted: Option<u64>,
    /// Number of DOIs found when it was last read before.
    pub before: Option<u64>,
    /// Number of rejected candidates.
    pub rejected: Option<u64>,
    /// Number of distinct DOIs, if a run without a state counted them.
    pub distinct: Option<u64>,
    /// Seconds spent on it.
    pub seconds: Option<f64>,
    /// The part that was not read, and why.
    pub problem: Option<String>,
}

/// Inputs, of which there may be more.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Number of all.
    pub count: u64,
    /// The first of them.
    pub first: Vec<Input>,
}

impl Inputs {
    /// Adds an input, and keeps the `most` with the least keys.
    fn add<K: Ord>(&mut self, input: Input, most: usize, key: impl Fn(&Input) -> K) {
        self.count += 1;
        self.first.push(input);
        if self.first.len() >= 2 * most.max(1) {
            self.keep(most, key);
        }
    }

    fn keep<K: Ord>(&mut self, most: usize, key: impl Fn(&Input) -> K) {
        self.first.sort_by_cached_key(key);
        self.first.truncate(most);
    }
}

fn by_change(input: &Input) -> impl Ord + use<> {
    let (now, before) = (input.accepted.unwrap_or(0), input.before.unwrap_or(0));
    let has_none = input.problem.is_none();
    (Reverse(now.abs_diff(before)), has_none, Reverse(input.accepted), input.name.clone())
}

fn by_accepted(input: &Input) -> impl Ord + use<> {
    (Reverse(input.accepted), input.name.clone())
}

impl History {
    /// Opens the catalogue of the state in `folder`.
    ///
    /// # Errors
    ///
    /// When there is no catalogue, when another version wrote it, or when it cannot be read.
    pub fn open(folder: &Path) -> Result<History, StoreError> {
        is_state(folder)?;
        History::read(folder.join(CATALOGUE))
    }

    /// Opens the catalogue that a run in `folder` has written beside that of the runs before it.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn of_run(folder: &Path) -> Result<History, StoreError> {
        History::read(folder.join(NEW))
    }

    fn read(path: PathBuf) -> Result<History, StoreError> {
        let catalogue = Catalogue::read(&path).map_err(|error| {
            StoreError::Failed(match error {
                ReadError::Io(e) if e.kind() == ErrorKind::NotFound => {
                    let (folder, name) = (folder(&path).display(), CATALOGUE);
                    format!("{folder} is no state, because it has no {name}; expected the DIR of doiscan scan --state DIR")
                }
                error => failed(&path, &error).to_string(),
            })
        })?;
        Ok(History { path, catalogue })
    }

    /// All runs, oldest first.
    pub fn runs(&self) -> &[PastRun] {
        &self.catalogue.runs
    }

    /// Returns the inputs that were read or missed since the last good run before `run`, up to `most` of them:
    /// those whose DOIs changed most. And the inputs of the state: those with the most DOIs, repeats included.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn inputs(&self, run: i64, most: usize) -> Result<[Inputs; 2], StoreError> {
        let last = self.catalogue.last_good(run).map_or(0, |good| good.id);
        let [mut changed, mut largest] = <[Inputs; 2]>::default();
        let read = Catalogue::each_input(&self.path, &mut |line| {
            if line.run > last && line.run <= run {
                changed.add(changed_input(&line), most, by_change);
            }
            if line.source.is_some() {
                let (bytes, accepted) = (line.bytes, line.accepted);
                let name = line.input.0.to_string_lossy().into_owned();
                let input = Input { name, bytes, accepted, ..Input::default() };
                largest.add(input, most, by_accepted);
            }
        });
        read.map_err(|error| StoreError::Failed(failed(&self.path, &error).to_string()))?;
        changed.keep(most, by_change);
        largest.keep(most, by_accepted);
        Ok([changed, largest])
    }
}

fn changed_input(line: &InputLine) -> Input {
    let change = line.change.split(':').next().map(str::to_owned);
    Input {
        name: line.input.0.to_string_lossy().into_owned(),
        change,
        bytes: line.bytes,
        accepted: line.accepted,
        before: line.before,
        rejected: line.rejected,
        seconds: line.seconds,
        problem: line.problem.clone(),
        ..Input::default()
    }
}
