//! The output formats of rows: lines, CSV, TSV, JSON lines, Parquet or Excel, optionally compressed.

use std::path::Path;

doiscan_core::named! {
    /// The format of rows in a file.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum OutputFormat {
        /// One name a line, without further columns.
        #[default]
        Lines = "lines",
        /// RFC 4180, with a header and LF line ends.
        Csv = "csv",
        /// Tab-separated values with a header. No value contains a tab or a line feed.
        Tsv = "tsv",
        /// One JSON object a line.
        Jsonl = "jsonl",
        /// Apache Parquet with zstd pages and statistics.
        Parquet = "parquet",
        /// An Excel sheet with a header, in which every text is text. It has at most 1,048,576 rows.
        Xlsx = "xlsx",
    }
}

impl OutputFormat {
    fn of_suffix(suffix: &str) -> Option<OutputFormat> {
        match suffix {
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
    /// How CSV is written.
    pub csv: CsvStyle,
}

/// How CSV is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvStyle {
    /// The character between two cells.
    pub delimiter: u8,
    /// Whether the file begins with a byte order mark, which Excel needs to read UTF-8.
    pub has_mark: bool,
}

/// RFC 4180, without a mark.
impl Default for CsvStyle {
    fn default() -> Self {
        CsvStyle { delimiter: b',', has_mark: false }
    }
}

impl CsvStyle {
    /// Appends the byte order mark, if there is one.
    pub fn mark(self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.has_mark { "\u{feff}".as_bytes() } else { b"" });
    }
}

/// The reason why a layout cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Parquet or Excel within gzip or zstd.
    #[error("Parquet and Excel files are already compressed; remove .gz or .zst")]
    PackedParquet,
    /// The suffix of another format.
    #[error(
        ".{0} files cannot be written; .csv, .tsv, .jsonl, .parquet and .xlsx select the format, .txt \
         is for lines, and an additional .gz or .zst compresses it"
    )]
    NotWritten(String),
}

/// Suffixes of compressed files and archives that are not written: without its compression such
/// a file would be damaged for whoever reads it by its name.
const PACKED: [&str; 22] = [
    "xz", "bz2", "lzma", "lz4", "lz", "lzo", "br", "z", "7z", "zip", "rar", "tar", "tgz", "tbz",
    "tbz2", "txz", "tzst", "zstd", "gzip", "bgz", "sz", "snappy",
];

/// Suffixes of files of lines, or of files that are renamed later.
const LINES: [&str; 22] = [
    "txt", "text", "list", "lst", "lines", "doi", "dois", "names", "ids", "out", "log", "new",
    "old", "tmp", "temp", "part", "bak", "all", "upper", "lower", "url", "urls",
];

/// Whether a suffix is that of a file format, which programs choose by it: two to five letters and
/// digits, a letter first.
fn is_format(suffix: &str) -> bool {
    let is_short =
        (2..=5).contains(&suffix.len()) && suffix.bytes().all(|b| b.is_ascii_alphanumeric());
    is_short && suffix.as_bytes()[0].is_ascii_alphabetic() && !LINES.contains(&suffix)
        || matches!(suffix, "sqlite" | "feather" | "geojson")
}

/// Returns the compression that the last suffix of `path` asks for, and the suffix inside it.
fn suffixes(path: &Path) -> Result<(Compression, Option<String>), LayoutError> {
    let suffix = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let inner = || suffix(Path::new(path.file_stem()?));
    Ok(match suffix(path) {
        Some(last) if PACKED.contains(&&*last) => return Err(LayoutError::NotWritten(last)),
        Some(last) if last == "gz" => (Compression::Gzip, inner()),
        Some(last) if last == "zst" => (Compression::Zstd, inner()),
        last => (Compression::None, last),
    })
}

impl Layout {
    /// Returns the layout that the suffixes of `path` ask for (`dois.csv.zst`), and whether one of
    /// them names a format.
    ///
    /// # Errors
    ///
    /// When a suffix is that of a file that is not written.
    pub fn of(path: &Path) -> Result<(Layout, bool), LayoutError> {
        let (_, suffix) = suffixes(path)?;
        let format = suffix.as_deref().and_then(OutputFormat::of_suffix);
        match suffix {
            Some(suffix) if format.is_none() && is_format(&suffix) => {
                Err(LayoutError::NotWritten(suffix))
            }
            _ => {
                let layout = Layout::of_format(path, format.unwrap_or_default())?;
                Ok((layout, format.is_some()))
            }
        }
    }

    /// Returns the layout of `format` in the file `path`, whose last suffix may ask for compression.
    ///
    /// # Errors
    ///
    /// When that is the suffix of a compressed file or an archive that is not written.
    pub fn of_format(path: &Path, format: OutputFormat) -> Result<Layout, LayoutError> {
        let (compression, _) = suffixes(path)?;
        Ok(Layout { format, compression, csv: CsvStyle::default() })
    }

    /// Returns the layout if it can be written.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn check(self) -> Result<Layout, LayoutError> {
        match self {
            Layout {
                format: OutputFormat::Parquet | OutputFormat::Xlsx,
                compression: Compression::Gzip | Compression::Zstd,
                ..
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
            ("dois.xlsx", OutputFormat::Xlsx, None, true),
            ("dois.new", OutputFormat::Lines, None, false),
            ("dois.crossref", OutputFormat::Lines, None, false),
            ("dois.2026-11-23", OutputFormat::Lines, None, false),
            ("dois.a", OutputFormat::Lines, None, false),
            (".csv", OutputFormat::Lines, None, false),
        ] {
            let expected = Ok((Layout { format, compression, csv: CsvStyle::default() }, is_named));
            assert_eq!(Layout::of(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn suffixes_of_what_is_not_written_are_errors() {
        for name in [
            "dois.csv.xz",
            "dois.BZ2",
            "a.tar",
            "dois.tgz",
            "x.gz.zip",
            "x.json",
            "x.docx",
            "x.bib",
            "x.JSON.gz",
            "x.xls",
            "x.parq",
            "x.sqlite",
        ] {
            let error = Layout::of(Path::new(name)).expect_err(name).to_string();
            assert!(error.contains("files cannot be written; .csv"), "{error}");
        }
        let named =
            Layout::of_format(Path::new("x.json.gz"), OutputFormat::Jsonl).expect("written");
        assert_eq!((named.format, named.compression), (OutputFormat::Jsonl, Compression::Gzip));
        assert!(Layout::of_format(Path::new("x.zip"), OutputFormat::Csv).is_err());
        assert!(Layout::of(Path::new("xz")).is_ok() && Layout::of(Path::new("a.xz/b")).is_ok());
    }

    #[test]
    fn parquet_and_excel_are_compressed_inside() {
        for name in ["x.parquet.gz", "x.xlsx.zst"] {
            let (layout, _) = Layout::of(Path::new(name)).expect("a layout");
            assert!(layout.check().is_err());
        }
        assert!(Layout::default().check().is_ok());
    }
}
