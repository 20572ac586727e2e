//! Filters merged records by their sources.

use super::live::Live;
use crate::plan::kind::Kind;
use crate::plan::outputs::KeepRule;
use doiscan_os::varint;
use doiscan_sets::dedup::filter::{Filter, Filters};
use doiscan_sets::dedup::name_buffer::{NameBuffer, NameChange};
use std::sync::Arc;

/// Selects the records that a merge outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Records that count now, without their sources.
    Answer,
    /// The same records, unchanged.
    Kept,
}

/// Parameters of a merge that filters by source.
#[derive(Clone, Debug)]
pub(crate) struct SourceFilters {
    pub live: Arc<Live>,
    pub kind: Kind,
    pub wanted: Wanted,
}

impl Filters for SourceFilters {
    fn is_grouped(&self) -> bool {
        is_grouped(self.kind)
    }

    fn filter(&self) -> Box<dyn Filter> {
        Box::new(SourceFilter::new(self))
    }
}

/// Whether records begin with a name and a zero byte, so that the records of one name form a group.
fn is_grouped(kind: Kind) -> bool {
    kind.row().keep != KeepRule::All
}

/// Filters the records of one key range, which arrive in sorted order.
pub(crate) struct SourceFilter {
    sources: SourceFilters,
    /// The current name, whether it has any record yet, and the source of its last record.
    name: Vec<u8>,
    is_open: bool,
    last: u32,
    /// Whether the name counts now, and whether it counted in the last good run.
    now: bool,
    good: bool,
    /// Records, and those of them that count now.
    merged: [u64; 2],
}

impl SourceFilter {
    pub(crate) fn new(sources: &SourceFilters) -> Self {
        SourceFilter {
            sources: sources.clone(),
            name: Vec::new(),
            is_open: false,
            last: 0,
            now: false,
            good: false,
            merged: [0; 2],
        }
    }

    /// Handles a record that ends with its source.
    fn single(&mut self, record: &[u8], out: &mut dyn NameBuffer) -> u64 {
        let Some((content, source)) = record.split_last_chunk::<4>() else { return 0 };
        let slot = self.sources.live.slot(u32::from_le_bytes(*source));
        self.sources.live.saw(slot, self.sources.kind);
        self.merged[1] += u64::from(slot.now);
        match self.sources.wanted {
            Wanted::Answer if slot.now => out.push(content),
            Wanted::Kept if slot.now => out.push(record),
            _ => return 0,
        }
        1
    }

    /// Handles a record that begins with a name and its source.
    fn named(&mut self, record: &[u8], out: &mut dyn NameBuffer) -> u64 {
        let Some(end) = memchr::memchr(0, record) else { return 0 };
        let mut rest = &record[end + 1..];
        let Some(source) = varint::take::<10>(&mut rest) else { return 0 };
        let (source, mut given) = (u32::try_from(source).unwrap_or(u32::MAX), 0);
        let is_same = self.is_open && self.name == record[..end];
        if !is_same {
            given += self.end_name(out);
            self.name.clear();
            self.name.extend_from_slice(&record[..end]);
            self.is_open = true;
        }
        let slot = self.sources.live.slot(source);
        if !is_same || source != self.last {
            self.sources.live.saw(slot, self.sources.kind);
        }
        self.last = source;
        self.now |= slot.now;
        self.good |= slot.good;
        self.merged[1] += u64::from(slot.now);
        let is_given = match self.sources.wanted {
            Wanted::Answer => slot.now && self.sources.kind == Kind::Counts,
            Wanted::Kept => slot.now,
        };
        if is_given {
            out.push(record);
        }
        given + u64::from(is_given)
    }

    /// Ends the current name. No more records of it follow.
    fn end_name(&mut self, out: &mut dyn NameBuffer) -> u64 {
        let (now, good) = (std::mem::take(&mut self.now), std::mem::take(&mut self.good));
        if !self.is_open || self.sources.wanted == Wanted::Kept {
            return 0;
        }
        self.is_open = false;
        match (now, good) {
            (true, false) => out.changed(&self.name, NameChange::Added),
            (false, true) => out.changed(&self.name, NameChange::Removed),
            _ => {}
        }
        if now && self.sources.kind != Kind::Counts {
            out.push(&self.name);
            return 1;
        }
        0
    }
}

impl Filter for SourceFilter {
    fn push(&mut self, record: &[u8], is_repeat: bool, out: &mut dyn NameBuffer) -> u64 {
        self.merged[0] += 1;
        let kind = self.sources.kind;
        if is_repeat && kind.row().keep == KeepRule::Once {
            return 0;
        }
        match is_grouped(kind) {
            true => self.named(record, out),
            false => self.single(record, out),
        }
    }

    fn end(&mut self, out: &mut dyn NameBuffer) -> u64 {
        let given = self.end_name(out);
        self.sources.live.merged(self.sources.kind, std::mem::take(&mut self.merged));
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::name_suffix;

    #[derive(Default)]
    struct Given(Vec<String>);

    impl NameBuffer for Given {
        fn clear(&mut self) {}

        fn push(&mut self, name: &[u8]) {
            self.0.push(String::from_utf8_lossy(name).into_owned());
        }

        fn len(&self) -> usize {
            0
        }

        fn changed(&mut self, name: &[u8], change: NameChange) {
            self.0.push(format!("{change:?} {}", String::from_utf8_lossy(name)));
        }
    }

    fn live() -> Arc<Live> {
        let mut live = Live::new(&[Kind::Names, Kind::Hits], [1, 2].into_iter());
        [2, 3, 300].into_iter().for_each(|source| live.add_good(source));
        Arc::new(live)
    }

    #[test]
    fn names_count_once_and_those_that_came_and_went_are_reported() {
        let sources = SourceFilters { live: live(), kind: Kind::Names, wanted: Wanted::Answer };
        let (mut filter, mut out, mut given) = (SourceFilter::new(&sources), Given::default(), 0);
        let records =
            [("A", 1), ("A", 2), ("AB", 1), ("B", 3), ("B", 300), ("C", 2), ("D", 9), ("E", 1)];
        let mut last = Vec::new();
        for (name, source) in records.into_iter().chain([("E", 1)]) {
            let record = [name.as_bytes(), &name_suffix(source)].concat();
            given += filter.push(&record, record == last, &mut out);
            last = record;
        }
        given += filter.end(&mut out);
        assert_eq!(out.0, ["A", "Added AB", "AB", "Removed B", "C", "Added E", "E"]);
        assert_eq!(given, 4);
        let seen = |source| sources.live.seen(source, Kind::Names);
        assert_eq!((seen(1), seen(2), seen(3)), (3, 2, 0));
        assert_eq!(sources.live.dead(Kind::Names), 4.0 / 9.0);
    }

    #[test]
    fn rows_lose_their_source_and_what_is_kept_does_not() {
        for (wanted, expected) in [(Wanted::Answer, 3), (Wanted::Kept, 3)] {
            let sources = SourceFilters { live: live(), kind: Kind::Hits, wanted };
            let (mut filter, mut out, mut given) =
                (SourceFilter::new(&sources), Given::default(), 0);
            for source in [0_u32, 1, 1, 3, 4] {
                let record = [b"row".as_slice(), &source.to_le_bytes()].concat();
                given += filter.push(&record, false, &mut out);
            }
            given += filter.end(&mut out);
            assert_eq!((given, out.0.len()), (expected, expected as usize));
            let is_bare = out.0.iter().all(|row| row == "row");
            assert_eq!(is_bare, wanted == Wanted::Answer);
            assert_eq!(sources.live.seen(1, Kind::Hits), 2);
        }
    }
}
