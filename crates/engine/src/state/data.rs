//! The data kept between runs.

use crate::error::Error;
use crate::output;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

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
