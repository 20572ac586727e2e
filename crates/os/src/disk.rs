//! The system calls that create, write and rename files. A trait lets a test make the n-th call
//! fail.
#![expect(clippy::disallowed_methods, reason = "the calls themselves")]

use crate::system::files as system;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// The file operations used by the program.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Called before each call of the system, with its name. Fails if the call must not be made.
    fn before(&self, call: &'static str) -> io::Result<()> {
        let _ = call;
        Ok(())
    }

    /// Creates an anonymous file that is removed with its last handle: `O_TMPFILE`, or a file that
    /// is unlinked at once if the system has none.
    fn unnamed(&self, folder: &Path) -> io::Result<File> {
        self.before("unnamed")?;
        tempfile::tempfile_in(folder)
    }

    /// Creates a file that keeps its name, for reading and writing.
    fn create(&self, path: &Path) -> io::Result<File> {
        self.before("create")?;
        create(path, None)
    }

    /// Opens an existing regular file for reading. Follows no link and does not wait for a pipe.
    fn open(&self, path: &Path) -> io::Result<File> {
        self.before("open")?;
        let file = system::careful().open(path)?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::other("not a regular file")),
        }
    }

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.before("remove")?;
        std::fs::remove_file(path)
    }

    /// Creates a file named `prefix` and six letters, with these permissions as far as the umask
    /// allows. It is removed when dropped. `announce` is called with each name before it is tried.
    fn named(
        &self,
        folder: &Path,
        prefix: &OsStr,
        mode: Option<Permissions>,
        announce: &mut dyn FnMut(&Path),
    ) -> io::Result<NamedTempFile> {
        self.before("named")?;
        tempfile::Builder::new().prefix(prefix).make_in(folder, |path| {
            announce(path);
            create(path, mode.as_ref())
        })
    }

    /// Writes all of `bytes` behind what was written before, also if the file was read meanwhile.
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        self.before("write")?;
        system::write_all(file, bytes)
    }

    /// Fills `buffer` from offset `at` of the file.
    fn read_at(&self, file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.before("read")?;
        system::read_exact_at(file, buffer, at)
    }

    /// Length of the file in bytes.
    fn len(&self, file: &File) -> io::Result<u64> {
        self.before("len")?;
        file.metadata().map(|meta| meta.len())
    }

    /// Sets the permissions of a file.
    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        self.before("permissions")?;
        file.set_permissions(permissions)
    }

    /// Syncs the file to disk.
    fn sync(&self, file: &File) -> io::Result<()> {
        self.before("sync")?;
        file.sync_all()
    }

    /// Moves a file to `target`, and removes it on failure.
    fn rename(&self, file: TempPath, target: &Path) -> io::Result<()> {
        self.before("rename")?;
        file.persist(target).map_err(|e| e.error)
    }

    /// Makes a rename durable. File systems that cannot sync a folder report "invalid argument",
    /// and then need no sync.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.before("sync folder")?;
        system::sync_folder(folder)
    }

    /// Returns when all that was written to the file system of `file` is on the disk.
    fn sync_file_system(&self, file: &File) -> io::Result<()> {
        system::sync_file_system(file)
    }
}

/// The operating system itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Disk for System {}

/// Creates a file that must not exist yet.
fn create(path: &Path, mode: Option<&Permissions>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    if let Some(mode) = mode {
        system::create_with(&mut options, mode);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_between_two_writes_does_not_move_the_second() {
        let folder = tempfile::tempdir().expect("folder");
        let file = System.unnamed(folder.path()).expect("create");
        System.write(&file, b"ab").expect("write");
        let mut found = [0; 4];
        System.read_at(&file, &mut found[..1], 0).expect("read");
        System.write(&file, b"cd").expect("write");
        System.read_at(&file, &mut found, 0).expect("read");
        assert_eq!(&found, b"abcd");
    }
}
