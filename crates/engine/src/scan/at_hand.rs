//! The current input of a worker, if inputs are remembered.

use crate::figures::Counts;
use crate::state::night::Night;
use crate::state::reading::InputReading;
use std::sync::Arc;

/// The current input.
pub(super) struct Remembering<'a> {
    pub(super) night: &'a Night<'a>,
    pub(super) reading: Option<Arc<InputReading>>,
    /// The worker's counts when it started the input.
    pub(super) before: Counts,
    /// How often the worker has handed over its results.
    pub(super) epoch: u64,
}

impl<'a> Remembering<'a> {
    pub(super) fn new(night: &'a Night<'a>) -> Self {
        Remembering { night, reading: None, before: Counts::default(), epoch: 0 }
    }
}
