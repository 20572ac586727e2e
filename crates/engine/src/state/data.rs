//! The data kept between runs.

use crate::error::Error;
use crate::output;
use doiscan_input::Identity;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
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

/// A path, as text from which it can be restored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Name(pub PathBuf);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut text = Vec::new();
        output::escape::bytes(self.0.as_os_str().as_encoded_bytes(), &mut text);
        to.serialize_str(&String::from_utf8_lossy(&text))
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let mut parts = text.split("\\x");
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => {
                    bytes.push(byte);
                    bytes.extend_from_slice(&part.as_bytes()[2..]);
                }
                None => bytes.extend_from_slice(&[b"\\x", part.as_bytes()].concat()),
            }
        }
        Ok(Name(doiscan_os::paths::path(&bytes).into_owned()))
    }
}

/// Bytes, as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let digits = |byte: &u8| [byte >> 4, byte & 15].map(|n| char::from_digit(n.into(), 16));
        to.serialize_str(&self.0.iter().flat_map(digits).flatten().collect::<String>())
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let digits = (0..text.len()).step_by(2).map(|at| text.get(at..at + 2));
        let bytes = digits.map(|two| u8::from_str_radix(two?, 16).ok()).collect::<Option<_>>();
        bytes.map(Bytes).ok_or_else(|| serde::de::Error::custom("expected hexadecimal digits"))
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
