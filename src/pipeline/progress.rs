//! Progress updates, and ticks while every input stalls.

use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Receives progress updates. Called from all workers.
pub trait Progress: Sync {
    /// The inputs are listed and have this many bytes, packed or not, as far as sizes are known.
    fn total(&self, bytes: u64) {
        let _ = bytes;
    }
    /// This many more bytes are done.
    fn add(&self, bytes: u64) {
        let _ = bytes;
    }
    /// This many more DOIs are found, repeats included.
    fn found(&self, names: u64) {
        let _ = names;
    }
    /// An input, a member of an archive for example, is opened.
    fn input(&self, path: &Path) {
        let _ = path;
    }
    /// All inputs are scanned: the names are sorted and written.
    fn writing(&self) {}
    /// How often to call [`Progress::tick`], if at all.
    fn pause(&self) -> Option<Duration> {
        None
    }
    /// Time has passed, perhaps without progress.
    fn tick(&self) {}
}

/// No-op progress.
impl Progress for () {}

/// Set when the run has ended, in whatever way.
#[derive(Default)]
struct End {
    is_over: Mutex<bool>,
    told: Condvar,
}

/// Runs `work` and meanwhile calls [`Progress::tick`] as often as it asks for.
pub(super) fn while_running<T>(progress: &dyn Progress, work: impl FnOnce() -> T) -> T {
    let Some(pause) = progress.pause() else { return work() };
    let end = End::default();
    thread::scope(|scope| {
        // Without a thread to spare there are no ticks.
        let _ = thread::Builder::new().spawn_scoped(scope, || end.tick(progress, pause));
        let _ended = Ended(&end);
        work()
    })
}

impl End {
    fn tick(&self, progress: &dyn Progress, pause: Duration) {
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_over {
            let waited = self.told.wait_timeout(is_over, pause);
            let (guard, result) = waited.unwrap_or_else(PoisonError::into_inner);
            is_over = guard;
            if result.timed_out() && !*is_over {
                progress.tick();
            }
        }
    }
}

/// Ends the ticks when it is dropped, also by a panic.
struct Ended<'a>(&'a End);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        *self.0.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.told.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Ticks(AtomicU32);

    impl Progress for Ticks {
        fn pause(&self) -> Option<Duration> {
            Some(Duration::from_millis(1))
        }

        fn tick(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_run_that_stalls_is_ticked_and_ends_at_once() {
        let ticks = Ticks(AtomicU32::new(0));
        let stall = || while ticks.0.load(Ordering::Relaxed) < 3 {};
        while_running(&ticks, stall);
        assert!(ticks.0.load(Ordering::Relaxed) >= 3);
    }

    #[test]
    fn a_panic_ends_the_ticks() {
        let ticks = Ticks(AtomicU32::new(0));
        let work = || while_running(&ticks, || panic!("a worker"));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        assert!(result.is_err());
    }
}
