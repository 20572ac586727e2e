//! Finds where a name can begin: at `10.`, or at a spelling with an escaped full stop.

use crate::doi::{Registrant, registrant};
use crate::sys::vector::{self, BLOCK};
use memchr::memmem::{FindIter, Finder};
use std::ops::Range;

/// The first two bytes of every spelling.
///
/// Searching for these two bytes and checking the third is as fast as searching for `10.` where
/// names are rare (9.6 against 8.9 GB/s of prose, one core), and finds the escaped spellings in the
/// same pass. A packed search for all spellings ran at 6.4 GB/s.
const DIGITS: &[u8] = b"10";

/// The full stop as usually written, and its escapes.
const STOPS: [&[u8]; 9] =
    [b".", b"%2E", b"%2e", b"&#46;", b"&#x2E;", b"&#x2e;", b"\\u002E", b"\\u002e", b"\\."];

/// A place where a name can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Offset of its `1`.
    pub(super) start: usize,
    /// Offset after its full stop.
    pub(super) end: usize,
}

/// Returns the length of the anchor at the start of `bytes`, if there is one.
pub(super) fn anchor(bytes: &[u8]) -> Option<usize> {
    let behind = bytes.strip_prefix(DIGITS)?;
    let stop = STOPS.iter().find(|stop| behind.starts_with(stop))?;
    Some(DIGITS.len() + stop.len())
}

/// Maximum number of bytes searched for the end of a registrant. `978.8898392` has 11. Longer
/// chains of digits and full stops are rejected, which avoids quadratic rescans.
const MAX_REGISTRANT: usize = 16;

/// Returns the registrant at the start of `text`.
pub(super) fn find_registrant(text: &[u8]) -> Registrant {
    registrant(&text[..text.len().min(MAX_REGISTRANT)])
}

/// Searcher for anchors.
#[derive(Debug)]
pub(super) struct Anchors(Finder<'static>);

impl Anchors {
    pub(super) fn new() -> Self {
        Anchors(Finder::new(DIGITS))
    }

    /// Returns the first anchor that starts in `starts`.
    pub(super) fn first(&self, haystack: &[u8], starts: Range<usize>) -> Option<Anchor> {
        self.places(haystack, starts, Density::Rare).next()
    }

    /// Returns the anchors that start in `starts`, in order. `density` affects only the speed.
    pub(super) fn places<'a>(
        &'a self,
        haystack: &'a [u8],
        starts: Range<usize>,
        density: Density,
    ) -> Places<'a> {
        let Range { start, end } = starts;
        let search = match density {
            Density::Rare => {
                let reach = haystack.len().min(end + DIGITS.len() - 1);
                Search::Rare { found: self.0.find_iter(&haystack[start..reach]), start }
            }
            Density::Dense => Search::Dense(Blocks { haystack, at: start, end, bits: 0 }),
        };
        Places { haystack, search, hits: 0, len: end - start }
    }
}

/// How frequent the digits of an anchor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Density {
    /// Rare: `memmem` searches with the widest vectors of the processor, and starts again after
    /// each occurrence.
    Rare,
    /// Frequent: each block is searched as a whole, which finds all occurrences in it at once.
    Dense,
}

/// Distance in bytes between two occurrences at which both searches cost the same. Starting
/// `memmem` takes 210 instructions; blocks take 0.5 per byte, and `memmem` takes 0.2.
const EVEN: usize = 700;

/// Iterator over the anchors of a range.
pub(super) struct Places<'a> {
    haystack: &'a [u8],
    search: Search<'a>,
    /// Number of occurrences of the digits so far.
    hits: usize,
    len: usize,
}

#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
enum Search<'a> {
    Rare { found: FindIter<'a, 'a>, start: usize },
    Dense(Blocks<'a>),
}

impl Places<'_> {
    /// Returns the density of the occurrences so far.
    pub(super) fn density(&self) -> Density {
        match self.hits > self.len / EVEN {
            true => Density::Dense,
            false => Density::Rare,
        }
    }
}

impl Iterator for Places<'_> {
    type Item = Anchor;

    #[inline]
    fn next(&mut self) -> Option<Anchor> {
        loop {
            let start = match &mut self.search {
                Search::Rare { found, start } => found.next()? + *start,
                Search::Dense(blocks) => blocks.next()?,
            };
            self.hits += 1;
            match self.haystack.get(start + DIGITS.len()) {
                Some(b'.') => return Some(Anchor { start, end: start + DIGITS.len() + 1 }),
                Some(b'%' | b'&' | b'\\') => {
                    if let Some(len) = anchor(&self.haystack[start..]) {
                        return Some(Anchor { start, end: start + len });
                    }
                }
                _ => {}
            }
        }
    }
}

/// Iterator over the occurrences of [`DIGITS`], one block at a time.
struct Blocks<'a> {
    haystack: &'a [u8],
    /// Where the next block begins.
    at: usize,
    end: usize,
    /// Occurrences in the block before `at` that are not yet returned, one bit each.
    bits: u64,
}

impl Iterator for Blocks<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            if self.at >= self.end {
                return None;
            }
            let rest = &self.haystack[self.at..];
            self.bits = match rest.first_chunk() {
                Some(block) => vector::tens(block),
                None => {
                    let mut block = [0; BLOCK + 1];
                    block[..rest.len()].copy_from_slice(rest);
                    vector::tens(&block)
                }
            };
            let left = self.end - self.at;
            if left < BLOCK {
                self.bits &= (1 << left) - 1;
            }
            self.at += BLOCK;
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.at - BLOCK + bit)
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
            let found = Anchors::new().first(text.as_bytes(), 0..text.len());
            assert_eq!(found.map(|a| a.end), len, "{text}");
        }
    }

    #[test]
    fn an_anchor_belongs_to_the_range_it_starts_in() {
        let anchors = Anchors::new();
        let text =
            [&[b'x'; 70][..], b"10.1 10.2 110.3", &[b'y'; 60], b"10.4 10", b"%2e5 10"].concat();
        let all = [70, 75, 81, 145, 150];
        for density in [Density::Rare, Density::Dense] {
            for (start, end) in
                (0..=text.len()).flat_map(|end| (0..=end).map(move |start| (start, end)))
            {
                let found = anchors.places(&text, start..end, density).map(|anchor| anchor.start);
                let expected = all.iter().copied().filter(|at| (start..end).contains(at));
                assert!(found.eq(expected), "{density:?} {start} {end}");
            }
        }
    }

    #[test]
    fn what_was_found_tells_how_to_search_on() {
        let anchors = Anchors::new();
        for (filler, expected) in [(EVEN - 100, Density::Dense), (EVEN + 100, Density::Rare)] {
            let text = [&vec![b'x'; filler][..], b"10"].concat().repeat(10);
            for density in [Density::Rare, Density::Dense] {
                let mut places = anchors.places(&text, 0..text.len(), density);
                assert_eq!(places.by_ref().count(), 0, "no full stop");
                assert_eq!(places.density(), expected, "{filler}");
            }
        }
    }
}
