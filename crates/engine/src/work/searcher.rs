//! Searches windows for one worker: names, their occurrences, and EIDRs.

use super::eidrs::{EidrSink, Eidrs};
use super::known::Known;
use super::mode::{ScanMode, Tickets};
use super::occurrences::{Occurrences, Placed};
use super::search::{Finder, Shown, search};
use super::sink::NameSink;
use crate::figures::{Counts, Examples};
use crate::plan::Plan;
use crate::plan::kind::Kind;
use crate::rows::collectors::{Collectors, RecordCounts};
use doiscan_core::scan::{Scanner, eidr};
use doiscan_input::Window;

/// The scanner of a worker, and what it found.
pub(super) struct Searcher<'a> {
    scanner: Scanner,
    /// Number of bytes after a position that may affect the result there.
    pub(super) lookahead: usize,
    pub(super) found: NameSink<'a>,
    /// EIDRs, if wanted.
    eidrs: Option<Eidrs<'a>>,
    /// Records of each occurrence, if wanted.
    occurrences: Option<Occurrences<'a>>,
    /// Indexes of known names, if there are any.
    known: Option<Known<'a>>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(plan: &'a Plan, collectors: &'a Collectors) -> Self {
        let scanner = Scanner::new(plan.scan.clone());
        let keys = if plan.eidr.is_some() { eidr::LOOKAHEAD } else { 0 };
        Searcher {
            lookahead: scanner.lookahead().max(keys),
            scanner,
            found: NameSink::new(plan, collectors),
            eidrs: Eidrs::new(collectors),
            occurrences: Occurrences::new(collectors),
            known: Known::new(plan),
        }
    }

    /// The counts so far.
    pub(super) fn counts(&self) -> &Counts {
        &self.found.counts
    }

    /// Searches a window and collects records of the results, if wanted.
    pub(super) fn search(
        &mut self,
        window: &Window<'_>,
        mode: &ScanMode,
        mut tickets: Tickets<'_>,
    ) -> Option<Shown> {
        let Searcher { scanner, found, occurrences, eidrs, known, .. } = self;
        if let Some((eidrs, values)) = eidrs.as_mut().zip(mode.eidrs.as_ref()) {
            eidrs.values(window, values, tickets.eidrs.take());
        }
        let (Some(input), Some(occurrences)) = (&mode.row_input, occurrences) else {
            return search_with(scanner, window, mode, tickets, found, (eidrs, known));
        };
        let lines = tickets.lines.take();
        let mut sink = Placed::new(found, occurrences, input, mode, window, lines)?;
        search_with(scanner, window, mode, tickets, &mut sink, (eidrs, known))
    }

    /// Makes room for blocked records. Returns false if the run has failed.
    pub(super) fn make_room(&mut self) -> bool {
        self.known.as_ref().is_none_or(|known| !known.has_failed())
            && self.found.make_room()
            && self.eidrs.as_mut().is_none_or(Eidrs::make_room)
            && self.occurrences.as_mut().is_none_or(Occurrences::make_room)
    }

    /// Hands over everything. Returns the counts, the numbers of records, and examples.
    pub(super) fn finish(self) -> (Counts, RecordCounts, Examples) {
        let mut pushed = RecordCounts::default();
        let mut counts = self.found.finish(&mut pushed);
        if let Some(eidrs) = self.eidrs {
            (counts.eidrs, pushed[Kind::Eidrs]) = eidrs.finish();
        }
        let examples = self.occurrences.map(|occurrences| occurrences.finish(&mut pushed));
        (counts, pushed, examples.unwrap_or_default())
    }
}

/// Searches a window, also for EIDRs if wanted, and looks up names if there are indexes.
fn search_with<S: Finder>(
    scanner: &mut Scanner,
    window: &Window<'_>,
    mode: &ScanMode,
    tickets: Tickets<'_>,
    sink: &mut S,
    (eidrs, known): (&mut Option<Eidrs<'_>>, &mut Option<Known<'_>>),
) -> Option<Shown> {
    match (eidrs, known) {
        (None, None) => search(scanner, window, mode, tickets, sink),
        (None, Some(known)) => {
            search(scanner, window, mode, tickets, &mut known.sink(window, mode.notation, sink))
        }
        (Some(eidrs), known) => {
            let mut sink = EidrSink { inner: sink, eidrs };
            match known {
                None => search(scanner, window, mode, tickets, &mut sink),
                Some(known) => {
                    let mut sink = known.sink(window, mode.notation, &mut sink);
                    search(scanner, window, mode, tickets, &mut sink)
                }
            }
        }
    }
}
