//! The stack that the command runs on.

use std::panic::resume_unwind;
use std::thread::Builder;

/// A main thread with less is not trusted: the parser of the command line takes some 100 KB.
const LEAST: u64 = 1024 * 1024;

/// The stack that is used in its place, the usual size of a main thread.
const USUAL: usize = 8 * 1024 * 1024;

/// Runs `work` on this thread, or on one with a larger stack where a limit (`ulimit -s`) leaves
/// this one little. The threads of a pool have stacks that do not depend on that limit.
pub fn with_room<T: Send>(work: impl Fn() -> T + Sync) -> T {
    if limit().is_none_or(|bytes| bytes >= LEAST) {
        return work();
    }
    std::thread::scope(|scope| match Builder::new().stack_size(USUAL).spawn_scoped(scope, &work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // Without a second thread the stack may still do.
        Err(_) => work(),
    })
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Stack).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}
