//! Opens a state: its folder, its lock and its catalogue.

use super::catalogue::{Catalogue, OpenError, is_damage};
use super::files::{self, BESIDE, CATALOGUE, Found, SEGMENTS};
use super::lock::Lock;
use super::schema;
use crate::state::data::{Begun, StoreError};
use doiscan_os::lock::lock;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A state locked by this process.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Whether the state may be changed.
    is_writable: bool,
    /// Whoever may write has it, once the state is made.
    lock: Mutex<Option<Lock>>,
    catalogue: Mutex<Catalogue>,
    /// Why the catalogue was set aside before the run.
    note: Mutex<Option<String>>,
    /// Why it was set aside since then. Until it is renewed, no catalogue is open.
    lost: Mutex<Option<String>>,
}

impl Store {
    /// Opens the state in `folder`. A new one is made when a run begins: one that is refused before
    /// leaves nothing. A damaged catalogue is set aside.
    ///
    /// # Errors
    ///
    /// When the folder holds anything but a state, when another process holds the lock, when a
    /// newer version wrote the catalogue, or when the files cannot be read or written.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let found = match files::inspect(folder)? {
            Found::State => made(folder)?,
            Found::Nothing => {
                let catalogue = Catalogue::open(Path::new(":memory:"));
                (None, catalogue.map_err(|error| refused(folder, error))?, None)
            }
        };
        Ok(Store::of(folder, true, found))
    }

    fn of(folder: &Path, is_writable: bool, (lock, catalogue, note): Opened) -> Store {
        let (folder, lost) = (folder.to_path_buf(), Mutex::default());
        let (lock, catalogue, note) = (Mutex::new(lock), Mutex::new(catalogue), Mutex::new(note));
        Store { folder, is_writable, lock, catalogue, note, lost }
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
        Ok(Some(Store::of(folder, false, (lock, catalogue, None))))
    }

    /// Returns the record of the last good run as JSON, for a run that writes `list`. If that replaces a file
    /// and the last good run wrote another, the last good run that wrote `list`.
    ///
    /// # Errors
    ///
    /// When the catalogue cannot be read.
    pub fn last_passed(&self, list: Option<&Path>) -> Result<Option<String>, StoreError> {
        self.catalogue(|catalogue| catalogue.last_passed(list))
    }

    /// The folder of the state.
    pub(in crate::state) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns what the catalogue knows as a run begins, and why it was set aside if it was. Makes a new state.
    pub(in crate::state) fn begun(
        &self,
        begin: impl FnOnce(&mut Catalogue) -> rusqlite::Result<Begun>,
    ) -> Result<Begun, StoreError> {
        let mut held = lock(&self.lock);
        if self.is_writable && held.is_none() {
            (*held, *lock(&self.catalogue), *lock(&self.note)) = made(&self.folder)?;
        }
        Ok(Begun { note: lock(&self.note).clone(), ..self.catalogue(begin)? })
    }

    /// Returns the folder of the segments.
    pub(in crate::state) fn segments(&self) -> PathBuf {
        self.folder.join(SEGMENTS)
    }

    /// Returns the size of the state in bytes.
    pub(in crate::state) fn bytes(&self) -> u64 {
        let segments = self.catalogue(|catalogue| catalogue.segments()).unwrap_or_default();
        let catalogue = fs::metadata(self.folder.join(CATALOGUE)).map_or(0, |meta| meta.len());
        catalogue + segments.iter().map(|segment| segment.bytes).sum::<u64>()
    }

    /// Reads or changes the catalogue.
    pub(in crate::state) fn catalogue<T>(
        &self,
        work: impl FnOnce(&mut Catalogue) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut catalogue = lock(&self.catalogue);
        work(&mut catalogue).map_err(|e| self.failed(&mut catalogue, &e))
    }

    /// Makes a catalogue in place of one that was set aside since the run began, if any.
    pub(in crate::state) fn renew(&self) -> Result<bool, StoreError> {
        let Some(note) = lock(&self.lost).take() else { return Ok(false) };
        let catalogue = Catalogue::open(&self.folder.join(CATALOGUE));
        *lock(&self.catalogue) = catalogue.map_err(|error| refused(&self.folder, error))?;
        *lock(&self.note) = Some(note);
        Ok(true)
    }

    /// Closes a catalogue that a statement finds damaged, and sets it aside. Opening it does not find
    /// all damage: to look up each row in each index takes long.
    fn failed(&self, catalogue: &mut Catalogue, error: &rusqlite::Error) -> StoreError {
        let path = self.folder.join(CATALOGUE);
        if !self.is_writable && is_damage(error) {
            return refused(&self.folder, OpenError::Damaged(error.to_string()));
        }
        let mut lost = lock(&self.lost);
        if lost.is_none() && is_damage(error) {
            // Windows renames no file that SQLite has open.
            catalogue.close();
            *lost = set_aside(&path, &error.to_string()).ok();
        }
        StoreError::Failed(lost.clone().unwrap_or_else(|| format!("{}: {error}", path.display())))
    }
}

/// The lock, the catalogue, and why one was set aside.
type Opened = (Option<Lock>, Catalogue, Option<String>);

/// Takes the lock of the state in `folder` and opens its catalogue, which are made if they do not exist.
fn made(folder: &Path) -> Result<Opened, StoreError> {
    let fail = |what: String| StoreError::Failed(format!("state {}: {what}", folder.display()));
    let is_state = files::inspect(folder)? == Found::State;
    let cannot = |e| fail(format!("cannot create the folder: {e}"));
    fs::create_dir_all(folder).map_err(cannot)?;
    let lock = Lock::take(folder)?;
    fs::create_dir_all(folder.join(SEGMENTS)).map_err(cannot)?;
    let path = folder.join(CATALOGUE);
    let is_missing = is_state && !path.exists();
    let (catalogue, note) = match Catalogue::open(&path) {
        Err(OpenError::Damaged(what)) => {
            let note = set_aside(&path, &what)
                .map_err(|e| fail(format!("cannot set {CATALOGUE} aside: {e}")))?;
            (Catalogue::open(&path), Some(note))
        }
        result => (result, is_missing.then(|| missing(&path))),
    };
    Ok((Some(lock), catalogue.map_err(|error| refused(folder, error))?, note))
}

/// Tells that a state has lost its catalogue.
fn missing(path: &Path) -> String {
    let path = path.display();
    format!("{path} is missing; every input is read again, and the history of runs starts anew")
}

/// Explains why a catalogue was not opened.
fn refused(folder: &Path, error: OpenError) -> StoreError {
    let (known, folder) = (schema::VERSION, folder.display());
    StoreError::Failed(match error {
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

/// Renames an unusable catalogue, to a name that no file has, and removes the files that SQLite keeps
/// beside it. Returns a note for the user.
fn set_aside(path: &Path, what: &str) -> std::io::Result<String> {
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
    let names = std::iter::once(".damaged".to_owned());
    let mut names = names.chain((2..).map(|number| format!(".damaged-{number}")));
    let name = names.find(|name| with(name).symlink_metadata().is_err()).unwrap_or_default();
    fs::rename(path, with(&name))?;
    Ok(format!(
        "{} is damaged ({what}) and was renamed to {CATALOGUE}{name}; every input is read again",
        path.display()
    ))
}
