//! The file that holds runs.

use super::error::Error;
use doiscan_os::disk::Disk;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A file that holds runs: an anonymous temporary file or a segment.
#[derive(Debug)]
pub(super) struct SpillFile {
    pub(super) disk: Arc<dyn Disk>,
    /// The folder of an anonymous file, or the path of a segment.
    pub(super) place: PathBuf,
    pub(super) is_segment: bool,
    pub(super) file: File,
    pub(super) len: AtomicU64,
}

impl SpillFile {
    pub(super) fn failed(&self, action: &'static str, cause: io::Error) -> Error {
        let place = self.place.clone();
        match self.is_segment {
            true => Error::Segment { action, path: place, cause },
            false => Error::Io { action, folder: place, cause },
        }
    }

    pub(super) fn damaged(&self, what: &'static str) -> Error {
        let place = self.place.clone();
        match self.is_segment {
            true => Error::DamagedSegment { path: place, what },
            false => Error::Damaged { folder: place, what },
        }
    }
}
