//! `--memory` and `--temp-dir`: the list does not depend on memory.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use std::fs;
use std::path::Path;

/// About 20,000 names, more than fit into 1 KiB.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let names = (0..30_000_u64).map(|i| i * 7_919 % 20_011);
    let text: String = names.map(|i| format!("doi:10.1000/j.{i}.{i}\n")).collect();
    fs::write(folder.path().join("in"), text).expect("write");
    fs::create_dir(folder.path().join("t")).expect("folder");
    folder
}

fn stats(folder: &Path) -> serde_json::Value {
    let text = fs::read(folder.join("stats")).expect("stats");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn the_same_bytes_with_less_memory_and_figures_that_say_so() {
    let folder = folder();
    let at = folder.path();
    let (status, expected, err) = shell(at, "$D scan in --stats stats");
    assert_eq!(status, Some(0));
    assert!(!err.contains("spilled"), "{err}");
    assert_eq!(
        (stats(at)["runs"].as_u64(), stats(at)["spilled_bytes"].as_u64()),
        (Some(0), Some(0))
    );
    for flags in
        ["-S 1K -T t", "--memory 0.001% --temp-dir t -T . -j 8", "-S 1K -T t --io read -j 1"]
    {
        let line = format!("$D scan in --stats stats --chunk-size 30000 {flags}");
        let (status, out, err) = shell(at, &line);
        assert_eq!(status, Some(0), "{err}");
        assert!(out == expected, "{flags}");
        assert!(err.contains("\nspilled ") && err.contains(" runs"), "{err}");
        let stats = stats(at);
        assert!(stats["runs"].as_u64() > Some(1) && stats["spilled_bytes"].as_u64() > Some(1000));
        if cfg!(target_os = "linux") {
            assert!(
                err.contains(", peak memory ") && stats["peak_memory"].as_u64() > Some(1_000_000)
            );
        }
        assert_eq!(fs::read_dir(at.join("t")).expect("list").count(), 0);
    }
}

#[test]
fn sizes_and_folders_that_are_none_are_usage_errors() {
    let folder = folder();
    for flags in ["-S 0", "-S 256", "-S 1X", "-S 101%", "-T none", "-T in"] {
        let (status, out, err) = shell(folder.path(), &format!("$D scan in {flags}"));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{flags}");
        assert!(!err.is_empty(), "{flags}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn few_descriptors_and_no_room_to_spill() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("list"), "old").expect("write");
    // The limit is one block, which the first run exceeds.
    let line = "ulimit -f 1; exec $D scan in -S 1K -T t -o list --chunk-size 30000";
    let (status, _, err) = shell(at, line);
    assert_eq!(status, Some(2), "{err}");
    assert!(
        err.starts_with("doiscan: cannot write a temporary file in t: File too large"),
        "{err}"
    );
    assert_eq!(fs::read(at.join("list")).expect("read"), b"old");
    let line = "ulimit -n 16; exec $D scan in -q -S 1K -T t -T . -o list --chunk-size 30000";
    assert_eq!(shell(at, line), (Some(0), String::new(), String::new()));
    assert_eq!(shell(at, "$D scan -q in | cmp - list").0, Some(0));
}

#[test]
fn a_folder_that_is_named_by_the_environment() {
    let folder = folder();
    let at = folder.path();
    for folder in ["t", "none"] {
        let line = format!("TMPDIR={folder} $D scan in -S 1K -o list --chunk-size 30000");
        let (status, _, err) = shell(at, &line);
        assert_eq!(status, Some(0), "{err}");
    }
}

#[test]
fn a_name_longer_than_a_block_of_memory_is_a_name_like_others() {
    let folder = tempfile::tempdir().expect("folder");
    let long = format!("10.1234/{}", "A".repeat(70_000));
    let others: String = (1..=1000).map(|n| format!("10.5555/x{n}\n")).collect();
    fs::write(folder.path().join("in"), format!("{long}\n{others}")).expect("write");
    for memory in ["1K", "1G"] {
        let line = format!("$D scan -q --max-length 100000 -S {memory} in");
        let (status, out, err) = shell(folder.path(), &line);
        assert_eq!((status, err.as_str(), out.lines().count()), (Some(0), "", 1001), "{memory}");
        assert_eq!(out.lines().next(), Some(long.as_str()), "{memory}");
    }
}

/// So many names share four keys that all threads sort by the next ones.
#[test]
fn names_with_a_long_common_prefix_are_sorted() {
    let folder = tempfile::tempdir().expect("folder");
    let name = |n: u64| format!("10.1000/{}{n:06}\n", "A".repeat(60));
    let text: String = (0..40_000_u64).map(|n| name(n * 7_919 % 40_000)).collect();
    fs::write(folder.path().join("in"), text).expect("write");
    let (status, out, err) = shell(folder.path(), "$D scan in -j 2");
    assert_eq!(status, Some(0), "{err}");
    assert!(out == (0..40_000).map(name).collect::<String>(), "{} bytes", out.len());
}

#[test]
fn short_dois_are_spilled_like_names() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let letters = b"bcdfghjkmnpqrstvwxz23456789";
    let short = |mut n: usize| -> String {
        std::iter::repeat_with(|| {
            let letter = letters[n % 27];
            n /= 27;
            char::from(letter)
        })
        .take(4)
        .collect()
    };
    let text: String = (0..30_000)
        .map(|n| format!("https://doi.org/{} 10.1000/{}\n", short(n * 7_919 % 20_011), n % 7))
        .collect();
    fs::write(at.join("in"), text).expect("write");
    let mut lists = Vec::new();
    for (flags, spills) in [("", false), ("-S 1K -T . --chunk-size 30000 -j 3", true)] {
        let line = format!("$D scan in --short-doi short --stats stats {flags}");
        let (status, out, err) = shell(at, &line);
        assert_eq!((status, out.lines().count()), (Some(0), 7), "{err}");
        assert_eq!(stats(at)["short_dois"].as_u64(), Some(20_011), "{err}");
        assert_eq!(stats(at)["runs"].as_u64() > Some(0), spills, "{err}");
        lists.push(fs::read_to_string(at.join("short")).expect("short"));
    }
    assert!(lists[0].lines().is_sorted() && lists[0].lines().count() == 20_011);
    assert!(lists[0] == lists[1]);
}
