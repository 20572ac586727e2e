//! Flags for the maximum length of a line.

use super::size;
use clap::Args;
use doiscan_engine::LONGEST_LINE;

/// The limit on lines.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct LineFlags {
    /// Refuse lines longer than SIZE, such as 512M [default: 8M]
    ///
    /// Each worker holds a line as a whole, its answer and copies of its value: about four times SIZE, and more of a JSON object.
    #[arg(long, value_parser = size::bytes, value_name = "SIZE", help_heading = "Recognition")]
    pub(in crate::cli) max_length: Option<u64>,
}

impl LineFlags {
    /// Returns the maximum length in bytes of a line that is read as a whole.
    pub(in crate::cli) fn longest(&self) -> usize {
        self.max_length.map_or(LONGEST_LINE, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }
}
