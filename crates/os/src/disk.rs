//! The system calls that create, write and rename files. A trait lets a test make the n-th call
//! fail.
#![expect(clippy::disallowed_methods, reason = "the calls themselves")]

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
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
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        {
            use rustix::fs::OFlags;
            use std::os::unix::fs::OpenOptionsExt;
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
            options.custom_flags(flags.bits().cast_signed());
        }
        let file = options.read(true).open(path)?;
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

    /// Writes all of `bytes` at the current position of the file.
    fn write(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        self.before("write")?;
        file.write_all(bytes)
    }

    /// Fills `buffer` from offset `at` of the file.
    fn read_at(&self, file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.before("read")?;
        read_exact_at(file, buffer, at)
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
        if cfg!(not(unix)) {
            return Ok(());
        }
        match File::open(folder)?.sync_all() {
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        }
    }

    /// Returns when all that was written to the file system of `file` is on the disk.
    fn sync_file_system(&self, file: &File) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(file)?;
        #[cfg(all(unix, not(target_os = "linux")))]
        rustix::fs::sync();
        let _ = file;
        Ok(())
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

/// Failing disks for tests.
#[cfg(all(feature = "testing", unix))]
pub mod faulty {
    use super::*;
    use std::collections::HashMap;
    use std::os::unix::fs::MetadataExt;
    use std::path::PathBuf;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Counts the calls and fails the `n`-th of them, or all from the `n`-th on.
    #[derive(Debug)]
    pub struct Faulty {
        fail_at: u64,
        for_ever: bool,
        kind: io::ErrorKind,
        calls: Mutex<Vec<&'static str>>,
    }

    impl Faulty {
        /// Fails the call `fail_at`, counted from 0.
        pub fn new(fail_at: u64, for_ever: bool) -> Self {
            Faulty { fail_at, for_ever, kind: io::ErrorKind::Other, calls: Mutex::default() }
        }

        /// Makes the failure a lack of space.
        pub fn full(self) -> Self {
            Faulty { kind: io::ErrorKind::StorageFull, ..self }
        }

        /// The names of the calls so far.
        pub fn calls(&self) -> Vec<&'static str> {
            self.calls.lock().expect("no panic").clone()
        }
    }

    /// Whether the file has no name, like the files of runs.
    fn is_unnamed(file: &File) -> io::Result<bool> {
        file.metadata().map(|meta| meta.nlink() == 0)
    }

    impl Disk for Faulty {
        fn before(&self, name: &'static str) -> io::Result<()> {
            let mut calls = self.calls.lock().expect("no panic");
            let n = calls.len() as u64;
            calls.push(name);
            if n == self.fail_at || self.for_ever && n > self.fail_at {
                return Err(io::Error::new(self.kind, format!("injected fault in {name}")));
            }
            Ok(())
        }

        /// Writes half of the bytes before it fails, like a full disk.
        fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
            let result = self.before(if is_unnamed(file)? { "write unnamed" } else { "write" });
            let written = if result.is_ok() { bytes } else { &bytes[..bytes.len() / 2] };
            System.write(file, written).and(result)
        }

        fn len(&self, file: &File) -> io::Result<u64> {
            self.before(if is_unnamed(file)? { "len unnamed" } else { "len" })
                .and_then(|()| System.len(file))
        }
    }

    /// A disk on which some folders have a limited number of bytes for anonymous files.
    #[derive(Debug, Default)]
    pub struct Narrow {
        room: Mutex<HashMap<PathBuf, usize>>,
        /// The folder of each file, by inode.
        folders: Mutex<HashMap<u64, PathBuf>>,
        was_full: AtomicBool,
    }

    impl Narrow {
        /// Creates a disk whose folders have room for so many bytes each.
        pub fn new(room: impl IntoIterator<Item = (PathBuf, usize)>) -> Self {
            Narrow { room: Mutex::new(room.into_iter().collect()), ..Narrow::default() }
        }

        /// Whether any write exceeded the space.
        pub fn was_full(&self) -> bool {
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

        /// Writes as many bytes as fit.
        fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
            let folders = self.folders.lock().expect("no panic");
            let mut rooms = self.room.lock().expect("no panic");
            // A file with a name may have the inode of a deleted run.
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
