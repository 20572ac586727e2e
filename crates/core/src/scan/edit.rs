//! Changes of the text of a candidate, with which it is judged again.

use super::{Repair, Repairs};
use alloc::vec::Vec;
use core::ops::Range;

/// Maximum number of bytes kept after a change.
const MAX_REST: usize = 1024;

/// A change of the text of a candidate: bytes that are left out, or others that stand for them.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// The bytes that are changed, from the start of the candidate.
    pub(super) gap: Range<usize>,
    /// What stands for them, and where each of it ends in the source.
    with: Vec<(u8, usize)>,
    repair: Repair,
}

impl Edit {
    /// Leaves out the bytes of `gap`.
    pub(super) fn join(gap: Range<usize>) -> Edit {
        Edit { gap, with: Vec::new(), repair: Repair::LineEnd }
    }

    /// Leaves out the characters without a width in `gap`.
    pub(super) fn without_width(gap: Range<usize>) -> Edit {
        Edit { repair: Repair::ZeroWidth, ..Edit::join(gap) }
    }

    /// Replaces the bytes of `gap`: a mark between blanks, a blank for a lost underscore, or an entity.
    pub(super) fn replace(gap: Range<usize>, with: u8) -> Edit {
        let repair = match with {
            b'_' => Repair::LostHyphen,
            b'<' | b'>' => Repair::Compatibility,
            _ => Repair::Ocr,
        };
        Edit { with: [(with, gap.end)].into(), gap, repair }
    }

    /// Leaves out the tags in `gap`, whose text is `with`.
    pub(super) fn without_tags(gap: Range<usize>, with: Vec<(u8, usize)>) -> Edit {
        Edit { gap, with, repair: Repair::LineEnd }
    }

    /// Whether it leaves out a blank of `after`.
    pub(super) fn is_blank(&self, after: &[u8]) -> bool {
        self.with.is_empty() && after[self.gap.clone()].iter().all(|byte| *byte == b' ')
    }

    /// Returns the changed text, and whether it is cut off.
    pub(super) fn apply(&self, after: &[u8]) -> (Vec<u8>, bool) {
        let end = after.len().min(self.gap.end + MAX_REST);
        let (front, rest) = (&after[..self.gap.start], &after[self.gap.end..end]);
        let with: Vec<u8> = self.with.iter().map(|(byte, _)| *byte).collect();
        ([front, &with, rest].concat(), end < after.len())
    }

    /// Changes the length of a name in the changed text to that in the source, if the name holds
    /// the place of the change.
    pub(super) fn undo(&self, len: &mut usize, repairs: &mut Repairs) {
        if *len > self.gap.start {
            *len = match self.with.get(*len - self.gap.start - 1) {
                Some((_, end)) => *end,
                None => *len - self.with.len() + self.gap.len(),
            };
            repairs.insert(self.repair);
        }
    }
}
