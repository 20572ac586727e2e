//! `doiscan prefixes`: counts names by prefix.

use crate::cli::context::Context;
use crate::cli::exit::Exit;
use crate::cli::log::{Event, Level, Log};
use crate::cli::numbers::plural;
use crate::cli::options::addresses::check_addresses;
use crate::cli::options::form::CsvFlags;
use crate::cli::options::lists::with_remedy;
use crate::cli::options::one_of::one_of;
use crate::cli::options::output::OutputFlag;
use crate::cli::options::reporting::Reporting;
use crate::cli::options::resources::folders;
use crate::cli::stats::{Invocation, Outcome};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use doiscan_engine::lists::{self, PrefixCount};
use doiscan_engine::output::{
    Compression, Layout, Output, OutputFormat, PREFIXES, TextRows, Value,
};
use doiscan_os::io::command::AUTO;
use serde_json::Map;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  doiscan prefixes dois.txt                the prefixes of a list, the most frequent first
  doiscan prefixes known.doix --sort prefix -o prefixes.csv
";

const DETAILS: &str = "\
A prefix is the text in front of the first slash, such as 10.1000, which tells the registrant. Columns:
prefix, names. Equal counts are in the order of the prefixes. A LIST is as for doiscan merge and is
read once; of an INDEX, which doiscan index made, only the places where the prefix changes are read.

Exit status:
  0  success
  2  fatal or usage error; an old FILE is unchanged

";

/// The formats of the table.
const TABLES: [OutputFormat; 4] =
    [OutputFormat::Tsv, OutputFormat::Csv, OutputFormat::Jsonl, OutputFormat::Xlsx];

/// Count the names of a list or an index by prefix
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{DETAILS}{EXAMPLES}"))]
pub(in crate::cli) struct Prefixes {
    /// A sorted list, - for standard input, or an index
    #[arg(value_name = "LIST|INDEX", help_heading = None)]
    input: PathBuf,

    #[command(flatten)]
    output: OutputFlag,

    /// Write rows as tsv, csv, jsonl or xlsx
    ///
    /// [default: from the suffix of -o FILE, else tsv]
    #[arg(long, value_parser = one_of(TABLES.map(|format| (format.name(), format))),
          hide_possible_values = true, value_name = "FORMAT", help_heading = "Output")]
    output_format: Option<OutputFormat>,

    #[command(flatten)]
    csv: CsvFlags,

    /// Sort by count, the largest first, or by prefix
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "count|prefix",
        help_heading = "Output"
    )]
    sort: Sort,

    #[command(flatten)]
    reporting: Reporting,
}

/// `--sort`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Sort {
    #[default]
    Count,
    Prefix,
}

impl Prefixes {
    pub(super) fn run(&self, context: &Context) -> Result<Exit> {
        let path = self.reporting.stats();
        let outputs = [("--output", self.output.path()), ("--stats", path)];
        doiscan_engine::check_distinct(&outputs)?;
        let inputs = std::slice::from_ref(&self.input);
        check_addresses("prefixes", inputs, &outputs)?;
        doiscan_engine::check_replaced(inputs, &outputs)?;
        let record = Invocation { context, command: "prefixes", inputs, path };
        record.of(|| self.prefixes(context.log))
    }

    fn prefixes(&self, log: Log) -> Result<Outcome> {
        let layout = self.layout()?;
        let mut counts = lists::prefixes(&self.input, AUTO).map_err(with_remedy)?;
        if self.sort == Sort::Count {
            counts.sort_by_key(|count| Reverse(count.names));
        }
        self.write(layout, &counts)?;
        let names: u64 = counts.iter().map(|count| count.names).sum();
        let prefixes = counts.len() as u64;
        let figures = [("prefixes", prefixes), ("names", names)];
        let figures: Map<_, _> =
            figures.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect();
        if !self.reporting.quiet {
            let prefixes = match prefixes {
                1 => "1 prefix".to_owned(),
                _ => plural(prefixes, "prefixe"),
            };
            let text = format!("{prefixes} of {}", plural(names, "DOI"));
            log.say_text(Event::new(Level::Info, "summary", text).with_all(figures.clone()));
        }
        Ok(Outcome { exit: Exit::Done, figures, problems: Vec::new() })
    }

    fn write(&self, layout: Layout, counts: &[PrefixCount]) -> Result<()> {
        let output = match self.output.path() {
            Some(path) => Output::file(path)?,
            None => Output::standard()?,
        };
        let mut output = output.in_layout(layout, &folders(&[], self.output.path())?)?;
        let (mut rows, mut text) = (TextRows::new(layout, PREFIXES), Vec::new());
        rows.header(&mut text);
        for count in counts {
            rows.push(&[Value::Doi(&count.prefix), Value::Number(count.names)], &mut text);
        }
        output.write(&text)?;
        output.finish()?;
        Ok(())
    }

    fn layout(&self) -> Result<Layout> {
        let path = self.output.path().unwrap_or(Path::new(""));
        let (named, is_named) = Layout::of(path)?;
        let format = match self.output_format {
            Some(format) => format,
            None if is_named => named.format,
            None => OutputFormat::Tsv,
        };
        if !TABLES.contains(&format) || named.compression != Compression::None {
            bail!("{}: expected a name that ends in .csv, .tsv, .jsonl or .xlsx", path.display());
        }
        self.csv.check(format == OutputFormat::Csv)?;
        Ok(Layout { format, csv: self.csv.style(), ..Layout::default() })
    }
}
