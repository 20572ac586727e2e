//! Locks a state. The operating system releases the lock when the process ends, however it ends.

use super::data::StoreError;
use super::files::{LOCK, MARK};
use doiscan_os::files::careful;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
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
        let state = format!("state {}:", folder.display());
        let fail = |action: &str, error: std::io::Error| {
            StoreError::Failed(format!("{state} cannot {action} its lock file: {error}"))
        };
        let mut options = careful();
        options.write(true).create(true).truncate(false);
        let mut file = options.open(folder.join(LOCK)).map_err(|error| fail("open", error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(fail("lock", error)),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim_start_matches(MARK).trim().parse::<u32>() {
                    Ok(process) => format!("process {process}"),
                    Err(_) => "another process".to_owned(),
                };
                let what = format!("in use by {holder}; no file was written; wait until it ends");
                return Err(StoreError::InUse(format!("{state} {what}")));
            }
        }
        // Overwritten in place: the mark is there at any time.
        let text = format!("{MARK}{}\n", std::process::id());
        let written = file.rewind().and_then(|()| file.write_all(text.as_bytes()));
        let written = written.and_then(|()| file.set_len(text.len() as u64));
        written.map_err(|error| fail("write", error))?;
        Ok(Lock { _file: file })
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
        drop(lock);
        Lock::take(folder.path()).expect("free again");
        assert!(Lock::take(&folder.path().join("none")).is_err());
    }
}
