//! Decodes members of a compressed file ahead of the worker that reads it.
//!
//! One worker reads the file from start to end, splits it into blocks and scans them. Idle workers
//! decode the following ranges of members; the reader decodes the ranges that no worker has taken. The
//! result equals that of a single decoder: a range that is damaged, or whose guessed start was
//! wrong, is discarded and decoded again in order.

use super::decode_task::{DecodeTask, decode};
use super::queue::Queue;
use doiscan_input::{DecodedRange, Meter, Split};
use doiscan_os::ledger::Reservation;
use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

/// Reads the decompressed bytes of a file.
pub(super) struct Prefetch<'a> {
    queue: &'a Queue<'a>,
    /// Maximum number of ranges being decoded or waiting.
    most: usize,
    meter: Meter,
    split: Split,
    tasks: VecDeque<Arc<DecodeTask>>,
    /// The range that is being read.
    current: Cursor<Vec<u8>>,
    held: Option<Reservation>,
    /// Set once the rest of the file is decoded sequentially.
    rest: Option<Box<dyn Read>>,
    /// Compressed bytes and members that precede the next range.
    at: u64,
    members: u64,
}

impl<'a> Prefetch<'a> {
    pub(super) fn new(queue: &'a Queue<'a>, most: usize, meter: Meter, split: Split) -> Self {
        let (tasks, current, held) = (VecDeque::new(), Cursor::new(Vec::new()), None);
        Prefetch { queue, most, meter, split, tasks, current, held, rest: None, at: 0, members: 0 }
    }

    /// Queues ranges until enough are waiting.
    fn fill(&mut self) -> io::Result<()> {
        while self.tasks.len() < self.most {
            let Some(range) = self.split.next(&self.meter)? else { break };
            let task = Arc::new(DecodeTask::new(range));
            self.tasks.push_back(Arc::clone(&task));
            self.queue.prefetch(task);
        }
        Ok(())
    }

    /// Advances to the next range. Returns false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        loop {
            self.fill()?;
            let Some(task) = self.tasks.pop_front() else { return Ok(false) };
            let range = &task.range;
            if range.until <= self.at {
                // The range lies within a member that was already decoded.
                continue;
            }
            let found = match range.start == self.at {
                true => task.fetch(&self.tasks),
                false => decode(&range.moved(self.at, range.until)),
            };
            let has_room =
                |found: &(DecodedRange, _)| self.meter.has_room(found.0.bytes.len() as u64);
            let Some((found, held)) = found.filter(has_room) else {
                let rest = range.moved(self.at, range.until).rest(self.members);
                self.rest = Some(Box::new(rest));
                return Ok(true);
            };
            self.meter.add_read(found.end - self.at);
            self.meter.count(found.end - self.at, found.bytes.len() as u64);
            (self.at, self.members) = (found.end, self.members + found.members);
            (self.current, self.held) = (Cursor::new(found.bytes), Some(held));
            return Ok(true);
        }
    }
}

impl Read for Prefetch<'_> {
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

impl Drop for Prefetch<'_> {
    fn drop(&mut self) {
        // The remaining ranges are not needed.
        for task in &self.tasks {
            task.take();
        }
    }
}
