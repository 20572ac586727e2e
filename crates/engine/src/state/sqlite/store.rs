//! Opens a state: its folder, its lock and its catalogue.

use super::catalogue::{Catalogue, OpenError, is_damage};
use super::lock::Lock;
use super::schema;
use crate::state::store::{
    Beginning, Begun, Ending, KnownInput, Segment, StateUpdate, Store, StoreError,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// File name of the catalogue.
pub(super) const CATALOGUE: &str = "doiscan.db";

/// A state locked by this process.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    _lock: Lock,
    catalogue: Mutex<Catalogue>,
    note: Option<String>,
}

impl State {
    /// Opens the state in `folder` and creates the folder if it does not exist. A damaged catalogue
    /// is set aside.
    ///
    /// # Errors
    ///
    /// When another process holds the lock, when a newer version wrote the catalogue, or when the
    /// files cannot be read or written.
    pub fn open(folder: &Path) -> Result<State, StoreError> {
        let fail = |what: String| StoreError(format!("state {}: {what}", folder.display()));
        fs::create_dir_all(folder.join("segments"))
            .map_err(|e| fail(format!("cannot create the folder: {e}")))?;
        let lock = Lock::take(folder)?;
        let path = folder.join(CATALOGUE);
        let (catalogue, note) = match Catalogue::open(&path) {
            Err(OpenError::Sqlite(error)) if is_damage(&error) => {
                set_aside(&path).map_err(|e| fail(format!("cannot set {CATALOGUE} aside: {e}")))?;
                let note = format!(
                    "{} is damaged ({error}) and was renamed to {CATALOGUE}.damaged",
                    path.display()
                );
                (Catalogue::open(&path), Some(note))
            }
            result => (result, None),
        };
        let catalogue = catalogue.map_err(|error| match error {
            OpenError::Newer(version) => {
                let known = schema::VERSION;
                let what = format!("was written by a newer doiscan: schema {version}");
                fail(format!("{what}, expected at most {known}"))
            }
            OpenError::Sqlite(error) => fail(format!("cannot open {CATALOGUE}: {error}")),
        })?;
        let (folder, catalogue) = (folder.to_path_buf(), Mutex::new(catalogue));
        Ok(State { folder, _lock: lock, catalogue, note })
    }

    /// Returns the record of the newest run that passed its gates or was accepted, as JSON.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn last_passed(&self) -> Result<Option<String>, StoreError> {
        self.catalogue().last_passed().map_err(|e| self.failed(&e))
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

/// Renames an unusable catalogue and removes the files that SQLite keeps beside it.
fn set_aside(path: &Path) -> std::io::Result<()> {
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_os_string();
        name.push(suffix);
        PathBuf::from(name)
    };
    for beside in ["-journal", "-wal", "-shm"].map(with) {
        if beside.exists() {
            fs::remove_file(beside)?;
        }
    }
    fs::rename(path, with(".damaged"))
}

impl Store for State {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn look(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError> {
        let begun = self.catalogue().look(beginning).map_err(|e| self.failed(&e))?;
        Ok(Begun { note: self.note.clone(), ..begun })
    }

    fn begin(&self, beginning: &Beginning<'_>) -> Result<Begun, StoreError> {
        let begun = self.catalogue().begin(beginning).map_err(|e| self.failed(&e))?;
        Ok(Begun { note: self.note.clone(), ..begun })
    }

    fn each_input(&self, each: &mut dyn FnMut(KnownInput)) -> Result<(), StoreError> {
        self.catalogue().each_input(each).map_err(|e| self.failed(&e))
    }

    fn known_segments(&self) -> Result<Vec<Segment>, StoreError> {
        self.catalogue().segments().map_err(|e| self.failed(&e))
    }

    fn bytes(&self) -> u64 {
        let segments = self.catalogue().segments().unwrap_or_default();
        let catalogue = fs::metadata(self.folder.join(CATALOGUE)).map_or(0, |meta| meta.len());
        catalogue + segments.iter().map(|segment| segment.bytes).sum::<u64>()
    }

    fn commit(&self, step: &StateUpdate) -> Result<(), StoreError> {
        self.catalogue().commit(step).map_err(|e| self.failed(&e))
    }

    fn prepare(&self, ending: &Ending) -> Result<(), StoreError> {
        self.catalogue().prepare(ending).map_err(|e| self.failed(&e))
    }

    fn end(&self, run: i64, is_good: bool) -> Result<(), StoreError> {
        self.catalogue().end(run, is_good).map_err(|e| self.failed(&e))
    }
}
