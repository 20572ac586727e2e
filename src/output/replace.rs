//! Atomic file replacement: writes a temporary file next to the target, syncs it, renames it, and
//! syncs the folder.

use crate::sys::Listed;
use crate::sys::disk::Disk;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Maximum number of symbolic links followed from the given name to the file. Linux has the same
/// limit.
const LINKS: usize = 40;

/// A new file that replaces its target, if there is one, when it is finished.
#[derive(Debug)]
pub(super) struct Replacement {
    temporary: NamedTempFile,
    /// Declared after the temporary file, because fields are dropped in order and the file must be
    /// removed first.
    listed: Option<Listed>,
    target: PathBuf,
    old: Option<Permissions>,
}

impl Replacement {
    /// Creates a file that will become `path`, with the permissions of any new file.
    pub(super) fn new(disk: &dyn Disk, path: &Path) -> io::Result<Self> {
        Replacement::create(disk, path, None)
    }

    /// Creates a file that will replace `path` and take over its permissions. A file without write
    /// permission is not replaced, even if the folder would allow it.
    pub(super) fn of(disk: &dyn Disk, path: &Path, old: &Metadata) -> io::Result<Self> {
        drop(OpenOptions::new().write(true).open(path)?);
        Replacement::create(disk, path, Some(old.permissions()))
    }

    fn create(disk: &dyn Disk, path: &Path, old: Option<Permissions>) -> io::Result<Self> {
        let target = resolve(path)?;
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = folder(&target);
        let prefix = prefix(name);
        remove_stale(folder, &prefix);
        // Registers the name before creating the file, because a signal may arrive right after.
        let mut listed = None;
        let temporary = disk.named(folder, &prefix, new_mode(), &mut |path| {
            listed = Some(Listed::new(path));
        })?;
        mark_in_use(temporary.as_file());
        Ok(Replacement { listed, temporary, target, old })
    }

    /// The file that takes the new bytes.
    pub(super) fn file(&self) -> &File {
        self.temporary.as_file()
    }

    /// Syncs the new file, which must be `written` bytes long, to disk.
    pub(super) fn sync(&mut self, disk: &dyn Disk, written: u64) -> io::Result<()> {
        let file = self.temporary.as_file();
        let on_disk = disk.len(file)?;
        if on_disk != written {
            let message = format!("{written} bytes were written but {on_disk} are there");
            return Err(io::Error::other(message));
        }
        if let Some(old) = self.old.take() {
            disk.set_permissions(file, old)?;
        }
        disk.sync(file)
    }

    /// Changes the target to the path beside the old file.
    pub(super) fn go_beside(&mut self) {
        self.target = beside(&self.target);
    }

    /// Renames the synced file to its target.
    pub(super) fn put_in_place(self, disk: &dyn Disk) -> io::Result<()> {
        disk.rename(self.temporary.into_temp_path(), &self.target)?;
        drop(self.listed);
        disk.sync_folder(folder(&self.target))
    }
}

/// Follows a chain of symbolic links to its end. The resulting file need not exist.
pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns where a new file is kept that does not replace the old one.
pub(super) fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".failed");
    name.into()
}

/// The start of a temporary name: `.NAME.doiscan-`. A long name is cut to leave room for the rest.
pub(super) fn prefix(name: &OsStr) -> OsString {
    let name = name.to_string_lossy();
    let mut end = name.len().min(200);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!(".{}.doiscan-", &name[..end]).into()
}

/// Like [`remove_stale`], for the output `path`.
pub(super) fn remove_stale_of(path: &Path) {
    if let Ok(target) = resolve(path)
        && let Some(name) = target.file_name()
    {
        remove_stale(folder(&target), &prefix(name));
    }
}

/// Removes temporary files that killed runs left for the same target. A locked file belongs to a
/// live run. Failures are ignored.
#[cfg(unix)]
fn remove_stale(folder: &Path, prefix: &OsStr) {
    let Ok(entries) = crate::sys::folder::entries(folder) else { return };
    for (name, _) in entries.flatten() {
        let rest = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        if rest.is_some_and(|r| r.len() == 6 && r.iter().all(u8::is_ascii_alphanumeric)) {
            let path = folder.join(name);
            if is_abandoned(&path) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

#[cfg(unix)]
fn is_abandoned(path: &Path) -> bool {
    use rustix::fs::{FlockOperation, flock};
    // Skips links and pipes of this name: this program does not create them, and opening a pipe
    // could block.
    let is_file = fs::symlink_metadata(path).is_ok_and(|m| m.is_file());
    is_file
        && File::open(path)
            .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(unix)]
fn mark_in_use(file: &File) {
    // On a file system without locks, only the protection against a second run that starts at the
    // same time for the same target is lost.
    let _ = rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
}

#[cfg(not(unix))]
fn remove_stale(_: &Path, _: &OsStr) {}

#[cfg(not(unix))]
fn mark_in_use(_: &File) {}

/// The permissions of any new file, before the umask is applied.
#[cfg(unix)]
fn new_mode() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn new_mode() -> Option<Permissions> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::sys::disk::System;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn replace(path: &Path) -> io::Result<()> {
        let mut new = match fs::metadata(path) {
            Ok(old) => Replacement::of(&System, path, &old)?,
            Err(_) => Replacement::new(&System, path)?,
        };
        System.write(new.file(), b"new")?;
        new.sync(&System, 3)?;
        new.put_in_place(&System)
    }

    #[test]
    fn permissions_of_the_old_file_are_kept() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("list");
        fs::write(&path, "old").expect("write");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("mode");
        replace(&path).expect("replace");
        let mode = fs::metadata(&path).expect("stat").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[test]
    fn a_new_file_has_the_permissions_of_any_new_file() {
        let folder = tempfile::tempdir().expect("folder");
        let (path, other) = (folder.path().join("list"), folder.path().join("other"));
        replace(&path).expect("replace");
        fs::write(&other, "x").expect("write");
        let mode = |p| fs::metadata(p).expect("stat").permissions().mode();
        assert_eq!(mode(&path), mode(&other));
    }

    #[test]
    fn the_file_behind_a_link_is_replaced_and_the_link_stays() {
        let folder = tempfile::tempdir().expect("folder");
        let at = |name| folder.path().join(name);
        fs::create_dir(at("sub")).expect("mkdir");
        for old in [true, false] {
            let _ = fs::remove_file(at("link"));
            let name = if old { "sub/old" } else { "sub/none" };
            if old {
                fs::write(at(name), "old").expect("write");
            }
            symlink(name, at("link")).expect("link");
            replace(&at("link")).expect("replace");
            assert!(at("link").is_symlink());
            assert_eq!(fs::read(at(name)).expect("read"), b"new");
        }
    }

    #[test]
    fn a_loop_of_links_is_an_error() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("loop");
        symlink("loop", &path).expect("link");
        assert!(replace(&path).is_err());
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_a_live_run_holds_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("list");
        let stale = folder.path().join(".list.doiscan-AbC123");
        let other = folder.path().join(".list.doiscan-notes.txt");
        fs::write(&stale, "half").expect("write");
        fs::write(&other, "mine").expect("write");
        let live = Replacement::new(&System, &path).expect("create");
        assert!(!stale.exists() && other.exists());
        replace(&path).expect("replace");
        assert!(live.temporary.path().exists());
    }

    #[test]
    fn a_file_shorter_than_what_was_written_is_not_put_in_place() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("list");
        let mut new = Replacement::new(&System, &path).expect("create");
        assert!(new.sync(&System, 1).is_err());
        drop(new);
        assert_eq!(fs::read_dir(&folder).expect("list").count(), 0);
    }

    #[test]
    fn the_longest_name_works() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("é".repeat(127));
        replace(&path).expect("replace");
        assert_eq!(fs::read(path).expect("read"), b"new");
    }

    #[test]
    fn only_names_that_this_program_makes_are_removed_as_stale() {
        let folder = tempfile::tempdir().expect("folder");
        let make = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").expect("write");
            path
        };
        let stale = make(".list.doiscan-abcDE1");
        let kept = [
            ".list.doiscan-",
            ".list.doiscan-abcde",
            ".list.doiscan-abcdefg",
            ".list.doiscan-abc.ef",
            ".list.doiscan-notes-of-mine",
            ".other.doiscan-abcdef",
        ]
        .map(make);
        remove_stale_of(&folder.path().join("list"));
        assert!(!stale.exists());
        assert!(kept.iter().all(|path| path.exists()));
    }

    #[test]
    fn devices_may_be_shared_and_files_may_not() {
        let is_same_file = |a: &str, b: &Path| crate::output::is_same_file(Path::new(a), b);
        assert!(!is_same_file("/dev/null", Path::new("/dev/null")));
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("list");
        let spelled = format!("{}/../{}", file.display(), "list").replace("/list/..", "/.");
        assert!(is_same_file(&spelled, &file), "{spelled}");
        std::fs::write(&file, "").expect("write");
        assert!(is_same_file(&spelled, &file), "{spelled}");
    }
}
