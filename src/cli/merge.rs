//! `doiscan merge`: one list of several.

use super::exit::Exit;
use super::memory::{self, Size};
use super::summary::{grouped, plural};
use super::terminal;
use crate::pipeline::lists::{self, Operation, Plan};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
A list is what doiscan scan writes: one DOI (or shortDOI) a line, in the order of LC_ALL=C sort,
all in one case. Repeated names, a last line without its end, and line ends of Windows are
fine; a line that is out of order or no DOI, an empty one too, and lists of different case are
errors, and an old FILE is as it was.

Exit status: 0 done; 2 fatal or usage error.";

/// Merge sorted lists into one.
#[derive(Debug, Args)]
#[command(after_help = HELP, help_template = super::flags::TEMPLATE)]
pub(super) struct Merge {
    /// Sorted lists, - for standard input
    #[arg(value_name = "LIST", required = true)]
    pub(super) lists: Vec<PathBuf>,

    /// Write the list to FILE, not to standard output; it may be one of the lists
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Keep the names that all lists have, not those of any
    #[arg(long, conflicts_with = "subtract")]
    pub(super) intersect: bool,

    /// Keep the names of the first list that no other has
    #[arg(long)]
    pub(super) subtract: bool,

    /// Hold no more than SIZE of memory (512M, 2G) or PERCENT of what there is
    /// [default: 50% of the machine or its control group]
    #[arg(short = 'S', long, value_name = "SIZE|PERCENT", value_parser = Size::parse)]
    pub(super) memory: Option<Size>,

    /// Folder for what is spilled when there are more lists than files may be open; may be
    /// given again
    #[arg(short = 'T', long = "temp-dir", value_name = "FOLDER")]
    pub(super) temporary: Vec<PathBuf>,

    /// Say nothing but what went wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// Runs `doiscan merge`.
pub(super) fn merge(flags: &Merge) -> Result<Exit> {
    super::once(&flags.lists)?;
    let operation = match (flags.intersect, flags.subtract) {
        (true, _) => Operation::Intersection,
        (_, true) => Operation::Difference,
        _ => Operation::Union,
    };
    let plan = Plan {
        lists: flags.lists.clone(),
        operation,
        output: flags.output.clone(),
        memory: Some(flags.memory.unwrap_or(Size::Percent(50.0)).bytes()),
        temporary: memory::folders(&flags.temporary, flags.output.as_deref())?,
        width: None,
    };
    let figures = lists::merge(&plan)?;
    if !flags.quiet {
        let mut text = format!(
            "{} DOIs from {} lines of {}",
            grouped(figures.written),
            grouped(figures.lines),
            plural(plan.lists.len() as u64, "list"),
        );
        if figures.spilled_bytes > 0 {
            text.push_str(&format!("; spilled {} bytes", grouped(figures.spilled_bytes)));
        }
        terminal::say(&text);
    }
    Ok(Exit::Done)
}
