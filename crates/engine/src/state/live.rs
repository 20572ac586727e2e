//! Tracks live sources, and counts their records in the merge.

use crate::plan::kind::{Each, Kind};
use crate::reading::ALWAYS;
use std::sync::atomic::{AtomicU64, Ordering};

/// The status of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Index among the counted sources that are live, from 1. Zero if the source is not counted.
    index: u32,
    /// Whether the source counts now, and whether it counted in the last good run.
    pub now: bool,
    pub good: bool,
}

/// Number of sources per page.
const PAGE: usize = 4 * 1024;

/// Slots by source number. The numbers are dense, and every record needs a look-up: a hash table
/// took a quarter of the time of a merge.
#[derive(Debug, Default)]
struct Slots {
    pages: Vec<Option<Box<[Slot]>>>,
}

impl Slots {
    fn get(&self, source: u32) -> Slot {
        let (page, at) = (source as usize / PAGE, source as usize % PAGE);
        self.pages.get(page).and_then(Option::as_ref).map_or_else(Slot::default, |page| page[at])
    }

    fn get_mut(&mut self, source: u32) -> &mut Slot {
        let (page, at) = (source as usize / PAGE, source as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| vec![Slot::default(); PAGE].into());
        &mut page[at]
    }
}

/// The live sources.
#[derive(Debug, Default)]
pub(crate) struct Live {
    slots: Slots,
    /// Records of each live source, by kind. For names, distinct names.
    seen: Each<Vec<AtomicU64>>,
    /// Number of live sources.
    count: u32,
    /// Records that were merged, and those of them that count, by kind.
    merged: Each<[AtomicU64; 2]>,
}

impl Live {
    /// Counts the records of these kinds that have one of these sources.
    pub(super) fn new(kinds: &[Kind], sources: impl Iterator<Item = u32> + Clone) -> Self {
        let mut live = Live::default();
        for source in sources {
            live.count += 1;
            let slot = live.slots.get_mut(source);
            (slot.index, slot.now) = (live.count, true);
        }
        for &kind in kinds {
            live.seen[kind] = (0..live.count).map(|_| AtomicU64::default()).collect();
        }
        live
    }

    /// Adds a source that counted in the last good run.
    pub(super) fn add_good(&mut self, source: u32) {
        self.slots.get_mut(source).good = true;
    }

    /// Returns the status of a source. Records of an unknown source do not count.
    pub(super) fn slot(&self, source: u32) -> Slot {
        match source {
            ALWAYS => Slot { index: 0, now: true, good: true },
            source => self.slots.get(source),
        }
    }

    /// Counts a record of a source.
    pub(super) fn saw(&self, slot: Slot, kind: Kind) {
        if let Some(index) = slot.index.checked_sub(1)
            && let Some(seen) = self.seen[kind].get(index as usize)
        {
            seen.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of records of a source seen by the merge.
    pub(super) fn seen(&self, source: u32, kind: Kind) -> u64 {
        let index = self.slot(source).index.checked_sub(1);
        let seen = index.and_then(|index| self.seen[kind].get(index as usize));
        seen.map_or(0, |seen| seen.load(Ordering::Relaxed))
    }

    /// Adds the number of records merged, and of those of them that count.
    pub(super) fn merged(&self, kind: Kind, merged: [u64; 2]) {
        for (sum, records) in self.merged[kind].iter().zip(merged) {
            sum.fetch_add(records, Ordering::Relaxed);
        }
    }

    /// Returns the share of the merged records that do not count.
    pub(super) fn dead(&self, kind: Kind) -> f64 {
        let [all, counted] = [0, 1].map(|at| self.merged[kind][at].load(Ordering::Relaxed));
        if all == 0 { 0.0 } else { all.saturating_sub(counted) as f64 / all as f64 }
    }
}
