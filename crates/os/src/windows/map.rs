//! Mapped files. Windows lets nobody shorten a mapped file, so no page of a local one disappears.
#![expect(unsafe_code, reason = "mapping a file is unsafe: others may change it")]

use crate::io::Io;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io;
use std::ops::Range;

/// A mapped file.
#[derive(Debug)]
pub struct Map(Mmap);

impl Map {
    /// Maps the first `size` bytes of `file`, if `io` maps such files. Returns `None` if it does
    /// not, or if the file cannot be mapped and must be read.
    pub fn new(file: &File, size: u64, io: Io, is_remote: bool) -> Option<Map> {
        if !io.maps(size, is_remote) || size == 0 || is_remote {
            return None;
        }
        let size = usize::try_from(size).ok()?;
        // SAFETY: an `Io` that maps is created by an unsafe function, whose caller promised that
        // nobody changes the bytes of the file. The mapping is read-only and lives as long as `Map`.
        unsafe { MmapOptions::new().len(size).map(file) }.ok().map(Map)
    }

    /// All bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether pages were missing when they were scanned: they never are.
    pub fn is_hit(&self) -> bool {
        false
    }

    /// Pages cannot be made resident without a risk, so files are read.
    pub fn resident(&self, _: Range<usize>) -> io::Result<&[u8]> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The system releases pages as it needs.
    pub fn release(&self, _: Range<usize>) {}
}
