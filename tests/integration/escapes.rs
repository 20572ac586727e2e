//! Terminal output: no byte of an input moves the cursor or changes the direction of text.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{program, shell};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The bytes that a line of shell with the command in `$D` sends to a terminal.
fn on_terminal(folder: &Path, line: &str) -> Vec<u8> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).expect("granted");
    unlockpt(&master).expect("unlocked");
    let name = ptsname(&master, Vec::new()).expect("a name").into_bytes();
    let name = std::ffi::OsString::from_vec(name);
    let slave = || OpenOptions::new().read(true).write(true).open(&name).expect("its end");
    let mut child = Command::new("sh")
        .args(["-c", line])
        .env("D", program())
        .env("TERM", "xterm")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(slave())
        .stderr(slave())
        .spawn()
        .expect("sh runs");
    let mut shown = Vec::new();
    let mut buffer = [0; 4096];
    let mut master = File::from(master);
    // At the end of the last process that has the other end open, reading returns an error.
    while let Ok(got @ 1..) = master.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..got]);
    }
    child.wait().expect("ends");
    shown
}

/// A title, a colour, a clear screen, an 8-bit control and bidirectional marks.
const EVIL: &str = "\u{1b}]0;pwned\u{7}\u{1b}[35m\u{1b}[2J\u{9b}1m\u{202e}\u{2066}\u{200f}";

/// Whether any of [`EVIL`] was shown unescaped. Colours set by clap and the progress bar are
/// allowed.
fn is_evil(shown: &[u8]) -> bool {
    let text = String::from_utf8_lossy(shown);
    ["\u{1b}]", "\u{1b}[35m", "\u{1b}[2J", "\u{7}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{200f}"]
        .iter()
        .any(|part| text.contains(part))
        || shown.windows(2).any(|two| two == b"\x9b3")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join("values"), format!("10.1234/a{EVIL}\n10.1234/b\n\tx\u{9b}\n"))
        .expect("write");
    fs::write(at.join("raw"), b"10.1234/\x9b35m\n").expect("write");
    fs::write(at.join(format!("x{EVIL}.csv")), "a,b\n").expect("write");
    fs::write(at.join("bad"), format!("10.1234/a{EVIL}\n")).expect("write");
    fs::write(at.join("old"), "10.1234/A\n10.1234/\u{627}\n").expect("write");
    folder
}

#[test]
fn everything_that_came_from_input_is_escaped() {
    let folder = folder();
    let evil = EVIL.replace('\u{1b}', "\\033").replace('\u{7}', "\\007");
    for line in [
        "$D check values",
        "$D check raw",
        "$D check --output-format jsonl values",
        "$D convert --to url values",
        "$D convert --to plain values",
        "$D merge bad old",
        "$D diff bad old",
        "$D scan values raw",
        "$D scan -v .",
        "$D scan --column b .",
        "$D scan -g '*.CSV' .",
        "$D scan --stats /dev/stdout values",
        "$D scan . -o list --report -",
        "$D scan . -o list --metrics -",
        "$D scan -v . -o list --log-format json",
        &format!("$D scan --fail-on \"$(printf '{evil}')\" values"),
        &format!("$D scan --log-format json --fail-on \"$(printf '{evil}')\" values"),
        &format!("$D scan \"$(printf '{evil}')\""),
        &format!("$D scan --io \"$(printf '{evil}')\" values"),
        &format!("$D scan \"--$(printf '{evil}')\" values"),
        &format!("$D \"$(printf '{evil}\\r\\nx')\""),
        &format!("$D scan -S \"$(printf '{evil}')\" values"),
    ] {
        let shown = on_terminal(folder.path(), line);
        let text = String::from_utf8_lossy(&shown);
        assert!(!shown.is_empty() && !is_evil(&shown), "{line}: {text:?}");
    }
    let shown = on_terminal(folder.path(), "$D check -q values");
    let text = String::from_utf8_lossy(&shown);
    assert!(text.starts_with("10.1234/a\\x1B]0;pwned\\x07\\x1B[35m"), "{text:?}");
    assert!(text.contains("\r\n10.1234/b\ttrue\t10.1234/B\t\t\r\n"), "{text:?}");
}

#[test]
fn files_and_pipes_get_escaped_rows_and_dois_as_they_are() {
    let folder = folder();
    let (_, out, _) = shell(folder.path(), "$D check -q values | cat");
    assert!(out.starts_with("10.1234/a\\x1B]0;pwned\\x07\\x1B[35m"), "{out:?}");
    let mut file = File::create(folder.path().join("in")).expect("create");
    file.write_all("10.1234/\u{627}\u{60c}\n".as_bytes()).expect("write");
    let (_, out, _) = shell(folder.path(), "$D scan -q in -o list; cat list");
    assert_eq!(out, "10.1234/\u{627}\u{60c}\n");
}

#[test]
fn json_is_the_same_text_and_safe_to_print() {
    let folder = folder();
    let line = "$D check -q --output-format jsonl values; $D scan -q --column b . --stats s; cat s";
    let (_, out, _) = shell(folder.path(), line);
    assert!(!is_evil(out.as_bytes()) && out.contains("\\u202e"), "{out:?}");
    let first: serde_json::Value =
        serde_json::from_str(out.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["input"], format!("10.1234/a{EVIL}"));
}
