//! Finds where a name can begin: `10.` and the spellings that escape its full stop.

use crate::doi::{Registrant, registrant};
use crate::sys::vector::{self, BLOCK};
use memchr::memmem::{FindIter, Finder};
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
        self.places(haystack, starts, Density::Rare).next()
    }

    /// The anchors that start in `starts`, in order. `density` bears on the speed alone.
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

/// How many places hold the digits of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Density {
    /// Few: `memmem` goes through them in the widest vectors that the processor has, and starts
    /// anew after each.
    Rare,
    /// Many: each block is searched as a whole, and all places in it are known at once.
    Dense,
}

/// Bytes between two places where both searches cost the same (210 instructions for one start of
/// `memmem`, 0.5 a byte for blocks, 0.2 for `memmem`).
const EVEN: usize = 700;

/// The anchors of a range.
pub(super) struct Places<'a> {
    haystack: &'a [u8],
    search: Search<'a>,
    /// Places that hold the digits.
    hits: usize,
    len: usize,
}

#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
enum Search<'a> {
    Rare { found: FindIter<'a, 'a>, start: usize },
    Dense(Blocks<'a>),
}

impl Places<'_> {
    /// How dense the places were that were gone through.
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

/// The places where [`DIGITS`] begin, a block at a time.
struct Blocks<'a> {
    haystack: &'a [u8],
    /// Where the next block begins.
    at: usize,
    end: usize,
    /// Those of the block before it that were not yet gone through.
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
