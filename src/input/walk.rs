//! From the paths that were named to the list of inputs: folders are walked,
//! and each file is taken once, however often it is named or linked.

use super::kind::{Identity, Kind, Unit};
use super::select::Select;
use crate::collect::folder;
use crate::quality::Problem;
use rustix::fs::FileType;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// What the named paths hold.
#[derive(Debug, Default)]
pub struct Listing {
    /// What was named itself, in the order of the command line.
    pub units: Vec<Unit>,
    /// Files found in folders, still to be [probed](probe): the calls can be
    /// spread over threads.
    pub found: Vec<PathBuf>,
    /// What cannot be listed.
    pub problems: Vec<Problem>,
}

/// Lists `paths`: files, folders with everything below them that `select` takes, and `-`.
pub fn list(paths: &[PathBuf], select: &Select) -> Listing {
    let mut walk = Walk { listing: Listing::default(), entered: HashSet::new(), select };
    for path in paths {
        walk.named(path);
    }
    walk.listing
}

/// The names in the list `path`, which `separator` ends; `-` is standard input. Empty
/// ones are left out.
///
/// # Errors
///
/// When the list cannot be read.
pub fn names(path: &Path, separator: u8) -> Result<Vec<PathBuf>, Problem> {
    let kind = if path == Path::new("-") { Kind::Standard } else { Kind::Stream };
    let unit = Unit { path: path.to_path_buf(), size: 0, kind, identity: None };
    let mut list = Vec::new();
    super::open(&unit)?.read_to_end(&mut list).map_err(|e| Problem::io(path, &e))?;
    let names = list.split(|&b| b == separator).filter(|name| !name.is_empty());
    Ok(names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
}

/// Looks at a file that was found in a folder.
///
/// # Errors
///
/// When it is gone or may not be looked at.
pub fn probe(path: &Path) -> Result<Unit, Problem> {
    let meta = fs::metadata(path).map_err(|e| Problem::io(path, &e))?;
    Ok(unit(path, &meta))
}

/// Joins what was named and what was probed: each file once, the first name
/// counts; streams last, as they may have to be waited for; before them the
/// largest files first, so that no core is left with one in the end.
pub fn settle(named: Vec<Unit>, probed: Vec<Result<Unit, Problem>>) -> (Vec<Unit>, Vec<Problem>) {
    let mut seen = HashSet::new();
    let mut units = Vec::with_capacity(named.len() + probed.len());
    let mut problems = Vec::new();
    for result in named.into_iter().map(Ok).chain(probed) {
        match result {
            Ok(unit) if unit.identity.is_none_or(|i| seen.insert(i.file())) => units.push(unit),
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
    }
    place(&mut units);
    let is_stream = |u: &Unit| matches!(u.kind, Kind::Stream | Kind::Standard);
    units.sort_by_key(|u| (is_stream(u), Reverse(u.size.saturating_mul(weight(&u.path)))));
    (units, problems)
}

/// How many times as long as that of text a byte takes, by the name alone: from the
/// speeds of the codecs on one core, 0.6 GB/s for what gzip holds, 1.4 for zstd, 0.12 for
/// xz and 0.04 for bzip2, at ratios of 5. Only the order of the work hangs on it.
fn weight(path: &Path) -> u64 {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.as_encoded_bytes() {
        b"gz" | b"tgz" | b"zip" => 40,
        b"zst" | b"lz4" => 20,
        b"xz" | b"txz" | b"lzma" => 200,
        b"bz2" | b"tbz2" => 500,
        _ => 1,
    }
}

/// Asks once a device what file system it holds.
fn place(units: &mut [Unit]) {
    let mut places = HashMap::new();
    for unit in units {
        let (Kind::File { .. }, Some(identity)) = (unit.kind, unit.identity) else { continue };
        unit.kind = match *places.entry(identity.dev).or_insert_with(|| Place::of(&unit.path)) {
            Place::Local => Kind::File { remote: false },
            Place::Remote => Kind::File { remote: true },
            // Sizes mean nothing there: those of `/sys` are all 4096.
            Place::Virtual => Kind::Unsized,
        };
    }
}

/// Where a file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Local,
    /// Another machine or process answers: a page fault can fail or hang.
    Remote,
    /// Made up by the kernel when it is read.
    Virtual,
}

impl Place {
    /// The numbers are those of `statfs(2)` and `linux/magic.h`. What cannot
    /// be asked is read, which is never wrong.
    #[cfg(target_os = "linux")]
    fn of(path: &Path) -> Place {
        match rustix::fs::statfs(path).map(|s| s.f_type as u32) {
            // NFS, SMB, CIFS, SMB2, Coda, AFS, 9P, Ceph, OCFS2, GFS2, Lustre, FUSE
            Ok(
                0x6969 | 0x517b | 0xff53_4d42 | 0xfe53_4d42 | 0x7375_7245 | 0x5346_414f
                | 0x0102_1997 | 0x00c3_6400 | 0x7461_636f | 0x0116_1970 | 0x0bd0_0bd0 | 0x6573_5546,
            )
            | Err(_) => Place::Remote,
            // proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs
            Ok(
                0x9fa0 | 0x6265_6572 | 0x6462_6720 | 0x7472_6163 | 0x0027_e0eb | 0x6367_7270
                | 0x7363_6673,
            ) => Place::Virtual,
            Ok(_) => Place::Local,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_: &Path) -> Place {
        Place::Local
    }
}

fn unit(path: &Path, meta: &Metadata) -> Unit {
    let kind = match (meta.is_file(), meta.len()) {
        (false, _) => Kind::Stream,
        (true, 0) => Kind::Unsized,
        (true, _) => Kind::File { remote: false },
    };
    let size = if meta.is_file() { meta.len() } else { 0 };
    Unit { path: path.to_path_buf(), size, kind, identity: Some(Identity::of(meta)) }
}

/// The state of a walk.
struct Walk<'a> {
    listing: Listing,
    /// Folders that were entered: a loop of links ends here.
    entered: HashSet<(u64, u64)>,
    select: &'a Select,
}

impl Walk<'_> {
    fn named(&mut self, path: &Path) {
        if path == Path::new("-") {
            let unit =
                Unit { path: path.to_path_buf(), size: 0, kind: Kind::Standard, identity: None };
            if !self.listing.units.contains(&unit) {
                self.listing.units.push(unit);
            }
            return;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => self.tree(path),
            Ok(meta) if meta.file_type().is_socket() => {
                self.listing.problems.push(Problem::new(path, "is a socket, which cannot be read"));
            }
            Ok(meta) => self.listing.units.push(unit(path, &meta)),
            Err(error) => self.problem(path, &error),
        }
    }

    /// Everything below a folder. A list of what is still to be entered and no
    /// recursion: depth is bounded by the file system alone.
    fn tree(&mut self, root: &Path) {
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            if let Err(error) = self.folder(root, &folder, &mut folders) {
                self.problem(&folder, &error);
            }
        }
    }

    fn folder(
        &mut self,
        root: &Path,
        folder: &Path,
        folders: &mut Vec<PathBuf>,
    ) -> std::io::Result<()> {
        let identity = Identity::of(&fs::metadata(folder)?);
        if !self.entered.insert(identity.file()) {
            return Ok(());
        }
        for entry in folder::entries(folder)? {
            let (name, kind) = entry?;
            let path = folder.join(name);
            if let Err(error) = self.entry(root, &path, kind, folders) {
                self.problem(&path, &error);
            }
        }
        Ok(())
    }

    /// Pipes, devices and sockets in folders are passed over: only who names
    /// one wants to wait for it.
    fn entry(
        &mut self,
        root: &Path,
        path: &Path,
        kind: FileType,
        folders: &mut Vec<PathBuf>,
    ) -> std::io::Result<()> {
        let below = path.strip_prefix(root).unwrap_or(path);
        let (as_folder, as_file) = (self.select.takes_folder(below), self.select.takes_file(below));
        if !as_folder && !as_file {
            return Ok(());
        }
        let (is_folder, is_file) = match kind {
            FileType::Symlink | FileType::Unknown => {
                let meta = fs::metadata(path)?;
                (meta.is_dir(), meta.is_file())
            }
            kind => (kind.is_dir(), kind.is_file()),
        };
        if is_folder && as_folder {
            folders.push(path.to_path_buf());
        } else if is_file && as_file {
            self.listing.found.push(path.to_path_buf());
        }
        Ok(())
    }

    fn problem(&mut self, path: &Path, error: &std::io::Error) {
        self.listing.problems.push(Problem::io(path, error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn all(paths: &[PathBuf]) -> (Vec<String>, Vec<Problem>) {
        let listing = list(paths, &Select::default());
        let probed = listing.found.iter().map(|p| probe(p)).collect();
        let (units, mut problems) = settle(listing.units, probed);
        problems.extend(listing.problems);
        let name = |u: Unit| u.path.file_name().map(|n| n.to_string_lossy().into_owned());
        let mut names: Vec<_> = units.into_iter().filter_map(name).collect();
        names.sort();
        (names, problems)
    }

    #[test]
    fn every_file_once_however_it_is_named_or_linked() {
        let folder = tempfile::tempdir().expect("folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/.hidden/deep")).expect("mkdir");
        fs::write(at("a/.hidden/deep/.one"), "x").expect("write");
        fs::write(at("two"), "xx").expect("write");
        fs::hard_link(at("two"), at("a/two")).expect("link");
        symlink(at("two"), at("a/two-too")).expect("link");
        symlink(folder.path(), at("a/loop")).expect("link");
        let root = folder.path().to_path_buf();
        let (names, problems) = all(&[at("two"), root.clone(), at("a"), root.join("a/../two")]);
        assert_eq!(names, [".one", "two"]);
        assert_eq!(problems, []);
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().expect("folder");
        let at = |name: &str| folder.path().join(name);
        symlink("nowhere", at("dangling")).expect("link");
        symlink("self", at("self")).expect("link");
        let (names, problems) = all(&[folder.path().to_path_buf(), at("none")]);
        assert!(names.is_empty());
        let mut paths: Vec<_> = problems.into_iter().map(|p| p.path).collect();
        paths.sort();
        assert_eq!(paths, [at("dangling"), at("none"), at("self")]);
    }

    #[test]
    fn large_first_and_streams_last() {
        let folder = tempfile::tempdir().expect("folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("small"), "x").expect("write");
        fs::write(at("large"), "xxx").expect("write");
        let paths = ["-".into(), "/dev/null".into(), at("small"), at("large"), "-".into()];
        let listing = list(&paths, &Select::default());
        let (units, _) = settle(listing.units, Vec::new());
        let kinds: Vec<_> = units.iter().map(|u| (u.size, u.kind)).collect();
        let file = Kind::File { remote: false };
        assert_eq!(kinds, [(3, file), (1, file), (0, Kind::Standard), (0, Kind::Stream)]);
    }

    #[test]
    fn files_of_the_kernel_do_not_tell_their_size() {
        if Path::new("/proc/self/status").exists() {
            let unit = probe(Path::new("/proc/self/status")).expect("probe");
            assert_eq!(unit.kind, Kind::Unsized);
        }
    }
}
