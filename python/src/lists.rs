//! Merges and compares sorted lists.

use crate::guard::{detached, run_error};
use crate::report::Names;
use crate::scan::destination;
use doiscan::internals::lists::{self, DiffSide, MergePlan, Operation};
use doiscan::pipeline::{Layout, LayoutError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Merges lists into one.
#[pyfunction]
pub(crate) fn merge(
    py: Python<'_>,
    lists: Vec<PathBuf>,
    operation: &str,
    output: Option<PathBuf>,
) -> PyResult<Names> {
    let operation = match operation {
        "union" => Operation::Union,
        "intersection" => Operation::Intersection,
        "difference" => Operation::Difference,
        other => {
            let expected = "union, intersection or difference";
            let message = format!("operation: expected {expected}, not {other:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    if lists.is_empty() {
        return Err(PyValueError::new_err("lists: expected at least one"));
    }
    let invalid = |error: LayoutError| PyValueError::new_err(error.to_string());
    let of_name = output.as_deref().map(Layout::of).transpose().map_err(invalid)?;
    let layout = of_name.unwrap_or_default().0.check().map_err(invalid)?;
    let (output, folder) = destination(output, &[])?;
    let spill = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let plan = MergePlan {
        lists,
        operation,
        output: Some(output.clone()),
        layout,
        memory: None,
        temporary: vec![spill.unwrap_or(Path::new(".")).to_path_buf()],
        width: None,
        allow_empty: true,
    };
    let figures = detached(py, || lists::merge(&plan))?.map_err(|error| run_error(&error))?;
    Ok(Names::new(output, figures.written, folder))
}

/// The names that `new` alone has, those that `old` alone has, and how many both have.
#[pyfunction]
pub(crate) fn diff(py: Python<'_>, old: PathBuf, new: PathBuf) -> PyResult<(Names, Names, u64)> {
    let side = |side: DiffSide| -> PyResult<_> {
        let (output, folder) = destination(None, &[])?;
        let compare = || lists::diff(&old, &new, side, Some(&output));
        let found = detached(py, compare)?.map_err(|error| run_error(&error))?;
        Ok((found, output, folder))
    };
    let (found, path, folder) = side(DiffSide::Added)?;
    let added = Names::new(path, found.added, folder);
    let (found, path, folder) = side(DiffSide::Removed)?;
    let removed = Names::new(path, found.removed, folder);
    Ok((added, removed, found.kept))
}
