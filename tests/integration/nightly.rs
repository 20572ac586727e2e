//! The example of docs/nightly.md on bad mornings.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{is_for_windows, shell};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The first example of the document.
fn example() -> String {
    let text = include_str!("../../docs/nightly.md");
    let (_, block) = text.split_once("```sh\n").expect("an example");
    let (block, _) = block.split_once("```").expect("its end");
    assert!(block.starts_with("doiscan scan exports -o dois.txt --state state "), "{block}");
    block.replacen("doiscan", "\"$D\"", 1)
}

#[test]
fn the_four_commands_have_the_gates_of_the_table() {
    let text = include_str!("../../docs/nightly.md");
    let gates: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_suffix("` |")?.rsplit_once("| `"))
        .map(|(_, gate)| gate)
        .filter(|gate| gate.contains(" > "))
        .collect();
    assert_eq!(gates.len(), 4, "{gates:?}");
    let commands = text.replace("%%", "%").replace("\\%", "%").replace(['\'', '"'], "");
    let commands = commands.replace("--fail-on=", "--fail-on ");
    for gate in gates {
        assert!(commands.matches(&format!("--fail-on {gate}")).count() >= 4, "{gate}");
    }
}

/// Text with `count` DOIs.
fn names(input: usize, count: usize) -> String {
    (0..count).map(|n| format!("doi:10.1000/a{input}.{n}\n")).collect()
}

fn packed(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("memory");
    gzip.finish().expect("memory")
}

fn input(folder: &Path, input: usize) -> PathBuf {
    folder.join(format!("exports/{input:02}.txt"))
}

/// A folder after a good night: 40 inputs of 50 DOIs and a compressed one.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir(folder.path().join("exports")).expect("mkdir");
    for n in 0..40 {
        fs::write(input(folder.path(), n), names(n, 50)).expect("write");
    }
    fs::write(folder.path().join("exports/last.gz"), packed(&names(40, 50))).expect("write");
    // Inputs that changed just now would be read again.
    std::thread::sleep(Duration::from_millis(60));
    let (status, _, err) = shell(folder.path(), &example());
    assert_eq!(status, Some(0), "{err}");
    folder
}

fn record(folder: &Path) -> serde_json::Value {
    let text = fs::read(folder.join("run.json")).expect("the record");
    serde_json::from_slice(&text).expect("JSON")
}

/// A change of the inputs overnight.
type Morning = fn(&Path);

const BAD: [(&str, i32, &str, Morning); 11] = [
    ("half of the inputs are gone, and a new one is huge", 1, "inputs_gone > 0", |at| {
        (0..20).for_each(|n| fs::remove_file(input(at, n)).expect("remove"));
        fs::write(input(at, 99), names(99, 5_000)).expect("write");
    }),
    ("inputs are cut", 1, "removed > 1% of last.distinct", |at| {
        for n in 0..3 {
            fs::write(input(at, n), &names(n, 50)[..400]).expect("write");
        }
    }),
    ("an input is empty", 1, "removed > 1% of last.distinct", |at| {
        fs::write(input(at, 7), "").expect("write");
    }),
    ("a new input is empty", 1, "inputs_empty > 0", |at| {
        fs::write(input(at, 98), "").expect("write");
    }),
    ("an input is an error page", 1, "removed > 1% of last.distinct", |at| {
        let page = "<html><body><h1>503 Service Unavailable</h1></body></html>";
        fs::write(input(at, 7), page).expect("write");
    }),
    ("an input may not be read", 1, "problems > 0", |at| {
        let permissions = fs::Permissions::from_mode(0o0);
        fs::set_permissions(input(at, 7), permissions).expect("mode");
    }),
    ("a compressed input is cut", 1, "problems > 0", |at| {
        let path = at.join("exports/last.gz");
        let whole = fs::read(&path).expect("read");
        fs::write(path, &whole[..whole.len() - 9]).expect("write");
    }),
    ("other DOIs replace those of yesterday", 1, "removed > 1% of last.distinct", |at| {
        fs::write(input(at, 7), names(8_000, 50)).expect("write");
    }),
    ("the state is lost, and so is an input", 1, "removed > 1% of last.distinct", |at| {
        fs::remove_file(input(at, 7)).expect("remove");
        fs::remove_dir_all(at.join("state")).expect("remove");
    }),
    ("the folder is empty", 2, "exports contains no files", |at| {
        fs::remove_dir_all(at.join("exports")).expect("remove");
        fs::create_dir(at.join("exports")).expect("mkdir");
    }),
    ("the folder is missing", 2, "No such file or directory", |at| {
        fs::remove_dir_all(at.join("exports")).expect("remove");
    }),
];

#[test]
fn every_bad_morning_is_caught_and_the_old_list_stays() {
    for (what, expected, cause, change) in BAD {
        if what == "an input may not be read" && is_for_windows() {
            continue;
        }
        let folder = folder();
        let at = folder.path();
        let list = fs::read(at.join("dois.txt")).expect("the list");
        change(at);
        // The superuser may read every file, unless it gives up that capability.
        let of_locked = |meta: fs::Metadata| meta.permissions().mode() & 0o777 == 0;
        let is_locked = fs::metadata(input(at, 7)).is_ok_and(of_locked);
        let line = match is_locked && fs::read(input(at, 7)).is_ok() {
            true => {
                format!("setpriv --bounding-set=-dac_override,-dac_read_search {}", example())
            }
            false => example(),
        };
        // A refused run does not become the last good one.
        for _ in 0..2 {
            let (status, _, err) = shell(at, &line);
            assert_eq!(status, Some(expected), "{what}: {err}");
            assert!(err.contains(cause), "{what}: {err}");
            assert_eq!(fs::read(at.join("dois.txt")).expect("the list"), list, "{what}");
        }
    }
}

#[test]
fn a_good_morning_passes_and_its_changes_are_counted() {
    let folder = folder();
    let at = folder.path();
    fs::write(input(at, 50), names(50, 80)).expect("write");
    fs::write(input(at, 1), names(1, 60)).expect("write");
    fs::write(input(at, 2), names(2, 45)).expect("write");
    let (status, _, err) = shell(at, &example());
    assert_eq!(status, Some(0), "{err}");
    let list = fs::read_to_string(at.join("dois.txt")).expect("the list");
    assert_eq!(list.lines().count(), 41 * 50 + 80 + 10 - 5);
    let figures = ["inputs_gone", "inputs_new", "inputs_changed", "added", "removed"];
    let record = record(at);
    assert_eq!(figures.map(|name| record[name].as_u64()), [0, 1, 2, 90, 5].map(Some));
    let metrics = fs::read_to_string(at.join("doiscan.prom")).expect("metrics");
    assert!(metrics.contains("\ndoiscan_inputs_changed 2\n"), "{metrics}");
    let page = fs::read_to_string(at.join("report.html")).expect("the page");
    assert!(page.contains("files; inputs read: 3"), "{page}");
}

#[test]
fn inputs_are_compared_with_the_last_good_run() {
    let folder = folder();
    let at = folder.path();
    let scan = |more: &str| {
        // Changes of the last moment are read again.
        std::thread::sleep(Duration::from_millis(60));
        let line = format!("$D scan exports -o dois.txt --state state --stats run.json {more}");
        let (_, _, err) = shell(at, &line);
        let record = record(at);
        let figures = ["inputs_gone", "inputs_new", "inputs_changed"];
        (figures.map(|name| record[name].as_u64().expect("a figure")), err)
    };
    fs::rename(input(at, 0), input(at, 60)).expect("rename");
    fs::rename(input(at, 1), at.join("aside")).expect("rename");
    fs::write(input(at, 2), names(2, 51)).expect("write");
    let refused = "--fail-on 'inputs_gone > 0'";
    let (figures, err) = scan(refused);
    assert_eq!(figures, [2, 1, 1], "{err}");
    assert!(
        err.contains(
            "; since then 2 inputs gone (exports/00.txt, exports/01.txt), 1 new, 1 changed"
        ),
        "{err}"
    );
    assert_eq!(scan(refused).0, [2, 1, 1]);
    let gone = record(at)["inputs_gone_first"].to_string().replace("\\\\", "/");
    assert_eq!(gone, r#"["exports/00.txt","exports/01.txt"]"#);
    // Back from where a refused run missed it.
    fs::rename(at.join("aside"), input(at, 1)).expect("rename");
    assert_eq!(scan(refused).0[0], 1);
    assert_eq!(scan("").0[..2], [1, 1]);
    assert_eq!(scan(refused).0, [0, 0, 0]);
}
