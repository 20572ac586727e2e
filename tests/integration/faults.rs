//! Names next to a fault, and the messages about the fault.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{is_for_windows, shell};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// Returns the list, the counts and the messages of a run, which must end with status 3.
fn partial(folder: &Path, line: &str) -> (String, [u64; 4], String) {
    let (status, out, err) = shell(folder, &format!("$D scan -q --allow-empty --stats s {line}"));
    assert_eq!(status, Some(3), "{line}: {err}");
    let stats = fs::read(folder.join("s")).expect("stats");
    let stats: serde_json::Value = serde_json::from_slice(&stats).expect("JSON");
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let [candidates, accepted, rejected] =
        ["candidates", "accepted", "rejected_total"].map(|field| number(&stats[field]));
    let cut = number(&stats["rejected"]["cut-by-fault"]);
    assert_eq!(candidates, accepted + rejected, "{line}");
    (out, [candidates, accepted, rejected, cut], err)
}

#[test]
fn a_name_that_touches_the_place_of_a_fault_is_a_reject() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let names: String = (0..2_000).map(|n| format!("10.1234/name.{}\n", n * 7_919)).collect();
    fs::write(at.join("names"), &names).expect("write");
    let pack = "gzip -1c names > a.gz && bzip2 -c names > a.bz2 && xz -0c names > a.xz \
                && tar cf a.tar names && tar czf a.tgz names && cp a.gz b.gz && tar cf b.tar b.gz";
    assert_eq!(shell(at, pack).0, Some(0));
    let all: HashSet<String> = names.lines().map(str::to_uppercase).collect();
    for (name, lost) in [
        ("a.gz", 900),
        ("a.bz2", 300),
        ("a.xz", 700),
        ("a.tar", 12_000),
        ("a.tgz", 905),
        ("b.tar", 11_000),
    ] {
        let packed = fs::read(at.join(name)).expect("read");
        for more in 0..12 {
            fs::write(at.join("cut"), &packed[..packed.len() - lost - more]).expect("write");
            let first = partial(at, "-j 1 cut");
            assert!(first.0.lines().all(|line| all.contains(line)), "{name} {more}");
            for flags in ["-j 2", "-j 3 --chunk-size 100 --io read", "-j 1 --chunk-size 1000"] {
                let found = partial(at, &format!("{flags} cut"));
                assert!(found == first, "{name} {more} {flags}");
            }
            let stream = partial(at, "- < cut");
            assert_eq!((&stream.0, stream.1), (&first.0, first.1), "{name} {more}");
        }
    }
}

#[test]
fn a_tar_archive_without_its_end_is_named_and_its_legal_shapes_are_not() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let pack = "echo 10.1234/a > a && echo 10.1234/b > b && tar -b1 -cf t.tar a b \
                && head -c 1024 t.tar > one.tar && head -c 2048 t.tar > two.tar \
                && head -c 2560 t.tar > half.tar && tar --label=new -cf label.tar a b \
                && tar -H v7 -cf v7.tar a b && tar -H pax --label=new -cf pax.tar a b \
                && tar -cf twice.tar a b && cat twice.tar label.tar > joined.tar \
                && cp a c && tar -rf twice.tar c && gzip -k two.tar";
    assert_eq!(shell(at, pack).0, Some(0));
    let message = "ends without the zero blocks that end a tar archive and may be cut short; \
                   DOIs found before this point are kept\n";
    let (one, both) = ("10.1234/A\n", "10.1234/A\n10.1234/B\n");
    for (input, list) in
        [("one.tar", one), ("two.tar", both), ("two.tar.gz", both), ("- < two.tar", both)]
    {
        let name = input.split(' ').next().expect("a name");
        for flags in ["-j 1", "-j 2"] {
            let (out, _, err) = partial(at, &format!("{flags} {input}"));
            assert_eq!(
                (out.as_str(), err),
                (list, format!("doiscan: {name}: {message}")),
                "{input}"
            );
        }
    }
    for input in ["t.tar", "half.tar", "label.tar", "v7.tar", "pax.tar", "twice.tar", "joined.tar"]
    {
        for input in [input.to_owned(), format!("- < {input}")] {
            let found = shell(at, &format!("$D scan -q {input}"));
            assert_eq!(found, (Some(0), both.to_owned(), String::new()), "{input}");
        }
    }
}

#[test]
fn utf_16_text_that_ends_within_a_character_is_cut() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    for big in [false, true] {
        let octets = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        for words in ["", "some words\n"] {
            let text = format!("\u{feff}{}10.1234/a 10.1234/bcd", words.repeat(2_000));
            let mut bytes: Vec<u8> = text.encode_utf16().flat_map(octets).collect();
            let len = bytes.len();
            fs::write(at.join("u.txt"), &bytes).expect("write");
            let whole = shell(at, "$D scan -q u.txt");
            assert_eq!(whole, (Some(0), "10.1234/A\n10.1234/BCD\n".to_owned(), String::new()));
            bytes.push(b'e');
            fs::write(at.join("u.txt"), &bytes).expect("write");
            assert_eq!(shell(at, "tar cf u.tar u.txt").0, Some(0));
            let message = format!("UTF-16 text ends early, within the character at byte {len}");
            for input in
                ["u.txt", "--io mmap -j 1 u.txt", "--chunk-size 1 u.txt", "u.tar", "- < u.txt"]
            {
                let (out, counts, err) = partial(at, input);
                assert_eq!((out.as_str(), counts), ("10.1234/A\n", [2, 1, 1, 1]), "{input}");
                assert!(err.contains(&message), "{input}: {err}");
            }
            let (status, _, err) = shell(at, "$D check -q u.txt");
            assert!(matches!(status, Some(2 | 3)) && err.contains(&message), "{err}");
        }
    }
}

#[test]
fn which_members_a_limit_leaves_out_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    for member in 0..6 {
        let text: String = (0..600).map(|n| format!("10.1234/m{member}.{n:05}\n")).collect();
        fs::write(at.join(format!("m{member}")), &text[..10_000]).expect("write");
    }
    let pack =
        "gzip -k m? && tar cf t.tar m?.gz && tar cf n.tar t.tar m0.gz && gzip -kc t.tar > t.tgz";
    assert_eq!(shell(at, pack).0, Some(0));
    let cut = "unpacks to more than 25010 bytes (limit: --max-unpacked); DOIs found before this point are kept";
    let unread = "is not read, because 25010 bytes were unpacked before it (limit: --max-unpacked)";
    let expected = |name: &str| {
        let lines = (3..6).map(|n| format!("doiscan: {name}!m{n}.gz: {unread}\n"));
        format!("doiscan: {name}!m2.gz: {cut}\n{}", lines.collect::<String>())
    };
    for flags in ["-j 1", "-j 2", "-j 3 --chunk-size 100", "-j 7 --io mmap --chunk-size 1"] {
        for input in ["t.tar", "- < t.tar"] {
            let found = partial(at, &format!("--max-unpacked 25010 {flags} {input}"));
            let name = input.split(' ').next().expect("a name");
            assert_eq!(found.2, expected(name), "{flags} {input}");
            assert_eq!((found.0.lines().count(), found.1[3]), (1_470, 1), "{flags} {input}");
        }
        let (_, counts, err) = partial(at, &format!("--max-unpacked 25010 {flags} n.tar"));
        assert_eq!((counts[1], err.lines().count()), (1_470, 5), "{flags}: {err}");
        let (_, counts, err) = partial(at, &format!("--max-unpacked 25010 {flags} t.tgz"));
        assert_eq!((counts[1], err), (1_470, expected("t.tgz")), "{flags}");
    }
}

#[test]
fn zero_bytes_in_the_place_of_text_are_a_hole() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let json = |name: &str| format!("{{\"id\":1,\"doi\":\"10.1234/{name}\"}}\n");
    let lines = |name: &str| format!("1,10.1234/{name}\n");
    let csv = |text: &str| format!("id,doi\n{text}");
    for (name, flags, begin, end, cut) in [
        ("a.jsonl", "", json("a") + &json("torn"), json("rest") + &json("b"), (9, 0)),
        (
            "a.jsonl",
            "",
            json("a") + &json("torn"),
            "10.1234/rest\"}\n".to_owned() + &json("b"),
            (6, 1),
        ),
        ("a.csv", "", csv(&(lines("a") + &lines("torn"))), lines("rest") + &lines("b"), (3, 0)),
        (
            "a.csv",
            "--column doi",
            csv(&(lines("a") + &lines("torn"))),
            "x\n".to_owned() + &lines("rest") + &lines("b"),
            (3, 0),
        ),
        (
            "a",
            "",
            "see 10.1234/A\nsee doi:10.1234/torn.1 and".to_owned(),
            "10.1234/rest\n10.1234/b\n".to_owned(),
            (7, 1),
        ),
    ] {
        for len in [256, 512, 10_000] {
            let torn = &begin[..begin.len() - cut.0];
            let text = [torn.as_bytes(), &vec![0; len], end.as_bytes()].concat();
            fs::write(at.join(name), &text).expect("write");
            assert_eq!(shell(at, &format!("gzip -kf {name} && tar cf t.tar {name}")).0, Some(0));
            let told = format!(
                "a hole of {len} zero bytes at byte {}; what was there is lost, and names at its ends are not kept\n",
                torn.len()
            );
            let rest = if cut.1 == 0 { "10.1234/REST\n" } else { "" };
            let kept = format!("10.1234/A\n10.1234/B\n{rest}");
            let counts = [4, kept.lines().count() as u64, 1 + cut.1, 1 + cut.1];
            for input in [name.to_owned(), format!("{name}.gz"), "t.tar".to_owned()] {
                for threads in ["-j 1", "-j 3 --chunk-size 1", "-j 2 --chunk-size 100 --io read"] {
                    let line = format!("{flags} {threads} {input}");
                    let found = partial(at, &line);
                    assert_eq!((&found.0, found.1), (&kept, counts), "{line} {len}");
                    let path = input.replace("t.tar", &format!("t.tar!{name}"));
                    assert_eq!(found.2, format!("doiscan: {path}: {told}"), "{line} {len}");
                    let record = shell(at, "grep -E 'bytes_lost|\"offset\"' s").1;
                    assert!(record.contains(&format!("\"bytes_lost\": {len},")), "{record}");
                    assert!(record.contains(&format!("\"offset\": {},", torn.len())), "{record}");
                }
            }
        }
        // Fewer zero bytes, zero bytes in binary data, and UTF-16.
        let short = [begin.as_bytes(), &[0; 255], end.as_bytes()].concat();
        let binary = [b"\x7fELF\x01\n", begin.as_bytes(), &[0; 999], end.as_bytes()].concat();
        let wide: Vec<_> =
            (begin.clone() + &end).encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (text, name) in
            [(short, name), (binary, "b"), ([&b"\xff\xfe"[..], &wide].concat(), "c")]
        {
            fs::write(at.join(name), text).expect("write");
            let found = shell(at, &format!("$D scan -q --format text --chunk-size 1 {name}"));
            assert_eq!((found.0, found.2.as_str()), (Some(0), ""), "{name}");
        }
    }
}

#[test]
fn many_holes_are_one_problem_and_a_state_keeps_it() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let line = [&b"10.1234/name\n10.1234/na"[..], &[0; 700]].concat();
    fs::write(at.join("a.txt"), line.repeat(50)).expect("write");
    let told = "doiscan: a.txt: 50 holes of 35000 zero bytes, the first at byte 23; what was there is lost, \
                and names at its ends are not kept\n";
    for flags in ["", "-j 3 --chunk-size 1", "--state st", "--state st -j 3"] {
        let (out, counts, err) = partial(at, &format!("{flags} a.txt"));
        assert_eq!((out.as_str(), err.as_str()), ("10.1234/NAME\n", told), "{flags}");
        // The names at both ends of the holes, of which the first of the text is whole.
        assert_eq!(counts, [100, 1, 99, 99], "{flags}");
    }
}

#[test]
fn json_and_xml_that_end_early_are_cut() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let json = "ends early: the last JSON object or array is not closed; DOIs found before this point are kept\n";
    let array = "ends early: the JSON array is not closed; DOIs found before this point are kept\n";
    let xml = "ends early: XML ends with the closing tag of its root, and this file does not; DOIs found before this point are kept\n";
    let pad = "word ".repeat(200);
    for (name, text, message) in [
        (
            "a.jsonl",
            format!("{{\"doi\":\"10.1234/a\", \"t\":\"{pad}\"}}\n{{\"doi\":\"10.1234/b"),
            json,
        ),
        (
            "a.json",
            format!("[{{\"doi\":\"10.1234/a\", \"t\":\"{pad}\"}},\n{{\"doi\":\"10.1234/b"),
            array,
        ),
        ("a.xml", format!("<?xml version=\"1.0\"?><a>10.1234/a <b>{pad}</b> 10.1234/b"), xml),
    ] {
        fs::write(at.join(name), &text).expect("write");
        let pack = format!("tar cf t.tar {name} && gzip -kf {name}");
        assert_eq!(shell(at, &pack).0, Some(0));
        let packed = format!("{name}.gz");
        for (input, told) in [
            (name, name),
            ("t.tar", &format!("t.tar!{name}")),
            (&packed, &packed),
            (&format!("- < {packed}"), "-"),
            (&format!("- < {name}"), "-"),
        ] {
            for flags in ["-j 1", "-j 3 --chunk-size 1", "-j 2 --chunk-size 100 --io read"] {
                let (out, counts, err) = partial(at, &format!("{flags} {input}"));
                assert_eq!(
                    (out.as_str(), counts),
                    ("10.1234/A\n", [2, 1, 1, 1]),
                    "{flags} {input}"
                );
                assert_eq!(err, format!("doiscan: {told}: {message}"), "{flags} {input}");
            }
        }
        // Whole text, and text of which nothing is known.
        let whole = format!("{text} {}", if name == "a.xml" { "</a>\n" } else { "\"}]\n" });
        for text in [whole, format!("10.1234/a {pad} 10.1234/b")] {
            fs::write(at.join(name), &text).expect("write");
            let found = shell(at, &format!("$D scan -q --chunk-size 1 {name}"));
            assert_eq!(
                found,
                (Some(0), "10.1234/A\n10.1234/B\n".to_owned(), String::new()),
                "{name}"
            );
        }
    }
}

#[test]
fn a_table_that_ends_in_a_quoted_cell_is_cut() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let told = "doiscan: a.csv: ends early: the last quoted cell is not closed; DOIs found before this point are kept\n";
    let text = "doi,note\n10.1234/a,10.1234/b\n10.1234/b,\"10.1234/c";
    fs::write(at.join("a.csv"), text).expect("write");
    for (flags, found) in [
        ("-j 1", "10.1234/A\n10.1234/B\n"),
        ("-j 3 --chunk-size 1", "10.1234/A\n10.1234/B\n"),
        ("--io read --column note", "10.1234/B\n"),
    ] {
        let (out, _, err) = partial(at, &format!("{flags} a.csv"));
        assert_eq!((out.as_str(), err.as_str()), (found, told), "{flags}");
    }
    fs::write(at.join("a.csv"), format!("{text}\"")).expect("write");
    assert_eq!(shell(at, "$D scan -q a.csv").0, Some(0));
}

#[test]
fn a_table_whose_last_record_lacks_cells_is_cut() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let told = "doiscan: a.csv: ends early: the last record has fewer cells than all others, and no line end; DOIs found before this point are kept\n";
    let text = "id,doi,cites,note\n1,10.1234/a,10.1234/x,\n2,\"10.1234/b\",10.1234/y,\"a,\nb\"\n";
    let all_flags =
        ["-j 1", "-j 3 --chunk-size 1", "--chunk-size 20 --io read", "--format csv - <"];
    for (last, doi, cites) in [
        ("3,10.1234/c", "A B", "X Y"),
        ("3,10.1234/c,10.1234/z", "A B C", "X Y"),
        ("3,10.1234/c,\"10.1234/z\"", "A B C", "X Y Z"),
        ("3", "A B", "X Y"),
    ] {
        fs::write(at.join("a.csv"), format!("{text}{last}")).expect("write");
        let list = |names: &str| {
            names.split(' ').map(|name| format!("10.1234/{name}\n")).collect::<String>()
        };
        for flags in all_flags {
            for (column, names) in [("doi", doi), ("3", cites)] {
                let (out, _, err) = partial(at, &format!("--column {column} {flags} a.csv"));
                let told = told.replace("a.csv", if flags.ends_with('<') { "-" } else { "a.csv" });
                assert_eq!((out, err), (list(names), told), "{flags} {column} {last}");
            }
        }
    }
    // Whole records, and tables whose records differ.
    for text in [
        format!("{text}3,10.1234/c,,"),
        format!("{text}3,10.1234/c\n"),
        format!("{text}3,10.1234/c\n4,10.1234/d"),
        "id,doi,note\n1,10.1234/a".to_owned(),
    ] {
        fs::write(at.join("a.csv"), &text).expect("write");
        for flags in all_flags {
            let found = shell(at, &format!("$D scan -q --column doi {flags} a.csv"));
            assert_eq!((found.0, found.2.as_str()), (Some(0), ""), "{flags} {text}");
        }
    }
}

#[test]
fn text_in_place_of_what_its_name_says_is_named() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    for (name, what) in [
        ("a.jsonl.gz", "not compressed"),
        ("a.pdf", "not a PDF file"),
        ("a.zip", "not a zip archive"),
        ("a.parquet", "not a Parquet file"),
        ("a.json", "a page of HTML"),
    ] {
        fs::write(at.join(name), "<!DOCTYPE html><p>see 10.1234/a.\n").expect("write");
        assert_eq!(shell(at, &format!("tar cf t.tar {name}")).0, Some(0));
        let suffix = name.rsplit('.').next().expect("a suffix");
        for input in [name.to_owned(), format!("t.tar!{name}")] {
            for flags in ["-j 1", "-j 3 --chunk-size 1", "--io read"] {
                let argument = input.split('!').next().expect("a name");
                let (out, _, err) = partial(at, &format!("{flags} {argument}"));
                assert_eq!(out, "10.1234/A\n", "{flags} {input}");
                let message = format!(
                    "doiscan: {input}: ends in .{suffix}, but is {what}; its bytes were searched as text\n"
                );
                assert_eq!(err, message, "{flags}");
                // Windows has no `cat`.
                if is_for_windows() {
                    continue;
                }
                let prepared = shell(at, &format!("$D scan -q --pre cat {flags} {argument}"));
                assert_eq!(prepared, (Some(0), out, String::new()), "{flags} {input}");
            }
        }
    }
}
