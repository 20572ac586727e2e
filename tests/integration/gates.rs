//! A good list is never replaced by one that is empty or short for a reason the user did not
//! choose.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use std::fs;
use std::path::Path;

/// A folder with an old list of ten names, and inputs of several kinds.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::create_dir_all(at.join("empty")).expect("mkdir");
    fs::create_dir_all(at.join("d")).expect("mkdir");
    let names = |count: usize| (0..count).map(|n| format!("10.1000/A{n}\n")).collect::<String>();
    fs::write(at.join("list"), names(10)).expect("write");
    fs::write(at.join("d/nine.bib"), names(9)).expect("write");
    fs::write(at.join("d/.hidden"), "").expect("write");
    fs::write(at.join("none.txt"), "no name").expect("write");
    fs::write(at.join("archive.7z"), b"7z\xbc\xaf\x27\x1c").expect("write");
    std::os::unix::fs::symlink("nowhere", at.join("gone")).expect("link");
    fs::create_dir(at.join("partial")).expect("mkdir");
    std::os::unix::fs::symlink("nowhere", at.join("partial/gone")).expect("link");
    fs::write(at.join("partial/b"), "10.1000/B").expect("write");
    folder
}

fn lines(at: &Path) -> usize {
    fs::read_to_string(at.join("list")).expect("list").lines().count()
}

#[test]
fn the_old_list_stays_and_a_sentence_says_why() {
    for (arguments, status, message) in [
        (
            "empty",
            2,
            "doiscan: no input: empty holds no file (--allow-empty writes an empty list)\n",
        ),
        ("--files-from /dev/null", 2, "doiscan: no input: /dev/null names no file ("),
        (
            "d -g '*.BIB'",
            2,
            "doiscan: no input: 2 files do not match --glob '*.BIB'; d/nine.bib does in another case (",
        ),
        (
            "d missing",
            2,
            "doiscan: missing: No such file or directory (os error 2); nothing was read\n",
        ),
        ("d gone m1 m2", 2, "(and 2 more PATHs); nothing was read\n"),
        (
            "archive.7z",
            2,
            "doiscan: no input could be read (--allow-empty writes an empty list); list is as it was\n",
        ),
        ("--files-from names", 2, "doiscan: no input could be read ("),
        (
            "none.txt",
            2,
            "doiscan: no DOI was found, and the old list is not empty (--allow-empty replaces it); list is as it was\n",
        ),
        ("- < /dev/null", 2, "doiscan: no DOI was found, and the old list is not empty ("),
        (
            "d --min-count 10",
            1,
            "doiscan: 9 distinct DOIs, fewer than --min-count 10; list is as it was\n",
        ),
        (
            "d --max-drop 9.9",
            1,
            "doiscan: 9 distinct DOIs, and the old list has 10: more than --max-drop 9.9% are missing; list is as it was\n",
        ),
        (
            "partial --keep-old-on-error",
            3,
            "doiscan: inputs could not be read, or not to their ends, and --keep-old-on-error is set; list is as it was\n",
        ),
    ] {
        let folder = folder();
        let at = folder.path();
        fs::write(at.join("names"), "no/such\nfile\n").expect("write");
        let line = format!("$D scan -q -o list --short-doi short {arguments}");
        let (found, _, err) = shell(at, &line);
        assert_eq!(found, Some(status), "{arguments}: {err}");
        assert!(err.contains(message), "{arguments}: {err}");
        assert_eq!((lines(at), at.join("short").exists()), (10, false), "{arguments}");
    }
}

#[test]
fn the_list_is_replaced_when_the_gates_are_passed() {
    for (arguments, status, count) in [
        ("d", 0, 9),
        ("d --min-count 9 --max-drop 10%", 0, 9),
        ("d --max-drop 10 --keep-old-on-error", 0, 9),
        ("empty --allow-empty", 0, 0),
        ("none.txt --allow-empty", 0, 0),
        ("archive.7z --allow-empty", 3, 0),
        ("--files-from /dev/null --allow-empty", 0, 0),
        ("partial", 3, 1),
        ("d none.txt -g '!.*'", 0, 9),
    ] {
        let folder = folder();
        let (found, _, err) = shell(folder.path(), &format!("$D scan -o list {arguments}"));
        assert_eq!((found, lines(folder.path())), (Some(status), count), "{arguments}: {err}");
    }
}

#[test]
fn figures_are_written_although_the_list_is_not() {
    let folder = folder();
    let line = "$D scan -q d -o list --min-count 100 --stats stats";
    assert_eq!(shell(folder.path(), line).0, Some(1));
    let stats = fs::read_to_string(folder.path().join("stats")).expect("stats");
    assert!(stats.contains("\"distinct\": 9"), "{stats}");
}

#[test]
fn without_an_old_list_a_new_one_may_be_empty() {
    let folder = folder();
    let (status, _, err) = shell(folder.path(), "$D scan none.txt -o new --max-drop 1");
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(fs::read(folder.path().join("new")).expect("new"), b"");
}

#[test]
fn globs_say_how_many_files_they_left_out() {
    let folder = folder();
    let (_, _, err) = shell(folder.path(), "$D scan . -g '*.TXT' -g '*.bib'");
    assert!(
        err.contains("\n5 files left out by --glob; ./none.txt would match in another case"),
        "{err}"
    );
}

#[test]
fn what_the_run_writes_is_not_read_again() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("d/old"), "10.1000/GONE\n").expect("write");
    let run = "$D scan d -o d/old --stats d/stats --short-doi d/short";
    let (status, _, err) = shell(at, run);
    assert_eq!(status, Some(0), "{err}");
    assert!(err.contains("\nd/old is written by this run and was not read"), "{err}");
    let list = fs::read_to_string(at.join("d/old")).expect("list");
    assert_eq!((list.lines().count(), list.contains("GONE")), (9, false));
    let (_, _, err) = shell(at, run);
    for name in ["old", "short", "stats"] {
        assert!(err.contains(&format!("\nd/{name} is written by this run")), "{err}");
    }
    // The shell has made the file before the command starts; `>>` keeps what is in it.
    assert_eq!(shell(at, "$D scan -q d -g '!stats' >> d/old").0, Some(0));
    let list = fs::read_to_string(at.join("d/old")).expect("list");
    assert_eq!(list.lines().count(), 18, "{list}");
}
