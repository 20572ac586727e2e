//! The command: flags → plan → run. The only layer that prints or reads the
//! environment.
#![expect(clippy::disallowed_methods, reason = "this layer prints and looks at the terminal")]

mod bar;
mod diff;
mod exit;
mod flags;
mod memory;
mod merge;
mod scan;
mod summary;
mod terminal;

pub use exit::Exit;

use clap::Parser;
use std::ffi::OsString;

/// Runs the command with these arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    #[cfg(unix)]
    crate::input::process::ignore_file_size_signal();
    match flags::Cli::try_parse_from(arguments) {
        Ok(cli) => match cli.command {
            flags::Command::Scan(flags) => ended(scan::scan(&flags)),
            flags::Command::Merge(flags) => ended(merge::merge(&flags)),
            flags::Command::Diff(flags) => ended(diff::diff(&flags)),
        },
        Err(error) => answered(&error),
    }
}

/// Says why there is no result.
fn ended(result: anyhow::Result<Exit>) -> Exit {
    match result {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => Exit::Done,
        Err(error) => {
            terminal::say_line(&format!("doiscan: {error:#}"));
            Exit::Fatal
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let run = error.downcast_ref::<crate::pipeline::Error>().is_some_and(|e| e.is_closed_pipe());
    run || error.downcast_ref::<crate::output::Error>().is_some_and(|e| e.is_closed_pipe())
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
