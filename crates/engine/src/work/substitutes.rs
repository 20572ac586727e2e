//! Decides which files are read in place of inputs that were replaced between the listing and their opening.

use doiscan_input::{Identity, Units};
use doiscan_os::lock::lock;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A version of a file: device and inode, size, and modification time. The number of an inode that was freed is
/// soon used again.
type Version = ((u64, u64), u64, (i64, i64));

/// The files that may not be read in place of an input.
pub(crate) struct Substitutes<'a> {
    units: &'a Units,
    /// Device and inode of the files that the run writes or replaces.
    own: HashSet<(u64, u64)>,
    /// The folder of the state.
    folder: Option<PathBuf>,
    /// The inputs, and the files read in place of others. Filled when the first input was replaced.
    taken: Mutex<HashSet<Version>>,
}

impl<'a> Substitutes<'a> {
    pub(crate) fn new(
        units: &'a Units,
        own: HashSet<(u64, u64)>,
        folder: Option<&Path>,
    ) -> Substitutes<'a> {
        let folder = folder.and_then(|folder| folder.canonicalize().ok());
        Substitutes { units, own, folder, taken: Mutex::default() }
    }

    /// Whether `found`, which is now at `path`, may be read: it is no file of the run, and no other input. Each
    /// file is admitted once.
    pub(crate) fn admits(&self, path: &Path, found: Identity) -> bool {
        let is_below = |folder: &PathBuf| path.canonicalize().is_ok_and(|p| p.starts_with(folder));
        if self.own.contains(&found.file()) || self.folder.as_ref().is_some_and(is_below) {
            return false;
        }
        let version = |identity: Identity| (identity.file(), identity.size, identity.mtime);
        let mut taken = lock(&self.taken);
        if taken.is_empty() {
            taken.extend(self.units.identities().map(version));
        }
        taken.insert(version(found))
    }
}
