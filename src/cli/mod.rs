//! The command: flags → plan → run. The only layer that prints or reads the
//! environment.
#![expect(clippy::disallowed_methods, reason = "this layer prints and looks at the terminal")]

mod bar;
mod exit;
mod flags;
mod memory;
mod scan;
mod summary;
mod terminal;

pub use exit::Exit;

use clap::Parser;
use std::ffi::OsString;

/// Runs the command with these arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    #[cfg(unix)]
    {
        crate::input::process::ignore_file_size_signal();
        crate::input::process::remove_unfinished_on_signals();
    }
    match flags::Cli::try_parse_from(arguments) {
        Ok(cli) => match cli.command {
            flags::Command::Scan(flags) => scan::scan(&flags),
        },
        Err(error) => answered(&error),
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
