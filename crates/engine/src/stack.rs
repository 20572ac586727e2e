//! Ensures that the command has enough stack.

use std::panic::resume_unwind;
use std::thread::Builder;

/// The stack sizes to try, in bytes. The first is the usual size of a main thread; a debug build
/// uses 400 KB.
const SIZES: [usize; 2] = [8 * 1024 * 1024, 1024 * 1024];

/// Runs `work` on a thread whose stack is reserved as a whole.
///
/// The stack of the main thread can be small (`ulimit -s`). It also grows while the command runs,
/// and the system kills a process whose stack cannot grow (`ulimit -v`). Memory that cannot be
/// allocated ends a run in order.
pub fn with_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    std::thread::scope(|scope| {
        let start = |size| {
            let thread = Builder::new().name("main".into()).stack_size(size);
            thread.spawn_scoped(scope, &work).ok()
        };
        match SIZES.into_iter().find_map(start) {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // If no thread can be started, the stack of this one may suffice.
            None => work(),
        }
    })
}
