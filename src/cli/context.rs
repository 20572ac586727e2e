//! What every command is given besides its own flags.

use super::log::Log;
use std::ffi::OsString;
use std::time::SystemTime;

/// The invocation of the program.
#[derive(Debug)]
pub(in crate::cli) struct Context {
    /// The whole command line interface, from which help, completions and man pages are made.
    pub(in crate::cli) program: clap::Command,
    /// The arguments as they were given, the first being the name of the program.
    pub(in crate::cli) arguments: Vec<OsString>,
    /// When the program started.
    pub(in crate::cli) start: SystemTime,
    /// How standard error is written.
    pub(in crate::cli) log: Log,
}
