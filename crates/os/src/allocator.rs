//! Handles failed allocations in the command: prints a message, removes the temporary files and
//! ends the process with exit status 2. Rust's default is SIGABRT, which leaves them.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout};
#[cfg(feature = "command")]
use std::ffi::{c_int, c_long};
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

/// Allocates from `A` and ends the process if memory runs out. Only for commands: a library must
/// not end its host process.
#[derive(Debug)]
pub struct OrEnd<A>(pub A);

// SAFETY: every call is forwarded unchanged, and its result is returned unchanged, unless the
// process ends.
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

/// Has mimalloc return freed memory to the system at once.
///
/// By default, freed memory stays with the process for a while, and nothing counts it. With `-S 1M`
/// and two threads, the hits and rejects of 5 MB of text peaked at 82 MB as Parquet, and at 50 MB
/// without the delay, both without [huge pages](spare_huge_pages).
#[cfg(feature = "command")]
pub fn release_at_once() {
    // Links the library of the symbol.
    use mimalloc as _;
    // Its position in `mi_option_e` of mimalloc.h, the same in versions 2 and 3.
    const PURGE_DELAY: c_int = 15;
    // SAFETY: the declaration of mimalloc.h.
    unsafe extern "C" {
        fn mi_option_set_default(option: c_int, value: c_long);
    }
    // SAFETY: the function takes any numbers. A variable of the environment overrides the value.
    unsafe { mi_option_set_default(PURGE_DELAY, 0) };
}

/// The least limit of memory with which huge pages are used.
#[cfg(target_os = "linux")]
const HUGE_PAGES: usize = 256 * 1024 * 1024;

/// Whether the process uses huge pages later.
#[cfg(target_os = "linux")]
static IS_DELAYED: AtomicBool = AtomicBool::new(false);

/// Has the process use no huge pages before [`use_huge_pages`]. Filling six of them with zeros takes a third of the
/// time of a run on an empty file.
pub fn delay_huge_pages() {
    // SAFETY: the call changes no memory. It may fail, and then the pages stay as they are.
    #[cfg(target_os = "linux")]
    if unsafe { libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0) } == 0 {
        // SAFETY: as above.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
        IS_DELAYED.store(true, Ordering::Relaxed);
    }
}

/// Ends what [`delay_huge_pages`] began.
pub fn use_huge_pages() {
    #[cfg(target_os = "linux")]
    if IS_DELAYED.load(Ordering::Relaxed) && IS_DELAYED.swap(false, Ordering::Relaxed) {
        // SAFETY: as above.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 0, 0, 0, 0) };
    }
}

/// Has the process use no huge pages from now on if `limit`, its limit of memory, is small.
///
/// mimalloc asks for them, and a few used bytes of one count as 2 MiB. With `-S 1M` and two threads, the hits
/// of 5 MB of text as CSV peaked at 82 MB with them, and at 21 MB without. Large tables need them.
pub fn spare_huge_pages(limit: Option<usize>) {
    #[cfg(target_os = "linux")]
    if limit.is_some_and(|limit| limit < HUGE_PAGES) {
        IS_DELAYED.store(false, Ordering::Relaxed);
        // SAFETY: the call changes no memory. It may fail, and then the pages stay huge.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = limit;
}

#[inline]
fn had(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        end();
    }
    block
}

/// Without Unix, the null pointer is returned to the caller, and Rust ends the process.
#[cold]
fn end() -> ! {
    const MESSAGE: &[u8] = b"doiscan: out of memory\n";
    // Unlike `eprintln!`, this neither allocates nor locks. If writing to standard error fails, the
    // status still reports the error.
    // SAFETY: the pointer and the length belong to one slice.
    unsafe { libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len() as _) };
    crate::process::remove_and_exit(2)
}

/// Sets what happens at a panic. If zstd fails to allocate, the process ends in the same way: its
/// bindings panic then, including those used by the Parquet writer, and the process would end with a
/// stack trace. Where `is_reported`, the panic is caught and reported in another way.
pub fn set_panic_hook(is_reported: fn() -> bool) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let words = payload.downcast_ref::<&str>().copied();
        let words = words.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        if words.is_some_and(is_about_memory) {
            end();
        }
        if !IS_CAUGHT.get() && !is_reported() {
            usual(panic);
        }
    }));
}

thread_local! {
    static IS_CAUGHT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Calls `work`, and returns `None` if it panics. The hook of [`set_panic_hook`] prints nothing then.
pub fn catch<T>(work: impl FnOnce() -> T) -> Option<T> {
    let outer = IS_CAUGHT.replace(true);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    IS_CAUGHT.set(outer);
    result.ok()
}

/// Whether `words` is the message of `zstd_safe` 7 for a failed allocation of a context or a
/// dictionary.
fn is_about_memory(words: &str) -> bool {
    words.starts_with("zstd returned null pointer")
}
