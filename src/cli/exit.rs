//! How the command ends.

use crate::{output, pipeline};
use std::process::{ExitCode, Termination};

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, nothing left out. Also when the reader of the output went away and nothing but
    /// the output was asked for.
    Done = 0,
    /// A gate that the user set has failed, or a comparison found differences.
    Gate = 1,
    /// A fatal error or wrong usage; an old output is untouched.
    Fatal = 2,
    /// Done for all that could be read; the rest was named.
    Partial = 3,
}

impl Exit {
    /// How a command ends that fails with this error: quietly when the reader of its output
    /// went away.
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
