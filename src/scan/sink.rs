//! The results of a scan, and where they go.

use super::Repairs;
use crate::doi::Reason;

/// One accepted DOI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match<'a> {
    /// Offset in the haystack of the first byte of the name.
    pub start: usize,
    /// Offset in the haystack after the last byte of the name.
    pub end: usize,
    /// The canonical name.
    pub doi: &'a [u8],
    /// The damage that was undone.
    pub repairs: Repairs,
}

/// Receives the results in the order of `start`.
pub trait Sink {
    /// One DOI was found.
    fn accept(&mut self, found: &Match<'_>);
    /// A candidate at `start` is no DOI.
    fn reject(&mut self, start: usize, reason: Reason);
}
