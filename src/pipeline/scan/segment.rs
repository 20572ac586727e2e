//! One segment of a compressed file, decoded once by the first thread that takes it.

use crate::collect::Reservation;
use crate::input::{Segment, Segmented};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A segment to decode.
pub(super) struct SegmentTask {
    pub(super) segment: Segment,
    state: Mutex<State>,
    changed: Condvar,
}

enum State {
    /// No thread has taken it.
    Free,
    Taken,
    Done(Option<(Segmented, Reservation)>),
    /// Its thread panicked, or the result was fetched.
    Gone,
}

impl SegmentTask {
    pub(super) fn new(segment: Segment) -> Self {
        SegmentTask { segment, state: Mutex::new(State::Free), changed: Condvar::new() }
    }

    /// Decodes the segment unless another thread does.
    pub(super) fn run(&self) {
        if !self.take() {
            return;
        }
        let mut done = Completion { task: self, result: State::Gone };
        done.result = State::Done(decode(&self.segment));
    }

    pub(super) fn take(&self) -> bool {
        let mut state = self.state();
        let is_free = matches!(*state, State::Free);
        if is_free {
            *state = State::Taken;
        }
        is_free
    }

    /// Returns the result. Decodes the segment itself if it is free; while another thread
    /// decodes it, decodes `others` instead of waiting idly.
    pub(super) fn fetch(
        &self,
        others: &VecDeque<Arc<SegmentTask>>,
    ) -> Option<(Segmented, Reservation)> {
        self.run();
        let mut others = others.iter();
        while matches!(*self.state(), State::Taken) {
            match others.next() {
                Some(other) => other.run(),
                None => break,
            }
        }
        let mut state = self.state();
        while matches!(*state, State::Taken) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match std::mem::replace(&mut *state, State::Gone) {
            State::Done(found) => found,
            _ => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decodes a segment and reserves memory for the result.
pub(super) fn decode(segment: &Segment) -> Option<(Segmented, Reservation)> {
    let found = segment.decode()?;
    let mut held = segment.meter().ledger().reserve();
    held.set(found.bytes.capacity());
    Some((found, held))
}

/// Publishes the result when dropped, also after a panic.
struct Completion<'a> {
    task: &'a SegmentTask,
    result: State,
}

impl Drop for Completion<'_> {
    fn drop(&mut self) {
        *self.task.state() = std::mem::replace(&mut self.result, State::Gone);
        self.task.changed.notify_all();
    }
}
