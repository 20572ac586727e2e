//! Collects EIDRs, for runs that want them.

use super::mode::EidrValues;
use super::search::Finder;
use super::table::ChunkTicket;
use crate::figures::EidrCounts;
use crate::plan::kind::Kind;
use crate::rows::collectors::Collectors;
use doiscan_core::doi::Reason;
use doiscan_core::format::Inside;
use doiscan_core::format::fields::Label;
use doiscan_core::scan::eidr::{self, EidrValue, Keys};
use doiscan_core::scan::{Match, Sink};
use doiscan_input::Window;
use doiscan_sets::dedup::spill::Feed;
use std::io::Write as _;
use std::ops::Range;

/// Maximum number of bytes read from a value. A cell may contain several EIDRs.
const LONGEST: usize = 64 * eidr::LONGEST;

/// The EIDRs of a worker.
pub(super) struct Eidrs<'a> {
    keys: Keys,
    taken: Taken<'a>,
}

/// Results that were not yet handed over.
struct Taken<'a> {
    feed: Feed<'a>,
    counts: EidrCounts,
    /// Buffer for a name.
    name: Vec<u8>,
}

impl Taken<'_> {
    fn take(&mut self, found: EidrValue) {
        match found {
            EidrValue::Eidr(eidr) => {
                self.counts.found += 1;
                self.name.clear();
                // Writing to a buffer cannot fail.
                let _ = write!(self.name, "{eidr}");
                self.feed.push(&self.name);
            }
            EidrValue::WrongCheck => self.counts.wrong_check += 1,
            EidrValue::WrongShape => self.counts.wrong_shape += 1,
        }
    }
}

impl<'a> Eidrs<'a> {
    /// Returns `None` if EIDRs are not wanted.
    pub(super) fn new(collectors: &'a Collectors) -> Option<Self> {
        let feed = collectors.names(Kind::Eidrs)?.feed();
        let taken = Taken { feed, counts: EidrCounts::default(), name: Vec::new() };
        Some(Eidrs { keys: Keys::default(), taken })
    }

    /// Reads the values of columns named EIDR in `window`.
    pub(super) fn values(
        &mut self,
        window: &Window<'_>,
        values: &EidrValues,
        ticket: Option<ChunkTicket<'_>>,
    ) {
        match values {
            EidrValues::Table(_) => {
                ticket.into_iter().for_each(|ticket| self.cells(window, ticket))
            }
            EidrValues::Lines => self.lines(window),
        }
    }

    /// Reads the cells that begin in the window.
    fn cells(&mut self, window: &Window<'_>, ticket: ChunkTicket<'_>) {
        let (bytes, starts, columns) = (window.bytes, window.starts.clone(), ticket.columns());
        let dialect = columns.dialect();
        let Some(place) = ticket.place(dialect.transition(bytes, starts.clone())) else { return };
        columns.cells(bytes, starts.clone(), place, |cell| {
            let start = cell.starts.start;
            let is_outside = start > starts.start || place.inside == Inside::Unquoted;
            if is_outside && dialect.is_cell_start(bytes, start) {
                self.value(window, start..cell.end);
            }
        });
    }

    /// Reads the lines that follow the line feeds in the window.
    fn lines(&mut self, window: &Window<'_>) {
        let bytes = window.bytes;
        for at in memchr::memchr_iter(b'\n', &bytes[window.starts.clone()]) {
            let start = window.starts.start + at + 1;
            let reach = bytes.len().min(start + LONGEST + 1);
            let end = memchr::memchr(b'\n', &bytes[start..reach]).map_or(reach, |end| start + end);
            self.value(window, start..end);
        }
    }

    /// Reads a whole value, unless a fault truncated it. Column names are not values.
    fn value(&mut self, window: &Window<'_>, value: Range<usize>) {
        let is_cut = window.fault.is_some() && value.end >= window.bytes.len();
        let text = &window.bytes[value];
        let unquoted = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
        let text = unquoted.unwrap_or(text);
        if !is_cut && text.len() <= LONGEST && !eidr::is_named(text) {
            eidr::each_in(text, &mut |found| self.taken.take(found));
        }
    }

    /// Makes room for blocked names. Returns false if the run has failed.
    pub(super) fn make_room(&mut self) -> bool {
        self.taken.feed.make_room()
    }

    /// Hands over everything. Returns the counts and the number of names.
    pub(super) fn finish(self) -> (EidrCounts, u64) {
        (self.taken.counts, self.taken.feed.finish())
    }
}

/// A sink that collects EIDRs from the results it forwards.
pub(super) struct EidrSink<'w, 'a> {
    pub(super) inner: &'w mut (dyn Finder + 'w),
    pub(super) eidrs: &'w mut Eidrs<'a>,
}

impl Sink for EidrSink<'_, '_> {
    fn accept(&mut self, found: &Match<'_>) {
        self.inner.accept(found);
        eidr::of_name(found.doi).into_iter().for_each(|eidr| self.eidrs.taken.take(eidr));
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        self.inner.reject(start, reason);
    }
}

impl Finder for EidrSink<'_, '_> {
    /// Also searches for keys named EIDR.
    fn find_short(&mut self, bytes: &[u8], mut starts: Range<usize>, is_cut: bool) {
        self.inner.find_short(bytes, starts.clone(), is_cut);
        if is_cut {
            let whole = bytes.len().saturating_sub(eidr::LOOKAHEAD).max(starts.start);
            starts.end = starts.end.min(whole);
        }
        let Eidrs { keys, taken } = &mut *self.eidrs;
        keys.each(bytes, starts, |found| taken.take(found));
    }

    fn label(&mut self, label: &Label) {
        self.inner.label(label);
    }

    fn accept_unknown(&mut self, found: &Match<'_>, has_prefix: bool) {
        self.inner.accept_unknown(found, has_prefix);
        eidr::of_name(found.doi).into_iter().for_each(|eidr| self.eidrs.taken.take(eidr));
    }
}
