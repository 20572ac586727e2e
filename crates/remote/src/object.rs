//! An input that is read in ranges, ahead of its readers.
//!
//! Readers that go forward get large ranges, and the ranges after them are fetched meanwhile. Readers
//! that jump, such as those of the directory of a zip file, get small ranges. Ranges that were not used
//! for the longest time are dropped first. The more inputs are open, the smaller their ranges are, so that
//! those of all inputs fit in memory.

use crate::Shared;
use crate::failure::Failure;
use crate::fetch::Place;
use crate::reply::Version;
use bytes::Bytes;
use doiscan_input::problem::Problem;
use doiscan_input::{Identity, Source};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The first range of an input, at most. Most small files are whole in it.
const FIRST: u64 = 1024 * 1024;

/// A range for a reader that jumps.
const SMALL: u64 = 64 * 1024;

/// A range for a reader that goes forward, at most and at least.
const LARGE: [u64; 2] = [8 * 1024 * 1024, 256 * 1024];

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
    /// The length of the first range.
    first: u64,
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
    /// The end of the last large range that was read.
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

    /// Drops the ranges that were not used for the longest time, but never those still to come. If memory
    /// is full, only one range stays, and those that readers wait for.
    fn shrink(&self, state: &mut State) {
        let (shared, waiting) = (&self.shared, state.waiting);
        while shared.used.load(Relaxed) > shared.settings.memory
            && state.small.len() + state.large.len() > 1 + waiting
            && state.drop_oldest([true, true], shared)
        {}
        let most = AHEAD as usize + 2 + waiting;
        while state.large.len() > most && state.drop_oldest([false, true], shared) {}
        while state.small.len() > KEPT + waiting && state.drop_oldest([true, false], shared) {}
    }
}

impl State {
    /// Drops the range among the small or large ones that was not used for the longest time. Returns
    /// whether there was one.
    fn drop_oldest(&mut self, kinds: [bool; 2], shared: &Shared) -> bool {
        let ranges = [&mut self.small, &mut self.large];
        let done = |ranges: &BTreeMap<u64, Range>| {
            let done = ranges.iter().filter(|(_, range)| range.bytes.is_some());
            done.map(|(&start, range)| (range.used, start)).min()
        };
        let chosen =
            ranges.into_iter().zip(kinds).filter_map(|(r, is_chosen)| is_chosen.then_some(r));
        let oldest = chosen.filter_map(|r| Some((done(r)?, r))).min_by_key(|(oldest, _)| *oldest);
        let removed = oldest.and_then(|((_, start), ranges)| ranges.remove(&start));
        removed.map(|range| shared.used.fetch_sub(range.len as usize, Relaxed)).is_some()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let all = state.small.values().chain(state.large.values());
        self.shared.used.fetch_sub(all.map(|range| range.len as usize).sum(), Relaxed);
        self.shared.open.fetch_sub(1, Relaxed);
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
        shared.open.fetch_add(1, Relaxed);
        let first = power_of_two(shared.part(), [FIRST, SMALL]);
        let (state, arrived) = Default::default();
        let inner = Arc::new(Inner { place, version, shared, state, arrived });
        Object { path: path.to_path_buf(), identity, size, first, inner }
    }

    /// Asks for the range with `offset` that suits a read of `len` bytes.
    fn ask(&self, state: &mut State, offset: u64, len: usize) -> io::Result<()> {
        let first = self.first;
        let small = if offset < first { (0, first) } else { (offset / SMALL * SMALL, SMALL) };
        let is_forward = small.0 == state.end && offset >= first;
        state.row = if is_forward { state.row + 1 } else { 0 };
        let is_large = len as u64 > 2 * SMALL && self.size > first || state.row >= IN_A_ROW;
        self.inner.shrink(state);
        if is_large {
            return self.ask_large(state, offset, self.step());
        }
        state.end = small.0 + small.1;
        self.inner.ask(state, false, small.0, small.1.min(self.size - small.0))
    }

    /// Returns the length of large ranges: those of all open inputs fit in memory, with those ahead.
    fn step(&self) -> u64 {
        power_of_two(self.inner.shared.part() / (AHEAD + 1), LARGE)
    }

    /// Asks for a range of at most `step` bytes that has `offset`, which no other has. Ranges never overlap.
    fn ask_large(&self, state: &mut State, offset: u64, step: u64) -> io::Result<()> {
        let before = state.large.range(..=offset).next_back();
        let before = before.map_or(0, |(start, range)| start + range.len);
        let after = state.large.range(offset..).next().map_or(self.size, |(&start, _)| start);
        let start = offset / step * step;
        let end = (start + step).min(after);
        let start = start.max(before);
        self.inner.ask(state, true, start, end - start)
    }

    /// Asks for the ranges after the one from `start` to `end`, if its readers go forward and memory allows
    /// it.
    fn ask_ahead(&self, state: &mut State, start: u64, end: u64) -> io::Result<()> {
        let is_forward = start <= state.next.max(self.first);
        state.next = if is_forward { state.next.max(end) } else { end };
        let (shared, mut next) = (&self.inner.shared, end);
        for _ in (0..AHEAD).filter(|_| is_forward) {
            if next < self.size && !state.large.contains_key(&next) {
                let step = self.step();
                if shared.used.load(Relaxed) + step as usize > shared.settings.memory {
                    break;
                }
                self.inner.shrink(state);
                self.ask_large(state, next, step)?;
            }
            next += state.large.get(&next).map_or(0, |range| range.len);
        }
        Ok(())
    }
}

/// Returns the largest power of two up to `bytes`, within bounds.
fn power_of_two(bytes: u64, [most, least]: [u64; 2]) -> u64 {
    let power = bytes.checked_ilog2().map_or(0, |power| 1 << power);
    power.clamp(least, most)
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
            let (answer, len) = range.map_or((None, 0), |range| {
                range.used = *clock;
                (range.bytes.clone(), range.len)
            });
            if is_large {
                self.ask_ahead(&mut state, start, start + len)?;
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
