//! What was read of a name, and what the text after it does to it.

use super::{form, shape};
use crate::scan::{marker, stem};
use core::ops::Range;

/// Maximum number of line ends and blanks within one name: `10. 1016/j. jpba. 2019. 112970`.
pub(in crate::scan) const MAX_LINES: usize = 8;

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
}

/// The effect of the text after the front of a name on it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::scan) enum End {
    /// The name ends there.
    Whole,
    /// The name continues after these bytes.
    Goes(Range<usize>),
    /// The name continues, but its rest was not found.
    Stem,
    /// These bytes stand for this mark.
    StandsFor(Range<usize>, u8),
}

impl<'a> Front<'a> {
    /// Returns the text after it.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.after[self.at..]
    }

    /// Returns the last byte of the name in the source, or `-` for a dash.
    pub(super) fn last(&self) -> u8 {
        let last = self.after[self.at - 1];
        if last.is_ascii() || !self.name.ends_with(b"-") { last } else { b'-' }
    }

    pub(in crate::scan) fn suffix(&self) -> &'a [u8] {
        &self.name[self.start..]
    }

    pub(super) fn prefix(&self) -> &'a [u8] {
        &self.name[..self.start]
    }

    /// Whether no digit of the suffix was read.
    pub(super) fn is_bare(&self) -> bool {
        !stem::has_digit(self.suffix())
    }

    /// Whether the name is the beginning of a longer name, by its form.
    pub(super) fn is_unfinished(&self) -> bool {
        form::is_unfinished(self.name, self.start)
    }

    /// Whether the name has one of the known forms of whole names before the mark at its end, and no other.
    #[cold]
    pub(super) fn is_whole(&self) -> bool {
        form::is_whole(self.name, self.start) && !self.is_unfinished()
    }

    /// Whether the name is shorter than all names of its registrant.
    pub(super) fn is_within_form(&self) -> bool {
        form::is_within_form(self.name, self.start)
    }

    /// Whether the name and `word` after it are shorter than all names of the registrant.
    #[cold]
    pub(super) fn is_unfinished_with(&self, word: &[u8]) -> bool {
        let ends_whole = word.last().is_some_and(u8::is_ascii_alphanumeric);
        let name = || [self.name, &word.to_ascii_uppercase()].concat();
        ends_whole && form::is_within_form(&name(), self.start)
    }

    /// Whether the slash after a name without a digit may be that of the address of a page.
    #[cold]
    pub(super) fn ends_page(&self) -> bool {
        self.is_bare() && !form::has_forms(self.prefix()) && marker::is_in_path(self.before)
    }

    /// Whether the name ends within a known shape.
    pub(super) fn ends_in_shape(&self) -> bool {
        shape::ends_in_shape(self.name, self.start)
    }

    /// Whether the name is one of Springer Nature without the hyphen and the check character at its end.
    pub(super) fn lacks_check(&self) -> bool {
        shape::lacks_check(self.suffix())
    }

    /// Whether `word` continues the name in one of its known shapes.
    pub(super) fn continues_shape(&self, word: &[u8]) -> bool {
        shape::continues_shape(self.name, self.start, word)
    }

    /// Returns the effect of a name that goes on at `at`.
    pub(in crate::scan) fn goes_to(&self, at: usize) -> End {
        End::Goes(self.at..at)
    }
}
