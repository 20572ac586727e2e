//! Compares the fast scanner with the naive one on real collections, if the optional folder
//! `../shared` contains them. Uses a sample of their files, because the oracle is slow in a debug
//! build.

#![expect(clippy::disallowed_methods, reason = "tests read files and start processes")]
#![expect(clippy::print_stdout, reason = "a test says what it skips")]

use super::oracle::check_file;
use std::path::{Path, PathBuf};
use std::process::Command;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Compares the first `head` bytes of one in every `sample` files.
fn compare(sample: usize, head: usize) {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    for collections in ["accuracy/corpora", "wild/corpora"] {
        let folder = tempfile::tempdir().expect("reads");
        let mut archives = Vec::new();
        if !shared.join(collections).is_dir() {
            println!("skipped: there is no ../shared/{collections}");
            continue;
        }
        files(&shared.join(collections), &mut archives);
        for archive in archives.iter().filter(|path| path.to_string_lossy().ends_with(".tar.xz")) {
            let unpacked =
                Command::new("tar").arg("-xJf").arg(archive).current_dir(&folder).status();
            if !unpacked.is_ok_and(|status| status.success()) {
                println!("skipped: no tar that unpacks {}", archive.display());
                return;
            }
        }
        let mut found = Vec::new();
        files(folder.path(), &mut found);
        assert!(found.len() > sample);
        for path in found.iter().step_by(sample) {
            let bytes = std::fs::read(path).expect("reads");
            check_file(path, &bytes[..bytes.len().min(head)]);
        }
    }
}

#[test]
fn fast_is_naive_on_real_collections() {
    compare(24, 128 * 1024);
}

#[test]
#[ignore = "every file takes a quarter of an hour"]
fn fast_is_naive_on_every_file_of_the_collections() {
    compare(1, 1024 * 1024);
}
