//! The flags, as clap sees them.

use super::memory::Size;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Finds every DOI in bibliographic dumps of any size and notation.
#[derive(Debug, Parser)]
#[command(name = "doiscan", version, about, disable_help_subcommand = true)]
#[command(before_help = EXAMPLES, help_template = TEMPLATE)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find every DOI in files and folders and write one sorted list
    Scan(Scan),
    /// Merge sorted lists into one
    Merge(super::merge::Merge),
    /// Tell what came and what went between two sorted lists
    Diff(super::diff::Diff),
}

/// The examples come first.
pub(super) const TEMPLATE: &str = "\
{before-help}{about}

{usage-heading} {usage}

{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  doiscan scan dump.jsonl -o dois.txt     the DOIs of one file
  doiscan scan crossref/ extra.csv > all  of a folder and all below it, and a file
  zcat dump.gz | doiscan scan -           of what another command writes
  doiscan scan dump/ -o d.txt --stats s   with the figures of the run as JSON
";

const SCAN_EXIT: &str = "\
The list has one canonical DOI a line, each once, sorted by bytes
(LC_ALL=C sort -c -u agrees). An old FILE is replaced when all is done, or not at all.

Exit status: 0 done; 2 fatal or usage error; 3 done for all that could be read,
each problem named on standard error.";

/// Find every DOI in files and folders and write one sorted list.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = SCAN_EXIT, help_template = TEMPLATE)]
pub(super) struct Scan {
    /// Files, folders with everything below them, or - for standard input;
    /// standard input when none is given and it is not a terminal
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// Write the list to FILE, not to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Search only this column of CSV or TSV: its name in the first record, or its
    /// number from 1; may be given again
    #[arg(long, value_name = "NAME|N")]
    pub(super) column: Vec<String>,

    /// Take every input for this; auto goes by its name; csv takes the delimiter
    /// (, ; | or a tabulator) from the first line
    #[arg(long, value_enum, default_value_t = Format::Auto, hide_possible_values = true,
          value_name = "csv|tsv|text|auto")]
    pub(super) format: Format,

    /// Use at most N threads [default: one a core]
    #[arg(short = 'j', long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,

    /// Hold no more than SIZE of memory (512M, 2G) or PERCENT of what there is (25%); what
    /// does not fit is sorted and spilled to temporary files, and the list is the same
    /// [default: 50% of the machine or its control group]
    #[arg(short = 'S', long, value_name = "SIZE|PERCENT", value_parser = Size::parse)]
    pub(super) memory: Option<Size>,

    /// Spill to this folder; may be given again, and then they are used in turn
    /// [default: $TMPDIR, else the folder of the list, else /var/tmp]
    #[arg(short = 'T', long = "temp-dir", value_name = "FOLDER")]
    pub(super) temporary: Vec<PathBuf>,

    /// Map files into memory or read them; auto maps large local files
    #[arg(long, value_enum, default_value_t = Io::Auto, hide_possible_values = true,
          value_name = "mmap|read|auto")]
    pub(super) io: Io,

    /// Show a progress bar; auto shows it on a terminal
    #[arg(long, value_enum, default_value_t = When::Auto, hide_possible_values = true,
          value_name = "auto|always|never")]
    pub(super) progress: When,

    /// Say nothing but what went wrong
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,

    /// Name each input and each reason for which candidates were rejected
    #[arg(short, long)]
    pub(super) verbose: bool,

    /// Write the figures of the run to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) stats: Option<PathBuf>,

    /// Undo no damage (dashes for hyphens, characters without width, punctuation at
    /// the end of a field) and refuse suffixes that Z39.84 reserves
    #[arg(long)]
    pub(super) strict: bool,

    /// Join a DOI that the end of a line cuts behind one of / - . _ (
    #[arg(long, conflicts_with = "strict")]
    pub(super) join_lines: bool,

    /// Write DOIs in upper or lower case, sorted so
    #[arg(long, value_enum, default_value_t = Case::Upper, hide_possible_values = true,
          value_name = "upper|lower")]
    pub(super) case: Case,

    /// Also look for shortDOIs (10/abc, doi.org/abc) and write their list to FILE; they
    /// are not expanded, which needs the network
    #[arg(long, value_name = "FILE")]
    pub(super) short_doi: Option<PathBuf>,

    /// Take no DOI longer than this
    #[arg(long, value_name = "BYTES", default_value_t = default_max_length())]
    pub(super) max_length: NonZeroUsize,

    /// Bytes of input a worker takes at a time
    #[arg(long, value_name = "BYTES", hide = true, default_value_t = crate::pipeline::CHUNK)]
    pub(super) chunk_size: NonZeroUsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Io {
    Mmap,
    Read,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Csv,
    Tsv,
    Text,
    Auto,
}

/// `--case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Case {
    Upper,
    Lower,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    Auto,
    Always,
    Never,
}

fn default_max_length() -> NonZeroUsize {
    NonZeroUsize::new(crate::scan::Options::default().max_length).unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }
}
