//! Flags for the format of the answers of `check` and `convert`.

use super::form::CsvFlags;
use super::output::OutputFlag;
use super::values::ValueFlags;
use crate::cli::answer_rows::{RowForm, RowWriter};
use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use doiscan_engine::output::{Compression, Layout, OutputFormat};

/// The rows of answers.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct AnswerRows {
    /// Write rows as tsv, csv, jsonl or xlsx
    ///
    /// convert also accepts lines, its default: the identifier alone.
    ///
    /// [default: from the suffix of -o FILE, else tsv]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FORMAT")]
    output_format: Option<RowFormat>,

    #[command(flatten)]
    csv: CsvFlags,

    /// Begin TSV with the column names, as CSV does
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// Write the columns of the input before the result
    ///
    /// With --column every record is written, and a header if the table has one. CSV keeps the delimiter
    /// and the byte order mark of the first table. With --field the result is added to each object, and
    /// the output format is jsonl.
    #[arg(long)]
    keep_columns: bool,
}

/// `--output-format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RowFormat {
    Lines,
    Tsv,
    Csv,
    Jsonl,
    Xlsx,
}

impl From<RowFormat> for RowForm {
    fn from(format: RowFormat) -> Self {
        match format {
            RowFormat::Lines => RowForm::Lines,
            RowFormat::Tsv => RowForm::Tsv,
            RowFormat::Csv => RowForm::Csv,
            RowFormat::Jsonl => RowForm::Jsonl,
            RowFormat::Xlsx => RowForm::Xlsx,
        }
    }
}

impl AnswerRows {
    /// Returns the writer of rows whose answers have these columns: their names alone, and their
    /// names beside the columns of the input. `usual` is the default format of the command.
    pub(in crate::cli) fn writer(
        &self,
        values: &ValueFlags,
        output: &OutputFlag,
        usual: RowForm,
        names: [&'static [&'static str]; 2],
    ) -> Result<RowWriter> {
        let is_kept = self.keep_columns;
        if is_kept && !values.is_table() && values.field().is_none() {
            bail!("--keep-columns needs a table or JSON lines: add --column NAME or --field NAME");
        }
        let named = self.output_format.map(RowForm::from);
        let form = match named.map_or_else(|| of_suffix(output, usual), |form| Ok(Some(form)))? {
            None if is_kept && values.field().is_some() => RowForm::Jsonl,
            None if is_kept => RowForm::Tsv,
            None => usual,
            Some(RowForm::Lines) if usual != RowForm::Lines => {
                bail!("--output-format lines works only with convert; use tsv, csv or jsonl")
            }
            Some(RowForm::Lines) if is_kept => {
                bail!("--keep-columns cannot write lines: use --output-format tsv, csv or jsonl")
            }
            Some(form) if is_kept && values.field().is_some() && form != RowForm::Jsonl => {
                bail!("--keep-columns with --field writes objects: use --output-format jsonl")
            }
            Some(form) => form,
        };
        let has_header = match form {
            RowForm::Csv | RowForm::Xlsx => values.has_header(),
            RowForm::Tsv => self.header || is_kept && values.has_header(),
            RowForm::Lines | RowForm::Jsonl => false,
        };
        let (delimiter, has_mark) = (self.csv.delimiter, self.csv.bom);
        self.csv.check(form == RowForm::Csv)?;
        let names = names[usize::from(is_kept)];
        Ok(RowWriter { form, has_header, is_kept, names, delimiter, has_mark })
    }
}

/// Returns the format given by the suffix of the output file. Lines may be of any format, such as HTML.
fn of_suffix(output: &OutputFlag, usual: RowForm) -> Result<Option<RowForm>> {
    let Some(path) = output.path() else { return Ok(None) };
    let unfit = || {
        let lines = if usual == RowForm::Lines { ".txt or .html for lines, or " } else { "" };
        let name = path.display();
        anyhow!("{name}: expected a name that ends in {lines}.csv, .tsv, .jsonl or .xlsx")
    };
    if usual == RowForm::Lines && path.extension().is_some_and(|end| end == "html") {
        return Ok(None);
    }
    let (layout, _) = Layout::of(path).map_err(|_| unfit())?;
    let form = match layout.format {
        OutputFormat::Csv => Some(RowForm::Csv),
        OutputFormat::Tsv => Some(RowForm::Tsv),
        OutputFormat::Jsonl => Some(RowForm::Jsonl),
        OutputFormat::Xlsx => Some(RowForm::Xlsx),
        OutputFormat::Parquet => return Err(unfit()),
        OutputFormat::Lines => None,
    };
    if layout.compression != Compression::None {
        let name = path.display();
        bail!("{name}: only scan and merge write compressed files; replace -o by: | gzip > {name}");
    }
    Ok(form)
}
