//! Why a run cannot be written or read.

use std::io;
use std::path::{Path, PathBuf};

/// A run that could not be written, or not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refuses.
    #[error("cannot {action} a temporary file in {}: {cause}", .folder.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        folder: PathBuf,
        /// Its words.
        cause: io::Error,
    },
    /// The file is not what was written.
    #[error("a temporary file in {} is damaged: {what}; no output was written", .folder.display())]
    Damaged {
        /// Where the file is.
        folder: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
    /// The operating system refuses, and the file is one that is kept.
    #[error("cannot {action} {}: {cause}", .path.display())]
    Segment {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Its words.
        cause: io::Error,
    },
    /// A file that was kept is not what was written.
    #[error("{} is damaged: {what}", .path.display())]
    DamagedSegment {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
    /// No folder has room: what each of them said.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Full(Vec<Error>),
}

impl Error {
    pub(super) fn io(action: &'static str, folder: &Path, cause: io::Error) -> Self {
        Error::Io { action, folder: folder.to_path_buf(), cause }
    }

    /// Whether there is no room, which another folder may have.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let full = [FileTooLarge, QuotaExceeded, StorageFull];
        matches!(self, Error::Io { cause, .. } | Error::Segment { cause, .. } if full.contains(&cause.kind()))
    }
}
