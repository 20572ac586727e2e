//! Cancels a run from outside: from a signal handler's thread, a timer or a user interface.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to cancel a run. Clones share the request.
///
/// A cancelled run stops within a few blocks of input, replaces no file and leaves none behind.
/// Once its files are complete and synced, the run is finished and cancelling has no effect.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests cancellation.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error if cancellation was requested.
    ///
    /// # Errors
    ///
    /// Fails if cancellation was requested.
    pub fn check(&self) -> io::Result<()> {
        if self.is_cancelled() { Err(io::Error::other("the run was cancelled")) } else { Ok(()) }
    }
}
