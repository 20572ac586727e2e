//! Names that are more than memory holds: when a worker finds the collector full, all of
//! its names are sorted and written as one run.
//!
//! The worker that comes first does it. The others come when they have scanned what they
//! were at; then they help to sort and to encode, so that no core is idle, and nobody waits
//! for one that is busy reading. One run for all names and not one for each shard: runs are
//! long, and few of them are merged in the end.

use super::ordered::{OrderedTask, ordered};
use super::sort::{SortedSlice, sorted};
use crate::collect::run::{self, Encoder, Run, Space};
use crate::collect::{Batch, Collector, Keep, Ledger, Names, Records};
use crate::pipeline::error::Error;
use crate::pipeline::state::sieve::Sources;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// How long a worker rests that waits for room and finds nothing to help with.
const REST: Duration = Duration::from_micros(100);

/// What was spilled.
#[derive(Debug)]
pub(in crate::pipeline) struct Spilled {
    pub(in crate::pipeline) space: Space,
    pub(in crate::pipeline) runs: Vec<Run>,
    /// Names in the runs, equal ones counted once a run.
    pub(in crate::pipeline) names: u64,
    /// Names that came in, repeats included.
    pub(in crate::pipeline) received: u64,
    /// Whether what is in two runs is written once.
    pub(in crate::pipeline) is_distinct: bool,
    /// Where runs are merged to that are not kept, when those that are spilled are.
    pub(in crate::pipeline) temporary: Option<Space>,
    /// Which records count, when their sources tell.
    pub(in crate::pipeline) sources: Option<Sources>,
}

impl Spilled {
    /// Where runs are merged to.
    pub(in crate::pipeline) fn merged(&self) -> &Space {
        self.temporary.as_ref().unwrap_or(&self.space)
    }
}

/// A collector in which room is made.
pub(in crate::pipeline) struct Spill<K = Names> {
    collector: Collector<K>,
    threads: usize,
    spilled: Mutex<Spilled>,
    failed: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl<K: Keep> Spill<K> {
    pub(in crate::pipeline) fn new(collector: Collector<K>, space: Space, threads: usize) -> Self {
        let is_distinct = K::IS_DISTINCT && !K::HAS_TAIL;
        let (runs, names, received) = (Vec::new(), 0, 0);
        let spilled =
            Spilled { space, runs, names, received, is_distinct, temporary: None, sources: None };
        Spill {
            collector,
            threads,
            spilled: Mutex::new(spilled),
            failed: AtomicBool::new(false),
            error: Mutex::default(),
        }
    }

    /// The same with segments of earlier runs, to which others are added. What is merged goes to
    /// `temporary`.
    pub(in crate::pipeline) fn with(self, segments: Vec<Run>, temporary: Space) -> Self {
        let mut spilled = self.spilled.into_inner().unwrap_or_else(PoisonError::into_inner);
        spilled.names = segments.iter().map(Run::len).sum();
        (spilled.runs, spilled.temporary) = (segments, Some(temporary));
        Spill { spilled: Mutex::new(spilled), ..self }
    }

    /// Fails when names could not be spilled: then workers lost some.
    pub(in crate::pipeline) fn check(&self) -> Result<(), Error> {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        match error.take() {
            Some(error) => Err(error),
            None if self.has_failed() => Err(Error::Worker("its names are lost".to_owned())),
            None => Ok(()),
        }
    }

    /// Writes what the collector has now as a segment.
    pub(in crate::pipeline) fn save(&self) -> Result<(), Error> {
        let saved = self.spill(&mut self.spilled());
        if saved.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        saved
    }

    /// Calls `each` with every segment.
    pub(in crate::pipeline) fn each_segment(&self, each: impl FnMut(&Run)) {
        self.spilled().runs.iter().for_each(each);
    }

    /// No more segments are written; of the records those count that `sources` says.
    pub(in crate::pipeline) fn settle(&self, sources: Sources) {
        let mut spilled = self.spilled();
        spilled.sources = Some(sources);
        if let Some(temporary) = spilled.temporary.take() {
            spilled.space = temporary;
        }
    }

    fn spilled(&self) -> MutexGuard<'_, Spilled> {
        self.spilled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker's way into the collector.
    pub(in crate::pipeline) fn batch(&self) -> Batch<'_, K> {
        self.collector.batch()
    }

    /// Where memory is counted before which names give way.
    pub(in crate::pipeline) fn ledger(&self) -> &Ledger {
        self.collector.ledger()
    }

    /// Whether names could not be spilled: the run has failed.
    pub(in crate::pipeline) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Makes room for what `hand_over` hands over, until that says that all fitted. False when
    /// the run has failed.
    pub(in crate::pipeline) fn make_room<'a>(
        &self,
        batch: &mut Batch<'a, K>,
        hand_over: fn(&mut Batch<'a, K>) -> bool,
    ) -> bool {
        while !self.has_failed() {
            if hand_over(batch) {
                return true;
            }
            match self.spilled.try_lock() {
                // Another worker may have made room since.
                Ok(_) if hand_over(batch) => return true,
                Ok(mut spilled) => {
                    if let Err(error) = self.spill(&mut spilled) {
                        self.fail(error);
                    }
                }
                Err(TryLockError::WouldBlock) => help(),
                // Its panic is the error of the run.
                Err(TryLockError::Poisoned(_)) => self.failed.store(true, Ordering::Relaxed),
            }
        }
        false
    }

    /// What was spilled, and the names in memory: when there are runs these are the last of
    /// them, and none is left.
    pub(in crate::pipeline) fn finish(self, together: bool) -> Result<(Spilled, Records), Error> {
        let error = self.error.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(()), Err)?;
        let mut spilled = self.spilled.into_inner().unwrap_or_else(PoisonError::into_inner);
        spilled.received = self.collector.received();
        let mut names = self.collector.take()?;
        // Its tables make room for what sorts.
        let empty = Collector::<K>::new().take()?;
        drop(self.collector);
        if !spilled.runs.is_empty() {
            write(&mut spilled, &names, together, self.threads)?;
            names = empty;
        }
        Ok((spilled, names))
    }

    fn spill(&self, spilled: &mut Spilled) -> Result<(), Error> {
        let names = self.collector.take()?;
        let together = rayon::current_thread_index().is_some();
        write(spilled, &names, together, self.threads)?;
        self.collector.give_back(names);
        Ok(())
    }

    fn fail(&self, error: Error) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }
}

/// Does a part of what another worker spreads over the threads, or rests.
fn help() {
    if rayon::yield_now() != Some(rayon::Yield::Executed) {
        std::thread::sleep(REST);
    }
}

/// Writes `names` as a run.
fn write(
    spilled: &mut Spilled,
    names: &Records,
    together: bool,
    threads: usize,
) -> Result<(), Error> {
    if names.is_empty() {
        return Ok(());
    }
    let entries = sorted(names, together);
    let pieces = || SortedSlice::all(names, &entries);
    let (run, _) = write_run(&spilled.space, 0, together, 4 * threads, pieces, |_| 0)?;
    spilled.names += names.len() as u64;
    spilled.runs.push(run);
    Ok(())
}

/// Writes what the pieces give as a run, in the next folder that has room, and returns it
/// with the sum of what `count` says of each piece that was written.
pub(in crate::pipeline) fn write_run<P: OrderedTask<Encoder>, I: Iterator<Item = P>>(
    space: &Space,
    pass: usize,
    together: bool,
    width: usize,
    pieces: impl Fn() -> I,
    count: fn(&mut P) -> u64,
) -> Result<(Run, u64), Error> {
    let mut full = Vec::new();
    loop {
        match try_write_run(space, pass, together, width, pieces(), count) {
            Err(Error::Run(error)) if error.is_full() => full.push(error),
            result => return result,
        }
        if full.len() == space.folders() {
            return Err(run::Error::Full(full).into());
        }
    }
}

fn try_write_run<P: OrderedTask<Encoder>>(
    space: &Space,
    pass: usize,
    together: bool,
    width: usize,
    pieces: impl Iterator<Item = P>,
    count: fn(&mut P) -> u64,
) -> Result<(Run, u64), Error> {
    let (mut writer, mut sum) = (space.begin(pass)?, 0);
    ordered(together, width, pieces, Encoder::default, |piece, blocks| {
        writer.append(blocks)?;
        sum += count(piece);
        Ok(())
    })?;
    Ok((writer.finish()?, sum))
}
