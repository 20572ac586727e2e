//! Compares cells with the `csv` crate, and tables cut at every position with whole tables.

use super::cells::{Cell, Dialect, MARK, Place};
use super::{Inside, Quoting};
use proptest::prelude::*;

/// The content of a raw cell.
fn content(raw: &[u8], opens: bool) -> Vec<u8> {
    let Some(quoted) = raw.strip_prefix(b"\"").filter(|_| opens) else { return raw.to_vec() };
    let close = super::cells::closing(quoted, 0, quoted.len()).expect("it closes");
    let mut text =
        String::from_utf8(quoted[..close].to_vec()).expect("ASCII").replace("\"\"", "\"");
    text.push_str(std::str::from_utf8(&quoted[close + 1..]).expect("ASCII"));
    text.into_bytes()
}

/// The records as this crate splits them.
fn records(dialect: Dialect, bytes: &[u8]) -> (Vec<Vec<Vec<u8>>>, Quoting) {
    let mut records: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut cells = Vec::new();
    let last = usize::MAX;
    let quoting =
        dialect.cells(bytes, 0..bytes.len(), Place::default(), last, &mut |cell: Cell| {
            cells.push(cell);
        });
    let mut behind = 0;
    for Cell { column, mut starts, end } in cells {
        assert_eq!(starts.end, end);
        if starts.start == 0 && bytes.starts_with(MARK) {
            starts.start = MARK.len();
        }
        // Empty cells have no positions, so they are filled in here.
        if records.is_empty()
            || column == 0
            || bytes[behind..starts.start].iter().any(|&b| b == b'\n' || b == b'\r')
        {
            records.push(Vec::new());
        }
        let record = records.last_mut().expect("a record");
        record.resize(column, Vec::new());
        let opens = dialect.next_quoted(bytes, starts.start, starts.start + 1).is_some();
        record.push(content(&bytes[starts], opens));
        behind = end;
    }
    (records, quoting)
}

/// The records as the `csv` crate splits them.
fn peer(delimiter: u8, bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let cells = |r: csv::ByteRecord| r.iter().map(<[u8]>::to_vec).collect();
    reader.byte_records().map(|r| cells(r.expect("bytes do not fail"))).collect()
}

/// Removes what empty cells may hide: empty cells at the end of a record, and records with only
/// empty cells.
fn filled(records: Vec<Vec<Vec<u8>>>) -> Vec<Vec<Vec<u8>>> {
    let mut filled = Vec::new();
    for mut record in records {
        while record.last().is_some_and(Vec::is_empty) {
            record.pop();
        }
        if !record.is_empty() {
            filled.push(record);
        }
    }
    filled
}

/// Replaces every quote that opens an unclosed cell by a letter, so that the `csv` crate also
/// treats it as text.
fn close_all(delimiter: u8, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    loop {
        let Some(open) = open_at_end(delimiter, &bytes) else { return bytes };
        bytes[open] = b'Q';
    }
}

/// Finds the quote that opens the cell in which the table ends, byte by byte, in the naive form.
fn open_at_end(delimiter: u8, bytes: &[u8]) -> Option<usize> {
    let (mut open, mut quoted, mut at_start) = (0, false, true);
    let mut at = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
    while at < bytes.len() {
        let byte = bytes[at];
        if quoted {
            if byte == b'"' && bytes.get(at + 1) == Some(&b'"') {
                at += 1;
            } else if byte == b'"' {
                quoted = false;
            }
        } else if byte == b'"' && at_start {
            (open, quoted, at_start) = (at, true, false);
        } else {
            at_start = byte == delimiter || byte == b'\n' || byte == b'\r';
        }
        at += 1;
    }
    quoted.then_some(open)
}

/// Bytes that look like CSV: few letters, many quotes, delimiters and line ends.
fn csvish(len: usize) -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "a",
        "10.1000/x",
        ",",
        ",",
        "\"",
        "\"",
        "\"\"",
        "\n",
        "\r\n",
        "\r",
        ",\"",
        "\",",
        "\"\n",
        ";",
    ];
    let piece = prop::sample::select(pieces.to_vec());
    let pieces = prop::collection::vec(piece, 0..len);
    (prop::sample::select(vec!["", "\u{feff}"]), pieces)
        .prop_map(|(mark, pieces)| (mark.to_owned() + &pieces.concat()).into_bytes())
}

#[test]
fn tables() {
    let rows: [(&str, &[&[&str]]); 22] = [
        ("", &[]),
        ("a", &[&["a"]]),
        ("a,b\n", &[&["a", "b"]]),
        ("a,b\r\nc,d", &[&["a", "b"], &["c", "d"]]),
        ("a,b\rc,d\r", &[&["a", "b"], &["c", "d"]]),
        ("\n\r\n\na\n\n\nb", &[&["a"], &["b"]]),
        ("a,,b\n,c\n", &[&["a", "", "b"], &["", "c"]]),
        ("a\nb,c,d\ne,f", &[&["a"], &["b", "c", "d"], &["e", "f"]]),
        ("\"a\",\"b\"\n", &[&["a", "b"]]),
        ("\"a,b\",c", &[&["a,b", "c"]]),
        ("\"a\nb\r\n\",c", &[&["a\nb\r\n", "c"]]),
        ("\"a \"\"b\"\"\",c", &[&["a \"b\"", "c"]]),
        ("\"\"\"a\"\"\",c", &[&["\"a\"", "c"]]),
        ("\"\",c", &[&["", "c"]]),
        ("a \"b, c\",d", &[&["a \"b", " c\"", "d"]]),
        (" \"a,b\"", &[&[" \"a", "b\""]]),
        ("\"a\"b\"c\",d", &[&["ab\"c\"", "d"]]),
        ("\"a\"b,\"c\nd\"", &[&["ab", "c\nd"]]),
        ("\u{feff}a,b", &[&["a", "b"]]),
        ("\u{feff}\"a,b\",c", &[&["a,b", "c"]]),
        // These differ from the `csv` crate: an unclosed quote is text.
        ("1,\"a\n2,b\n", &[&["1", "\"a"], &["2", "b"]]),
        ("\"a,b\n\"c,d\n", &[&["a,b\nc", "d"]]),
    ];
    for (text, expected) in rows {
        let expected: Vec<Vec<Vec<u8>>> =
            expected.iter().map(|r| r.iter().map(|c| c.as_bytes().to_vec()).collect()).collect();
        let (found, _) = records(Dialect::new(b','), text.as_bytes());
        assert_eq!(filled(found), filled(expected), "{text:?}");
    }
}

#[test]
fn a_quoted_cell_has_its_limit() {
    let dialect = Dialect { delimiter: b',', longest_quoted: 4 };
    for (text, expected, unclosed) in [
        ("\"abcd\",x", &["abcd", "x"][..], None),
        ("\"a,cd\",x", &["a,cd", "x"], None),
        ("\"a,cde\",x", &["\"a", "cde\"", "x"], Some(0)),
        ("y,\"\"\"\"\"\",x", &["y", "\"\"", "x"], None),
        ("y,\"\"\"\"\"\"\",x", &["y", "\"\"\"\"\"\"\"", "x"], Some(2)),
        ("y,\"", &["y", "\""], Some(2)),
    ] {
        let (found, quoting) = records(dialect, text.as_bytes());
        let expected: Vec<Vec<u8>> = expected.iter().map(|c| c.as_bytes().to_vec()).collect();
        assert_eq!(found, [expected], "{text}");
        assert_eq!(quoting.first, unclosed, "{text}");
        assert_eq!(quoting.unclosed, u64::from(unclosed.is_some()), "{text}");
    }
}

#[test]
fn a_lost_quote_costs_its_cell_alone() {
    let mut text = String::from("1,\"lost,10.1000/a\n");
    for n in 0..300_000 {
        text.push_str(&format!("{n},x,y\n"));
    }
    let (found, quoting) = records(Dialect::new(b','), text.as_bytes());
    assert_eq!((found.len(), quoting.unclosed, quoting.first), (300_001, 1, Some(2)));
    assert_eq!(found[0][2], b"10.1000/a");
}

#[test]
fn text_behind_a_closing_quote_is_counted() {
    for (text, trailed) in [
        ("\"a\",b\n\"c\"\r\n\"d\"", 0),
        ("\"a\" ,b", 0),
        ("\"he said \"hi\" to me\",b", 1),
        ("\"a\"b,\"c\"d\n", 2),
    ] {
        let (_, quoting) = records(Dialect::new(b','), text.as_bytes());
        assert_eq!((quoting.unclosed, quoting.trailed), (0, trailed), "{text}");
    }
}

/// Finds the cells of a table cut into chunks of `size`. Chains their places through transitions,
/// as workers do; each chunk sees only what a window would contain.
fn cut(dialect: Dialect, bytes: &[u8], size: usize, last: usize) -> (Vec<Cell>, Quoting) {
    let (mut place, mut cells, mut sum) =
        (Place::default(), Vec::<Cell>::new(), Quoting::default());
    for start in (0..bytes.len()).step_by(size) {
        let end = (start + size).min(bytes.len());
        let from = start.saturating_sub(4);
        let window = &bytes[from..bytes.len().min(end + dialect.lookahead().max(40))];
        let starts = start - from..end - from;
        let quoting = dialect.cells(window, starts.clone(), place, last, &mut |cell: Cell| {
            let starts = cell.starts.start + from..cell.starts.end + from;
            match cells.last_mut() {
                Some(before) if before.starts.end == starts.start && start == starts.start => {
                    assert_eq!(before.column, cell.column);
                    before.starts.end = starts.end;
                    before.end = before.end.max(cell.end + from);
                }
                _ => cells.push(Cell { starts, end: cell.end + from, ..cell }),
            }
        });
        sum += quoting.moved(from as u64);
        place = dialect.transition(window, starts).apply(place);
    }
    (cells, sum)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn cells_are_those_of_the_csv_crate(bytes in csvish(40)) {
        for delimiter in [b',', b';'] {
            let dialect = Dialect::new(delimiter);
            let closed = close_all(delimiter, &bytes);
            let (found, quoting) = records(dialect, &bytes);
            let (mut expected, unclosed) = (peer(delimiter, &closed), closed != bytes);
            prop_assert_eq!(quoting.unclosed > 0, unclosed);
            // The letter that replaces a quote treated as text.
            for cell in expected.iter_mut().flatten() {
                cell.iter_mut().filter(|b| **b == b'Q').for_each(|b| *b = b'"');
            }
            prop_assert_eq!(filled(found), filled(expected));
        }
    }

    #[test]
    fn columns_behind_the_last_make_no_difference(bytes in csvish(40), last in 0_usize..4) {
        let dialect = Dialect::new(b',');
        let cells = |last| {
            let mut cells = Vec::new();
            let starts = 0..bytes.len();
            let quoting =
                dialect.cells(&bytes, starts, Place::default(), last, &mut |cell| cells.push(cell));
            (cells, quoting)
        };
        let (mut expected, quoting) = cells(usize::MAX);
        expected.retain(|cell: &Cell| cell.column <= last);
        prop_assert_eq!(cells(last), (expected, quoting));
    }

    #[test]
    fn every_cut_gives_the_same_cells(bytes in csvish(40), longest in 0_usize..30) {
        for longest_quoted in [longest, 1 << 20] {
            let dialect = Dialect { delimiter: b',', longest_quoted };
            for last in [0, 1, 3, usize::MAX] {
                let whole = cut(dialect, &bytes, bytes.len().max(1), last);
                for size in 1..=bytes.len() {
                    prop_assert_eq!(&cut(dialect, &bytes, size, last), &whole, "{}", size);
                }
            }
        }
    }

    #[test]
    fn walks_that_meet_are_walks_apart(bytes in csvish(60), at in any::<prop::sample::Index>()) {
        // A chunk of one byte has nothing to chain, so its transitions are the naive form.
        let dialect = Dialect::new(b',');
        let start = at.index(bytes.len() + 1);
        for inside in [Inside::Unquoted, Inside::Quoted] {
            let begin = Place { inside, column: 5 };
            let mut place = begin;
            for one in start..bytes.len() {
                place = dialect.transition(&bytes, one..one + 1).apply(place);
            }
            prop_assert_eq!(dialect.transition(&bytes, start..bytes.len()).apply(begin), place);
        }
    }
}
