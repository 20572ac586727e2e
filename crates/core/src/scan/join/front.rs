//! What was read of a name, and what the text after it does to it.

use crate::names::Whole;
use core::ops::Range;

/// Maximum number of line ends and blanks within one name: `10. 1016/j. jpba. 2019. 112970`.
pub(in crate::scan) const MAX_LINES: usize = 12;

/// The front of a name, up to where it was read.
#[derive(Clone, Copy)]
pub(in crate::scan) struct Front<'a> {
    /// The bytes before the candidate.
    pub(in crate::scan) before: &'a [u8],
    /// The bytes from its start on.
    pub(in crate::scan) after: &'a [u8],
    /// The end of what was read, an offset in `after`.
    pub(in crate::scan) at: usize,
    /// The folded name.
    pub(in crate::scan) name: &'a [u8],
    /// Where its suffix begins.
    pub(in crate::scan) start: usize,
    /// Whether a blank was left out before.
    pub(in crate::scan) is_loose: bool,
    /// What the model is known to tell of the name without a full stop at its end.
    pub(in crate::scan) ends: Option<Whole>,
}

/// The effect of the text after the front of a name on it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::scan) enum End {
    /// The name does not continue.
    Whole,
    /// The name does not continue. The lengths of its suffix: what the notation leaves, and what the model leaves.
    At([usize; 2]),
    /// The name continues after these bytes.
    Goes(Range<usize>),
    /// The name continues after these bytes, which stand for an underscore.
    Underscore(Range<usize>),
    /// The name continues, but its rest was not found.
    Stem,
}

impl<'a> Front<'a> {
    /// Returns the text after it.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.after[self.at..]
    }

    pub(in crate::scan) fn suffix(&self) -> &'a [u8] {
        &self.name[self.start..]
    }
}
