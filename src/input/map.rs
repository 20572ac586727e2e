//! Mapped files.
#![expect(unsafe_code, reason = "mapping a file is unsafe: others may change it")]

use super::guard::Guard;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io;
use std::ops::Range;

/// A file mapped into memory, and what keeps the process alive when a part of it goes away.
#[derive(Debug)]
pub(super) struct Map {
    /// Before the mapping, as it is dropped in this order.
    guard: Guard,
    bytes: Mmap,
}

impl Map {
    /// Maps the first `size` bytes of `file`.
    pub(super) fn new(file: &File, size: u64) -> io::Result<Map> {
        let size = usize::try_from(size).map_err(io::Error::other)?;
        // SAFETY: the mapping is private, read-only and never outlives `Map`.
        // Two dangers remain, both from other processes. (1) The file shrinks
        // and a page behind its new end is touched: SIGBUS. `resident` makes
        // each part resident before it is scanned and reports what is missing
        // as an error, and `Guard` covers the time between that and the scan. (2) The
        // bytes change under the `&[u8]`: the scanner trusts no two reads of
        // one byte to agree for memory safety, as it is safe code with checked
        // indexes, and the change is reported by `Opened::check`.
        let map = unsafe { MmapOptions::new().len(size).map(file) }?;
        Ok(Map { guard: Guard::new(&map)?, bytes: map })
    }

    /// Whether pages were missing when they were scanned.
    pub(super) fn is_hit(&self) -> bool {
        self.guard.is_hit()
    }

    /// The bytes in `range`, resident when this returns. Where the kernel
    /// cannot do that (before Linux 5.14: `EINVAL`; a file that has shrunk or a
    /// bad disk: `EFAULT`, `EHWPOISON`) the caller reads instead, which says
    /// what is wrong.
    #[cfg(target_os = "linux")]
    pub(super) fn resident(&self, range: Range<usize>) -> io::Result<&[u8]> {
        let bytes = &self.bytes[range.clone()];
        self.bytes.advise_range(memmap2::Advice::PopulateRead, range.start, bytes.len())?;
        Ok(bytes)
    }

    /// Elsewhere nothing can be made resident without a risk: files are read.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn resident(&self, _: Range<usize>) -> io::Result<&[u8]> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Lets go of the pages of `range`, which stay in the page cache: without this the
    /// process would seem to hold the whole file, and count for it where memory is limited.
    pub(super) fn release(&self, range: Range<usize>) {
        #[cfg(unix)]
        // SAFETY: the mapping is of a file and read-only, so that a page that is let go of
        // is read again from the file when it is touched: no byte changes.
        let _ = unsafe {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            self.bytes.unchecked_advise_range(advice, range.start, range.len())
        };
    }
}
