//! `scan --known`: names that an index has.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use std::fs;
use std::path::Path;
use std::time::Duration;

const TEXT: &str = "see 10.1000/182, 10.1000/abc.The, 10.1016/j.cell.2009.01.\n042 and 10.1000/x\n\
                    seen10.1000/182 and 10.1000/y, 10.1000/x.\n";

const ALL: &str = "10.1000/182\n10.1000/ABC\n10.1016/J.CELL.2009.01.042\n";

/// A folder with a text and an index.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join("t.txt"), TEXT).expect("write");
    fs::write(at.join("all.txt"), ALL).expect("write");
    assert_eq!(shell(at, "$D index -q all.txt -o known.doix").0, Some(0));
    folder
}

/// Runs a command that succeeds, and returns what it prints and says.
fn run(at: &Path, command: &str) -> (String, String) {
    let (status, out, err) = shell(at, command);
    assert_eq!(status, Some(0), "{command}: {err}");
    (out, err)
}

#[test]
fn known_names_are_taken_and_the_others_counted() {
    let folder = folder();
    let at = folder.path();
    let (out, err) = run(at, "$D scan t.txt --known known.doix --stats s");
    let rest = "10.1000/182\n10.1000/ABC\n10.1000/X\n10.1000/Y\n10.1016/J.CELL.2009.01.042\n";
    assert_eq!(out, rest);
    assert!(
        err.contains("repaired 3: 1 trailing, 1 line-end, 1 registry\nunknown 3 of 7 accepted\n"),
        "{err}"
    );
    let stats = fs::read_to_string(at.join("s")).expect("stats");
    assert!(
        stats.contains("\"unknown\": 3,\n  \"unknown_dois\": null,\n  \"unknown_prefix\": 0"),
        "{stats}"
    );
    assert!(stats.contains("\"registry\": 1"), "{stats}");
    let (out, err) = run(at, "$D scan t.txt --known known.doix --unknown reject --rejects r.csv");
    assert_eq!(out, ALL);
    assert!(err.contains("rejected 3: 3 unknown\n"), "{err}");
    let rejects = fs::read_to_string(at.join("r.csv")).expect("rejects");
    assert_eq!(rejects.matches(",unknown,").count(), 3, "{rejects}");
    // Nothing is changed.
    let (out, err) = run(at, "$D scan t.txt --known known.doix --strict");
    assert_eq!(out, "10.1000/182\n10.1000/ABC.THE\n10.1000/X\n10.1000/Y\n10.1016/J.CELL.2009.01\n");
    assert!(err.contains("unknown 5 of 6 accepted\n"), "{err}");
    // Without an index nothing is looked up.
    let (_, err) = run(at, "$D scan t.txt --stats s");
    assert!(!err.contains("unknown"), "{err}");
    assert!(fs::read_to_string(at.join("s")).expect("stats").contains("\"unknown\": null"));
}

#[test]
fn rows_say_which_names_are_known() {
    let folder = folder();
    let at = folder.path();
    run(at, "$D scan t.txt --known known.doix --counts -o o.csv --hits h.csv --unknown u.csv");
    let read = |name| fs::read_to_string(at.join(name)).expect("rows");
    let column = |name| -> Vec<String> {
        read(name).lines().map(|line| line.rsplit(',').next().expect("a cell").into()).collect()
    };
    let [known, unknown] = ["known", "unknown"];
    assert_eq!(column("o.csv"), ["known", known, known, unknown, unknown, known]);
    let hits = ["known", known, known, known, unknown, unknown, unknown, known];
    assert_eq!(column("h.csv"), hits);
    let rows = "doi,count,inputs,input,offset,raw\n10.1000/X,2,1,t.txt,66,10.1000/x\n\
                10.1000/Y,1,1,t.txt,96,10.1000/y\n";
    assert_eq!(read("u.csv"), rows);
    // In either case of letters, and in each format.
    run(at, "$D scan t.txt --known known.doix --counts --case lower -o l.jsonl");
    assert!(read("l.jsonl").contains("\"10.1000/abc\",\"count\":1"), "{}", read("l.jsonl"));
    assert_eq!(read("l.jsonl").matches("\"known\":\"known\"").count(), 3);
    run(at, "$D merge -q --case lower all.txt -o lower.txt || tr A-Z a-z < all.txt > lower.txt");
    run(at, "$D index -q lower.txt -o lower.doix");
    for known in ["lower.doix", "lower.doix --known known.doix"] {
        run(at, &format!("$D scan t.txt --known {known} --counts -o o2.csv"));
        assert_eq!(read("o2.csv"), read("o.csv"), "{known}");
    }
    run(at, "$D scan t.txt --known known.doix --hits h.parquet --unknown u.parquet");
    let (out, _) = run(at, "$D scan -q u.parquet");
    assert_eq!(out, "10.1000/X\n10.1000/Y\n");
}

#[test]
fn encoded_names_are_known() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("j"), "{\"doi\":\"10.1000/a%2541\"}\n{\"doi\":\"10.1000/b c\"}")
        .expect("write");
    run(at, "$D scan -q j -o j.txt && $D index -q j.txt -o j.doix");
    assert!(fs::read_to_string(at.join("j.txt")).expect("list").contains('%'));
    let (_, err) = run(at, "$D scan j --known j.doix -o j2.txt");
    assert!(err.contains("unknown 0 of"), "{err}");
    let (out, _) = run(at, "$D check -q --known j.doix < j.txt");
    assert!(out.lines().all(|line| line.contains("\tknown\t")), "{out}");
}

#[test]
fn threads_chunks_and_memory_change_nothing() {
    let folder = folder();
    let at = folder.path();
    let mut text = String::new();
    for n in 0..4_000 {
        let end = ["", ".The", "/viewer", ".\n042", "Available", "\n"][n % 6];
        text += &format!("see 10.1000/{}{end} and seen10.1000/{n}\n", n % 701);
    }
    fs::write(at.join("t"), text).expect("write");
    let mut all: Vec<String> = (0..4_000).step_by(2).map(|n| format!("10.1000/{n}\n")).collect();
    all.sort();
    fs::write(at.join("a"), all.concat()).expect("write");
    run(at, "$D index -q a -o a.doix");
    let files = "-o o.csv --hits h.csv --unknown u.csv --rejects r.csv";
    let read = || ["o.csv", "h.csv", "u.csv", "r.csv"].map(|f| fs::read(at.join(f)).expect("rows"));
    run(at, &format!("$D scan -q t --known a.doix --counts -j 1 {files}"));
    let whole = read();
    assert!(whole.iter().all(|rows| rows.len() > 1_000));
    for how in ["-j 4 --chunk-size 4096", "-S 1M", "--io read", "-j 2 --chunk-size 1024"] {
        run(at, &format!("$D scan -q t --known a.doix --counts {how} {files}"));
        assert_eq!(read(), whole, "{how}");
    }
    run(at, &format!("cat t | $D scan -q - --known a.doix --counts {files}"));
    let (out, _) = run(at, "cut -d, -f1 o.csv");
    fs::write(at.join("o1"), &out).expect("write");
    run(at, "$D scan -q t --known a.doix --counts -o o.csv && cut -d, -f1 o.csv | cmp - o1");
}

#[test]
fn damage_keeps_the_old_list() {
    let folder = folder();
    let at = folder.path();
    let sound = fs::read(at.join("known.doix")).expect("index");
    fs::write(at.join("old"), "kept").expect("write");
    for change in [20, sound.len() / 3, sound.len() - 3] {
        let mut bytes = sound.clone();
        bytes[change] ^= 4;
        fs::write(at.join("bad.doix"), bytes).expect("write");
        for flags in ["", "--unknown reject", "--unknown u.csv", "--counts --output-format csv"] {
            let command = format!("$D scan -q t.txt --known bad.doix {flags} -o old");
            let (status, _, err) = shell(at, &command);
            assert_eq!(status, Some(2), "byte {change}: {flags}");
            assert!(err.contains("bad.doix: the index is damaged"), "{err}");
            assert_eq!(fs::read_to_string(at.join("old")).expect("old"), "kept");
        }
    }
    for (flags, words) in [
        ("--unknown reject", "--known"),
        ("--known all.txt", "all.txt: is not an index"),
        ("--known known.doix -o known.doix", "--output would replace an input: known.doix"),
        ("--known known.doix --unknown u", ".csv, .tsv, .jsonl, .parquet or .xlsx"),
        ("--known known.doix --unknown u.csv --state st", "cannot be used with --unknown"),
    ] {
        let (status, _, err) = shell(at, &format!("$D scan t.txt {flags}"));
        assert_eq!(status, Some(2), "{flags}");
        assert!(err.contains(words), "{flags}: {err}");
    }
    assert_eq!(fs::read(at.join("known.doix")).expect("index"), sound);
}

#[test]
fn another_index_is_another_question_to_a_state() {
    let folder = folder();
    let at = folder.path();
    let scan =
        |index: &str| run(at, &format!("$D scan t.txt --known {index} --state st -o o.txt")).1;
    // A file that changed just now is read again.
    std::thread::sleep(Duration::from_millis(60));
    scan("known.doix");
    let err = scan("known.doix");
    assert!(err.contains("0 inputs read") && err.contains("unknown 3 of 7 accepted"), "{err}");
    // The same names in another file.
    fs::copy(at.join("known.doix"), at.join("copy.doix")).expect("copy");
    assert!(scan("copy.doix").contains("0 inputs read"));
    fs::write(at.join("more"), format!("10.1000/X\n{ALL}")).expect("write");
    run(at, "sort more -o more && $D index -q more -o more.doix");
    let err = scan("more.doix");
    assert!(err.contains("1 input read") && err.contains("unknown 1 of 7 accepted"), "{err}");
    assert!(err.contains("state: "), "{err}");
}

#[test]
fn prefixes_that_no_index_has_are_counted() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("p.txt"), "10.1000/x 10.4242/a 10.4242/b 10.4243/c\n").expect("write");
    let (_, err) = run(at, "$D scan p.txt --known known.doix --stats s");
    assert!(err.contains("\nunknown 4 of 4 accepted; the prefix of 3 too"), "{err}");
    assert!(fs::read_to_string(at.join("s")).expect("stats").contains("\"unknown_prefix\": 3"));
    let gate = "$D scan -q p.txt --known known.doix -o l --fail-on";
    assert_eq!(shell(at, &format!("{gate} 'unknown_prefix > 2'")).0, Some(1));
    assert_eq!(shell(at, &format!("{gate} 'unknown_prefix > 10% of accepted'")).0, Some(1));
    assert_eq!(shell(at, &format!("{gate} 'unknown_prefix > 3'")).0, Some(0));
}
