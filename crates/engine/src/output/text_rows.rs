//! Rows as text.

use super::columns::Column;
use super::escape;
use super::layout::{CsvStyle, Layout, OutputFormat};
use super::xlsx::{CellKind, ROW_END, begin_cell, end_cell};

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

/// Appends a number in decimal digits, in a third of the instructions of `write!`.
fn decimal(mut number: u64, out: &mut Vec<u8>) {
    // The digits of `u64::MAX`.
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return out.extend_from_slice(&digits[at..]);
        }
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
}

impl TextRows {
    /// Creates a writer for rows with these columns. [`OutputFormat::Parquet`] is written elsewhere; here
    /// it produces JSON lines.
    pub fn new(layout: Layout, columns: &'static [Column]) -> Self {
        let Layout { format: form, csv, .. } = layout;
        TextRows { form, csv, columns, value: Vec::new() }
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
        debug_assert!(row.len() <= self.columns.len());
        match self.form {
            OutputFormat::Lines => row.iter().take(1).for_each(|value| value.write(out)),
            OutputFormat::Csv => self.separated(row, self.csv.delimiter, out),
            OutputFormat::Tsv => self.separated(row, b'\t', out),
            OutputFormat::Jsonl | OutputFormat::Parquet => self.object(row, out),
            OutputFormat::Xlsx => return cells(row, out),
        }
        out.push(b'\n');
    }

    fn separated(&mut self, row: &[Value<'_>], between: u8, out: &mut Vec<u8>) {
        for (index, value) in row.iter().enumerate() {
            if index > 0 {
                out.push(between);
            }
            let start = out.len();
            value.write(out);
            if matches!(value, Value::Number(_)) {
                continue;
            }
            if escape::is_formula(&out[start..]) {
                out.insert(start, b'\'');
            }
            if between != b'\t' && memchr::memchr2(between, b'"', &out[start..]).is_some() {
                self.value.clear();
                self.value.extend_from_slice(&out[start..]);
                out.truncate(start);
                quoted(&self.value, b'"', b"\"", out);
            }
        }
    }

    fn object(&mut self, row: &[Value<'_>], out: &mut Vec<u8>) {
        let mut before = b'{';
        for (value, column) in row.iter().zip(self.columns) {
            out.extend_from_slice(&[before, b'"']);
            out.extend_from_slice(column.name.as_bytes());
            out.extend_from_slice(b"\":");
            before = b',';
            if let Value::Number(_) = value {
                value.write(out);
                continue;
            }
            self.value.clear();
            value.write(&mut self.value);
            quoted(&self.value, b'\\', b"\"\\", out);
        }
        out.push(b'}');
    }
}

/// Appends the row of a sheet.
fn cells(row: &[Value<'_>], out: &mut Vec<u8>) {
    for value in row {
        let kind = match value {
            Value::Number(_) => CellKind::Number,
            _ => CellKind::Text,
        };
        begin_cell(kind, out);
        value.write(out);
        end_cell(out);
    }
    out.push(ROW_END);
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

    const ROW: [Value<'static>; 6] = [
        Value::Bytes(b"a,b\n"),
        Value::Number(7),
        Value::Number(0),
        Value::Bytes(b"no-suffix"),
        Value::Bytes(b"10.1\\/\""),
        Value::Bytes(b""),
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
        let header = "input,line,offset,reason,raw,before\n";
        let csv = format!("{header}\"a,b\\x0A\",7,0,no-suffix,\"10.1\\/\"\"\",\n");
        assert_eq!(written(OutputFormat::Csv), csv);
        let tsv = "a,b\\x0A\t7\t0\tno-suffix\t10.1\\/\"\t\n";
        assert_eq!(written(OutputFormat::Tsv), header.replace(',', "\t") + tsv);
        assert_eq!(
            written(OutputFormat::Jsonl),
            "{\"input\":\"a,b\\\\x0A\",\"line\":7,\"offset\":0,\"reason\":\"no-suffix\",\
             \"raw\":\"10.1\\\\/\\\"\",\"before\":\"\"}\n"
        );
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
