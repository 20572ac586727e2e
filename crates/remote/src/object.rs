//! An input that is read in ranges, ahead of its readers.
//!
//! Readers that go forward get blocks of 8 MiB, and the blocks after them are fetched meanwhile. Readers
//! that jump, such as those of the directory of a zip file, get small ranges. Blocks that were not used
//! for the longest time are dropped first.

use crate::Shared;
use crate::failure::Failure;
use crate::fetch::{Place, Version};
use bytes::Bytes;
use doiscan_input::problem::Problem;
use doiscan_input::{Identity, Source};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The first range of every input. Most small files are whole in it.
const FIRST: u64 = 1024 * 1024;

/// A range for a reader that jumps.
const SMALL: u64 = 64 * 1024;

/// A range for a reader that goes forward.
const LARGE: u64 = 8 * 1024 * 1024;

/// Number of large ranges that are fetched ahead.
const AHEAD: u64 = 3;

/// Number of small ranges in a row after which a reader goes forward.
const IN_A_ROW: u32 = 3;

/// Number of small ranges that are kept.
const KEPT: usize = 64;

/// One input of known size.
#[derive(Debug)]
pub(crate) struct Object {
    path: PathBuf,
    identity: Option<Identity>,
    size: u64,
    inner: Arc<Inner>,
}

/// What the readers of an input and its requests share.
#[derive(Debug)]
struct Inner {
    place: Place,
    version: Version,
    shared: Arc<Shared>,
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    small: BTreeMap<u64, Range>,
    large: BTreeMap<u64, Range>,
    clock: u64,
    /// The end of the last small range that was asked for, and how many were in a row.
    end: u64,
    row: u32,
    /// The large range after the last one that was asked for.
    next: u64,
    /// Number of readers that wait for ranges.
    waiting: usize,
}

/// A range that was asked for.
#[derive(Debug)]
struct Range {
    len: u64,
    /// `None` until the reply is complete.
    bytes: Option<Result<Bytes, Failure>>,
    used: u64,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for the range. The reply arrives in `state` later.
    fn ask(
        self: &Arc<Self>,
        state: &mut State,
        is_large: bool,
        start: u64,
        len: u64,
    ) -> io::Result<()> {
        state.clock += 1;
        let range = Range { len, bytes: None, used: state.clock };
        let runtime = self.shared.runtime().map_err(|failure| failure.error())?;
        self.shared.used.fetch_add(len as usize, Relaxed);
        if is_large { &mut state.large } else { &mut state.small }.insert(start, range);
        // An input that is closed does not wait for its requests.
        let (place, version) = (self.place.clone(), self.version.clone());
        let (retry_for, inner) = (self.shared.settings.retry_for, Arc::downgrade(self));
        runtime.spawn(async move {
            let bytes = place.range(start..start + len, &version, retry_for).await;
            let Some(inner) = inner.upgrade() else { return };
            let mut state = inner.lock();
            let ranges = if is_large { &mut state.large } else { &mut state.small };
            if let Some(range) = ranges.get_mut(&start) {
                range.bytes = Some(bytes);
            }
            drop(state);
            inner.arrived.notify_all();
        });
        Ok(())
    }

    /// Drops the ranges that were not used for the longest time, but never those still to come.
    fn shrink(&self, state: &mut State) {
        let most = AHEAD as usize + 2 + state.waiting;
        let is_full = self.shared.used.load(Relaxed) > self.shared.settings.memory;
        let most = if is_full { 1 + state.waiting } else { most };
        for (ranges, most) in [(&mut state.large, most), (&mut state.small, KEPT + state.waiting)] {
            while ranges.len() > most {
                let done = ranges.iter().filter(|(_, range)| range.bytes.is_some());
                let oldest = done.min_by_key(|(_, range)| range.used).map(|(&start, _)| start);
                let Some(range) = oldest.and_then(|start| ranges.remove(&start)) else { break };
                self.shared.used.fetch_sub(range.len as usize, Relaxed);
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let all = state.small.values().chain(state.large.values());
        self.shared.used.fetch_sub(all.map(|range| range.len as usize).sum(), Relaxed);
    }
}

impl Object {
    pub(crate) fn new(
        path: &Path,
        place: Place,
        (version, size): (Version, u64),
        identity: Option<Identity>,
        shared: &Arc<Shared>,
    ) -> Self {
        let shared = Arc::clone(shared);
        let (state, arrived) = Default::default();
        let inner = Arc::new(Inner { place, version, shared, state, arrived });
        Object { path: path.to_path_buf(), identity, size, inner }
    }

    /// Asks for the range with `offset` that suits a read of `len` bytes.
    fn ask(&self, state: &mut State, offset: u64, len: usize) -> io::Result<()> {
        let small = if offset < FIRST { (0, FIRST) } else { (offset / SMALL * SMALL, SMALL) };
        let is_forward = small.0 == state.end && offset >= FIRST;
        state.row = if is_forward { state.row + 1 } else { 0 };
        let is_large = len as u64 > 2 * SMALL && self.size > FIRST || state.row >= IN_A_ROW;
        self.inner.shrink(state);
        if is_large {
            return self.ask_large(state, offset / LARGE);
        }
        state.end = small.0 + small.1;
        self.inner.ask(state, false, small.0, small.1.min(self.size - small.0))
    }

    fn ask_large(&self, state: &mut State, index: u64) -> io::Result<()> {
        let start = index * LARGE;
        self.inner.ask(state, true, start, LARGE.min(self.size - start))
    }

    /// Asks for the ranges after `index`, if its readers go forward and memory allows it.
    fn ask_ahead(&self, state: &mut State, index: u64) -> io::Result<()> {
        let is_forward = index <= state.next;
        state.next = if is_forward { state.next.max(index + 1) } else { index + 1 };
        let shared = &self.inner.shared;
        for next in (index + 1..=index + AHEAD).filter(|_| is_forward) {
            let fits = shared.used.load(Relaxed) + LARGE as usize <= shared.settings.memory;
            if next * LARGE < self.size && fits && !state.large.contains_key(&(next * LARGE)) {
                self.inner.shrink(state);
                self.ask_large(state, next)?;
            }
        }
        Ok(())
    }
}

impl Source for Object {
    fn path(&self) -> &Path {
        &self.path
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    fn identity(&self) -> Option<Identity> {
        self.identity
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let mut state = self.inner.lock();
        loop {
            state.clock += 1;
            let State { small, large, clock, .. } = &mut *state;
            let holds = |ranges: &BTreeMap<u64, Range>| {
                let (&start, range) = ranges.range(..=offset).next_back()?;
                (offset < start + range.len).then_some(start)
            };
            let found = match (holds(large), holds(small)) {
                (Some(start), _) => Some((true, start)),
                (None, Some(start)) => Some((false, start)),
                (None, None) => None,
            };
            let Some((is_large, start)) = found else {
                self.ask(&mut state, offset, buffer.len())?;
                continue;
            };
            let range = if is_large { large } else { small }.get_mut(&start);
            let answer = range.and_then(|range| {
                range.used = *clock;
                range.bytes.clone()
            });
            if is_large {
                self.ask_ahead(&mut state, start / LARGE)?;
            }
            match answer {
                Some(Ok(bytes)) => {
                    drop(state);
                    let bytes = &bytes[(offset - start) as usize..];
                    let len = bytes.len().min(buffer.len());
                    buffer[..len].copy_from_slice(&bytes[..len]);
                    return Ok(len);
                }
                Some(Err(failure)) => return Err(failure.error()),
                None => {
                    state.waiting += 1;
                    let waited = self.inner.arrived.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                    state.waiting -= 1;
                }
            }
        }
    }

    /// Every range was compared with the version that was listed.
    fn check(&self) -> Result<(), Problem> {
        Ok(())
    }
}
