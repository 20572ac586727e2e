//! Opens a state: its folder, its lock and its catalogue.

use super::catalogue::{Catalogue, OpenError, is_damage};
use super::files::{self, BESIDE, CATALOGUE, Found, SEGMENTS};
use super::lock::Lock;
use super::schema;
use crate::plan::remember::{Ending, Segment};
use crate::state::data::{Beginning, Begun, KnownInput, StateUpdate, StoreError};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A state locked by this process.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: Option<Lock>,
    catalogue: Mutex<Catalogue>,
    note: Option<String>,
}

impl Store {
    /// Opens the state in `folder` and creates the folder if it does not exist. A damaged catalogue
    /// is set aside.
    ///
    /// # Errors
    ///
    /// When the folder holds anything but a state, when another process holds the lock, when a
    /// newer version wrote the catalogue, or when the files cannot be read or written.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let fail = |what: String| StoreError(format!("state {}: {what}", folder.display()));
        files::inspect(folder)?;
        let cannot = |e| fail(format!("cannot create the folder: {e}"));
        fs::create_dir_all(folder).map_err(cannot)?;
        let lock = Lock::take(folder)?;
        fs::create_dir_all(folder.join(SEGMENTS)).map_err(cannot)?;
        let path = folder.join(CATALOGUE);
        let (catalogue, note) = match Catalogue::open(&path) {
            Err(OpenError::Damaged(what)) => {
                set_aside(&path).map_err(|e| fail(format!("cannot set {CATALOGUE} aside: {e}")))?;
                let note = format!(
                    "{} is damaged ({what}) and was renamed to {CATALOGUE}.damaged; \
                     every input is read again",
                    path.display()
                );
                (Catalogue::open(&path), Some(note))
            }
            result => (result, None),
        };
        let catalogue = Mutex::new(catalogue.map_err(|error| refused(folder, error))?);
        Ok(Store { folder: folder.to_path_buf(), _lock: Some(lock), catalogue, note })
    }

    /// Opens the state in `folder`, if there is one, and writes nothing.
    ///
    /// # Errors
    ///
    /// See [`Store::open`]. A damaged catalogue is an error too.
    pub fn open_to_look(folder: &Path) -> Result<Option<Store>, StoreError> {
        let path = folder.join(CATALOGUE);
        let has_catalogue = || path.metadata().is_ok_and(|meta| meta.len() > 0);
        if files::inspect(folder)? == Found::Nothing || !has_catalogue() {
            return Ok(None);
        }
        let lock = Lock::hold(folder)?;
        let catalogue = Catalogue::open_to_look(&path).map_err(|error| refused(folder, error))?;
        let (folder, catalogue) = (folder.to_path_buf(), Mutex::new(catalogue));
        Ok(Some(Store { folder, _lock: lock, catalogue, note: None }))
    }

    /// Returns the record of the newest run that passed its gates or was accepted, as JSON.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn last_passed(&self) -> Result<Option<String>, StoreError> {
        self.catalogue().last_passed().map_err(|e| self.failed(&e))
    }

    /// The folder of the state.
    pub(in crate::state) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the recorded state without beginning a run.
    pub(in crate::state) fn look(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError> {
        let begun = self.catalogue().look(beginning).map_err(|e| self.failed(&e))?;
        Ok(Begun { note: self.note.clone(), ..begun })
    }

    /// Begins a run.
    pub(in crate::state) fn begin(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError> {
        let begun = self.catalogue().begin(beginning).map_err(|e| self.failed(&e))?;
        Ok(Begun { note: self.note.clone(), ..begun })
    }

    /// Calls `each` for every input that is live or was part of the last good run.
    pub(in crate::state) fn each_input(
        &self,
        each: &mut dyn FnMut(KnownInput),
    ) -> Result<(), StoreError> {
        self.catalogue().each_input(each).map_err(|e| self.failed(&e))
    }

    /// Returns the folder of the segments.
    pub(in crate::state) fn segments(&self) -> PathBuf {
        self.folder.join(SEGMENTS)
    }

    /// Returns the segments.
    pub(in crate::state) fn known_segments(&self) -> Result<Vec<Segment>, StoreError> {
        self.catalogue().segments().map_err(|e| self.failed(&e))
    }

    /// Returns the size of the state in bytes.
    pub(in crate::state) fn bytes(&self) -> u64 {
        let segments = self.catalogue().segments().unwrap_or_default();
        let catalogue = fs::metadata(self.folder.join(CATALOGUE)).map_or(0, |meta| meta.len());
        catalogue + segments.iter().map(|segment| segment.bytes).sum::<u64>()
    }

    /// Applies an update.
    pub(in crate::state) fn commit(&self, step: &StateUpdate) -> Result<(), StoreError> {
        self.catalogue().commit(step).map_err(|e| self.failed(&e))
    }

    /// Stores the figures of a run before its files are put in place.
    pub(in crate::state) fn prepare(
        &self,
        run: i64,
        ending: &Ending<'_>,
    ) -> Result<(), StoreError> {
        self.catalogue().prepare(run, ending).map_err(|e| self.failed(&e))
    }

    /// Records whether the files of a run were put in place.
    pub(in crate::state) fn end(&self, run: i64, is_good: bool) -> Result<(), StoreError> {
        self.catalogue().end(run, is_good).map_err(|e| self.failed(&e))
    }

    fn catalogue(&self) -> MutexGuard<'_, Catalogue> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        let path = self.folder.join(CATALOGUE);
        if is_damage(error) && set_aside(&path).is_ok() {
            let what = "it was set aside, and the next run reads everything again";
            return StoreError(format!("{} is damaged: {error}; {what}", path.display()));
        }
        StoreError(format!("{}: {error}", path.display()))
    }
}

/// Explains why a catalogue was not opened.
fn refused(folder: &Path, error: OpenError) -> StoreError {
    let (known, folder) = (schema::VERSION, folder.display());
    StoreError(match error {
        OpenError::Newer(version) => format!(
            "state {folder}: was written by a newer doiscan: schema {version}, expected at most \
             {known}; use that version, or remove {folder} to start again"
        ),
        OpenError::Damaged(what) => format!(
            "state {folder}: {CATALOGUE} is damaged ({what}); the next run without --dry-run sets \
             it aside and reads every input"
        ),
        OpenError::Sqlite(error) => format!("state {folder}: cannot open {CATALOGUE}: {error}"),
    })
}

/// Renames an unusable catalogue and removes the files that SQLite keeps beside it.
fn set_aside(path: &Path) -> std::io::Result<()> {
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_os_string();
        name.push(suffix);
        PathBuf::from(name)
    };
    for beside in BESIDE.map(with) {
        if beside.exists() {
            fs::remove_file(beside)?;
        }
    }
    fs::rename(path, with(".damaged"))
}
