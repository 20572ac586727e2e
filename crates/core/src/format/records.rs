//! Iterates over the records of a table and the cells of a record. Pure.

use super::cells::{Dialect, Table, closing};
use super::quoting::Quoting;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;
use memchr::{memchr, memrchr2};

/// Iterates over the records of a table.
pub struct TableRecords<'a> {
    table: Table<'a>,
    at: usize,
}

/// Iterates over the raw cells of a record, including their quotes.
pub struct Cells<'a> {
    table: Table<'a>,
    at: Option<usize>,
}

impl Dialect {
    /// The records in `bytes`, which begin outside quotes. Empty lines are not records.
    pub fn records<'a>(&self, bytes: &'a [u8]) -> TableRecords<'a> {
        TableRecords { table: Table::new(*self, bytes), at: 0 }
    }

    /// The cells of `record`, which has no line end.
    pub fn split<'a>(&self, record: &'a [u8]) -> Cells<'a> {
        Cells { table: Table::new(*self, record), at: Some(0) }
    }

    /// Length of the complete records at the start of `bytes`, which begin outside quotes. The rest
    /// needs more bytes: it is an incomplete record, or has a quote that may still close.
    pub fn whole_records(&self, bytes: &[u8]) -> usize {
        let (mut from, mut whole) = (0, 0);
        loop {
            let open = self.next_open(bytes, from);
            if let Some(at) = line_end(bytes, from..open.unwrap_or(bytes.len())) {
                whole = at + 1;
            }
            let Some(open) = open else { return whole };
            let reach = open.saturating_add(self.lookahead());
            from = match closing(bytes, open + 1, bytes.len().min(reach)) {
                // The next byte may be the second quote of a pair.
                Ok(close) if close + 1 < bytes.len() => close + 1,
                Err(_) if bytes.len() >= reach => open + 1,
                _ => return whole,
            };
        }
    }

    /// Finds the next quote at the start of a cell, from `from` on, outside quotes.
    fn next_open(&self, bytes: &[u8], mut from: usize) -> Option<usize> {
        while let Some(at) = memchr(b'"', &bytes[from..]) {
            if self.is_cell_start(bytes, from + at) {
                return Some(from + at);
            }
            from += at + 1;
        }
        None
    }

    /// Decodes a cell returned by [`Dialect::split`]: removes its quotes and replaces each doubled
    /// quote by one. Text after the closing quote is kept.
    pub fn text<'a>(&self, cell: &'a [u8]) -> Cow<'a, [u8]> {
        let close = cell.first().filter(|&&b| b == b'"').and_then(|_| self.close(cell, 0));
        let Some(close) = close else { return Cow::Borrowed(cell) };
        let (quoted, rest) = (&cell[1..close], &cell[close + 1..]);
        if rest.is_empty() && memchr(b'"', quoted).is_none() {
            return Cow::Borrowed(quoted);
        }
        let mut text = Vec::with_capacity(cell.len());
        let mut left = quoted;
        while let Some(at) = memchr(b'"', left) {
            text.extend_from_slice(&left[..=at]);
            left = &left[at + 2..];
        }
        text.extend_from_slice(left);
        text.extend_from_slice(rest);
        Cow::Owned(text)
    }
}

/// Finds the last complete line end in `within`. A carriage return at the end of `bytes` is not
/// complete, because a line feed may still follow.
fn line_end(bytes: &[u8], within: Range<usize>) -> Option<usize> {
    let at = within.start + memrchr2(b'\n', b'\r', &bytes[within.clone()])?;
    match bytes[at] == b'\r' && at + 1 == bytes.len() {
        true => line_end(bytes, within.start..at),
        false => Some(at),
    }
}

impl TableRecords<'_> {
    /// The malformed quotes of the records so far.
    pub fn quoting(&self) -> Quoting {
        self.table.quoting
    }
}

impl Iterator for TableRecords<'_> {
    type Item = Range<usize>;

    /// Returns the range of the next record, without its line end.
    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            if self.at >= self.table.bytes.len() {
                return None;
            }
            let record = self.at..self.table.record_end(self.at);
            self.at = record.end + 1;
            if !record.is_empty() {
                return Some(record);
            }
        }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.at?;
        let end = self.table.cell_end(start);
        self.at = (end < self.table.bytes.len()).then_some(end + 1);
        Some(&self.table.bytes[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dialect() -> Dialect {
        Dialect { delimiter: b',', longest_quoted: 12 }
    }

    /// Decodes every record into the texts of its cells.
    fn rows(dialect: Dialect, bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let cells = |record: Range<usize>| {
            dialect.split(&bytes[record]).map(|cell| dialect.text(cell).into_owned()).collect()
        };
        dialect.records(bytes).map(cells).collect()
    }

    #[test]
    fn records_have_cells() {
        for (text, expected) in [
            ("a,b\nc\n", &[&["a", "b"][..], &["c"]][..]),
            ("a,\r\n,\n\n\r\n,,x", &[&["a", ""], &["", ""], &["", "", "x"]]),
            ("\"a\nb\",c\rd", &[&["a\nb", "c"], &["d"]]),
            ("\"a \"\"b\"\"\",\"\",x\"y", &[&["a \"b\"", "", "x\"y"]]),
            ("\"a\"b,c", &[&["ab", "c"]]),
            ("\"a,b\nc", &[&["\"a", "b"], &["c"]]),
            ("\"0123456789abc\"\nx", &[&["\"0123456789abc\""], &["x"]]),
        ] {
            let found = rows(dialect(), text.as_bytes());
            let found: Vec<Vec<_>> = found
                .iter()
                .map(|row| row.iter().map(|cell| str::from_utf8(cell).expect("UTF-8")).collect())
                .collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn whole_records_end_with_a_complete_line_end() {
        for (text, whole) in [
            ("", 0),
            ("a", 0),
            ("a\n", 2),
            ("a\nb", 2),
            ("a\r", 0),
            ("a\rb", 2),
            ("a\r\n", 3),
            ("a\nb\r", 2),
            ("a\n\r", 2),
            ("\"a\"", 0),
            ("\"a\"\n", 4),
            ("\"a\"\nb", 4),
            ("\"a\nb\",\"c\"\n", 10),
            ("\"\",a\n", 5),
            ("a\n\"b\nc", 2),
            // The quote closes too late, or may still close.
            ("\"0123456789a\n", 0),
            ("\"0123456789ab\n", 14),
        ] {
            assert_eq!(dialect().whole_records(text.as_bytes()), whole, "{text:?}");
        }
    }

    /// The records of `text` when it is read `step` bytes at a time and cut after complete records.
    fn rows_of_blocks(dialect: Dialect, text: &[u8], step: usize) -> Vec<Vec<Vec<u8>>> {
        let (mut buffer, mut found) = (Vec::new(), Vec::new());
        for part in text.chunks(step) {
            buffer.extend_from_slice(part);
            let whole = dialect.whole_records(&buffer);
            found.extend(rows(dialect, &buffer[..whole]));
            buffer.drain(..whole);
        }
        found.extend(rows(dialect, &buffer));
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

        #[test]
        fn blocks_of_whole_records_have_the_same_records(
            text in prop::collection::vec(prop::sample::select(b"ab,,\"\"\"\n\r".to_vec()), 0..60),
            step in 1..9_usize,
        ) {
            let all = rows(dialect(), &text);
            prop_assert_eq!(rows_of_blocks(dialect(), &text, step), all);
        }

        #[test]
        fn cells_are_those_of_the_csv_crate(
            text in prop::collection::vec(prop::sample::select(b"ab,,\"\"\"\n\r".to_vec()), 0..40),
        ) {
            let dialect = Dialect::new(b',');
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(text.as_slice());
            let records: Vec<_> = reader.byte_records().map(|r| r.expect("in memory")).collect();
            let expected: Vec<Vec<Vec<u8>>> =
                records.iter().map(|r| r.iter().map(<[u8]>::to_vec).collect()).collect();
            let mut records = dialect.records(&text);
            records.by_ref().for_each(drop);
            // An unclosed quote counts as text here.
            if records.quoting().unclosed == 0 {
                prop_assert_eq!(rows(dialect, &text), expected);
            }
        }
    }
}
