//! Converts a Python `str` or bytes-like value to bytes.

use crate::options::Case;
use doiscan::doi::batch;
use doiscan_engine::output::escape;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyString};

/// A text, and whether its offsets count characters.
pub(crate) struct Text {
    pub(crate) bytes: PyBackedBytes,
    pub(crate) is_str: bool,
}

impl Text {
    /// Accepts `str`, `bytes` or `bytearray`. A lone surrogate becomes three bytes that occur in no
    /// DOI.
    pub(crate) fn new(value: &Bound<'_, PyAny>) -> PyResult<Text> {
        if let Ok(text) = value.cast::<PyString>() {
            let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
            return Ok(Text { bytes: encoded.cast::<PyBytes>()?.clone().into(), is_str: true });
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Text { bytes: bytes.clone().into(), is_str: false });
        }
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Ok(Text { bytes: bytes.clone().into(), is_str: false });
        }
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("expected str or bytes, not {kind}")))
    }
}

/// Writes the spelling of a name into `out` as the command writes it: `%25` before two hexadecimal
/// digits, and `%XX` for an octet that is not valid UTF-8.
pub(crate) fn spell(name: &[u8], case: Case, out: &mut Vec<u8>) {
    out.clear();
    escape::doi(&batch::encode(name), out);
    if case == Case::Lower {
        out.make_ascii_lowercase();
    }
}

/// Counts UTF-8 characters from the start of a text.
#[derive(Default)]
pub(crate) struct Characters {
    byte: usize,
    character: usize,
}

impl Characters {
    /// Returns the number of characters before byte `at` of `text`. Fast if `at` does not decrease;
    /// otherwise it counts from the start again.
    pub(crate) fn at(&mut self, text: &[u8], at: usize) -> usize {
        if at < self.byte {
            *self = Characters::default();
        }
        let passed = &text[self.byte..at];
        // Has no branch, so that the compiler vectorises it.
        self.character += passed.iter().map(|&b| usize::from(b as i8 >= -64)).sum::<usize>();
        self.byte = at;
        self.character
    }
}
