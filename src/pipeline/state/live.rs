//! Which sources count, and what the merge saw of each.

use super::store::SegmentKind;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The source of records that always count.
pub(in crate::pipeline) const ALWAYS: u32 = 0;

/// Kinds of segments.
const KINDS: usize = SegmentKind::ALL.len();

/// A source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::pipeline) struct Slot {
    /// Its index among those that count, if it counts now.
    index: Option<u32>,
    /// Whether it counts now, and whether it did in the last good run.
    pub(in crate::pipeline) now: bool,
    pub(in crate::pipeline) good: bool,
}

/// The sources that count.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct Live {
    slots: HashMap<u32, Slot, foldhash::fast::FixedState>,
    /// Records of each source that counts now, by kind; of names each distinct one.
    seen: Vec<[AtomicU64; KINDS]>,
    /// Records that were merged, by kind, those that count now, and those that are to be kept.
    merged: [AtomicU64; KINDS],
    counted: [AtomicU64; KINDS],
    kept: [AtomicU64; KINDS],
}

impl Live {
    /// Adds a source that counts now.
    pub(super) fn add_now(&mut self, source: u32) {
        let index = self.seen.len() as u32;
        self.seen.push(Default::default());
        let slot = self.slots.entry(source).or_default();
        (slot.index, slot.now) = (Some(index), true);
    }

    /// Adds a source that counted in the last good run.
    pub(super) fn add_good(&mut self, source: u32) {
        self.slots.entry(source).or_default().good = true;
    }

    /// What is known of a source; nothing counts of one that is not known.
    pub(super) fn slot(&self, source: u32) -> Slot {
        match source {
            ALWAYS => Slot { index: None, now: true, good: true },
            source => self.slots.get(&source).copied().unwrap_or_default(),
        }
    }

    /// Notes a record of a source.
    pub(super) fn saw(&self, slot: Slot, kind: SegmentKind) {
        if let Some(index) = slot.index {
            self.seen[index as usize][kind as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records of a source that the merge saw.
    pub(super) fn seen(&self, source: u32, kind: SegmentKind) -> u64 {
        let index = self.slot(source).index;
        index.map_or(0, |i| self.seen[i as usize][kind as usize].load(Ordering::Relaxed))
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
        #[expect(clippy::iter_over_hash_type, reason = "into another of the same type")]
        for (&source, slot) in &self.slots {
            if slot.now || slot.good && !is_good {
                after.slots.insert(source, Slot { index: None, ..*slot });
            }
        }
        after
    }
}
