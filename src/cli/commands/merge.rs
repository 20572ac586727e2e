//! `doiscan merge`: combines several lists into one.

use crate::cli::context::Context;
use crate::cli::exit::Exit;
use crate::cli::log::{Event, Level, Log};
use crate::cli::numbers::plural;
use crate::cli::options::addresses::check_addresses;
use crate::cli::options::form::ListFormat;
use crate::cli::options::lists::{Making, prepared, settled, standard_input_once, with_remedy};
use crate::cli::options::output::OutputFlag;
use crate::cli::options::reporting::Reporting;
use crate::cli::options::resources::MemoryFlags;
use crate::cli::options::tables::Tables;
use crate::cli::stats::{Invocation, Outcome};
use anyhow::Result;
use clap::Args;
use doiscan_engine::lists::{self, MergePlan, Operation};
use serde_json::Map;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  doiscan merge a.txt b.txt -o all.txt            the names in any of the lists
  doiscan merge --intersect a.txt b.txt           the names in all of the lists
  doiscan merge --subtract all.txt withdrawn.txt  the names only in the first list
  doiscan merge crossref/ scopus.csv refs.bib     the names in a folder and two other files
";

const DETAILS: &str = "\
A list is a file that doiscan scan writes: one DOI (or shortDOI) per line, in the order of
LC_ALL=C sort, all in one case. Repeated names, Windows line ends, and a last line without
a line end are accepted. The output may be one of the lists; an error leaves it unchanged.

Other INPUTs become lists first, in a temporary file, which is said on standard error: a list
that is out of order or in both cases is sorted, a list in lower case is written in upper case if
another is in upper case, the names of an index are listed, and anything else is scanned, such as a
folder, an archive, a PDF or a table of another program. The first 256 KiB of text tell a list: at
least half of the lines are DOIs. In a list, a line that is empty or not a DOI is an error, because
the list may be damaged; so is a line that is out of order or in the other case after the first
256 KiB, and any fault of standard input or a pipe.

Exit status:
  0  success
  2  fatal or usage error
  3  some inputs that were scanned could not be read completely

";

/// Merge lists or other inputs: union, intersection or difference
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{DETAILS}{EXAMPLES}"))]
pub(in crate::cli) struct Merge {
    /// Lists, or anything that scan reads; - is a list from standard input
    #[arg(value_name = "INPUT", required = true, help_heading = None)]
    lists: Vec<PathBuf>,

    #[command(flatten)]
    output: OutputFlag,

    #[command(flatten)]
    form: ListFormat,

    /// Keep only names that are in every list
    #[arg(long, conflicts_with = "subtract", help_heading = "Output")]
    intersect: bool,

    /// Keep only names of the first list that are in no other list
    #[arg(long, help_heading = "Output")]
    subtract: bool,

    /// Write an empty list rather than fail
    ///
    /// Without it, a result that is empty because a LIST is empty does not replace a FILE that has
    /// names, and the exit status is 2: the command that wrote the LIST may have failed.
    #[arg(long, help_heading = "Output")]
    allow_empty: bool,

    #[command(flatten)]
    tables: Tables,

    #[command(flatten)]
    memory: MemoryFlags,

    #[command(flatten)]
    reporting: Reporting,
}

impl Merge {
    #[cfg(feature = "remote")]
    pub(super) fn memory(&self) -> usize {
        self.memory.limit()
    }

    pub(super) fn run(&self, context: &Context) -> Result<Exit> {
        let path = self.reporting.stats();
        let list = ("--output", self.output.path());
        doiscan_engine::check_distinct(&[list, ("--stats", path)])?;
        check_addresses("merge", &self.lists, &[list, ("--stats", path)])?;
        // A file may be an input: it is replaced after all lists were read.
        let list = self.output.is_standard().then_some(list);
        let outputs: Vec<_> = list.into_iter().chain([("--stats", path)]).collect();
        doiscan_engine::check_replaced(&self.lists, &outputs)?;
        standard_input_once(&self.lists)?;
        let record = Invocation { context, command: "merge", inputs: &self.lists, path };
        record.of(|| self.merge(context.log))
    }

    fn merge(&self, log: Log) -> Result<Outcome> {
        let operation = match (self.intersect, self.subtract) {
            (true, _) => Operation::Intersection,
            (_, true) => Operation::Difference,
            _ => Operation::Union,
        };
        let layout = self.form.layout(self.output.path())?;
        self.form.restyle(layout, [])?;
        let (output, memory, tables) = (self.output.path(), &self.memory, Some(&self.tables));
        let making = Making { output, memory, tables, is_quiet: self.reporting.quiet, log };
        let prepared = prepared(&self.lists, &making)?;
        let plan = MergePlan {
            lists: prepared.lists.clone(),
            operation,
            output: self.output.path().map(Into::into),
            layout,
            memory: Some(self.memory.limit()),
            temporary: self.memory.folders(self.output.path())?,
            width: None,
            allow_empty: self.allow_empty,
        };
        let named = |error| with_remedy(prepared.named(error));
        let figures = lists::merge(&plan).map_err(named)?;
        let counts = [
            ("lists", plan.lists.len() as u64),
            ("lines", figures.lines),
            ("written", figures.written),
            ("spilled_bytes", figures.spilled_bytes),
        ];
        let counts: Map<_, _> =
            counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect();
        if !self.reporting.quiet {
            let mut text = format!(
                "{} from {} of {}",
                plural(figures.written, "DOI"),
                plural(figures.lines, "line"),
                plural(plan.lists.len() as u64, "list"),
            );
            if figures.spilled_bytes > 0 {
                text.push_str(&format!("; spilled {}", plural(figures.spilled_bytes, "byte")));
            }
            log.say_text(Event::new(Level::Info, "summary", text).with_all(counts.clone()));
        }
        let (problems, exit) = settled(&prepared, Exit::Done);
        Ok(Outcome { exit, figures: counts, problems })
    }
}
