//! The sources whose records count, and the filter of merged records by their sources.

use crate::plan::kind::Kind;
use crate::plan::outputs::KeepRule;
use crate::reading::ALWAYS;
use crate::rows::record::take_spelling;
use doiscan_os::varint;
use doiscan_sets::dedup::filter::{Filter, Filters};
use doiscan_sets::dedup::name_buffer::{NameBuffer, NameChange};
use std::sync::Arc;

/// The sources whose records count.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// One bit for each source that counts now, and for each that counted in the last good run.
    now: Vec<u64>,
    good: Vec<u64>,
}

impl Live {
    pub(super) fn new(now: impl Iterator<Item = u32>, good: impl Iterator<Item = u32>) -> Self {
        let mut live = Live::default();
        now.for_each(|source| add(&mut live.now, source));
        good.for_each(|source| add(&mut live.good, source));
        live
    }
}

fn add(set: &mut Vec<u64>, source: u32) {
    let at = source as usize / 64;
    if at >= set.len() {
        set.resize(at + 1, 0);
    }
    set[at] |= 1 << (source % 64);
}

fn has(set: &[u64], source: u32) -> bool {
    let word = set.get(source as usize / 64);
    source == ALWAYS || word.is_some_and(|word| word >> (source % 64) & 1 == 1)
}

/// Parameters of a merge that filters by source.
#[derive(Clone, Debug)]
pub(crate) struct SourceFilters {
    pub live: Arc<Live>,
    pub kind: Kind,
    /// Whether the records that count now are output as they are, with their sources.
    pub is_kept: bool,
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
    /// The current name, or none.
    name: Vec<u8>,
    /// Whether the name counts now, and whether it counted in the last good run.
    now: bool,
    good: bool,
}

impl SourceFilter {
    pub(crate) fn new(sources: &SourceFilters) -> Self {
        SourceFilter { sources: sources.clone(), name: Vec::new(), now: false, good: false }
    }

    /// Handles a record that ends with its source.
    fn single(&mut self, record: &[u8], out: &mut dyn NameBuffer) -> u64 {
        let Some((content, source)) = record.split_last_chunk::<4>() else { return 0 };
        let is_now = has(&self.sources.live.now, u32::from_le_bytes(*source));
        if is_now {
            out.push(if self.sources.is_kept { record } else { content });
        }
        u64::from(is_now)
    }

    /// Handles a record that begins with a name and its source.
    fn named(&mut self, record: &[u8], out: &mut dyn NameBuffer) -> u64 {
        let Some(end) = memchr::memchr(0, record) else { return 0 };
        let mut rest = &record[end + 1..];
        if self.sources.kind == Kind::Spelled && take_spelling(&mut rest).is_none() {
            return 0;
        }
        let Some(source) = varint::take::<10>(&mut rest) else { return 0 };
        let (source, mut given) = (u32::try_from(source).unwrap_or(u32::MAX), 0);
        if self.name != record[..end] {
            given += self.end_name(out);
            self.name.extend_from_slice(&record[..end]);
        }
        let SourceFilters { live, kind, is_kept } = &self.sources;
        let is_now = has(&live.now, source);
        self.now |= is_now;
        self.good |= has(&live.good, source);
        if is_now && (*is_kept || kind.is_counted()) {
            out.push(record);
            given += 1;
        }
        given
    }

    /// Ends the current name. No more records of it follow.
    fn end_name(&mut self, out: &mut dyn NameBuffer) -> u64 {
        let (now, good) = (std::mem::take(&mut self.now), std::mem::take(&mut self.good));
        let SourceFilters { kind, is_kept, .. } = self.sources;
        match (now, good) {
            _ if is_kept => {}
            (true, false) => out.changed(&self.name, NameChange::Added),
            (false, true) => out.changed(&self.name, NameChange::Removed),
            _ => {}
        }
        let is_given = now && !is_kept && !kind.is_counted();
        if is_given {
            out.push(&self.name);
        }
        self.name.clear();
        u64::from(is_given)
    }
}

impl Filter for SourceFilter {
    fn push(&mut self, record: &[u8], is_repeat: bool, out: &mut dyn NameBuffer) -> u64 {
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
        self.end_name(out)
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
        Arc::new(Live::new([1, 2].into_iter(), [2, 3, 300].into_iter()))
    }

    #[test]
    fn names_count_once_and_those_that_came_and_went_are_reported() {
        let sources = SourceFilters { live: live(), kind: Kind::Names, is_kept: false };
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
    }

    #[test]
    fn rows_lose_their_source_and_what_is_kept_does_not() {
        for is_kept in [false, true] {
            let sources = SourceFilters { live: live(), kind: Kind::Hits, is_kept };
            let (mut filter, mut out, mut given) =
                (SourceFilter::new(&sources), Given::default(), 0);
            for source in [0_u32, 1, 1, 3, 4] {
                let record = [b"row".as_slice(), &source.to_le_bytes()].concat();
                given += filter.push(&record, false, &mut out);
            }
            given += filter.end(&mut out);
            assert_eq!((given, out.0.len()), (3, 3));
            let is_bare = out.0.iter().all(|row| row == "row");
            assert_eq!(is_bare, !is_kept);
        }
    }
}
