//! Changes of the text of a candidate, with which it is judged again.

use super::{Repair, Repairs};
use alloc::vec::Vec;
use core::ops::Range;

/// Maximum number of bytes kept after a change.
const MAX_REST: usize = 1024;

/// A change of the text of a candidate: bytes that are left out, or one that stands for another.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// The bytes that are changed, from the start of the candidate.
    pub(super) gap: Range<usize>,
    with: Option<u8>,
}

impl Edit {
    /// Leaves out the bytes of `gap`.
    pub(super) fn join(gap: Range<usize>) -> Edit {
        Edit { gap, with: None }
    }

    /// Replaces the bytes of `gap`: a misread byte, a mark between blanks, or a blank for a lost underscore.
    pub(super) fn replace(gap: Range<usize>, with: u8) -> Edit {
        Edit { gap, with: Some(with) }
    }

    /// Returns the changed text, and whether it is cut off.
    pub(super) fn apply(&self, after: &[u8]) -> (Vec<u8>, bool) {
        let end = after.len().min(self.gap.end + MAX_REST);
        let (front, rest) = (&after[..self.gap.start], &after[self.gap.end..end]);
        ([front, self.with.as_slice(), rest].concat(), end < after.len())
    }

    /// Changes the length of a name in the changed text to that in the source, if the name holds
    /// the place of the change.
    pub(super) fn undo(&self, len: &mut usize, repairs: &mut Repairs) {
        if *len > self.gap.start {
            *len += self.gap.len() - usize::from(self.with.is_some());
            repairs.insert(match self.with {
                Some(b'_') => Repair::LostHyphen,
                Some(_) => Repair::Ocr,
                None => Repair::LineEnd,
            });
        }
    }
}
