//! The entries of a folder.
//!
//! Not `std::fs::read_dir`: that one panics when closing the folder fails, which a disk
//! with faults or a network brings about, and by then the entries are known.

use rustix::fs::{Dir, FileType, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The name of each entry, without `.` and `..`, and what it is where the file system
/// tells that with the name, else [`FileType::Unknown`].
///
/// # Errors
///
/// When the folder cannot be opened; each entry, when it cannot be read.
pub fn entries(
    folder: &Path,
) -> io::Result<impl Iterator<Item = io::Result<(OsString, FileType)>> + use<>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = Dir::new(rustix::fs::open(folder, flags, Mode::empty())?)?;
    Ok(dir.filter_map(|entry| match entry {
        Ok(entry) => {
            let name = entry.file_name().to_bytes();
            let is_real = name != b"." && name != b"..";
            is_real.then(|| Ok((OsStr::from_bytes(name).to_os_string(), entry.file_type())))
        }
        Err(error) => Some(Err(error.into())),
    }))
}
