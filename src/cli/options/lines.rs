//! Flags for the maximum length of a line.

use super::size::{self, Size};
use clap::Args;

/// The default limit is one part in this many of the memory. The share is small because a worker
/// holds the line, its answer and copies of its name.
const SHARE: usize = 32;

/// The limit on lines.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct LineFlags {
    /// Refuse lines longer than SIZE, such as 512M
    ///
    /// A DOI may have any length, but each line is held in memory as a whole.
    ///
    /// [default: 1/32 of the memory of the machine or its control group]
    #[arg(long, value_parser = size::bytes, value_name = "SIZE", help_heading = "Recognition")]
    pub(in crate::cli) max_length: Option<u64>,
}

impl LineFlags {
    /// Returns the maximum length in bytes of a line that is read as a whole.
    pub(in crate::cli) fn longest(&self) -> usize {
        match self.max_length {
            Some(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
            None => Size::Percent(100.0).bytes() / SHARE,
        }
    }
}
