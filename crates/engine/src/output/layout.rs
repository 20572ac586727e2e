//! The output formats of rows: lines, CSV, TSV, JSON lines or Parquet, optionally compressed.

use std::ffi::OsStr;
use std::path::Path;

/// The format of rows in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// One name a line, without further columns.
    #[default]
    Lines,
    /// RFC 4180, with a header and LF line ends.
    Csv,
    /// Tab-separated values with a header. No value contains a tab or a line feed.
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// Apache Parquet with zstd pages and statistics.
    Parquet,
}

impl OutputFormat {
    /// Every form.
    pub const ALL: [OutputFormat; 5] = [
        OutputFormat::Lines,
        OutputFormat::Csv,
        OutputFormat::Tsv,
        OutputFormat::Jsonl,
        OutputFormat::Parquet,
    ];

    /// Its name, which is also the file name suffix: `csv`.
    pub const fn name(self) -> &'static str {
        match self {
            OutputFormat::Lines => "lines",
            OutputFormat::Csv => "csv",
            OutputFormat::Tsv => "tsv",
            OutputFormat::Jsonl => "jsonl",
            OutputFormat::Parquet => "parquet",
        }
    }

    fn of_suffix(suffix: &OsStr) -> Option<OutputFormat> {
        let suffix = suffix.to_str()?.to_ascii_lowercase();
        match suffix.as_str() {
            "ndjson" => Some(OutputFormat::Jsonl),
            "lines" => None,
            _ => OutputFormat::ALL.into_iter().find(|format| format.name() == suffix),
        }
    }
}

/// How a file is compressed as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    #[default]
    None,
    /// gzip, one member for MiB of text.
    Gzip,
    /// zstd, one frame for MiB of text.
    Zstd,
}

/// Format and compression of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The format of its rows.
    pub format: OutputFormat,
    /// Its compression.
    pub compression: Compression,
}

/// The reason why a layout cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Parquet within gzip or zstd.
    #[error("Parquet files are already compressed; remove .gz or .zst")]
    PackedParquet,
    /// The suffix of an archive or a codec that is not written.
    #[error(
        ".{0} files cannot be written; .csv, .tsv, .jsonl and .parquet select the format, and an \
         additional .gz or .zst compresses it"
    )]
    NotWritten(String),
}

/// Suffixes of compressed files and archives that are not written: without its compression such
/// a file would be damaged for whoever reads it by its name.
const NOT_WRITTEN: [&str; 22] = [
    "xz", "bz2", "lzma", "lz4", "lz", "lzo", "br", "z", "7z", "zip", "rar", "tar", "tgz", "tbz",
    "tbz2", "txz", "tzst", "zstd", "gzip", "bgz", "sz", "snappy",
];

impl Layout {
    /// Returns the layout that the suffixes of `path` ask for (`dois.csv.zst`), and whether one of
    /// them names a format.
    ///
    /// # Errors
    ///
    /// When the last suffix is that of a compressed file or an archive that is not written.
    pub fn of(path: &Path) -> Result<(Layout, bool), LayoutError> {
        let suffix = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
        if let Some(suffix) = suffix(path).as_deref().and_then(OsStr::to_str)
            && NOT_WRITTEN.contains(&suffix)
        {
            return Err(LayoutError::NotWritten(suffix.to_owned()));
        }
        let (compression, inner) = match suffix(path) {
            Some(s) if s == "gz" => (Compression::Gzip, path.file_stem()),
            Some(s) if s == "zst" => (Compression::Zstd, path.file_stem()),
            _ => (Compression::None, path.file_name()),
        };
        let format = inner.and_then(|name| OutputFormat::of_suffix(Path::new(name).extension()?));
        Ok((Layout { format: format.unwrap_or_default(), compression }, format.is_some()))
    }

    /// Returns the layout if it can be written.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn check(self) -> Result<Layout, LayoutError> {
        match self {
            Layout {
                format: OutputFormat::Parquet,
                compression: Compression::Gzip | Compression::Zstd,
            } => Err(LayoutError::PackedParquet),
            layout => Ok(layout),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_decide() {
        use Compression::{Gzip, None, Zstd};
        for (name, format, compression, is_named) in [
            ("dois", OutputFormat::Lines, None, false),
            ("dois.txt", OutputFormat::Lines, None, false),
            ("a.csv/dois", OutputFormat::Lines, None, false),
            ("dois.lines", OutputFormat::Lines, None, false),
            ("dois.gz", OutputFormat::Lines, Gzip, false),
            ("dois.txt.zst", OutputFormat::Lines, Zstd, false),
            ("dois.csv", OutputFormat::Csv, None, true),
            ("dois.CSV.GZ", OutputFormat::Csv, Gzip, true),
            ("x.y.tsv.zst", OutputFormat::Tsv, Zstd, true),
            ("dois.jsonl", OutputFormat::Jsonl, None, true),
            ("dois.ndjson.gz", OutputFormat::Jsonl, Gzip, true),
            ("dois.parquet", OutputFormat::Parquet, None, true),
            (".csv", OutputFormat::Lines, None, false),
        ] {
            let expected = Ok((Layout { format, compression }, is_named));
            assert_eq!(Layout::of(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn suffixes_of_what_is_not_written_are_errors() {
        for name in ["dois.csv.xz", "dois.BZ2", "a.tar", "dois.tgz", "x.gz.zip"] {
            let error = Layout::of(Path::new(name)).expect_err(name).to_string();
            assert!(error.contains("files cannot be written; .csv"), "{error}");
        }
        assert!(Layout::of(Path::new("xz")).is_ok() && Layout::of(Path::new("a.xz/b")).is_ok());
    }

    #[test]
    fn parquet_is_compressed_inside() {
        let (layout, _) = Layout::of(Path::new("x.parquet.gz")).expect("a layout");
        assert!(layout.check().is_err());
        assert!(Layout::default().check().is_ok());
    }
}
