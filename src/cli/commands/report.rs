//! `doiscan report`: writes the page of a state.

use crate::cli::context::Context;
use crate::cli::exit::Exit;
use crate::cli::options::output::Output;
use crate::cli::report;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  doiscan report --state nightly -o report.html   the page of the last run, with plots over all runs
";

const DETAILS: &str = "\
The page is one HTML file that fetches nothing. docs/report.md explains it. The state is only
read, also while a run uses it.

Exit status:
  0  done
  2  no state, or no run has come to its end; an old FILE is untouched

";

/// Write a page about the runs of a state as HTML
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{DETAILS}{EXAMPLES}"))]
pub(in crate::cli) struct Report {
    /// The folder that doiscan scan --state DIR has written
    #[arg(long, value_name = "DIR", required = true)]
    state: PathBuf,

    #[command(flatten)]
    output: Output,
}

impl Report {
    pub(super) fn run(&self, _: &Context) -> Result<Exit> {
        self.output.write(report::of_state(&self.state)?.as_bytes())?;
        Ok(Exit::Done)
    }
}
