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

/// Ends the process in the same way when zstd gets no memory: the bindings panic, as do those
/// that a Parquet writer goes through, and the process would end with a stack trace.
pub fn end_without_codec_memory() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let words = payload.downcast_ref::<&str>().copied();
        let words = words.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        if words.is_some_and(is_about_memory) {
            end();
        }
        usual(panic);
    }));
}

/// Whether `zstd_safe` 7 says this about a context or a dictionary that could not be allocated.
fn is_about_memory(words: &str) -> bool {
    words.starts_with("zstd returned null pointer")
}

/// Counts what each thread of the unit tests allocates.
#[cfg(test)]
pub(crate) mod counting {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    struct Counting;

    #[global_allocator]
    static COUNTING: Counting = Counting;

    thread_local! {
        static LIVE: Cell<isize> = const { Cell::new(0) };
        static PEAK: Cell<isize> = const { Cell::new(0) };
    }

    fn add(bytes: isize) {
        let _ = LIVE.try_with(|live| {
            live.set(live.get() + bytes);
            let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
        });
    }

    // SAFETY: every call is passed on as it is.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            add(layout.size() as isize);
            // SAFETY: as the caller promises.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            add(-(layout.size() as isize));
            // SAFETY: as the caller promises.
            unsafe { System.dealloc(block, layout) };
        }
    }

    /// The result of `f`, and the bytes that this thread holds more than before it and held
    /// more at its peak.
    pub(crate) fn measure<T>(f: impl FnOnce() -> T) -> (T, usize, usize) {
        let before = LIVE.get();
        PEAK.set(before);
        let result = f();
        let more = |bytes: isize| usize::try_from(bytes - before).unwrap_or(0);
        (result, more(LIVE.get()), more(PEAK.get()))
    }
}
