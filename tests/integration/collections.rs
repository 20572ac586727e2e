//! Fast against naive on real collections, where the optional folder `../shared` has
//! them. A sample of their files: in a debug build the oracle is slow.

#![expect(clippy::disallowed_methods, reason = "tests read files and start processes")]

use super::oracle::check_file;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of so many files one is looked at.
const SAMPLE: usize = 24;

/// Bytes of each that are looked at.
const HEAD: usize = 128 * 1024;

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

#[test]
fn fast_is_naive_on_real_collections() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpora = root.join("../shared/accuracy/corpora");
    if !corpora.is_dir() {
        println!("skipped: there is no ../shared/accuracy/corpora");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut archives = Vec::new();
    files(&corpora, &mut archives);
    for archive in archives.iter().filter(|path| path.to_string_lossy().ends_with(".tar.xz")) {
        let unpacked = Command::new("tar").arg("-xJf").arg(archive).current_dir(&folder).status();
        if !unpacked.is_ok_and(|status| status.success()) {
            println!("skipped: no tar that unpacks {}", archive.display());
            return;
        }
    }
    let mut found = Vec::new();
    files(folder.path(), &mut found);
    assert!(found.len() > SAMPLE);
    for path in found.iter().step_by(SAMPLE) {
        let bytes = std::fs::read(path).unwrap();
        check_file(path, &bytes[..bytes.len().min(HEAD)]);
    }
}
