//! Inputs at addresses, such as `s3://bucket/key`, which the scanner reads in ranges. A build without the
//! feature `remote` has none.

use crate::guard::{detached, raise};
use doiscan_input::problem::Problem;
use doiscan_input::{
    Identity, Io, Limits, Meter, Opened, Own, Request, Section, Select, address, probe,
};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens a local file or an address.
pub(crate) fn open(path: &Path) -> PyResult<Arc<Opened>> {
    doiscan::cli::register_addresses();
    let opened = probe(path).and_then(|unit| Opened::open(&unit, Io::READ));
    opened.map(Arc::new).map_err(|problem| PyOSError::new_err(problem.to_string()))
}

/// Whether the scanner reads this path without a file system.
#[pyfunction]
pub(crate) fn is_address(path: PathBuf) -> bool {
    doiscan::cli::register_addresses();
    address(&path).is_some()
}

/// The inputs at an address: their names, sizes, and versions. The version is empty where the store names
/// none. Raises `InputError` if there are none, or if they cannot be listed.
#[pyfunction]
pub(crate) fn inputs_at(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(String, u64, String)>> {
    doiscan::cli::register_addresses();
    let fail =
        |problem: &Problem| raise("InputError", &problem.to_string(), Some(&problem.path), None);
    detached(py, || {
        let (select, own) = (Select::default(), Own::default());
        let inputs = [path];
        let request = Request { inputs: &inputs, lists: &[], select: &select, own: &own };
        let listing = doiscan_input::list(&request)
            .map_err(|error| raise("InputError", &error.to_string(), None, None))?;
        match listing.problems.first() {
            Some(problem) => Err(fail(problem)),
            None => Ok((0..listing.units.len())
                .filter_map(|index| listing.units.get(index))
                .map(|unit| {
                    (unit.path.to_string_lossy().into_owned(), unit.size, version(unit.identity))
                })
                .collect()),
        }
    })?
}

/// The version of an input as text.
fn version(identity: Option<Identity>) -> String {
    identity
        .map_or(String::new(), |Identity { size, mtime: (a, b), .. }| format!("{size}:{a:x}:{b:x}"))
}

/// Reads ranges of an input at an address.
#[pyclass(frozen, module = "doiscan")]
pub(crate) struct Ranges(Arc<Opened>);

#[pymethods]
impl Ranges {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        detached(py, || open(&path).map(Ranges))?
    }

    /// The bytes from `start` to `end`, or up to the end of the input. Raises `OSError` if they cannot be
    /// read.
    fn range<'py>(&self, py: Python<'py>, start: u64, end: u64) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || {
            let meter = Meter::new(Limits::default());
            let mut bytes = Vec::new();
            Section::new(Arc::clone(&self.0), start..end, meter).read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        })??;
        Ok(PyBytes::new(py, &bytes))
    }
}
