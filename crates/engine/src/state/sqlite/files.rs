//! The names of the files of a state, and the marks that tell its folder from any other.
//!
//! A state writes and removes files of these names, so it does so only in a folder that is new or
//! empty, or that has a mark. Nothing is opened before it is known to be a regular file with one
//! name: a link could lead to a file of the user, and opening a pipe could wait for ever.

use crate::output::is_inside;
use crate::state::data::StoreError;
use doiscan_os::files::{careful, links};
use doiscan_os::folder;
use memchr::memmem;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The catalogue.
pub(super) const CATALOGUE: &str = "doiscan.db";

/// The file that is locked while a run uses the state.
pub(super) const LOCK: &str = "lock";

/// The folder of the segments.
pub(super) const SEGMENTS: &str = "segments";

/// Suffixes of the files that SQLite keeps beside the catalogue.
pub(super) const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The first line of the lock file.
pub(super) const MARK: &str = "doiscan state\n";

/// `PRAGMA application_id` of a catalogue: `DOIS`.
pub(super) const APPLICATION: u32 = u32::from_be_bytes(*b"DOIS");

/// The first bytes of each of them, in any byte order: the journal, the log and its index. Those that
/// SQLite has not synced are zeros.
const BESIDE_MARKS: [&[[u8; 4]]; 3] = [
    &[[0xd9, 0xd5, 0x05, 0xf9]],
    &[[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]],
    &[3_007_000_u32.to_le_bytes(), 3_007_000_u32.to_be_bytes()],
];

/// Bytes that are read of a lock file: the mark and a process ID fit.
const LOCK_BYTES: u64 = 64;

/// Bytes of an older catalogue, which has no application ID, that hold the names of its tables.
const SCHEMA_BYTES: u64 = 64 * 1024;

/// Returns the files of the state in `folder`, which no output may replace.
pub fn own_files(folder: &Path) -> Vec<PathBuf> {
    let catalogue =
        ["", ".damaged"].into_iter().chain(BESIDE).map(|end| format!("{CATALOGUE}{end}"));
    catalogue.chain([LOCK.to_owned()]).map(|name| folder.join(name)).collect()
}

/// Whether `path` is inside the folder of the segments of the state in `folder`, whose files come and
/// go.
pub fn is_segment(folder: &Path, path: &Path) -> bool {
    is_inside(path, &folder.join(SEGMENTS))
}

/// What a folder is to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It does not exist or has no content.
    Nothing,
    State,
}

/// Finds out what `folder` is. Changes nothing.
///
/// # Errors
///
/// When the folder holds anything but a state, or when a file of the state is a link or is not a
/// regular file.
pub(super) fn inspect(folder: &Path) -> Result<Found, StoreError> {
    let fail = |what: String| StoreError::Failed(format!("state {}: {what}", folder.display()));
    match folder.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(fail(error.to_string())),
        Ok(meta) if !meta.is_dir() => return Err(fail("expected a folder".to_owned())),
        Ok(_) => {}
    }
    let names = BESIDE.iter().map(|suffix| format!("{CATALOGUE}{suffix}"));
    for name in names.chain([CATALOGUE, LOCK].map(str::to_owned)) {
        regular(&folder.join(&name)).map_err(|what| fail(format!("{name} {what}")))?;
    }
    for (suffix, marks) in BESIDE.iter().zip(BESIDE_MARKS) {
        let name = format!("{CATALOGUE}{suffix}");
        let begin = start(&folder.join(&name), 4).map_err(|error| fail(error.to_string()))?;
        let is_empty = begin.iter().all(|&byte| byte == 0);
        if !is_empty && !marks.iter().any(|mark| begin == mark) {
            // SQLite would remove it.
            return Err(fail(format!("{name} is no file of SQLite; move it away")));
        }
    }
    match folder.join(SEGMENTS).symlink_metadata() {
        Ok(meta) if !meta.is_dir() => {
            return Err(fail(format!("{SEGMENTS} is not a folder; remove it")));
        }
        _ => {}
    }
    let cannot = |name: &str| {
        let name = name.to_owned();
        move |error: io::Error| {
            StoreError::Failed(format!("state {}: {name}: {error}", folder.display()))
        }
    };
    let lock = start(&folder.join(LOCK), LOCK_BYTES).map_err(cannot(LOCK))?;
    let catalogue = start(&folder.join(CATALOGUE), SCHEMA_BYTES).map_err(cannot(CATALOGUE))?;
    if lock.starts_with(MARK.as_bytes()) {
        return Ok(Found::State);
    }
    if is_catalogue(&catalogue) {
        return match is_old_lock(&lock) {
            true => Ok(Found::State),
            false => Err(fail(format!("{LOCK} is not the lock file of a state; move it away"))),
        };
    }
    match foreign(folder).map_err(|error| fail(error.to_string()))? {
        None => Ok(Found::Nothing),
        Some(name) => {
            let what = format!("is not a state and not empty: it holds {name}");
            Err(fail(format!("{what}; nothing was changed; name a new or an empty folder")))
        }
    }
}

/// Whether `path` exists. Otherwise, the error says what is there instead of a regular file with
/// one name.
fn regular(path: &Path) -> Result<bool, String> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!("cannot be read: {error}")),
        Ok(meta) if meta.is_symlink() => Err("is a symbolic link; remove it".to_owned()),
        Ok(meta) if !meta.is_file() => Err("is not a regular file; remove it".to_owned()),
        Ok(meta) if links(path, &meta) > 1 => {
            Err(format!("is a hard link with {} names; copy the file instead", links(path, &meta)))
        }
        Ok(_) => Ok(true),
    }
}

/// Returns the first `most` bytes of a file, or none if it does not exist.
pub(super) fn start(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match careful().open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        file => drop(File::take(file?, most).read_to_end(&mut bytes)?),
    }
    Ok(bytes)
}

/// Whether a SQLite database that begins with `bytes` is a catalogue.
fn is_catalogue(bytes: &[u8]) -> bool {
    let application = bytes.get(68..72).and_then(|id| id.first_chunk()).copied();
    bytes.starts_with(b"SQLite format 3\0")
        && match application.map(u32::from_be_bytes) {
            // Versions before 3 have no application ID.
            Some(0) => memmem::find(bytes, b"CREATE TABLE run_inputs").is_some(),
            found => found == Some(APPLICATION),
        }
}

/// Whether a lock file may have been left by an older version, which wrote only a process ID, or by
/// a power cut.
fn is_old_lock(bytes: &[u8]) -> bool {
    bytes.len() < 16 && bytes.iter().all(|byte| byte.is_ascii_digit() || b"\n\0".contains(byte))
}

/// Returns the name of an entry of `folder` that is more than the beginning of a state.
fn foreign(folder: &Path) -> io::Result<Option<String>> {
    for entry in folder::entries(folder)? {
        let (name, _) = entry?;
        let (name, path) = (name.to_string_lossy().into_owned(), folder.join(&name));
        let is_empty = match &*name {
            LOCK | CATALOGUE => path.symlink_metadata()?.len() == 0,
            SEGMENTS => folder::entries(&path)?.next().is_none(),
            // The root of a new file system has this folder.
            "lost+found" => true,
            _ => false,
        };
        if !is_empty {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn said(folder: &Path) -> String {
        inspect(folder).expect_err("refused").to_string()
    }

    #[test]
    fn a_folder_of_the_user_is_refused_and_a_new_one_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let at = |name: &str| folder.path().join(name);
        assert_eq!(inspect(&at("none")).expect("new"), Found::Nothing);
        for name in ["lost+found", SEGMENTS] {
            fs::create_dir(at(name)).expect("mkdir");
        }
        for name in [LOCK, CATALOGUE] {
            fs::write(at(name), "").expect("write");
        }
        assert_eq!(inspect(folder.path()).expect("empty"), Found::Nothing);
        for (name, text) in [
            ("a.txt", ""),
            ("segments/a.wav", "x"),
            ("segments/00000001.names", "x"),
            (LOCK, "12\n"),
            (LOCK, "mine"),
            (CATALOGUE, "mine"),
            (CATALOGUE, "SQLite format 3\0"),
        ] {
            fs::write(at(name), text).expect("write");
            assert!(said(folder.path()).contains("is not a state and not empty: it holds "));
            fs::write(at(name), "").expect("write");
            if ![LOCK, CATALOGUE].contains(&name) {
                fs::remove_file(at(name)).expect("remove");
            }
        }
        fs::write(at(LOCK), format!("{MARK}12\n")).expect("write");
        fs::write(at("segments/a.wav"), "x").expect("write");
        assert_eq!(inspect(folder.path()).expect("marked"), Found::State);
    }

    #[test]
    fn hard_links_and_folders_are_refused() {
        for name in [CATALOGUE, LOCK, "doiscan.db-journal", "doiscan.db-wal"] {
            let folder = tempfile::tempdir().expect("folder");
            let (path, other) = (folder.path().join(name), folder.path().join("other"));
            fs::write(&other, MARK).expect("write");
            fs::hard_link(&other, &path).expect("a link");
            assert!(said(folder.path()).contains(&format!("{name} is a hard link with 2 names")));
            fs::remove_file(&path).expect("remove");
            fs::create_dir(&path).expect("mkdir");
            assert!(said(folder.path()).contains(&format!("{name} is not a regular file")));
        }
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_refused() {
        use std::os::unix::fs::symlink;
        for name in [CATALOGUE, LOCK, "doiscan.db-journal", "doiscan.db-wal"] {
            let folder = tempfile::tempdir().expect("folder");
            fs::write(folder.path().join("other"), MARK).expect("write");
            symlink("other", folder.path().join(name)).expect("a link");
            assert!(
                said(folder.path()).ends_with(&format!("{name} is a symbolic link; remove it"))
            );
        }
        let folder = tempfile::tempdir().expect("folder");
        symlink("..", folder.path().join(SEGMENTS)).expect("a link");
        assert!(said(folder.path()).ends_with("segments is not a folder; remove it"));
    }
}
