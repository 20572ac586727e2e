//! Flags for the format of a list, given by name or by the suffix of the file.

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use doiscan_engine::output::{Layout, OutputFormat};
use doiscan_engine::{SideFile, check_counts};
use std::path::{Path, PathBuf};

/// `--output-format` of `scan` and `merge`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct ListFormat {
    /// Write lines, csv, tsv, jsonl or parquet
    ///
    /// The suffix .csv, .tsv, .jsonl or .parquet of FILE selects the format, and an additional .gz or
    /// .zst compresses the file: dois.csv.zst. CSV and TSV have a header. In DOIs, a byte that is not
    /// UTF-8 is written as %XX. In other columns, control characters and bytes that are not UTF-8 are
    /// written as \xNN, and a backslash before x and two hexadecimal digits as \x5C. In CSV and TSV, an
    /// apostrophe precedes a text that a spreadsheet would run (=, +, - or @ first, and not a number).
    ///
    /// [default: from the suffix of FILE, else lines]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FORMAT")]
    output_format: Option<Named>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Named {
    Lines,
    Csv,
    Tsv,
    Jsonl,
    Parquet,
}

impl From<Named> for OutputFormat {
    fn from(named: Named) -> OutputFormat {
        match named {
            Named::Lines => OutputFormat::Lines,
            Named::Csv => OutputFormat::Csv,
            Named::Tsv => OutputFormat::Tsv,
            Named::Jsonl => OutputFormat::Jsonl,
            Named::Parquet => OutputFormat::Parquet,
        }
    }
}

/// `--counts`, `--hits`, `--rejects` and `--stats-inputs` of `scan`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct RowFlags {
    /// Add columns to the list: occurrences, inputs, first occurrence
    ///
    /// Columns: doi, count, inputs, and the input, offset and raw of the first occurrence (the smallest
    /// input name by bytes, then the smallest offset). Needs csv, tsv, jsonl or parquet.
    #[arg(long)]
    counts: bool,

    /// Write one row per occurrence of a DOI to FILE
    ///
    /// FILE ends in .csv, .tsv, .jsonl or .parquet; an additional .gz or .zst compresses it, and - is
    /// standard output, as TSV. Columns: doi, input, line, offset, length, raw, repairs, notation;
    /// ordered by doi, input, offset. Lines count from 1. offset and length count bytes of the input's
    /// text: of the unpacked archive member, of UTF-16 as UTF-8. raw is the spelling in the input.
    /// notation is the syntax in front of it: text, quoted, element, braces, cell, line, address, label
    /// or urn; for text in a known format, mail, html, pdf or code.
    #[arg(long, value_name = "FILE")]
    hits: Option<PathBuf>,

    /// Write one row per rejected candidate to FILE
    ///
    /// Columns: input, line, offset, reason, raw (at most 256 bytes), before (at most 32 bytes);
    /// ordered by input, offset. In a chain without blanks, such as 10.10.10, a candidate after the first
    /// has only the text from the one before it to the one after it. FILE is as for --hits.
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,

    /// Write one row per input to FILE
    ///
    /// Columns: input, bytes, bytes_lost, candidates, accepted, rejected, rejected_REASON for each
    /// reason, microseconds, problem; ordered by input. --stats has the same figures for at most 10,000
    /// inputs. FILE is as for --hits.
    #[arg(long, value_name = "FILE")]
    stats_inputs: Option<PathBuf>,
}

impl RowFlags {
    /// Whether the list has counts; an error when its layout has no room for them.
    pub(in crate::cli) fn counts(&self, list: Layout) -> Result<bool> {
        check_counts(self.counts, list.format)?;
        Ok(self.counts)
    }

    pub(in crate::cli) fn hits(&self) -> Result<Option<SideFile>> {
        target("--hits", self.hits.as_deref())
    }

    pub(in crate::cli) fn rejects(&self) -> Result<Option<SideFile>> {
        target("--rejects", self.rejects.as_deref())
    }

    pub(in crate::cli) fn stats_inputs(&self) -> Result<Option<SideFile>> {
        target("--stats-inputs", self.stats_inputs.as_deref())
    }

    /// Returns the flags with their files.
    pub(in crate::cli) fn files(&self) -> [(&str, Option<&Path>); 3] {
        [
            ("--hits", self.hits.as_deref()),
            ("--rejects", self.rejects.as_deref()),
            ("--stats-inputs", self.stats_inputs.as_deref()),
        ]
    }
}

/// Returns the file of a flag and its layout.
fn target(flag: &str, path: Option<&Path>) -> Result<Option<SideFile>> {
    let Some(path) = path else { return Ok(None) };
    if path == Path::new("-") {
        let layout = Layout { format: OutputFormat::Tsv, ..Layout::default() };
        return Ok(Some(SideFile { path: PathBuf::from("/dev/stdout"), layout }));
    }
    let context = || format!("{flag} {}", path.display());
    let (layout, is_named) = Layout::of(path).with_context(context)?;
    if !is_named {
        let name = path.display();
        bail!("{flag} {name}: expected a name that ends in .csv, .tsv, .jsonl or .parquet");
    }
    let layout = layout.check().with_context(context)?;
    Ok(Some(SideFile { path: path.to_path_buf(), layout }))
}

impl ListFormat {
    /// Returns the layout of the list in `path`, or on standard output if `path` is `None`.
    pub(in crate::cli) fn layout(&self, path: Option<&Path>) -> Result<Layout> {
        let context = || path.unwrap_or(Path::new("standard output")).display().to_string();
        let of_name = path.map(Layout::of).transpose().with_context(context)?;
        let (mut layout, _) = of_name.unwrap_or_default();
        if let Some(named) = self.output_format {
            layout.format = named.into();
        }
        layout.check().with_context(context)
    }
}
