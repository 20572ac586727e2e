//! `doiscan scan`: from its flags to a plan, a run, and what is said about it.

use super::bar::{Bar, Show};
use super::exit::Exit;
use super::flags::{self, When};
use super::memory::{self, Size};
use super::{summary, terminal};
use crate::format::Format;
use crate::input::{self, Io, Limits, Select};
use crate::pipeline::{self, Plan, Record, Report};
use crate::scan::Options;
use anyhow::{Context, Result, anyhow, bail};
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

/// The longest `--max-length`: a scanner looks a multiple of it ahead.
const MAX_LENGTH: usize = 1024 * 1024;

/// Runs `doiscan scan`.
pub(super) fn scan(flags: &flags::Scan) -> Result<Exit> {
    let plan = plan(flags)?;
    let bar = Bar::new(show(flags), flags.verbose);
    let text = |report: &Report| format!("{:#}\n", summary::json(report));
    let record = flags.stats.as_deref().map(|path| Record { path, text: &text });
    let result = pipeline::run_with(&plan, record, &bar);
    bar.clear();
    let report = result?;
    for problem in &report.problems {
        terminal::say_line(&format!("doiscan: {problem}"));
    }
    if !flags.quiet {
        terminal::say(&summary::text(&report, flags.verbose));
    }
    Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Partial })
}

/// Every rule between flags.
fn plan(flags: &flags::Scan) -> Result<Plan> {
    let max_length = flags.max_length.get();
    if max_length > MAX_LENGTH {
        bail!("--max-length {max_length} is more than {MAX_LENGTH}");
    }
    let files =
        [("--output", &flags.output), ("--stats", &flags.stats), ("--short-doi", &flags.short_doi)];
    for (i, (flag, path)) in files.iter().enumerate() {
        let is_same = |other: &&(&str, &Option<PathBuf>)| match (other.1, path) {
            (Some(other), Some(path)) => crate::output::is_same_file(other, path),
            _ => false,
        };
        let same = files[..i].iter().find(is_same);
        if let (Some((other, _)), Some(path)) = (same, path) {
            bail!("{other} and {flag} are the same file: {}", path.display());
        }
    }
    if flags.format == flags::Format::Text && !flags.column.is_empty() {
        bail!("--column needs a table and --format text says that there is none");
    }
    Ok(Plan {
        inputs: inputs(flags)?,
        output: flags.output.clone(),
        threads: flags.threads,
        io: match flags.io {
            flags::Io::Mmap => Io::Mmap,
            flags::Io::Read => Io::Read,
            flags::Io::Auto => Io::Auto,
        },
        scan: Options { max_length, strict: flags.strict, join_lines: flags.join_lines },
        format: match flags.format {
            flags::Format::Csv => Format::Csv,
            flags::Format::Tsv => Format::Tsv,
            flags::Format::Text => Format::Text,
            flags::Format::Auto => Format::Auto,
        },
        columns: flags.column.clone(),
        lower: flags.case == flags::Case::Lower,
        short_doi: flags.short_doi.clone(),
        memory: Some(flags.memory.unwrap_or(Size::Percent(50.0)).bytes()),
        temporary: memory::folders(&flags.temporary, flags.output.as_deref())?,
        chunk: flags.chunk_size,
        limits: limits(flags),
        select: Select::new(&flags.glob).context("--glob")?,
    })
}

fn limits(flags: &flags::Scan) -> Limits {
    let usual = Limits::default();
    Limits {
        window: flags.max_window.unwrap_or(usual.window),
        ratio: flags.max_ratio,
        size: flags.max_unpacked.unwrap_or(usual.size),
        depth: flags.max_depth,
    }
}

/// What is named on the command line and in lists. Standard input can be one of them.
fn inputs(flags: &flags::Scan) -> Result<Vec<PathBuf>> {
    let lists = [(b'\n', &flags.files_from), (0, &flags.files0_from)];
    let lists = || lists.iter().flat_map(|(end, lists)| lists.iter().map(|l| (*end, l)));
    let standard = Path::new("-");
    let from_standard = lists().filter(|(_, list)| *list == standard).count();
    let mut inputs = match lists().next() {
        None => super::inputs(&flags.paths, "scan")?,
        Some(_) => flags.paths.clone(),
    };
    for (end, list) in lists() {
        let names = input::names(list, end);
        inputs.extend(names.map_err(|problem| anyhow!("list of files {problem}"))?);
    }
    let of_inputs = usize::from(inputs.iter().any(|path| path == standard));
    if from_standard + of_inputs > 1 {
        bail!("standard input cannot be a list of files and something else as well");
    }
    Ok(inputs)
}

fn show(flags: &flags::Scan) -> Show {
    match flags.progress {
        _ if flags.quiet => Show::Nothing,
        When::Never => Show::Nothing,
        _ if stderr().is_terminal() => Show::Bar,
        When::Always => Show::Lines,
        When::Auto => Show::Nothing,
    }
}
