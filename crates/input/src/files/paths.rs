//! Stores many paths compactly: each folder is stored once, however many files it contains.

use doiscan_os::paths;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The index of a path in its `Paths`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathId(u32);

/// A tree of file names. 100,000 files with paths of 3.7 KB each, 370 MB as text, take about 3 MB.
#[derive(Debug, Default)]
pub(super) struct Paths {
    nodes: Vec<Node>,
    names: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The folder, or the node itself if the user named the path.
    parent: u32,
    /// The end of its name in `names`. The name starts where the name of the previous node ends.
    end: usize,
}

impl Paths {
    /// Adds a path that the user named.
    pub(super) fn add(&mut self, path: &Path) -> PathId {
        let own = self.next();
        self.push(own, path.as_os_str())
    }

    /// Adds the entry `name` of a folder.
    pub(super) fn add_child(&mut self, folder: PathId, name: &OsStr) -> PathId {
        self.push(folder.0, name)
    }

    /// Returns the whole path.
    pub(super) fn get(&self, id: PathId) -> PathBuf {
        let mut names = Vec::new();
        let mut index = id.0;
        loop {
            names.push(self.name(PathId(index)));
            let parent = self.nodes[index as usize].parent;
            if parent == index {
                return names.into_iter().rev().collect();
            }
            index = parent;
        }
    }

    /// Returns the last component of a path, or the whole path if the user named it.
    pub(super) fn name(&self, id: PathId) -> Cow<'_, Path> {
        let index = id.0 as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.nodes[before].end);
        paths::path(&self.names[start..self.nodes[index].end])
    }

    /// Memory use in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.names.capacity()
    }

    fn push(&mut self, parent: u32, name: &OsStr) -> PathId {
        let id = PathId(self.next());
        self.names.extend_from_slice(name.as_encoded_bytes());
        self.nodes.push(Node { parent, end: self.names.len() });
        id
    }

    /// # Panics
    ///
    /// Panics if there are more than four billion paths. Those would take a hundred times as much
    /// memory as their indexes.
    fn next(&self) -> u32 {
        u32::try_from(self.nodes.len()).expect("fewer than 2^32 paths")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_as_they_were_named_and_found() {
        let mut paths = Paths::default();
        let root = paths.add(Path::new("./a//b/"));
        let folder = paths.add_child(root, OsStr::new("c"));
        let file = paths.add_child(folder, &paths::from_bytes(b"\xff\n"));
        let other = paths.add(Path::new("-"));
        let joined = Path::new("./a//b/").join("c").join(&*paths::from_bytes(b"\xff\n"));
        for (id, expected) in
            [(root, Path::new("./a//b/")), (file, &joined), (other, Path::new("-"))]
        {
            assert_eq!(paths.get(id).as_os_str(), expected.as_os_str());
        }
        assert_eq!(paths.name(file).as_os_str(), &*paths::from_bytes(b"\xff\n"));
    }

    #[test]
    fn a_deep_folder_is_stored_once() {
        let mut paths = Paths::default();
        let folder = paths.add(Path::new(&"x/".repeat(1_800)));
        for n in 0..10_000 {
            paths.add_child(folder, OsStr::new(&n.to_string()));
        }
        assert!(paths.bytes() < 500_000, "{}", paths.bytes());
    }
}
