//! The state in which this process was started, which Rust's runtime hides,
//! and the signals it leaves deadly.
#![expect(
    unsafe_code,
    reason = "must run before the runtime; signal dispositions have no safe API"
)]

use std::sync::atomic::{AtomicU8, Ordering};

/// Bit `n` is set when descriptor `n` was closed at the start.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Whether standard input (0), output (1) or error (2) was closed when the
/// process was started. Rust's runtime opens `/dev/null` in the place of a
/// closed one before `main`, so that afterwards nobody can tell: Python's
/// `DEVNULL` looks just the same. False on systems where this is not known.
pub fn was_closed(descriptor: u8) -> bool {
    CLOSED.load(Ordering::Relaxed) & (1 << descriptor) != 0
}

/// Makes a write beyond the file size limit an error (`EFBIG`) instead of a
/// signal that kills.
#[cfg(unix)]
pub fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// The signals that a user, a terminal, a timer or a limit sends to end a process.
#[cfg(unix)]
const DEADLY: [i32; 8] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGXCPU,
    libc::SIGALRM,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// Makes the signals that end a process remove the temporary files of outputs that are
/// not finished, and end it with 128 + n. One that was ignored at the start, as `nohup`
/// does, stays ignored.
#[cfg(unix)]
pub fn remove_unfinished_on_signals() {
    for signal in DEADLY {
        // SAFETY: a C structure of integers and a pointer that may be null.
        let (mut old, mut new): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
        // SAFETY: `old` is written to, nothing is set.
        let failed = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut old) };
        if failed != 0 || old.sa_sigaction == libc::SIG_IGN {
            continue;
        }
        new.sa_sigaction = end as *const () as usize;
        // SAFETY: `new` is whole, and `end` has the signature of a handler without SA_SIGINFO.
        unsafe { libc::sigaction(signal, &raw const new, std::ptr::null_mut()) };
    }
}

/// Only calls what may be called in a handler (POSIX, 2.4.3).
#[cfg(unix)]
extern "C" fn end(signal: i32) {
    remove_and_exit(128 + signal)
}

/// Ends the process, and leaves no temporary file. Neither allocates nor locks.
#[cfg(unix)]
pub(super) fn remove_and_exit(status: i32) -> ! {
    for name in crate::output::unfinished() {
        // SAFETY: the string lives for ever.
        unsafe { libc::unlink(name) };
    }
    // SAFETY: ends the process; nothing of ours runs after it.
    unsafe { libc::_exit(status) }
}

#[cfg(unix)]
extern "C" fn look() {
    for descriptor in 0..3 {
        // SAFETY: the descriptor is only asked about; when it is closed the
        // system answers EBADF.
        let fd = unsafe { rustix::fd::BorrowedFd::borrow_raw(descriptor) };
        if rustix::io::fcntl_getfd(fd) == Err(rustix::io::Errno::BADF) {
            CLOSED.fetch_or(1 << descriptor, Ordering::Relaxed);
        }
    }
}

/// Run by the loader before `main`, and so before Rust's runtime.
// SAFETY: the section holds pointers to `extern "C"` functions without
// arguments that matter; `look` neither allocates nor panics nor uses
// anything the runtime sets up.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = look;
