//! One input: where it is, what it is, and how to know it again.

use super::Io;
use std::fs::Metadata;
use std::path::PathBuf;

/// From this size on a file is mapped. 512 MB of prose in files of one size,
/// two cores, page cache warm, best of five, seconds of processor time:
///
/// | size | mapped | read |
/// |---|---|---|
/// | 128 KiB | 0.13 | 0.09 |
/// | 256 KiB | 0.08 | 0.08 |
/// | 1 MiB | 0.07 | 0.08 |
/// | 4 MiB | 0.05 | 0.07 |
const MAP_FROM: u64 = 512 * 1024;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file of a known size.
    File {
        /// On a file system where mapping is unsafe or slow: network, FUSE.
        remote: bool,
    },
    /// A regular file that does not tell its size, such as those of `/proc`,
    /// or an empty one.
    Unsized,
    /// A pipe or a device that was named.
    Stream,
    /// Standard input.
    Standard,
}

/// What tells one file, in one state, from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The device.
    pub dev: u64,
    /// The file on the device.
    pub ino: u64,
    /// The size in bytes.
    pub size: u64,
    /// Seconds and nanoseconds of the last change to the content.
    pub mtime: (i64, i64),
}

impl Identity {
    /// Device and number: what makes a file the same under two names.
    pub fn file(&self) -> (u64, u64) {
        (self.dev, self.ino)
    }

    /// The identity of a file that was looked at.
    #[cfg(unix)]
    pub fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Identity {
            dev: meta.dev(),
            ino: meta.ino(),
            size: meta.len(),
            mtime: (meta.mtime(), meta.mtime_nsec()),
        }
    }
}

/// One input to scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its path as named or found; `-` for standard input.
    pub path: PathBuf,
    /// Its size in bytes when it was listed; 0 when unknown.
    pub size: u64,
    /// What it is.
    pub kind: Kind,
    /// What it was when it was listed; none for standard input.
    pub(super) identity: Option<Identity>,
}

impl Unit {
    /// Whether it is mapped.
    pub fn is_mapped(&self, io: Io) -> bool {
        match (io, self.kind) {
            (Io::Mmap, Kind::File { .. }) => self.size > 0,
            (Io::Auto, Kind::File { remote: false }) => self.size >= MAP_FROM,
            _ => false,
        }
    }
}
