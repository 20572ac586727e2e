//! Locks a state. The operating system releases the lock when the process ends, however it ends.

use crate::state::store::StoreError;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A lock held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the state in `folder`.
    ///
    /// # Errors
    ///
    /// When another process holds the lock, with the ID of that process, or when the file cannot be
    /// opened.
    pub(super) fn take(folder: &Path) -> Result<Lock, StoreError> {
        let path = folder.join("lock");
        let fail = |what: String| StoreError(format!("state {}: {what}", folder.display()));
        let cannot = |e: std::io::Error| match e.raw_os_error() {
            Some(code) if code == Errno::LOOP.raw_os_error() => {
                fail(format!("its lock file {} is a symbolic link; remove it", path.display()))
            }
            _ => fail(format!("cannot open its lock file: {e}")),
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        // The process ID is written into the file, so a link could overwrite any file of the user.
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let mut file = options.open(&path).map_err(cannot)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim().parse::<u32>() {
                    Ok(process) => format!("process {process}"),
                    Err(_) => "another process".to_owned(),
                };
                return Err(fail(format!("in use by {holder}; wait until it ends")));
            }
            Err(error) => return Err(fail(format!("cannot be locked: {error}"))),
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        write(&mut file).map_err(|e| fail(format!("cannot write its lock file: {e}")))?;
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
