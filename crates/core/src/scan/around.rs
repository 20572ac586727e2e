//! The bytes around a candidate.

/// The bytes around a candidate.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The text before it.
    pub(super) before: &'a [u8],
    /// The candidate and the text after it.
    pub(super) after: &'a [u8],
    /// Where in `after` reading stopped, if the text after it can affect the name.
    pub(super) stop: Option<usize>,
}

impl<'a> Around<'a> {
    /// Returns the bytes that were read.
    pub(super) fn read(&self) -> &'a [u8] {
        self.stop.map_or(b"", |at| &self.after[..at])
    }

    /// Returns the bytes after those that were read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.stop.map_or(b"", |at| &self.after[at..])
    }
}

/// Whether `suffix` contains a digit.
pub(super) fn has_digit(suffix: &[u8]) -> bool {
    suffix.iter().any(u8::is_ascii_digit)
}
