//! What the system says of files: which file it is, when it was changed, who may replace it.

use crate::system::files as system;
use std::fs::{File, Metadata};
use std::path::Path;

pub use crate::system::files::{
    careful, is_device_fault, is_protected, is_socket, keep_owner, links, mode, read_at,
};

/// The kind of an entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a device, a socket.
    Other,
    /// The file system does not tell with the name.
    Unknown,
}

/// What tells one file, in one state, from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The number of the device and that of the file in it: equal if two paths are one file.
    pub file: (u64, u64),
    /// Seconds and nanoseconds since 1970 of the last change to the content.
    pub mtime: (i64, i64),
    /// The same of the last change to the content or the attributes. Where the system does not
    /// tell, that of the content.
    pub ctime: (i64, i64),
    /// Mode, number of links, owner and group, where files have them.
    pub attributes: [u32; 4],
}

impl Stat {
    /// Returns what the system says of the file `path` with these metadata.
    pub fn at(path: &Path, meta: &Metadata) -> Stat {
        system::at(path, meta)
    }

    /// Returns what the system says of an open file with these metadata.
    pub fn of(file: &File, meta: &Metadata) -> Stat {
        system::of(file, meta)
    }
}
