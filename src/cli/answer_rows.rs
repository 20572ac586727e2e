//! Writes the rows of `check` and `convert`: a value or its record, followed by the answer.

use doiscan_engine::InputCell;
use doiscan_engine::output::escape::is_formula;
use doiscan_engine::output::xlsx::{CellKind, ROW_END, begin_cell, end_cell};
use doiscan_engine::output::{CsvStyle, Layout, OutputFormat, needs_escape};
use std::borrow::Cow;

/// A column of an answer.
#[derive(Clone, Debug)]
pub(in crate::cli) enum Cell<'a> {
    Null,
    Bool(bool),
    Number(u64),
    Text(Cow<'a, [u8]>),
    /// Separated by commas; an array in JSON.
    List(Vec<Cow<'a, [u8]>>),
}

/// The beginning of a row.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) enum Origin<'a> {
    /// The value.
    Value(&'a [u8]),
    /// A value already written by [`RowWriter::begin`] and [`RowWriter::part`].
    Written,
    /// The record that contains the value, and the names of its columns.
    Record(&'a [InputCell<'a>], &'a [String]),
    /// The JSON object that contains the value.
    Object(&'a [u8]),
}

#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct RowWriter {
    /// Any but Parquet.
    pub(in crate::cli) form: OutputFormat,
    pub(in crate::cli) has_header: bool,
    /// Whether rows begin with all columns of the input.
    pub(in crate::cli) is_kept: bool,
    /// The columns of the answer.
    pub(in crate::cli) names: &'static [&'static str],
    /// Whether rows end with the file and the line of the value.
    pub(in crate::cli) has_places: bool,
    /// The delimiter of CSV, if one is given, and whether a byte order mark is.
    pub(in crate::cli) delimiter: Option<u8>,
    pub(in crate::cli) has_mark: bool,
}

impl RowWriter {
    /// The writer of rows whose input is a table of this style, which they keep with its columns.
    pub(in crate::cli) fn of(self, table: CsvStyle) -> RowWriter {
        let delimiter = self.delimiter.or(self.is_kept.then_some(table.delimiter));
        RowWriter { delimiter, has_mark: self.has_mark || self.is_kept && table.has_mark, ..self }
    }

    /// The layout of the file of rows.
    pub(in crate::cli) fn layout(&self) -> Layout {
        let format = match self.form {
            OutputFormat::Xlsx => OutputFormat::Xlsx,
            _ => OutputFormat::default(),
        };
        Layout { format, ..Layout::default() }
    }

    /// Appends the header, if there is one. `kept` are the columns of the input.
    pub(in crate::cli) fn header(&self, kept: &[String], out: &mut Vec<u8>) {
        let delimiter = self.delimiter();
        if self.form == OutputFormat::Csv {
            CsvStyle { delimiter, has_mark: self.has_mark }.mark(out);
        }
        if !self.has_header || self.is_kept && kept.is_empty() {
            return;
        }
        let input = ["input".to_owned()];
        let first = if self.is_kept { kept } else { &input };
        let names = first.iter().map(String::as_str).chain(self.answer_names());
        for (index, name) in names.enumerate() {
            self.between(index, out);
            match self.form {
                OutputFormat::Xlsx => sheet_cell(CellKind::Head, name.as_bytes(), out),
                _ => self.text(name.as_bytes(), out),
            }
        }
        self.end_row(out);
    }

    /// Appends a row. In JSON, named cells follow the columns.
    pub(in crate::cli) fn row(
        &self,
        origin: Origin<'_>,
        answer: &[Cell<'_>],
        more: &[(&str, Cell<'_>)],
        out: &mut Vec<u8>,
    ) {
        match self.form {
            OutputFormat::Lines | OutputFormat::Parquet => {
                answer.iter().take(1).for_each(|cell| self.cell(cell, out))
            }
            OutputFormat::Jsonl => self.object(origin, answer, more, out),
            OutputFormat::Tsv | OutputFormat::Csv | OutputFormat::Xlsx => {
                self.columns(origin, answer, out)
            }
        }
        self.end_row(out);
    }

    /// The names of the columns of an answer.
    fn answer_names<'n>(&self) -> impl Iterator<Item = &'n str> {
        let places = match (self.has_places, self.is_kept) {
            (false, _) => &[][..],
            (true, false) => &["file", "line"],
            (true, true) => &["check_file", "check_line"],
        };
        self.names.iter().chain(places).map(|name| -> &'n str { name })
    }

    fn end_row(&self, out: &mut Vec<u8>) {
        out.push(if self.form == OutputFormat::Xlsx { ROW_END } else { b'\n' });
    }

    /// Appends the beginning of a row whose value arrives in parts, of which `first` is the first.
    pub(in crate::cli) fn begin(&self, first: &[u8], out: &mut Vec<u8>) {
        match self.form {
            OutputFormat::Jsonl => out.extend_from_slice(b"{\"input\":\""),
            OutputFormat::Csv => out.push(b'"'),
            OutputFormat::Xlsx => begin_cell(CellKind::Text, out),
            OutputFormat::Lines | OutputFormat::Tsv | OutputFormat::Parquet => {}
        }
        self.guard(first, out);
    }

    /// Appends a part of a value.
    pub(in crate::cli) fn part(&self, bytes: &[u8], out: &mut Vec<u8>) {
        match self.form {
            OutputFormat::Jsonl => json_text(bytes, out),
            OutputFormat::Csv => doubled(bytes, out),
            OutputFormat::Tsv => tsv_text(bytes, out),
            OutputFormat::Xlsx => out.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes()),
            OutputFormat::Lines | OutputFormat::Parquet => {}
        }
    }

    fn columns(&self, origin: Origin<'_>, answer: &[Cell<'_>], out: &mut Vec<u8>) {
        let (mut left, mut index): (&[InputCell<'_>], usize) = (&[], 1);
        match origin {
            Origin::Value(value) | Origin::Object(value) => self.text(value, out),
            Origin::Written => match self.form {
                OutputFormat::Csv => out.push(b'"'),
                OutputFormat::Xlsx => end_cell(out),
                _ => {}
            },
            Origin::Record(cells, names) => {
                index = if names.is_empty() { cells.len() } else { names.len() };
                for at in 0..index {
                    self.between(at, out);
                    self.kept(cells.get(at), out);
                }
                // Cells without a column in the header follow the answer.
                left = cells.get(index..).unwrap_or_default();
            }
        }
        for cell in answer {
            self.between(index, out);
            index += 1;
            self.cell(cell, out);
        }
        for cell in left {
            self.between(index, out);
            self.kept(Some(cell), out);
        }
    }

    /// Appends a column of the input, which is blank if its record has no such cell.
    fn kept(&self, cell: Option<&InputCell<'_>>, out: &mut Vec<u8>) {
        match cell {
            Some(cell) if cell.is_number && self.form == OutputFormat::Xlsx => {
                sheet_cell(CellKind::Number, &cell.text, out);
            }
            _ => self.text(cell.map_or(&[], |cell| &cell.text), out),
        }
    }

    fn object(
        &self,
        origin: Origin<'_>,
        answer: &[Cell<'_>],
        more: &[(&str, Cell<'_>)],
        out: &mut Vec<u8>,
    ) {
        let mut is_first = false;
        match origin {
            Origin::Value(value) => {
                out.extend_from_slice(b"{\"input\":");
                json_string(value, out);
            }
            Origin::Written => out.push(b'"'),
            Origin::Record(cells, names) => {
                out.push(b'{');
                is_first = cells.is_empty();
                for (index, cell) in cells.iter().enumerate() {
                    self.between(index, out);
                    let number = (index + 1).to_string();
                    json_string(names.get(index).unwrap_or(&number).as_bytes(), out);
                    out.push(b':');
                    json_string(&cell.text, out);
                }
            }
            Origin::Object(object) => {
                let open = object.trim_ascii_end();
                let open = open.strip_suffix(b"}").unwrap_or(open).trim_ascii_end();
                out.extend_from_slice(open);
                is_first = open.ends_with(b"{");
            }
        }
        let columns = self.answer_names().zip(answer);
        for (name, cell) in columns.chain(more.iter().map(|(name, cell)| (*name, cell))) {
            self.between(usize::from(!std::mem::take(&mut is_first)), out);
            json_string(name.as_bytes(), out);
            out.push(b':');
            json_cell(cell, out);
        }
        out.push(b'}');
    }

    fn delimiter(&self) -> u8 {
        self.delimiter.unwrap_or(CsvStyle::default().delimiter)
    }

    fn between(&self, index: usize, out: &mut Vec<u8>) {
        match self.form {
            _ if index == 0 => {}
            OutputFormat::Xlsx => {}
            OutputFormat::Tsv => out.push(b'\t'),
            OutputFormat::Csv => out.push(self.delimiter()),
            _ => out.push(b','),
        }
    }

    fn cell(&self, cell: &Cell<'_>, out: &mut Vec<u8>) {
        match cell {
            Cell::Null if self.form == OutputFormat::Xlsx => self.text(b"", out),
            Cell::Null => {}
            Cell::Bool(is_so) if self.form == OutputFormat::Xlsx => {
                sheet_cell(CellKind::Bool, is_so.to_string().as_bytes(), out);
            }
            Cell::Bool(is_so) => out.extend_from_slice(if *is_so { b"true" } else { b"false" }),
            Cell::Number(number) if self.form == OutputFormat::Xlsx => {
                sheet_cell(CellKind::Number, number.to_string().as_bytes(), out);
            }
            Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Cell::Text(text) => self.text(text, out),
            Cell::List(items) => self.text(&items.join(&b','), out),
        }
    }

    /// Appends an apostrophe if `text` begins as a formula and is written to a table.
    fn guard(&self, text: &[u8], out: &mut Vec<u8>) {
        let is_escaped = || text.iter().find(|&&b| b != b'\'').is_some_and(u8::is_ascii_control);
        let is_table = match self.form {
            OutputFormat::Csv => true,
            OutputFormat::Tsv => !is_escaped(),
            _ => false,
        };
        if is_table && is_formula(text) {
            out.push(b'\'');
        }
    }

    /// Appends text as one column.
    fn text(&self, text: &[u8], out: &mut Vec<u8>) {
        make_room(text, out);
        match self.form {
            OutputFormat::Tsv => {
                self.guard(text, out);
                tsv_text(text, out);
            }
            OutputFormat::Xlsx => sheet_cell(CellKind::Text, text, out),
            OutputFormat::Csv
                if text.iter().any(|b| [self.delimiter(), b'"', b'\r', b'\n'].contains(b)) =>
            {
                out.push(b'"');
                self.guard(text, out);
                doubled(text, out);
                out.push(b'"');
            }
            _ => {
                self.guard(text, out);
                out.extend_from_slice(text);
            }
        }
    }
}

/// Makes room for a long text with its escapes, and the answer after it. A buffer that grows to its double would hold the
/// text twice.
fn make_room(text: &[u8], out: &mut Vec<u8>) {
    const ANSWER: usize = 4096;
    if text.len() > out.len() {
        let is_escaped = |b: &&u8| matches!(**b, b'\t' | b'\r' | b'\n' | b'"' | b'\\');
        out.reserve_exact(text.len() + text.iter().filter(is_escaped).count() + ANSWER);
    }
}

/// Appends a cell of a sheet. Invalid UTF-8 becomes U+FFFD.
fn sheet_cell(kind: CellKind, text: &[u8], out: &mut Vec<u8>) {
    begin_cell(kind, out);
    out.extend_from_slice(String::from_utf8_lossy(text).as_bytes());
    end_cell(out);
}

/// Appends text with each quote doubled.
fn doubled(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        out.extend_from_slice(if byte == b'"' { b"\"\"" } else { std::slice::from_ref(&byte) });
    }
}

/// Appends a column of TSV. Escapes tabs and line ends, which would begin a new column or row.
fn tsv_text(value: &[u8], out: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(at) = memchr::memchr3(b'\t', b'\r', b'\n', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(match rest[at] {
            b'\t' => b"\\t",
            b'\r' => b"\\r",
            _ => b"\\n",
        });
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

fn json_cell(cell: &Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Null => out.extend_from_slice(b"null"),
        Cell::Bool(is_so) => out.extend_from_slice(if *is_so { b"true" } else { b"false" }),
        Cell::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Cell::Text(text) => json_string(text, out),
        Cell::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                out.extend_from_slice(if index > 0 { b"," } else { b"" });
                json_string(item, out);
            }
            out.push(b']');
        }
    }
}

fn json_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    json_text(text, out);
    out.push(b'"');
}

/// Appends the content of a JSON string. Invalid UTF-8 becomes U+FFFD.
fn json_text(value: &[u8], out: &mut Vec<u8>) {
    make_room(value, out);
    let is_plain = |b: &u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\');
    if value.iter().all(is_plain) {
        return out.extend_from_slice(value);
    }
    for c in String::from_utf8_lossy(value).chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            // All have four hexadecimal digits.
            c if needs_escape(c) => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: [Cell<'static>; 3] =
        [Cell::Bool(true), Cell::Null, Cell::Text(Cow::Borrowed(b"a,\"b\"\tc\n"))];

    fn writer(form: OutputFormat, is_kept: bool) -> RowWriter {
        let names = &["valid", "doi", "reason"];
        let (has_header, has_places, delimiter, has_mark) = (true, false, None, false);
        RowWriter { form, has_header, is_kept, names, has_places, delimiter, has_mark }
    }

    fn row(form: OutputFormat, origin: Origin<'_>) -> String {
        let mut out = Vec::new();
        let more = [("dois", Cell::List(vec![Cow::Borrowed(b"x"), Cow::Borrowed(b"y")]))];
        let is_kept = matches!(origin, Origin::Record(..) | Origin::Object(_));
        writer(form, is_kept).row(origin, &ANSWER, &more, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn a_row_in_each_form() {
        use OutputFormat::{Csv, Jsonl, Lines, Tsv};
        let cell = |text| InputCell { text: Cow::Borrowed(text), is_number: false };
        let cells = [cell(&b"1\n2"[..]), cell(b"b"), cell(b"c")];
        let names = ["id".to_owned(), "x".to_owned()];
        let record = Origin::Record(&cells, &names);
        let answer = "\"valid\":true,\"doi\":null,\"reason\":\"a,\\\"b\\\"\\tc\\n\",\"dois\":[\"x\",\"y\"]}\n";
        for (form, origin, expected) in [
            (Lines, Origin::Value(b"v"), "true\n".to_owned()),
            (Tsv, Origin::Value(b"v\r"), "v\\r\ttrue\t\ta,\"b\"\\tc\\n\n".to_owned()),
            (Csv, Origin::Value(b"v,"), "\"v,\",true,,\"a,\"\"b\"\"\tc\n\"\n".to_owned()),
            (Jsonl, Origin::Value(b"v\xe9"), format!("{{\"input\":\"v\u{fffd}\",{answer}")),
            (Csv, record, "\"1\n2\",b,true,,\"a,\"\"b\"\"\tc\n\",c\n".to_owned()),
            (
                Csv,
                Origin::Record(&cells[..1], &names),
                "\"1\n2\",,true,,\"a,\"\"b\"\"\tc\n\"\n".to_owned(),
            ),
            (Tsv, Origin::Record(&cells, &[]), "1\\n2\tb\tc\ttrue\t\ta,\"b\"\\tc\\n\n".to_owned()),
            (Csv, Origin::Value(b"=1,2"), "\"'=1,2\",true,,\"a,\"\"b\"\"\tc\n\"\n".to_owned()),
            (Tsv, Origin::Value(b"@1"), "'@1\ttrue\t\ta,\"b\"\\tc\\n\n".to_owned()),
            (Jsonl, Origin::Value(b"=1"), format!("{{\"input\":\"=1\",{answer}")),
            (Jsonl, record, format!("{{\"id\":\"1\\n2\",\"x\":\"b\",\"3\":\"c\",{answer}")),
            (Jsonl, Origin::Object(b"{ \"a\": {} } "), format!("{{ \"a\": {{}},{answer}")),
            (Jsonl, Origin::Object(b"{}"), format!("{{{answer}")),
        ] {
            assert_eq!(row(form, origin), expected, "{form:?} {origin:?}");
        }
    }

    #[test]
    fn a_long_value_is_in_memory_once() {
        let value = "é\ty\"".repeat(20_000);
        for form in [OutputFormat::Csv, OutputFormat::Tsv, OutputFormat::Jsonl] {
            let mut out = Vec::new();
            writer(form, false).row(Origin::Value(value.as_bytes()), &ANSWER, &[], &mut out);
            assert!(out.capacity() <= value.len() / 5 * 7 + 8192, "{form:?} {}", out.capacity());
        }
    }

    #[test]
    fn headers() {
        let kept = ["a,b".to_owned(), "c".to_owned()];
        for (form, is_kept, kept, expected) in [
            (OutputFormat::Csv, false, &kept[..], "input,valid,doi,reason\n"),
            (OutputFormat::Csv, true, &kept, "\"a,b\",c,valid,doi,reason\n"),
            (OutputFormat::Tsv, true, &[], ""),
        ] {
            let mut out = Vec::new();
            writer(form, is_kept).header(kept, &mut out);
            assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
        }
    }

    #[test]
    fn a_value_in_parts_is_one_column() {
        for (form, expected) in [
            (OutputFormat::Tsv, "a\\t\"b\ttrue\n"),
            (OutputFormat::Csv, "\"a\t\"\"b\",true\n"),
            (OutputFormat::Jsonl, "{\"input\":\"a\\t\\\"b\",\"valid\":true}\n"),
        ] {
            let (writer, mut out) = (writer(form, false), Vec::new());
            writer.begin(b"a\t", &mut out);
            writer.part(b"a\t", &mut out);
            writer.part(b"\"b", &mut out);
            writer.row(Origin::Written, &ANSWER[..1], &[], &mut out);
            assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
        }
    }
}
