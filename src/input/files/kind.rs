//! One input: where it is, what it is, and how to know it again.

use crate::input::Io;
use std::fs::Metadata;
use std::path::PathBuf;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file of a known size.
    File {
        /// On a file system where mapping is unsafe or slow: network, FUSE.
        remote: bool,
    },
    /// A regular file that does not tell its size, such as those of `/proc`.
    Unsized,
    /// A regular file of no bytes. It is read nevertheless: not all file systems that make up
    /// their files are known.
    Empty,
    /// A pipe or a device that was named.
    Stream,
    /// Standard input.
    Standard,
}

/// What tells one file, in one state, from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The device.
    pub dev: u64,
    /// The file on the device.
    pub ino: u64,
    /// The size in bytes.
    pub size: u64,
    /// Seconds and nanoseconds of the last change to the content, as the file says: whoever
    /// may write the file may set this time.
    pub mtime: (i64, i64),
    /// Seconds and nanoseconds of the last change to the content or the attributes, which
    /// nobody can set.
    pub ctime: (i64, i64),
    /// Mode, links, owner and group.
    pub attributes: [u32; 4],
}

/// How a file differs from what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Its size, its time of change, or the file itself.
    Content,
    /// Only the time that nobody can set: its content may have been rewritten and the other
    /// time restored, or it may have been renamed.
    Hidden,
}

impl Identity {
    /// Device and number: what makes a file the same under two names.
    pub fn file(&self) -> (u64, u64) {
        (self.dev, self.ino)
    }

    /// How the file differs from what it was `before`. Other links, permissions or owners
    /// are no difference: they explain why the time of the attributes is another.
    pub fn change_since(&self, before: &Identity) -> Option<Change> {
        let content = |i: &Identity| (i.file(), i.size, i.mtime);
        if content(self) != content(before) {
            return Some(Change::Content);
        }
        let is_hidden = self.ctime != before.ctime && self.attributes == before.attributes;
        is_hidden.then_some(Change::Hidden)
    }

    /// The identity of a file that was looked at.
    #[cfg(unix)]
    pub fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Identity {
            dev: meta.dev(),
            ino: meta.ino(),
            size: meta.len(),
            mtime: (meta.mtime(), meta.mtime_nsec()),
            ctime: (meta.ctime(), meta.ctime_nsec()),
            attributes: [meta.mode(), meta.nlink() as u32, meta.uid(), meta.gid()],
        }
    }
}

/// One input to scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its path as named or found; `-` for standard input.
    pub path: PathBuf,
    /// Its size in bytes when it was listed; 0 when unknown.
    pub size: u64,
    /// What it is.
    pub kind: Kind,
    /// What it was when it was listed; none for standard input.
    pub(in crate::input) identity: Option<Identity>,
}

impl Unit {
    /// What it was when it was listed; none for standard input.
    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Whether it is mapped.
    pub fn is_mapped(&self, io: Io) -> bool {
        matches!(self.kind, Kind::File { remote } if io.maps(self.size, remote))
    }

    /// Whether it is on another machine or behind another process.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self.kind, Kind::File { remote: true })
    }
}
