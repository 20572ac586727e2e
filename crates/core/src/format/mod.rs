//! Detects the notation of a file from its name and first bytes, and finds the cells of a table.
//! Pure.

mod cells;
mod columns;
mod content;
pub mod fields;
mod list;
mod marc;
mod quoting;
mod records;
mod transition;

#[cfg(test)]
mod cells_tests;

pub use cells::Cell;
pub use cells::LONGEST_QUOTED;
pub use cells::{Dialect, Inside, Place};
pub use columns::{ColumnError, Columns, Header, Naming};
pub use list::{Oddities, is_list};
pub use quoting::Quoting;
pub use transition::Transition;

use crate::scan::{Notation, Surroundings};
use alloc::string::String;

/// The delimiters of CSV, the most likely first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

crate::named! {
    /// The notation of the inputs as given by the user.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Format {
        /// Not given: detected for each input from its name and first bytes.
        #[default]
        Auto = "auto",
        /// CSV. The delimiter is detected from the first line.
        Csv = "csv",
        /// CSV with tabs as delimiters.
        Tsv = "tsv",
        /// Not tables, whatever their names.
        Text = "text",
        /// Lists of names, one a line.
        List = "list",
        /// They are mails, mailboxes or web archives, whose parts are decoded.
        Mail = "mail",
        /// They are pages in HTML.
        Html = "html",
        /// They are PDF files, of which addresses and metadata are read.
        Pdf = "pdf",
        /// They are programs.
        Code = "code",
        /// Library records: MARC 21, UNIMARC and PICA+, in files or as text.
        Marc = "marc",
    }
}

impl Format {
    /// The notation of the file `name` that begins with `head`. Of the name only the suffix matters, and a table needs
    /// none.
    ///
    /// Only CSV and lists need to be told apart: there a name fills its cell or line although no
    /// quotes surround it. All other decisions depend on the bytes near a candidate.
    pub fn notation(self, name: Option<&[u8]>, head: &[u8]) -> Notation {
        match (self, self.table(name, head)) {
            (Format::List, _) => Notation::List,
            (Format::Marc, _) => Notation::Marc,
            (_, Some(b'\n')) if is_doi_column(head) => Notation::Csv(b'\n'),
            (_, Some(b'\n')) => Notation::Unknown,
            (_, Some(delimiter)) => Notation::Csv(delimiter),
            (Format::Auto, None) if list::is_list(head) => Notation::List,
            (Format::Auto, None) if marc::is_marc(head) => Notation::Marc,
            (_, None) => Notation::Unknown,
        }
    }

    /// The delimiter of the table `name` that begins with `head`, or a line feed if each line is
    /// one cell. Returns `None` if it is not a table.
    pub fn table(self, name: Option<&[u8]>, head: &[u8]) -> Option<u8> {
        let may_be_table = || self == Format::Auto && !name.and_then(suffix).is_some_and(is_code);
        let found = self.named_table(name, head);
        found.or_else(|| may_be_table().then(|| content::table(head)).flatten())
    }

    /// Like [`table`](Format::table), if the format or the name says that it is a table.
    fn named_table(self, name: Option<&[u8]>, head: &[u8]) -> Option<u8> {
        match self {
            Format::Auto => by_name(name.and_then(suffix)?)?.named_table(name, head),
            Format::Csv => Some(delimiter(head).unwrap_or(b'\n')),
            Format::Tsv => Some(b'\t'),
            _ => None,
        }
    }

    /// What the running text is of the file `name`, whose text begins with `head`. Mail and PDF
    /// files are told before they are decoded.
    pub fn running(self, name: Option<&[u8]>, head: &[u8]) -> Surroundings {
        match self {
            Format::Auto if is_html(head) => Surroundings::Html,
            Format::Auto if name.and_then(suffix).is_some_and(is_code) => Surroundings::Code,
            Format::Mail => Surroundings::Mail,
            Format::Html => Surroundings::Html,
            Format::Pdf => Surroundings::Pdf,
            Format::Code => Surroundings::Code,
            _ => Surroundings::Text,
        }
    }
}

impl Header {
    /// The header of the table of this format and name that begins with `head` and whose columns `wanted` are searched. Its delimiter
    /// is that of its name or format, or of its first record if this names the columns. If the first record is a title, with other delimiters or none, it is one with
    /// which the table has the columns. A title may have as many cells as a number in `wanted` needs: then the records
    /// below it tell.
    pub fn of(table: (Format, Option<&[u8]>), head: &[u8], wanted: &[String]) -> Option<Header> {
        let (format, name) = table;
        let of = |delimiter| Header::of_table(Dialect::new(delimiter), head, wanted);
        let is_number = wanted.iter().all(|name| columns::is_number(name));
        let Some(first) = format.named_table(name, head) else {
            let delimiter = Format::Csv.table(None, head).filter(|_| format == Format::Auto)?;
            return Some(of(delimiter)).filter(|header| !is_number && header.has_all(wanted));
        };
        let found = of(first);
        if first == b'\t' || first == b'\n' && found.has_all(wanted) {
            return Some(found);
        }
        let has_all = found.has_all(wanted);
        if has_all && !is_number {
            return Some(found);
        }
        let (alike, others) = found.alike(head);
        let is_better = |header: &Header| {
            let (more, fewer) = header.alike(head);
            more > 0 && more >= alike && fewer < others
        };
        let is_likely = |other: &Header| {
            let is_regular = first == b'\n' && other.is_regular(head);
            other.names.0.len() > 1 && (is_regular || is_better(other))
        };
        let fits = |other: &Header| match other.has_all(wanted) {
            true => !has_all || is_better(other),
            // Without the columns, the header is only listed.
            false => !has_all && is_likely(other),
        };
        let rest = DELIMITERS.iter().filter(|&&delimiter| delimiter != first);
        let rest = rest.map(|&delimiter| of(delimiter)).filter(fits);
        let other = rest.min_by_key(|other| !other.has_all(wanted));
        Some(other.unwrap_or(found))
    }
}

/// Whether a page in HTML begins with `head`.
fn is_html(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins =
        |mark: &[u8]| text.len() > mark.len() && text[..mark.len()].eq_ignore_ascii_case(mark);
    begins(b"<!doctype html") || begins(b"<html")
}

/// Suffixes of the files of programs.
const CODE: [&str; 44] = [
    "bash", "bat", "c", "cc", "clj", "cpp", "cs", "dart", "el", "erl", "ex", "exs", "f90", "go",
    "h", "hpp", "hs", "java", "jl", "js", "jsx", "kt", "lua", "m", "mjs", "ml", "php", "pl", "pm",
    "ps1", "py", "pyi", "r", "rb", "rs", "scala", "sh", "sql", "swift", "ts", "tsx", "vb", "vue",
    "zsh",
];

/// The suffix of the name of a file, without the full stop.
fn suffix(name: &[u8]) -> Option<&[u8]> {
    let file = name.rsplit(|&b| b == b'/').next()?;
    let stop = file.iter().rposition(|&b| b == b'.').filter(|&at| at > 0)?;
    Some(&file[stop + 1..])
}

/// Whether files of programs have this suffix.
fn is_code(suffix: &[u8]) -> bool {
    CODE.iter().any(|known| suffix.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a table of one column that begins with `head` has the header `doi`, like `-o FILE.csv`.
fn is_doi_column(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let line = text.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii_end();
    let name = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    name.eq_ignore_ascii_case(b"doi")
}

/// The format suggested by the suffix of a file.
fn by_name(suffix: &[u8]) -> Option<Format> {
    let is = |known: &[u8]| suffix.eq_ignore_ascii_case(known);
    match () {
        () if is(b"csv") => Some(Format::Csv),
        () if is(b"tsv") || is(b"tab") => Some(Format::Tsv),
        () => None,
    }
}

/// The delimiter that occurs most often in the first record of `head`, outside quotes.
fn delimiter(head: &[u8]) -> Option<u8> {
    let mut counts = [0; DELIMITERS.len()];
    let mut quoted = false;
    for &byte in head.iter().skip_while(|&&byte| matches!(byte, b'\r' | b'\n')) {
        quoted ^= byte == b'"';
        if !quoted && byte == b'\n' {
            break;
        }
        if !quoted && let Some(which) = DELIMITERS.iter().position(|&d| d == byte) {
            counts[which] += 1;
        }
    }
    let best = (0..DELIMITERS.len()).rev().max_by_key(|&which| counts[which])?;
    (counts[best] > 0).then_some(DELIMITERS[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_by_its_name_and_first_line() {
        for (name, head, expected) in [
            ("a.csv", "id,doi,year\n1,2,3", Notation::Csv(b',')),
            ("a.CSV", "id;doi;\"x, y\"\n", Notation::Csv(b';')),
            ("a.csv", "id;\"x, y, z\";doi\n", Notation::Csv(b';')),
            ("a.csv", "id\tdoi\n", Notation::Csv(b'\t')),
            ("a.csv", "\r\n\nid;doi\n", Notation::Csv(b';')),
            ("a.csv", "\n\tdoi\n", Notation::Csv(b'\t')),
            ("a.csv", "\"i\nd\";doi\na,,b", Notation::Csv(b';')),
            ("a.csv", "doi\n10.1000/a,b\n", Notation::Csv(b'\n')),
            ("a.csv", "\u{feff}\"DOI\"\r\n10.1000/a", Notation::Csv(b'\n')),
            ("a.csv", "title\n10.1000/a,b\n", Notation::Unknown),
            ("a.tsv", "", Notation::Csv(b'\t')),
            ("a.txt", "id,doi\n", Notation::Unknown),
            ("csv", "id,doi\n", Notation::Unknown),
            (".csv", "id,doi\n", Notation::Unknown),
            ("a.csv/x", "id,doi\n", Notation::Unknown),
            ("a.x/.b.csv", "id,doi\n", Notation::Csv(b',')),
        ] {
            assert_eq!(
                Format::Auto.notation(Some(name.as_bytes()), head.as_bytes()),
                expected,
                "{name}"
            );
        }
        assert_eq!(Format::Auto.notation(None, b"id,doi\n"), Notation::Unknown);
        assert_eq!(Format::Auto.notation(Some(b"a.txt"), b"10.1000/A\n"), Notation::List);
        assert_eq!(Format::Auto.notation(Some(b"a.txt"), b"10.1000/A.\n"), Notation::Unknown);
        assert_eq!(Format::Auto.notation(Some(b"a.csv"), b"10.1000/A\n"), Notation::Unknown);
    }

    #[test]
    fn the_records_below_a_title_tell_the_delimiter() {
        for (head, wanted, delimiter, names) in [
            ("Export, 2024\nid;doi\n1;10.1000/1\n", "2", b';', "id doi"),
            (
                "Export, 2024\nid;doi;by\n1;10.1000/1;A, B\n2;10.1000/2;C, D\n",
                "2",
                b';',
                "id doi by",
            ),
            ("Export, 2024\nid;doi\n1;10.1000/1\n", "doi", b';', "id doi"),
            ("Export of 2024\nid|doi\n1|10.1000/1\n", "2", b'|', "id doi"),
            ("id,doi\n1,10.1000/1;2\n2,10.1000/3;4\n", "2", b',', "id doi"),
            // Some records have fewer cells, and others another delimiter.
            ("id,doi\n1,10.1000/1;2\n2\n3,10.1000/3\n", "2", b',', "id doi"),
            ("id,doi\n", "2", b',', "id doi"),
            ("doi\n10.1000/a,b\n10.1000/c,d\n", "1", b'\n', "doi"),
            // A header that is only listed.
            ("Export, 2024\nid;doi\n1;10.1000/1\n", "DI", b';', "id doi"),
            ("Export\n\nid,doi\n1,10.1000/1\n", "DI", b',', "id doi"),
            ("Export,,\nid,doi,\n1,10.1000/1,x\n", "DI", b',', "id doi "),
            (",name,year\n0,Jo,2024\n", "DI", b',', " name year"),
            ("title\nOf cats\nOf dogs, and of cats\n", "DI", b'\n', "title"),
        ] {
            let header = Header::of((Format::Csv, None), head.as_bytes(), &[wanted.to_owned()]);
            let header = header.expect("a table");
            let found = (header.dialect.delimiter, header.names.0.join(" "));
            assert_eq!(found, (delimiter, names.to_owned()), "{head}");
        }
    }

    #[test]
    fn running_text_is_told_by_first_bytes_and_suffix() {
        let (page, program) = (Some(&b"a.txt"[..]), Some(&b"a.PY"[..]));
        for (format, path, head, expected) in [
            (Format::Auto, page, "\u{feff}\n<!DOCTYPE html>\n", Surroundings::Html),
            (Format::Auto, page, "<HTML lang=en>", Surroundings::Html),
            (Format::Auto, page, "<htm", Surroundings::Text),
            (Format::Auto, program, "import re", Surroundings::Code),
            (Format::Auto, None, "import re", Surroundings::Text),
            (Format::Text, program, "<html>", Surroundings::Text),
            (Format::Code, page, "<html>", Surroundings::Code),
            (Format::Html, page, "text", Surroundings::Html),
            (Format::Mail, page, "text", Surroundings::Mail),
            (Format::Pdf, page, "text", Surroundings::Pdf),
        ] {
            assert_eq!(format.running(path, head.as_bytes()), expected, "{format:?} {head}");
        }
    }

    #[test]
    fn what_the_user_says_goes_before_the_name() {
        let csv = Some(&b"a.csv"[..]);
        for (format, path, head, expected, table) in [
            (Format::Auto, csv, "a;b\n", Notation::Csv(b';'), Some(b';')),
            (Format::Auto, csv, "a\n", Notation::Unknown, Some(b'\n')),
            (Format::Auto, None, "a,b\n", Notation::Unknown, None),
            (Format::Csv, None, "a|b\n", Notation::Csv(b'|'), Some(b'|')),
            (Format::Csv, None, "a\n", Notation::Unknown, Some(b'\n')),
            (Format::Tsv, csv, "a,b\n", Notation::Csv(b'\t'), Some(b'\t')),
            (Format::Text, csv, "a,b\n", Notation::Unknown, None),
            (Format::Text, None, "10.1000/A\n", Notation::Unknown, None),
            (Format::List, csv, "a,b\n", Notation::List, None),
        ] {
            assert_eq!(format.notation(path, head.as_bytes()), expected, "{format:?} {head}");
            assert_eq!(format.table(path, head.as_bytes()), table, "{format:?} {head}");
        }
    }
}
