//! The results of a scan and their receiver.

use super::Repairs;
use crate::doi::Reason;
use alloc::collections::VecDeque;
use alloc::string::String;
use core::ops::Range;

/// One accepted DOI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match<'a> {
    /// Offset of the first byte of the name in the haystack.
    pub start: usize,
    /// Offset after the last byte of the name in the haystack.
    pub end: usize,
    /// The canonical name.
    pub doi: &'a [u8],
    /// Repairs made to the name.
    pub repairs: Repairs,
}

/// Receives the results in the order of `start`.
pub trait Sink {
    /// Called for each DOI.
    fn accept(&mut self, found: &Match<'_>);
    /// Called instead of [`Sink::accept`] for a name that consists of letters, digits and `-._/()<>:;`
    /// and was not repaired. Every format spells it as it is, so a receiver need not look for
    /// characters to encode.
    fn accept_plain(&mut self, found: &Match<'_>) {
        self.accept(found);
    }
    /// Called instead of [`Sink::accept_plain`] for a name that was already accepted in the same call of
    /// [`Scanner::scan`](super::Scanner::scan).
    fn accept_again(&mut self, found: &Match<'_>) {
        self.accept_plain(found);
    }
    /// Called for each candidate that is not a DOI.
    fn reject(&mut self, start: usize, reason: Reason);
}

/// One DOI that [`matches`](super::matches) returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedMatch {
    /// The bytes of the text that are the name.
    pub range: Range<usize>,
    /// The canonical name.
    pub doi: String,
    /// Repairs made to the name.
    pub repairs: Repairs,
}

/// Keeps the DOIs, and ignores the reasons for rejection.
impl Sink for VecDeque<OwnedMatch> {
    fn accept(&mut self, found: &Match<'_>) {
        let doi = String::from_utf8_lossy(found.doi).into_owned();
        let (range, repairs) = (found.start..found.end, found.repairs);
        self.push_back(OwnedMatch { range, doi, repairs });
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}
