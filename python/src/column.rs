//! Defines the columns that the package returns.

use crate::guard::LOOK_ROWS;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, UInt64Array, new_empty_array};
use arrow_schema::{DataType, Field, FieldRef};
use arrow_select::concat::concat;
use arrow_select::take::take;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::slice::PySliceIndices;
use pyo3::types::{PyBool, PyBytes, PyCapsule, PyDict, PyInt, PyList, PySlice, PyString, PyTuple};
use pyo3_arrow::PyField;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{
    ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule,
};
use pyo3_arrow::input::AnyArray;
use std::sync::Arc;

/// Columns up to this size are joined into one array. Larger columns stay in parts, so that memory
/// never holds them twice.
const ONE_ARRAY: usize = 32 * 1024 * 1024;

/// Rows that a notebook shows.
const SHOWN_ROWS: usize = 10;

/// Joins the parts into as few arrays as the size limit allows.
pub(crate) fn joined(parts: impl Iterator<Item = ArrayRef>, data_type: &DataType) -> Vec<ArrayRef> {
    let parts: Vec<_> = parts.collect();
    if parts.len() <= 1
        || parts.iter().map(|part| part.get_array_memory_size()).sum::<usize>() > ONE_ARRAY
    {
        return parts;
    }
    vec![one_array(&parts, data_type)]
}

/// Joins the parts into one array.
fn one_array(parts: &[ArrayRef], data_type: &DataType) -> ArrayRef {
    match parts {
        [] => new_empty_array(data_type),
        [part] => Arc::clone(part),
        parts => {
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            // The types are equal, so concat fails only if offsets overflow.
            concat(&parts).unwrap_or_else(|error| panic!("{error}"))
        }
    }
}

/// Returns the schema that a consumer asks for.
///
/// # Errors
///
/// Fails unless it can hold every value of the type `own`: the conversion of `pyo3-arrow` makes nulls of what does not fit.
pub(crate) fn kept<'py>(
    requested: Option<Bound<'py, PyCapsule>>,
    own: &DataType,
) -> PyResult<Option<Bound<'py, PyCapsule>>> {
    let Some(schema) = requested else { return Ok(None) };
    let field = PyField::from_arrow_pycapsule(&schema)?.into_inner();
    let to = field.data_type();
    if !keeps(own, to) {
        let words = format!("the type {to} may not hold every value of the type {own}");
        return Err(PyTypeError::new_err(words + "; take the column without a type, then cast it"));
    }
    Ok(Some(schema))
}

/// Whether the type `to` can hold every value of the type `from`.
fn keeps(from: &DataType, to: &DataType) -> bool {
    use DataType::{
        Binary, BinaryView, Dictionary, LargeBinary, LargeList, LargeUtf8, List, Struct,
    };
    use DataType::{Utf8, Utf8View};
    match (from, to) {
        _ if from == to => true,
        (Utf8 | LargeUtf8, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView) => true,
        (_, Dictionary(_, to)) => keeps(from, to),
        (List(from) | LargeList(from), List(to) | LargeList(to)) => {
            keeps(from.data_type(), to.data_type())
        }
        (Struct(from), Struct(to)) => {
            let mut pairs = from.iter().zip(to);
            let is_kept = |(from, to): (&FieldRef, &FieldRef)| {
                from.name() == to.name() && keeps(from.data_type(), to.data_type())
            };
            from.len() == to.len() && pairs.all(is_kept)
        }
        _ if from.is_integer() && to.is_integer() => {
            let is_wider = to.primitive_width() > from.primitive_width();
            is_wider && (from.is_unsigned_integer() || to.is_signed_integer())
        }
        _ => false,
    }
}

/// A column in Arrow's memory layout.
#[pyclass(frozen, module = "doiscan")]
pub(crate) struct Column {
    parts: Vec<ArrayRef>,
    field: FieldRef,
}

impl Column {
    pub(crate) fn new(parts: Vec<ArrayRef>, data_type: DataType) -> Column {
        Column { parts, field: Arc::new(Field::new("", data_type, true)) }
    }

    /// Its kind, for messages.
    fn kind(&self) -> String {
        format!("doiscan.Column of {} rows: {}", self.__len__(), self.field.data_type())
    }

    /// Returns the rows of a slice. Without a step they are not copied.
    fn rows(&self, rows: &PySliceIndices) -> PyResult<Column> {
        let count = rows.slicelength;
        let parts = if rows.step == 1 {
            let (mut from, mut left) = (rows.start as usize, count);
            let of_part = |part: &ArrayRef| {
                let len = left.min(part.len().saturating_sub(from));
                let slice = (len > 0).then(|| part.slice(from, len));
                (from, left) = (from.saturating_sub(part.len()), left - len);
                slice
            };
            self.parts.iter().filter_map(of_part).collect()
        } else {
            let row = |number: usize| (rows.start + number as isize * rows.step) as u64;
            let chosen = UInt64Array::from_iter_values((0..count).map(row));
            let taken = take(&self.array(), &chosen, None);
            vec![taken.map_err(|error| PyIndexError::new_err(error.to_string()))?]
        };
        Ok(Column { parts, field: Arc::clone(&self.field) })
    }

    fn array(&self) -> ArrayRef {
        one_array(&self.parts, self.field.data_type())
    }

    /// Returns the value of a row, which counts from the end if it is negative.
    fn value<'py>(&self, py: Python<'py>, row: isize) -> PyResult<Bound<'py, PyAny>> {
        let len = self.__len__();
        let from_end = len.checked_sub(row.unsigned_abs());
        let mut row = if row < 0 { from_end.unwrap_or(len) } else { row.unsigned_abs() };
        for part in &self.parts {
            if row < part.len() {
                return object(py, part, row);
            }
            row -= part.len();
        }
        Err(PyIndexError::new_err("row out of range"))
    }
}

#[pymethods]
impl Column {
    /// A column of Arrow data, as `pickle` and `copy` make it.
    #[new]
    fn of_arrow(values: AnyArray) -> PyResult<Column> {
        let (parts, field) = values.into_chunked_array()?.into_inner();
        Ok(Column { parts, field })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let of_pyarrow = (Self::to_pyarrow(slf.clone())?,).into_pyobject(slf.py())?;
        (slf.get_type(), of_pyarrow).into_pyobject(slf.py())
    }

    fn __len__(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shown = (0..self.__len__().min(SHOWN_ROWS)).map(|row| self.value(py, row as isize));
        let shown = shown.map(|value| Ok(value?.repr()?.to_string()));
        let mut shown: Vec<_> = shown.collect::<PyResult<_>>()?;
        if self.__len__() > SHOWN_ROWS {
            shown.push("…".to_owned());
        }
        Ok(format!("<{}: [{}]>", self.kind(), shown.join(", ")))
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        if let Ok(slice) = index.cast::<PySlice>() {
            let rows = slice.indices(self.__len__() as isize)?;
            return Ok(self.rows(&rows)?.into_pyobject(py)?.into_any());
        }
        let Ok(row) = index.extract() else {
            let kind = index.get_type().name()?;
            let message = format!("expected the number of a row or a slice, not {kind}");
            return Err(PyTypeError::new_err(message));
        };
        self.value(py, row)
    }

    /// The first rows as a table, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let escape = py.import("html")?.getattr("escape")?;
        let cell = |value: &Bound<'_, PyAny>| -> PyResult<String> {
            let text = if value.is_none() { String::new() } else { value.str()?.to_string() };
            Ok(format!("<td>{}</td>", escape.call1((text,))?))
        };
        let heads = match self.field.data_type() {
            DataType::Struct(fields) => fields.iter().map(|field| field.name().clone()).collect(),
            _ => vec!["value".to_owned()],
        };
        let mut table = "<table><tr><th></th>".to_owned();
        heads.iter().for_each(|head| table += &format!("<th>{head}</th>"));
        for row in 0..self.__len__().min(SHOWN_ROWS) {
            table += &format!("</tr>\n<tr><th>{row}</th>");
            let value = self.value(py, row as isize)?;
            match value.cast::<PyDict>() {
                Ok(dict) => {
                    for value in dict.values() {
                        table += &cell(&value)?;
                    }
                }
                Err(_) => table += &cell(&value)?,
            }
        }
        let kind = escape.call1((self.kind(),))?;
        Ok(format!("{table}</tr></table>\n<p>{kind}</p>"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_pylist(py)?.call_method0("__iter__")
    }

    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for part in &self.parts {
            for row in 0..part.len() {
                if row % LOOK_ROWS == 0 {
                    py.check_signals()?;
                }
                list.append(object(py, part, row)?)?;
            }
        }
        Ok(list)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = copy;
        let numpy = py.import("numpy")?;
        let array = numpy.call_method1("empty", (self.__len__(), "object"))?;
        for (row, value) in self.to_pylist(py)?.iter().enumerate() {
            array.set_item(row, value)?;
        }
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    fn to_pyarrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("chunked_array", (slf,))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.field.as_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyTuple>> {
        let schema = kept(requested_schema, self.field.data_type())?;
        to_array_pycapsules(py, Arc::clone(&self.field), &self.array(), schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let parts = self.parts.clone().into_iter().map(Ok);
        let reader = Box::new(ArrayIterator::new(parts, Arc::clone(&self.field)));
        to_stream_pycapsule(py, reader, kept(requested_schema, self.field.data_type())?)
    }
}

/// Converts a row to a Python object.
fn object<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::Utf8 => PyString::new(py, array.as_string::<i32>().value(row)).into_any(),
        DataType::Binary => PyBytes::new(py, array.as_binary::<i32>().value(row)).into_any(),
        DataType::Int64 => PyInt::new(py, array.as_primitive::<Int64Type>().value(row)).into_any(),
        DataType::Boolean => PyBool::new(py, array.as_boolean().value(row)).to_owned().into_any(),
        DataType::List(_) => {
            let values = array.as_list::<i32>().value(row);
            let list = PyList::empty(py);
            for row in 0..values.len() {
                list.append(object(py, &values, row)?)?;
            }
            list.into_any()
        }
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(field.name(), object(py, column, row)?)?;
            }
            dict.into_any()
        }
        other => return Err(PyTypeError::new_err(format!("no Python type for {other}"))),
    })
}
