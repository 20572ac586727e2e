//! The inputs of `merge` and `diff`.

use super::addresses::check_addresses;
use super::names::NamesFlag;
use super::reporting::Reporting;
use super::resources::MemoryFlags;
use super::tables::Tables;
use crate::cli::context::Context;
use crate::cli::exit::Exit;
use crate::cli::log::{Event, Level, Log};
use crate::cli::numbers::plural;
use crate::cli::problems;
use crate::cli::stats::{Invocation, Outcome};
use crate::cli::terminal::in_shell;
use anyhow::{Result, bail};
use doiscan_core::scan::Options;
use doiscan_engine::Plan;
use doiscan_engine::lists::{self, Argument, Prepared};
use doiscan_engine::output::is_stdout;
use doiscan_input::ListError;
use doiscan_input::problem::Problem;
use doiscan_os::io::command::AUTO;
use std::path::{Path, PathBuf};

/// Fails when standard input is named more than once: the second list would be empty.
fn standard_input_once(lists: &[PathBuf]) -> Result<()> {
    match lists.iter().filter(|path| path.as_os_str() == "-").count() {
        0 | 1 => Ok(()),
        _ => bail!("standard input (-) is named more than once; it can be only one of the lists"),
    }
}

/// Runs a command over lists, after its files were checked, and records the run.
pub(in crate::cli) fn run(
    context: &Context,
    command: &'static str,
    inputs: &[PathBuf],
    (output, reporting, names): (Option<&Path>, &Reporting, Option<&NamesFlag>),
    run: impl FnOnce() -> Result<Outcome>,
) -> Result<Exit> {
    let path = reporting.stats();
    let outputs = [("--output", output), ("--stats", path)];
    doiscan_engine::check_distinct(&outputs)?;
    check_addresses(command, inputs, &outputs)?;
    // A list may be the output of merge, which is replaced after all lists were read.
    let is_input = command == "merge" && output.is_some_and(|path| !is_stdout(path));
    doiscan_engine::check_replaced(inputs, &outputs[usize::from(is_input)..])?;
    if let Some(model) = names.and_then(NamesFlag::path) {
        doiscan_engine::check_replaced(&[model.to_path_buf()], &outputs)?;
    }
    standard_input_once(inputs)?;
    Invocation { context, command, inputs, path }.of(run)
}

/// How lists are made of inputs that are none.
pub(in crate::cli) struct Making<'a> {
    pub(in crate::cli) output: Option<&'a Path>,
    pub(in crate::cli) memory: &'a MemoryFlags,
    pub(in crate::cli) tables: Option<&'a Tables>,
    pub(in crate::cli) names: Option<&'a NamesFlag>,
    pub(in crate::cli) is_quiet: bool,
    pub(in crate::cli) log: Log,
}

/// Makes sorted lists of `paths` that are none, and says so.
pub(in crate::cli) fn prepared(paths: &[PathBuf], making: &Making<'_>) -> Result<Prepared> {
    let Making { output, memory, log, .. } = *making;
    let names = making.names.map_or(Ok(None), NamesFlag::open)?;
    let plan = Plan {
        scan: Options::default().with_names(names),
        output: output.map(Into::into),
        memory: Some(memory.limit()),
        temporary: memory.folders(output)?,
        io: AUTO,
        ..making.tables.map_or(Ok(Plan::default()), Tables::plan)?
    };
    let prepared = lists::prepare(paths, &plan).map_err(with_remedy)?;
    for made in &prepared.made {
        let names = plural(made.names, "DOI");
        let path = made.path.display();
        let mut files = String::new();
        if let Some(report) = &made.report {
            problems::say(&report.problems, false, log);
            problems::say_warnings(report, log);
            files = format!(" in {}", plural(report.stats.counts.files, "file"));
        }
        let what = match made.was {
            Argument::Unsorted => "is not sorted; sorted it",
            Argument::LowerCase => "is in lower case; wrote it in upper case",
            Argument::Index => "is an index; listed it",
            Argument::Scanned => "is not a list; scanned it",
            Argument::NoTable => "is not a table; scanned all of it",
        };
        let text = format!("{path} {what} first: {names}{files}");
        if !making.is_quiet {
            let event = Event::new(Level::Info, "made-list", text);
            let event = event.with("path", path.to_string()).with("dois", made.names);
            log.say(event.with("scanned", made.report.is_some()));
        }
    }
    Ok(prepared)
}

/// The problems of scanned inputs, and the status of a run that found them or else `exit`.
pub(in crate::cli) fn settled(prepared: &Prepared, exit: Exit) -> (Vec<Problem>, Exit) {
    let reports = prepared.made.iter().filter_map(|made| made.report.as_ref());
    let problems: Vec<_> = reports.flat_map(|report| report.problems.clone()).collect();
    let exit = if problems.is_empty() { exit } else { Exit::Partial };
    (problems, exit)
}

/// Adds to an error of a list the command that makes a list of its file.
pub(in crate::cli) fn with_remedy(error: doiscan_engine::Error) -> anyhow::Error {
    let path = match &error {
        doiscan_engine::Error::List(ListError::Line { path, .. }) => path,
        doiscan_engine::Error::List(ListError::Refused { path, what })
            if !what.contains("use doiscan scan") =>
        {
            path
        }
        _ => return error.into(),
    };
    let Some(name) = path.to_str() else { return error.into() };
    // Standard input can be read only once.
    let command = match name {
        "-" => "put this in front: doiscan scan - |".to_owned(),
        // A process substitution ends with the command.
        name if name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/") => {
            "put this at the end of the command in <(…): | doiscan scan -".to_owned()
        }
        name => format!("run: doiscan scan {} -o sorted.txt", in_shell(name)),
    };
    anyhow::anyhow!("{error}; to make a sorted list of its DOIs, {command}")
}
