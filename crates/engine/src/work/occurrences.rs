//! Collects a record of each occurrence, if counts, hits or rejects are requested.

use super::mode::ScanMode;
use super::search::Finder;
use super::sink::{NameSink, push_name, spelled};
use crate::figures::{Example, Examples};
use crate::plan::kind::Kind;
use crate::rows::collectors::{Collectors, RecordCounts};
use crate::rows::duplicates::write_work;
use crate::rows::record::{self, At};
use crate::rows::row_input::{LineTicket, RowInput};
use doiscan_core::doi::Reason;
use doiscan_core::format::fields::Label;
use doiscan_core::scan::{Match, Notation, Sink, SurroundingsFinder, anchors, cell_delimiter};
use doiscan_input::Window;
use doiscan_sets::collect::{All, Counted, Grouped};
use doiscan_sets::dedup::spill::{Feed, Spill};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of bytes kept of a rejected candidate, and of the text before it.
const REJECTED: usize = 256;
const BEFORE: usize = 32;

/// The records that a worker has collected and not yet handed over.
pub(super) struct Occurrences<'a> {
    counts: Option<Feed<'a, Counted>>,
    /// Whether each spelling is counted.
    is_spelled: bool,
    unknown: Option<Feed<'a, Counted>>,
    pairs: Option<Feed<'a>>,
    hits: Option<Feed<'a, Grouped>>,
    rejects: Option<Feed<'a, All>>,
    works: Option<Feed<'a, All>>,
    /// Examples for the digest, if wanted.
    examples: Option<Examples>,
    /// Buffer for a record.
    record: Vec<u8>,
}

impl<'a> Occurrences<'a> {
    /// Returns `None` if no records are collected.
    pub(super) fn new(collectors: &'a Collectors) -> Option<Self> {
        let spelled = collectors.counts(Kind::Spelled);
        collectors.has_rows().then(|| Occurrences {
            counts: collectors.counts(Kind::Counts).or(spelled).map(Spill::feed),
            is_spelled: spelled.is_some(),
            unknown: collectors.counts(Kind::Unknown).map(Spill::feed),
            pairs: collectors.names(Kind::Pairs).map(Spill::feed),
            hits: collectors.hits().map(Spill::feed),
            rejects: collectors.rows(Kind::Rejects).map(Spill::feed),
            works: collectors.rows(Kind::Works).map(Spill::feed),
            examples: collectors.has_examples.then(Examples::default),
            record: Vec::new(),
        })
    }

    /// Makes room for blocked records. Returns false if the run has failed.
    pub(super) fn make_room(&mut self) -> bool {
        self.counted().all(Feed::make_room)
            && self.pairs.iter_mut().all(Feed::make_room)
            && self.hits.iter_mut().all(Feed::make_room)
            && self.rejects.iter_mut().all(Feed::make_room)
            && self.works.iter_mut().all(Feed::make_room)
    }

    fn counted(&mut self) -> impl Iterator<Item = &mut Feed<'a, Counted>> {
        self.counts.iter_mut().chain(&mut self.unknown)
    }

    /// Whether each accepted candidate has a record besides its name.
    fn has_record(&self) -> bool {
        let Occurrences { counts, pairs, hits, works, .. } = self;
        counts.is_some() || pairs.is_some() || hits.is_some() || works.is_some()
    }

    /// Hands over everything. Returns the examples.
    pub(super) fn finish(self, pushed: &mut RecordCounts) -> Examples {
        pushed[Kind::Counts] = self.counts.map_or(0, Feed::finish);
        pushed[Kind::Unknown] = self.unknown.map_or(0, Feed::finish);
        pushed[Kind::Pairs] = self.pairs.map_or(0, Feed::finish);
        pushed[Kind::Hits] = self.hits.map_or(0, Feed::finish);
        pushed[Kind::Rejects] = self.rejects.map_or(0, Feed::finish);
        pushed[Kind::Works] = self.works.map_or(0, Feed::finish);
        self.examples.unwrap_or_default()
    }
}

/// A sink that knows the position of each candidate.
pub(super) struct Placed<'w, 'a> {
    found: &'w mut NameSink<'a>,
    occurrences: &'w mut Occurrences<'a>,
    input: &'w RowInput,
    mode: &'w ScanMode,
    bytes: &'w [u8],
    offset: u64,
    /// A position, and its line number.
    at: usize,
    line: u64,
    surroundings: SurroundingsFinder,
    /// The record, if the input is cut into records.
    label: Option<Label>,
    /// Whether each accepted candidate has a record besides its name.
    has_record: bool,
}

impl<'w, 'a> Placed<'w, 'a> {
    /// Creates a sink for candidates in `window`. Returns `None` if the line number will never be
    /// known because the worker of an earlier chunk panicked.
    pub(super) fn new(
        found: &'w mut NameSink<'a>,
        occurrences: &'w mut Occurrences<'a>,
        input: &'w RowInput,
        mode: &'w ScanMode,
        window: &'w Window<'_>,
        ticket: Option<LineTicket<'_>>,
    ) -> Option<Self> {
        let (bytes, at) = (window.bytes, window.starts.start);
        let line = match ticket {
            Some(ticket) => {
                let lines = line_ends(&bytes[window.starts.clone()], mode.line_end);
                ticket.turn(|line| std::mem::replace(line, *line + lines))?
            }
            None => 0,
        };
        let offset = window.offset;
        occurrences.hits.iter_mut().for_each(|hits| hits.set_context(&input.key));
        let (label, has_record) = (None, occurrences.has_record());
        let surroundings = SurroundingsFinder::default();
        Some(Placed {
            found,
            occurrences,
            input,
            mode,
            bytes,
            offset,
            at,
            line,
            surroundings,
            label,
            has_record,
        })
    }

    /// Returns the position of a candidate. Candidates must be passed in order.
    fn place(&mut self, start: usize) -> At<'w> {
        if self.input.lines.is_some() && start > self.at {
            self.line += line_ends(&self.bytes[self.at..start], self.mode.line_end);
            self.at = start;
        }
        At {
            input: &self.input.key,
            line: self.line,
            offset: self.offset + start as u64 - self.input.begin,
        }
    }
}

/// Number of line ends. Between two candidates of a table there are few bytes.
fn line_ends(bytes: &[u8], end: u8) -> u64 {
    if bytes.len() > usize::from(u8::MAX) {
        return memchr::memchr_iter(end, bytes).count() as u64;
    }
    // A sum of one byte, so that the compiler vectorises it.
    u64::from(bytes.iter().fold(0_u8, |sum, &byte| sum + u8::from(byte == end)))
}

impl Finder for Placed<'_, '_> {
    fn find_short(&mut self, bytes: &[u8], starts: Range<usize>, is_cut: bool) {
        self.found.find_short(bytes, starts, is_cut);
    }

    fn accept_unknown(&mut self, found: &Match<'_>, has_prefix: bool) {
        self.found.counts.unknown += 1;
        self.found.counts.unknown_prefix += u64::from(!has_prefix);
        if self.occurrences.unknown.is_some() {
            let at = self.place(found.start);
            let raw = &self.bytes[found.start..found.end];
            let Occurrences { unknown, record, .. } = &mut *self.occurrences;
            let doi = &*spelled(found.doi, &mut self.found.lower);
            let key = record::write_count(record, doi, false, &self.input.number, at.offset, raw);
            unknown.iter_mut().for_each(|unknown| unknown.push_record(record, key));
        }
        self.accept(found);
    }

    fn label(&mut self, label: &Label) {
        self.label = Some(label.clone());
    }
}

impl Placed<'_, '_> {
    /// Counts a plain name that the input had before. Returns false if its place is needed.
    #[inline]
    fn counts_again(&mut self, found: &Match<'_>) -> bool {
        let Occurrences { counts, is_spelled: false, hits: None, works: None, .. } =
            &mut *self.occurrences
        else {
            return false;
        };
        let is_upper = self.found.lower.is_none();
        let mut count = |counts: &mut Feed<'_, Counted>| {
            is_upper && counts.push_later(found.doi, &self.input.number)
        };
        counts.as_mut().is_none_or(&mut count)
    }

    /// Collects an occurrence. `is_plain` says that the list spells the name as it is, unless in lower
    /// case.
    #[inline]
    fn collect(&mut self, found: &Match<'_>, is_plain: bool) {
        let at = self.place(found.start);
        let raw = &self.bytes[found.start..found.end];
        let before = &self.bytes[found.start.saturating_sub(BEFORE)..found.start];
        let Occurrences { counts, is_spelled, pairs, hits, works, examples, record, .. } =
            &mut *self.occurrences;
        self.found.counts.accept(found.repairs);
        let doi = &*match is_plain && self.found.lower.is_none() {
            true => Cow::Borrowed(found.doi),
            false => spelled(found.doi, &mut self.found.lower),
        };
        if let Some(counts) = counts {
            let (is_spelled, number) = (*is_spelled, &self.input.number);
            let key = record::write_count(record, doi, is_spelled, number, at.offset, raw);
            counts.push_record(record, key);
        }
        if let Some(names) = &mut self.found.names {
            push_name(names, doi, &mut self.found.remembered);
        }
        if let Some(pairs) = pairs {
            record.clear();
            record.extend_from_slice(&self.input.pair);
            record.extend_from_slice(doi);
            if let Some((suffix, _)) = &self.found.remembered {
                record.extend_from_slice(suffix);
            }
            pairs.push(record);
            pairs.make_room();
        }
        if let Some(works) = works {
            write_work(record, doi, at, self.label.as_ref(), raw);
            works.push(record);
            works.make_room();
        }
        if let Some(hits) = hits {
            let surroundings = self.surroundings.find(self.bytes, found.start, self.mode.notation);
            let surroundings = surroundings.within(self.mode.running);
            let place = (at.line, at.offset);
            let key = record::write_hit(record, doi, place, raw, found.repairs, surroundings);
            record.extend_from_slice(&self.input.trailer);
            hits.push_record(record, key);
            // A record may be a hundred times as long as its candidate, because it has the name of
            // the input and up to 256 bytes of text, so a window can hold more records than fit
            // into memory. The worker learns after the window if the run has failed.
            hits.make_room();
        }
        if let Some(examples) = examples.as_mut().filter(|_| !found.repairs.is_empty()) {
            let raw = &raw[..raw.len().min(REJECTED)];
            let new = || example(at, before, raw, doi);
            examples.accept(found.repairs, (at.input, at.offset), new);
        }
    }
}

impl Sink for Placed<'_, '_> {
    fn accept(&mut self, found: &Match<'_>) {
        let has_example = || !found.repairs.is_empty() && self.occurrences.examples.is_some();
        match self.has_record || has_example() {
            true => self.collect(found, false),
            false => self.found.accept(found),
        }
    }

    fn accept_plain(&mut self, found: &Match<'_>) {
        match self.has_record {
            true => self.collect(found, true),
            false => self.found.accept_plain(found),
        }
    }

    fn accept_again(&mut self, found: &Match<'_>) {
        if self.has_record && !self.counts_again(found) {
            return self.collect(found, true);
        }
        self.found.accept_again(found);
        self.occurrences.pairs.iter_mut().for_each(Feed::push_again);
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        if !reason.is_of_candidate() {
            return;
        }
        self.found.counts.reject(reason);
        let at = self.place(start);
        let Occurrences { rejects, examples, record, .. } = &mut *self.occurrences;
        if rejects.is_none() && examples.is_none() {
            return;
        }
        let (before, raw) = rejected(self.bytes, start, self.mode.notation);
        if let Some(rejects) = rejects {
            record::write_reject(record, at, reason, raw, before);
            record.extend_from_slice(&self.input.trailer);
            rejects.push(record);
            rejects.make_room();
        }
        if let Some(examples) = examples {
            let new = || example(at, before, raw, b"");
            examples.reject(reason, (at.input, at.offset), new);
        }
    }
}

fn example(at: At<'_>, before: &[u8], text: &[u8], doi: &[u8]) -> Example {
    let (line, offset) = (at.line, at.offset);
    let (before, text, doi) = (before.to_vec(), text.to_vec(), doi.to_vec());
    Example { input: at.input.to_vec(), offset, line, before, text, doi }
}

/// Returns the text before the rejected candidate at `start`, and the text that a reader would take
/// for the candidate: up to white space, a quote, a tag or the end of the cell.
///
/// In a chain (`10.10.10.…`) each candidate but the first has only the text from the one before it to
/// the one after it. With more, 20 MB of such a chain had 2.1 GB of rows.
fn rejected(bytes: &[u8], start: usize, notation: Notation) -> (&[u8], &[u8]) {
    let end = bytes.len().min(start + REJECTED);
    let delimiter = cell_delimiter(bytes, start, notation);
    let is_end = |byte: &u8| is_end(byte) || Some(*byte) == delimiter;
    let end = bytes[start..end].iter().position(is_end).map_or(end, |at| start + at);
    let word = start.saturating_sub(REJECTED);
    let word = bytes[word..start].iter().rposition(is_end).map_or(word, |at| word + at + 1);
    let least = start.saturating_sub(BEFORE);
    match anchors(bytes, word..start).next_back() {
        None => (&bytes[least..start], &bytes[start..end]),
        Some(before) => {
            let next = anchors(bytes, (start + 1).min(end)..end).next().unwrap_or(end);
            (&bytes[least.max(before)..start], &bytes[start..next])
        }
    }
}

/// Whether a byte ends the text of a candidate.
fn is_end(byte: &u8) -> bool {
    *byte <= b' ' || matches!(byte, b'"' | b'<' | b'>' | 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::output::Layout;
    use crate::plan::{Plan, SideFile};
    use doiscan_os::disk::{Disk, System};
    use doiscan_sets::collect::run::{Segments, Space};
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    const TEXT: Notation = Notation::Unknown;

    #[test]
    fn line_ends_are_counted_in_short_and_long_texts() {
        for len in [0, 1, 7, 63, 64, 255, 256, 1_000] {
            assert_eq!(line_ends(&b"\n".repeat(len), b'\n'), len as u64);
            let text = b"a\n\r".repeat(len);
            assert_eq!(line_ends(&text, b'\n'), len as u64);
            assert_eq!(line_ends(&text, b'\r'), len as u64);
        }
    }

    #[test]
    fn a_candidate_ends_at_a_blank_a_quote_or_a_tag() {
        for (text, expected) in [
            ("10.5 %", "10.5"),
            ("10.1234/\"x", "10.1234/"),
            ("10.1234/a<b", "10.1234/a"),
            ("10.12", "10.12"),
        ] {
            assert_eq!(rejected(text.as_bytes(), 0, TEXT).1, expected.as_bytes());
        }
        assert_eq!(rejected(&b"1".repeat(1_000), 0, TEXT).1.len(), REJECTED);
    }

    #[test]
    fn a_candidate_ends_with_its_cell() {
        for (text, delimiter, expected) in [
            ("1,10.5,b\n", b',', "10.5"),
            ("1;10.5,5;b\n", b';', "10.5,5"),
            ("1,\"see 10.5,b\",c\n", b',', "10.5,b"),
            ("1,\"a\",10.5,b\n", b',', "10.5"),
        ] {
            let start = text.find("10.5").expect("a candidate");
            let (_, raw) = rejected(text.as_bytes(), start, Notation::Csv(delimiter));
            assert_eq!(raw, expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn candidates_of_a_chain_share_no_text() {
        for (text, start, before, raw) in [
            ("see 10.10.2010, x", 4, "see ", "10.10.2010,"),
            ("see 10.10.2010, x", 7, "10.", "10.2010,"),
            ("10.10.10.10.", 6, "10.", "10."),
            ("10%2E10\\.10&#46;10.5", 5, "10%2E", "10\\."),
            ("10.1 10.2 10.3", 10, "10.1 10.2 ", "10.3"),
            ("10.1/\"10.2", 6, "10.1/\"", "10.2"),
            ("1010.10.5", 5, "10.", "10.5"),
        ] {
            let found = rejected(text.as_bytes(), start, TEXT);
            assert_eq!(found, (before.as_bytes(), raw.as_bytes()), "{text} {start}");
        }
        let far = [&b"10."[..], &b"x".repeat(REJECTED - 3), b"10.1"].concat();
        assert_eq!(rejected(&far, REJECTED, TEXT), (&b"x".repeat(BEFORE)[..], &b"10.1"[..]));
        let chain = b"10.".repeat(1_000);
        let texts = |start| {
            let (before, raw) = rejected(&chain, start, TEXT);
            before.len() + raw.len()
        };
        let sum: usize = (0..chain.len()).step_by(3).map(texts).sum();
        assert!(sum < 2 * chain.len() + REJECTED, "{sum}");
    }

    #[test]
    fn records_of_each_kind_are_handed_over() {
        let folder = tempfile::tempdir().expect("folder");
        let file = || Some(SideFile::new("x", Layout::default()));
        let temporary = vec![folder.path().to_path_buf()];
        let plan =
            Plan { counts: true, hits: file(), rejects: file(), temporary, ..Plan::default() };
        let disk: Arc<dyn Disk> = Arc::new(System);
        let memory = Memory::share(None, plan.chunk, 1);
        let next = Arc::new(AtomicU64::new(1));
        let of_kind = |kind: Kind| {
            Segments::new(folder.path().to_path_buf(), kind.row().name, Arc::clone(&next))
        };
        let segments =
            |kind: Kind| (Space::of_segments(Arc::clone(&disk), of_kind(kind)), Vec::new());
        let collectors = Collectors::new(&disk, &plan, memory, 1, Some(&segments));
        let mut all = Occurrences::new(&collectors).expect("records");
        let key = record::write_count(&mut all.record, b"10.1/A", false, &[0; 4], 0, b"10.1/A");
        all.counts.as_mut().expect("counts").push_record(&all.record, key);
        all.hits.as_mut().expect("hits").push_record(b"10.1/A\0hit", 7);
        all.rejects.as_mut().expect("rejects").push(b"reject");
        all.finish(&mut RecordCounts::default());
        let saved = collectors.save().expect("saved");
        let saved = saved.iter().map(|segment| {
            let run = of_kind(segment.kind).open(&disk, segment.number);
            (segment.kind, run.expect("a segment").len())
        });
        let expected = [Kind::Counts, Kind::Hits, Kind::Rejects].map(|kind| (kind, 1));
        assert_eq!(saved.collect::<Vec<_>>(), expected);
    }
}
