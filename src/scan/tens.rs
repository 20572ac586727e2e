//! Finds the digits of all anchors of a piece in one pass.
//!
//! `memmem` takes 210 instructions to start again after each occurrence, and a second search for
//! URNs reads every byte once more. With AVX2 every piece is therefore searched here. Without it,
//! `memmem` is faster where `10` is rare; [`Scanner`](super::Scanner) chooses.

use crate::sys::vector::{self, BLOCK};
use std::ops::Range;

/// Where `10` begins in a piece.
#[derive(Debug, Default)]
pub(super) struct Tens {
    /// One bit for each byte of the piece, in an even number of words.
    words: Vec<u32>,
    /// Where the piece begins.
    start: usize,
}

impl Tens {
    /// Searches for `10` that begins in `starts`. Returns false if no URN has its mark there.
    pub(super) fn search(&mut self, haystack: &[u8], starts: Range<usize>) -> bool {
        let Range { start, end } = starts;
        self.start = start;
        // The second byte of a pair may follow the piece. No pair begins at the last byte.
        let text = &haystack[start..haystack.len().min(end + 1)];
        let blocks = text.len().div_ceil(BLOCK);
        self.words.resize(blocks.next_multiple_of(2), 0);
        self.words[blocks..].fill(0);
        vector::search(text, &mut self.words[..blocks])
    }

    /// Returns the places found, in order.
    pub(super) fn found(&self) -> TenOffsets<'_> {
        let (pairs, _) = self.words.as_chunks();
        TenOffsets { pairs: pairs.iter(), at: self.start, bits: 0 }
    }
}

/// Iterator over the places of `10`.
pub(super) struct TenOffsets<'a> {
    pairs: std::slice::Iter<'a, [u32; 2]>,
    /// Where the next pair of words begins in the text.
    at: usize,
    /// The bits of the previous pair that are not yet returned.
    bits: u64,
}

impl Iterator for TenOffsets<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            let [low, high] = *self.pairs.next()?;
            self.bits = u64::from(high) << BLOCK | u64::from(low);
            self.at += 2 * BLOCK;
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.at - 2 * BLOCK + bit)
    }
}
