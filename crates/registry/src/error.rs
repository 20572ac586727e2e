//! Errors of an index.

use std::io;
use std::path::PathBuf;

/// An index that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system reports an error.
    #[error("{}: {cause}", .path.display())]
    Io {
        /// The path of the index.
        path: PathBuf,
        /// The operating system's error.
        cause: io::Error,
    },
    /// The file is not an index.
    #[error("{}: is not an index; doiscan index makes one of lists", .path.display())]
    Refused {
        /// The path of the file.
        path: PathBuf,
    },
    /// The file is an index of another version of the format.
    #[error(
        "{}: is an index of another version of doiscan; make it anew of its lists: doiscan index LIST -o {}",
        .path.display(), .path.display()
    )]
    Version {
        /// The path of the index.
        path: PathBuf,
    },
    /// The file is an index, and its bytes are not those that were written.
    #[error("{}: the index is damaged: {what}; make it anew with doiscan index", .path.display())]
    Damaged {
        /// The path of the index.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
}
