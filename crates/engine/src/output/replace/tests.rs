//! Replacing files: what is kept, what is refused, and what another run may do meanwhile. Modes and owners are those
//! of Unix; Windows lets only administrators make links.

use super::*;
use doiscan_os::disk::System;
use std::fs::Permissions;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};

fn replace_on(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let mut new = match fs::metadata(path) {
        Ok(old) => Replacement::of(disk, path, old)?,
        Err(_) => Replacement::new(disk, path)?,
    };
    System.write(new.file(), b"new")?;
    new.sync(&System, 3)?;
    new.put_in_place(disk)?
}

fn replace(path: &Path) -> io::Result<()> {
    replace_on(&System, path)
}

#[cfg(unix)]
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

#[cfg(unix)]
#[test]
fn nobody_else_reads_what_takes_the_place_of_a_file_before_it_does() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("list");
    fs::write(&path, "old").expect("write");
    fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("mode");
    let old = fs::metadata(&path).expect("stat");
    let new = Replacement::of(&System, &path, old).expect("create");
    let mode = new.file().metadata().expect("stat").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn the_owner_of_the_old_file_is_kept_where_that_is_allowed() {
    use std::os::unix::fs::{MetadataExt, chown};
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("list");
    fs::write(&path, "old").expect("write");
    // Only root may give a file away.
    let is_given = chown(&path, Some(65_534), Some(65_533)).is_ok();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("mode");
    let of = |path: &Path| fs::metadata(path).map(|m| (m.uid(), m.gid(), m.mode() & 0o777));
    let old = of(&path).expect("stat");
    replace(&path).expect("replace");
    assert_eq!(of(&path).expect("stat"), old);
    assert!(!is_given || old == (65_534, 65_533, 0o640));
}

/// What another run does between two calls of this one.
#[derive(Debug, Default)]
struct Meddled {
    /// Files that were removed when they were just made.
    removed: std::sync::atomic::AtomicUsize,
    /// Files that may still be.
    most: usize,
    synced: std::sync::atomic::AtomicBool,
}

impl Disk for Meddled {
    fn named(
        &self,
        folder: &Path,
        prefix: &OsStr,
        mode: Option<Permissions>,
        announce: &mut dyn FnMut(&Path),
    ) -> io::Result<NamedTempFile> {
        let file = System.named(folder, prefix, mode, announce)?;
        if self.removed.load(std::sync::atomic::Ordering::Relaxed) < self.most {
            self.removed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            remove_stale_in(folder, prefix);
        }
        Ok(file)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn sync_file_system(&self, file: &File) -> io::Result<()> {
        self.synced.store(true, std::sync::atomic::Ordering::Relaxed);
        System.sync_file_system(file)
    }
}

#[derive(Debug)]
struct Closed;

impl Disk for Closed {
    fn named(
        &self,
        _: &Path,
        _: &OsStr,
        _: Option<Permissions>,
        _: &mut dyn FnMut(&Path),
    ) -> io::Result<NamedTempFile> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[test]
fn a_folder_without_write_permission_is_named() {
    let error = Replacement::new(&Closed, Path::new("some/list")).expect_err("denied");
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    let expected = "cannot create files in the folder some: permission denied";
    assert_eq!(error.to_string(), expected);
}

// Windows keeps the name of a removed file until it is closed.
#[cfg(unix)]
#[test]
fn a_temporary_file_that_another_run_removes_before_it_is_locked_is_made_again() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("list");
    let disk = Meddled { most: 3, ..Meddled::default() };
    replace_on(&disk, &path).expect("replace");
    assert_eq!(fs::read(&path).expect("read"), b"new");
    assert_eq!(disk.removed.into_inner(), 3);
    let disk = Meddled { most: usize::MAX, ..Meddled::default() };
    assert!(replace_on(&disk, &path).is_err());
    assert_eq!(fs::read_dir(&folder).expect("list").count(), 1);
}

#[test]
fn a_folder_that_cannot_be_read_is_synced_with_its_file_system() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("list");
    let disk = Meddled::default();
    replace_on(&disk, &path).expect("replace");
    assert!(disk.synced.into_inner());
    assert_eq!(fs::read(&path).expect("read"), b"new");
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_permissions_of_any_new_file() {
    let folder = tempfile::tempdir().expect("folder");
    let (path, other) = (folder.path().join("list"), folder.path().join("other"));
    replace(&path).expect("replace");
    fs::write(&other, "x").expect("write");
    let mode = |p| fs::metadata(p).expect("stat").permissions().mode();
    assert_eq!(mode(&path), mode(&other));
}

#[cfg(unix)]
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

#[cfg(unix)]
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
    let others = remove_stale(&folder.path().join("list"));
    assert_eq!(others, [folder.path().join(".other.doiscan-abcdef")]);
    let in_use = std::fs::File::open(&others[0]).expect("open");
    in_use.try_lock().expect("a lock");
    assert!(remove_stale(&folder.path().join("list")).is_empty());
    assert!(!stale.exists());
    assert!(kept.iter().all(|path| path.exists()));
}

#[test]
fn devices_may_be_shared_and_files_may_not() {
    let is_same_file = |a: &str, b: &Path| crate::output::is_same_file(Path::new(a), b);
    if cfg!(unix) {
        assert!(!is_same_file("/dev/null", Path::new("/dev/null")));
    }
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("list");
    let spelled = format!("{}/../{}", file.display(), "list").replace("/list/..", "/.");
    assert!(is_same_file(&spelled, &file), "{spelled}");
    std::fs::write(&file, "").expect("write");
    assert!(is_same_file(&spelled, &file), "{spelled}");
}
