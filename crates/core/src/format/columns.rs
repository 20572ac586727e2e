//! Selects the columns of a table to search, by name or by number from 1.

use super::cells::{Cell, Dialect, Inside, LONGEST_QUOTED, Place};
use super::quoting::Quoting;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::ops::Range;

/// Maximum number of bytes of the first record.
const LONGEST_HEADER: usize = 1024 * 1024;

/// Maximum number of records in front of the header.
const TITLES: usize = 20;

/// Maximum number of columns listed in a message.
const LISTED: usize = 40;

/// Maximum number of characters of a column name shown in a message.
const SHOWN: usize = 60;

/// Number of records after the header that show whether all records have as many cells as it.
const REGULAR: usize = 100;

/// The columns of one input to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    dialect: Dialect,
    /// One flag per column, from 0. The last flag is always true.
    chosen: Vec<bool>,
    /// Where the header ends.
    header: usize,
    /// Number of cells of each record, if the first records have as many as the header.
    width: Option<usize>,
}

/// The reason why the requested columns cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// The input is not known to be a table.
    #[error(
        "cannot select columns: neither the file name nor a header indicates CSV or TSV; leave the input out, or set --format csv or tsv"
    )]
    NotATable,
    /// The first record has no such column.
    #[error("no column {wanted}; {listing}")]
    Unknown {
        /// The request: a number as it is, or a name in quotes.
        wanted: String,
        /// The existing columns.
        listing: String,
    },
    /// It is not known to have records with fields.
    #[error(
        "has no fields that are known; expected a bibliography, a table or a document, such as BibTeX, RIS, CSV, JSON or XML"
    )]
    NoRecords,
    /// The first record is too long.
    #[error("no column names: the first record is longer than 1 MiB")]
    LongHeader,
}

impl Columns {
    /// Number of first bytes of an input that [`Columns::choose`] needs, if the input has that
    /// many.
    pub const HEAD: usize = LONGEST_HEADER + LONGEST_QUOTED + 2;

    /// Selects the columns `wanted` of the table that begins with `head` and has this header.
    ///
    /// A number selects a column if the header has one of that
    /// number. Anything else is a name. It selects every column with exactly that name, or, if there is none, every column
    /// whose name matches case-insensitively, with blanks for line breaks.
    ///
    /// # Errors
    ///
    /// Fails if one of them is missing.
    pub fn choose(wanted: &[String], header: &Header, head: &[u8]) -> Result<Self, ColumnError> {
        let Header { dialect, ref names, end, .. } = *header;
        if dialect.first_record(head).len() > LONGEST_HEADER {
            return Err(ColumnError::LongHeader);
        }
        let mut chosen = Vec::new();
        for name in wanted {
            for column in header.find(name)? {
                chosen.resize(chosen.len().max(column + 1), false);
                chosen[column] = true;
            }
        }
        let width = header.is_regular(head).then_some(names.0.len());
        Ok(Columns { dialect, chosen, header: end, width })
    }

    /// Selects the columns of the table that begins with `head` whose names satisfy `is_wanted`. If
    /// `wanted` is not empty, the columns must also be among those. Returns `None` if there is no
    /// such column.
    pub fn named(
        wanted: &[String],
        dialect: Dialect,
        head: &[u8],
        is_wanted: fn(&[u8]) -> bool,
    ) -> Option<Self> {
        let record = dialect.first_record(head);
        if record.len() > LONGEST_HEADER {
            return None;
        }
        let names = Naming(names(record, dialect.delimiter));
        let among: Vec<_> = wanted.iter().filter_map(|name| names.find(name).ok()).collect();
        let is_chosen = |column: &usize| {
            wanted.is_empty() || among.iter().any(|columns| columns.contains(column))
        };
        let columns = names.0.iter().enumerate();
        let chosen: Vec<bool> = columns
            .map(|(column, name)| is_wanted(name.as_bytes()) && is_chosen(&column))
            .collect();
        let last = chosen.iter().rposition(|&is_chosen| is_chosen)?;
        let chosen = chosen[..=last].to_vec();
        Some(Columns { dialect, chosen, header: 0, width: None })
    }

    /// How cells are separated.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Where the header ends.
    pub fn header(&self) -> usize {
        self.header
    }

    /// Whether a table that ends at `end`, the place after its last byte, ends within a record: all its first records
    /// have as many cells as the header, and the last has fewer. A line end must not precede the place.
    pub fn is_cut_at(&self, end: Place) -> bool {
        self.width.is_some_and(|width| end.inside == Inside::Unquoted && end.column + 1 < width)
    }

    /// Like [`Dialect::cells`], for the cells of these columns only.
    pub fn cells(
        &self,
        bytes: &[u8],
        starts: Range<usize>,
        place: Place,
        mut found: impl FnMut(Cell),
    ) -> Quoting {
        let last = self.chosen.len().saturating_sub(1);
        self.dialect.cells(bytes, starts, place, last, &mut |cell: Cell| {
            if self.chosen.get(cell.column) == Some(&true) {
                found(cell);
            }
        })
    }
}

/// Returns the cells of a record as text.
fn names(record: &[u8], delimiter: u8) -> Vec<String> {
    let mut text = vec![0; record.len()];
    let mut ends = vec![0; record.iter().filter(|&&b| b == delimiter).count() + 1];
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let (_, _, len, count) = reader.read_record(record, &mut text, &mut ends);
    // The end of the input ends the last cell.
    let (.., last) = reader.read_record(&[], &mut text[len..], &mut ends[count..]);
    let ends = &ends[..count + last];
    let begins = core::iter::once(0).chain(ends.iter().copied());
    let cells = begins.zip(ends).map(|(begin, &end)| &text[begin..end]);
    cells.map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
}

/// The column names, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming(pub Vec<String>);

/// The header of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// How cells are separated.
    pub dialect: Dialect,
    /// The names of the columns.
    pub names: Naming,
    /// Where it ends, without its line end.
    pub end: usize,
    /// The line of a record below it that has the columns.
    below: Option<usize>,
}

impl Header {
    /// Finds the header of the table that begins with `head`. It is the first
    /// record. If this has not the columns `wanted`, it may be a title, or the `sep=;` of Excel. Then the header is the first
    /// record among the first 20 that has the columns, fills more cells than all records above it, and holds no DOI. If
    /// numbers alone are wanted, the records above it fill one cell at most, because any long record has these columns. If no
    /// record has them, it is the first that fills more than half as many cells as any other, for the message.
    pub fn of_table(dialect: Dialect, head: &[u8], wanted: &[String]) -> Header {
        let first = dialect.first_record(head);
        let begin = first.as_ptr() as usize - head.as_ptr() as usize;
        let of = |record: Range<usize>| Header {
            dialect,
            names: Naming(names(&head[record.clone()], dialect.delimiter)),
            end: record.end,
            below: None,
        };
        let found = of(begin..begin + first.len());
        if found.has_all(wanted) {
            return found;
        }
        let has_name = !wanted.iter().all(|name| is_number(name));
        let records = dialect.records(&head[begin..]).take(TITLES);
        let records: Vec<_> = records
            .map(|record| (begin + record.start, of(begin + record.start..begin + record.end)))
            .collect();
        let (mut most, mut below) = (1, None);
        for (start, record) in &records {
            let filled = record.filled();
            let is_header = (has_name || most == 1) && record.has_all(wanted) && !record.has_doi();
            if is_header && filled > most {
                return record.clone();
            }
            if is_header && has_name && below.is_none() {
                let lines = head[..*start].iter().filter(|byte| **byte == b'\n');
                below = Some(lines.count() + 1);
            }
            most = most.max(filled);
        }
        let is_likely = |record: &Header| {
            2 * record.filled() > most && !record.has_all(wanted) && !record.has_doi()
        };
        let likely = records.into_iter().map(|(_, record)| record).find(is_likely);
        Header { below, ..likely.unwrap_or(found) }
    }

    /// Returns the indices, from 0, of the columns that `wanted` selects; see [`Columns::choose`].
    ///
    /// # Errors
    ///
    /// Fails if there is none. The error names a line below that may be the header.
    pub fn find(&self, wanted: &str) -> Result<Vec<usize>, ColumnError> {
        self.names.find(wanted).map_err(|mut error| {
            if let (ColumnError::Unknown { listing, .. }, Some(line)) = (&mut error, self.below) {
                let note = "has such a cell; if it is the header, remove the lines above it";
                // Writing to a String cannot fail.
                let _ = write!(listing, "; line {line} {note}");
            }
            error
        })
    }

    /// Number of cells that are not blank.
    fn filled(&self) -> usize {
        self.names.0.iter().filter(|name| !name.trim().is_empty()).count()
    }

    /// Whether a cell may hold a DOI.
    fn has_doi(&self) -> bool {
        self.names.0.iter().any(|name| name.contains("10."))
    }

    /// Whether the table has the columns `wanted`.
    pub(super) fn has_all(&self, wanted: &[String]) -> bool {
        wanted.iter().all(|name| self.names.find(name).is_ok())
    }

    /// Number of the first records that have as many cells as the header, and of those that have not. The last record of `head`,
    /// which may be cut, is neither.
    pub(super) fn alike(&self, head: &[u8]) -> (usize, usize) {
        let rest = head.get(self.end..).unwrap_or_default();
        let whole = self.dialect.records(rest).filter(|record| record.end < rest.len());
        let is_alike =
            |record: Range<usize>| self.dialect.split(&rest[record]).count() == self.names.0.len();
        whole.take(REGULAR).fold((0, 0), |(alike, others), record| match is_alike(record) {
            true => (alike + 1, others),
            false => (alike, others + 1),
        })
    }

    /// Whether the first records have as many cells as the header.
    pub(super) fn is_regular(&self, head: &[u8]) -> bool {
        let (alike, others) = self.alike(head);
        alike > 0 && others == 0
    }
}

impl Naming {
    /// Returns the indices, from 0, of the columns that `wanted` selects; see [`Columns::choose`].
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn find(&self, wanted: &str) -> Result<Vec<usize>, ColumnError> {
        find(wanted, &self.0).ok_or_else(|| unknown(wanted, &self.0))
    }
}

/// Returns the indices of the columns that `wanted` selects.
fn find(wanted: &str, names: &[String]) -> Option<Vec<usize>> {
    if let Some(index) = wanted.parse::<usize>().ok().and_then(|n| n.checked_sub(1))
        && index < names.len()
    {
        return Some(vec![index]);
    }
    let all = |is_it: &dyn Fn(&str) -> bool| -> Option<Vec<usize>> {
        let found: Vec<usize> = (0..names.len()).filter(|&i| is_it(&names[i])).collect();
        (!found.is_empty()).then_some(found)
    };
    let plain =
        |name: &str| name.trim().to_lowercase().replace("\r\n", "\n").replace(['\r', '\n'], " ");
    let lower = plain(wanted);
    all(&|name| name == wanted).or_else(|| all(&|name| plain(name) == lower))
}

/// Whether a column is given by its number.
pub(super) fn is_number(wanted: &str) -> bool {
    !wanted.is_empty() && wanted.bytes().all(|b| b.is_ascii_digit())
}

fn unknown(wanted: &str, names: &[String]) -> ColumnError {
    let mut listing = listing(names);
    // The letter of a spreadsheet.
    if wanted.len() <= 2 && wanted.bytes().all(|b| b.is_ascii_uppercase()) {
        listing.push_str("; without a name, give its number, from 1");
    }
    let wanted = if is_number(wanted) { wanted.to_owned() } else { format!("\"{wanted}\"") };
    ColumnError::Unknown { wanted, listing }
}

/// `it has: id, doi, year`.
fn listing(names: &[String]) -> String {
    if names.is_empty() {
        return "it is empty".to_owned();
    }
    let mut text = String::from("it has: ");
    for (index, name) in names.iter().take(LISTED).enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        match name.char_indices().nth(SHOWN) {
            Some((cut, _)) => text.extend([&name[..cut], "…"]),
            None => text.push_str(name),
        }
    }
    if names.len() > LISTED {
        // Writing to a String cannot fail.
        let _ = write!(text, ", and {} more", names.len() - LISTED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(wanted: &[&str], head: &str) -> Result<Vec<usize>, String> {
        let wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
        let header = Header::of_table(Dialect::new(b','), head.as_bytes(), &wanted);
        let columns = Columns::choose(&wanted, &header, head.as_bytes());
        let columns = columns.map_err(|e| e.to_string())?.chosen;
        Ok((0..columns.len()).filter(|&i| columns[i]).collect())
    }

    #[test]
    fn by_number_and_by_name() {
        for (wanted, head, expected) in [
            (&["doi"][..], "id,doi,year\n1,2,3\n", &[1][..]),
            (&["2"], "id,doi,year", &[1]),
            (&["3", "1"], "id,doi,year\r\n", &[0, 2]),
            (&["DOI"], "id,doi,Doi\n", &[1, 2]),
            (&["Doi"], "id,doi,Doi\n", &[2]),
            (&["doi"], "doi,x,doi\n", &[0, 2]),
            (&["doi", "DOI"], "doi,DOI\n", &[0, 1]),
            (&["doi"], "\u{feff}doi,x\n", &[0]),
            (&["doi"], "\u{feff}\"doi\",x\n", &[0]),
            (&["doi"], "\r\n\n\ndoi,x\n", &[0]),
            (&["a,b"], "id,\"a,b\"\n", &[1]),
            (&["a \"b\"\nc"], "id,\"a \"\"b\"\"\nc\",x\n", &[1]),
            (&["2024"], "id,2024\n", &[1]),
            (&["0"], ",0,1\n", &[1]),
            (&["1"], ",0,1\n", &[0]),
            (&[""], "id,,x\n", &[1]),
            (&["ÉTAT"], "id,état\n", &[1]),
            (&["doi"], "doi", &[0]),
            (&["doi"], "id, DOI ,x\n", &[1]),
            (&["doi (url)"], "id,\"DOI\r\n(URL)\",x\n", &[1]),
            // Titles in front of the header.
            (&["doi"], "My library,,\n\n,2024,\nid,doi,x\n1,2,3\n", &[1]),
            (&["2"], "\u{feff}My library\nid,doi,x\n1,2,3\n", &[1]),
            (&["1"], "My library\nid,doi\n", &[0]),
            (&["my library"], "My library\nid,doi\n", &[0]),
            (&["doi"], "\"Export, 2024\"\nQuery: a, b\n\nid,doi,x\n1,2,3\n", &[1]),
            (&["doi"], "A,B\nid,type,x\nid,doi,x,y\n", &[1]),
            (&["1"], "A,B\nid,doi,x\n", &[0]),
        ] {
            assert_eq!(choose(wanted, head), Ok(expected.to_vec()), "{wanted:?} {head:?}");
        }
    }

    #[test]
    fn an_error_names_the_line_that_may_be_the_header() {
        for (head, expected) in [
            (
                "A,B\n\n\"C\nD\",E\nid,doi\n1,2\n",
                "it has: A, B; line 5 has such a cell; if it is the header, remove the lines above it",
            ),
            ("id,type\n10.1000/1,doi\n", "it has: id, type"),
        ] {
            match choose(&["doi"], head) {
                Ok(found) => assert_eq!((found, expected), (vec![0], "")),
                Err(error) => assert_eq!(error, format!("no column \"doi\"; {expected}")),
            }
        }
    }

    #[test]
    fn a_record_is_cut_if_all_others_have_more_cells() {
        let end = |column| Place { inside: Inside::Unquoted, column };
        for (head, expected) in [
            ("id,doi,year\n1,2,3\n4,5", [true, true, false]),
            ("Title\nid,doi,year\n1,2,3\n4", [true, true, false]),
            ("id,doi,year\n1,\"a,b\n\",3\n\n4,5,6\n", [true, true, false]),
            ("id,doi,year\n1,2,3\n4,5\n6", [false; 3]),
            // There is no other record.
            ("id,doi,year\n4,5", [false; 3]),
            ("id,doi,year", [false; 3]),
            ("doi\n10.1000/a\n10.", [false; 3]),
        ] {
            let wanted = ["doi".to_owned()];
            let header = Header::of_table(Dialect::new(b','), head.as_bytes(), &wanted);
            let columns = Columns::choose(&wanted, &header, head.as_bytes()).expect("columns");
            assert_eq!([0, 1, 2].map(|column| columns.is_cut_at(end(column))), expected, "{head}");
            let quoted = Place { inside: Inside::Quoted, column: 0 };
            assert!(!columns.is_cut_at(quoted), "{head}");
        }
    }

    #[test]
    fn by_what_their_names_are() {
        let is_wanted = |name: &[u8]| name.starts_with(b"e");
        for (wanted, head, expected) in [
            (&[][..], "a,e,b,e2,c\n", Some(&[1, 3][..])),
            (&["e"], "a,e,b,e2,c\n", Some(&[1])),
            (&["4", "a"], "a,e,b,e2,c\n", Some(&[3])),
            (&["a"], "a,e,b\n", None),
            (&[], "a,b\n", None),
            (&[], "", None),
        ] {
            let wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
            let columns = Columns::named(&wanted, Dialect::new(b','), head.as_bytes(), is_wanted);
            let chosen = columns.map(|columns| columns.chosen);
            let chosen = chosen.map(|c| (0..c.len()).filter(|&i| c[i]).collect::<Vec<_>>());
            assert_eq!(chosen.as_deref(), expected, "{wanted:?} {head}");
        }
        let long = format!("e,{}\n", "x".repeat(LONGEST_HEADER));
        assert_eq!(Columns::named(&[], Dialect::new(b','), long.as_bytes(), is_wanted), None);
    }

    #[test]
    fn what_is_missing_is_an_error_that_lists_the_columns() {
        for (wanted, head, expected) in [
            ("doi", "My library\nid,type\n1,2\n", "no column \"doi\"; it has: id, type"),
            ("doi", "Export,,\nid,type,x\n1,2,\n", "no column \"doi\"; it has: id, type, x"),
            ("doi", "id,type\n1,do i\n", "no column \"doi\"; it has: id, type"),
            ("dio", "id,doi,year\n", "no column \"dio\"; it has: id, doi, year"),
            ("4", "id,doi,year\n1,2,3,4\n", "no column 4; it has: id, doi, year"),
            ("0", "id,doi\n", "no column 0; it has: id, doi"),
            ("doi", "", "no column \"doi\"; it is empty"),
            ("doi", "\n\n", "no column \"doi\"; it is empty"),
            ("doi", "id,\"doi,year\n1,2,3\n", "no column \"doi\"; it has: id, doi,year"),
        ] {
            assert_eq!(choose(&[wanted], head), Err(expected.to_owned()), "{head:?}");
        }
        let many: Vec<String> = (1..=100).map(|n| format!("c{n}")).collect();
        let message = choose(&["doi"], &many.join(",")).expect_err("no such column");
        assert!(message.ends_with("c39, c40, and 60 more"), "{message}");
        let message = choose(&["doi"], &"é".repeat(100)).expect_err("no such column");
        assert!(message.ends_with(&format!(" {}…", "é".repeat(60))), "{message}");
    }

    #[test]
    fn a_header_has_its_limit() {
        let fits = format!("{},doi\n", "x".repeat(LONGEST_HEADER - 4));
        assert_eq!(choose(&["doi"], &fits), Ok(vec![1]));
        let message = choose(&["doi"], &format!("x{fits}")).expect_err("too long");
        assert_eq!(message, "no column names: the first record is longer than 1 MiB");
    }
}
