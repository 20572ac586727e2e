//! Tests of lines on one thread and several, of long lines, and of failures.
#![expect(clippy::disallowed_methods, reason = "tests make files")]

use super::*;
use doiscan_core::format::Format;
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Writes each line in brackets, with its number.
struct Brackets;

/// The lines of the values.
#[derive(Debug, Default)]
struct Lines(Vec<u64>);

impl std::ops::AddAssign for Lines {
    fn add_assign(&mut self, other: Lines) {
        self.0.extend(other.0);
    }
}

impl LineWork for Brackets {
    type Worker = ();
    type Tally = Lines;

    fn worker(&self) {}

    fn header(&self, columns: &[String], _: CsvStyle, _: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(columns.join("|").as_bytes());
    }

    fn value(&self, (): &mut (), value: &InputValue<'_>, out: &mut Vec<u8>, t: &mut Lines) {
        assert_ne!(value.bytes, b"panic", "told to");
        let end: &[u8] = if value.is_cut { b"..]\n" } else { b"]\n" };
        out.extend_from_slice(&[b"[", value.bytes, end].concat());
        t.0.push(value.place.line);
    }
}

fn plan(folder: &Path, texts: &[&[u8]]) -> LinePlan {
    let write = |(index, text): (usize, &&[u8])| {
        let path = folder.join(index.to_string());
        fs::write(&path, text).expect("write");
        path
    };
    LinePlan {
        inputs: texts.iter().enumerate().map(write).collect(),
        output: Some(folder.join("out")),
        ..LinePlan::default()
    }
}

/// The expected answers, from the definition of a line.
fn naive(text: &[u8], longest: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let is_end = |b: &u8| *b == b'\n' || *b == b'\r' && !text.contains(&b'\n');
    for line in text.split_inclusive(is_end) {
        let ([line @ .., b'\r', b'\n'] | [line @ .., b'\n'] | line) = line;
        let line = line.strip_suffix(b"\r").filter(|_| !text.contains(&b'\n')).unwrap_or(line);
        let (line, end) = match line.len() > longest {
            true => (&line[..longest], &b"..]\n"[..]),
            false => (line, &b"]\n"[..]),
        };
        out.extend_from_slice(&[b"[", line, end].concat());
    }
    out
}

/// The text with the lines that are not UTF-8 read as Latin-1, of which Windows-1252 is a superset.
fn in_utf8(text: &[u8]) -> Vec<u8> {
    let end = if text.contains(&b'\n') { b'\n' } else { b'\r' };
    let lines = text.split_inclusive(|byte| *byte == end).map(|line| match str::from_utf8(line) {
        Ok(line) => line.to_owned(),
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    });
    lines.collect::<String>().into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn answers_come_in_order(
        text in prop::collection::vec(prop::sample::select(b"ab\n\r\xc3\xa9".to_vec()), 0..200),
        block in 1..40_usize,
        longest in 1..12_usize,
        threads in prop::sample::select(vec![1, 2, 8]),
    ) {
        let folder = tempfile::tempdir().expect("folder");
        let plan = LinePlan {
            threads: NonZeroUsize::new(threads),
            block: NonZeroUsize::new(block).expect("not zero"),
            longest,
            ..plan(folder.path(), &[&text, b"x\n", &text])
        };
        let report = run_lines(&plan, &Brackets).expect("runs");
        let text = in_utf8(&text);
        let expected = [naive(&text, longest), b"[x]\n".to_vec(), naive(&text, longest)].concat();
        prop_assert_eq!(fs::read(folder.path().join("out")).expect("out"), expected);
        let numbers = 1..=naive(&text, longest).iter().filter(|&&b| b == b'[').count() as u64;
        prop_assert!(report.tally.0.into_iter().eq(numbers.clone().chain(1..=1).chain(numbers)));
    }
}

#[test]
fn a_panic_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("folder");
    // Enough lines that all workers are busy when one panics.
    let text = [b"x\n".repeat(500_000), b"panic\n".to_vec(), b"y\n".repeat(1_000)].concat();
    fs::write(folder.path().join("out"), "old").expect("write");
    for threads in [1, 2, 8] {
        let plan = LinePlan {
            threads: NonZeroUsize::new(threads),
            block: NonZeroUsize::new(64).expect("not zero"),
            ..plan(folder.path(), &[&text])
        };
        let error = run_lines(&plan, &Brackets).expect_err("a panic").to_string();
        assert!(error.contains("told to"), "{error}");
        assert_eq!(fs::read(folder.path().join("out")).expect("out"), b"old");
    }
}

#[test]
fn inputs_that_fail_are_problems() {
    let folder = tempfile::tempdir().expect("folder");
    let mut plan = plan(folder.path(), &[b"a\nb", b"c"]);
    plan.inputs.insert(1, folder.path().join("none"));
    plan.inputs.insert(2, folder.path().to_path_buf());
    let report = run_lines(&plan, &Brackets).expect("runs");
    let paths: Vec<_> = report.problems.into_iter().map(|p| p.path).collect();
    assert_eq!(paths, plan.inputs[1..3]);
    assert_eq!(fs::read(folder.path().join("out")).expect("out"), b"[a]\n[b]\n[c]\n");
}

#[test]
fn a_run_that_reads_nothing_is_an_error_unless_an_input_is_empty() {
    let folder = tempfile::tempdir().expect("folder");
    let none = |name: &str| folder.path().join(name);
    let empty = LinePlan { inputs: vec![none("none"), none("0")], ..plan(folder.path(), &[b""]) };
    let report = run_lines(&empty, &Brackets).expect("an empty answer");
    assert_eq!(report.problems.len(), 1);
    assert_eq!(fs::read(none("out")).expect("out"), b"");
    let unread = LinePlan { inputs: vec![none("none"), none("other")], ..empty };
    let error = run_lines(&unread, &Brackets).expect_err("nothing was read");
    assert!(matches!(error, Error::Unread(_, 1)), "{error}");
}

#[test]
fn a_table_that_ends_early_has_no_second_problem() {
    let folder = tempfile::tempdir().expect("folder");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"a,\"b\"c\nx,y\n").expect("write");
    let gzip = gzip.finish().expect("end");
    for (bytes, word) in [(&gzip[..], "closing quote"), (&gzip[..gzip.len() - 4], "ends early")] {
        let values = column("1", false);
        let (out, _, problems) = answers(&LinePlan { values, ..plan(folder.path(), &[bytes]) });
        assert_eq!(out, "[a]\n[x]\n");
        assert!(matches!(&problems[..], [one] if one.contains(word)), "{problems:?}");
    }
}

fn column(name: &str, has_header: bool) -> ValueSource {
    ValueSource::Column(TableColumn {
        format: Format::Csv,
        name: name.to_owned(),
        has_header,
        sheet: None,
    })
}

/// The answers, line numbers and problems of a run over tables.
fn answers(plan: &LinePlan) -> (String, Vec<u64>, Vec<String>) {
    let report = run_lines(plan, &Brackets).expect("runs");
    let path = plan.output.as_deref().expect("a file");
    let out = String::from_utf8(fs::read(path).expect("out")).expect("UTF-8");
    (out, report.tally.0, report.problems.into_iter().map(|problem| problem.message).collect())
}

#[test]
fn cells_of_tables_are_answered_in_order_for_any_block() {
    let folder = tempfile::tempdir().expect("folder");
    let one = b"\r\nid,\"do\ni\"\r\n1,a\r\n\n2,\"b\n\"\"c\"\r\n3\r\n,\r\n";
    let two = b"\"do\ni\",id\nd,4";
    for block in 1..one.len() {
        for threads in [1, 2, 8] {
            let plan = LinePlan {
                values: column("do\ni", true),
                threads: NonZeroUsize::new(threads),
                block: NonZeroUsize::new(block).expect("not zero"),
                ..plan(folder.path(), &[one, two])
            };
            let (out, lines, problems) = answers(&plan);
            assert_eq!(out, "id|do\ni[a]\n[b\n\"c]\n[]\n[]\n[d]\n", "{block}");
            assert_eq!((lines, problems), (vec![4, 6, 8, 9, 3], vec![]), "{block}");
        }
    }
}

#[test]
fn what_is_wrong_with_tables_is_said() {
    let folder = tempfile::tempdir().expect("folder");
    let run = |texts: &[&[u8]], name: &str, has_header, keep_columns| {
        let values = column(name, has_header);
        let plan = LinePlan { values, keep_columns, ..plan(folder.path(), texts) };
        match run_lines(&plan, &Brackets) {
            Ok(_) => answers(&plan).2.join("; "),
            Err(error) => {
                let said = error.to_string().replace(&*folder.path().to_string_lossy(), "");
                said.replace(std::path::MAIN_SEPARATOR, "/")
            }
        }
    };
    let table = b"id,doi,doi\n1,a,b\n";
    for (texts, name, has_header, keep, expected) in [
        (&[&table[..]][..], "dio", true, false, "/0: no column \"dio\"; it has: id, doi, doi"),
        (&[table], "4", false, false, "/0: no column 4; it has: id, doi, doi"),
        (
            &[table],
            "doi",
            true,
            false,
            "/0: 2 columns are named \"doi\"; select one by its number: 2, 3",
        ),
        (
            &[b"1,10.1000/a\n"],
            "2",
            true,
            false,
            "/0: the first record has a DOI in column 2; if it is not a header, use --no-header",
        ),
        (&[b"1,10.1000/a\n"], "2", false, false, ""),
        // Another input has the column.
        (&[table, b"x\n"], "3", true, false, ""),
        (
            &[b"a,\"b\"c\n\"x\"y,d\n"],
            "1",
            true,
            false,
            "1 cell with text after the closing quote; the first at byte 9; cells near it may be shifted",
        ),
    ] {
        assert_eq!(run(texts, name, has_header, keep), expected, "{name}");
    }
    let other = run(&[table, b"id,x\n"], "1", true, true);
    assert!(other.starts_with("its columns differ from those of "), "{other}");
    assert_eq!(run(&[b"", b"\n\n"], "1", true, true), "");
}

#[test]
fn the_name_of_a_table_tells_its_notation() {
    let folder = tempfile::tempdir().expect("folder");
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    for (name, text, expected) in [
        ("a.csv", "x;doi\n1;a\n", Ok("x|doi[a]\n")),
        ("a.tsv", "x\tdoi\n1\ta\n", Ok("x|doi[a]\n")),
        (
            "a.txt",
            "x,title\n1,a\n",
            Err("neither the file name nor a header indicates CSV or TSV; leave the input out"),
        ),
        ("b.txt", "x,doi\n1,a\n", Ok("x|doi[a]\n")),
        ("a.jsonl", "{\"doi\": \"a\"}\n", Err("these are JSON lines: use --field, not --column")),
    ] {
        fs::write(path(name), text).expect("write");
        let wanted = TableColumn {
            format: Format::Auto,
            name: "doi".to_owned(),
            has_header: true,
            sheet: None,
        };
        let plan = LinePlan {
            inputs: vec![path(name)],
            values: ValueSource::Column(wanted),
            output: Some(path("out")),
            ..LinePlan::default()
        };
        match (run_lines(&plan, &Brackets), expected) {
            (Ok(_), Ok(expected)) => assert_eq!(answers(&plan).0, expected),
            (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
            (found, _) => panic!("{name}: {found:?}"),
        }
    }
}

#[test]
fn zero_bytes_end_values() {
    let folder = tempfile::tempdir().expect("folder");
    let plan = LinePlan { values: ValueSource::Zeros, ..plan(folder.path(), &[b"a\r\nb\0\0c"]) };
    assert_eq!(answers(&plan).0, "[a\r\nb]\n[]\n[c]\n");
}
