//! Limits on the cost of a document, and the counter that enforces them.

use crate::error::{Error, ErrorKind};

/// Limits on the cost of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of unpacked bytes per byte of the document, beyond the first [`FREE`](Self::FREE).
    pub ratio: u64,
    /// Maximum number of bytes that a document may unpack to. `u64::MAX` is no limit.
    pub size: u64,
}

impl Limits {
    /// Number of unpacked bytes that are exempt from the ratio. They take a few seconds.
    pub const FREE: u64 = 256 * 1024 * 1024;

    /// Returns the limits with these values.
    pub fn new(ratio: u64, size: u64) -> Self {
        Limits { ratio, size }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { ratio: 1_000, size: u64::MAX }
    }
}

/// Counts what a document was unpacked to.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    allowed: u64,
    spent: u64,
}

impl Budget {
    pub(crate) fn new(limits: Limits, len: usize) -> Self {
        let allowed = limits.ratio.saturating_mul(len as u64).max(Limits::FREE);
        Budget { limits, allowed, spent: 0 }
    }

    /// Number of bytes that may still be unpacked.
    pub(crate) fn room(&self) -> u64 {
        self.allowed.min(self.limits.size).saturating_sub(self.spent)
    }

    /// Counts unpacked bytes, or work that takes as long.
    pub(crate) fn spend(&mut self, bytes: u64) -> Result<(), Error> {
        self.spent = self.spent.saturating_add(bytes);
        let Limits { ratio, size, .. } = self.limits;
        let message = match () {
            () if self.spent > size => {
                format!("unpacks to more than {size} bytes (limit: --max-unpacked)")
            }
            () if self.spent > self.allowed => {
                format!("unpacks to more than {ratio} times its size (limit: --max-ratio)")
            }
            () => return Ok(()),
        };
        Err(Error::new(ErrorKind::Limit, message))
    }
}
