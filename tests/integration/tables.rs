//! `check` and `convert` on tables, JSON lines and values that end with a zero byte.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use std::fs;
use tempfile::TempDir;

const CSV: &str = "id,doi,title\r\n\
                   1,10.1000/a,\"x, \"\"y\"\"\nz\"\r\n\
                   2,\"10.1000/b\n\",q\r\n\
                   3,,empty\r\n\
                   4,none,w,more\r\n\
                   5\r\n";

const JSON: &str = "{\"id\":1,\"DOI\":\"10.1000\\/a\",\"m\":{\"d\":[\"10.1000/b\",\"x\"]}}\n\
                    {\"id\":2,\"DOI\":null}\n\
                    \n\
                    {\"id\":3,\"DOI\":10.1234}\n\
                    {\"id\":4,\"DOI\"\n\
                    [1]\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).expect("write");
    write("t.csv", CSV.as_bytes());
    write("t.jsonl", JSON.as_bytes());
    write("zeros", b"10.1000/a\0a\nb\0\0");
    write("two", b"10.1000/a 10.1000/b\n");
    write("headless.tsv", b"1\t10.1000/a\n2\tx\n");
    folder
}

/// Runs each line and compares its status and output.
fn each(rows: &[(&str, i32, &str)]) {
    let folder = folder();
    for (line, status, expected) in rows {
        let (found, out, err) = shell(folder.path(), line);
        assert_eq!((found, out.as_str()), (Some(*status), *expected), "{line}: {err}");
    }
}

/// The answer to a record without a DOI, before its line.
const MISSING: &str = "\t\t\tmissing\t\t";

/// The answer to a blank value.
const BLANK: &str = "\tfalse\t\tdoes not begin with 10.: found the end at byte 1\t\n";

#[test]
fn a_column_is_checked() {
    each(&[
        (
            "$D check -q --column doi t.csv",
            0,
            &format!(
                "10.1000/a\ttrue\t10.1000/A\t\t\t2\n10.1000/b\\n\ttrue\t10.1000/B\t\t\t4\n\
                 {MISSING}6\nnone{MISSING}7\n{MISSING}8\n"
            ),
        ),
        (
            "$D check -q --column 2 --valid --header t.csv",
            0,
            "input\tvalid\tdoi\treason\tnotes\trecord\n10.1000/a\ttrue\t10.1000/A\t\t\t2\n10.1000/b\\n\ttrue\t10.1000/B\t\t\t4\n",
        ),
        (
            "$D check -q --column doi --valid --output-format csv - < t.csv",
            0,
            "input,valid,doi,reason,notes,record\n10.1000/a,true,10.1000/A,,,2\n\"10.1000/b\n\",true,10.1000/B,,,4\n",
        ),
        (
            "$D check -q --column 2 --no-header --valid headless.tsv",
            0,
            "10.1000/a\ttrue\t10.1000/A\t\t\t1\n",
        ),
        ("$D check -q --column doi --strict --invalid t.csv | wc -l | tr -d ' '", 0, "4\n"),
    ]);
}

#[test]
fn a_table_of_one_column_is_kept_as_csv() {
    for name in ["o.csv", "- --output-format csv"] {
        let line = format!(
            "printf 'doi\\n10.1000/a\\n' > one.csv; $D check -q one.csv --column doi --keep-columns -o {name}; cat o.csv 2>&-; true"
        );
        let expected =
            "doi,check_valid,check_doi,check_reason,check_notes\n10.1000/a,true,10.1000/A,,\n";
        each(&[(&line, 0, expected)]);
    }
}

#[test]
fn records_are_kept_next_to_their_answers() {
    let csv = "id,doi,title,check_valid,check_doi,check_reason,check_notes\n\
         1,10.1000/a,\"x, \"\"y\"\"\nz\",true,10.1000/A,,\n\
         2,\"10.1000/b\n\",q,true,10.1000/B,,\n\
         3,,empty,,,missing,\n4,none,w,,,missing,,more\n5,,,,,missing,\n";
    each(&[
        ("$D check -q --column doi --keep-columns t.csv -o c.csv && cat c.csv", 0, csv),
        (
            "$D check -q --column doi --keep-columns --valid t.csv",
            0,
            "id\tdoi\ttitle\tcheck_valid\tcheck_doi\tcheck_reason\tcheck_notes\n\
             1\t10.1000/a\tx, \"y\"\\nz\ttrue\t10.1000/A\t\t\n2\t10.1000/b\\n\tq\ttrue\t10.1000/B\t\t\n",
        ),
        (
            "$D check -q --column doi --keep-columns --valid t.csv --output-format jsonl",
            0,
            "{\"id\":\"1\",\"doi\":\"10.1000/a\",\"title\":\"x, \\\"y\\\"\\nz\",\"check_valid\":true,\
             \"check_doi\":\"10.1000/A\",\"check_reason\":null,\"check_notes\":[]}\n\
             {\"id\":\"2\",\"doi\":\"10.1000/b\\n\",\"title\":\"q\",\"check_valid\":true,\
             \"check_doi\":\"10.1000/B\",\"check_reason\":null,\"check_notes\":[]}\n",
        ),
        (
            "$D convert -q --to url --column doi --keep-columns t.csv -o c.csv 2> e; cat c.csv e",
            0,
            "id,doi,title,converted,convert_reason\n\
             1,10.1000/a,\"x, \"\"y\"\"\nz\",https://doi.org/10.1000/a,\n\
             2,\"10.1000/b\n\",q,https://doi.org/10.1000/b,\n\
             3,,empty,,\n\
             4,none,w,,\"does not begin with 10.: found \"\"n\"\" at byte 1\",more\n\
             5,,,,\n\
             doiscan: t.csv:7: does not begin with 10.: found \"n\" at byte 1\n",
        ),
        // Blank lines too, so that rows of the output are beside those of the input.
        (
            "printf 'id,doi\\r\\n\\r\\n1,10.1000/a\\r\\n\\r\\n\\r\\n2,\\r\\n' > b.csv; $D check b.csv --column doi --keep-columns --output-format csv 2>&1",
            0,
            "id,doi,check_valid,check_doi,check_reason,check_notes\n,,,,,\n1,10.1000/a,true,10.1000/A,,\n\
             ,,,,,\n,,,,,\n2,,,,missing,\n1 value: 1 valid, 0 invalid, 1 record without one, 3 blank values\n",
        ),
        (
            "printf '1\\t\"10.1000/\\na\"\\n\\n2\\tx\\n\\n' > b.tsv; $D check -q b.tsv --column 2 --no-header --keep-columns --places",
            0,
            "1\t10.1000/\\na\tfalse\t\tsuffix: expected a graphic character, found U+000A at byte 9\t\tb.tsv\t1\n\
             \t\t\t\t\t\tb.tsv\t3\n2\tx\tfalse\t\tdoes not begin with 10.: found \"x\" at byte 1\t\tb.tsv\t4\n\t\t\t\t\t\tb.tsv\t5\n",
        ),
        (
            "$D check -q --column 2 --no-header --keep-columns headless.tsv --valid",
            0,
            "1\t10.1000/a\ttrue\t10.1000/A\t\t\n",
        ),
    ]);
}

#[test]
fn fields_of_json_lines_are_read() {
    each(&[
        (
            "$D check -q --field DOI t.jsonl 2> e; echo $?; cat e",
            0,
            "10.1000/a\ttrue\t10.1000/A\t\t\t1\n\t\t\tmissing\t\t2\n\
             10.1234\tfalse\t\tseparator: expected \"/\", found the end at byte 8\t\t4\n3\n\
             doiscan: t.jsonl:5: expected a JSON object: EOF while parsing an object at byte 13\n\
             doiscan: t.jsonl:6: expected a JSON object, found an array; write its objects one a line: jq -c '.[]'\n",
        ),
        (
            "$D check -q --field /m/d t.jsonl 2> e",
            3,
            "10.1000/b\ttrue\t10.1000/B\t\t\t1\nx\tfalse\t\tdoes not begin with 10.: found \"x\" at byte 1\t\t1\n\
             \t\t\tmissing\t\t2\n\t\t\tmissing\t\t4\n",
        ),
        (
            "$D check -q --field DOI --keep-columns --valid t.jsonl 2> e",
            3,
            "{\"id\":1,\"DOI\":\"10.1000\\/a\",\"m\":{\"d\":[\"10.1000/b\",\"x\"]},\"check_valid\":true,\
             \"check_doi\":\"10.1000/A\",\"check_reason\":null,\"check_notes\":[]}\n",
        ),
        (
            "head -1 t.jsonl | $D convert --to url --field DOI --output-format csv -",
            0,
            "input,converted,reason\n10.1000/a,https://doi.org/10.1000/a,\n",
        ),
        ("head -1 t.jsonl | $D convert --to lower --field DOI", 0, "10.1000/a\n"),
    ]);
}

#[test]
fn lines_may_end_in_carriage_returns_alone() {
    let rows = "10.1000/a\ttrue\t10.1000/A\t\t\n10.1000/b\ttrue\t10.1000/B\t\t\n";
    let lines = "doi\tline\n10.1000/A\t1\n10.1000/B\t2\n10.1000/C\t4\n";
    let text = "printf '10.1000/a x\\r10.1000/b\\r\\rdoi:10.1000/c\\r' > m";
    let scan = |flags: &str| format!("{text}; $D scan -q m {flags} -o o --hits - | cut -f1,3");
    each(&[
        (&scan(""), 0, lines),
        (&scan("--chunk-size 5 -j 3"), 0, lines),
        ("printf '10.1000/a\\r10.1000/b\\r' | $D check -q -", 0, rows),
    ]);
}

#[test]
fn places_count_from_the_first_byte_of_the_file() {
    let table = "printf '\\357\\273\\277doi,t\\n10.1000/a,\"x\\n' > b.csv";
    let quote = "1 cell with an unclosed quote; the first at byte 19; cells near it may be shifted";
    let said = format!("doiscan: b.csv: {quote}\n");
    for command in ["check", "scan"] {
        let line = format!("{table}; $D {command} -q --column doi b.csv -o o.txt 2>&1");
        each(&[(&line, 3, &said)]);
    }
}

#[test]
fn values_may_end_with_zero_bytes() {
    each(&[(
        "$D check -q -0 zeros",
        0,
        &format!(
            "10.1000/a\ttrue\t10.1000/A\t\t\n\
             a\\nb\tfalse\t\tdoes not begin with 10.: found \"a\" at byte 1\t\n{BLANK}"
        ),
    )]);
}

#[test]
fn a_value_with_several_dois_lists_them() {
    let reason = "value: expected one DOI, found more at byte 11";
    each(&[
        (
            "$D check -q two --fail-on several-dois",
            1,
            &format!(
                "10.1000/a 10.1000/b\tfalse\t\t{reason}; 2 DOIs: 10.1000/A 10.1000/B\tseveral-dois\n"
            ),
        ),
        (
            "$D check -q two --output-format jsonl",
            0,
            &format!(
                "{{\"input\":\"10.1000/a 10.1000/b\",\"valid\":false,\"doi\":null,\"reason\":\"{reason}\",\
                 \"notes\":[\"several-dois\"],\"dois\":[\"10.1000/A\",\"10.1000/B\"]}}\n"
            ),
        ),
    ]);
}

#[test]
fn flags_that_contradict_each_other_say_what_to_type() {
    let folder = folder();
    for (line, words) in [
        ("check --column dio t.csv", "t.csv: no column \"dio\"; it has: id, doi, title"),
        (
            "check --column dio - < t.csv",
            "indicates CSV or TSV; leave the input out, or set --format csv",
        ),
        (
            "check --column 2 - < t.csv",
            "indicates CSV or TSV; leave the input out, or set --format csv",
        ),
        ("check --column doi --no-header t.csv", "--no-header needs a column number"),
        ("check --column 2 headless.tsv", "if it is not a header, use --no-header"),
        ("check --format csv t.csv", "need a column: add --column NAME"),
        ("check --format jsonl t.jsonl", "needs a field: add --field NAME"),
        ("check --format lines --column 1 t.csv", "set --format csv or tsv"),
        ("check --format csv --field DOI t.csv", "set --format jsonl"),
        ("check --keep-columns two", "--column NAME or --field NAME"),
        ("check --field DOI --keep-columns --output-format csv t.jsonl", "--output-format jsonl"),
        ("check --output-format lines two", "use tsv, csv or jsonl"),
        ("check two -o rows.csv.gz", "replace -o by: | gzip > rows.csv.gz"),
        ("check two -o rows.parquet", "expected a name that ends in .csv, .tsv, .jsonl or .xlsx"),
        (
            "convert --to url --keep-columns --output-format lines --column doi t.csv",
            "--keep-columns cannot write lines",
        ),
    ] {
        let (status, out, err) = shell(folder.path(), &format!("$D {line}"));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{line}: {err}");
        assert!(err.contains(words), "{line}: {err}");
    }
}
