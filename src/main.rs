//! The doiscan command.
#![expect(clippy::disallowed_methods, reason = "the command line comes in here")]

use doiscan::cli::{Exit, run};
use doiscan::input::allocator::OrEnd;

/// Faster than the system's for many small files on many threads, and for the
/// collector's blocks.
#[global_allocator]
static ALLOCATOR: OrEnd<mimalloc::MiMalloc> = OrEnd(mimalloc::MiMalloc);

fn main() -> Exit {
    run(std::env::args_os())
}
