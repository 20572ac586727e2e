//! Files by volume and index. std has both of every metadata, and keeps them to itself, so the file is
//! asked again.

use crate::files::Stat;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt};
use std::path::Path;
use winapi_util::Handle;
use winapi_util::file::{Information, information};

/// Seconds from 1601, where the times of Windows begin, to 1970.
const EPOCH: i64 = 11_644_473_600;

pub(crate) fn at(path: &Path, meta: &Metadata) -> Stat {
    stat(Handle::from_path_any(path).and_then(|file| information(&file)), meta)
}

pub(crate) fn of(file: &File, meta: &Metadata) -> Stat {
    stat(information(file), meta)
}

/// A file that cannot be asked is like no other: its times stand for its number.
fn stat(found: io::Result<Information>, meta: &Metadata) -> Stat {
    let file = found.map_or((u64::MAX, meta.creation_time() ^ meta.file_size()), |found| {
        (found.volume_serial_number(), found.file_index())
    });
    let ticks = meta.last_write_time().cast_signed();
    let mtime = (ticks / 10_000_000 - EPOCH, ticks % 10_000_000 * 100);
    Stat { file, mtime, ctime: mtime, attributes: [meta.file_attributes(), 0, 0, 0] }
}

pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub(crate) fn careful() -> OpenOptions {
    /// Opens a link, not the file that it leads to.
    const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    let mut options = OpenOptions::new();
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, OPEN_REPARSE_POINT);
    options.read(true);
    options
}

pub(crate) fn links(_: &Metadata) -> u64 {
    1
}

pub(crate) fn is_socket(_: &Metadata) -> bool {
    false
}

pub(crate) fn is_device_fault(error: &io::Error) -> bool {
    /// `ERROR_CRC`, `ERROR_SEEK`, `ERROR_SECTOR_NOT_FOUND`, `ERROR_READ_FAULT`, `ERROR_IO_DEVICE`.
    const FAULTS: [i32; 5] = [23, 25, 27, 30, 1117];
    error.raw_os_error().is_some_and(|code| FAULTS.contains(&code))
}

pub(crate) fn mode(_: u32) -> Option<Permissions> {
    None
}

pub(crate) fn create_with(_: &mut OpenOptions, _: &Permissions) {}

pub(crate) fn is_protected(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// A new file has the owner that its folder gives it.
pub(crate) fn keep_owner(_: &File, _: &Metadata) {}

/// NTFS keeps its folders in a journal; there is no call to sync one.
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn sync_file_system(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Fills `buffer` from `offset` on.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match file.seek_read(buffer, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            got => {
                buffer = &mut buffer[got..];
                offset += got as u64;
            }
        }
    }
    Ok(())
}
