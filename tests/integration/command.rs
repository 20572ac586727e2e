//! The command as a user sees it: flags, exit status, standard streams, messages.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use assert_cmd::Command;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// The path of the tested command: the built one, or what `TESTED_DOISCAN` names.
pub(crate) fn program() -> OsString {
    std::env::var_os("TESTED_DOISCAN").unwrap_or_else(|| env!("CARGO_BIN_EXE_doiscan").into())
}

/// Whether the tested command is the one for Windows, which has no devices, pipes with names, or
/// links that anyone may make.
pub(crate) fn is_for_windows() -> bool {
    cfg!(windows) || program().to_string_lossy().ends_with("-under-wine")
}

/// Makes an input that cannot be read completely: a link to nothing, for Windows a cut file. A file
/// that disappears before it is opened looks like the link.
pub(crate) fn make_unreadable(path: &Path) {
    #[cfg(unix)]
    if !is_for_windows() {
        return std::os::unix::fs::symlink("none", path).expect("link");
    }
    fs::write(path, b"\x1f\x8b\x08\0").expect("write");
}

/// The tested command, on a terminal of fixed width.
pub(crate) fn doiscan() -> Command {
    let mut command = Command::new(program());
    command.env("COLUMNS", "100");
    command
}

/// Runs a line of shell with the command in `$D`. Returns status, output and errors.
pub(crate) fn shell(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let output = std::process::Command::new("sh")
        .args(["-c", line])
        .env("D", program())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("there is sh");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let is_other = std::env::var_os("TESTED_DOISCAN").is_some();
    let said = text(&output.stderr);
    let said = if is_other { said_on_unix(&said) } else { said };
    (output.status.code(), text(&output.stdout), said)
}

/// Returns messages of the command for Windows with the separators and words of Unix. Escapes stay.
fn said_on_unix(text: &str) -> String {
    let parts = text.split("\\x").enumerate();
    let is_byte = |part: &str| part.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    let joined = parts.map(|(at, part)| match at {
        0 => part.to_owned(),
        _ => format!("{}x{part}", if is_byte(part) { '\0' } else { '/' }),
    });
    let escapes = joined.collect::<String>().replace("\\u{", "\0u{");
    let paths = escapes.replace('\\', "/").replace('\0', "\\");
    let nothing = "No such file or directory (os error 2)";
    paths
        .replace("File not found. (os error 2)", nothing)
        .replace("Path not found. (os error 3)", nothing)
}

/// A folder with `text` in the file `in`.
fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("in"), text).expect("write");
    folder
}

const TEXT: &str = "see 10.1000/abc123 and\n10.1000/ABC123 and 10.1000/182 \n";
const LIST: &str = "10.1000/182\n10.1000/ABC123\n";

#[test]
fn help_is_pinned() {
    let pages = [
        ("help", &["--help"][..]),
        ("scan_help", &["scan", "--help"]),
        ("check_help", &["check", "--help"]),
        ("convert_help", &["convert", "--help"]),
        ("merge_help", &["merge", "--help"]),
        ("diff_help", &["diff", "--help"]),
        ("duplicates_help", &["duplicates", "--help"]),
        ("index_help", &["index", "--help"]),
        ("learn_help", &["learn", "--help"]),
        ("prefixes_help", &["prefixes", "--help"]),
        ("report_help", &["report", "--help"]),
        ("completions_help", &["completions", "--help"]),
        ("man_help", &["man", "--help"]),
        ("help_help", &["help", "--help"]),
        ("scan_short_help", &["scan", "-h"]),
        ("reasons", &["help", "reasons"]),
    ];
    for (name, arguments) in pages {
        let output = doiscan().args(arguments).output().expect("runs");
        assert_eq!(output.status.code(), Some(0));
        insta::assert_snapshot!(name, String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_list_goes_to_standard_output_and_the_summary_to_standard_error() {
    let folder = folder(TEXT);
    let (status, out, err) = shell(folder.path(), "$D scan in");
    assert_eq!((status, out.as_str()), (Some(0), LIST));
    assert!(err.starts_with("2 DOIs in 1 file, at 3 places in "), "{err}");
}

#[test]
fn quiet_says_nothing() {
    let folder = folder(TEXT);
    let (status, out, err) = shell(folder.path(), "$D scan -q in");
    assert_eq!((status, out.as_str(), err.as_str()), (Some(0), LIST, ""));
}

#[test]
fn verbose_names_each_input() {
    let folder = folder(TEXT);
    let (_, _, err) = shell(folder.path(), "$D scan -v in");
    assert!(err.starts_with("in\n"), "{err}");
}

#[test]
fn standard_input_with_and_without_its_name() {
    let folder = folder(TEXT);
    for line in
        ["$D scan -q - < in", "$D scan -q < in", "cat in | $D scan -q", "$D scan -q - - <in"]
    {
        let (status, out, err) = shell(folder.path(), line);
        assert_eq!((status, out.as_str(), err.as_str()), (Some(0), LIST, ""), "{line}");
    }
}

#[test]
fn nothing_in_nothing_out() {
    let folder = folder("");
    for (line, words) in [
        ("$D scan -q in", "doiscan: in: is empty\n"),
        ("$D scan -q", "doiscan: -: is empty\n"),
        ("$D scan -q /dev/null", ""),
    ]
    .into_iter()
    .take(if is_for_windows() { 2 } else { 3 })
    {
        let (status, out, err) = shell(folder.path(), line);
        assert_eq!((status, out.as_str(), err.as_str()), (Some(0), "", words), "{line}");
    }
}

#[test]
fn wrong_usage_is_status_2() {
    let folder = folder(TEXT);
    let lines = [
        "$D",
        "$D scam",
        "$D scan --io tape in",
        "$D scan -q -v in",
        "$D scan --chunk-size 0 in",
        "$D scan --max-length 0 in",
        "$D scan --max-length 99999999999 in",
        "$D scan in -o x --stats x",
    ];
    for line in lines {
        let (status, out, err) = shell(folder.path(), line);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{line}");
        assert!(!err.is_empty(), "{line}");
    }
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let folder = folder(TEXT);
    // A file of a folder that disappears before it is opened looks like this link.
    assert_eq!(shell(folder.path(), "mkdir d && ln -s none d/gone").0, Some(0));
    let (status, out, err) = shell(folder.path(), "$D scan d in");
    assert_eq!((status, out.as_str()), (Some(3), LIST));
    assert!(err.starts_with("doiscan: d/gone: No such file or directory"), "{err}");
    assert!(err.contains("1 input could not be read completely"), "{err}");
}

/// The memory of a run that needs little: 10 MB, under Wine 50 MB.
pub(crate) fn of_the_process(at: &Path) -> u64 {
    fs::write(at.join("one"), "10.1000/1\n").expect("write");
    assert_eq!(shell(at, "$D scan -q one -j 1 --stats least.json -o least").0, Some(0));
    let stats = fs::read(at.join("least.json")).expect("stats");
    let stats: serde_json::Value = serde_json::from_slice(&stats).expect("JSON");
    stats["peak_memory"].as_u64().unwrap_or_default()
}

#[test]
fn a_name_of_megabytes_is_too_long_and_takes_no_memory() {
    let folder = folder(&format!("10.1000/{} 10.1000/182\n", "a".repeat(48 << 20)));
    let line = "$D scan -q in --io read -j 1 --stats s -o list";
    assert_eq!(shell(folder.path(), line).0, Some(0));
    let stats = fs::read(folder.path().join("s")).expect("stats");
    let stats: serde_json::Value = serde_json::from_slice(&stats).expect("JSON");
    let counts = [&stats["candidates"], &stats["accepted"], &stats["rejected"]["too-long"]];
    assert_eq!(counts, [2, 1, 1]);
    let most = of_the_process(folder.path()) + (24 << 20);
    assert!(stats["peak_memory"].as_u64().is_none_or(|peak| peak < most), "{most} {stats}");
}

#[test]
fn stats_are_json_also_when_something_is_missing() {
    let folder = folder(TEXT);
    fs::create_dir(folder.path().join("d")).expect("mkdir");
    make_unreadable(&folder.path().join("d/gone"));
    let (status, _, _) = shell(folder.path(), "$D scan in d --stats s -o list");
    assert_eq!(status, Some(3));
    let stats = fs::read(folder.path().join("s")).expect("stats");
    let stats: serde_json::Value = serde_json::from_slice(&stats).expect("JSON");
    assert_eq!((&stats["distinct"], &stats["accepted"]), (&2.into(), &3.into()));
    assert_eq!(stats["files"], 1);
    assert!(stats["bytes"] == TEXT.len() || is_for_windows(), "{stats}");
    let path = if is_for_windows() { "d\\gone" } else { "d/gone" };
    assert_eq!((&stats["complete"], &stats["problems"][0]["path"]), (&false.into(), &path.into()));
}

#[test]
fn no_raw_control_bytes_in_names_that_are_printed() {
    let folder = folder(TEXT);
    let name = "a\x1b[31m\n\u{202e}b";
    fs::write(folder.path().join(name), b"\x1f\x8b").expect("write");
    let (status, _, err) = shell(folder.path(), "$D scan -v .");
    assert_eq!(status, Some(3));
    assert!(!err.contains(['\x1b', '\u{202e}']), "{err:?}");
    assert!(err.contains("a\\u{1b}[31m\\n\\u{202e}b: gzip member 1 ends early"), "{err:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_or_full_standard_output_is_an_error() {
    let folder = folder(TEXT);
    let lines = ["$D scan in >&-", "$D scan in > /dev/full", "$D scan in -o /dev/full"];
    for line in lines {
        let (status, _, err) = shell(folder.path(), line);
        assert_eq!(status, Some(2), "{line}");
        assert!(err.starts_with("doiscan: "), "{line}: {err}");
    }
    fs::write(folder.path().join("sorted"), LIST).expect("write");
    fs::write(folder.path().join("list"), "old\n").expect("write");
    let lines = [
        "$D scan in -o /dev/stdout >&-",
        "$D scan in -o list --stats /dev/stdout >&-",
        "$D scan in -o list --short-doi /dev/fd/1 >&-",
        "$D check in -o /dev/stdout >&-",
        "$D merge sorted >&-",
        "$D diff sorted list >&-",
    ];
    for line in lines {
        let (status, _, err) = shell(folder.path(), line);
        assert_eq!(
            (status, err.as_str()),
            (Some(2), "doiscan: standard output is closed\n"),
            "{line}"
        );
        assert_eq!(fs::read(folder.path().join("list")).expect("list"), b"old\n");
    }
    for line in ["--help", "--version", "scan -h", "help", "help scan", "man", "completions zsh"] {
        let (status, _, err) = shell(folder.path(), &format!("$D {line} >&-"));
        assert_eq!(status, Some(2), "{line}");
        assert!(err.starts_with("doiscan: ") && err.contains("closed"), "{line}: {err}");
    }
    // Cases that look the same afterwards but are not closed streams.
    for line in ["$D scan in > /dev/null", "$D scan in 1<> /dev/null", "$D scan in -o list >&-"] {
        let (status, _, err) = shell(folder.path(), line);
        assert_eq!(status, Some(0), "{line}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_input_is_not_an_empty_one() {
    let folder = folder(TEXT);
    for (line, expected) in [("$D scan - <&-", 2), ("$D scan in - <&-", 3)] {
        let (status, _, err) = shell(folder.path(), line);
        assert_eq!(status, Some(expected), "{line}");
        assert!(err.starts_with("doiscan: -: standard input is closed"), "{line}: {err}");
    }
    assert_eq!(shell(folder.path(), "$D scan in <&-").0, Some(0));
}

#[test]
fn a_failing_standard_error_changes_nothing() {
    let folder = folder(TEXT);
    fs::create_dir(folder.path().join("d")).expect("mkdir");
    make_unreadable(&folder.path().join("d/gone"));
    for line in ["$D scan -v in 2>&-", "$D scan -v in 2>/dev/full", "$D scan in d 2>&-"] {
        let (status, out, _) = shell(folder.path(), line);
        assert_eq!(out, LIST, "{line}");
        assert_eq!(status, Some(if line.contains(" d ") { 3 } else { 0 }), "{line}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut text = String::new();
    for i in 0..200_000 {
        text.push_str(&format!("10.1000/abc{i}\n"));
    }
    let folder = folder(&text);
    let line = "{ $D scan in; echo $? > status; } | head -n 1";
    let (_, out, err) = shell(folder.path(), line);
    assert_eq!((out.as_str(), err.as_str()), ("10.1000/ABC0\n", ""));
    assert_eq!(fs::read_to_string(folder.path().join("status")).expect("status"), "0\n");
    // A run that writes more than the list has failed: its files and its record would not be whole.
    for flags in ["--stats s", "--hits h.csv", "--state st"] {
        let line = format!("{{ $D scan in {flags}; echo $? > status; }} | head -n 1");
        let (_, out, err) = shell(folder.path(), &line);
        let status = fs::read_to_string(folder.path().join("status")).expect("status");
        let is_alone = flags.starts_with("--state");
        let words = if is_for_windows() { "broken pipe" } else { "Broken pipe (os error 32)" };
        let words = format!("{words}; the other files of this run are not complete\n");
        assert_eq!((out.as_str(), err.ends_with(&words)), ("10.1000/ABC0\n", !is_alone), "{err}");
        assert_eq!(status, if is_alone { "0\n" } else { "2\n" }, "{flags}");
    }
    let record = fs::read(folder.path().join("s")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    assert_eq!((&record["exit_status"], &record["complete"]), (&2.into(), &false.into()));
    assert!(record["error"].is_string(), "{record}");
    let line = ": > none; { $D diff none in --stats s; echo $? > status; } | head -n 1";
    assert!(shell(folder.path(), line).2.ends_with("are not complete\n"));
    assert_eq!(fs::read_to_string(folder.path().join("status")).expect("status"), "2\n");
}

#[test]
fn the_bar_is_drawn_on_a_terminal_only() {
    let folder = folder(TEXT);
    for when in ["auto", "always", "never"] {
        let (status, out, err) = shell(folder.path(), &format!("$D scan in --progress {when}"));
        assert_eq!((status, out.as_str()), (Some(0), LIST), "{when}");
        assert!(!err.contains('\r') && !err.contains('\x1b'), "{err:?}");
    }
}

/// The README's main task.
#[test]
fn the_sample_gives_what_is_expected_of_it() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let expected = std::fs::read(root.join("testdata/sample.expected.txt")).unwrap();
    let output = assert_cmd::cargo::cargo_bin_cmd!("doiscan")
        .args(["scan", "--quiet"])
        .arg(root.join("testdata/sample"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&expected));
    assert!(output.status.success());
}

#[test]
fn lower_case_is_sorted_as_it_is_written() {
    // `_` sorts after `A` and before `a`.
    let folder = folder("10.1000/A_B 10.1000/AAB 10.1000/aab 10.1000/É");
    let (status, out, _) = shell(folder.path(), "$D scan -q in --case lower");
    assert_eq!((status, out.as_str()), (Some(0), "10.1000/a_b\n10.1000/aab\n10.1000/É\n"));
    let (_, out, _) = shell(folder.path(), "$D scan -q in");
    assert_eq!(out, "10.1000/AAB\n10.1000/A_B\n10.1000/É\n");
}

#[test]
fn short_dois_have_a_list_of_their_own() {
    let folder = folder("http://doi.org/f77, doi:10/B3KQ, 10.1000/182 and doi:10/f77");
    let (status, out, err) = shell(folder.path(), "$D scan in --short-doi short");
    assert_eq!((status, out.as_str()), (Some(0), "10.1000/182\n"));
    assert!(err.contains("\n2 distinct shortDOIs"), "{err}");
    let short = fs::read_to_string(folder.path().join("short")).expect("written");
    assert_eq!(short, "10/b3kq\n10/f77\n");
    for other in ["x", "./x", "$PWD/x"] {
        same_file(folder.path(), other);
    }
}

/// `--short-doi` names the file of `-o x` in another way, which is refused.
fn same_file(at: &Path, other: &str) {
    let (status, _, err) = shell(at, &format!("$D scan in -o x --short-doi {other}"));
    assert_eq!(status, Some(2));
    assert!(err.starts_with("doiscan: --output and --short-doi are the same file"), "{err}");
}

#[cfg(unix)]
#[test]
fn short_dois_are_not_written_over_the_list_behind_a_link_nor_to_a_full_device() {
    let folder = folder("http://doi.org/f77, doi:10/B3KQ, 10.1000/182 and doi:10/f77");
    std::os::unix::fs::symlink("x", folder.path().join("link")).expect("link");
    same_file(folder.path(), "link");
    let line = "echo old > o; $D scan in -o o --short-doi /dev/full";
    let (status, _, err) = shell(folder.path(), line);
    assert_eq!(status, Some(2));
    assert_eq!(err.matches("No space left").count(), 1, "{err}");
    assert_eq!(fs::read_to_string(folder.path().join("o")).expect("kept"), "old\n");
}

#[test]
fn strict_repairs_nothing_and_refuses_reserved_suffixes() {
    let folder = folder("\"10.1000/a.\" 10.1000/b–c 10.2505/4/x");
    let (_, out, err) = shell(folder.path(), "$D scan in");
    assert_eq!(out, "10.1000/A\n10.1000/B-C\n10.2505/4/X\n");
    assert!(err.contains("\nrepaired 2: 1 trailing, 1 compatibility"), "{err}");
    let (_, out, err) = shell(folder.path(), "$D scan in --strict");
    assert_eq!(out, "10.1000/A.\n10.1000/B–C\n");
    assert!(err.contains("rejected 1: 1 reserved-suffix") && !err.contains("repaired"), "{err}");
}

#[test]
fn lines_are_joined_when_asked() {
    let folder = folder("doi:10.1016/j.fusengdes.2020.\n  111503 and 10.1000/\n10.1000/182\n");
    let (_, out, _) = shell(folder.path(), "$D scan -q in");
    assert_eq!(out, "10.1000/182\n10.1016/J.FUSENGDES.2020.111503\n");
    let (_, out, _) = shell(folder.path(), "$D scan -q --join-lines=never in");
    assert_eq!(out, "10.1000/182\n10.1016/J.FUSENGDES.2020\n");
    let (_, out, err) = shell(folder.path(), "$D scan in --join-lines");
    assert_eq!(out, "10.1000/182\n10.1016/J.FUSENGDES.2020.111503\n");
    assert!(err.contains("repaired 1: 1 line-end"), "{err}");
}

#[test]
fn progress_is_silent_when_quiet_and_in_short_runs() {
    let folder = folder(TEXT);
    for flags in ["-q", "-q --progress always", "--progress never", "--progress always"] {
        let (status, _, err) = shell(folder.path(), &format!("$D scan in {flags}"));
        assert_eq!(status, Some(0));
        assert!(!err.contains('\x1b') && !err.contains(" at in"), "{flags}: {err}");
        assert_eq!(err.is_empty(), flags.contains("-q"), "{flags}: {err}");
    }
}
