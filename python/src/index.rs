//! Looks identifiers up in indexes of known names.

use crate::column::Column;
use crate::guard::{detached, run_error};
use crate::input::Values;
use crate::options::{Case, threads};
use crate::text::{Text, spell};
use arrow_array::builder::{BooleanBuilder, ListBuilder, StringBuilder};
use arrow_schema::{DataType, Field};
use doiscan::quality::Judge;
use doiscan_engine::Registries;
use doiscan_os::io::command::AUTO;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Open indexes that `doiscan index` made, mapped and shared by all threads.
#[pyclass(frozen, module = "doiscan")]
pub(crate) struct Index(Registries);

#[pymethods]
impl Index {
    #[new]
    #[pyo3(signature = (*paths))]
    fn new(paths: Vec<PathBuf>) -> PyResult<Self> {
        Registries::open(&paths, AUTO).map(Index).map_err(|error| run_error(&error))
    }

    /// Whether the DOI of one identifier is known.
    fn __contains__(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let text = Text::new(value)?;
        let is_known =
            Judge::new(false).judge(&text.bytes).doi.is_some_and(|doi| self.0.contains(doi));
        self.checked(is_known)
    }

    /// Whether the DOI of each value is known.
    #[pyo3(signature = (column, *, threads=None))]
    fn known(
        &self,
        py: Python<'_>,
        column: &Bound<'_, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Column> {
        let threads = self::threads(threads)?;
        let values = Values::new(column)?;
        let parts = detached(py, || {
            values.map(&DataType::Boolean, threads, || {
                let mut judge = Judge::new(false);
                move |chunk, rows| {
                    let mut made = BooleanBuilder::new();
                    for row in rows {
                        let doi = chunk.get(row).and_then(|value| judge.judge(value).doi);
                        made.append_option(doi.map(|doi| self.0.contains(doi)));
                    }
                    Arc::new(made.finish())
                }
            })
        })?;
        self.checked(Column::new(parts, DataType::Boolean))
    }

    /// The known DOIs nearest to the unknown DOI of each value.
    #[pyo3(signature = (column, *, case="upper", threads=None))]
    fn nearest(
        &self,
        py: Python<'_>,
        column: &Bound<'_, PyAny>,
        case: &str,
        threads: Option<usize>,
    ) -> PyResult<Column> {
        let (case, threads) = (Case::new(case)?, self::threads(threads)?);
        let values = Values::new(column)?;
        let data_type = DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
        let parts = detached(py, || {
            values.map(&data_type, threads, || {
                let (mut judge, mut name) = (Judge::new(false), Vec::new());
                move |chunk, rows| {
                    let mut made = ListBuilder::new(StringBuilder::new());
                    for row in rows {
                        let doi = chunk.get(row).and_then(|value| judge.judge(value).doi);
                        let unknown = doi.filter(|doi| !self.0.contains(doi));
                        for near in unknown.map(|doi| self.0.nearest(doi)).into_iter().flatten() {
                            spell(&near, case, &mut name);
                            made.values().append_value(String::from_utf8_lossy(&name));
                        }
                        made.append(doi.is_some());
                    }
                    Arc::new(made.finish())
                }
            })
        })?;
        self.checked(Column::new(parts, data_type))
    }
}

impl Index {
    /// An answer, unless a lookup met damage.
    fn checked<T>(&self, answer: T) -> PyResult<T> {
        self.0.check().map_err(|error| run_error(&error))?;
        Ok(answer)
    }
}
