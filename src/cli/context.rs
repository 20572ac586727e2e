//! The data passed to every command in addition to its flags.

use super::log::Log;
use std::ffi::OsString;
use std::time::SystemTime;

/// The invocation of the program.
#[derive(Debug)]
pub(in crate::cli) struct Context {
    /// Makes the command line interface for these arguments, from which help, completions and man pages are generated.
    pub(in crate::cli) program: fn(&[OsString]) -> clap::Command,
    /// The original arguments, beginning with the name of the program.
    pub(in crate::cli) arguments: Vec<OsString>,
    /// Time when the program started.
    pub(in crate::cli) start: SystemTime,
    /// Format of standard error.
    pub(in crate::cli) log: Log,
}

impl Context {
    /// Returns the command line interface.
    pub(in crate::cli) fn program(&self) -> clap::Command {
        (self.program)(&self.arguments)
    }
}
