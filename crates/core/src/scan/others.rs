//! Finds where the next name begins while a name is read.
//!
//! A name ends at the latest where another name may begin. This keeps names from overlapping and
//! the cost linear. Otherwise, each name of a chain such as `10.1234/doi.org/10.1234/…` would be
//! read up to the maximum length, again from each of its parts.

use super::{anchor, prefix};
use core::ops::Range;

/// The anchors within the text of one candidate. Places are offsets from the candidate's start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Others<'a> {
    /// The input up to the last byte that can affect the candidate.
    haystack: &'a [u8],
    /// Where the candidate begins.
    pub(super) origin: usize,
    /// The first place where another name may begin, or a place before which none begins.
    pub(super) first: usize,
}

/// Bytes searched at a time for the next anchor.
const STRIDE: usize = 256;

impl<'a> Others<'a> {
    /// Creates the anchors after the one that starts at `origin`. None starts between it and
    /// `next`.
    pub(super) fn new(haystack: &'a [u8], origin: usize, next: usize) -> Self {
        Others { haystack, origin, first: next - origin }
    }

    /// Whether a name may begin in `places`, regardless of its suffix.
    #[cold]
    pub(super) fn begins_within(&self, places: Range<usize>) -> bool {
        let after = |place: &usize| Some(self.next(place.checked_add(1)?));
        core::iter::successors(Some(places.start), after)
            .take_while(|&place| place < places.end)
            .any(|place| prefix::begins_at(self.haystack, self.origin + place))
    }

    /// Returns the first anchor from `place` on, or a place before which there is none.
    #[cold]
    pub(super) fn next(&self, place: usize) -> usize {
        let len = self.haystack.len();
        let start = len.min(self.origin + place);
        let end = len.min(start + STRIDE);
        let found = anchor::anchors(self.haystack, start..end).next();
        found.or((end < len).then_some(end)).map_or(usize::MAX, |at| at - self.origin)
    }
}

#[cfg(test)]
mod tests {
    use crate::scan::{Notation, Options, Scanner};

    #[test]
    fn a_name_ends_where_another_begins() {
        for (text, expected) in [
            ("10.1234/a/doi.org/10.1234/b", &["10.1234/A/DOI.ORG", "10.1234/B"][..]),
            ("10.1234/1doi10.1234/2", &["10.1234/1", "10.1234/2"]),
            ("10.1234/1doix", &["10.1234/1DOIX"]),
            (r"10.1234\u002fa10.1234", &["10.1234/A10.1234"]),
            (r"10.1234/a\u002f10.1234/b", &["10.1234/A/10.1234/B"]),
            ("10.1234&#47;a&#47;10.1234&#47;b", &["10.1234/A", "10.1234/B"]),
            ("\"10.1234/a'10.1234/b\"", &["10.1234/A", "10.1234/B"]),
            ("10.1234/a/10.1234/b", &["10.1234/A/10.1234/B"]),
            ("10.1234/a<1:10.1234/b>1.0", &["10.1234/A", "10.1234/B"]),
            ("10.1234/a<1:v10.1234/b>1.0", &["10.1234/A<1:V10.1234/B>1.0"]),
            ("10%2E1234%2Fa%2F10%2E1234%2Fb", &["10.1234/A/10.1234/B"]),
            ("10.1234%252Fa%252F10.1234%252Fb", &["10.1234/A", "10.1234/B"]),
        ] {
            let mut scanner = Scanner::new(Options::default());
            assert_eq!(scanner.names(text.as_bytes(), Notation::Unknown), expected, "{text}");
        }
    }

    #[test]
    fn the_limit_may_be_any_number() {
        let mut scanner = Scanner::new(Options { max_length: usize::MAX, ..Options::default() });
        assert_eq!(scanner.names(b"x 10.1234/a b", Notation::Unknown), ["10.1234/A"]);
    }

    #[test]
    fn a_name_may_have_the_maximum_length() {
        for (text, len, expected) in [
            ("\"10.1234/a*\"", 10, &["10.1234/A*"][..]),
            ("\"10.1234/a*\"", 9, &[]),
            ("see 10.1234/a b", 9, &["10.1234/A"]),
            ("see 10.1234/a b", 8, &[]),
        ] {
            let mut scanner = Scanner::new(Options { max_length: len, ..Options::default() });
            let names = scanner.names(text.as_bytes(), Notation::Unknown);
            assert_eq!(names, expected, "{text} {len}");
        }
    }

    #[test]
    fn a_name_ends_at_leader_dots_however_they_are_spelled() {
        for dots in [".....", "....&#46;", "..&#46;..", "&#46;....", "....\\u002e."] {
            let text = format!("see 10.1234/a{dots}b 12");
            let names = Scanner::new(Options::default()).names(text.as_bytes(), Notation::Unknown);
            assert_eq!(names, ["10.1234/A"], "{dots}");
        }
    }

    #[test]
    fn blanks_in_front_of_the_delimiter() {
        for (count, expected) in [(63, "10.1234/A*"), (64, "10.1234/A")] {
            let text = format!("\"10.1234/a*{}\"", " ".repeat(count));
            let mut scanner = Scanner::new(Options::default());
            assert_eq!(scanner.names(text.as_bytes(), Notation::Unknown), [expected], "{count}");
        }
    }

    #[test]
    fn the_next_anchor_may_be_far() {
        let filler = "x".repeat(3 * super::STRIDE);
        for (between, count) in [("/doi.org/", 2), ("/", 2), ("x", 1)] {
            let text = format!("10.1234/{filler}{between}10.1234/y");
            let names = Scanner::new(Options::default()).names(text.as_bytes(), Notation::Unknown);
            assert_eq!(names.len(), count, "{between}");
        }
    }
}
