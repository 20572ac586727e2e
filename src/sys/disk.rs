//! The calls by which files are made, written and put in place: behind a trait, so
//! that a test can make the n-th of them fail.
#![expect(clippy::disallowed_methods, reason = "the calls themselves")]

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// The calls of the operating system.
pub trait Disk: Send + Sync + fmt::Debug {
    /// A file without a name, which is gone with its last user: `O_TMPFILE`, or
    /// where there is none a file that is unlinked at once.
    fn unnamed(&self, folder: &Path) -> io::Result<File> {
        tempfile::tempfile_in(folder)
    }

    /// A new file that keeps its name, to be written and read.
    fn create(&self, path: &Path) -> io::Result<File> {
        create(path, None)
    }

    /// A file that is there, to be read.
    fn open(&self, path: &Path) -> io::Result<File> {
        File::open(path)
    }

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    /// A new file `prefix` and six letters, with these permissions as far as the mask
    /// allows, removed when dropped. `announce` hears each name before it is tried.
    fn named(
        &self,
        folder: &Path,
        prefix: &OsStr,
        mode: Option<Permissions>,
        announce: &mut dyn FnMut(&Path),
    ) -> io::Result<NamedTempFile> {
        tempfile::Builder::new().prefix(prefix).make_in(folder, |path| {
            announce(path);
            create(path, mode.as_ref())
        })
    }

    /// Writes all of `bytes` behind what was written last.
    fn write(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    /// Fills `buffer` from the place `at` of the file.
    fn read_at(&self, file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
        read_exact_at(file, buffer, at)
    }

    /// Bytes of the file.
    fn len(&self, file: &File) -> io::Result<u64> {
        file.metadata().map(|meta| meta.len())
    }

    /// Sets the permissions of a file.
    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        file.set_permissions(permissions)
    }

    /// Returns when the file is on the disk.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Puts a file in the place of `target`; removes it when that fails.
    fn rename(&self, file: TempPath, target: &Path) -> io::Result<()> {
        file.persist(target).map_err(|e| e.error)
    }

    /// Makes a rename last. File systems that cannot sync a folder say so with
    /// "invalid argument", and have nothing to sync then.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        if cfg!(not(unix)) {
            return Ok(());
        }
        match File::open(folder)?.sync_all() {
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        }
    }
}

/// The operating system as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Disk for System {}

/// Makes a file that is not there yet.
fn create(path: &Path, mode: Option<&Permissions>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if let Some(mode) = mode {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(mode.mode());
    }
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    let mut got = 0;
    while got < buffer.len() {
        match file.seek_read(&mut buffer[got..], at + got as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Disks that fail, for tests.
#[cfg(all(test, unix))]
pub(crate) mod faulty {
    use super::*;
    use std::collections::HashMap;
    use std::os::unix::fs::MetadataExt;
    use std::path::PathBuf;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Counts the calls, and fails the `n`-th of them, or from the `n`-th on.
    #[derive(Debug)]
    pub(crate) struct Faulty {
        fail_at: u64,
        for_ever: bool,
        kind: io::ErrorKind,
        calls: Mutex<Vec<&'static str>>,
    }

    impl Faulty {
        /// Fails the call `fail_at`, from 0.
        pub(crate) fn new(fail_at: u64, for_ever: bool) -> Self {
            Faulty { fail_at, for_ever, kind: io::ErrorKind::Other, calls: Mutex::default() }
        }

        /// Fails it for want of space.
        pub(crate) fn full(self) -> Self {
            Faulty { kind: io::ErrorKind::StorageFull, ..self }
        }

        /// The calls until now, by name.
        pub(crate) fn calls(&self) -> Vec<&'static str> {
            self.calls.lock().expect("no panic").clone()
        }

        fn call(&self, name: &'static str) -> io::Result<()> {
            let mut calls = self.calls.lock().expect("no panic");
            let n = calls.len() as u64;
            calls.push(name);
            if n == self.fail_at || self.for_ever && n > self.fail_at {
                return Err(io::Error::new(self.kind, format!("injected fault in {name}")));
            }
            Ok(())
        }
    }

    /// Whether no name leads to the file, as to those of runs.
    fn is_unnamed(file: &File) -> io::Result<bool> {
        file.metadata().map(|meta| meta.nlink() == 0)
    }

    impl Disk for Faulty {
        fn unnamed(&self, folder: &Path) -> io::Result<File> {
            self.call("unnamed").and_then(|()| System.unnamed(folder))
        }

        fn create(&self, path: &Path) -> io::Result<File> {
            self.call("create").and_then(|()| System.create(path))
        }

        fn open(&self, path: &Path) -> io::Result<File> {
            self.call("open").and_then(|()| System.open(path))
        }

        fn remove(&self, path: &Path) -> io::Result<()> {
            self.call("remove").and_then(|()| System.remove(path))
        }

        fn named(
            &self,
            folder: &Path,
            prefix: &OsStr,
            mode: Option<Permissions>,
            announce: &mut dyn FnMut(&Path),
        ) -> io::Result<NamedTempFile> {
            self.call("named").and_then(|()| System.named(folder, prefix, mode, announce))
        }

        /// Half of the bytes are there when it fails, as on a full disk.
        fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
            let result = self.call(if is_unnamed(file)? { "write unnamed" } else { "write" });
            let written = if result.is_ok() { bytes } else { &bytes[..bytes.len() / 2] };
            System.write(file, written).and(result)
        }

        fn read_at(&self, file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
            self.call("read").and_then(|()| System.read_at(file, buffer, at))
        }

        fn len(&self, file: &File) -> io::Result<u64> {
            self.call(if is_unnamed(file)? { "len unnamed" } else { "len" })
                .and_then(|()| System.len(file))
        }

        fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
            self.call("permissions").and_then(|()| System.set_permissions(file, permissions))
        }

        fn sync(&self, file: &File) -> io::Result<()> {
            self.call("sync").and_then(|()| System.sync(file))
        }

        fn rename(&self, file: TempPath, target: &Path) -> io::Result<()> {
            self.call("rename").and_then(|()| System.rename(file, target))
        }

        fn sync_folder(&self, folder: &Path) -> io::Result<()> {
            self.call("sync folder").and_then(|()| System.sync_folder(folder))
        }
    }

    /// A disk on which some folders have room for so many bytes of files without a name.
    #[derive(Debug, Default)]
    pub(crate) struct Narrow {
        room: Mutex<HashMap<PathBuf, usize>>,
        /// The folders of the files, by their inodes.
        folders: Mutex<HashMap<u64, PathBuf>>,
        was_full: AtomicBool,
    }

    impl Narrow {
        pub(crate) fn new(room: impl IntoIterator<Item = (PathBuf, usize)>) -> Self {
            Narrow { room: Mutex::new(room.into_iter().collect()), ..Narrow::default() }
        }

        /// Whether there was too little room for something.
        pub(crate) fn was_full(&self) -> bool {
            self.was_full.load(Ordering::Relaxed)
        }
    }

    impl Disk for Narrow {
        fn unnamed(&self, folder: &Path) -> io::Result<File> {
            let file = System.unnamed(folder)?;
            let inode = file.metadata()?.ino();
            self.folders.lock().expect("no panic").insert(inode, folder.to_path_buf());
            Ok(file)
        }

        /// As much is written as there is room for.
        fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
            let folders = self.folders.lock().expect("no panic");
            let mut rooms = self.room.lock().expect("no panic");
            // A file with a name may have the inode of a run that is gone.
            let folder =
                if is_unnamed(file)? { folders.get(&file.metadata()?.ino()) } else { None };
            let Some(room) = folder.and_then(|folder| rooms.get_mut(folder)) else {
                return System.write(file, bytes);
            };
            let fits = bytes.len().min(*room);
            *room -= fits;
            System.write(file, &bytes[..fits])?;
            if fits < bytes.len() {
                self.was_full.store(true, Ordering::Relaxed);
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        }
    }
}
