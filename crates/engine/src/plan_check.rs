//! Checks a plan before anything is opened: settings that exclude each other, and files that would
//! replace each other or an input.

use super::plan::{Plan, ReportFile, SideFile};
use crate::output::{self, LayoutError, OutputFormat};
use doiscan_core::format::Format;
use std::path::{Path, PathBuf};

/// A plan that cannot be run. Messages name a setting as the command does: `--hits` is
/// [`Plan::hits`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Columns are selected, and the inputs are not tables.
    #[error("--column needs a table: set --format csv or --format tsv")]
    ColumnsWithoutTable,
    /// The list has counts, and its format has only one column.
    #[error(
        "--counts needs a table: name the output .csv, .tsv, .jsonl or .parquet, or set --output-format"
    )]
    CountsWithoutTable,
    /// A file of rows with several columns has a format with one.
    #[error("{flag} {}: expected a name that ends in .csv, .tsv, .jsonl or .parquet", .path.display())]
    RowsWithoutTable {
        /// The setting.
        flag: String,
        /// Its file.
        path: PathBuf,
    },
    /// The format of a file cannot be written.
    #[error("{file}: {cause}")]
    Layout {
        /// The file, after the setting that names it.
        file: String,
        /// Why it cannot be written.
        #[source]
        cause: LayoutError,
    },
    /// A percentage is not one.
    #[error("{flag} {value}: expected a number from 0 to 100")]
    Percent {
        /// The setting.
        flag: String,
        /// Its value.
        value: String,
    },
    /// A setting compares or keeps an old file, and there is no output file.
    #[error("{flag} needs an output file: set -o FILE")]
    WithoutOutput {
        /// The setting.
        flag: String,
    },
    /// Archives may be nested more deeply than the program can follow.
    #[error("--max-depth {depth}: expected a number from 1 to {most}")]
    Depth {
        /// The number.
        depth: u32,
        /// The largest number accepted.
        most: u32,
    },
    /// Two outputs are standard output.
    #[error(
        "{first} and {second} would both be written to standard output; name a file for one of them, for example with -o FILE"
    )]
    StandardTwice {
        /// One output.
        first: String,
        /// The other.
        second: String,
    },
    /// Two outputs are one file.
    #[error("{first} and {second} are the same file: {}", .path.display())]
    SameFile {
        /// One output.
        first: String,
        /// The other.
        second: String,
        /// The file.
        path: PathBuf,
    },
    /// An output would replace an input.
    #[error("{flag} would replace an input: {}", .path.display())]
    ReplacesInput {
        /// The output.
        flag: String,
        /// Its file.
        path: PathBuf,
    },
    /// An output has the name under which another is kept if a gate refuses it.
    #[error("{flag} names the file in which a refused {refused} is kept, {}; choose another name", .path.display())]
    ReplacesRefused {
        /// The output.
        flag: String,
        /// The output that may be refused.
        refused: String,
        /// The file.
        path: PathBuf,
    },
}

/// An output: the setting that names it, and its file if it is wanted.
pub type NamedFile<'a> = (&'a str, Option<&'a Path>);

/// Maximum of [`Limits::depth`](doiscan_input::Limits::depth): each level takes a part of the stack.
pub const MOST_DEPTH: u32 = 64;

/// Checks `plan` and the files for reports.
pub(super) fn check(plan: &Plan, outputs: &Outputs<'_>) -> Result<(), PlanError> {
    check_columns(plan.format, &plan.columns)?;
    check_counts(plan.counts, plan.layout.format)?;
    check_layouts(plan)?;
    check_gates(plan)?;
    if !(1..=MOST_DEPTH).contains(&plan.limits.depth) {
        return Err(PlanError::Depth { depth: plan.limits.depth, most: MOST_DEPTH });
    }
    let lists = plan.lists.iter().map(|list| &list.path);
    let inputs: Vec<_> = plan.inputs.iter().chain(lists).cloned().collect();
    check_files(&inputs, &outputs.kept, &outputs.replaced)
}

/// The outputs of a run.
pub(super) struct Outputs<'a> {
    /// Those that a gate may refuse, the list first.
    pub(super) kept: Vec<NamedFile<'a>>,
    /// Those that are replaced in any case.
    pub(super) replaced: Vec<NamedFile<'a>>,
}

impl<'a> Outputs<'a> {
    pub(super) fn new(plan: &'a Plan, reports: &[ReportFile<'a>]) -> Self {
        let mut kept = vec![
            ("--output", plan.output.as_deref()),
            ("--short-doi", plan.short_doi.as_deref()),
            ("--eidr", path(&plan.eidr)),
            ("--hits", path(&plan.hits)),
            ("--rejects", path(&plan.rejects)),
        ];
        let changes = plan.change_files().map(|file| file.map(|file| file.path.as_path()));
        kept.extend(["--added", "--removed"].into_iter().zip(changes));
        let reports = reports.iter().map(|report| (report.flag, report.path));
        let replaced = reports.chain([("--stats-inputs", path(&plan.stats_inputs))]).collect();
        Outputs { kept, replaced }
    }

    /// The paths of the outputs that are files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a Path> {
        self.kept.iter().chain(&self.replaced).filter_map(|(_, path)| *path)
    }

    /// The files that the run may replace: the outputs, and those in which refused ones are kept.
    pub(super) fn targets(&self) -> Vec<(&'a str, PathBuf)> {
        let all = self.kept.iter().chain(&self.replaced);
        let files = all.filter_map(|&(flag, path)| Some((flag, path?.to_path_buf())));
        let beside =
            self.kept.iter().filter_map(|&(flag, path)| Some((flag, output::beside(path?)?)));
        files.chain(beside).collect()
    }
}

fn path(file: &Option<SideFile>) -> Option<&Path> {
    file.as_ref().map(|file| file.path.as_path())
}

/// Fails if columns are selected and `format` has none.
pub fn check_columns(format: Format, columns: &[String]) -> Result<(), PlanError> {
    let is_table = matches!(format, Format::Auto | Format::Csv | Format::Tsv);
    if is_table || columns.is_empty() { Ok(()) } else { Err(PlanError::ColumnsWithoutTable) }
}

/// Fails if a list with counts has a format of one column.
pub fn check_counts(counts: bool, format: OutputFormat) -> Result<(), PlanError> {
    let is_table = format != OutputFormat::Lines;
    if is_table || !counts { Ok(()) } else { Err(PlanError::CountsWithoutTable) }
}

fn check_layouts(plan: &Plan) -> Result<(), PlanError> {
    let unwritable = |file: String| |cause| PlanError::Layout { file, cause };
    let list = plan.output.as_deref().unwrap_or(Path::new("standard output"));
    plan.layout.check().map_err(unwritable(list.display().to_string()))?;
    let [added, removed] = plan.change_files();
    for (flag, file, has_columns) in [
        ("--hits", plan.hits.as_ref(), true),
        ("--rejects", plan.rejects.as_ref(), true),
        ("--stats-inputs", plan.stats_inputs.as_ref(), true),
        ("--eidr", plan.eidr.as_ref(), false),
        ("--added", added, false),
        ("--removed", removed, false),
    ] {
        let Some(SideFile { path, layout }) = file else { continue };
        layout.check().map_err(unwritable(format!("{flag} {}", path.display())))?;
        if has_columns && layout.format == OutputFormat::Lines {
            return Err(PlanError::RowsWithoutTable { flag: flag.to_owned(), path: path.clone() });
        }
    }
    Ok(())
}

fn check_gates(plan: &Plan) -> Result<(), PlanError> {
    let gates = &plan.gates;
    let flag = || "--max-drop".to_owned();
    // Standard output has no old list, even if it leads to a file.
    let has_file = plan.output.as_deref().is_some_and(|path| !output::is_stdout(path));
    match gates.max_drop {
        Some(value) if !(0.0..=100.0).contains(&value) => {
            Err(PlanError::Percent { flag: flag(), value: value.to_string() })
        }
        Some(_) if !has_file => Err(PlanError::WithoutOutput { flag: flag() }),
        _ if gates.keep_old_on_error && !has_file => {
            Err(PlanError::WithoutOutput { flag: "--keep-old-on-error".to_owned() })
        }
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
            let (flag, refused) = (flag.to_owned(), refused.to_owned());
            return Err(PlanError::ReplacesRefused { flag, refused, path: failed });
        }
    }
    Ok(())
}

/// Fails if one of `outputs` replaces one of `inputs`.
pub fn check_replaced(inputs: &[PathBuf], outputs: &[NamedFile<'_>]) -> Result<(), PlanError> {
    // `-` is the file that standard input comes from.
    let is_read = |input: &Path, path: &Path| match input == Path::new("-") {
        true => {
            output::standard_input().is_some_and(|file| output::existing(Some(path)) == Some(file))
        }
        false => output::is_same_file(input, path),
    };
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
        let (first, second) = (first.to_owned(), (*second).to_owned());
        return Err(PlanError::StandardTwice { first, second });
    }
    let given: Vec<_> = named(files).collect();
    for (index, (flag, path)) in given.iter().enumerate() {
        let is_same = |other: &&(&str, &Path)| output::is_same_file(other.1, path);
        if let Some((other, _)) = given[..index].iter().find(is_same) {
            let (first, second) = ((*other).to_owned(), (*flag).to_owned());
            return Err(PlanError::SameFile { first, second, path: path.to_path_buf() });
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
