//! Checks a plan before anything is opened: settings that exclude each other, and files that would
//! replace each other or an input.

use super::Plan;
use super::kind::Kind;
use super::outputs::Target;
use super::report::ReportFile;
use crate::error::PlanError;
use crate::output::{self, OutputFormat};
use doiscan_core::format::Format;
use std::path::{Path, PathBuf};

/// An output: the setting that names it, and its file if it is wanted.
pub type NamedFile<'a> = (&'a str, Option<&'a Path>);

/// Maximum of [`Limits::depth`](doiscan_input::Limits::depth): each level takes a part of the stack.
pub const MOST_DEPTH: u32 = 64;

/// Checks `plan` and the files for reports.
pub(crate) fn check(plan: &Plan, outputs: &Outputs<'_>) -> Result<(), PlanError> {
    check_columns(plan.format, &plan.columns)?;
    check_counts(plan.counts, plan.layout.format)?;
    check_layouts(plan)?;
    check_gates(plan)?;
    if !(1..=MOST_DEPTH).contains(&plan.limits.depth) {
        let depth = plan.limits.depth;
        return invalid(format!("--max-depth {depth}: expected a number from 1 to {MOST_DEPTH}"));
    }
    let inputs: Vec<_> = plan.inputs.iter().chain(&plan.lists).cloned().collect();
    check_files(&inputs, &outputs.kept, &outputs.replaced)
}

fn invalid(message: impl Into<String>) -> Result<(), PlanError> {
    Err(PlanError::Invalid(message.into()))
}

/// The outputs of a run.
pub(crate) struct Outputs<'a> {
    /// Those that a gate may refuse, the list first.
    pub(crate) kept: Vec<NamedFile<'a>>,
    /// Those that are replaced in any case.
    pub(crate) replaced: Vec<NamedFile<'a>>,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(plan: &'a Plan, reports: &[ReportFile<'a>]) -> Self {
        let named = |kind: &Kind| {
            let path = kind.target(plan).and_then(|target| target.path);
            // Of both kinds of list, one is wanted, perhaps on standard output.
            (!kind.is_list() || kind.target(plan).is_some()).then(|| (kind.row().flag, path))
        };
        let (gated, free): (Vec<_>, Vec<_>) = Kind::ALL.iter().partition(|kind| kind.is_gated());
        let reports = reports.iter().map(|report| (report.flag, report.path));
        Outputs {
            kept: gated.into_iter().filter_map(named).collect(),
            replaced: reports.chain(free.into_iter().filter_map(named)).collect(),
        }
    }

    /// The paths of the outputs that are files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &'a Path> {
        self.kept.iter().chain(&self.replaced).filter_map(|(_, path)| *path)
    }

    /// The files that the run may replace: the outputs, and those in which refused ones are kept.
    pub(crate) fn targets(&self) -> Vec<(&'a str, PathBuf)> {
        let all = self.kept.iter().chain(&self.replaced);
        let files = all.filter_map(|&(flag, path)| Some((flag, path?.to_path_buf())));
        let beside =
            self.kept.iter().filter_map(|&(flag, path)| Some((flag, output::beside(path?)?)));
        files.chain(beside).collect()
    }
}

/// Fails if columns are selected and `format` has none.
pub fn check_columns(format: Format, columns: &[String]) -> Result<(), PlanError> {
    let is_table = matches!(format, Format::Auto | Format::Csv | Format::Tsv);
    match is_table || columns.is_empty() {
        true => Ok(()),
        false => invalid("--column needs a table: set --format csv or --format tsv"),
    }
}

/// The suffixes of tables.
const TABLES: &str = ".csv, .tsv, .jsonl, .parquet or .xlsx";

/// Fails if a list with counts has a format of one column.
pub fn check_counts(counts: bool, format: OutputFormat) -> Result<(), PlanError> {
    if format != OutputFormat::Lines || !counts {
        return Ok(());
    }
    invalid(format!("--counts needs a table: name the output {TABLES}, or set --output-format"))
}

fn check_layouts(plan: &Plan) -> Result<(), PlanError> {
    for kind in Kind::ALL {
        let Some(Target { path, layout }) = kind.target(plan) else { continue };
        let (flag, path) = (kind.row().flag, path.unwrap_or(Path::new("standard output")));
        let file = match kind.is_list() {
            true => path.display().to_string(),
            false => format!("{flag} {}", path.display()),
        };
        layout.check().map_err(|cause| PlanError::Invalid(format!("{file}: {cause}")))?;
        let has_columns = !kind.is_list() && (kind.row().columns)().len() > 1;
        if has_columns && layout.format == OutputFormat::Lines {
            return invalid(format!("{file}: expected a name that ends in {TABLES}"));
        }
    }
    Ok(())
}

fn check_gates(plan: &Plan) -> Result<(), PlanError> {
    // Standard output has no old list, even if it leads to a file.
    let has_file = plan.output.as_deref().is_some_and(|path| !output::is_stdout(path));
    match plan.gates.max_drop {
        Some(value) if !(0.0..=100.0).contains(&value) => {
            invalid(format!("--max-drop {value}: expected a number from 0 to 100"))
        }
        Some(_) if plan.layout.format == OutputFormat::Xlsx => {
            invalid("--max-drop cannot read Excel files: name the list .csv, or remove --max-drop")
        }
        Some(_) if !has_file => invalid("--max-drop needs an output file: set -o FILE"),
        _ => Ok(()),
    }
}

/// Fails if two outputs are one file, if an output replaces one of `inputs`, or if it has the name
/// under which a refused one is kept. `kept` are the outputs that a gate may refuse, the list first.
/// `replaced` are the others.
pub fn check_files(
    inputs: &[PathBuf],
    kept: &[NamedFile<'_>],
    replaced: &[NamedFile<'_>],
) -> Result<(), PlanError> {
    let all: Vec<_> = kept.iter().chain(replaced).copied().collect();
    check_distinct(&all)?;
    check_replaced(inputs, &all)?;
    for (refused, path) in named(kept) {
        let Some(failed) = output::beside(path) else { continue };
        if let Some((flag, _)) = named(&all).find(|(_, path)| output::is_same_file(path, &failed)) {
            let failed = failed.display();
            return invalid(format!(
                "{flag} names the file in which a refused {refused} is kept, {failed}; choose another name"
            ));
        }
    }
    Ok(())
}

/// Fails if one of `outputs` replaces one of `inputs`, or if the list is appended to one of them by
/// standard output.
pub fn check_replaced(inputs: &[PathBuf], outputs: &[NamedFile<'_>]) -> Result<(), PlanError> {
    // `-` is the file that standard input comes from.
    let is_read = |input: &Path, path: &Path| match input == Path::new("-") {
        true => {
            output::standard_input().is_some_and(|file| output::existing(Some(path)) == Some(file))
        }
        false => output::is_same_file(input, path),
    };
    // The list is written to standard output if it has no file.
    let has_standard = outputs.iter().any(|(flag, path)| *flag == "--output" && path.is_none());
    let standard = has_standard.then(|| output::existing(None)).flatten();
    let is_standard = |input: &&PathBuf| match input.as_path() == Path::new("-") {
        true => output::standard_input() == standard,
        false => output::existing(Some(input)) == standard,
    };
    if let Some(path) = inputs.iter().find(|input| standard.is_some() && is_standard(input)) {
        let flag = "standard output".to_owned();
        return Err(PlanError::ReplacesInput { flag, path: path.clone() });
    }
    let is_input = |&(_, path): &(&str, &Path)| inputs.iter().any(|input| is_read(input, path));
    match named(outputs).find(is_input) {
        None => Ok(()),
        Some((flag, path)) => {
            Err(PlanError::ReplacesInput { flag: flag.to_owned(), path: path.to_owned() })
        }
    }
}

/// Fails if two of these outputs are one file, or if more than one is standard output. The first is
/// the list, which is written to standard output if it has no file.
pub fn check_distinct(files: &[NamedFile<'_>]) -> Result<(), PlanError> {
    let is_standard = |&&(flag, path): &&NamedFile<'_>| match path {
        Some(path) => path == Path::new("-") || output::is_stdout(path),
        None => flag == "--output",
    };
    let mut standard = files.iter().filter(is_standard);
    if let (Some((first, given)), Some((second, _))) = (standard.next(), standard.next()) {
        let first = if given.is_some() { first } else { "the list" };
        return invalid(format!(
            "{first} and {second} would both be written to standard output; name a file for one of \
             them, for example with -o FILE"
        ));
    }
    let given: Vec<_> = named(files).collect();
    for (index, (flag, path)) in given.iter().enumerate() {
        let is_same = |other: &&(&str, &Path)| output::is_same_file(other.1, path);
        if let Some((other, _)) = given[..index].iter().find(is_same) {
            return invalid(format!("{other} and {flag} are the same file: {}", path.display()));
        }
    }
    Ok(())
}

/// The outputs that are files, or standard output by its path.
fn named<'a>(files: &'a [NamedFile<'a>]) -> impl Iterator<Item = (&'a str, &'a Path)> {
    files.iter().filter_map(|&(flag, path)| Some((flag, path?)))
}

#[cfg(test)]
mod tests;
