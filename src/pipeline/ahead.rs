//! Decodes members of one file ahead of its reader.
//!
//! One worker reads the file from its start to its end, cuts it into blocks and scans
//! them. Segments that it will come to are decoded meanwhile by workers that have
//! nothing else to do, and by itself when it comes to one that nobody took. What it
//! reads is what a single decoder would give: a segment that began at a wrong guess, or
//! is damaged, is left aside, and the place is decoded again in order.

use super::queue::Queue;
use crate::collect::Held;
use crate::input::{Meter, Segment, Segmented, Split};
use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A segment that somebody is to decode.
pub(super) struct Task {
    segment: Segment,
    state: Mutex<State>,
    changed: Condvar,
}

enum State {
    /// Nobody has taken it.
    Free,
    Taken,
    Done(Option<(Segmented, Held)>),
    /// Its worker panicked, or the result was fetched.
    Gone,
}

impl Task {
    fn new(segment: Segment) -> Self {
        Task { segment, state: Mutex::new(State::Free), changed: Condvar::new() }
    }

    /// Decodes the segment unless somebody else does.
    pub(super) fn run(&self) {
        if !self.take() {
            return;
        }
        let mut done = Done { task: self, result: State::Gone };
        done.result = State::Done(decode(&self.segment));
    }

    fn take(&self) -> bool {
        let mut state = self.state();
        let is_free = matches!(*state, State::Free);
        if is_free {
            *state = State::Taken;
        }
        is_free
    }

    /// Waits until it is done; decodes it, and then others, rather than wait idly.
    fn fetch(&self, others: &VecDeque<Arc<Task>>) -> Option<(Segmented, Held)> {
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

/// What a segment holds, as long as it is held.
fn decode(segment: &Segment) -> Option<(Segmented, Held)> {
    let found = segment.decode()?;
    let mut held = segment.meter().beside().hold();
    held.set(found.bytes.capacity());
    Some((found, held))
}

/// Tells who waits, also when its worker panics.
struct Done<'a> {
    task: &'a Task,
    result: State,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        *self.task.state() = std::mem::replace(&mut self.result, State::Gone);
        self.task.changed.notify_all();
    }
}

/// Reads what a compressed file holds.
pub(super) struct Ahead<'a> {
    queue: &'a Queue<'a>,
    /// Segments that are decoded or waiting, at most.
    most: usize,
    meter: Meter,
    split: Split,
    tasks: VecDeque<Arc<Task>>,
    /// What is being read: a segment, or the rest of the file.
    current: Cursor<Vec<u8>>,
    held: Option<Held>,
    rest: Option<Box<dyn Read>>,
    /// Compressed bytes and members before what is next.
    at: u64,
    members: u64,
}

impl<'a> Ahead<'a> {
    pub(super) fn new(queue: &'a Queue<'a>, most: usize, meter: Meter, split: Split) -> Self {
        let (tasks, current, held) = (VecDeque::new(), Cursor::new(Vec::new()), None);
        Ahead { queue, most, meter, split, tasks, current, held, rest: None, at: 0, members: 0 }
    }

    /// Keeps enough tasks before others.
    fn fill(&mut self) -> io::Result<()> {
        while self.tasks.len() < self.most {
            let Some(segment) = self.split.next(&self.meter)? else { break };
            let task = Arc::new(Task::new(segment));
            self.tasks.push_back(Arc::clone(&task));
            self.queue.ahead(task);
        }
        Ok(())
    }

    /// Goes to the next segment. False at the end.
    fn advance(&mut self) -> io::Result<bool> {
        loop {
            self.fill()?;
            let Some(task) = self.tasks.pop_front() else { return Ok(false) };
            let segment = &task.segment;
            if segment.until <= self.at {
                // Wholly within a member that was decoded.
                continue;
            }
            let found = match segment.start == self.at {
                true => task.fetch(&self.tasks),
                false => decode(&segment.moved(self.at, segment.until)),
            };
            let Some((found, held)) = found else {
                let rest = segment.moved(self.at, segment.until).rest(self.members);
                self.rest = Some(Box::new(rest));
                return Ok(true);
            };
            self.meter.add_read(found.end - self.at);
            (self.at, self.members) = (found.end, self.members + found.members);
            self.meter.add_unpacked(found.bytes.len() as u64)?;
            (self.current, self.held) = (Cursor::new(found.bytes), Some(held));
            return Ok(true);
        }
    }
}

impl Read for Ahead<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(rest) = &mut self.rest {
                return rest.read(out);
            }
            let n = self.current.read(out)?;
            if n > 0 || out.is_empty() || !self.advance()? {
                return Ok(n);
            }
        }
    }
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        // Nobody needs what is still to be decoded.
        for task in &self.tasks {
            task.take();
        }
    }
}
