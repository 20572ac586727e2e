//! Extracts the text of documents.
//!
//! [`extract`] takes the bytes of a document and passes on parts of text, each with its place in the
//! document, such as `page 3` or `word/footnotes.xml`. Opens no files, starts no threads, prints
//! nothing. Memory and time are bounded by [`Limits`] and by constants of each format.

mod budget;
mod error;
mod inflate;
mod pdf;

pub use budget::Limits;
pub use error::{Error, ErrorKind};

use std::ops::ControlFlow;

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Portable Document Format.
    Pdf,
}

impl Kind {
    /// Returns the format of a document that starts with `head`. Formats that are zip archives need
    /// the names of their members, in the order of the archive.
    pub fn of(head: &[u8]) -> Option<Kind> {
        match head {
            // TeX files have comments that start with `%PDF`.
            [b'%', b'P', b'D', b'F', b'-', b'1'..=b'9', b'.', b'0'..=b'9', ..] => Some(Kind::Pdf),
            _ => None,
        }
    }
}

/// What a part of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Content {
    /// Text, with the line ends of the document.
    Text,
    /// Addresses of hyperlinks, one a line, that are not in the text.
    Links,
    /// Metadata as lines or as XML.
    Metadata,
}

/// A part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part<'a> {
    /// Where the part is, as readers of the document know it.
    pub place: &'a str,
    /// The text, in UTF-8.
    pub text: &'a str,
    /// What the text is.
    pub content: Content,
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of parts.
    pub parts: u64,
    /// Number of bytes of their texts.
    pub bytes: u64,
}

/// Receives the parts of a document and counts them.
struct Parts<'s> {
    sink: &'s mut dyn FnMut(Part<'_>) -> ControlFlow<()>,
    summary: Summary,
    is_ended: bool,
}

impl Parts<'_> {
    /// Passes a part on, unless it is empty.
    fn give(&mut self, place: &str, text: &str, content: Content) {
        if self.is_ended || text.trim().is_empty() {
            return;
        }
        self.summary.parts += 1;
        self.summary.bytes += text.len() as u64;
        self.is_ended = (self.sink)(Part { place, text, content }).is_break();
    }
}

/// Stack that is given to the parsers. They recurse where objects refer to each other. Only what they
/// touch takes memory.
const STACK: usize = 64 * 1024 * 1024;

/// Passes the parts of a document to `sink`, in the order of the document, until it breaks.
///
/// # Errors
///
/// Fails if the document, or a part of it, is not read. The parts that were passed on count.
pub fn extract(
    kind: Kind,
    bytes: &[u8],
    limits: &Limits,
    sink: &mut dyn FnMut(Part<'_>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let mut parts = Parts { sink, summary: Summary::default(), is_ended: false };
    let mut budget = budget::Budget::new(*limits, bytes.len());
    let result = stacker::grow(STACK, || match kind {
        Kind::Pdf => pdf::extract(bytes, &mut budget, &mut parts),
    });
    result.map(|()| parts.summary)
}
