//! Lists the entries of a folder, and finds mount points.
//!
//! Replaces `std::fs::read_dir`, which panics if closing the folder fails. A faulty disk or a
//! network can cause that, and by then the entries are known.

use rustix::fs::{Dir, FileType, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Returns the name of each entry, without `.` and `..`, and its type if the file system reports it
/// with the name, otherwise [`FileType::Unknown`].
///
/// # Errors
///
/// Fails if the folder cannot be opened. An item is an error if the entry cannot be read.
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

/// Whether another file is mounted on `path`, which then cannot be renamed over. False where the
/// system does not tell.
#[cfg(target_os = "linux")]
pub fn is_mount_point(path: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty())
        .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Whether another file is mounted on `path`. False where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn is_mount_point(_: &Path) -> bool {
    false
}
