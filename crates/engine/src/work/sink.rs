//! Receives the names that a worker's scanner finds.

use super::search::Finder;
use crate::figures::Counts;
use crate::plan::Plan;
use crate::plan::kind::Kind;
use crate::reading::InputReading;
use crate::rows::collectors::{Collectors, RecordCounts};
use doiscan_core::doi::{Reason, batch};
use doiscan_core::scan::short;
use doiscan_core::scan::{Match, Sink};
use doiscan_sets::dedup::spill::{Feed, Spill};
use std::borrow::Cow;
use std::ops::Range;

/// Counts the scanner's results and hands names to the collectors.
pub(super) struct NameSink<'a> {
    pub(super) counts: Counts,
    /// Names of the list, unless they are counted.
    pub(super) names: Option<Feed<'a>>,
    /// Buffer for a name in lower case, if the list is in lower case.
    pub(super) lower: Option<Vec<u8>>,
    /// Data added to a name so that the state can attribute it to its source: the number of the
    /// source, and a buffer.
    pub(super) remembered: Option<(Vec<u8>, Vec<u8>)>,
    /// Receives shortDOIs, if they are wanted.
    short: Option<Feed<'a>>,
}

impl<'a> NameSink<'a> {
    pub(super) fn new(plan: &Plan, collectors: &'a Collectors) -> Self {
        let short = collectors.names(Kind::Short);
        NameSink {
            counts: Counts::default(),
            names: collectors.names(Kind::Names).map(Spill::feed),
            lower: plan.lower.then(Vec::new),
            remembered: None,
            short: short.map(|spill| spill.feed()),
        }
    }

    /// Attributes all names from now on to the source of `reading`.
    pub(super) fn attribute(&mut self, reading: Option<&InputReading>) {
        self.remembered = reading.map(|reading| (reading.suffix.clone(), Vec::new()));
    }

    /// Makes room for names that a full collector did not accept. Returns false if the run has
    /// failed.
    pub(super) fn make_room(&mut self) -> bool {
        self.names.iter_mut().all(Feed::make_room)
            && self.short.as_mut().is_none_or(|feed| feed.make_room())
    }

    /// Hands over everything. Returns the counts.
    pub(super) fn finish(self, pushed: &mut RecordCounts) -> Counts {
        pushed[Kind::Names] = self.names.map_or(0, Feed::finish);
        pushed[Kind::Short] = self.short.map_or(0, |feed| feed.finish());
        self.counts
    }
}

/// Adds a name, with its source if inputs are remembered.
#[inline]
pub(super) fn push_name(
    feed: &mut Feed<'_>,
    name: &[u8],
    remembered: &mut Option<(Vec<u8>, Vec<u8>)>,
) {
    let Some((suffix, record)) = remembered else { return feed.push(name) };
    record.clear();
    record.extend_from_slice(name);
    record.extend_from_slice(suffix);
    feed.push(record);
}

/// Returns the name as it will be written, in lower case if there is a buffer for that. Names are
/// therefore deduplicated, sorted and merged in their written form.
#[inline]
pub(super) fn spelled<'a>(doi: &'a [u8], lower: &'a mut Option<Vec<u8>>) -> Cow<'a, [u8]> {
    let line = batch::encode(doi);
    let Some(lower) = lower else { return line };
    lower.clear();
    lower.extend(line.iter().map(u8::to_ascii_lowercase));
    Cow::Borrowed(lower)
}

impl Finder for NameSink<'_> {
    fn find_short(&mut self, bytes: &[u8], mut starts: Range<usize>, is_cut: bool) {
        let Some(feed) = &mut self.short else { return };
        if is_cut {
            let whole = bytes.len().saturating_sub(short::LOOKAHEAD).max(starts.start);
            starts.end = starts.end.min(whole);
        }
        let remembered = &mut self.remembered;
        short::each(bytes, starts, |name| push_name(feed, name, remembered));
    }

    fn accept_unknown(&mut self, found: &Match<'_>, has_prefix: bool) {
        self.counts.unknown += 1;
        self.counts.unknown_prefix += u64::from(!has_prefix);
        self.accept(found);
    }
}

impl Sink for NameSink<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        self.counts.accept(found.repairs);
        let name = spelled(found.doi, &mut self.lower);
        if let Some(names) = &mut self.names {
            push_name(names, &name, &mut self.remembered);
        }
    }

    #[inline(always)] // 1 % of the instructions of dense CSV
    fn accept_plain(&mut self, found: &Match<'_>) {
        if self.lower.is_some() {
            return self.accept(found);
        }
        debug_assert_eq!(*batch::encode(found.doi), *found.doi, "spelled as it is");
        self.counts.accept(found.repairs);
        if let Some(names) = &mut self.names {
            push_name(names, found.doi, &mut self.remembered);
        }
    }

    /// The name was pushed before, from the same source: one call of the scanner reads one input.
    fn accept_again(&mut self, found: &Match<'_>) {
        self.counts.accept(found.repairs);
        if let Some(names) = &mut self.names {
            names.push_again();
        }
    }

    fn reject(&mut self, _: usize, reason: Reason) {
        if reason.is_of_candidate() {
            self.counts.reject(reason);
        }
    }
}
