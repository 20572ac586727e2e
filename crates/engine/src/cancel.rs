//! A disk for runs that can be cancelled.

use doiscan_os::cancel::Cancel;
use doiscan_os::disk::{Disk, System};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::path::Path;
use tempfile::NamedTempFile;

/// Forwards to the operating system until the run is cancelled. After that, files are no longer
/// created, written or read. Renames still work, so that related files are put in place together.
#[derive(Debug)]
pub(super) struct CancellableDisk(pub(super) Cancel);

impl Disk for CancellableDisk {
    fn unnamed(&self, folder: &Path) -> io::Result<File> {
        self.0.check()?;
        System.unnamed(folder)
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        self.0.check()?;
        System.create(path)
    }

    fn named(
        &self,
        folder: &Path,
        prefix: &OsStr,
        mode: Option<Permissions>,
        announce: &mut dyn FnMut(&Path),
    ) -> io::Result<NamedTempFile> {
        self.0.check()?;
        System.named(folder, prefix, mode, announce)
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        self.0.check()?;
        System.write(file, bytes)
    }

    fn read_at(&self, file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.0.check()?;
        System.read_at(file, buffer, at)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.0.check()?;
        System.sync(file)
    }
}
