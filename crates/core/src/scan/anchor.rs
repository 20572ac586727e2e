//! Finds where a name can begin: at `10.`, or at a spelling with an escaped full stop.

use super::ocr;
use super::tens::TenOffsets;
use crate::doi::{Registrant, registrant};
use core::ops::Range;
use memchr::memmem::{FindIter, Finder};

/// The first two bytes of every spelling.
///
/// Searching for these two bytes and checking the third is as fast as searching for `10.` where
/// names are rare (9.6 against 8.9 GB/s of prose, one core), and finds the escaped spellings in the
/// same pass. A packed search for all spellings ran at 6.4 GB/s.
pub(super) const DIGITS: &[u8] = b"10";

/// The full stop as usually written, and its escapes.
const STOPS: [&[u8]; 9] =
    [b".", b"%2E", b"%2e", b"&#46;", b"&#x2E;", b"&#x2e;", b"\\u002E", b"\\u002e", b"\\."];

/// A place where a name can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Offset of its `1`.
    pub(super) start: usize,
    /// Offset after its full stop, which [may be misread](ocr).
    pub(super) end: usize,
}

/// Returns the length of the anchor at the start of `bytes`, if there is one.
pub(super) fn anchor(bytes: &[u8]) -> Option<usize> {
    let behind = bytes.strip_prefix(DIGITS)?;
    let stop = STOPS.iter().find(|stop| behind.starts_with(stop))?;
    Some(DIGITS.len() + stop.len())
}

/// Returns the offsets of the anchors that start in `starts`, which lie in `bytes`.
pub fn anchors(bytes: &[u8], starts: Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
    let ones = memchr::memchr_iter(b'1', &bytes[starts.clone()]).map(move |at| starts.start + at);
    ones.filter(|&at| anchor(&bytes[at..]).is_some())
}

/// Maximum number of bytes searched for the end of a registrant. `978.8898392` has 11. Longer
/// chains of digits and full stops are rejected, which avoids quadratic rescans.
pub(super) const MAX_REGISTRANT: usize = 16;

/// Returns the registrant at the start of `text`.
pub(super) fn find_registrant(text: &[u8]) -> Registrant {
    registrant(&text[..text.len().min(MAX_REGISTRANT)])
}

/// Iterator over the anchors of a range.
#[derive(Clone)]
pub(super) struct Places<'a> {
    haystack: &'a [u8],
    search: Search<'a>,
    /// Number of occurrences of the digits so far.
    pub(super) hits: usize,
    /// Whether misread anchors are found too.
    with_misread: bool,
}

/// How the digits of anchors are found.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
enum Search<'a> {
    /// `memmem` searches and starts again after each occurrence.
    Rare { found: FindIter<'a, 'a>, start: usize },
    /// The whole range was searched.
    Dense(TenOffsets<'a>),
}

impl<'a> Places<'a> {
    /// Returns the anchors that start in `starts`, in order, with a `finder` of [`DIGITS`].
    pub(super) fn search(
        haystack: &'a [u8],
        starts: Range<usize>,
        finder: &'a Finder<'static>,
        with_misread: bool,
    ) -> Self {
        let reach = haystack.len().min(starts.end + DIGITS.len() - 1);
        let found = finder.find_iter(&haystack[starts.start..reach]);
        let search = Search::Rare { found, start: starts.start };
        Places { haystack, search, hits: 0, with_misread }
    }

    /// Returns the anchors among the digits that were found.
    pub(super) fn among(haystack: &'a [u8], found: TenOffsets<'a>, with_misread: bool) -> Self {
        Places { haystack, search: Search::Dense(found), hits: 0, with_misread }
    }

    /// Returns the end of the anchor at `start`, whose full stop is escaped or misread.
    #[cold]
    #[inline(never)]
    fn other_end(&self, start: usize) -> Option<usize> {
        let len = match self.haystack[start + DIGITS.len()] {
            b'%' | b'&' | b'\\' => anchor(&self.haystack[start..])?,
            _ => ocr::anchor(self.haystack, start).filter(|_| self.with_misread)?,
        };
        Some(start + len)
    }
}

/// Whether a byte after the digits may begin an escaped or misread full stop. Most digits in numbers
/// have none.
const MAY_STOP: [bool; 256] = {
    let (mut stops, marks, mut at) = ([false; 256], b"%&\\,:; \n\xef", 0);
    while at < marks.len() {
        stops[marks[at] as usize] = true;
        at += 1;
    }
    stops
};

impl Iterator for Places<'_> {
    type Item = Anchor;

    #[inline]
    fn next(&mut self) -> Option<Anchor> {
        loop {
            let start = match &mut self.search {
                Search::Rare { found, start } => found.next()? + *start,
                Search::Dense(found) => found.next()?,
            };
            self.hits += 1;
            let end = match self.haystack.get(start + DIGITS.len()) {
                Some(b'.') => Some(start + DIGITS.len() + 1),
                Some(byte) if MAY_STOP[usize::from(*byte)] => self.other_end(start),
                _ => None,
            };
            if let Some(end) = end {
                return Some(Anchor { start, end });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tens::Tens;

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
            assert_eq!(anchors(text.as_bytes(), 0..text.len()).next(), len.map(|_| 0), "{text}");
        }
    }

    #[test]
    fn an_anchor_belongs_to_the_range_it_starts_in() {
        let finder = Finder::new(DIGITS);
        let text =
            [&[b'x'; 70][..], b"10.1 10.2 110.3", &[b'y'; 60], b"10.4 10", b"%2e5 10"].concat();
        let all = [70, 75, 81, 145, 150];
        let mut tens = Tens::default();
        for range in (0..=text.len()).flat_map(|end| (0..=end).map(move |start| start..end)) {
            let expected: Vec<_> = all.into_iter().filter(|at| range.contains(at)).collect();
            let starts = |places: Places<'_>| places.map(|anchor| anchor.start).collect::<Vec<_>>();
            assert_eq!(
                starts(Places::search(&text, range.clone(), &finder, false)),
                expected,
                "{range:?}"
            );
            tens.search(&text, range.clone());
            assert_eq!(starts(Places::among(&text, tens.found(), false)), expected, "{range:?}");
        }
    }
}
