//! Ensures that the command has enough stack.

use std::panic::resume_unwind;
use std::thread::Builder;

/// Minimum stack size of the main thread. The command line parser takes about 100 KB.
const LEAST: u64 = 1024 * 1024;

/// The stack size of the replacement thread, which is the usual size of a main thread.
const USUAL: usize = 8 * 1024 * 1024;

/// Runs `work` on the current thread, or on one with a larger stack if a limit (`ulimit -s`) makes
/// the current stack too small. The stacks of pool threads do not depend on that limit.
pub fn with_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    if limit().is_none_or(|bytes| bytes >= LEAST) {
        return work();
    }
    std::thread::scope(|scope| match Builder::new().stack_size(USUAL).spawn_scoped(scope, &work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // If no thread can be started, the small stack may still suffice.
        Err(_) => work(),
    })
}

fn limit() -> Option<u64> {
    doiscan_os::memory::stack()
}
