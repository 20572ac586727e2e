//! The data kept between runs.

use crate::error::Error;
use doiscan_input::Identity;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;
use twox_hash::XxHash3_64;

/// The metadata that identifies an unchanged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    /// Device number.
    pub device: u64,
    /// Inode number on the device.
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Time of the last change of the content or the attributes, in nanoseconds since 1970.
    pub ctime_ns: i64,
}

impl FileState {
    /// Returns the state of the file `path` with these metadata.
    pub(crate) fn at(path: &Path, meta: &Metadata) -> Self {
        Identity::at(path, meta).into()
    }

    /// Whether a list with this state is the one that was written as `other`.
    pub(super) fn is_list(self, other: Self) -> bool {
        let key = |file: Self| (file.device, file.inode, file.size, file.mtime_ns);
        key(self) == key(other)
    }
}

impl From<Identity> for FileState {
    fn from(identity: Identity) -> Self {
        let nanoseconds = |(seconds, rest): (i64, i64)| {
            seconds.saturating_mul(1_000_000_000).saturating_add(rest)
        };
        FileState {
            device: identity.dev,
            inode: identity.ino,
            size: identity.size,
            mtime_ns: nanoseconds(identity.mtime),
            ctime_ns: nanoseconds(identity.ctime),
        }
    }
}

/// A run that begins.
#[derive(Clone, Debug)]
pub(super) struct Beginning {
    /// The options that affect the answer and the version of the rules.
    pub options: BTreeMap<String, String>,
    /// The kind of records of the list and the case of its names. Lists can be compared if these
    /// are equal, even when other options differ.
    pub list: String,
}

/// The hash under which a further name of an input is stored with the file that it leads to.
pub(super) fn name_hash(name: &Path, file: Option<FileState>) -> u64 {
    let of_file = |file: FileState| file.device.rotate_left(32) ^ file.inode;
    let seed = file.map_or(0, of_file);
    XxHash3_64::oneshot_with_seed(seed, name.as_os_str().as_encoded_bytes())
}

/// The hash under which a file that was written is stored, of its name and the hash of its content.
pub(super) fn written_hash(path: &Path, content: [u8; 16]) -> u64 {
    let name = path.file_name().unwrap_or_default();
    XxHash3_64::oneshot(&[&content, name.as_encoded_bytes()].concat())
}

/// A failure of the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another process uses the state, and may write the same files.
    #[error("{0}")]
    InUse(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Error::State(error.to_string())
    }
}

/// How to recognise an unchanged input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// By device, inode, size and times.
    #[default]
    Times,
    /// By content.
    Content,
}
