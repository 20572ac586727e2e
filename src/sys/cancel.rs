//! Ends a run from outside: from a signal handler's thread, a timer or a user interface.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end a run, shared with whoever may make it. Clones are one request.
///
/// A cancelled run ends within some blocks of input, replaces no file and leaves none. Once its
/// files are complete and on the disk it is done, and cancelling has no effect.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the run to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Lets a call of a cancelled run fail.
    ///
    /// # Errors
    ///
    /// When the run was asked to end.
    pub fn check(&self) -> io::Result<()> {
        if self.is_cancelled() { Err(io::Error::other("the run was cancelled")) } else { Ok(()) }
    }
}
