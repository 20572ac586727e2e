//! Scans parts of plain files, for engines that distribute them over machines. A part contains the
//! candidates that start in it. It is read with the neighbouring bytes that may affect the result.

use crate::column::Column;
use crate::guard::detached;
use arrow_array::builder::BinaryBuilder;
use arrow_schema::DataType;
use doiscan::doi::{Reason, batch};
use doiscan::internals::input::{HEAD, Packing, is_encoded, is_parquet, refused};
use doiscan::pipeline::Format;
use doiscan::pipeline::Report;
use doiscan::quality::Counts;
use doiscan::scan::{LOOKBEHIND, Match, Notation, Options, Scanner, Sink};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Notations as numbers: the delimiter of CSV, or one of these.
const UNKNOWN: i32 = -1;
const LIST: i32 = -2;

/// Bytes in front of a part and after it that may decide, and bytes of a file's beginning and end
/// that [`probe`] needs.
#[pyfunction]
#[pyo3(signature = (max_length=2048))]
pub(crate) fn margins(max_length: usize) -> (usize, usize, usize) {
    let options = Options::default().with_max_length(max_length);
    (LOOKBEHIND, Scanner::new(options).lookahead(), HEAD)
}

/// The notation of a file that can be read in parts, or `None` if it must be read as a whole.
#[pyfunction]
pub(crate) fn probe(name: PathBuf, head: &[u8], tail: &[u8]) -> Option<i32> {
    let is_plain = Packing::of_file(head, tail) == Packing::Plain
        && !is_parquet(head)
        && !is_encoded(head, Format::Auto)
        && refused(&name, head).is_none();
    match Format::Auto.notation(Some(&name), head) {
        _ if !is_plain => None,
        Notation::Unknown => Some(UNKNOWN),
        Notation::List => Some(LIST),
        Notation::Csv(delimiter) => Some(i32::from(delimiter)),
        _ => None,
    }
}

/// The distinct names that start in `window[start:end]`, spelled as in a list, and the record of
/// what was seen. `is_first` counts the file.
#[pyfunction]
#[pyo3(signature = (window, start, end, notation, *, is_first, is_lower=false, strict=false,
                    max_length=2048))]
#[expect(clippy::too_many_arguments, reason = "the keywords of the call")]
pub(crate) fn scan_range(
    py: Python<'_>,
    window: &Bound<'_, PyBytes>,
    start: usize,
    end: usize,
    notation: i32,
    is_first: bool,
    is_lower: bool,
    strict: bool,
    max_length: usize,
) -> PyResult<(Column, String)> {
    let bytes = window.as_bytes();
    if start > end || end > bytes.len() {
        let message = format!("expected a part of {} bytes, not {start} to {end}", bytes.len());
        return Err(PyValueError::new_err(message));
    }
    let notation = match notation {
        UNKNOWN => Notation::Unknown,
        LIST => Notation::List,
        delimiter => Notation::Csv(u8::try_from(delimiter)?),
    };
    let options = Options::default().with_max_length(max_length).with_strict(strict);
    let (names, mut counts) = detached(py, || {
        let mut found = Distinct { is_lower, ..Distinct::default() };
        Scanner::new(options).scan(bytes, start..end, notation, &mut found);
        let mut names = BinaryBuilder::new();
        found.names.iter().for_each(|name| names.append_value(name));
        (names.finish(), found.counts)
    })?;
    let scanned = (end - start) as u64;
    (counts.files, counts.planned, counts.bytes) = (u64::from(is_first), scanned, scanned);
    let mut report = Report::default();
    report.stats.counts = counts;
    let record = doiscan::cli::record(&report);
    Ok((Column::new(vec![Arc::new(names)], DataType::Binary), record))
}

/// Collects distinct names.
#[derive(Default)]
struct Distinct {
    names: HashSet<Vec<u8>>,
    counts: Counts,
    is_lower: bool,
}

impl Sink for Distinct {
    fn accept(&mut self, found: &Match<'_>) {
        self.counts.accept(found.repairs);
        let mut name = batch::encode(found.doi).into_owned();
        if self.is_lower {
            name.make_ascii_lowercase();
        }
        self.names.insert(name);
    }

    fn reject(&mut self, _: usize, reason: Reason) {
        self.counts.reject(reason);
    }
}
