//! The formats of lists, and that `merge` and `diff` read each of them.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{is_for_windows, shell};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Names with all characters that a format must quote.
const LIST: &str = "10.1000/\"A,B\"\n10.1000/182\n10.1000/A\\B\n10.1000/É%2541\n";

/// Suffixes of outputs, and the start of the file.
const FORMS: [(&str, &[u8]); 9] = [
    ("txt", b"10.1000/\"A,B\"\n10."),
    ("csv", b"doi\n\"10.1000/\"\"A,B\"\"\"\n10."),
    ("tsv", b"doi\n10.1000/\"A,B\"\n10."),
    ("jsonl", b"{\"doi\":\"10.1000/\\\"A,B\\\"\"}\n{"),
    ("txt.gz", b"\x1f\x8b"),
    ("csv.gz", b"\x1f\x8b"),
    ("jsonl.zst", b"\x28\xb5\x2f\xfd"),
    ("tsv.zst", b"\x28\xb5\x2f\xfd"),
    ("parquet", b"PAR1"),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("list"), LIST).expect("write");
    folder
}

/// Runs a command that must succeed without messages.
fn quiet(at: &Path, command: &str) -> String {
    let (status, out, err) = shell(at, command);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{command}");
    out
}

#[test]
fn merge_writes_and_reads_every_form() {
    let folder = folder();
    for (suffix, begin) in FORMS {
        quiet(folder.path(), &format!("$D merge -q list -o a.{suffix}"));
        let bytes = fs::read(folder.path().join(format!("a.{suffix}"))).expect("read");
        assert!(bytes.starts_with(begin), "{suffix}: {}", String::from_utf8_lossy(&bytes));
        assert_eq!(quiet(folder.path(), &format!("$D merge -q a.{suffix}")), LIST, "{suffix}");
        assert_eq!(quiet(folder.path(), &format!("$D diff -q list a.{suffix}")), "", "{suffix}");
    }
}

#[test]
fn scan_writes_every_form() {
    let folder = folder();
    let at = folder.path();
    for (suffix, _) in FORMS {
        // For Parquet, more than one row group.
        let count = if suffix == "parquet" { 140_000 } else { 20_000 };
        let text: String = (0..count).map(|i| format!("doi:10.1000/{i:06}\n")).collect();
        let expected: String = (0..count).map(|i| format!("10.1000/{i:06}\n")).collect();
        fs::write(at.join("in"), text).expect("write");
        let mut first = None;
        for flags in ["-j 1", "-j 2 -S 1K"] {
            quiet(at, &format!("$D scan -q {flags} in -o a.{suffix}"));
            let bytes = fs::read(at.join(format!("a.{suffix}"))).expect("read");
            assert!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{suffix} {flags}");
        }
        assert!(quiet(at, &format!("$D merge -q a.{suffix}")) == expected, "{suffix}");
    }
}

#[test]
fn an_empty_list_has_every_form() {
    let folder = folder();
    fs::write(folder.path().join("none"), "no name").expect("write");
    for (suffix, _) in FORMS {
        quiet(folder.path(), &format!("$D scan -q none -o a.{suffix}"));
        assert_eq!(quiet(folder.path(), &format!("$D merge -q a.{suffix}")), "", "{suffix}");
    }
}

#[test]
fn the_form_can_be_named() {
    let folder = folder();
    let at = folder.path();
    let out = quiet(at, "$D merge -q list --output-format csv | head -2");
    assert_eq!(out, "doi\n\"10.1000/\"\"A,B\"\"\"\n");
    quiet(at, "$D merge -q list --output-format lines -o a.csv");
    assert_eq!(fs::read_to_string(at.join("a.csv")).expect("read"), LIST);
    let (status, _, err) = shell(at, "$D merge list -o a.parquet.zst");
    assert_eq!(status, Some(2));
    let words = "already compressed";
    assert!(err.contains("a.parquet.zst") && err.contains(words), "{err}");
}

/// Two inputs with hits in several notations, and rejects.
const FIRST: &str = "see doi:10.1000/ABC, 10.5 %\n{\"DOI\":\"10.1000\\/abc\"}\n\n10.1000/\n";
const SECOND: &str = "<doi>10.1000/abc</doi> at https://doi.org/10.1000/Z\u{2010}1 x\n";

fn two_inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("b"), FIRST).expect("write");
    fs::write(folder.path().join("a"), SECOND).expect("write");
    folder
}

#[test]
fn counts_hits_and_rejects() {
    let folder = two_inputs();
    let at = folder.path();
    quiet(at, "$D scan -q b a --counts -o c.tsv --hits h.tsv --rejects r.tsv");
    let read = |name| fs::read_to_string(at.join(name)).expect("read");
    assert_eq!(
        read("c.tsv"),
        "doi\tcount\tinputs\tinput\toffset\traw\n\
         10.1000/ABC\t3\t2\ta\t5\t10.1000/abc\n\
         10.1000/Z-1\t1\t1\ta\t42\t10.1000/Z\u{2010}1\n"
    );
    assert_eq!(
        read("h.tsv"),
        "doi\tinput\tline\toffset\tlength\traw\trepairs\tnotation\tpart\n\
         10.1000/ABC\ta\t1\t5\t11\t10.1000/abc\t\telement\t\n\
         10.1000/ABC\tb\t1\t8\t11\t10.1000/ABC\t\tlabel\t\n\
         10.1000/ABC\tb\t2\t36\t12\t10.1000\\/abc\t\tquoted\t\n\
         10.1000/Z-1\ta\t1\t42\t13\t10.1000/Z\u{2010}1\tcompatibility\taddress\t\n"
    );
    assert_eq!(
        read("r.tsv"),
        "input\tline\toffset\treason\traw\tbefore\tpart\n\
         b\t1\t21\tno-separator\t10.5\tsee doi:10.1000/ABC, \t\n\
         b\t4\t52\tno-suffix\t10.1000/\t 10.5 %\\x0A{\"DOI\":\"10.1000\\/abc\"}\\x0A\\x0A\t\n"
    );
}

#[test]
fn rows_have_the_same_bytes_however_they_are_made() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let line = |i: u64| format!("10.{}/{} x\n10.{i} y\n", 1000 + i % 7, i * 7_919 % 2_000);
    fs::write(at.join("a"), (0..4_000).map(line).collect::<String>()).expect("write");
    fs::write(at.join("b"), (900..3_000).map(line).collect::<String>()).expect("write");
    let files = |suffix: &str| ["c", "h", "r"].map(|name| format!("{name}.{suffix}"));
    for (suffix, _) in FORMS.into_iter().filter(|(suffix, _)| !suffix.starts_with("txt")) {
        let [c, h, r] = files(suffix);
        let mut first = None;
        for flags in
            ["-j 1 a b", "-j 2 -S 1K b a", "-j 3 --chunk-size 5000 a b", "-j 2 --io read a b"]
        {
            quiet(at, &format!("$D scan -q {flags} --counts -o {c} --hits {h} --rejects {r}"));
            let bytes = files(suffix).map(|name| fs::read(at.join(name)).expect("read"));
            assert!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{suffix} {flags}");
        }
    }
    // The list with counts contains the names of the plain list.
    quiet(at, "$D scan -q a b -o list");
    assert_eq!(quiet(at, "$D diff -q list c.csv"), "");
    let sum = |name: &str, column: usize| -> u64 {
        let text = fs::read_to_string(at.join(name)).expect("read");
        let cells = text.lines().skip(1).map(|line| line.split('\t').nth(column).expect("cell"));
        cells.map(|cell| cell.parse::<u64>().expect("number")).sum()
    };
    let rows = |name| fs::read_to_string(at.join(name)).expect("read").lines().count() as u64 - 1;
    assert_eq!(sum("c.tsv", 1), rows("h.tsv"));
    assert_eq!(rows("h.tsv") + rows("r.tsv"), 2 * (4_000 + 2_100));
}

#[test]
fn inputs_in_archives_have_their_names_and_any_bytes_are_escaped() {
    let folder = two_inputs();
    let at = folder.path();
    // Names on Windows are text without line ends.
    let (odd, escaped) = match is_for_windows() {
        true => ("n", "n"),
        false => ("$(printf 'n\\nl\\377')", "n\\x0Al\\xFF"),
    };
    let script = format!(
        "mkdir d && cp a d/m && tar cf - d | gzip > x.tgz && cp a \"{odd}\" && \
         $D scan -q x.tgz \"{odd}\" -o l --hits - | cut -f2 | sort | uniq -c"
    );
    let out = quiet(at, &script);
    let lines: Vec<&str> = out.lines().map(str::trim).collect();
    assert_eq!(lines, ["1 input", &format!("2 {escaped}"), "2 x.tgz!d/m"]);
}

#[test]
fn utf_16_has_the_places_of_its_text() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "\u{feff}\u{e9}\n10.1000/abc\n";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("in"), bytes).expect("write");
    let out = quiet(folder.path(), "$D scan -q in -o l --hits - | cut -f2-6");
    assert!(out.ends_with("\nin\t2\t3\t11\t10.1000/abc\n"), "{out}");
}

#[test]
fn a_refused_list_leaves_the_old_rows() {
    let folder = two_inputs();
    let at = folder.path();
    let files = ["c.csv", "h.csv", "r.csv", "s"];
    let scan = "$D scan -q a b --counts -o c.csv --hits h.csv --rejects r.csv --short-doi s";
    files.iter().for_each(|name| fs::write(at.join(name), "old").expect("write"));
    let is_old = |name: &&str| fs::read(at.join(name)).expect("read") == b"old";
    let (status, _, err) = shell(at, &format!("{scan} --fail-on 'distinct < 3'"));
    assert!(status == Some(1) && err.contains("2 < 3"), "{err}");
    assert!(files.iter().all(is_old));
    quiet(at, scan);
    assert!(!files.iter().any(is_old));
}

/// Returns the rows of `name` without the column of times.
fn without_times(at: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(at.join(name)).expect("read");
    let header: Vec<&str> = text.lines().next().expect("a header").split('\t').collect();
    let time = header.iter().position(|name| *name == "microseconds").expect("a column");
    let row = |line: &str| {
        let mut cells: Vec<&str> = line.split('\t').collect();
        cells.remove(time);
        // The columns of reasons are checked by their sum.
        let zeros = cells[6..].iter().filter(|cell| **cell == "0").count();
        // The problem and the number of distinct DOIs are the last.
        format!("{} {} {zeros}", cells[..6].join(" "), cells[cells.len() - 2..].join(" "))
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn each_input_has_its_row() {
    let folder = two_inputs();
    let at = folder.path();
    let long = "10.1000/abc 10.5 x\n".repeat(40_000);
    fs::write(at.join("long"), &long).expect("write");
    let script = "mkdir d && cp a b d && tar cf - d long | gzip > x.tgz && : > empty && gzip < long | head -c 900 > cut.gz";
    assert_eq!(shell(at, script).0, Some(0));
    let mut first = None;
    for flags in ["-j 1", "-j 2 -S 1K", "-j 2 --chunk-size 4000"] {
        let scan = format!(
            "$D scan -q {flags} x.tgz b long a cut.gz empty -o list --stats-inputs i.tsv --stats s"
        );
        let (status, _, _) = shell(at, &scan);
        assert_eq!(status, Some(3));
        let rows = without_times(at, "i.tsv");
        assert!(*first.get_or_insert_with(|| rows.clone()) == rows, "{flags}: {rows:#?}");
        let stats = fs::read_to_string(at.join("s")).expect("read");
        assert!(stats.contains("\"per_input\": null"), "{stats}");
    }
    let rows = first.expect("rows");
    let begins: Vec<&str> = rows.iter().map(|row| row.split(' ').next().unwrap_or("")).collect();
    assert_eq!(
        begins,
        ["a", "b", "cut.gz", "empty", "long", "x.tgz!d/a", "x.tgz!d/b", "x.tgz!long"]
    );
    assert!(rows[0].starts_with("a 58 0 2 2 0  2 "), "{}", rows[0]);
    assert!(rows[1].starts_with("b 61 0 4 2 2  1 "), "{}", rows[1]);
    assert!(rows[2].contains("ends early"), "{}", rows[2]);
    assert!(rows[3].starts_with("empty 0 0 0 0 0  0 "), "{}", rows[3]);
    assert!(rows[4].starts_with("long 760000 0 80000 40000 40000  1 "), "{}", rows[4]);
    assert_eq!(rows[7].replace("x.tgz!", ""), rows[4]);
    let text = shell(at, "$D scan -q b a -o list --stats s; tr -d '\\n ' < s").1;
    let of_a = "{\"accepted\":2,\"bytes\":58,\"bytes_lost\":0,\"candidates\":2,\"distinct\":null,\"input\":\"a\",\"problem\":null";
    assert!(text.contains(of_a), "{text}");
    assert!(text.contains("\"rejected\":{\"no-separator\":1,\"no-suffix\":1}"), "{text}");
}

#[test]
fn hostile_inputs_have_the_right_rows() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    // A candidate as long as several chunks, many rejects in one line, and names of the maximum
    // length.
    let long = format!("x 10.1234/{} y\n", "a".repeat(5_000_000));
    let rejects = "10.5 ".repeat(100_000);
    let names: String = (0..2_000).map(|i| format!("10.1234/{i:07}{:N>2033}\n", "")).collect();
    for (name, text) in [("long", &long), ("rejects", &rejects), ("names", &names)] {
        fs::write(at.join(name), text).expect("write");
    }
    let scan = "$D scan -q -S 1M long rejects names -o list --hits h.tsv --rejects r.tsv";
    quiet(at, scan);
    let text = |name: &str| fs::read_to_string(at.join(name)).expect("read");
    let (hits, refused) = (text("h.tsv"), text("r.tsv"));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let first = cells(refused.lines().nth(1).expect("a row"));
    assert_eq!(first[..4], ["long", "1", "2", "too-long"]);
    assert_eq!((first[4].len(), first[5].as_str()), (256, "x "));
    for (index, line) in refused.lines().skip(2).enumerate() {
        let row = cells(line);
        assert_eq!(row[..4], ["rejects", "1", &(5 * index).to_string(), "no-separator"]);
    }
    assert_eq!(refused.lines().count(), 100_002);
    for (index, line) in hits.lines().skip(1).enumerate() {
        let row = cells(line);
        let (at, offset) = ((index + 1).to_string(), (index * 2_049).to_string());
        assert_eq!(row[1..5], ["names", at.as_str(), offset.as_str(), "2048"]);
    }
    assert_eq!((hits.lines().count(), text("list").lines().count()), (2_001, 2_000));
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let folder = two_inputs();
    for (flags, words) in [
        ("--counts", "--counts needs a table"),
        ("--counts -o list", "--counts needs a table"),
        ("--hits h.txt", "--hits h.txt: expected a name that ends in .csv"),
        ("--rejects r", "--rejects r: expected a name"),
        ("--hits x.csv --rejects x.csv", "are the same file"),
    ] {
        let (status, _, err) = shell(folder.path(), &format!("$D scan a {flags}"));
        assert!(status == Some(2) && err.contains(words), "{flags}: {err}");
    }
}

#[test]
fn a_suffix_of_what_is_not_written_is_an_error() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    std::fs::write(at.join("in"), "10.1000/182\n").expect("write");
    for line in [
        "scan in -o x.csv.xz",
        "scan in -o x.bz2 --output-format csv",
        "scan in -o x --hits h.tar",
        "scan in -o x --eidr e.xz",
        "scan in -o x --short-doi s.zip",
        "merge in -o x.7z",
        "check in -o x.csv.xz",
        "convert --to url in -o x.br",
    ] {
        let (status, _, err) = shell(at, &format!("$D {line}"));
        assert_eq!(status, Some(2), "{line}");
        let is_said = |words: &&str| err.contains(words);
        let words = ["files cannot be written; .csv, .tsv", "expected a name that ends in "];
        assert!(words.iter().any(is_said), "{line}: {err}");
        assert_eq!(std::fs::read_dir(at).expect("list").count(), 1, "{line}");
    }
}

#[test]
fn short_dois_are_written_in_the_form_that_their_file_names() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    std::fs::write(at.join("in"), "10.1000/182 doi:10/f77\n").expect("write");
    assert_eq!(shell(at, "$D scan -q in -o x --short-doi s.csv.gz").0, Some(0));
    assert_eq!(shell(at, "gzip -dc s.csv.gz").1, "doi\n10/f77\n");
}

#[cfg(target_os = "linux")]
#[test]
fn rejects_of_a_dense_window_stay_within_the_limit_of_memory() {
    let folder = tempfile::tempdir().expect("folder");
    // Half a million candidates of five bytes.
    fs::write(folder.path().join("in"), "10.9 ".repeat(500_000)).expect("write");
    for rejects in ["r.csv", "r.csv.zst"] {
        let line = format!(
            "$D scan -q in -j 1 -S 16M --io read --allow-empty -o l --rejects {rejects} --stats s"
        );
        let (status, _, err) = shell(folder.path(), &line);
        assert_eq!(status, Some(0), "{err}");
        let stats = fs::read(folder.path().join("s")).expect("stats");
        let stats: serde_json::Value = serde_json::from_slice(&stats).expect("JSON");
        assert!(stats["rejected_total"].as_u64() > Some(400_000), "{stats}");
        // Half of what the records take.
        let peak = stats["peak_memory"].as_u64().expect("Linux tells it");
        assert!(peak < 80 << 20, "{rejects}: {peak}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn rows_stay_within_the_bound_of_memory() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let dois: String = (0..150_000_u64)
        .map(|n| format!("10.{}/j.{:x} 10.{n}\n", 1_000 + n % 9_000, n * 2_654_435_761))
        .collect();
    fs::write(at.join("in"), dois).expect("write");
    let most = crate::command::of_the_process(at) + (55 << 20);
    for rows in [
        "--hits h.csv",
        "--rejects r.csv.gz",
        "--hits h.jsonl.zst --rejects r.tsv",
        "--hits h.parquet --rejects r.parquet",
    ] {
        let line = format!("$D scan -q in -j 2 -S 1M -o l {rows} --stats s");
        let (status, _, err) = shell(at, &line);
        assert_eq!(status, Some(0), "{err}");
        let stats: serde_json::Value =
            serde_json::from_slice(&fs::read(at.join("s")).expect("stats")).expect("JSON");
        let peak = stats["peak_memory"].as_u64().expect("Linux tells it");
        assert!(peak < most, "{rows}: {peak}");
    }
}

/// Each candidate of a chain is a row, and the rows stay short. Of a run of `10.` only the first is one.
#[test]
fn a_chain_of_candidates_has_short_rows() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let text = "10.".repeat(20_000) + "x " + &"10.1".repeat(20_000);
    fs::write(at.join("in"), &text).expect("write");
    let mut first = None;
    for flags in ["", "-j 1 --io read", "--chunk-size 1000 -j 8", "--chunk-size 4097 -S 1K"] {
        let line = format!("$D scan -q in --allow-empty -o l {flags} --rejects r.csv --stats s");
        let (status, _, err) = shell(at, &line);
        assert_eq!(status, Some(0), "{err}");
        let stats: serde_json::Value =
            serde_json::from_slice(&fs::read(at.join("s")).expect("stats")).expect("JSON");
        let rows = fs::read_to_string(at.join("r.csv")).expect("rows");
        assert_eq!(rows.lines().count() as u64, 1 + stats["rejected_total"].as_u64().expect("u64"));
        assert_eq!(stats["rejected_total"].as_u64(), Some(20_001));
        assert!(rows.len() < 10 * text.len(), "{}", rows.len());
        assert_eq!(&rows, first.get_or_insert_with(|| rows.clone()), "{flags}");
    }
}

/// No cell of a table is run by a spreadsheet, and removing the apostrophe restores the text.
#[test]
fn no_cell_is_a_formula() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let text = "=2+5+cmd 10.5 x\n@SUM(10.6)\n-1 10.7\n+10.8 '=10.9\n";
    fs::write(at.join("=in"), text).expect("write");
    let line = "cat ./=in | $D scan -q --allow-empty -o l --rejects r.tsv && cat ./=in | $D scan \
                -q --allow-empty -o l --rejects r.jsonl && $D scan -q =in --allow-empty -o l \
                --rejects named.csv";
    assert_eq!(shell(at, line).0, Some(0));
    let read = |name: &str| fs::read_to_string(at.join(name)).expect("rows");
    let cells: Vec<String> = read("r.tsv")
        .lines()
        .skip(1)
        .map(|row| row.split('\t').nth(5).expect("before").to_owned())
        .collect();
    let texts: Vec<String> = read("r.jsonl")
        .lines()
        .map(|row| serde_json::from_str::<serde_json::Value>(row).expect("JSON"))
        .map(|row| row["before"].as_str().expect("text").to_owned())
        .collect();
    assert!(texts.iter().any(|text| text.starts_with('=')), "{texts:?}");
    for (cell, text) in cells.iter().zip(&texts) {
        let is_formula = text.starts_with(['=', '@', '+']) && text.len() > 1;
        let expected = if is_formula { format!("'{text}") } else { text.clone() };
        assert_eq!(cell, &expected);
    }
    assert!(read("named.csv").lines().skip(1).all(|row| row.starts_with("'=in,")));
    let (_, out, _) = shell(at, "printf '=1+1\\n@x\\n-5\\n' | $D check -q");
    let first = |row: &str| row.split('\t').next().unwrap_or_default().to_owned();
    assert_eq!(out.lines().map(first).collect::<Vec<_>>(), ["'=1+1", "'@x", "-5"]);
}

#[test]
fn names_are_listed_by_input() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::create_dir_all(at.join("in")).expect("a folder");
    let long: String = (0..30_000).map(|n| format!("doi:10.1000/{:05} ", n % 20_000)).collect();
    fs::write(at.join("in/long.txt"), long).expect("write");
    fs::write(at.join("in/b"), "10.1000/b 10.1000/B 10.1000/a\n").expect("write");
    // Windows has no quote in names.
    let odd = if is_for_windows() { "a,1" } else { "a,\"1" };
    fs::write(at.join("in").join(odd), "10.1000/b\n10.1000/\n").expect("write");
    fs::write(at.join("in/none"), "nothing\n").expect("write");
    let (status, _, err) =
        shell(at, "tar czf in/t.tgz -C in b none && gzip -c in/b | head -c 20 > in/cut.gz");
    assert_eq!(status, Some(0), "{err}");
    let all: String = (0..20_000).map(|n| format!("in/long.txt,10.1000/{n:05}\n")).collect();
    let expected = format!(
        "input,doi\n\"in/{}\",10.1000/B\nin/b,10.1000/A\nin/b,10.1000/B\n{all}in/t.tgz!b,10.1000/A\nin/t.tgz!b,10.1000/B\n",
        odd.replace('"', "\"\"")
    );
    let distinct = [
        (odd, 1),
        ("b", 2),
        ("cut.gz", 0),
        ("long.txt", 20_000),
        ("none", 0),
        ("t.tgz!b", 2),
        ("t.tgz!none", 0),
    ];
    for flags in [
        "-j 1",
        "-j 2 --chunk-size 4096",
        "-j 2 -S 1K",
        "--counts -o l.csv",
        "--state S",
        "--state S",
        "--state S --lower",
    ] {
        let lower = flags.contains("lower");
        let line =
            format!("$D scan in -q -o l.txt {flags} --per-input p.csv --stats-inputs i.jsonl")
                .replace("-o l.txt --counts", "--counts")
                .replace("--lower", "--case lower");
        let (status, _, err) = shell(at, &line);
        assert_eq!(status, Some(3), "{err}");
        let pairs = fs::read_to_string(at.join("p.csv")).expect("pairs").replace('\\', "/");
        let pairs =
            if lower { pairs.replace("/a\n", "/A\n").replace("/b\n", "/B\n") } else { pairs };
        assert!(pairs == expected, "{flags}: {}", &pairs[..200.min(pairs.len())]);
        let rows = fs::read_to_string(at.join("i.jsonl")).expect("rows");
        let rows: Vec<serde_json::Value> =
            rows.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect();
        let found = rows
            .iter()
            .map(|row| (row["input"].as_str().expect("a name"), row["distinct"].as_u64()))
            .map(|(name, distinct)| (name.replace('\\', "/"), distinct));
        let expected = distinct.map(|(name, n)| (format!("in/{name}"), Some(n)));
        assert!(found.eq(expected), "{flags}: {rows:?}");
    }
}

#[test]
fn distinct_names_are_counted_by_input_where_they_are_known() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::create_dir_all(at.join("in")).expect("a folder");
    fs::write(at.join("in/b"), "10.1000/b 10.1000/B 10.1000/a\n").expect("write");
    // A state keeps no names of inputs for the figures alone.
    assert_eq!(shell(at, "$D scan in -q -o l.txt --state T --stats-inputs i.tsv").0, Some(0));
    assert!(!fs::read_to_string(at.join("i.tsv")).expect("rows").contains("distinct"));
    assert_eq!(shell(at, "$D scan in -q -o l.txt --stats-inputs i.tsv").0, Some(0));
    assert!(fs::read_to_string(at.join("i.tsv")).expect("rows").contains("\tdistinct\n"));
    // The record has the number if it is known.
    for (flags, expected) in [("", "null"), ("--per-input p.parquet", "2")] {
        assert_eq!(
            shell(at, &format!("$D scan in/b -q -o l.txt --stats s.json {flags}")).0,
            Some(0)
        );
        let record = fs::read_to_string(at.join("s.json")).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        assert_eq!(record["per_input"][0]["distinct"].to_string(), expected);
    }
    let (status, _, err) = shell(at, "$D scan in -o l.txt --per-input p.txt");
    assert_eq!(status, Some(2));
    assert!(err.contains("--per-input p.txt: expected a name that ends in .csv"), "{err}");
}

/// A list with counts and spellings, and what its hits say.
fn spellings(at: &Path, flags: &str) -> (String, String) {
    quiet(at, &format!("$D scan -q in --counts --spelling -o s.tsv --hits h.tsv {flags}"));
    let read = |name| fs::read_to_string(at.join(name)).expect("rows");
    let mut counts: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for row in read("h.tsv").lines().skip(1) {
        let cells: Vec<_> = row.split('\t').collect();
        *counts.entry(cells[0].into()).or_default().entry(cells[5].into()).or_default() += 1;
    }
    // Of equals, `max_by_key` takes the last.
    let most = |of: &BTreeMap<String, u64>| {
        of.iter().rev().max_by_key(|(_, count)| **count).map(|(text, _)| text.clone())
    };
    let expected = counts.iter().map(|(doi, of)| format!("{doi}\t{}\n", most(of).expect("one")));
    (read("s.tsv"), expected.collect())
}

#[test]
fn the_most_frequent_spelling_of_each_doi_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::create_dir(at.join("in")).expect("a folder");
    let mut random = 1_u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % below
    };
    for file in 0..9 {
        let mut text = String::new();
        for _ in 0..400 {
            let forms =
                ["10.1000/abc", "10.1000/ABC", "10.1000/aBc", "10.1000%2Fabc", "10.1000\\/Abc"];
            let _ = writeln!(text, "\"{}{}\"", forms[next(5) as usize], next(70));
        }
        fs::write(at.join(format!("in/{file}.txt")), text).expect("write");
    }
    fs::write(at.join("in/tie.txt"), "10.1000/x 10.1000/X\n").expect("write");
    assert_eq!(shell(at, "cd in && tar cf t.tar 1.txt 2.txt && gzip 3.txt").0, Some(0));
    let (first, _) = spellings(at, "");
    assert!(first.ends_with("10.1000/X\t2\t1\tin/tie.txt\t0\t10.1000/x\t10.1000/X\n"), "{first}");
    for flags in ["-j 1", "-j 8 --chunk-size 100", "-j 2 -S 1K", "--state st", "--state st"] {
        let (rows, expected) = spellings(at, flags);
        assert_eq!(rows, first, "{flags}");
        assert_eq!(quiet(at, "cut -f 1,7 s.tsv | tail -n +2"), expected, "{flags}");
    }
    // What it adds is one column.
    quiet(at, "$D scan -q in --counts -o c.tsv");
    assert_eq!(quiet(at, "cut -f 1-6 s.tsv | cmp - c.tsv"), "");
    // Spellings of files that are gone do not count.
    assert_eq!(shell(at, "rm in/4.txt in/t.tar && cat in/5.txt >> in/6.txt").0, Some(0));
    let (rows, expected) = spellings(at, "--state st");
    assert_eq!((spellings(at, ""), rows == first), ((rows, expected), false));
    quiet(at, "$D index -q c.tsv -o k.doix");
    quiet(at, "$D scan -q in --counts --spelling --known k.doix -o s.csv --case lower");
    let head = quiet(at, "head -n 2 s.csv | cut -d , -f 1,2,7,8");
    assert_eq!(head.lines().next(), Some("doi,count,spelling,known"));
    assert!(head.ends_with(",known\n"), "{head}");
    let (status, _, err) = shell(at, "$D scan in --spelling -o x.csv");
    assert!(status == Some(2) && err.contains("--counts"), "{err}");
}

#[test]
fn the_summary_of_a_table_says_in_which_case_dois_are() {
    let folder = folder();
    let (upper, lower) = ("upper case; --case lower writes", "lower case, as those of");
    for (suffix, flags, words) in [
        ("csv", "", upper),
        ("parquet", "", upper),
        ("xlsx", "--counts", upper),
        ("csv.gz", "--case lower", lower),
        ("jsonl", "--case lower", lower),
        ("txt", "", ""),
    ] {
        let (_, _, err) = shell(folder.path(), &format!("$D scan list -o a.{suffix} {flags}"));
        let line = err.lines().find(|line| line.contains(" case")).unwrap_or_default();
        assert!(line.contains(words) && line.is_empty() == words.is_empty(), "{suffix}: {err}");
    }
}
