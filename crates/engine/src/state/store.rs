//! Opens a state: its folder, its lock and its catalogue.

use super::catalogue::{Catalogue, InputLine, ReadError, failed};
use super::data::StoreError;
use super::files::{CATALOGUE, NEW, SEGMENTS, is_state};
use super::lock::Lock;
use crate::error::Error;
use crate::output;
use doiscan_os::lock::lock;
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A state. Whoever may change it has the lock once it is made.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Whether the state may be changed.
    is_writable: bool,
    opened: Mutex<Opened>,
}

/// The lock, the catalogue as it was found, and what to tell of it.
#[derive(Debug, Default)]
struct Opened {
    lock: Option<Lock>,
    catalogue: Catalogue,
    note: Option<String>,
}

impl Store {
    /// Opens the state in `folder`. A new one is made when a run begins: one that is refused before
    /// leaves nothing. A catalogue that is damaged or of another version is set aside.
    ///
    /// # Errors
    ///
    /// When the folder holds anything but a state, when another process holds the lock, or when the files
    /// cannot be read or written.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let opened = if is_state(folder)? { made(folder)? } else { Opened::default() };
        Ok(Store { folder: folder.to_path_buf(), is_writable: true, opened: Mutex::new(opened) })
    }

    /// Opens the state in `folder`, if there is one, and writes nothing. Needs no lock.
    ///
    /// # Errors
    ///
    /// See [`Store::open`]. A catalogue that would be set aside is an error too.
    pub fn open_to_look(folder: &Path) -> Result<Option<Store>, StoreError> {
        is_state(folder)?;
        let catalogue = match Catalogue::read(&folder.join(CATALOGUE)) {
            Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| refused(folder, &error))?,
        };
        let opened = Mutex::new(Opened { catalogue, ..Opened::default() });
        Ok(Some(Store { folder: folder.to_path_buf(), is_writable: false, opened }))
    }

    /// Returns the record of the last good run, for a run that writes `list`. If that replaces a file
    /// and the last good run wrote another, the last good run that wrote `list`.
    pub fn last_passed(&self, list: Option<&Path>) -> Option<Value> {
        let catalogue = &lock(&self.opened).catalogue;
        let last = catalogue.last_good(i64::MAX);
        let is_other = replaces_other(list, catalogue.last_list());
        let last = match list.filter(|_| is_other).map(absolute) {
            None => last,
            Some(path) => catalogue.runs.iter().rfind(|run| {
                run.is_good() && run.list.as_ref().is_some_and(|list| list.path.0 == path)
            }),
        };
        last.map(|run| run.record.clone())
    }

    /// The folder of the state.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the catalogue as a run begins, and what to tell of it. Makes a new state.
    pub(super) fn begun(&self) -> Result<(Catalogue, Option<String>), StoreError> {
        let mut opened = lock(&self.opened);
        if self.is_writable && opened.lock.is_none() {
            *opened = made(&self.folder)?;
        }
        Ok((opened.catalogue.clone(), opened.note.clone()))
    }

    /// Calls `each` with every input.
    pub(super) fn each_input(&self, each: &mut dyn FnMut(InputLine)) -> Result<(), Error> {
        let path = self.folder.join(CATALOGUE);
        match Catalogue::each_input(&path, each) {
            Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(()),
            read => read.map(drop).map_err(|error| failed(&path, &error)),
        }
    }

    /// The catalogue as it was found.
    pub(super) fn catalogue(&self) -> Catalogue {
        lock(&self.opened).catalogue.clone()
    }

    /// Returns the folder of the segments.
    pub(super) fn segments(&self) -> PathBuf {
        self.folder.join(SEGMENTS)
    }
}

/// Takes the lock of the state in `folder` and reads its catalogue. Makes the folders if they do not exist.
fn made(folder: &Path) -> Result<Opened, StoreError> {
    let fail = |what: String| StoreError::Failed(format!("state {}: {what}", folder.display()));
    let is_state = is_state(folder)?;
    let cannot = |e| fail(format!("cannot create the folder: {e}"));
    fs::create_dir_all(folder).map_err(cannot)?;
    let lock = Some(Lock::take(folder)?);
    fs::create_dir_all(folder.join(SEGMENTS)).map_err(cannot)?;
    let (path, new) = (folder.join(CATALOGUE), folder.join(NEW));
    if Catalogue::read(&new).is_ok_and(|new| new.is_in_place()) {
        // The run was killed after it had put its list in place.
        fs::rename(&new, &path).map_err(|e| fail(format!("cannot rename {NEW}: {e}")))?;
    }
    let (catalogue, note) = match Catalogue::read(&path) {
        Ok(catalogue) => (catalogue, None),
        Err(ReadError::Unusable(what)) => {
            let note = set_aside(&path, &what)
                .map_err(|e| fail(format!("cannot set {CATALOGUE} aside: {e}")))?;
            (Catalogue::default(), Some(note))
        }
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => {
            (Catalogue::default(), is_state.then(|| missing(folder)).flatten())
        }
        Err(error) => return Err(refused(folder, &error)),
    };
    Ok(Opened { lock, catalogue, note })
}

/// Tells that a state has no catalogue, unless no run has ended yet.
fn missing(folder: &Path) -> Option<String> {
    let mut segments = doiscan_os::folder::entries(&folder.join(SEGMENTS)).ok()?;
    segments.next().map(|_| {
        let path = folder.join(CATALOGUE);
        format!(
            "{} is missing; every input is read again, and the history of runs starts anew",
            path.display()
        )
    })
}

/// Explains why a catalogue was not opened.
fn refused(folder: &Path, error: &ReadError) -> StoreError {
    let next = match error {
        ReadError::Unusable(_) => {
            "; the next run without --dry-run sets it aside and reads every input"
        }
        ReadError::Io(_) => "",
    };
    StoreError::Failed(format!("state {}: {CATALOGUE} {error}{next}", folder.display()))
}

/// Renames an unusable catalogue, to a name that no file has. Returns a note for the user.
fn set_aside(path: &Path, what: &str) -> std::io::Result<String> {
    let names = (1..).map(|number| format!("{CATALOGUE}.old-{number}"));
    let mut free = names.filter(|name| path.with_file_name(name).symlink_metadata().is_err());
    let name = free.next().unwrap_or_default();
    fs::rename(path, path.with_file_name(&name))?;
    Ok(format!("{} {what} and was renamed to {name}; every input is read again", path.display()))
}

/// The name of a list in the catalogue.
pub(super) fn absolute(path: &Path) -> PathBuf {
    match doiscan_input::address(path) {
        Some(_) => path.to_path_buf(),
        None => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
    }
}

/// Whether there is a file at `list`, and the last good run put another in place.
pub(super) fn replaces_other(list: Option<&Path>, last: Option<&Path>) -> bool {
    let list = list.filter(|path| !output::is_stdout(path) && output::is_there(path));
    list.zip(last)
        .is_some_and(|(list, last)| absolute(list) != last && !output::is_same_file(list, last))
}
