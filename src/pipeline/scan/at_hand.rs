//! The input that a worker has at hand, if it is remembered.

use crate::pipeline::state::night::Night;
use crate::pipeline::state::reading::Reading;
use crate::quality::Counts;
use std::sync::Arc;

/// The input at hand.
pub(super) struct Remembering<'a> {
    pub(super) night: &'a Night<'a>,
    pub(super) reading: Option<Arc<Reading>>,
    /// All counts of the worker when the input came.
    pub(super) before: Counts,
    /// How often the worker handed over what it had.
    pub(super) epoch: u64,
}

impl<'a> Remembering<'a> {
    pub(super) fn new(night: &'a Night<'a>) -> Self {
        Remembering { night, reading: None, before: Counts::default(), epoch: 0 }
    }
}
