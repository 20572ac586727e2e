//! An input that could not be read, or not to its end.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong with one input. The others go on; the run ends with exit 3.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The input, as the user named it or as it was found in a folder.
    pub path: PathBuf,
    /// What happened, in lower case, with the operating system's words where it spoke.
    pub message: String,
    /// Whether the fault is not the input's: it was asked for what it has not.
    pub misfit: bool,
}

impl Problem {
    /// A problem in our words.
    pub fn new(path: &Path, message: impl Into<String>) -> Self {
        Problem { path: path.to_path_buf(), message: message.into(), misfit: false }
    }

    /// The input is sound but has not what it was asked for, such as a column.
    pub fn misfit(path: &Path, message: impl Into<String>) -> Self {
        Problem { misfit: true, ..Problem::new(path, message) }
    }

    /// A problem in the operating system's words.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Problem::new(path, error.to_string())
    }
}

/// As it is: whoever prints it escapes it first.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}
