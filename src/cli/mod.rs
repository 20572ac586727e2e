//! The command: flags → plan → run. The only layer that prints or reads the
//! environment.
#![expect(clippy::disallowed_methods, reason = "this layer prints and looks at the terminal")]

mod bar;
mod check;
mod convert;
mod diff;
mod exit;
mod flags;
mod memory;
mod merge;
mod scan;
mod summary;
mod terminal;

pub use exit::Exit;

use crate::pipeline;
use anyhow::{Result, bail};
use clap::Parser;
use std::ffi::OsString;
use std::io::{IsTerminal, stdin};
use std::path::PathBuf;

/// Runs the command with these arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    #[cfg(unix)]
    {
        crate::input::process::ignore_file_size_signal();
        crate::input::process::remove_unfinished_on_signals();
    }
    let command = match flags::Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => return answered(&error),
    };
    let done = match &command {
        flags::Command::Scan(flags) => scan::scan(flags),
        flags::Command::Check(flags) => check::check(flags),
        flags::Command::Convert(flags) => convert::convert(flags),
        flags::Command::Merge(flags) => merge::merge(flags),
        flags::Command::Diff(flags) => diff::diff(flags),
    };
    match done {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => Exit::Done,
        Err(error) => {
            terminal::say_line(&format!("doiscan: {error:#}"));
            Exit::Fatal
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let run = error.downcast_ref::<pipeline::Error>().is_some_and(|e| e.is_closed_pipe());
    run || error.downcast_ref::<crate::output::Error>().is_some_and(|e| e.is_closed_pipe())
}

/// What `command` is to read: `paths`, or standard input when there is none.
fn inputs(paths: &[PathBuf], command: &str) -> Result<Vec<PathBuf>> {
    if !paths.is_empty() {
        return Ok(paths.to_vec());
    }
    if stdin().is_terminal() {
        bail!("no input is named and standard input is a terminal; try `doiscan {command} --help`");
    }
    Ok(vec![PathBuf::from("-")])
}

/// Standard input can be one list only: a second one would be empty.
fn once(lists: &[PathBuf]) -> Result<()> {
    match lists.iter().filter(|path| path.as_os_str() == "-").count() {
        0 | 1 => Ok(()),
        _ => bail!("standard input (-) is named more than once; it can be one list"),
    }
}

/// Prints help, the version, or what is wrong with the flags.
fn answered(error: &clap::Error) -> Exit {
    let printed = error.print();
    if error.use_stderr() {
        return Exit::Fatal;
    }
    match printed {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            terminal::say(&format!("doiscan: cannot write standard output: {e}"));
            Exit::Fatal
        }
        _ => Exit::Done,
    }
}
