//! Every command: one file each, with its flags, its help and what it does.
//!
//! To add a command, write its file and add it to the two lists below.

mod check;
mod completions;
mod convert;
mod diff;
mod help;
mod man;
mod merge;
#[cfg(feature = "state")]
mod report;
pub(super) mod scan;

use super::context::Context;
use super::exit::Exit;
use crate::pipeline::Plan;
use anyhow::{Result, bail};
use clap::Subcommand;

/// Declares the commands, in the order in which the help lists them. Each type is clap's
/// arguments of the command and has a `run`.
macro_rules! commands {
    ($($(#[$condition:meta])? $name:ident($arguments:ty),)*) => {
        #[derive(Debug, Subcommand)]
        pub(super) enum Command {
            $($(#[$condition])? $name(Box<$arguments>),)*
        }

        impl Command {
            pub(super) fn run(&self, context: &Context) -> Result<Exit> {
                match self {
                    $($(#[$condition])? Command::$name(arguments) => arguments.run(context),)*
                }
            }
        }
    };
}

impl Command {
    /// What `doiscan scan` with these arguments does.
    pub(super) fn plan(&self) -> Result<Plan> {
        match self {
            Command::Scan(scan) => scan.checked_plan(),
            _ => bail!("expected the arguments of doiscan scan"),
        }
    }
}

commands! {
    Scan(scan::Scan),
    Check(check::Check),
    Convert(convert::Convert),
    Merge(merge::Merge),
    Diff(diff::Diff),
    #[cfg(feature = "state")]
    Report(report::Report),
    Completions(completions::Completions),
    Man(man::Man),
    Help(help::Help),
}
