//! Cuts the text of a bibliography into blocks of whole records.

use doiscan_core::format::fields::{Cut, Cutter, Place, REACH, RecordFormat, Wanted};
use doiscan_input::{LineBlock, Lines};
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
    pub(super) value: std::borrow::Cow<'a, [u8]>,
}

impl RecordReader {
    /// The records of an input that begins with `head`. Returns `None` if it is read as lines.
    pub(super) fn of(head: &[u8], wanted: &Wanted) -> Option<RecordReader> {
        let cutter = wanted.is_any().then(|| Cutter::of(head, wanted)).flatten()?.with_all();
        let is_named = !wanted.names.is_empty();
        let is_wanted = match cutter.format() {
            // A field of JSON lines is read as JSON.
            RecordFormat::Json => !is_named,
            // A value may be an element.
            RecordFormat::Xml => is_named,
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
        (size, longest): (usize, usize),
    ) -> Option<Result<RecordCuts, String>> {
        loop {
            let to =
                if self.is_ended { self.text.len() } else { self.text.len().saturating_sub(REACH) };
            if to > self.cut {
                let text = (&self.text[..], self.offset);
                self.cutter.cut(&mut self.place, text, self.cut..to, &mut self.cuts);
                self.cut = to;
            }
            let last =
                self.cuts.iter().rposition(|cut| matches!(cut, Cut::Record(at, _) if *at > 0));
            let end = match last.map(|last| (last, &self.cuts[last])) {
                _ if self.is_ended && self.text.is_empty() => return None,
                _ if self.is_ended => Some((self.cuts.len(), self.text.len())),
                Some((last, Cut::Record(at, _))) => Some((last, *at)),
                _ => None,
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
            match lines.next_block(&mut self.block, size, longest) {
                None => self.is_ended = true,
                Some(block) => {
                    self.text.append(&mut self.block);
                    // The line end of a long line is not part of it.
                    if matches!(block, LineBlock::Part { is_last: true, .. }) {
                        self.text.push(b'\n');
                    }
                }
            }
        }
    }

    /// Takes the first `count` cuts and the text before `end`.
    fn take(&mut self, count: usize, end: usize, buffer: &mut Vec<u8>) -> RecordCuts {
        let rest = self.cuts.split_off(count);
        let cuts = std::mem::replace(&mut self.cuts, rest);
        for cut in &mut self.cuts {
            match cut {
                Cut::Record(at, _) => *at -= end,
                Cut::Field(Range { start, end: to }) => (*start, *to) = (*start - end, *to - end),
            }
        }
        buffer.clear();
        buffer.extend_from_slice(&self.text[..end]);
        self.text.drain(..end);
        (self.offset, self.cut) = (self.offset + end as u64, self.cut - end);
        RecordCuts { format: self.cutter.format(), cuts }
    }
}

impl RecordCuts {
    /// The records in `text`, in order, each with its first value that is not blank.
    pub(super) fn each<'a>(&self, text: &'a [u8], mut found: impl FnMut(Found<'a>)) {
        let mut open: Option<(u64, Found<'a>)> = None;
        let mut field: Option<Range<usize>> = None;
        let end_field = |field: &mut Option<Range<usize>>, open: &mut Option<(u64, Found<'a>)>| {
            if let (Some(range), Some((_, record))) = (field.take(), open)
                && record.value.is_empty()
            {
                record.value = self.format.value(&text[range]).unwrap_or_default();
            }
        };
        for cut in &self.cuts {
            match cut {
                // A field is cut where a call of the cutter ended.
                Cut::Field(range)
                    if field.as_ref().is_some_and(|field| field.end == range.start) =>
                {
                    field = field.map(|field| field.start..range.end);
                }
                Cut::Field(range) => {
                    end_field(&mut field, &mut open);
                    field = Some(range.clone());
                }
                Cut::Record(at, label) => {
                    end_field(&mut field, &mut open);
                    match &mut open {
                        Some((number, record)) if *number == label.number => {
                            record.label = label.text()
                        }
                        _ => {
                            let value = std::borrow::Cow::Borrowed(&[][..]);
                            let next = Found { label: label.text(), start: *at, value };
                            if let Some((_, record)) = open.replace((label.number, next)) {
                                found(record);
                            }
                        }
                    }
                }
            }
        }
        end_field(&mut field, &mut open);
        if let Some((_, record)) = open {
            found(record);
        }
    }
}
