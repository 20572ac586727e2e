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

/// Numbers of records that were merged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Merged<T> {
    pub all: T,
    /// Those that count now.
    pub counted: T,
    /// Those to keep.
    pub kept: T,
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
    /// Records that were merged, by kind.
    merged: Each<Merged<AtomicU64>>,
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
        if let Some(index) = slot.index.checked_sub(1) {
            if let Some(seen) = self.seen[kind].get(index as usize) {
                seen.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Returns the number of records of a source seen by the merge.
    pub(super) fn seen(&self, source: u32, kind: Kind) -> u64 {
        let index = self.slot(source).index.checked_sub(1);
        let seen = index.and_then(|index| self.seen[kind].get(index as usize));
        seen.map_or(0, |seen| seen.load(Ordering::Relaxed))
    }

    /// Adds the numbers of records merged.
    pub(super) fn merged(&self, kind: Kind, merged: Merged<u64>) {
        let sum = &self.merged[kind];
        sum.all.fetch_add(merged.all, Ordering::Relaxed);
        sum.counted.fetch_add(merged.counted, Ordering::Relaxed);
        sum.kept.fetch_add(merged.kept, Ordering::Relaxed);
    }

    /// Returns the share of the records that need not be kept. After a good run, records that only
    /// earlier runs need are dead.
    pub(super) fn dead(&self, kind: Kind, is_good: bool) -> f64 {
        let Merged { all, counted, kept } = &self.merged[kind];
        let all = all.load(Ordering::Relaxed);
        let kept = if is_good { counted } else { kept }.load(Ordering::Relaxed);
        if all == 0 { 0.0 } else { all.saturating_sub(kept) as f64 / all as f64 }
    }

    /// Returns the sources to keep after a run.
    pub(super) fn after(&self, is_good: bool) -> Live {
        let mut after = Live::default();
        let is_kept = |slot: &Slot| slot.now || slot.good && !is_good;
        let slot = |slot: &Slot| match is_kept(slot) {
            true => Slot { index: 0, ..*slot },
            false => Slot::default(),
        };
        let page = |page: &[Slot]| page.iter().map(slot).collect();
        after.slots.pages = self.slots.pages.iter().map(|p| p.as_deref().map(page)).collect();
        after
    }
}
