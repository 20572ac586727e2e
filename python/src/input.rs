//! Reads input columns of text, and processes their rows on all threads.

use crate::column::{Column, joined};
use crate::guard::{LOOK_ROWS, detached};
use crate::options::threads_of;
use crate::text::text_of;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray,
    StringViewArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PySet, PyString};
use pyo3_arrow::input::AnyArray;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Minimum and maximum bytes of values that one thread processes at a time.
const PART: Range<usize> = 64 * 1024..8 * 1024 * 1024;

/// Time between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);

/// A part of a column in its memory layout.
pub(crate) enum Chunk {
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    /// The values of a dictionary, and for each row the index of its value.
    Dictionary(Vec<Option<usize>>, Box<Chunk>),
    Null(usize),
}

impl Chunk {
    fn new(array: &dyn Array) -> Option<Chunk> {
        Some(match array.data_type() {
            DataType::Utf8 => Chunk::Text(array.as_string().clone()),
            DataType::LargeUtf8 => Chunk::LargeText(array.as_string().clone()),
            DataType::Utf8View => Chunk::TextView(array.as_string_view().clone()),
            DataType::Binary => Chunk::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Chunk::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Chunk::BinaryView(array.as_binary_view().clone()),
            DataType::Null => Chunk::Null(array.len()),
            DataType::Dictionary(_, _) => {
                let array = array.as_any_dictionary();
                let values = Box::new(Chunk::new(array.values())?);
                let keys = match array.values().is_empty() {
                    true => vec![None; array.len()],
                    false => {
                        let keys = array.normalized_keys().into_iter().enumerate();
                        keys.map(|(row, key)| array.is_valid(row).then_some(key)).collect()
                    }
                };
                Chunk::Dictionary(keys, values)
            }
            // pandas reads a column without values as numbers.
            _ if array.logical_null_count() == array.len() => Chunk::Null(array.len()),
            _ => return None,
        })
    }

    fn len(&self) -> usize {
        match self {
            Chunk::Text(array) => array.len(),
            Chunk::LargeText(array) => array.len(),
            Chunk::TextView(array) => array.len(),
            Chunk::Binary(array) => array.len(),
            Chunk::LargeBinary(array) => array.len(),
            Chunk::BinaryView(array) => array.len(),
            Chunk::Dictionary(keys, _) => keys.len(),
            Chunk::Null(len) => *len,
        }
    }

    /// Returns the text of a row: a value of bytes that are UTF-16 as UTF-8.
    pub(crate) fn text(&self, row: usize) -> Option<Cow<'_, [u8]>> {
        match self {
            Chunk::Binary(_) | Chunk::LargeBinary(_) | Chunk::BinaryView(_) => {
                self.get(row).map(|value| text_of(value, false))
            }
            Chunk::Dictionary(keys, values) => keys[row].and_then(|key| values.text(key)),
            _ => self.get(row).map(Cow::Borrowed),
        }
    }

    /// Returns the value of a row.
    pub(crate) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Chunk::Text(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Chunk::LargeText(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Chunk::TextView(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Chunk::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Chunk::LargeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Chunk::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            Chunk::Dictionary(keys, values) => keys[row].and_then(|key| values.get(key)),
            Chunk::Null(_) => None,
        }
    }
}

/// A column of text or binary values.
pub(crate) struct Values {
    chunks: Vec<Chunk>,
    /// Whether the values are text. If so, offsets count characters.
    pub(crate) is_text: bool,
}

impl Values {
    /// Accepts any object with `__arrow_c_array__` or `__arrow_c_stream__`, or any sequence of
    /// `str`, `bytes` and missing values.
    pub(crate) fn new(value: &Bound<'_, PyAny>) -> PyResult<Values> {
        let has = |name| value.hasattr(name);
        let is_arrow = has("__arrow_c_array__")? || has("__arrow_c_stream__")?;
        // Arrow data of a Polars column of type Null has a buffer that this type does not allow.
        if is_arrow && !has_only_nulls(value) {
            match value.extract::<AnyArray>() {
                Ok(array) => return Values::of_arrow(array),
                // A pandas column without pyarrow is read as a sequence, and one that pyarrow refuses, which names
                // the value.
                Err(error) if error.is_instance_of::<PyImportError>(value.py()) => {}
                Err(error) if is_of_pyarrow(&error, value.py()) => {}
                Err(error) => return Err(error),
            }
        }
        Values::of_sequence(value)
    }

    fn of_arrow(array: AnyArray) -> PyResult<Values> {
        let (arrays, field) = array.into_chunked_array()?.into_inner();
        if let DataType::Struct(_) = field.data_type() {
            return Err(PyTypeError::new_err("expected one column of text, not a table"));
        }
        let chunks: Option<Vec<_>> = arrays.iter().map(|array| Chunk::new(array)).collect();
        let Some(chunks) = chunks else {
            let message =
                format!("expected a column of text or binary values, not {}", field.data_type());
            return Err(PyTypeError::new_err(message));
        };
        Ok(Values { chunks, is_text: is_text(field.data_type()) })
    }

    fn of_sequence(values: &Bound<'_, PyAny>) -> PyResult<Values> {
        if values.is_instance_of::<PyString>()
            || values.is_instance_of::<PyBytes>()
            || values.is_instance_of::<PyByteArray>()
        {
            let kind = values.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "expected a column of values, not one {kind}; put it in a list"
            )));
        }
        // A set has no order, and the keys of a dict are not its values.
        let is_unordered = values.is_instance_of::<PyDict>()
            || values.is_instance_of::<PySet>()
            || values.is_instance_of::<PyFrozenSet>();
        let Some(iterator) = values.try_iter().ok().filter(|_| !is_unordered) else {
            let kind = values.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "expected an Arrow column or a sequence of str or bytes, not {kind}"
            )));
        };
        let mut rows = Rows::default();
        for (row, value) in iterator.enumerate() {
            if row % LOOK_ROWS == 0 {
                values.py().check_signals()?;
            }
            rows.push(row, &value?)?;
        }
        Ok(rows.finish())
    }

    /// Makes a column of the arrays that all threads make of its parts, in the order of the rows. `maker` is
    /// called once a thread; what it returns makes the arrays. Ctrl-C ends the work.
    #[expect(
        clippy::disallowed_methods,
        reason = "threads of one call, which a fork cannot lose, and a clock for signals"
    )]
    pub(crate) fn map<M: FnMut(&Chunk, Range<usize>) -> ArrayRef>(
        &self,
        py: Python<'_>,
        data_type: DataType,
        threads: Option<usize>,
        maker: impl Fn() -> M + Sync + Send,
    ) -> PyResult<Column> {
        let threads = threads_of(threads);
        let arrays = detached(py, || {
            let parts = self.parts(threads);
            let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(parts.len())));
            let work = |sees_signals: bool| -> PyResult<()> {
                let (mut make, mut looked) = (maker(), Instant::now());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((chunk, rows)) = parts.get(index) else { return Ok(()) };
                    let array = make(chunk, rows.clone());
                    made.lock().unwrap_or_else(PoisonError::into_inner).push((index, array));
                    if sees_signals && looked.elapsed() > LOOK {
                        looked = Instant::now();
                        // After a signal no thread finds another part.
                        let end = |_: &PyErr| next.store(parts.len(), Ordering::Relaxed);
                        Python::attach(|py| py.check_signals()).inspect_err(end)?;
                    }
                }
            };
            let work = &work;
            std::thread::scope(|scope| {
                // If a thread cannot be started, the others do its work.
                let start = |_| {
                    let builder = std::thread::Builder::new().name("doiscan".to_owned());
                    builder.spawn_scoped(scope, move || work(false)).ok()
                };
                let started: Vec<_> = (1..threads.min(parts.len())).filter_map(start).collect();
                let ended = work(true);
                for thread in started {
                    if let Err(panic) = thread.join() {
                        std::panic::resume_unwind(panic);
                    }
                }
                ended
            })?;
            let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
            made.sort_by_key(|(index, _)| *index);
            Ok::<_, PyErr>(joined(made.into_iter().map(|(_, array)| array), &data_type))
        })??;
        Ok(Column::new(arrays, data_type))
    }

    /// Returns ranges of rows, each processed by one thread at a time.
    fn parts(&self, threads: usize) -> Vec<(&Chunk, Range<usize>)> {
        let bytes = |chunk: &Chunk, row| 8 + chunk.get(row).map_or(0, <[u8]>::len);
        let of_chunk = |chunk: &Chunk| (0..chunk.len()).map(|row| bytes(chunk, row)).sum::<usize>();
        let all: usize = self.chunks.iter().map(of_chunk).sum();
        let most = (all / threads / 4).clamp(PART.start, PART.end);
        let mut parts = Vec::new();
        for chunk in &self.chunks {
            let (mut start, mut held) = (0, 0);
            for row in 0..chunk.len() {
                held += bytes(chunk, row);
                if held >= most {
                    parts.push((chunk, start..row + 1));
                    (start, held) = (row + 1, 0);
                }
            }
            if start < chunk.len() {
                parts.push((chunk, start..chunk.len()));
            }
        }
        parts
    }
}

/// Whether values of this type are text, and not bytes.
fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => false,
        DataType::Dictionary(_, values) => is_text(values),
        _ => true,
    }
}

/// Builds a column from Python objects.
#[derive(Default)]
struct Rows {
    text: Vec<u8>,
    ends: Vec<Option<usize>>,
    /// Whether values are `str`, once there is one.
    is_text: Option<bool>,
}

impl Rows {
    fn push(&mut self, row: usize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let is_text = if let Ok(text) = value.cast::<PyString>() {
            let utf8 = text.to_str().map_err(|error| of_row(value.py(), row, &error))?;
            self.text.extend_from_slice(utf8.as_bytes());
            true
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            self.text.extend_from_slice(bytes.as_bytes());
            false
        } else if is_missing(value)? {
            self.ends.push(None);
            return Ok(());
        } else {
            let kind = value.get_type().name()?;
            let message =
                format!("value {row}: expected str, bytes or a missing value, not {kind}");
            return Err(PyTypeError::new_err(message));
        };
        if *self.is_text.get_or_insert(is_text) != is_text {
            let message = format!("value {row}: expected either only str or only bytes");
            return Err(PyTypeError::new_err(message));
        }
        self.ends.push(Some(self.text.len()));
        Ok(())
    }

    fn finish(self) -> Values {
        let mut offsets = vec![0_i64];
        let mut end = 0;
        for row in &self.ends {
            end = row.map_or(end, |end| end as i64);
            offsets.push(end);
        }
        let nulls: NullBuffer = self.ends.iter().map(Option::is_some).collect();
        let offsets = OffsetBuffer::new(offsets.into());
        let is_text = self.is_text.unwrap_or(true);
        let (values, nulls) = (self.text.into(), Some(nulls));
        let chunk = match is_text {
            true => Chunk::LargeText(LargeStringArray::new(offsets, values, nulls)),
            false => Chunk::LargeBinary(LargeBinaryArray::new(offsets, values, nulls)),
        };
        Values { chunks: vec![chunk], is_text }
    }
}

/// Adds the number of the row to an error.
fn of_row(py: Python<'_>, row: usize, error: &PyErr) -> PyErr {
    PyValueError::new_err(format!("value {row}: {}", error.value(py)))
}

/// Whether a column of Polars has no values.
fn has_only_nulls(value: &Bound<'_, PyAny>) -> bool {
    let nulls = value.call_method0("null_count").and_then(|nulls| nulls.extract::<usize>());
    nulls.is_ok_and(|nulls| value.len().is_ok_and(|len| nulls == len))
}

/// Whether `error` is one of pyarrow's own.
fn is_of_pyarrow(error: &PyErr, py: Python<'_>) -> bool {
    error.get_type(py).module().is_ok_and(|module| module == "pyarrow.lib")
}

/// Whether a value is `None`, a floating-point NaN, `pandas.NA` or `pandas.NaT`.
fn is_missing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_none() {
        return Ok(true);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    let name = value.get_type().name()?;
    Ok(name == "NAType" || name == "NaTType")
}
