//! Finds DOIs in bytes: a pure function over `&[u8]`.
//!
//! A candidate is an anchor (`10.`) followed by a digit. Only the text before it (left boundary,
//! field, marker) and after it (registrant, separator, suffix) decides, within [`LOOKBEHIND`] and
//! [`Scanner::lookahead`] bytes. Every way to split the input therefore gives the same result.

mod anchor;
mod around;
mod badge;
mod boundary;
mod brackets;
mod candidate;
mod cells;
mod class;
pub mod cut;
mod deep;
mod edit;
pub mod eidr;
mod emphasis;
mod field;
mod glued;
mod hyphen;
mod join;
pub mod known;
mod learned;
mod list;
mod lookalike;
mod marker;
#[cfg(any(test, feature = "naive"))]
pub mod naive;
mod ocr;
mod options;
mod others;
mod plain_field;
mod plain_text;
mod prefix;
mod reading;
mod registrant;
mod repair;
mod rules;
mod serial;
pub mod short;
mod sici;
mod sink;
mod stem;
mod subfield;
mod suffix;
mod surroundings;
mod tail;
mod tens;
mod trim;
mod urn;
mod value;

use crate::doi::{Doi, Reason};
use crate::vector;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use anchor::Places;
use candidate::Candidate;
use cells::Cells;
use core::ops::Range;
use memchr::memmem::Finder;
use tens::Tens;
use urn::Urns;

pub use anchor::anchors;
pub(crate) use class::is_dash;
pub use options::{LOOKBEHIND, Notation, Options, of_doi_columns};
pub(crate) use plain_field::value as plain_value;
pub use repair::{Joining, Repair, Repairs};
pub use sink::{Match, OwnedMatch, Sink};
pub use surroundings::{Surroundings, SurroundingsFinder, cell_delimiter};
pub(crate) use tail::ends_in_page;
pub use value::{CellNames, Cleaner, Tidied, is_licence};

/// Finds DOIs. Holds only scratch space: results never depend on earlier scans.
#[derive(Debug)]
pub struct Scanner {
    options: Options,
    anchors: Finder<'static>,
    urns: Urns,
    name: Vec<u8>,
    cells: Cells,
    tens: Tens,
    /// Whether the processor has AVX2. `tens` explains the two modes of the search.
    is_wide: bool,
    /// Whether the next stride is searched in dense mode.
    in_one_pass: bool,
}

/// Size of a stride in bytes. A stride is searched for anchors and for URNs while it stays in the
/// first-level cache.
const STRIDE: usize = 16 * 1024;

/// Distance in bytes between two occurrences of `10` at which both modes take as many instructions
/// without AVX2.
const EVEN: usize = 230;

impl Scanner {
    /// Creates a scanner with these options.
    pub fn new(options: Options) -> Self {
        let options = options.bounded();
        Scanner {
            options,
            anchors: Finder::new(anchor::DIGITS),
            urns: Urns::new(),
            name: Vec::new(),
            cells: Cells::new(),
            tens: Tens::default(),
            is_wide: vector::is_wide(),
            in_one_pass: vector::is_wide(),
        }
    }

    /// Returns its options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the maximum number of bytes after a candidate's start that can affect the result.
    pub fn lookahead(&self) -> usize {
        candidate::lookahead(&self.options)
    }

    /// Reports every candidate that starts in `starts`, at its offset in `haystack`. Looks at most at
    /// [`LOOKBEHIND`] bytes before it and [`Scanner::lookahead`] bytes after its start, so a name may
    /// end after `starts`. Keeps nothing from one call to the next: parts of a stream whose ranges
    /// do not overlap give together the results of the whole.
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
        self.cells.clear();
        for start in starts.clone().step_by(STRIDE) {
            self.scan_stride(haystack, start..starts.end.min(start + STRIDE), notation, sink);
        }
    }

    fn scan_stride<S: Sink>(
        &mut self,
        haystack: &[u8],
        stride: Range<usize>,
        notation: Notation,
        sink: &mut S,
    ) {
        let (options, name, cells) = (&self.options, &mut self.name, &mut self.cells);
        let Range { start, end } = stride;
        let is_text = notation == Notation::Unknown && !options.strict;
        let (mut places, may_hold_urn) = match self.in_one_pass {
            true => {
                let may_hold_urn = self.tens.search(haystack, start..end);
                (Places::among(haystack, self.tens.found(), is_text), may_hold_urn)
            }
            false => (Places::search(haystack, start..end, &self.anchors, is_text), true),
        };
        let urns = may_hold_urn.then(|| self.urns.iter(haystack, start..end));
        let mut urns = urns.into_iter().flatten();
        let mut urn = urns.next();
        let are_plain_read = plain_field::are_read(notation, options);
        while let Some(anchor) = places.next() {
            while let Some(at) = urn.filter(|&at| at < anchor.start) {
                report_urn(haystack, at, notation, options, sink);
                urn = urns.next();
            }
            if report_line(haystack, anchor.start, notation, options, name, sink) {
                continue;
            }
            let (start, repairs) = (anchor.start, Repairs::default());
            if let Some((end, doi)) = cells.repeated(haystack, start) {
                sink.accept_again(&Match { start, end, doi, repairs });
                continue;
            }
            let next = || places.clone().next().map_or(end, |next| next.start);
            let is_plain = are_plain_read && anchor.end - start == plain_field::ANCHOR;
            if is_plain
                && plain_field::may_open(haystack, start, notation)
                && let Some(end) =
                    plain_field::read(haystack, start, &next, notation, options, cells, name)
            {
                let doi = cells.remember(haystack, start..end, notation, name);
                sink.accept_plain(&Match { start, end, doi, repairs });
                continue;
            }
            if is_plain
                && let Some(end) = plain_text::read(haystack, start, &next, notation, options, name)
            {
                sink.accept_plain(&Match { start, end, doi: name, repairs });
                continue;
            }
            let candidate = Candidate::new(haystack, anchor, next(), notation, options);
            if let Some(candidate) = candidate {
                candidate.report(name, sink);
            }
        }
        self.in_one_pass = self.is_wide || places.hits > (end - start) / EVEN;
        urn.into_iter()
            .chain(urns)
            .for_each(|at| report_urn(haystack, at, notation, options, sink));
    }

    /// Returns the names in `haystack`, in order of appearance.
    pub fn names(&mut self, haystack: &[u8], notation: Notation) -> Vec<String> {
        let mut found = VecDeque::<OwnedMatch>::new();
        self.scan(haystack, 0..haystack.len(), notation, &mut found);
        found.into_iter().map(|found| found.doi).collect()
    }
}

/// Returns the DOIs of a text with their positions, in order. Scans with the default options, a part
/// at a time as the iterator is used. For other options and notations: [`Scanner`].
pub fn matches<T: AsRef<[u8]> + ?Sized>(text: &T) -> impl Iterator<Item = OwnedMatch> {
    let text = text.as_ref();
    let mut scanner = Scanner::new(Options::default());
    let (mut found, mut at) = (VecDeque::new(), 0);
    core::iter::from_fn(move || {
        while found.is_empty() && at < text.len() {
            let end = text.len().min(at + STRIDE);
            scanner.scan(text, at..end, Notation::Unknown, &mut found);
            at = end;
        }
        found.pop_front()
    })
}

/// Reports the candidate at `start` if it is a line of a list. Returns false if the rules for
/// running text apply.
fn report_line<S: Sink>(
    haystack: &[u8],
    start: usize,
    notation: Notation,
    options: &Options,
    name: &mut Vec<u8>,
    sink: &mut S,
) -> bool {
    if notation != Notation::List {
        return false;
    }
    let Some(result) = window(haystack, start, options).judge(name) else { return false };
    match result {
        Err(reason) => sink.reject(start, reason),
        Ok(_) if name.len() > options.max_length => sink.reject(start, Reason::TooLong),
        Ok(_) if options.strict && is_reserved(name) => sink.reject(start, Reason::ReservedSuffix),
        Ok(len) => {
            let (end, repairs) = (start + len, Repairs::default());
            sink.accept(&Match { start, end, doi: name, repairs });
        }
    }
    true
}

/// Returns the text around the candidate at `start` of a list.
fn window<'a>(haystack: &'a [u8], start: usize, options: &Options) -> list::ListContext<'a> {
    let from = start.saturating_sub(LOOKBEHIND);
    let reach = haystack.len().min(start + candidate::lookahead(options));
    list::ListContext {
        text: &haystack[from..reach],
        at: start - from,
        is_cut_before: start - from == LOOKBEHIND,
        is_cut_after: reach < haystack.len(),
    }
}

/// Whether Z39.84 reserves the suffix of `name`.
fn is_reserved(name: &[u8]) -> bool {
    Doi::parse(name).is_ok_and(|doi| doi.is_reserved())
}

/// Reports the truncated URN of an EIDR at `start`, unless it is inside a name of a list.
fn report_urn<S: Sink>(
    haystack: &[u8],
    start: usize,
    notation: Notation,
    options: &Options,
    sink: &mut S,
) {
    match notation == Notation::List && window(haystack, start, options).is_inside() {
        true => sink.reject(start, Reason::InsideDoi),
        false => urn::report(haystack, start, sink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_find_the_same() {
        // Strides with many names, with few, and with a URN at each end.
        let rare = "x ".repeat(2 * STRIDE);
        let dense = "10.1000/a%2e 1010 urn:x1:eidr-s:7791-8534-2C23-9030-8610-5 ".repeat(900);
        let text = [dense.as_str(), &rare, &dense, &rare].concat();
        let mut scanner = Scanner::new(Options::default());
        let names = scanner.names(text.as_bytes(), Notation::Unknown);
        let mut narrow =
            Scanner { is_wide: false, in_one_pass: false, ..Scanner::new(Options::default()) };
        assert_eq!(narrow.names(text.as_bytes(), Notation::Unknown), names);
        assert_eq!(names.len(), 3_600);
        assert!(!narrow.in_one_pass, "the last strides have no digits");
        narrow.names(dense.as_bytes(), Notation::Unknown);
        assert!(narrow.in_one_pass, "the last stride has many");
    }

    #[test]
    fn an_iterator_gives_what_one_scan_gives() {
        // Names in each stride, on their border, and strides with none.
        let text = ["10.1000/a ".repeat(2_000), "x".repeat(STRIDE * 3), " 10.1000/b 10.1 ".into()];
        let text = text.concat();
        let mut whole = VecDeque::new();
        let mut scanner = Scanner::new(Options::default());
        scanner.scan(text.as_bytes(), 0..text.len(), Notation::Unknown, &mut whole);
        assert_eq!(whole.len(), 2_001);
        assert!(matches(&text).eq(whole));
        assert_eq!(matches("").count(), 0);
    }
}
