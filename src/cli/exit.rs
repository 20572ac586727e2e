//! Defines the exit status of the command.

use crate::{output, pipeline};
use std::process::{ExitCode, Termination};

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Complete. Also used when the reader of the output closed it and nothing but the output was
    /// requested.
    Done = 0,
    /// A gate set by the user failed, or a comparison found differences.
    Gate = 1,
    /// A fatal error or incorrect usage. An existing output file is unchanged.
    Fatal = 2,
    /// Complete except for data that could not be read, which was reported.
    Partial = 3,
}

impl Exit {
    /// Returns the exit status for an error. A closed output is not a failure.
    pub(in crate::cli) fn of(error: &anyhow::Error) -> Exit {
        let of_run = error.downcast_ref::<pipeline::Error>().is_some_and(|e| e.is_closed_pipe());
        let of_output = error.downcast_ref::<output::Error>().is_some_and(|e| e.is_closed_pipe());
        if of_run || of_output { Exit::Done } else { Exit::Fatal }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
