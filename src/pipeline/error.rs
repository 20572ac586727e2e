//! Why a run has no output.

use super::state::store::StoreError;
use crate::collect::{self, run};
use crate::input;
use crate::output;
use crate::quality::{Mismatch, Problem};
use std::path::PathBuf;

/// Why there is no output, or none that is whole. An old output file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody would have got the list.
    #[error("standard output is closed")]
    StdoutClosed,
    /// The output failed.
    #[error(transparent)]
    Output(#[from] output::Error),
    /// A file that goes with the list failed.
    #[error(transparent)]
    SideFile(output::Error),
    /// There is nothing to read.
    #[error("{0}")]
    NoInput(String),
    /// The old list cannot be compared with the new one.
    #[error("--max-drop needs the old list: {0}")]
    OldList(Problem),
    /// The inputs cannot be listed.
    #[error(transparent)]
    Request(#[from] input::RequestError),
    /// The only input has not what it was asked for.
    #[error("{0}")]
    Misfit(Problem),
    /// The caller ended the run.
    #[error("the run was cancelled; no output was written")]
    Cancelled,
    /// A thread panicked.
    #[error("internal error: a worker failed ({0}); no output was written")]
    Worker(String),
    /// The sums do not agree.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// More than can be held.
    #[error(transparent)]
    Collect(#[from] collect::Error),
    /// A list that is merged or compared.
    #[error(transparent)]
    List(#[from] input::ListError),
    /// Lists that do not go together.
    #[error("{}: has capital letters and {} has small ones, expected lists of one case", .upper.display(), .lower.display())]
    MixedCase {
        /// The first list with capital letters.
        upper: PathBuf,
        /// The first list with small letters.
        lower: PathBuf,
    },
    /// What is kept for the next run could not be read or written.
    #[error("{0}")]
    State(String),
    /// What was spilled could not be written or read.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Error::State(error.0)
    }
}

impl Error {
    /// What is wrong with the state.
    pub(super) fn state(what: impl Into<String>) -> Self {
        Error::State(what.into())
    }

    /// The same as the error of a file that goes with the list.
    pub(super) fn of_side_file(self) -> Self {
        match self {
            Error::Output(error) => Error::SideFile(error),
            other => other,
        }
    }

    /// Whether the reader of the list went away, which is no fault.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.is_closed_pipe())
    }
}
