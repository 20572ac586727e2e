//! The doiscan command.
#![expect(clippy::disallowed_methods, reason = "the command line comes in here")]

use doiscan::cli::{Exit, run};
use doiscan::sys::allocator::OrEnd;
use doiscan::sys::bzip2_tables::Bzip2Tables;
use mimalloc::MiMalloc;
use rustix::process::{Resource, getrlimit};
use std::panic::resume_unwind;
use std::thread::Builder;

/// Faster than the system's for many small files on many threads, and for the
/// collector's blocks.
#[global_allocator]
static ALLOCATOR: OrEnd<Bzip2Tables<MiMalloc>> = OrEnd(Bzip2Tables(MiMalloc));

/// Minimum stack size of the main thread. The command line parser takes about 100 KB.
const LEAST: u64 = 1024 * 1024;

/// The stack size of the replacement thread, which is the usual size of a main thread.
const USUAL: usize = 8 * 1024 * 1024;

fn main() -> Exit {
    with_stack(|| run(std::env::args_os()))
}

/// Runs `work` on the current thread, or on one with a larger stack if a limit (`ulimit -s`) makes
/// the current stack too small. The stacks of pool threads do not depend on that limit.
fn with_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    if getrlimit(Resource::Stack).current.is_none_or(|bytes| bytes >= LEAST) {
        return work();
    }
    std::thread::scope(|scope| match Builder::new().stack_size(USUAL).spawn_scoped(scope, &work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        // If no thread can be started, the small stack may still suffice.
        Err(_) => work(),
    })
}
