//! Errors of writing and reading runs.

use std::io;
use std::path::{Path, PathBuf};

/// A run that could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation on a temporary file failed.
    #[error("cannot {action} a temporary file in {}: {cause}", .folder.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The folder of the file.
        folder: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The content of a temporary file is not what was written.
    #[error("a temporary file in {} is damaged: {what}; no output was written", .folder.display())]
    Damaged {
        /// The folder of the file.
        folder: PathBuf,
        /// Description of the damage.
        what: &'static str,
    },
    /// An operation on a segment failed.
    #[error("cannot {action} {}: {cause}", .path.display())]
    Segment {
        /// The action that failed.
        action: &'static str,
        /// The path of the segment.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The content of a segment is not what was written.
    #[error("{} is damaged: {what}", .path.display())]
    DamagedSegment {
        /// The path of the segment.
        path: PathBuf,
        /// Description of the damage.
        what: &'static str,
    },
    /// No folder has room; holds the error of each.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Full(Vec<Error>),
}

impl Error {
    pub(super) fn io(action: &'static str, folder: &Path, cause: io::Error) -> Self {
        Error::Io { action, folder: folder.to_path_buf(), cause }
    }

    /// Whether the cause is lack of space, so that another folder may work.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let full = [FileTooLarge, QuotaExceeded, StorageFull];
        matches!(self, Error::Io { cause, .. } | Error::Segment { cause, .. } if full.contains(&cause.kind()))
    }
}
