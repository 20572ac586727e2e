//! The temporary folder of a list.

use tempfile::TempDir;

/// A folder that is removed when this is dropped. A fork has a copy of this and of its users, and must leave the
/// folder to the process that made it.
pub(crate) struct Folder {
    folder: Option<TempDir>,
    owner: u32,
}

impl Folder {
    pub(crate) fn new(folder: TempDir) -> Folder {
        Folder { folder: Some(folder), owner: std::process::id() }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if std::process::id() != self.owner {
            let _ = self.folder.take().map(TempDir::keep);
        }
    }
}
