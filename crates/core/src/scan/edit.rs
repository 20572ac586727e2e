//! Changes of the text of a candidate, with which it is judged again.

use super::{Repair, Repairs};
use alloc::vec::Vec;
use core::ops::Range;

/// Maximum number of bytes kept after a change.
const MAX_REST: usize = 1024;

/// A change of the text of a candidate: bytes that are left out, or that an underscore stands for.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// The bytes that are changed, from the start of the candidate.
    pub(super) gap: Range<usize>,
    /// What stands for them.
    with: &'static [u8],
    repair: Repair,
}

impl Edit {
    /// Leaves out the bytes of `gap`.
    pub(super) fn join(gap: Range<usize>) -> Edit {
        Edit { gap, with: b"", repair: Repair::LineEnd }
    }

    /// Leaves out the characters without a width in `gap`.
    pub(super) fn without_width(gap: Range<usize>) -> Edit {
        Edit { repair: Repair::ZeroWidth, ..Edit::join(gap) }
    }

    /// Puts the underscore that was lost in place of the blank in `gap`.
    pub(super) fn underscore(gap: Range<usize>) -> Edit {
        Edit { gap, with: b"_", repair: Repair::LostHyphen }
    }

    /// Whether it leaves out a blank of `after`.
    pub(super) fn is_blank(&self, after: &[u8]) -> bool {
        self.with.is_empty() && after[self.gap.clone()].iter().all(|byte| *byte == b' ')
    }

    /// Returns the changed text, and whether it is cut off.
    pub(super) fn apply(&self, after: &[u8]) -> (Vec<u8>, bool) {
        let end = after.len().min(self.gap.end + MAX_REST);
        (
            [&after[..self.gap.start], self.with, &after[self.gap.end..end]].concat(),
            end < after.len(),
        )
    }

    /// Changes the length of a name in the changed text to that in the source, if the name holds
    /// the place of the change.
    pub(super) fn undo(&self, len: &mut usize, repairs: &mut Repairs) {
        if *len > self.gap.start {
            *len += self.gap.len() - self.with.len();
            repairs.insert(self.repair);
        }
    }
}
