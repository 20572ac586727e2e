//! Runs: sorted names in files without a name, for what is larger than memory.
//!
//! All runs of one pass stand one after the other in one file for each folder, so
//! that a hundred runs need no more descriptors than one, and the space of a pass is free
//! again when its last run is merged. What is known of each block stays in memory:
//! a [`Reader`] begins at any name, so that threads merge different stretches of the same
//! runs, and what is read must agree with what was written.

mod block;
mod error;
mod read;
mod segment;
mod spill_file;
mod write;

pub use block::{Block, Decoder, Encoder};
pub use error::Error;
pub use read::{Range, Reader, cut};
pub use segment::{SEALED, Segments};
pub use write::{Space, Writer};

use spill_file::SpillFile;
use std::sync::Arc;

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
    /// The number of a segment.
    segment: Option<u64>,
}

impl Run {
    fn empty(file: Arc<SpillFile>, pass: usize, segment: Option<u64>) -> Run {
        Run { file, blocks: Vec::new(), names: 0, text: 0, pass, longest: 0, largest: 0, segment }
    }

    /// The number of its file, if that is a [segment](Segments).
    pub fn segment(&self) -> Option<u64> {
        self.segment
    }

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
