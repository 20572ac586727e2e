//! Finds the digits of all anchors of a stride in one pass.
//!
//! `memmem` takes 210 instructions to start again after each occurrence, and a second search for
//! URNs reads every byte once more. With AVX2 every stride is therefore searched here. Without it,
//! `memmem` is faster where `10` is rare; [`Scanner`](super::Scanner) chooses.

use crate::vector::{self, BLOCK, TenBlock};
use alloc::vec::Vec;
use core::ops::Range;

/// Where `10` begins in a stride.
#[derive(Debug, Default)]
pub(super) struct Tens {
    /// The blocks of the stride where `10` begins, and scratch space after them.
    blocks: Vec<TenBlock>,
    /// Number of these blocks.
    count: usize,
    /// Where the stride begins.
    start: usize,
}

impl Tens {
    /// Searches for `10` that begins in `starts`. Returns false if no URN has its mark there.
    pub(super) fn search(&mut self, haystack: &[u8], starts: Range<usize>) -> bool {
        let Range { start, end } = starts;
        self.start = start;
        // The second byte of a pair may follow the stride. No pair begins at the last byte.
        let text = &haystack[start..haystack.len().min(end + 1)];
        self.blocks.resize(text.len().div_ceil(BLOCK), TenBlock::default());
        let (count, may_hold_urn) = vector::search(text, &mut self.blocks);
        self.count = count;
        may_hold_urn
    }

    /// Returns the places found, in order.
    pub(super) fn found(&self) -> TenOffsets<'_> {
        let blocks = self.blocks[..self.count].iter();
        TenOffsets { blocks, start: self.start, at: self.start, tens: 0 }
    }
}

/// Iterator over the places of `10`.
#[derive(Clone)]
pub(super) struct TenOffsets<'a> {
    blocks: std::slice::Iter<'a, TenBlock>,
    /// Where the stride begins.
    start: usize,
    /// Where the current block begins.
    at: usize,
    /// The bits of the current block that are not yet returned.
    tens: u64,
}

impl Iterator for TenOffsets<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.tens == 0 {
            let block = self.blocks.next()?;
            self.tens = block.tens;
            self.at = self.start + block.block as usize * BLOCK;
        }
        let bit = self.tens.trailing_zeros() as usize;
        self.tens &= self.tens - 1;
        Some(self.at + bit)
    }
}
