//! Finds the DOIs in a text, or in each value of a column.

use crate::column::Column;
use crate::guard::detached;
use crate::input::{Chunk, Values};
use crate::options::{Search, threads};
use crate::text::{Characters, Text, spell};
use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBufferBuilder};
use arrow_schema::{DataType, Field, Fields};
use doiscan::doi::Reason;
use doiscan::scan::{Repair, Scanner, Sink};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::Range;
use std::sync::Arc;

/// One DOI that was found.
#[pyclass(frozen, eq, hash, get_all, module = "doiscan")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Match {
    doi: String,
    start: usize,
    end: usize,
    raw: Raw,
    repairs: Vec<&'static str>,
}

/// The spelling of a DOI in the text.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Raw {
    Text(String),
    Bytes(Vec<u8>),
}

impl<'py> IntoPyObject<'py> for &Raw {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Raw::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
            Raw::Bytes(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        }
    }
}

#[pymethods]
impl Match {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str, &'static str, &'static str) {
        ("doi", "start", "end", "raw", "repairs")
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let raw = (&self.raw).into_pyobject(py)?.repr()?;
        let Match { doi, start, end, repairs, .. } = self;
        let doi = doi.into_pyobject(py)?.repr()?;
        let repairs = repairs.into_pyobject(py)?.repr()?;
        Ok(format!("Match(doi={doi}, start={start}, end={end}, raw={raw}, repairs={repairs})"))
    }
}

/// Finds the DOIs in one text.
#[pyfunction]
#[pyo3(signature = (text, *, notation="auto", strict=false, join_lines="auto", max_length=2048))]
pub(crate) fn find(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    notation: &str,
    strict: bool,
    join_lines: &str,
    max_length: usize,
) -> PyResult<Vec<Match>> {
    let search = Search::new(notation, strict, join_lines, max_length)?;
    let text = Text::new(text)?;
    let bytes: &[u8] = &text.bytes;
    let is_str = text.is_str;
    detached(py, || {
        let mut matches = Matches { text: bytes, is_str, ..Matches::default() };
        let notation = search.of_text(bytes);
        Scanner::new(search.options).scan(bytes, 0..bytes.len(), notation, &mut matches);
        matches.found
    })
}

/// Collects the matches of one text.
#[derive(Default)]
struct Matches<'a> {
    text: &'a [u8],
    is_str: bool,
    characters: Characters,
    name: Vec<u8>,
    found: Vec<Match>,
}

impl Sink for Matches<'_> {
    fn accept(&mut self, found: &doiscan::scan::Match<'_>) {
        spell(found.doi, &mut self.name);
        let raw = &self.text[found.start..found.end];
        let (start, end, raw) = match self.is_str {
            false => (found.start, found.end, Raw::Bytes(raw.to_vec())),
            true => {
                let start = self.characters.at(self.text, found.start);
                let end = self.characters.at(self.text, found.end);
                (start, end, Raw::Text(String::from_utf8_lossy(raw).into_owned()))
            }
        };
        let doi = String::from_utf8_lossy(&self.name).into_owned();
        let repairs = found.repairs.iter().map(Repair::name).collect();
        self.found.push(Match { doi, start, end, raw, repairs });
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}

/// Finds the DOIs in each value of a column.
#[pyfunction]
#[pyo3(signature = (column, *, notation="auto", strict=false, join_lines="auto",
                    max_length=2048, threads=None))]
pub(crate) fn find_all(
    py: Python<'_>,
    column: &Bound<'_, PyAny>,
    notation: &str,
    strict: bool,
    join_lines: &str,
    max_length: usize,
    threads: Option<usize>,
) -> PyResult<Column> {
    let search = Search::new(notation, strict, join_lines, max_length)?;
    let threads = self::threads(threads)?;
    let values = Values::new(column)?;
    let data_type = list_of(values.is_text);
    let parts = detached(py, || {
        values.map(&data_type, threads, |chunk, rows| lists(&search, chunk, rows, values.is_text))
    })?;
    Ok(Column::new(parts, data_type))
}

/// Returns the fields of a match.
fn fields(is_text: bool) -> Fields {
    let raw = if is_text { DataType::Utf8 } else { DataType::Binary };
    Fields::from(vec![
        Field::new("doi", DataType::Utf8, false),
        Field::new("start", DataType::Int64, false),
        Field::new("end", DataType::Int64, false),
        Field::new("raw", raw, false),
    ])
}

/// Returns the type of a list of matches.
fn list_of(is_text: bool) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Struct(fields(is_text)), false)))
}

/// Returns a list of matches for each row.
fn lists(search: &Search, chunk: &Chunk, rows: Range<usize>, is_text: bool) -> ArrayRef {
    let mut scanner = Scanner::new(search.options.clone());
    let mut nulls = NullBufferBuilder::new(rows.len());
    let mut offsets = OffsetBufferBuilder::<i32>::new(rows.len());
    let mut made = Columns::new(is_text);
    for row in rows {
        let value = chunk.get(row);
        nulls.append(value.is_some());
        let before = made.len;
        if let Some(text) = value {
            let notation = search.of_value(text);
            let mut sink = ColumnSink { text, characters: Characters::default(), to: &mut made };
            scanner.scan(text, 0..text.len(), notation, &mut sink);
        }
        offsets.push_length(made.len - before);
    }
    let DataType::List(item) = list_of(is_text) else { unreachable!("a list") };
    let matches = made.finish(fields(is_text));
    Arc::new(ListArray::new(item, offsets.finish(), Arc::new(matches), nulls.finish()))
}

/// Builders for the columns of matches.
struct Columns {
    len: usize,
    doi: StringBuilder,
    start: Int64Builder,
    end: Int64Builder,
    text: StringBuilder,
    bytes: BinaryBuilder,
    is_text: bool,
    name: Vec<u8>,
}

impl Columns {
    fn new(is_text: bool) -> Columns {
        Columns {
            len: 0,
            doi: StringBuilder::new(),
            start: Int64Builder::new(),
            end: Int64Builder::new(),
            text: StringBuilder::new(),
            bytes: BinaryBuilder::new(),
            is_text,
            name: Vec::new(),
        }
    }

    fn finish(mut self, fields: Fields) -> StructArray {
        let raw: ArrayRef = match self.is_text {
            true => Arc::new(self.text.finish()),
            false => Arc::new(self.bytes.finish()),
        };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.doi.finish()),
            Arc::new(self.start.finish()),
            Arc::new(self.end.finish()),
            raw,
        ];
        StructArray::new(fields, columns, None)
    }
}

/// Appends the matches of one value.
struct ColumnSink<'a> {
    text: &'a [u8],
    characters: Characters,
    to: &'a mut Columns,
}

impl Sink for ColumnSink<'_> {
    fn accept(&mut self, found: &doiscan::scan::Match<'_>) {
        let ColumnSink { text, characters, to } = self;
        let raw = &text[found.start..found.end];
        spell(found.doi, &mut to.name);
        to.doi.append_value(String::from_utf8_lossy(&to.name));
        let (start, end) = match to.is_text {
            true => (characters.at(text, found.start), characters.at(text, found.end)),
            false => (found.start, found.end),
        };
        to.start.append_value(start as i64);
        to.end.append_value(end as i64);
        match to.is_text {
            true => to.text.append_value(String::from_utf8_lossy(raw)),
            false => to.bytes.append_value(raw),
        }
        to.len += 1;
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}
