//! Locks a state. The operating system releases the lock when the process ends, however it ends.

use super::data::StoreError;
use super::files::{LOCK, MARK};
use doiscan_os::files::careful;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

/// A lock held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the state in `folder` and writes the mark of a state and the process ID.
    ///
    /// # Errors
    ///
    /// When another process holds the lock, with the ID of that process, or when the file cannot be
    /// opened.
    pub(super) fn take(folder: &Path) -> Result<Lock, StoreError> {
        let fail = |action: &str| cannot(folder, action);
        let mut options = careful();
        options.write(true).create(true).truncate(false);
        let mut file = options.open(folder.join(LOCK)).map_err(fail("open"))?;
        lock(&mut file, folder)?;
        // Overwritten in place: the mark is there at any time.
        let text = format!("{MARK}{}\n", std::process::id());
        let write = |file: &mut File| {
            file.rewind()?;
            file.write_all(text.as_bytes())?;
            file.set_len(text.len() as u64)
        };
        write(&mut file).map_err(fail("write"))?;
        Ok(Lock { _file: file })
    }

    /// Takes the lock, if the file exists, and writes nothing.
    ///
    /// # Errors
    ///
    /// See [`Lock::take`].
    pub(super) fn hold(folder: &Path) -> Result<Option<Lock>, StoreError> {
        let mut file = match careful().open(folder.join(LOCK)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(cannot(folder, "open"))?,
        };
        lock(&mut file, folder)?;
        Ok(Some(Lock { _file: file }))
    }
}

fn cannot(folder: &Path, action: &str) -> impl FnOnce(std::io::Error) -> StoreError + use<> {
    let what = format!("state {}: cannot {action} its lock file", folder.display());
    move |error| StoreError::Failed(format!("{what}: {error}"))
}

fn lock(file: &mut File, folder: &Path) -> Result<(), StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            let holder = match holder.trim_start_matches(MARK).trim().parse::<u32>() {
                Ok(process) => format!("process {process}"),
                Err(_) => "another process".to_owned(),
            };
            let what = format!("in use by {holder}; no file was written; wait until it ends");
            Err(StoreError::InUse(format!("state {}: {what}", folder.display())))
        }
        Err(TryLockError::Error(error)) => Err(cannot(folder, "lock")(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_has_it_and_a_lock_ends_with_its_holder() {
        let folder = tempfile::tempdir().expect("folder");
        let lock = Lock::take(folder.path()).expect("free");
        let error = Lock::take(folder.path()).expect_err("taken").to_string();
        assert!(error.contains(&format!("in use by process {};", std::process::id())), "{error}");
        assert!(Lock::hold(folder.path()).is_err());
        drop(lock);
        assert!(Lock::hold(folder.path()).expect("free").is_some());
        Lock::take(folder.path()).expect("free again");
        assert!(Lock::take(&folder.path().join("none")).is_err());
    }
}
