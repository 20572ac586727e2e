//! An output that is an object of a store: collected in a local file, and then sent.
//!
//! The local file has no name, so nothing of it is left when the process ends. Its bytes are sent when the
//! list has passed its gates, and the object appears when it is put in place.

use doiscan_input::{Content, Upload};
use doiscan_os::disk::Disk;
use doiscan_os::process::{Postponed, is_signalled, postpone_signals};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of temporary files where none is given. Never `/tmp`: many systems keep it in memory.
pub fn usual_folder() -> &'static Path {
    let usual = Path::new("/var/tmp");
    if usual.is_dir() { usual } else { Path::new(".") }
}

/// An object that is not in place yet.
#[derive(Debug)]
pub(super) struct Stored {
    /// Declared before the postponed signals, because fields are dropped in order: what was sent is
    /// taken back before the process ends.
    upload: Option<Box<dyn Upload>>,
    signals: Option<Postponed>,
    file: File,
    target: PathBuf,
}

impl Stored {
    /// Begins an object at the address `path`, whose bytes wait in `folder`. Asks the store at once whether
    /// it may be written.
    pub(super) fn new(disk: &dyn Disk, path: &Path, folder: Option<&Path>) -> io::Result<Self> {
        let signals = postpone_signals();
        drop(doiscan_input::upload(path, 0)?);
        drop(signals);
        let folder = folder.unwrap_or(usual_folder());
        let file = disk.unnamed(folder).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("no temporary file in {}: {error}", folder.display()),
            )
        })?;
        Ok(Stored { upload: None, signals: None, file, target: path.to_path_buf() })
    }

    /// The file that takes the bytes.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Checks that the local file has all `written` bytes.
    pub(super) fn sync(&self, disk: &dyn Disk, written: u64) -> io::Result<()> {
        super::replace::check_len(disk, &self.file, written)
    }

    /// Changes the address to the one beside the old object, and returns it.
    pub(super) fn go_beside(&mut self) -> &Path {
        self.target = super::replace::beside(&self.target);
        &self.target
    }

    /// Sends the `len` bytes. Until the object is put in place or dropped, signals wait.
    pub(super) fn send(&mut self, disk: &dyn Disk, len: u64) -> io::Result<()> {
        let signals = self.signals.insert(postpone_signals());
        let _ = signals;
        let upload = self.upload.insert(doiscan_input::upload(&self.target, len)?);
        upload.send(&Local { disk, file: &self.file })
    }

    /// Makes the object appear.
    pub(super) fn put_in_place(mut self) -> io::Result<()> {
        self.upload.take().map_or(Ok(()), |upload| upload.complete())
    }
}

/// The local file.
struct Local<'a> {
    disk: &'a dyn Disk,
    file: &'a File,
}

impl Content for Local<'_> {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.check()?;
        self.disk.read_at(self.file, buffer, at)
    }

    fn check(&self) -> io::Result<()> {
        match is_signalled() {
            true => Err(io::Error::other("the run was interrupted")),
            false => self.disk.before("read"),
        }
    }
}
