//! What the system says of files: which file it is, when it was changed, who may replace it.

use crate::system::files as system;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::Path;

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

/// Reads at `offset`. Returns the number of bytes, and 0 only at the end.
///
/// # Errors
///
/// Fails if the file cannot be read there.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    system::read_at(file, buffer, offset)
}

/// Options that open a regular file for reading, follow no link and do not wait for a pipe.
pub fn careful() -> OpenOptions {
    system::careful()
}

/// The number of names of the file `path` with these metadata.
pub fn links(path: &Path, meta: &Metadata) -> u64 {
    system::links(path, meta)
}

/// Whether these are the metadata of a socket.
pub fn is_socket(meta: &Metadata) -> bool {
    system::is_socket(meta)
}

/// Whether an error is that of a device that fails.
pub fn is_device_fault(error: &io::Error) -> bool {
    system::is_device_fault(error)
}

/// The permissions of a new file, before the umask is applied, where files have a mode.
pub fn mode(bits: u32) -> Option<Permissions> {
    system::mode(bits)
}

/// Whether the folder with these metadata forbids this user to replace the file `old` in it.
pub fn is_protected(old: &Metadata, folder: &Metadata) -> bool {
    system::is_protected(old, folder)
}

/// Gives `file` the owner and the group of the file that it replaces, if the process may.
pub fn keep_owner(file: &File, old: &Metadata) {
    system::keep_owner(file, old);
}
