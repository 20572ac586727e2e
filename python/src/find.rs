//! Finds the DOIs in a text, or in each value of a column.

use crate::column::Column;
use crate::guard::detached;
use crate::input::{Chunk, Values};
use crate::options::{Case, Search, threads};
use crate::text::{Characters, Text, spell};
use arrow_array::{ArrayRef, BinaryArray, Int64Array, ListArray, StringArray, StructArray};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, OffsetBufferBuilder, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use doiscan::doi::Reason;
use doiscan::scan::{Scanner, Sink};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::borrow::Cow;
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
    repairs: Vec<Cow<'static, str>>,
}

/// The spelling of a DOI in the text.
#[derive(Clone, PartialEq, Eq, Hash, FromPyObject)]
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
    /// A match of these fields, as `pickle` and `copy` make it.
    #[new]
    fn new(doi: String, start: usize, end: usize, raw: Raw, repairs: Vec<String>) -> Match {
        let repairs = repairs.into_iter().map(Cow::Owned).collect();
        Match { doi, start, end, raw, repairs }
    }

    fn __getnewargs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let names = Self::__match_args__();
        let fields = [names.0, names.1, names.2, names.3, names.4].map(|name| slf.getattr(name));
        PyTuple::new(slf.py(), fields.into_iter().collect::<PyResult<Vec<_>>>()?)
    }

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
#[pyo3(signature = (text, *, notation="auto", case="upper", strict=false, join_lines="auto",
                    max_length=2048))]
pub(crate) fn find(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    notation: &str,
    case: &str,
    strict: bool,
    join_lines: &str,
    max_length: usize,
) -> PyResult<Vec<Match>> {
    let search = Search::new(notation, case, strict, join_lines, max_length)?;
    let text = Text::new(text)?;
    let bytes: &[u8] = &text.bytes;
    let is_str = text.is_str;
    detached(py, || {
        let mut matches = Matches::new(bytes, is_str, search.case);
        let notation = search.of_text(bytes);
        Scanner::new(search.options).scan(bytes, 0..bytes.len(), notation, &mut matches);
        matches.found
    })
}

/// Collects the matches of one text.
struct Matches<'a> {
    text: &'a [u8],
    is_str: bool,
    case: Case,
    characters: Characters,
    name: Vec<u8>,
    found: Vec<Match>,
}

impl<'a> Matches<'a> {
    fn new(text: &'a [u8], is_str: bool, case: Case) -> Self {
        let (characters, name, found) = (Characters::default(), Vec::new(), Vec::new());
        Matches { text, is_str, case, characters, name, found }
    }
}

impl Sink for Matches<'_> {
    fn accept(&mut self, found: &doiscan::scan::Match<'_>) {
        spell(found.doi, self.case, &mut self.name);
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
        let repairs = found.repairs.iter().map(|repair| repair.name().into()).collect();
        self.found.push(Match { doi, start, end, raw, repairs });
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}

/// Finds the DOIs in each value of a column.
#[pyfunction]
#[pyo3(signature = (column, *, notation="auto", case="upper", strict=false, join_lines="auto",
                    max_length=2048, threads=None))]
#[expect(clippy::too_many_arguments, reason = "the keywords of the Python function")]
pub(crate) fn find_all(
    py: Python<'_>,
    column: &Bound<'_, PyAny>,
    notation: &str,
    case: &str,
    strict: bool,
    join_lines: &str,
    max_length: usize,
    threads: Option<usize>,
) -> PyResult<Column> {
    let search = Search::new(notation, case, strict, join_lines, max_length)?;
    let threads = self::threads(threads)?;
    let values = Values::new(column)?;
    let data_type = list_of(values.is_text);
    let parts = detached(py, || {
        values.map(&data_type, threads, || {
            let mut scanner = Scanner::new(search.options.clone());
            let mut made = Columns::new(values.is_text, search.case);
            let search = &search;
            move |chunk, rows| lists(search, &mut scanner, &mut made, chunk, rows)
        })
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

/// Returns a list of matches for each row. `made` is scratch space.
fn lists(
    search: &Search,
    scanner: &mut Scanner,
    made: &mut Columns,
    chunk: &Chunk,
    rows: Range<usize>,
) -> ArrayRef {
    let mut nulls = NullBufferBuilder::new(rows.len());
    let mut offsets = OffsetBufferBuilder::<i32>::new(rows.len());
    for row in rows {
        let value = chunk.get(row);
        nulls.append(value.is_some());
        let before = made.start.len();
        if let Some(text) = value {
            let notation = search.of_value(text);
            let mut sink = ColumnSink { text, characters: Characters::default(), to: made };
            scanner.scan(text, 0..text.len(), notation, &mut sink);
        }
        offsets.push_length(made.start.len() - before);
    }
    let DataType::List(item) = list_of(made.is_text) else { unreachable!("a list") };
    Arc::new(ListArray::new(item, offsets.finish(), Arc::new(made.take()), nulls.finish()))
}

/// The columns of matches while they grow. They are kept from part to part and copied into arrays
/// of the exact size: the builders of Arrow would return arrays with up to twice the memory.
struct Columns {
    doi: Strings,
    start: Vec<i64>,
    end: Vec<i64>,
    raw: Strings,
    is_text: bool,
    case: Case,
    name: Vec<u8>,
}

impl Columns {
    fn new(is_text: bool, case: Case) -> Columns {
        Columns {
            doi: Strings::default(),
            start: Vec::new(),
            end: Vec::new(),
            raw: Strings::default(),
            is_text,
            case,
            name: Vec::new(),
        }
    }

    /// Returns the columns, which are empty afterwards.
    fn take(&mut self) -> StructArray {
        let (offsets, bytes) = self.raw.take();
        let raw: ArrayRef = match self.is_text {
            true => Arc::new(StringArray::new(offsets, bytes, None)),
            false => Arc::new(BinaryArray::new(offsets, bytes, None)),
        };
        let (offsets, bytes) = self.doi.take();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::new(offsets, bytes, None)),
            Arc::new(Int64Array::new(taken(&mut self.start), None)),
            Arc::new(Int64Array::new(taken(&mut self.end), None)),
            raw,
        ];
        StructArray::new(fields(self.is_text), columns, None)
    }
}

/// Returns a copy of the values, and clears them.
fn taken(values: &mut Vec<i64>) -> ScalarBuffer<i64> {
    let buffer = Buffer::from_slice_ref(&*values);
    values.clear();
    buffer.into()
}

/// Strings in Arrow's memory layout.
#[derive(Default)]
struct Strings {
    ends: Vec<i32>,
    bytes: Vec<u8>,
}

impl Strings {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let end = i32::try_from(self.bytes.len());
        self.ends.push(end.expect("the matches of a part have less than 2 GiB"));
    }

    /// Returns a copy of the offsets and the bytes, and clears them.
    fn take(&mut self) -> (OffsetBuffer<i32>, Buffer) {
        self.ends.insert(0, 0);
        let offsets = OffsetBuffer::new(Buffer::from_slice_ref(&self.ends).into());
        let bytes = Buffer::from_slice_ref(&self.bytes);
        self.ends.clear();
        self.bytes.clear();
        (offsets, bytes)
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
        spell(found.doi, to.case, &mut to.name);
        to.doi.push(String::from_utf8_lossy(&to.name).as_bytes());
        let (start, end) = match to.is_text {
            true => (characters.at(text, found.start), characters.at(text, found.end)),
            false => (found.start, found.end),
        };
        to.start.push(start as i64);
        to.end.push(end as i64);
        match to.is_text {
            true => to.raw.push(String::from_utf8_lossy(raw).as_bytes()),
            false => to.raw.push(raw),
        }
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}
