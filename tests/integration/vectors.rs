//! Tests every row of `testdata/vectors/*.toml` through every route to the scanner.

#![expect(clippy::disallowed_methods, reason = "tests read the vectors and make files of them")]

use doiscan::doi::batch;
use doiscan::pipeline::Format;
use doiscan::pipeline::Io;
use doiscan::pipeline::{self, Plan};
use doiscan::scan::{LOOKBEHIND, Match, Notation, Options, Scanner, Sink};
use doiscan_core::scan::naive;
use doiscan_input::{Block, Stream};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Chunk sizes of the routes that read: every cut, an odd size, no cut.
const CHUNKS: [usize; 3] = [1, 7, 4096];

/// Number of failures shown. One wrong rule fails many rows.
const SHOWN: usize = 40;

/// One table of vectors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

/// One row as written in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The input, as text.
    text: Option<String>,
    /// The input, with `\xNN` for a byte that is not text. Other backslashes are literal.
    bytes: Option<String>,
    /// The name of its file, which determines the notation.
    #[serde(default = "text_file")]
    file: String,
    /// The names that are found in it, in order of appearance.
    dois: Vec<String>,
    /// The right ones, where others are found: a known fault.
    right: Option<Vec<String>>,
}

fn text_file() -> String {
    "a.txt".to_owned()
}

/// One row, ready to be scanned.
struct Row {
    /// `sici.toml row 3`.
    place: String,
    file: String,
    input: Vec<u8>,
    want: Vec<String>,
}

impl Row {
    fn new(table: &Path, number: usize, case: Case) -> Row {
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        let place = format!("{name} row {number}");
        let input = match (case.text, case.bytes) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(bytes)) => unescape(&bytes),
            _ => panic!("{place}: expected either text or bytes"),
        };
        assert!(case.right.is_none_or(|right| right != case.dois), "{place}: no fault");
        Row { place, file: case.file, input, want: case.dois }
    }

    fn notation(&self) -> Notation {
        Format::Auto.notation(Some(self.file.as_bytes()), &self.input)
    }

    /// Returns the message for a wrong answer `got` of `route`.
    fn difference(&self, route: &str, got: &[String]) -> Option<String> {
        (got != self.want).then(|| {
            let input = String::from_utf8_lossy(&self.input);
            let Row { place, file, want, .. } = self;
            format!(
                "{place} ({file}), {route}\n  input {input:?}\n  want  {want:?}\n  got   {got:?}\n"
            )
        })
    }
}

/// Decodes `\xNN` to bytes.
fn unescape(text: &str) -> Vec<u8> {
    let (mut rest, mut bytes) = (text.as_bytes(), Vec::new());
    while let Some((&byte, behind)) = rest.split_first() {
        let hex = rest.strip_prefix(b"\\x").and_then(|hex| hex.get(..2));
        let octet = hex
            .and_then(|hex| str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(octet.unwrap_or(byte));
        rest = if octet.is_some() { &rest[4..] } else { behind };
    }
    bytes
}

/// Returns every row, sorted by the name of its table.
fn rows() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors");
    let mut tables: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the vectors")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    tables.sort();
    let mut rows = Vec::new();
    for path in &tables {
        let text = fs::read_to_string(path).expect("a table");
        let table: Table = toml::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        rows.extend(table.case.into_iter().enumerate().map(|(i, c)| Row::new(path, i + 1, c)));
    }
    assert!(rows.len() > 100, "{} rows in {}", rows.len(), folder.display());
    rows
}

/// Returns the inputs of all rows.
pub(crate) fn inputs() -> Vec<Vec<u8>> {
    rows().into_iter().map(|row| row.input).collect()
}

/// Collects the names.
struct Names(Vec<String>);

impl Sink for Names {
    fn accept(&mut self, found: &Match<'_>) {
        self.0.push(String::from_utf8(found.doi.to_vec()).expect("names are UTF-8"));
    }

    fn reject(&mut self, _: usize, _: doiscan::doi::Reason) {}
}

/// The names that `scan` finds.
fn names(scan: impl FnOnce(&mut Names)) -> Vec<String> {
    let mut names = Names(Vec::new());
    scan(&mut names);
    names.0
}

/// Returns the names found in windows of `chunk` bytes, with only the surrounding bytes that may
/// affect the result.
fn windows(scanner: &mut Scanner, row: &Row, chunk: usize) -> Vec<String> {
    let (input, notation) = (&row.input, row.notation());
    names(|sink| {
        for start in (0..input.len()).step_by(chunk) {
            let end = input.len().min(start + chunk);
            let begin = start.saturating_sub(LOOKBEHIND);
            let reach = input.len().min(end + scanner.lookahead());
            scanner.scan(&input[begin..reach], start - begin..end - begin, notation, sink);
        }
    })
}

/// Returns the names found in blocks of `chunk` bytes, as read from standard input.
fn blocks(scanner: &mut Scanner, row: &Row, chunk: usize) -> Vec<String> {
    let mut stream = Stream::new(row.input.as_slice()).expect("a stream");
    let mut block = Block::default();
    names(|sink| {
        while stream.next_block(chunk, scanner.lookahead(), &mut block) {
            let window = block.window();
            scanner.scan(window.bytes, window.starts.clone(), row.notation(), sink);
        }
    })
}

/// Returns the first route whose answer differs from the row.
fn failure(row: &Row) -> Option<String> {
    let options = Options::default();
    let mut scanner = Scanner::new(options.clone());
    let (input, notation) = (row.input.as_slice(), row.notation());
    let whole = scanner.names(input, notation);
    let oracle = names(|sink| naive::scan(input, 0..input.len(), notation, &options, sink));
    row.difference("whole", &whole)
        .or_else(|| row.difference("naive oracle", &oracle))
        .or_else(|| {
            (1..=input.len()).find_map(|chunk| {
                let got = windows(&mut scanner, row, chunk);
                row.difference(&format!("windows of {chunk}"), &got)
            })
        })
        .or_else(|| {
            CHUNKS.into_iter().find_map(|chunk| {
                let got = blocks(&mut scanner, row, chunk);
                row.difference(&format!("blocks of {chunk}"), &got)
            })
        })
}

#[test]
fn every_row_through_every_window_and_block() {
    let failures: Vec<String> = rows().iter().filter_map(failure).collect();
    let shown: String = failures.iter().take(SHOWN).flat_map(|f| ["\n", f.as_str()]).collect();
    assert!(failures.is_empty(), "{} rows are answered wrongly\n{shown}", failures.len());
}

/// Returns the rows whose names differ between `want` and `got`.
fn blame(rows: &[Row], want: &BTreeSet<String>, got: &BTreeSet<String>) -> String {
    let mut said = String::new();
    for name in want.difference(got) {
        let places = rows.iter().filter(|r| r.want.contains(name)).map(|r| r.place.as_str());
        let _ = writeln!(said, "  missed {name} of {}", places.collect::<Vec<_>>().join(", "));
    }
    for name in got.difference(want) {
        let _ = writeln!(said, "  false  {name}");
    }
    said
}

/// Returns the list that `pipeline::run` writes for `folder`.
fn run(folder: &Path, output: &Path, io: Io, threads: usize, chunk: usize) -> String {
    let mut plan = Plan::new([folder]);
    plan.output = Some(output.to_path_buf());
    plan.threads = NonZeroUsize::new(threads);
    plan.io = io;
    plan.chunk = NonZeroUsize::new(chunk).expect("not zero");
    let report = pipeline::run(&plan, &()).expect("a list");
    assert_eq!(report.problems, []);
    fs::read_to_string(output).expect("the list")
}

#[test]
fn every_row_as_a_file_however_it_is_read() {
    let rows = rows();
    let folder = tempfile::tempdir().expect("folder");
    let (inputs, output) = (folder.path().join("rows"), folder.path().join("list"));
    for (i, row) in rows.iter().enumerate() {
        let at = inputs.join(i.to_string());
        fs::create_dir_all(&at).expect("mkdir");
        fs::write(at.join(&row.file), &row.input).expect("write");
    }
    let written =
        |name: &String| String::from_utf8_lossy(&batch::encode(name.as_bytes())).into_owned();
    let want: BTreeSet<String> = rows.iter().flat_map(|row| row.want.iter().map(written)).collect();
    #[expect(unsafe_code, reason = "mapping is an unsafe choice")]
    // SAFETY: the files belong to this test.
    let mapped = unsafe { Io::map_all() };
    for io in [mapped, Io::READ] {
        for threads in [1, 2, 8] {
            for chunk in CHUNKS {
                let list = run(&inputs, &output, io, threads, chunk);
                let got: BTreeSet<String> = list.lines().map(str::to_owned).collect();
                let route = format!("{io:?}, {threads} threads, chunks of {chunk}");
                assert!(got == want, "{route}\n{}", blame(&rows, &want, &got));
                let sorted: String = want.iter().flat_map(|n| [n.as_str(), "\n"]).collect();
                assert!(list == sorted, "{route}: not sorted and distinct");
            }
        }
    }
}

#[test]
fn every_name_is_written_as_the_canonical_form_is() {
    for row in rows() {
        for name in &row.want {
            let prefix = name.strip_prefix("10.").and_then(|rest| rest.split_once('/'));
            let is_canonical = prefix.is_some_and(|(_, suffix)| !suffix.is_empty())
                && !name.bytes().any(|b| b.is_ascii_lowercase() || b < b' ');
            assert!(is_canonical, "{}: {name:?}", row.place);
        }
    }
}
