//! The flags, as clap sees them.

use crate::input::Limits;
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
}

/// The examples come first.
const TEMPLATE: &str = "\
{before-help}{about}

{usage-heading} {usage}

{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  doiscan scan dump.jsonl -o dois.txt     the DOIs of one file
  doiscan scan crossref/ extra.csv > all  of a folder and all below it, and a file
  doiscan scan crossref.tar dump.json.gz  of archives and compressed files, as they are
  pdftotext a.pdf - | doiscan scan -      of what another command writes
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

    /// Also read the files and folders that FILE names, one a line; - is standard input;
    /// may be given again
    #[arg(long, value_name = "FILE")]
    pub(super) files_from: Vec<PathBuf>,

    /// The same with a zero byte behind each name, as find -print0 writes them
    #[arg(long, value_name = "FILE")]
    pub(super) files0_from: Vec<PathBuf>,

    /// Of the files in folders read those that match, with ! before it those that do not;
    /// may be given again, the last that matches decides
    #[arg(short, long, value_name = "GLOB")]
    pub(super) glob: Vec<String>,

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

    /// Map files into memory or read them; auto maps large local files
    #[arg(long, value_enum, default_value_t = Io::Auto, hide_possible_values = true,
          value_name = "mmap|read|auto")]
    pub(super) io: Io,

    /// Show how far it is: a bar on a terminal; elsewhere, with always, a line every 30 s
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

    /// Stop unpacking an input at N times the bytes that were read of it
    #[arg(long, value_name = "N", default_value_t = Limits::default().ratio)]
    pub(super) max_ratio: u64,

    /// Stop unpacking an input at this size: 500G, 32T [default: 16T]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) max_unpacked: Option<u64>,

    /// Grant zstd and xz a window of this size: 2G [default: 128M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) max_window: Option<u64>,

    /// Undo at most N archives and codecs within one another
    #[arg(long, value_name = "N", default_value_t = Limits::default().depth,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) max_depth: u32,

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

/// A number of bytes: digits, and perhaps K, M, G or T for powers of 1024.
fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        Some(b'T') => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a size such as 512M".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "more than there can be".to_owned())
}

fn default_max_length() -> NonZeroUsize {
    NonZeroUsize::new(crate::scan::Options::default().max_length).unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn sizes_have_a_unit_or_none() {
        assert_eq!(size("7"), Ok(7));
        assert_eq!(size("3k"), Ok(3 * 1024));
        assert_eq!(size("16T"), Ok(16 << 40));
        for wrong in ["", "M", "1.5G", "-1", "99999999999T", "é"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }
}
