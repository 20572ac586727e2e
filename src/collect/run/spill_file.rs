//! The file that holds runs.

use crate::sys::disk::Disk;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A file without a name that holds runs.
#[derive(Debug)]
pub(super) struct SpillFile {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) folder: PathBuf,
    pub(super) file: File,
    pub(super) len: AtomicU64,
}
