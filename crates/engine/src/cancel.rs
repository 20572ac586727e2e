//! A disk for runs that can be cancelled.

use doiscan_os::cancel::Cancel;
use doiscan_os::disk::Disk;
use std::io;

/// Forwards to the operating system until the run is cancelled. After that, files are no longer
/// created, written or read. Renames still work, so that related files are put in place together.
#[derive(Debug)]
pub(super) struct CancellableDisk(pub(super) Cancel);

impl Disk for CancellableDisk {
    fn before(&self, call: &'static str) -> io::Result<()> {
        match call {
            "unnamed" | "create" | "named" | "write" | "read" | "sync" => self.0.check(),
            _ => Ok(()),
        }
    }
}
