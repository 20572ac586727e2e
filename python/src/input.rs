//! Reads input columns of text, and processes their rows on all threads.

use crate::column::joined;
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
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Minimum and maximum bytes of values that one thread processes at a time.
const PART: Range<usize> = 64 * 1024..8 * 1024 * 1024;

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
                // A pandas column without pyarrow is read as a sequence.
                Err(error) if error.is_instance_of::<PyImportError>(value.py()) => {}
                Err(error) => return Err(error),
            }
        }
        Values::of_sequence(value)
    }

    fn of_arrow(array: AnyArray) -> PyResult<Values> {
        let (arrays, field) = array.into_chunked_array()?.into_inner();
        let chunks: Option<Vec<_>> = arrays.iter().map(|array| Chunk::new(array)).collect();
        let (Some(chunks), Some(is_text)) = (chunks, is_text(field.data_type())) else {
            let message = match field.data_type() {
                DataType::Struct(_) => "expected one column of text, not a table".to_owned(),
                other => format!("expected a column of text or binary values, not {other}"),
            };
            return Err(PyTypeError::new_err(message));
        };
        Ok(Values { chunks, is_text })
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
            rows.push(row, &value?)?;
        }
        rows.finish()
    }

    /// Makes an array of each part on all threads. The arrays are in the order of the rows. `maker`
    /// is called once a thread; what it returns makes the arrays.
    #[expect(clippy::disallowed_methods, reason = "threads of one call, which a fork cannot lose")]
    pub(crate) fn map<M: FnMut(&Chunk, Range<usize>) -> ArrayRef>(
        &self,
        data_type: &DataType,
        threads: NonZeroUsize,
        maker: impl Fn() -> M + Sync,
    ) -> Vec<ArrayRef> {
        let parts = self.parts(threads.get());
        let threads = threads.get().min(parts.len());
        if threads <= 1 {
            let mut make = maker();
            return joined(parts.into_iter().map(|(chunk, rows)| make(chunk, rows)), data_type);
        }
        let next = AtomicUsize::new(0);
        let made = Mutex::new(Vec::with_capacity(parts.len()));
        std::thread::scope(|scope| {
            let work = || {
                let mut make = maker();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((chunk, rows)) = parts.get(index) else { return };
                    let array = make(chunk, rows.clone());
                    made.lock().unwrap_or_else(PoisonError::into_inner).push((index, array));
                }
            };
            // If a thread cannot be started, the others do its work.
            let builder = || std::thread::Builder::new().name("doiscan".to_owned());
            let started: Vec<_> =
                (1..threads).filter_map(|_| builder().spawn_scoped(scope, work).ok()).collect();
            work();
            for thread in started {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_by_key(|(index, _)| *index);
        joined(made.into_iter().map(|(_, array)| array), data_type)
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

/// Whether values of this type are text. Returns `None` if they are neither text nor bytes.
fn is_text(data_type: &DataType) -> Option<bool> {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Some(true),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(false),
        DataType::Dictionary(_, values) => is_text(values),
        _ => None,
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

    fn finish(self) -> PyResult<Values> {
        let mut offsets = vec![0_i64];
        let mut end = 0;
        for row in &self.ends {
            end = row.map_or(end, |end| end as i64);
            offsets.push(end);
        }
        let nulls: NullBuffer = self.ends.iter().map(Option::is_some).collect();
        let offsets = OffsetBuffer::new(offsets.into());
        let array = LargeBinaryArray::new(offsets, self.text.into(), Some(nulls));
        Ok(Values {
            chunks: vec![Chunk::LargeBinary(array)],
            is_text: self.is_text.unwrap_or(true),
        })
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
