//! `index`, `check --known` and `prefixes`: known names.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use std::fs;
use std::path::Path;

const LIST: &str = "10.1000/182\n10.1016/J.CELL.2009.01.042\n10.1016/J.CELL.2009.11.42\n\
                    10.1038/NATURE12373\n";

/// A folder with a list and its index.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("list"), LIST).expect("write");
    assert_eq!(out(folder.path(), "$D index -q list -o known.doix"), "");
    folder
}

/// Runs a command that succeeds, and returns what it prints.
fn out(at: &Path, command: &str) -> String {
    let (status, out, err) = shell(at, command);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{command}: {out}");
    out
}

#[test]
fn an_index_is_the_same_for_every_form_of_its_lists() {
    let folder = folder();
    let at = folder.path();
    let expected = fs::read(at.join("known.doix")).expect("index");
    for make in [
        "$D merge -q list -o l.csv && $D index -q l.csv",
        "$D merge -q list -o l.jsonl.gz && $D index -q l.jsonl.gz",
        "$D merge -q list -o l.parquet && $D index -q l.parquet",
        "head -n 3 list > a && tail -n 2 list > b && $D index -q b a",
        "cat list | $D index -q -",
    ] {
        out(at, &format!("{make} -o other.doix"));
        assert_eq!(fs::read(at.join("other.doix")).expect("index"), expected, "{make}");
    }
    let (status, _, err) = shell(at, "$D index list -o other.doix --stats stats");
    assert_eq!(status, Some(0));
    let bytes = expected.len();
    assert_eq!(err, format!("4 DOIs from 4 lines of 1 list, {bytes} bytes\n"));
    let stats = fs::read_to_string(at.join("stats")).expect("stats");
    assert!(stats.contains("\"names\": 4"), "{stats}");
}

#[test]
fn a_list_that_cannot_be_indexed_leaves_the_old_index() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("damaged"), "10.1/A\nhello\n10.1/B\n").expect("write");
    fs::write(at.join("none"), "").expect("write");
    let before = fs::read(at.join("known.doix")).expect("index");
    for (lists, words) in [
        ("damaged", "damaged: line 2: \"hello\" is not a DOI"),
        ("none", "--allow-empty replaces it"),
        ("missing", "missing: "),
        ("known.doix", "--output would replace an input"),
    ] {
        let (status, out, err) = shell(at, &format!("$D index {lists} -o known.doix"));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{lists}");
        assert!(err.contains(words), "{lists}: {err}");
        assert_eq!(fs::read(at.join("known.doix")).expect("index"), before, "{lists}");
    }
    out(at, "$D index -q none --allow-empty -o known.doix");
    assert_eq!(
        out(at, "$D check -q --known known.doix 10.1000/182"),
        "10.1000/182\ttrue\t10.1000/182\t\t\tunknown\t\n"
    );
}

#[test]
fn check_says_what_is_known_and_what_may_be_meant() {
    let folder = folder();
    let at = folder.path();
    let values = "printf '%s\\n' doi:10.1000/182 10.1016/j.cell.2009.01.42 'see 10.1038/nature12337' nothing 10.5555/far";
    let rows = out(at, &format!("{values} | $D check -q --known known.doix"));
    let last: Vec<_> =
        rows.lines().map(|row| row.split('\t').skip(5).collect::<Vec<_>>()).collect();
    assert_eq!(
        last,
        [
            ["known", ""],
            ["unknown", "10.1016/J.CELL.2009.01.042 10.1016/J.CELL.2009.11.42"],
            ["unknown", "10.1038/NATURE12373"],
            ["", ""],
            ["unknown", ""],
        ]
    );
    let rows = out(at, &format!("{values} | $D check -q --known known.doix --output-format jsonl"));
    assert!(rows.contains(r#""known":"unknown","nearest":["10.1038/NATURE12373"]"#), "{rows}");
    let kept = "printf 'id,doi\\n1,10.1000/182\\n2,\\n' | $D check -q --column doi --keep-columns --output-format csv --known known.doix";
    let rows = out(at, kept);
    let expected = "id,doi,check_valid,check_doi,check_reason,check_notes,check_known,check_nearest\n\
                    1,10.1000/182,true,10.1000/182,,,known,\n2,,,,missing,,,\n";
    assert_eq!(rows, expected);
    let (status, _, err) = shell(at, &format!("{values} | $D check --known known.doix"));
    assert_eq!(status, Some(0));
    assert!(err.contains("1 known, 3 unknown"), "{err}");
}

#[test]
fn unknown_names_can_fail_a_check() {
    let folder = folder();
    let at = folder.path();
    let status = |command: &str| shell(at, command).0;
    assert_eq!(status("$D check -q --known known.doix --fail-on unknown 10.1000/182"), Some(0));
    assert_eq!(status("$D check -q --known known.doix --fail-on unknown 10.1000/183"), Some(1));
    let (status, _, err) = shell(at, "$D check -q --fail-on unknown 10.1000/183");
    assert_eq!(status, Some(2));
    assert!(err.contains("--fail-on unknown needs an index: add --known INDEX"), "{err}");
}

#[test]
fn several_indexes_are_asked_as_one() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("more"), "10.1000/183\n10.1000/abc\n").expect("write");
    out(at, "$D index -q more -o more.doix");
    let both = "$D check -q --known known.doix --known more.doix";
    for (value, expected) in [
        ("10.1000/182", "known\t"),
        ("10.1000/ABC", "known\t"),
        ("10.1000/AB", "unknown\t10.1000/ABC"),
        ("10.1000/1本82", "unknown\t10.1000/182"),
        ("10.1000/18", "unknown\t10.1000/182 10.1000/183"),
    ] {
        let row = out(at, &format!("{both} {value}"));
        assert!(row.ends_with(&format!("\t{expected}\n")), "{row}");
    }
}

#[test]
fn prefixes_of_a_list_are_those_of_its_index() {
    let folder = folder();
    let at = folder.path();
    let by_count = "prefix\tnames\n10.1016\t2\n10.1000\t1\n10.1038\t1\n";
    fs::write(at.join("twice"), LIST.replace("10.1000/182\n", "10.1000/182\n10.1000/182\n"))
        .expect("write");
    for input in ["list", "known.doix", "- < list", "twice"] {
        assert_eq!(out(at, &format!("$D prefixes -q {input}")), by_count, "{input}");
        let rows = out(at, &format!("$D prefixes -q --sort prefix --output-format csv {input}"));
        assert_eq!(rows, "prefix,names\n10.1000,1\n10.1016,2\n10.1038,1\n", "{input}");
    }
    out(at, "$D prefixes -q known.doix -o p.jsonl");
    let rows = fs::read_to_string(at.join("p.jsonl")).expect("rows");
    assert!(rows.starts_with("{\"prefix\":\"10.1016\",\"names\":2}\n"), "{rows}");
    let (status, _, err) = shell(at, "$D prefixes list");
    assert_eq!((status, err.as_str()), (Some(0), "3 prefixes of 4 DOIs\n"));
    let (status, _, err) = shell(at, "$D prefixes list -o p.parquet");
    assert_eq!(status, Some(2));
    assert!(err.contains("expected a name that ends in .csv, .tsv, .jsonl or .xlsx"), "{err}");
}

#[test]
fn a_damaged_index_is_an_error_with_its_path() {
    let folder = folder();
    let at = folder.path();
    let sound = fs::read(at.join("known.doix")).expect("index");
    fs::write(at.join("old"), "kept").expect("write");
    for change in [20, sound.len() / 2, sound.len() - 3] {
        let mut bytes = sound.clone();
        bytes[change] ^= 4;
        fs::write(at.join("bad.doix"), bytes).expect("write");
        for command in
            ["check -q --known bad.doix 10.1000/182 -o old", "prefixes -q bad.doix -o old"]
        {
            let (status, _, err) = shell(at, &format!("$D {command}"));
            assert_eq!(status, Some(2), "byte {change}: {command}");
            assert!(err.contains("bad.doix: the index is damaged"), "{err}");
            assert_eq!(fs::read_to_string(at.join("old")).expect("old"), "kept");
        }
    }
    fs::write(at.join("old.doix"), "doiscan index 1\nand more").expect("write");
    for (name, words) in [
        ("list", "list: is not an index"),
        ("missing", "missing: No such file"),
        ("old.doix", "make it anew of its lists: doiscan index LIST -o old.doix"),
    ] {
        let (status, _, err) = shell(at, &format!("$D check --known {name} 10.1000/182"));
        assert_eq!(status, Some(2));
        assert!(err.contains(words), "{err}");
    }
    let (status, _, err) = shell(at, "$D check 10.1000/182 --known known.doix -o known.doix");
    assert_eq!(status, Some(2));
    assert!(err.contains("--output would replace an input: known.doix"), "{err}");
}

/// Neither its name nor its first bytes alone make an index text.
#[test]
fn a_damaged_index_is_not_merged_as_text() {
    let folder = folder();
    let at = folder.path();
    let mut bytes = fs::read(at.join("known.doix")).expect("index");
    bytes[..16].fill(b'x');
    for name in ["bad.doix", "bad"] {
        fs::write(at.join(name), &bytes).expect("write");
        let (status, out, err) = shell(at, &format!("$D merge list {name}"));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{name}");
        assert!(err.contains(&format!("{name}: the index is damaged")), "{err}");
        assert_eq!(shell(at, &format!("$D scan {name} list -o o.txt")).0, Some(3), "{name}");
    }
    fs::write(at.join("bad.doix"), "x").expect("write");
    let (status, _, err) = shell(at, "$D merge list bad.doix");
    assert_eq!(status, Some(2));
    assert!(err.contains("bad.doix: is not an index"), "{err}");
}

#[test]
fn a_scan_of_a_folder_does_not_read_its_index() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("in")).expect("folder");
    fs::copy(at.join("known.doix"), at.join("in/known.doix")).expect("copy");
    fs::write(at.join("in/text"), "see 10.1000/999").expect("write");
    assert_eq!(out(at, "$D scan -q in"), "10.1000/999\n");
}

#[test]
fn an_index_is_no_text() {
    let folder = folder();
    let at = folder.path();
    let words = "is an index of doiscan, whose names are no text; use doiscan merge to write them";
    fs::write(at.join("text"), "see 10.1000/999").expect("write");
    for command in [
        "$D scan text known.doix",
        "$D scan text - < known.doix",
        "gzip -c known.doix > k.gz; $D scan text k.gz",
        "echo known.doix | $D scan text --files-from -",
        "$D check text known.doix",
        "$D convert --to url text known.doix",
    ] {
        let (status, out, err) = shell(at, command);
        assert!(matches!(status, Some(1..=3)), "{command}: {status:?}");
        assert!(err.contains(words), "{command}: {err}");
        assert!(out.matches("10.1000/").count() <= 2, "{command}: {out}");
    }
}
