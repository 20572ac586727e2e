//! Laws between commands: every command reads the output of every other command as the same DOIs.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use doiscan::doi::{Doi, batch, fold};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Number of names in the test that always runs, and in the one that runs on demand.
pub(crate) const FEW: usize = 2_000;
pub(crate) const MANY: usize = 100_000;

/// Pseudorandom numbers that are the same in every run: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).expect("31 bits") % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Parts of names: everything that some command or notation treats specially.
const PARTS: &[&str] = &[
    "%",
    "%2",
    "%41",
    "%2F",
    "%25",
    "%e9",
    "%C3%A9",
    "%%3C",
    "&lt;",
    "&amp;",
    "&#60;",
    "&",
    "\\_",
    "\\",
    "\\/",
    "\\u002F",
    "<",
    ">",
    "<br/>",
    "<1::AID>3.0.CO;2-#",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "`",
    "|",
    "^",
    "~",
    "?",
    "#",
    "=",
    "+",
    ",",
    ";",
    ":",
    ".",
    "..",
    "/./",
    "/../",
    "/",
    "//",
    "*",
    "$",
    "!",
    "@",
    "-",
    "--",
    "_",
    "doi:",
    "10.1000/",
    "urn:x1:eidr-s:",
    "https://",
    "/full",
    ".pdf",
    "é",
    "ſ",
    "K",
    "İ",
    "ß",
    "ı",
    "日本",
    "–",
    "—",
    "−",
    "“",
    "”",
    "‘",
    "«",
    "¡",
    "¿",
    "´",
    "µ",
    "🐔",
    "\u{301}",
    "，",
    "。",
    "／",
    "∕",
    "…",
    "†",
    "€",
    "©",
    "→",
];

/// Distinct canonical names as the lines of a sorted list.
pub(crate) fn lines(count: usize) -> BTreeSet<Vec<u8>> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let prefixes =
        ["10.1000/", "10.123/", "10.1000.10/", "10.978.12345/", "10.5240/", "10.123456789/"];
    let mut lines = BTreeSet::new();
    while lines.len() < count {
        let mut name = random.pick(&prefixes).to_owned();
        for _ in 0..=random.below(12) {
            match random.below(4) {
                0 => name.push_str(random.pick(PARTS)),
                1 => name.extend(char::from_u32(0x21 + random.below(0x5e) as u32)),
                2 => name.extend(char::from_u32(random.below(0x3_0000) as u32)),
                _ => name.extend(char::from(b'0' + random.below(10) as u8).to_lowercase()),
            }
        }
        let mut name = name.into_bytes();
        fold(&mut name);
        if Doi::parse(&name).is_ok() {
            lines.insert(batch::encode(&name).into_owned());
        }
    }
    lines
}

fn write<'a>(path: &Path, lines: impl IntoIterator<Item = &'a Vec<u8>>) {
    let text: Vec<u8> =
        lines.into_iter().flat_map(|l| [l, &b"\n"[..]]).flatten().copied().collect();
    fs::write(path, text).expect("write");
}

/// Runs `line` in `folder` and requires that it succeeds without output.
fn holds(folder: &Path, line: &str) {
    let (status, out, err) = shell(folder, line);
    assert!(status == Some(0) && out.is_empty(), "{line}\n{status:?}\n{:.2000}\n{err:.2000}", out);
}

fn chains(count: usize) {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path();
    let list = lines(count);
    write(&folder.join("list"), &list);
    write(&folder.join("backward"), list.iter().rev());
    for law in [
        "LC_ALL=C sort -c -u list",
        // Many of these names would be cut in text, so that they are a list only when requested: sorted, unsorted, in
        // lower case and with other line ends.
        "$D scan -q --format list list | cmp - list",
        "$D scan -q -j2 --format list --chunk-size 4096 < list | cmp - list",
        "$D scan -q --format list backward | cmp - list",
        "$D scan -q --format list --case lower list > lower; LC_ALL=C sort -c -u lower",
        "$D scan -q --format list lower | cmp - list",
        "sed 's/$/\\r/' list | $D scan -q --format list | cmp - list",
        // Merging lists and scanning them give the same result.
        "sed -n 1~2p list > odd; sed -n 0~3p list > some",
        "$D merge -q --format list odd some > merged; LC_ALL=C sort -c -u merged",
        "$D scan -q --format list odd some | cmp - merged",
        "$D diff -q --format list list list",
        "$D merge -q --format list odd list | cmp - list",
        // Every name is strictly valid, whatever it contains.
        "$D check -q --strict list | cut -f3 | grep . > strict; $D scan -q --format list strict > a",
        "grep -c . a > counted; $D merge -q --format list a list | cmp - list",
        // `check`, `convert` and `scan` read the DOI written by `check` as the same DOI. Names that hold several have
        // none.
        "$D check -q list | cut -f3 | grep . > checked; $D check -q checked | cut -f3 | cmp - checked",
        "$D convert -q --to plain checked | cmp - checked",
        "$D scan -q --format list checked > a; LC_ALL=C sort -u checked | cmp - a",
        "$D check -q --strict --output-format jsonl list | $D scan -q | grep -c . > counted",
    ] {
        holds(folder, law);
    }
    for form in ["plain", "lower", "doi", "info", "urn", "url", "url --mandatory", "url --which-ra"]
    {
        let law = format!(
            "$D convert -q --to {form} checked > form; $D convert -q --to plain form | cmp - checked"
        );
        holds(folder, &law);
    }
}

#[test]
fn what_one_command_writes_every_other_reads() {
    chains(FEW);
}

#[test]
#[ignore = "takes a minute"]
fn what_one_command_writes_every_other_reads_of_many_names() {
    chains(MANY);
}

#[test]
fn an_encoded_percent_sign_stays_one_name() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("in"), r#"{"doi":"10.1000/a%2541"}"#).expect("write");
    holds(folder.path(), "$D scan -q in > list; echo '10.1000/A%2541' | cmp - list");
    for (command, expected) in [
        ("scan -q", "10.1000/A%2541\n"),
        ("check -q", "10.1000/A%2541\ttrue\t10.1000/A%2541\t\tpercent-encoded\n"),
        ("convert -q --to url", "https://doi.org/10.1000/A%2541\n"),
        ("merge -q", "10.1000/A%2541\n"),
    ] {
        let (_, out, _) = shell(folder.path(), &format!("$D {command} list"));
        assert_eq!(out, expected, "{command}");
    }
}
