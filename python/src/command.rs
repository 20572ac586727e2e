//! Runs the command, for the console script of the package.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command with these arguments, the first being its own name, and returns the exit
/// status. For a process that does nothing else: it sets handlers of signals.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    crate::guard::detached(py, || doiscan::cli::run(arguments) as u8)
}
