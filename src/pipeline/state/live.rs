//! Which sources count, and what the merge saw of each.

use super::store::SegmentKind;
use std::sync::atomic::{AtomicU64, Ordering};

/// The source of records that always count.
pub(in crate::pipeline) const ALWAYS: u32 = 0;

/// Kinds of segments.
const KINDS: usize = SegmentKind::ALL.len();

/// A source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::pipeline) struct Slot {
    /// Its index among those that count and are counted, from 1; 0 if it is not.
    index: u32,
    /// Whether it counts now, and whether it did in the last good run.
    pub(in crate::pipeline) now: bool,
    pub(in crate::pipeline) good: bool,
}

/// Sources of a page.
const PAGE: usize = 4 * 1024;

/// Slots by the numbers of their sources, which are dense: every record asks for one, and a hash
/// table took a quarter of the time of a merge.
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

/// The sources that count.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct Live {
    slots: Slots,
    /// By kind, the records of each source that counts now; of names each distinct one.
    seen: [Vec<AtomicU64>; KINDS],
    /// Records that were merged, by kind, those that count now, and those that are to be kept.
    merged: [AtomicU64; KINDS],
    counted: [AtomicU64; KINDS],
    kept: [AtomicU64; KINDS],
}

impl Live {
    /// Adds a source that counts now.
    pub(super) fn add_now(&mut self, source: u32) {
        self.seen.iter_mut().for_each(|seen| seen.push(AtomicU64::default()));
        let index = self.seen[0].len() as u32;
        let slot = self.slots.get_mut(source);
        (slot.index, slot.now) = (index, true);
    }

    /// Adds a source that counted in the last good run.
    pub(super) fn add_good(&mut self, source: u32) {
        self.slots.get_mut(source).good = true;
    }

    /// What is known of a source; nothing counts of one that is not known.
    pub(super) fn slot(&self, source: u32) -> Slot {
        match source {
            ALWAYS => Slot { index: 0, now: true, good: true },
            source => self.slots.get(source),
        }
    }

    /// Notes a record of a source.
    pub(super) fn saw(&self, slot: Slot, kind: SegmentKind) {
        if let Some(index) = slot.index.checked_sub(1) {
            self.seen[kind as usize][index as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records of a source that the merge saw.
    pub(super) fn seen(&self, source: u32, kind: SegmentKind) -> u64 {
        let index = self.slot(source).index.checked_sub(1);
        index.map_or(0, |i| self.seen[kind as usize][i as usize].load(Ordering::Relaxed))
    }

    /// Adds records that were merged, those that count, and those that are to be kept.
    pub(super) fn merged(&self, kind: SegmentKind, [merged, counted, kept]: [u64; 3]) {
        self.merged[kind as usize].fetch_add(merged, Ordering::Relaxed);
        self.counted[kind as usize].fetch_add(counted, Ordering::Relaxed);
        self.kept[kind as usize].fetch_add(kept, Ordering::Relaxed);
    }

    /// The part of the records that need not be kept. After a good run those of earlier runs need
    /// not.
    pub(super) fn dead(&self, kind: SegmentKind, is_good: bool) -> f64 {
        let merged = self.merged[kind as usize].load(Ordering::Relaxed);
        let kept = if is_good { &self.counted } else { &self.kept };
        let kept = kept[kind as usize].load(Ordering::Relaxed);
        if merged == 0 { 0.0 } else { merged.saturating_sub(kept) as f64 / merged as f64 }
    }

    /// The sources that are to be kept after a run.
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
