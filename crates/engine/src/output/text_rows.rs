//! Rows as text.

use super::columns::Column;
use super::escape;
use super::layout::{CsvStyle, Layout, OutputFormat};
use super::xlsx::{CellKind, ROW_END, begin_cell, end_cell};
use std::ops::Range;

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A canonical DOI in its batch spelling.
    Doi(&'a [u8]),
    /// Any bytes.
    Bytes(&'a [u8]),
    /// Any bytes, with ASCII letters in lower case.
    Lower(&'a [u8]),
    /// A number.
    Number(u64),
}

impl Value<'_> {
    /// Appends it as text.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Doi(name) => escape::doi(name, out),
            Value::Bytes(bytes) => escape::bytes(bytes, out),
            Value::Lower(bytes) => escape::lower(bytes, out),
            Value::Number(number) => decimal(*number, out),
        }
    }
}

/// The digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// Appends a number in decimal digits, in a third of the instructions of `write!`.
fn decimal(mut number: u64, out: &mut Vec<u8>) {
    // The digits of `u64::MAX`.
    let mut digits = [0; 20];
    let mut at = digits.len();
    while number >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
        number /= 100;
    }
    // A number of one digit, or the first digit of one with an odd number of digits.
    if number > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b'0' + number as u8;
    }
    out.extend_from_slice(&digits[at..]);
}

/// Columns whose values are those of the row before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Same(u16);

impl Same {
    /// Sets whether the value of the column at this index, at most 15, is the same.
    #[inline]
    pub fn set(&mut self, column: usize, is_same: bool) {
        self.0 |= u16::from(is_same) << column;
    }

    /// Whether the value of the column at this index is known to be the same.
    #[inline]
    pub fn has(self, column: usize) -> bool {
        column < 16 && self.0 >> column & 1 == 1
    }
}

/// Writes rows as text.
#[derive(Clone, Debug)]
pub struct TextRows {
    form: OutputFormat,
    csv: CsvStyle,
    columns: &'static [Column],
    /// Scratch space for a value.
    value: Vec<u8>,
    /// Where the cells of the last row are.
    cells: Vec<Range<usize>>,
}

impl TextRows {
    /// Creates a writer for rows with these columns. [`OutputFormat::Parquet`] is written elsewhere; here
    /// it produces JSON lines.
    pub fn new(layout: Layout, columns: &'static [Column]) -> Self {
        let Layout { format: form, csv, .. } = layout;
        TextRows { form, csv, columns, value: Vec::new(), cells: vec![0..0; columns.len()] }
    }

    /// Appends the header, if the form has one.
    pub fn header(&self, out: &mut Vec<u8>) {
        let between = match self.form {
            OutputFormat::Csv => self.csv.delimiter,
            OutputFormat::Tsv => b'\t',
            OutputFormat::Xlsx => {
                for column in self.columns {
                    begin_cell(CellKind::Head, out);
                    out.extend_from_slice(column.name.as_bytes());
                    end_cell(out);
                }
                return out.push(ROW_END);
            }
            OutputFormat::Lines | OutputFormat::Jsonl | OutputFormat::Parquet => return,
        };
        if self.form == OutputFormat::Csv {
            self.csv.mark(out);
        }
        for (index, column) in self.columns.iter().enumerate() {
            out.extend((index > 0).then_some(between));
            out.extend_from_slice(column.name.as_bytes());
        }
        out.push(b'\n');
    }

    /// Appends a row: a value for each column, in their order.
    pub fn push(&mut self, row: &[Value<'_>], out: &mut Vec<u8>) {
        self.push_like_last(row, Same::default(), out);
    }

    /// Like [`TextRows::push`], for a row of which some values are those of the last row, which is still
    /// in `out`.
    #[inline]
    pub fn push_like_last(&mut self, row: &[Value<'_>], same: Same, out: &mut Vec<u8>) {
        debug_assert!(row.len() <= self.columns.len());
        let row = match self.form {
            OutputFormat::Csv => return self.separated(row, same, self.csv.delimiter, out),
            OutputFormat::Tsv => return self.separated(row, same, b'\t', out),
            OutputFormat::Lines => &row[..row.len().min(1)],
            _ => row,
        };
        for (index, value) in row.iter().enumerate() {
            match (self.form, index) {
                (OutputFormat::Jsonl | OutputFormat::Parquet, 0) => out.push(b'{'),
                (OutputFormat::Jsonl | OutputFormat::Parquet, _) => out.push(b','),
                _ => {}
            }
            let start = out.len();
            match same.has(index) {
                true => out.extend_from_within(self.cells[index].clone()),
                false => self.cell(index, value, out),
            }
            self.cells[index] = start..out.len();
        }
        match self.form {
            OutputFormat::Xlsx => out.push(ROW_END),
            OutputFormat::Jsonl | OutputFormat::Parquet => out.extend_from_slice(b"}\n"),
            _ => out.push(b'\n'),
        }
    }

    /// Like [`TextRows::push_like_last`], for rows of CSV or TSV.
    fn separated(&mut self, row: &[Value<'_>], same: Same, between: u8, out: &mut Vec<u8>) {
        let TextRows { cells, value: scratch, .. } = self;
        for (index, (value, cell)) in row.iter().zip(cells).enumerate() {
            if index > 0 {
                out.push(between);
            }
            let start = out.len();
            match same.has(index) {
                true => out.extend_from_within(cell.clone()),
                false => separated_cell(value, between, scratch, out),
            }
            *cell = start..out.len();
        }
        out.push(b'\n');
    }

    fn cell(&mut self, index: usize, value: &Value<'_>, out: &mut Vec<u8>) {
        match self.form {
            OutputFormat::Jsonl | OutputFormat::Parquet => self.member(index, value, out),
            OutputFormat::Xlsx => sheet_cell(value, out),
            _ => value.write(out),
        }
    }

    /// Appends a member of an object.
    fn member(&mut self, index: usize, value: &Value<'_>, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(self.columns[index].name.as_bytes());
        out.extend_from_slice(b"\":");
        if let Value::Number(_) = value {
            return value.write(out);
        }
        self.value.clear();
        value.write(&mut self.value);
        quoted(&self.value, b'\\', b"\"\\", out);
    }
}

/// Appends a cell of CSV or TSV. `scratch` is space for a value.
#[inline]
fn separated_cell(value: &Value<'_>, between: u8, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
    let start = out.len();
    match value {
        Value::Number(number) => return decimal(*number, out),
        Value::Doi(text) | Value::Bytes(text) if is_simple(text, between) => {
            return out.extend_from_slice(text);
        }
        Value::Lower(text) if is_simple(text, between) => {
            return escape::plain_lower(text, out);
        }
        value => value.write(out),
    }
    if escape::is_formula(&out[start..]) {
        out.insert(start, b'\'');
    }
    if between != b'\t' && memchr::memchr2(between, b'"', &out[start..]).is_some() {
        scratch.clear();
        scratch.extend_from_slice(&out[start..]);
        out.truncate(start);
        quoted(scratch, b'"', b"\"", out);
    }
}

/// Whether a cell of CSV or TSV has the text as it is: it begins with a letter, a digit or a slash, and
/// has no byte that is escaped or quoted.
fn is_simple(text: &[u8], between: u8) -> bool {
    let is_plain = |b| (b' '..0x7f).contains(&b) & (b != b'\\') & (b != b'"') & (b != between);
    text.first().is_some_and(|&first| first.is_ascii_alphanumeric() || first == b'/')
        && escape::all(text, is_plain)
}

/// Appends a cell of a sheet.
fn sheet_cell(value: &Value<'_>, out: &mut Vec<u8>) {
    let kind = match value {
        Value::Number(_) => CellKind::Number,
        _ => CellKind::Text,
    };
    begin_cell(kind, out);
    value.write(out);
    end_cell(out);
}

/// Appends `text` in quotes. Inserts `escape` before each of the one or two bytes in `special`.
fn quoted(text: &[u8], escape: u8, special: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let (first, last) = (special[0], special[special.len() - 1]);
    let mut from = 0;
    for at in memchr::memchr2_iter(first, last, text) {
        out.extend_from_slice(&text[from..at]);
        out.push(escape);
        from = at;
    }
    out.extend_from_slice(&text[from..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{COUNTS, NAMES, REJECTS};

    const ROW: [Value<'static>; 7] = [
        Value::Bytes(b"a,b\n"),
        Value::Number(7),
        Value::Number(0),
        Value::Bytes(b"no-suffix"),
        Value::Bytes(b"10.1\\/\""),
        Value::Bytes(b""),
        Value::Bytes(b"page 3"),
    ];

    fn layout(format: OutputFormat) -> Layout {
        Layout { format, ..Layout::default() }
    }

    fn written(form: OutputFormat) -> String {
        let (mut rows, mut out) = (TextRows::new(layout(form), REJECTS), Vec::new());
        rows.header(&mut out);
        rows.push(&ROW, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let powers = (0..20).map(|n| 10_u64.pow(n));
        let edges = powers.flat_map(|n| [n - 1, n, n + 1]).chain([u64::MAX - 1, u64::MAX]);
        for number in edges {
            let mut out = b"x".to_vec();
            decimal(number, &mut out);
            assert_eq!(String::from_utf8(out).expect("digits"), format!("x{number}"));
        }
    }

    #[test]
    fn a_row_in_each_form() {
        let header = "input,line,offset,reason,raw,before,part\n";
        let csv = format!("{header}\"a,b\\x0A\",7,0,no-suffix,\"10.1\\/\"\"\",,page 3\n");
        assert_eq!(written(OutputFormat::Csv), csv);
        let tsv = "a,b\\x0A\t7\t0\tno-suffix\t10.1\\/\"\t\tpage 3\n";
        assert_eq!(written(OutputFormat::Tsv), header.replace(',', "\t") + tsv);
        assert_eq!(
            written(OutputFormat::Jsonl),
            "{\"input\":\"a,b\\\\x0A\",\"line\":7,\"offset\":0,\"reason\":\"no-suffix\",\
             \"raw\":\"10.1\\\\/\\\"\",\"before\":\"\",\"part\":\"page 3\"}\n"
        );
    }

    #[test]
    fn values_that_are_those_of_the_last_row_are_written_again() {
        for form in [
            OutputFormat::Lines,
            OutputFormat::Csv,
            OutputFormat::Tsv,
            OutputFormat::Jsonl,
            OutputFormat::Xlsx,
        ] {
            let (mut rows, mut out, mut expected) =
                (TextRows::new(layout(form), REJECTS), Vec::new(), Vec::new());
            rows.push(&ROW, &mut out);
            let mut same = Same::default();
            [0, 1, 4].into_iter().for_each(|column| same.set(column, true));
            let mut next = ROW;
            (next[2], next[3]) = (Value::Number(12), Value::Bytes(b"=x"));
            for row in [ROW, next, next] {
                TextRows::new(layout(form), REJECTS).push(&row, &mut expected);
            }
            (next[0], next[1], next[4]) = (Value::Number(0), Value::Number(0), Value::Number(0));
            rows.push_like_last(&next, same, &mut out);
            rows.push_like_last(&next, same, &mut out);
            assert_eq!(out, expected, "{form:?}");
        }
    }

    #[test]
    fn csv_has_the_delimiter_and_the_mark_that_a_spreadsheet_expects() {
        let csv = CsvStyle { delimiter: b';', has_mark: true };
        let layout = Layout { csv, ..layout(OutputFormat::Csv) };
        let (mut rows, mut out) = (TextRows::new(layout, COUNTS), Vec::new());
        rows.header(&mut out);
        rows.push(&[Value::Doi(b"10.1/A;B,"), Value::Number(7)], &mut out);
        let expected = "\u{feff}doi;count;inputs;input;offset;raw\n\"10.1/A;B,\";7\n";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }

    #[test]
    fn no_cell_of_a_table_is_a_formula() {
        let row = [
            Value::Bytes(b"=a,b"),
            Value::Number(7),
            Value::Number(0),
            Value::Bytes(b"'@x"),
            Value::Lower(b"-A"),
            Value::Bytes(b"-"),
        ];
        for (form, expected) in [
            (OutputFormat::Csv, "\"'=a,b\",7,0,''@x,'-a,-\n"),
            (OutputFormat::Tsv, "'=a,b\t7\t0\t''@x\t'-a\t-\n"),
            (
                OutputFormat::Jsonl,
                "{\"input\":\"=a,b\",\"line\":7,\"offset\":0,\"reason\":\"'@x\",\"raw\":\"-a\",\"before\":\"-\"}\n",
            ),
        ] {
            let (mut rows, mut out) = (TextRows::new(layout(form), REJECTS), Vec::new());
            rows.push(&row, &mut out);
            assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
        }
    }

    #[test]
    fn lines_have_the_name_alone() {
        let (mut rows, mut out) = (TextRows::new(Layout::default(), NAMES), Vec::new());
        rows.header(&mut out);
        rows.push(&[Value::Doi(b"10.1/A%2541")], &mut out);
        assert_eq!(out, b"10.1/A%2541\n");
        let mut rows = TextRows::new(Layout::default(), REJECTS);
        out.clear();
        rows.push(&ROW, &mut out);
        assert_eq!(out, b"a,b\\x0A\n");
    }
}
