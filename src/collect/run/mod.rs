//! Runs: sorted names in files without a name, for what is larger than memory.
//!
//! All runs of one pass stand one after the other in one file for each folder, so
//! that a hundred runs need no more descriptors than one, and the space of a pass is free
//! again when its last run is merged. What is known of each block stays in memory:
//! a [`Reader`] begins at any name, so that threads merge different stretches of the same
//! runs, and what is read must agree with what was written.

mod block;
mod read;
mod write;

pub use block::{Block, Decoder, Encoder};
pub use read::{Range, Reader, cut};
pub use write::{Space, Writer};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use write::SpillFile;

/// A run that could not be written, or not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refuses.
    #[error("cannot {action} a temporary file in {}: {cause}", .folder.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        folder: PathBuf,
        /// Its words.
        cause: io::Error,
    },
    /// The file is not what was written.
    #[error("a temporary file in {} is damaged: {what}; no output was written", .folder.display())]
    Damaged {
        /// Where the file is.
        folder: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
    /// No folder has room: what each of them said.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Full(Vec<Error>),
}

impl Error {
    fn io(action: &'static str, folder: &Path, cause: io::Error) -> Self {
        Error::Io { action, folder: folder.to_path_buf(), cause }
    }

    /// Whether there is no room, which another folder may have.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let full = [FileTooLarge, QuotaExceeded, StorageFull];
        matches!(self, Error::Io { cause, .. } if full.contains(&cause.kind()))
    }
}

/// Sorted names in a file.
#[derive(Debug)]
pub struct Run {
    file: Arc<SpillFile>,
    blocks: Vec<Block>,
    names: u64,
    /// Bytes of its names as lines.
    text: u64,
    /// How often its names were merged.
    pass: usize,
    longest: usize,
    largest: usize,
}

impl Run {
    /// Its names.
    pub fn len(&self) -> u64 {
        self.names
    }

    /// Whether it has no names.
    pub fn is_empty(&self) -> bool {
        self.names == 0
    }

    /// Its bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.len)).sum()
    }

    /// Bytes of its names as lines.
    pub fn text(&self) -> u64 {
        self.text
    }

    /// How often its names were merged: 0 for what was spilled.
    pub fn pass(&self) -> usize {
        self.pass
    }

    /// Bytes of memory that one [`Reader`] of it needs.
    pub fn reader_bytes(&self) -> usize {
        let largest = self.blocks.iter().map(|block| block.len as usize).max().unwrap_or(0);
        largest + self.largest + self.longest
    }

    /// Bytes of memory that what is known of its blocks takes.
    pub fn index_bytes(&self) -> usize {
        self.blocks.iter().map(|block| size_of::<Block>() + block.first.len()).sum()
    }
}

#[cfg(test)]
mod tests;
