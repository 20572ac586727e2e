//! The flags, as clap sees them.

use super::memory::Size;
use crate::doi::{self, eidr};
use crate::input::Limits;
use clap::builder::PossibleValue;
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
    /// Judge one identifier a line: valid or not, why, and what was meant
    Check(Check),
    /// Write DOIs and EIDRs in another form, one a line
    Convert(Convert),
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
  doiscan scan dump.jsonl.gz -o dois.txt  the DOIs of a file, a folder or an archive
  doiscan check --invalid values.txt      what is no DOI, and why
  doiscan convert --to url dois.txt       the addresses of DOIs
  doiscan merge a.txt b.txt -o all.txt    one list of two
  doiscan diff old.txt new.txt            what came and what went
";

const SCAN_EXAMPLES: &str = "\
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
each problem named on standard error; 128 + n ended by signal n.";

/// Find every DOI in files and folders and write one sorted list.
#[derive(Debug, Args)]
#[command(before_help = SCAN_EXAMPLES, after_help = SCAN_EXIT, help_template = TEMPLATE)]
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

const CHECK_EXAMPLES: &str = "\
Examples:
  doiscan check values.txt                a row for each line, in order
  cut -f3 table.tsv | doiscan check --invalid --output-format jsonl
  doiscan check --fail-on invalid -q new.txt > /dev/null || echo refuse it
";

const CHECK_ROWS: &str = "\
A row has the value, true or false, the canonical DOI, the reason with its place and the
notes, with tabulators between them (one within the value is written \\t), or
{\"input\":…,\"valid\":…,\"doi\":…,\"reason\":…,\"notes\":[…]}.

A value is judged as it stands by Z39.84-2005. It may be bare or behind doi:, info:doi/,
urn:doi: or the address of a resolver, characters raw or percent-encoded. The DOI of a
value that is damaged or not valid is the one that was meant, and noted as repaired.

Notes: reserved-suffix, eidr-check, short-registrant, repaired, percent-encoded, short-doi,
licence.

Exit status: 0 done; 1 there was an invalid value and --fail-on invalid; 2 fatal or usage
error; 3 not all could be read.";

/// Judge one identifier a line: valid or not, why, and what was meant.
#[derive(Debug, Default, Args)]
#[command(before_help = CHECK_EXAMPLES, after_help = CHECK_ROWS, help_template = TEMPLATE)]
pub(super) struct Check {
    /// Files with one value a line, or - for standard input; standard input when none is
    /// given and it is not a terminal
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// Write the rows to FILE, not to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Columns, or one JSON object a line
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "tsv|jsonl"
    )]
    pub(super) output_format: RowFormat,

    /// Write only the rows of valid values
    #[arg(long, conflicts_with = "invalid")]
    pub(super) valid: bool,

    /// Write only the rows of values that are not
    #[arg(long)]
    pub(super) invalid: bool,

    /// Exit with 1 when there is such a value
    #[arg(long, value_enum, hide_possible_values = true, value_name = "invalid")]
    pub(super) fail_on: Option<FailOn>,

    /// Repair nothing, and refuse suffixes that Z39.84 reserves and a % that is not %25
    #[arg(long)]
    pub(super) strict: bool,

    /// Use at most N threads [default: one a core]
    #[arg(short = 'j', long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,

    /// Say nothing but what went wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// `--output-format` of `check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum RowFormat {
    #[default]
    Tsv,
    Jsonl,
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Invalid,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  doiscan convert --to url dois.txt       10.1000/456#789 → https://doi.org/10.1000/456%23789
  doiscan convert --to plain urls.txt     and back
  doiscan convert --to eidr-compact --binary base64 eidrs.txt
";

const CONVERT_FORMS: &str = "\
Forms of a DOI:
  plain           10.1000/ABC: the canonical name
  lower           10.1000/abc
  doi             doi:10.1000/abc
  info            info:doi/10.1000/abc
  urn             urn:doi:10.1000:abc
  url             https://doi.org/10.1000/abc
Forms of an EIDR besides:
  eidr-canonical  10.5240/7791-8534-2C23-9030-8610-5
  eidr-plain      the same without hyphens
  eidr-compact    12 bytes, as text (see --binary)
  eidr-full       19 bytes, as text
  eidr-urn        urn:SCHEME:eidr:10.5240%2F7791-8534-2C23-9030-8610-5
  eidr-urn-colon  urn:eidr:10.5240:7791-8534-2C23-9030-8610-5
  eidr-u          urn:SCHEME:eidr-u:10.5240_7791-8534-2C23-9030-8610-5
  eidr-s          urn:SCHEME:eidr-s:7791-8534-2C23-9030-8610-5
  eidr-info, eidr-url, eidr-doi

Each of these is read too, whatever the form that is wanted. A % in a value begins an
encoded character, so a literal one is %25. A line that holds no identifier, or one
that has no such form, is left out and named on standard error.

Exit status: 0 done; 2 fatal or usage error; 3 a line was left out, or not all could be read.";

/// Write DOIs and EIDRs in another form, one a line.
#[derive(Debug, Args)]
#[command(before_help = CONVERT_EXAMPLES, after_help = CONVERT_FORMS, help_template = TEMPLATE)]
pub(super) struct Convert {
    /// Files with one identifier a line, or - for standard input; standard input when none is
    /// given and it is not a terminal
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// The form that is wanted, see below
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FORM")]
    pub(super) to: To,

    /// Write to FILE, not to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Encode in addresses also the characters for which that is only recommended
    #[arg(long)]
    pub(super) recommended: bool,

    /// Encode commas in addresses, for a which-RA request
    #[arg(long)]
    pub(super) which_ra: bool,

    /// Write addresses of this resolver [default: https://doi.org/]
    #[arg(long, value_name = "URL")]
    pub(super) resolver: Option<String>,

    /// The scheme of an EIDR's URN
    #[arg(long, value_name = "NAME")]
    pub(super) scheme: Option<String>,

    /// How binary forms are written as text [default: hex]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "hex|base64")]
    pub(super) binary: Option<Binary>,

    /// Use at most N threads [default: one a core]
    #[arg(short = 'j', long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,

    /// Say nothing but what went wrong
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// `--binary`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Binary {
    Hex,
    Base64,
}

/// `--to`: a form of DOIs, or one of EIDRs alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    Doi(doi::Form),
    Eidr(eidr::Form),
}

impl To {
    pub(super) fn name(self) -> &'static str {
        match self {
            To::Doi(doi::Form::Plain) => "plain",
            To::Doi(doi::Form::Lower) => "lower",
            To::Doi(doi::Form::Doi) => "doi",
            To::Doi(doi::Form::Info) => "info",
            To::Doi(doi::Form::Urn) => "urn",
            To::Doi(doi::Form::Url) => "url",
            To::Eidr(form) => form.name(),
        }
    }
}

impl ValueEnum for To {
    fn value_variants<'a>() -> &'a [Self] {
        use doi::Form as D;
        use eidr::Form as E;
        &[
            To::Doi(D::Plain),
            To::Doi(D::Lower),
            To::Doi(D::Doi),
            To::Doi(D::Info),
            To::Doi(D::Urn),
            To::Doi(D::Url),
            To::Eidr(E::Canonical),
            To::Eidr(E::Plain),
            To::Eidr(E::Compact),
            To::Eidr(E::Full),
            To::Eidr(E::Urn),
            To::Eidr(E::UrnColon),
            To::Eidr(E::U),
            To::Eidr(E::S),
            To::Eidr(E::Info),
            To::Eidr(E::Url),
            To::Eidr(E::Doi),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
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
