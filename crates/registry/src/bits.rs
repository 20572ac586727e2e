//! A set of small numbers that threads share.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A set of numbers below its size. A number that one thread adds may be unknown to others for a
/// moment.
#[derive(Debug)]
pub(crate) struct Bits(Vec<AtomicU64>);

impl Bits {
    pub(crate) fn new(size: u64) -> Self {
        let words = size.div_ceil(64) as usize;
        Bits((0..words).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    pub(crate) fn contains(&self, number: u64) -> bool {
        let word = self.0.get((number / 64) as usize);
        word.is_some_and(|word| word.load(Relaxed) >> (number % 64) & 1 == 1)
    }

    pub(crate) fn insert(&self, number: u64) {
        if let Some(word) = self.0.get((number / 64) as usize) {
            word.fetch_or(1 << (number % 64), Relaxed);
        }
    }
}
