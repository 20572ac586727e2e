//! The output formats of rows: lines, CSV, TSV, JSON lines or Parquet, optionally compressed.

use std::ffi::OsStr;
use std::path::Path;

/// The format of rows in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
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

impl Form {
    /// Every form.
    pub const ALL: [Form; 5] = [Form::Lines, Form::Csv, Form::Tsv, Form::Jsonl, Form::Parquet];

    /// Its name, which is also the file name suffix: `csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Lines => "lines",
            Form::Csv => "csv",
            Form::Tsv => "tsv",
            Form::Jsonl => "jsonl",
            Form::Parquet => "parquet",
        }
    }

    fn of_suffix(suffix: &OsStr) -> Option<Form> {
        let suffix = suffix.to_str()?.to_ascii_lowercase();
        match suffix.as_str() {
            "ndjson" => Some(Form::Jsonl),
            "lines" => None,
            _ => Form::ALL.into_iter().find(|form| form.name() == suffix),
        }
    }
}

/// How a file is compressed as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Layout {
    /// The format of its rows.
    pub form: Form,
    /// Its compression.
    pub compression: Compression,
}

/// The reason why a layout cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// This build has no Parquet support.
    #[error("this build has no Parquet support: cargo install doiscan --features parquet")]
    NoParquet,
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
        let form = inner.and_then(|name| Form::of_suffix(Path::new(name).extension()?));
        Ok((Layout { form: form.unwrap_or_default(), compression }, form.is_some()))
    }

    /// Returns the layout if it can be written.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn check(self) -> Result<Layout, LayoutError> {
        match self {
            Layout { form: Form::Parquet, .. } if cfg!(not(feature = "parquet")) => {
                Err(LayoutError::NoParquet)
            }
            Layout { form: Form::Parquet, compression: Compression::Gzip | Compression::Zstd } => {
                Err(LayoutError::PackedParquet)
            }
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
        for (name, form, compression, is_named) in [
            ("dois", Form::Lines, None, false),
            ("dois.txt", Form::Lines, None, false),
            ("a.csv/dois", Form::Lines, None, false),
            ("dois.lines", Form::Lines, None, false),
            ("dois.gz", Form::Lines, Gzip, false),
            ("dois.txt.zst", Form::Lines, Zstd, false),
            ("dois.csv", Form::Csv, None, true),
            ("dois.CSV.GZ", Form::Csv, Gzip, true),
            ("x.y.tsv.zst", Form::Tsv, Zstd, true),
            ("dois.jsonl", Form::Jsonl, None, true),
            ("dois.ndjson.gz", Form::Jsonl, Gzip, true),
            ("dois.parquet", Form::Parquet, None, true),
            (".csv", Form::Lines, None, false),
        ] {
            let expected = Ok((Layout { form, compression }, is_named));
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
