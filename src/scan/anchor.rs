//! Finds where a name can begin: `10.` and the spellings that escape its full stop.

use crate::doi::{Registrant, registrant};
use memchr::memmem::Finder;
use std::ops::Range;

/// What every spelling begins with.
///
/// To search for these two bytes and look at the third is as fast as to search for
/// `10.` where names are rare (9.6 against 8.9 GB/s of prose, one core), and finds the
/// escaped spellings in the same pass; a packed search for all of them ran at 6.4.
const DIGITS: &[u8] = b"10";

/// The full stop as nearly everybody writes it, and its escapes.
const STOPS: [&[u8]; 9] =
    [b".", b"%2E", b"%2e", b"&#46;", b"&#x2E;", b"&#x2e;", b"\\u002E", b"\\u002e", b"\\."];

/// A place where a name can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Offset of its `1`.
    pub(super) start: usize,
    /// Offset behind its full stop.
    pub(super) end: usize,
}

/// The anchor at the start of `bytes`, if there is one: its length.
pub(super) fn anchor(bytes: &[u8]) -> Option<usize> {
    let behind = bytes.strip_prefix(DIGITS)?;
    let stop = STOPS.iter().find(|stop| behind.starts_with(stop))?;
    Some(DIGITS.len() + stop.len())
}

/// The bytes in which the end of a registrant is looked for. `978.8898392` has 11. A longer
/// chain of digits and full stops is rejected, which avoids reading it from each of its parts.
const MAX_REGISTRANT: usize = 16;

/// The registrant at the start of `text`.
pub(super) fn find_registrant(text: &[u8]) -> Registrant {
    registrant(&text[..text.len().min(MAX_REGISTRANT)])
}

/// The searcher for anchors.
#[derive(Debug)]
pub(super) struct Anchors(Finder<'static>);

impl Anchors {
    /// Builds the searcher.
    pub(super) fn new() -> Self {
        Anchors(Finder::new(DIGITS))
    }

    /// The first anchor that starts in `starts`.
    pub(super) fn first(&self, haystack: &[u8], starts: Range<usize>) -> Option<Anchor> {
        self.iter(haystack, starts).next()
    }

    /// The anchors that start in `starts`, in order.
    pub(super) fn iter<'a>(
        &'a self,
        haystack: &'a [u8],
        starts: Range<usize>,
    ) -> impl Iterator<Item = Anchor> + 'a {
        let reach = haystack.len().min(starts.end + DIGITS.len() - 1);
        self.0.find_iter(&haystack[starts.start..reach]).filter_map(move |at| {
            let start = starts.start + at;
            match haystack.get(start + DIGITS.len())? {
                b'.' => Some(Anchor { start, end: start + DIGITS.len() + 1 }),
                b'%' | b'&' | b'\\' => {
                    let len = anchor(&haystack[start..])?;
                    Some(Anchor { start, end: start + len })
                }
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling() {
        for (text, len) in [
            ("10.1", Some(3)),
            ("10%2E1", Some(5)),
            ("10&#x2e;1", Some(8)),
            (r"10\u002e1", Some(8)),
            (r"10\.1", Some(4)),
            ("10 1", None),
            ("10", None),
            ("1", None),
        ] {
            assert_eq!(anchor(text.as_bytes()), len, "{text}");
            let found = Anchors::new().iter(text.as_bytes(), 0..text.len()).next();
            assert_eq!(found.map(|a| a.end), len, "{text}");
        }
    }

    #[test]
    fn an_anchor_belongs_to_the_range_it_starts_in() {
        let text = b"10.1 10.2";
        let starts = |range| Anchors::new().iter(text, range).map(|a| a.start).collect::<Vec<_>>();
        assert_eq!(starts(0..1), [0]);
        assert_eq!(starts(1..5), [0; 0]);
        assert_eq!(starts(1..6), [5]);
    }
}
