//! Finds DOIs in bytes: a pure function over `&[u8]`.
//!
//! A candidate is an anchor (`10.`) that a digit follows. What stands before it
//! (left boundary, field, marker) and behind it (registrant, separator, suffix)
//! decides alone, within [`LOOKBEHIND`] and [`Scanner::lookahead`] bytes, so every
//! way to cut the input finds the same.

mod anchor;
mod boundary;
mod brackets;
mod candidate;
mod class;
mod field;
mod glued;
mod lookalike;
mod marker;
pub mod naive;
mod repair;
pub mod short;
mod sici;
mod suffix;
mod trim;
mod urn;
mod value;

use crate::doi::Reason;
use anchor::{Anchor, Anchors};
use candidate::Candidate;
use std::ops::Range;
use urn::Urns;

pub use repair::{Repair, Repairs};
pub use value::{Cleaner, is_licence};

/// The notation a file is written in, where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Notation {
    /// Nothing is known: only the bytes near a candidate decide.
    #[default]
    Unknown,
    /// Records of cells with this delimiter between them.
    Csv(u8),
}

/// What the caller may set.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest name in bytes that is accepted. The standard has no limit; the
    /// longest of 1.34 million real names has 91 bytes.
    pub max_length: usize,
    /// Undo no damage, and refuse the suffixes that Z39.84 reserves.
    pub strict: bool,
    /// Join a name that the end of a line cuts behind `/`, `-`, `.`, `_` or `(`, where
    /// the next line goes on with a small letter or a digit.
    pub join_lines: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_length: 2048, strict: false, join_lines: false }
    }
}

/// One accepted DOI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match<'a> {
    /// Offset in the haystack of the first byte of the name.
    pub start: usize,
    /// Offset in the haystack behind the last byte of the name.
    pub end: usize,
    /// The canonical name.
    pub doi: &'a [u8],
    /// The damage that was undone.
    pub repairs: Repairs,
}

/// Takes what the scanner finds, in order of `start`.
pub trait Sink {
    /// One DOI was found.
    fn accept(&mut self, found: &Match<'_>);
    /// A candidate at `start` is no DOI.
    fn reject(&mut self, start: usize, reason: Reason);
}

/// Bytes before a candidate that may decide about it.
pub const LOOKBEHIND: usize = 256;

/// Finds DOIs. Holds scratch space alone: answers never depend on what was scanned before.
#[derive(Debug)]
pub struct Scanner {
    options: Options,
    anchors: Anchors,
    urns: Urns,
    name: Vec<u8>,
}

/// Bytes that are searched for one thing after the other. They stay in the first-level cache.
const PIECE: usize = 16 * 1024;

impl Scanner {
    /// A scanner with these options.
    pub fn new(options: Options) -> Self {
        Scanner { options, anchors: Anchors::new(), urns: Urns::new(), name: Vec::new() }
    }

    /// Bytes behind a candidate's start that may decide about it.
    pub fn lookahead(&self) -> usize {
        candidate::lookahead(&self.options)
    }

    /// Reports every candidate that starts in `starts`, looking at most
    /// [`LOOKBEHIND`] bytes before it and [`Scanner::lookahead`] bytes behind it.
    ///
    /// # Panics
    ///
    /// If `starts` does not lie within `haystack`.
    pub fn scan<S: Sink>(
        &mut self,
        haystack: &[u8],
        starts: Range<usize>,
        notation: Notation,
        sink: &mut S,
    ) {
        for start in starts.clone().step_by(PIECE) {
            let piece = start..starts.end.min(start + PIECE);
            let mut urns = self.urns.iter(haystack, piece.clone()).peekable();
            for anchor in self.anchors.iter(haystack, piece) {
                while let Some(urn) = urns.next_if(|&urn| urn < anchor.start) {
                    urn::report(haystack, urn, sink);
                }
                judge(haystack, anchor, notation, &self.options, &mut self.name, sink);
            }
            urns.for_each(|urn| urn::report(haystack, urn, sink));
        }
    }

    /// The names in `haystack`, in order of appearance.
    pub fn names(&mut self, haystack: &[u8], notation: Notation) -> Vec<String> {
        let mut names = Names(Vec::new());
        self.scan(haystack, 0..haystack.len(), notation, &mut names);
        names.0
    }
}

/// Judges the candidate at `anchor`, if a digit follows it.
fn judge<S: Sink>(
    haystack: &[u8],
    anchor: Anchor,
    notation: Notation,
    options: &Options,
    name: &mut Vec<u8>,
    sink: &mut S,
) {
    let Some(candidate) = Candidate::new(haystack, anchor, options) else { return };
    match candidate.judge(notation, options, name) {
        Ok(found) => sink.accept(&Match {
            start: anchor.start,
            end: anchor.start + found.len,
            doi: name,
            repairs: found.repairs,
        }),
        Err(reason) => sink.reject(anchor.start, reason),
    }
}

/// Collects names as text.
struct Names(Vec<String>);

impl Sink for Names {
    fn accept(&mut self, found: &Match<'_>) {
        self.0.push(String::from_utf8_lossy(found.doi).into_owned());
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}
