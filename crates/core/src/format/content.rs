//! Recognises tables without the name of one by their first records.

use super::cells::{Dialect, MARK};
use super::{delimiter, is_doi_column, list};
use crate::doi::Reader;
use alloc::vec::Vec;
use memchr::{memchr, memchr_iter, memchr3, memmem};

/// Number of first bytes examined, for every way of reading the same.
const EXAMINED: usize = 4 * 1024;

/// Number of DOIs in a column that has not the name `doi`.
const NAMES: usize = 2;

/// The delimiter of the table that begins with `head`, or a line feed if each line is one cell: what the file has if
/// it is named `.csv`.
///
/// All complete records have as many cells as the first. One column has the name `doi` and holds a DOI, or
/// holds nothing but DOIs below its first cell. A DOI fills its cell: a bare name, or one after a label or in an address.
pub(super) fn table(head: &[u8]) -> Option<u8> {
    let head = &head[..head.len().min(EXAMINED)];
    let text = head.strip_prefix(MARK).unwrap_or(head);
    // JSON and markup have commas and line ends as well.
    let is_other = |first: &u8| matches!(first, b'{' | b'[' | b'<' | b'(');
    if text.trim_ascii_start().first().is_none_or(is_other) {
        return None;
    }
    let lines = &text[text.iter().position(|b| !matches!(b, b'\r' | b'\n'))?..];
    let line = &lines[..memchr(b'\n', lines)?];
    let has_cells = || memchr3(b',', b';', b'\t', line).or_else(|| memchr(b'|', line)).is_some();
    if !has_cells() && !is_doi_column(head) || memmem::find(head, b"10.").is_none() {
        return None;
    }
    let found = delimiter(head).unwrap_or(b'\n');
    if found == b'\n' && !is_doi_column(head) {
        return None;
    }
    let dialect = Dialect::new(found);
    let records = &text[..dialect.whole_records(text)];
    (has_dois(dialect, records) && !list::is_list(head)).then_some(found)
}

/// Whether all `records` have as many cells, and one column has DOIs.
fn has_dois(dialect: Dialect, records: &[u8]) -> bool {
    let mut rest = dialect.records(records);
    let Some(first) = rest.next() else { return false };
    let mut reader = Reader::default();
    let has_ten = |cell: &[u8]| memchr_iter(b'1', cell).any(|at| cell[at..].starts_with(b"10."));
    let mut is_doi = |cell: &[u8]| has_ten(cell) && reader.read(cell).is_ok();
    let mut columns: Vec<Column> = Vec::new();
    for cell in dialect.split(&records[first]) {
        let cell = dialect.text(cell);
        let is_named = cell.trim_ascii().eq_ignore_ascii_case(b"doi");
        columns.push(Column { is_named, dois: usize::from(is_doi(&cell)), others: 0 });
    }
    for record in rest {
        let mut count = 0;
        for cell in dialect.split(&records[record]) {
            let Some(column) = columns.get_mut(count) else { return false };
            count += 1;
            // Most columns have other values, and need no second look.
            if cell.is_empty() || column.others > 0 && !column.is_named {
                continue;
            }
            match is_doi(&dialect.text(cell)) {
                true => column.dois += 1,
                false => column.others += 1,
            }
        }
        if count < columns.len() {
            return false;
        }
    }
    columns.iter().any(|column| match column.is_named {
        true => column.dois > 0,
        false => column.dois >= NAMES && column.others == 0,
    })
}

/// What the cells of a column are. The first cell may be a name, and is not one of the others.
struct Column {
    is_named: bool,
    dois: usize,
    others: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        for (head, delimiter) in [
            ("citing,cited\n10.1000/1,10.1000/2\n10.1000/3,10.1000/4\n", b','),
            ("10.1000/1,10.1000/2\n10.1000/3,10.1000/4\n", b','),
            ("id,DOI,title\n1,10.1000/1,A\n", b','),
            ("\u{feff}\"doi\",title\r\n10.1000/1,\"A, and\nB\"\r\n", b','),
            ("id;doi\n1;\n2;10.1000/1 and others\n3;10.1000/2\n", b';'),
            ("id\tlink\n1\thttps://doi.org/10.1000/1\n2\tdoi:10.1000/2\n3\t\n", b'\t'),
            ("id|x|doi\n1||10.1000/1\n2|", b'|'),
            ("doi\n10.1000/a,b\n", b'\n'),
        ] {
            assert_eq!(table(head.as_bytes()), Some(delimiter), "{head}");
            assert_eq!(super::super::Format::Csv.table(None, head.as_bytes()), Some(delimiter));
        }
    }

    #[test]
    fn other_text() {
        for head in [
            "",
            "doi\n",
            "doi\n10.1000/1",
            "id,doi\n1,10.1000/1",
            "10.1000/1\n10.1000/2\n",
            "10.1000/A,1\n10.1000/B,2\n",
            "id,link\n1,10.1000/1\n",
            "id,link\n1,10.1000/1\n2,none\n3,10.1000/2\n",
            "id,doi\n1,10.1000/1\n2,10.1000/2,x\n",
            "id,doi\n1,10.1000/1\n2\n",
            "id,link\n1,see 10.1000/1\n2,see 10.1000/2\n",
            "a, 10.1000/1\nb, 10.1000/2\n",
            "| id | doi |\n|---|---|\n| 1 | 10.1000/1 |\n",
            "[\"a\",\"10.1000/1\",\"b\"],\n[\"a\",\"10.1000/2\",\"b\"],\n",
            "To whom it may concern,\nsee 10.1000/1,\nand 10.1000/2,\n",
        ] {
            assert_eq!(table(head.as_bytes()), None, "{head}");
        }
        let far = format!("id,doi\n1,{}\n2,10.1000/1\n", "x".repeat(EXAMINED));
        assert_eq!(table(far.as_bytes()), None);
    }
}
