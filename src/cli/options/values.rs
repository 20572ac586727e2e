//! Flags for the values of `check` and `convert`: files, and columns or fields in them.

use super::input::or_standard_input;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use doiscan_core::format::Format;
use doiscan_core::format::fields::Wanted;
use doiscan_engine::{TableColumn, is_read_as_table};
use doiscan_input::Codec;
use std::path::{Path, PathBuf};

/// The inputs of `check` and `convert`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub(in crate::cli) struct ValueFlags {
    /// Files with one value per line, values themselves, or - for standard input
    ///
    /// An argument is a value if it looks like an identifier, no file has this name, and neither
    /// --column nor --field is given. Without arguments, standard input is read unless it is a terminal.
    #[arg(value_name = "FILE|VALUE", help_heading = None)]
    files: Vec<PathBuf>,

    /// Read a column of CSV, TSV or a spreadsheet, by name or number
    ///
    /// NAME is a name in the header, the first record; N counts from 1. Line ends in quotes are part of
    /// the cell.
    #[arg(long, value_name = "NAME|N")]
    column: Option<String>,

    /// Read this sheet of spreadsheets, by name or number [default: the first]
    #[arg(long, value_name = "NAME|N", requires = "column")]
    sheet: Option<String>,

    /// Read a field of JSON lines or of a bibliography
    ///
    /// NAME is a key of the object, or a path such as /message/DOI. Each element of an array is a
    /// separate value. In BibTeX, RIS, nbib, MARC and XML it is a field, and for check in a table a
    /// column, as for scan.
    #[arg(long, value_name = "NAME", conflicts_with = "column")]
    field: Option<String>,

    /// Read every input as lines, csv, tsv or jsonl
    ///
    /// auto, the default, reads csv or tsv with --column, depending on the file name; jsonl with
    /// --field; and lines otherwise, of which check knows bibliographies and tables with DOIs. csv detects the delimiter (, ; | or a tab) in the first record.
    #[arg(
        long,
        alias = "input-format",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "FORMAT"
    )]
    format: InputFormat,

    /// Read the first record of a table as values, not as a header
    ///
    /// --column must then be a number, and the output has no header either.
    #[arg(long, requires = "column")]
    no_header: bool,

    /// Read values that end with a zero byte instead of a line end
    #[arg(short = '0', long = "null", conflicts_with_all = ["column", "field"])]
    is_null: bool,
}

/// `--format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum InputFormat {
    Lines,
    Csv,
    Tsv,
    Jsonl,
    #[default]
    Auto,
}

impl ValueFlags {
    /// Returns the files to read for `command`.
    pub(in crate::cli) fn files(&self, command: &str) -> Result<Vec<PathBuf>> {
        or_standard_input(&self.files, command)
    }

    /// Divides the arguments that look like identifiers: returns those that are values, because no
    /// file has this name, and those that are files.
    pub(in crate::cli) fn identifiers(&self, inputs: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        if self.is_table() || self.field.is_some() {
            return Default::default();
        }
        let looked = inputs.iter().filter(|path| is_identifier(&path.to_string_lossy()));
        looked.cloned().partition(|path| path.symlink_metadata().is_err())
    }

    /// Returns the field of JSON Lines that holds the values.
    pub(in crate::cli) fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// The fields of bibliographies that are values, unless the format is given.
    pub(in crate::cli) fn fields(&self) -> Wanted {
        let is_auto = self.format == InputFormat::Auto && self.column.is_none() && !self.is_null;
        let names: Vec<_> = self.field.iter().filter(|_| is_auto).cloned().collect();
        Wanted { own: is_auto && names.is_empty(), cited: false, names }
    }

    pub(in crate::cli) fn is_table(&self) -> bool {
        self.column.is_some()
    }

    /// Returns the first of `files` that is read as lines although its name is that of a table.
    pub(in crate::cli) fn table_read_as_lines<'a>(&self, files: &'a [PathBuf]) -> Option<&'a Path> {
        if self.format != InputFormat::Auto || self.is_table() || self.field.is_some() {
            return None;
        }
        let is_table = |path: &&Path| {
            let name = Codec::inner_name(path);
            Format::Auto.table(Some(name.as_os_str().as_encoded_bytes()), b"").is_some()
                && !(self.fields().own && path.is_file() && is_read_as_table(path))
        };
        files.iter().map(PathBuf::as_path).find(is_table)
    }

    /// Whether a table has a header.
    pub(in crate::cli) fn has_header(&self) -> bool {
        !self.no_header
    }

    /// Returns the location of the values. Fails if the flags contradict each other.
    pub(in crate::cli) fn place(&self) -> Result<doiscan_engine::ValueSource> {
        let format = match (self.format, &self.column, &self.field) {
            (InputFormat::Lines | InputFormat::Csv | InputFormat::Tsv, _, Some(_)) => {
                bail!("--field needs JSON lines: set --format jsonl")
            }
            (InputFormat::Lines | InputFormat::Jsonl, Some(_), _) => {
                bail!("--column needs a table: set --format csv or tsv")
            }
            (InputFormat::Csv | InputFormat::Tsv, None, _) => {
                bail!("--format csv and tsv need a column: add --column NAME")
            }
            (InputFormat::Jsonl, _, None) => {
                bail!("--format jsonl needs a field: add --field NAME")
            }
            (InputFormat::Csv, ..) => Format::Csv,
            (InputFormat::Tsv, ..) => Format::Tsv,
            _ => Format::Auto,
        };
        let Some(name) = self.column.clone() else {
            return Ok(match self.is_null {
                true => doiscan_engine::ValueSource::Zeros,
                false => doiscan_engine::ValueSource::Lines,
            });
        };
        let (has_header, sheet) = (self.has_header(), self.sheet.clone());
        if !has_header && name.parse::<usize>().is_err() {
            bail!("--no-header needs a column number, such as --column 1, not {name}");
        }
        Ok(doiscan_engine::ValueSource::Column(TableColumn { format, name, has_header, sheet }))
    }
}

/// Whether an argument was meant as a value: a DOI, also a mistyped one or one in a text, a prefix or the
/// address of one, but not the name of a file that begins with `10.`.
fn is_identifier(text: &str) -> bool {
    const BEGINNINGS: [&str; 10] = [
        "10/",
        "doi:",
        "hdl:",
        "info:",
        "urn:",
        "http://",
        "https://",
        "doi.org/",
        "dx.doi.org/",
        "www.doi.org/",
    ];
    let begins = |mark: &str| text.get(..mark.len()).is_some_and(|t| t.eq_ignore_ascii_case(mark));
    let rest = text.strip_prefix("10.").unwrap_or_default();
    let registrant = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_doi = registrant.len() < rest.len()
        && (registrant.is_empty() || registrant.starts_with(['/', '%', '\\']));
    is_doi || is_mistyped(text) || BEGINNINGS.into_iter().any(begins)
}

/// Whether a text has a DOI without a slash after its prefix (`10.1016j.joi`), with a comma in its prefix, or
/// after a blank.
fn is_mistyped(text: &str) -> bool {
    let registrant = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_glued = |rest: &str| {
        let digits = registrant(rest);
        digits >= 4 && rest.as_bytes().get(digits).is_some_and(u8::is_ascii_alphabetic)
    };
    text.strip_prefix("10.").is_some_and(is_glued)
        || text.strip_prefix("10,").is_some_and(|rest| registrant(rest) >= 4)
        || [" 10.", "(10.", "<10.", "\"10.", "[10."]
            .iter()
            .any(|mark| text.split_once(mark).is_some_and(|(_, rest)| registrant(rest) >= 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_names_of_files() {
        for text in [
            "10.1000/1",
            "10.1016j.joi",
            "10,1016/x",
            "see 10.1000/1",
            "doi:x",
            "doi.org/10.1000/1",
            "(10.1000/1)",
        ] {
            assert!(is_identifier(text), "{text}");
        }
        for text in ["10.1000.csv", "10.txt", "10.5 list.txt", "list 10.5.txt", "a.txt", "10.2024a"]
        {
            assert_eq!(is_identifier(text), text == "10.2024a", "{text}");
        }
    }
}
