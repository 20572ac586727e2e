//! Receives the names that a worker's scanner finds.

use crate::figures::Counts;
use crate::plan::Plan;
use crate::rows::collectors::{Collectors, Pushed};
use doiscan_core::doi::{Reason, batch};
use doiscan_core::scan::short::{self, ShortDois};
use doiscan_core::scan::{Match, Sink};
use doiscan_sets::collect::Batch;
use doiscan_sets::dedup::spill::Spill;
use std::borrow::Cow;
use std::ops::Range;

/// Counts the scanner's results and hands names to the collectors.
pub(super) struct NameSink<'a> {
    pub(super) counts: Counts,
    pub(super) batch: Batch<'a>,
    /// Buffer for a name in lower case, if the list is in lower case.
    pub(super) lower: Option<Vec<u8>>,
    /// Data added to a name so that the state can attribute it to its source: the number of the
    /// source, and a buffer.
    pub(super) remembered: Option<(Vec<u8>, Vec<u8>)>,
    /// The searcher for shortDOIs, if they are wanted.
    short: Option<(ShortDois, Batch<'a>)>,
    collectors: &'a Collectors,
}

impl<'a> NameSink<'a> {
    pub(super) fn new(plan: &Plan, collectors: &'a Collectors) -> Self {
        let batch_of = |spill: &'a Spill| (ShortDois::default(), spill.batch());
        NameSink {
            counts: Counts::default(),
            batch: collectors.names.batch(),
            lower: plan.lower.then(Vec::new),
            remembered: None,
            short: collectors.short.as_ref().map(batch_of),
            collectors,
        }
    }

    /// Searches for shortDOIs, if wanted. If `is_cut` is set, ignores those that the end of `bytes`
    /// may cut.
    pub(super) fn find_short(&mut self, bytes: &[u8], mut starts: Range<usize>, is_cut: bool) {
        let Some((searcher, batch)) = &mut self.short else { return };
        if is_cut {
            let whole = bytes.len().saturating_sub(short::LOOKAHEAD).max(starts.start);
            starts.end = starts.end.min(whole);
        }
        let remembered = &mut self.remembered;
        searcher.each(bytes, starts, |name| push_name(batch, name, remembered));
    }

    /// Makes room for names that a full collector did not accept. Returns false if the run has
    /// failed.
    pub(super) fn settle(&mut self) -> bool {
        make_room(&self.collectors.names, &mut self.batch)
            && match (&self.collectors.short, &mut self.short) {
                (Some(spill), Some((_, batch))) => make_room(spill, batch),
                _ => true,
            }
    }

    /// Hands over the current names. Returns false if the run has failed.
    pub(super) fn flush(&mut self) -> bool {
        self.collectors.names.make_room(&mut self.batch, Batch::flush)
            && match (&self.collectors.short, &mut self.short) {
                (Some(spill), Some((_, batch))) => spill.make_room(batch, Batch::flush),
                _ => true,
            }
    }

    /// Hands over everything.
    pub(super) fn finish(self) -> (Counts, Pushed) {
        let names = hand_over(&self.collectors.names, self.batch);
        let short = self.collectors.short.as_ref().zip(self.short);
        let short = short.map_or(0, |(spill, (_, batch))| hand_over(spill, batch));
        (self.counts, Pushed { names, short, ..Pushed::default() })
    }
}

fn make_room<'a>(spill: &'a Spill, batch: &mut Batch<'a>) -> bool {
    !batch.is_blocked() || spill.make_room(batch, Batch::settle)
}

fn hand_over<'a>(spill: &'a Spill, mut batch: Batch<'a>) -> u64 {
    match spill.make_room(&mut batch, Batch::flush) {
        true => batch.finish(),
        false => batch.abandon(),
    }
}

/// Adds a name, with its source if inputs are remembered.
#[inline]
pub(super) fn push_name(
    batch: &mut Batch<'_>,
    name: &[u8],
    remembered: &mut Option<(Vec<u8>, Vec<u8>)>,
) {
    let Some((suffix, record)) = remembered else { return batch.push(name) };
    record.clear();
    record.extend_from_slice(name);
    record.extend_from_slice(suffix);
    batch.push(record);
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

impl Sink for NameSink<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        self.counts.accept(found.repairs);
        let name = spelled(found.doi, &mut self.lower);
        push_name(&mut self.batch, &name, &mut self.remembered);
    }

    fn accept_plain(&mut self, found: &Match<'_>) {
        if self.lower.is_some() {
            return self.accept(found);
        }
        debug_assert_eq!(*batch::encode(found.doi), *found.doi, "spelled as it is");
        self.counts.accept(found.repairs);
        push_name(&mut self.batch, found.doi, &mut self.remembered);
    }

    fn reject(&mut self, _: usize, reason: Reason) {
        self.counts.reject(reason);
    }
}
