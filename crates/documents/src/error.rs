//! What went wrong with a document.

use thiserror::Error;

/// Why a document was not read, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The document is not of its kind, or damaged beyond reading.
    Unreadable,
    /// Some of its parts could not be read.
    Damaged,
    /// A password is needed.
    Encrypted,
    /// A limit was reached.
    Limit,
    /// The pages are images.
    NoText,
    /// A spreadsheet lacks the sheet that was selected.
    NoSheet,
    /// Values of formulas are not stored.
    NoValue,
}

/// Why a document was not read, or not to its end. Parts that were found before it count.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into() }
    }

    /// Names the place in the document.
    pub(crate) fn at(self, place: &str) -> Self {
        Error { message: format!("{place} {}", self.message), ..self }
    }

    /// What happened.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}
