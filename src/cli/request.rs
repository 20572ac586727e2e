//! Plans scans for programs that accept the arguments of the command and run the scan themselves.

use super::Cli;
use super::commands::{FormFlags, scan};
use super::exit::message;
use super::problems;
use super::stats::report_text;
use super::terminal::one_line;
use anyhow::{Error, Result, anyhow};
use clap::Parser;
use doiscan_engine::{Error as RunError, Plan, Report};
use std::ffi::OsString;

/// Returns the plan of `doiscan scan` with these arguments, with the command's defaults from the
/// environment. `--progress`, `--stats`, `--metrics`, `--log-format`, `-q` and `-v` have no effect
/// on it; `--report` adds a digest to the record.
///
/// ```
/// let plan = doiscan::cli::plan(["--strict", "-o", "dois.txt", "dump.jsonl"].map(Into::into))?;
/// assert!(plan.scan.strict);
/// let error = doiscan::cli::plan(["--memory", "lots"].map(Into::into)).unwrap_err();
/// assert!(error.to_string().starts_with("invalid value 'lots' for '--memory"));
/// # Ok::<(), anyhow::Error>(())
/// ```
///
/// With the feature `remote`, addresses are inputs and outputs from the first call on, as its flags say.
///
/// # Errors
///
/// When the arguments are invalid. The error is a sentence, or that of the library about a file that cannot be used.
pub fn plan(arguments: impl IntoIterator<Item = OsString>) -> Result<Plan> {
    let cli = parsed("scan", arguments)?;
    #[cfg(feature = "remote")]
    cli.register_remote();
    let sentence =
        |error: Error| if error.is::<RunError>() { error } else { anyhow!(message(&error)) };
    cli.command.plan().map_err(sentence)
}

/// Returns how `doiscan convert` with these arguments writes identifiers.
///
/// # Errors
///
/// When the arguments are invalid.
pub fn form(arguments: impl IntoIterator<Item = OsString>) -> Result<FormFlags> {
    parsed("convert", arguments)?.command.form()
}

/// Parses the arguments of `command`. The error is a sentence.
fn parsed(command: &str, arguments: impl IntoIterator<Item = OsString>) -> Result<Cli> {
    let line = ["doiscan", command].map(OsString::from).into_iter().chain(arguments);
    Cli::try_parse_from(line).map_err(|error| {
        let text = error.to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        anyhow!(first.strip_prefix("error: ").unwrap_or(first).trim_end().to_owned())
    })
}

/// Makes addresses inputs and outputs of this process, with the command's defaults from the environment. The
/// first call decides, or a plan before it. Without the feature `remote` nothing is an address.
pub fn register_addresses() {
    #[cfg(feature = "remote")]
    if let Ok(cli) = Cli::try_parse_from(["doiscan", "completions", "bash"]) {
        cli.register_remote();
    }
}

/// Returns the record of a scan as `--stats` writes it, as JSON, without the fields of the
/// invocation: `complete`, the figures and `problems` (docs/stats.md).
pub fn record(report: &Report) -> String {
    report_text(&scan::outcome(report, None))
}

/// Returns what a scan noticed besides the problems, as the command says it: the kind, and a sentence.
pub fn notes(report: &Report) -> Vec<(&'static str, String)> {
    problems::notes(report).map(|note| (note.name(), one_line(note.message()))).collect()
}
