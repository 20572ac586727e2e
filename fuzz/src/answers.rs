//! Collects the results of a scan by the scanner, by its oracle, and in windows.

use doiscan_core::doi::Reason;
use doiscan_core::scan::naive;
use doiscan_core::scan::short;
use doiscan_core::scan::{Joining, LOOKBEHIND, Match, Notation, Options, Repairs, Scanner, Sink};

/// A candidate: its position, and the name or the reason for rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte. Equals `start` for a rejected candidate.
    pub end: usize,
    /// The canonical name, or the reason for rejection.
    pub outcome: Result<String, Reason>,
    /// The repairs that were applied.
    pub repairs: Repairs,
}

/// Collects answers. `offset` is the position of the haystack's first byte.
#[derive(Default)]
struct Answers {
    all: Vec<Answer>,
    offset: usize,
}

impl Sink for Answers {
    fn accept(&mut self, found: &Match<'_>) {
        self.all.push(Answer {
            start: self.offset + found.start,
            end: self.offset + found.end,
            outcome: Ok(String::from_utf8(found.doi.to_vec()).expect("names are UTF-8")),
            repairs: found.repairs,
        });
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        let start = self.offset + start;
        self.all.push(Answer {
            start,
            end: start,
            outcome: Err(reason),
            repairs: Repairs::default(),
        });
    }
}

/// Returns the default options with this limit.
pub fn options(max_length: usize) -> Options {
    Options::default().with_max_length(max_length)
}

/// Returns the combinations of options, with this limit, that are tried on each input.
pub fn every_options(max_length: usize) -> [Options; 3] {
    [(false, Joining::Auto), (false, Joining::Never), (true, Joining::Auto)]
        .map(|(strict, joining)| options(max_length).with_strict(strict).with_joining(joining))
}

/// Returns the answers of the scanner.
pub fn fast(haystack: &[u8], notation: Notation, options: &Options) -> Vec<Answer> {
    let mut answers = Answers::default();
    let mut scanner = Scanner::new(options.clone());
    scanner.scan(haystack, 0..haystack.len(), notation, &mut answers);
    answers.all
}

/// Returns the answers of the oracle.
pub fn slow(haystack: &[u8], notation: Notation, options: &Options) -> Vec<Answer> {
    let mut answers = Answers::default();
    naive::scan(haystack, 0..haystack.len(), notation, options, &mut answers);
    answers.all
}

/// Returns the answers of the scanner for `chunk` bytes at a time, with only as many surrounding
/// bytes as it asks for.
pub fn windows(
    haystack: &[u8],
    chunk: usize,
    notation: Notation,
    options: &Options,
) -> Vec<Answer> {
    let mut answers = Answers::default();
    let mut scanner = Scanner::new(options.clone());
    for start in (0..haystack.len()).step_by(chunk) {
        let end = haystack.len().min(start + chunk);
        let begin = start.saturating_sub(LOOKBEHIND);
        let reach = haystack.len().min(end + scanner.lookahead());
        // Copies the window, so that out-of-range reads are detected.
        let window = haystack[begin..reach].to_vec();
        answers.offset = begin;
        scanner.scan(&window, start - begin..end - begin, notation, &mut answers);
    }
    answers.all
}

/// Returns the shortDOIs in `haystack`, sorted.
pub fn short_dois(haystack: &[u8]) -> Vec<Vec<u8>> {
    short_windows(haystack, haystack.len().max(1))
}

/// Returns the shortDOIs found in windows of `chunk` bytes, sorted.
pub fn short_windows(haystack: &[u8], chunk: usize) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for start in (0..haystack.len()).step_by(chunk) {
        let end = haystack.len().min(start + chunk);
        let begin = start.saturating_sub(LOOKBEHIND);
        let reach = haystack.len().min(end + short::LOOKAHEAD);
        let window = haystack[begin..reach].to_vec();
        short::each(&window, start - begin..end - begin, |name| found.push(name.to_vec()));
    }
    found.sort();
    found
}

/// Panics with the haystack and the first pair of answers that differ.
pub fn agree(
    law: &str,
    haystack: &[u8],
    notation: Notation,
    options: &Options,
    left: &[Answer],
    right: &[Answer],
) {
    if left == right {
        return;
    }
    let both = left.len().min(right.len());
    let at = (0..both).find(|&i| left[i] != right[i]).unwrap_or(both);
    panic!(
        "{law}\n b\"{}\"\n as {notation:?}, {options:?}\n left  {:?}\n right {:?}",
        haystack.escape_ascii(),
        left.get(at),
        right.get(at),
    );
}

/// Whether the oracle is fast on `haystack`. Its time grows with the number of possible names and
/// with the square of the length.
pub fn is_cheap(haystack: &[u8]) -> bool {
    let anchors = haystack.windows(2).filter(|pair| pair == b"10").count();
    anchors * haystack.len() * haystack.len() <= 6 * 1024 * 1024
}

/// All distinct notations.
pub const NOTATIONS: [Notation; 6] = [
    Notation::Unknown,
    Notation::Csv(b','),
    Notation::Csv(b';'),
    Notation::Csv(b'\t'),
    Notation::Csv(b'|'),
    Notation::Marc,
];

/// The law of the oracle: the scanner gives the same answers.
pub fn fast_is_naive(haystack: &[u8], notation: Notation, options: &Options) {
    let left = fast(haystack, notation, options);
    let right = slow(haystack, notation, options);
    agree("fast (left) == naive (right)", haystack, notation, options, &left, &right);
}
