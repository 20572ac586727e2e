//! What happens when memory cannot be had: the process says so and ends, with exit
//! status 2 and without its temporary files. Rust's own answer is SIGABRT, which leaves them.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout};

/// Asks `A` for memory, and ends the process when there is none. For a command: a library
/// does not end the process it is in.
#[derive(Debug)]
pub struct OrEnd<A>(pub A);

// SAFETY: every call is handed on as it is, and what comes back is given as it is, unless
// the process ends.
unsafe impl<A: GlobalAlloc> GlobalAlloc for OrEnd<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        had(unsafe { self.0.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        had(unsafe { self.0.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        had(unsafe { self.0.realloc(block, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { self.0.dealloc(block, layout) };
    }
}

#[inline]
fn had(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        end();
    }
    block
}

/// Elsewhere a null pointer goes back to the caller, and Rust ends the process.
#[cold]
#[cfg(not(unix))]
fn end() {}

#[cold]
#[cfg(unix)]
fn end() -> ! {
    const MESSAGE: &[u8] = b"doiscan: out of memory\n";
    // Neither allocates nor locks, as `eprintln!` may. A failing standard error changes
    // nothing: the status says the same.
    // SAFETY: the bytes are there, and as many as is said.
    unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
    super::process::remove_and_exit(2)
}
