//! Cuts the text of a bibliography into blocks of whole records.

use doiscan_core::format::fields::{Cut, Cutter, Place, REACH, RecordFormat, Wanted};
use doiscan_core::scan::matches;
use doiscan_input::Lines;
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of bytes of a record.
const LONGEST_RECORD: usize = 16 * 1024 * 1024;

/// The records of one input.
pub(super) struct RecordReader {
    cutter: Cutter,
    place: Place,
    /// What was read and is not yet taken, and the offset of its first byte.
    text: Vec<u8>,
    offset: u64,
    /// The cuts in the text, and the position where they end.
    cuts: Vec<Cut>,
    cut: usize,
    is_ended: bool,
    block: Vec<u8>,
}

/// The records of a block.
pub(super) struct RecordCuts {
    pub(super) format: RecordFormat,
    pub(super) cuts: Vec<Cut>,
}

/// A record: its label, the range of its text, and its value.
pub(super) struct Found<'a> {
    pub(super) label: Vec<u8>,
    pub(super) start: usize,
    pub(super) value: Cow<'a, [u8]>,
}

impl RecordReader {
    /// The records of an input that begins with `head`. Returns `None` if it is read as lines.
    pub(super) fn of(head: &[u8], wanted: &Wanted) -> Option<RecordReader> {
        let cutter = wanted.is_any().then(|| Cutter::of(head, wanted)).flatten()?.with_all();
        let is_named = !wanted.names.is_empty();
        let is_wanted = match cutter.format() {
            // A field of JSON lines is read as JSON.
            RecordFormat::Json => !is_named,
            // A value may be an element, so a text is a bibliography if a declaration and a record begin it.
            RecordFormat::Xml => {
                is_named
                    || (head.trim_ascii_start().starts_with(b"<?xml") && has_record(&cutter, head))
            }
            _ => true,
        };
        is_wanted.then(|| RecordReader {
            cutter,
            place: Place::default(),
            text: Vec::new(),
            offset: 0,
            cuts: Vec::new(),
            cut: 0,
            is_ended: false,
            block: Vec::new(),
        })
    }

    /// Reads whole records into `buffer`. Returns `None` at the end, and an error if a record is too long.
    pub(super) fn next(
        &mut self,
        lines: &mut Lines,
        buffer: &mut Vec<u8>,
        size: usize,
    ) -> Option<Result<RecordCuts, String>> {
        loop {
            let to =
                if self.is_ended { self.text.len() } else { self.text.len().saturating_sub(REACH) };
            if to > self.cut {
                let text = (&self.text[..], self.offset);
                self.cutter.cut(&mut self.place, text, self.cut..to, &mut self.cuts);
                self.cut = to;
            }
            let end = match self.last() {
                _ if self.is_ended && self.text.is_empty() => return None,
                _ if self.is_ended => Some((self.cuts.len(), self.text.len())),
                last => last.filter(|&(_, at)| at > 0),
            };
            if let Some((count, end)) = end {
                return Some(Ok(self.take(count, end, buffer)));
            }
            if self.text.len() > LONGEST_RECORD {
                self.is_ended = true;
                self.text.clear();
                let most = LONGEST_RECORD;
                return Some(Err(format!(
                    "a record is longer than {most} bytes; it and all later records are skipped"
                )));
            }
            if lines.next_bytes(&mut self.block, size) {
                self.text.append(&mut self.block);
                continue;
            }
            self.is_ended = true;
            if lines.is_faulty() {
                let whole = memchr::memrchr(b'\n', &self.text).map_or(0, |at| at + 1);
                self.text.truncate(whole.max(self.cut));
            }
        }
    }

    /// The first cut of the last record, and where it begins. A record with a key has several.
    fn last(&self) -> Option<(usize, usize)> {
        let cuts = self.cuts.iter().enumerate().rev();
        let mut records = cuts
            .filter_map(|(index, cut)| match cut {
                Cut::Record(at, label) => Some((index, *at, label.number)),
                Cut::Field(..) => None,
            })
            .peekable();
        let newest = records.peek()?.2;
        let (index, at, _) = records.take_while(|&(_, _, number)| number == newest).last()?;
        Some((index, at))
    }

    /// Takes the first `count` cuts and the text before `end`.
    fn take(&mut self, count: usize, end: usize, buffer: &mut Vec<u8>) -> RecordCuts {
        let rest = self.cuts.split_off(count);
        let cuts = std::mem::replace(&mut self.cuts, rest);
        for cut in &mut self.cuts {
            match cut {
                Cut::Record(at, _) => *at -= end,
                Cut::Field(Range { start, end: to }, _) => {
                    (*start, *to) = (*start - end, *to - end);
                }
            }
        }
        buffer.clear();
        buffer.extend_from_slice(&self.text[..end]);
        self.text.drain(..end);
        (self.offset, self.cut) = (self.offset + end as u64, self.cut - end);
        RecordCuts { format: self.cutter.format(), cuts }
    }
}

/// Whether a record begins in `head`.
fn has_record(cutter: &Cutter, head: &[u8]) -> bool {
    let mut cuts = Vec::new();
    cutter.cut(&mut Place::default(), (head, 0), 0..head.len(), &mut cuts);
    !cuts.is_empty()
}

impl RecordCuts {
    /// Whether no record has a field.
    pub(super) fn is_empty(&self) -> bool {
        self.cuts.iter().all(|cut| matches!(cut, Cut::Record(..)))
    }

    /// The records in `text`, in order. The value of each is the first one with a DOI, otherwise the first of its own field that
    /// is not blank.
    pub(super) fn each<'a>(&self, text: &'a [u8], mut found: impl FnMut(Found<'a>)) {
        let mut open: Option<(u64, Found<'a>)> = None;
        let mut fields: Vec<(Range<usize>, bool)> = Vec::new();
        let end = |fields: &mut Vec<(Range<usize>, bool)>, record: &mut Found<'a>| {
            let values = fields.drain(..).filter_map(|(range, is_instead)| {
                Some((self.format.value(&text[range])?, is_instead))
            });
            let values: Vec<_> = values.collect();
            let has_doi = |value: &[u8]| matches(value).next().is_some();
            let found = values.iter().position(|(value, _)| has_doi(value));
            let is_first = |(value, is_instead): &(Cow<'_, [u8]>, bool)| {
                !is_instead && !value.trim_ascii().is_empty()
            };
            let found = found.or_else(|| values.iter().position(is_first));
            record.value =
                found.and_then(|index| values.into_iter().nth(index)).unwrap_or_default().0;
        };
        for cut in &self.cuts {
            match cut {
                // A field is cut where a call of the cutter ended.
                Cut::Field(range, is_instead) => match fields.last_mut() {
                    Some((field, _)) if field.end == range.start => field.end = range.end,
                    _ => fields.push((range.clone(), *is_instead)),
                },
                Cut::Record(at, label) => match &mut open {
                    Some((number, record)) if *number == label.number => {
                        record.label = label.text();
                    }
                    _ => {
                        let value = Cow::Borrowed(&[][..]);
                        let next = Found { label: label.text(), start: *at, value };
                        if let Some((_, mut record)) = open.replace((label.number, next)) {
                            end(&mut fields, &mut record);
                            found(record);
                        }
                    }
                },
            }
        }
        if let Some((_, mut record)) = open {
            end(&mut fields, &mut record);
            found(record);
        }
    }
}
