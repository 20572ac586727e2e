//! Why strings cannot be collected.

use crate::collect::{self, run};

/// The reason why strings cannot be collected, sorted or merged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A thread panicked.
    #[error("internal error: a worker failed ({0}); no output was written")]
    Worker(String),
    /// There are more strings, or longer ones, than can be collected.
    #[error(transparent)]
    Collect(#[from] collect::Error),
    /// Spilled strings could not be written or read.
    #[error(transparent)]
    Spill(#[from] run::Error),
}
