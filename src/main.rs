//! The doiscan command.
#![expect(clippy::disallowed_methods, reason = "the command line comes in here")]

use doiscan::cli::{Exit, run};

/// Faster than the system's for many small files on many threads, and for the
/// collector's blocks.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Exit {
    run(std::env::args_os())
}
