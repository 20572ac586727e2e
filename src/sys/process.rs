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
/// process was started. Rust's runtime opens `/dev/null` for a closed one before
/// `main`, which is then indistinguishable from one that the caller passed. Always
/// false without the feature `cli` and on systems other than Linux and macOS.
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

/// Makes the signals that end a process remove the temporary files of unfinished outputs
/// first. The process still ends by the signal, so that a shell sees what ended it and
/// stops its loop. Signals that were ignored at the start, as by `nohup`, stay ignored.
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

/// Removes the temporary files and ends the process by the signal itself. Only makes calls
/// that a handler may make (POSIX, 2.4.3).
#[cfg(unix)]
extern "C" fn end(signal: i32) {
    remove_unfinished();
    // SAFETY: a C structure of integers and an optional function; zero is SIG_DFL.
    let default: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: a set of signals is integers alone, and `sigemptyset` makes it empty.
    let mut this: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: `default` and `this` are complete, and all five calls may be made in a handler.
    // The signal is blocked while its handler runs, so it is unblocked before it is raised.
    unsafe {
        libc::sigaction(signal, &raw const default, std::ptr::null_mut());
        libc::sigemptyset(&raw mut this);
        libc::sigaddset(&raw mut this, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const this, std::ptr::null_mut());
        libc::raise(signal);
    }
    // Not reached unless the signal is blocked by other means.
    exit(128 + signal)
}

#[cfg(unix)]
fn remove_unfinished() {
    for name in super::unfinished::unfinished() {
        // SAFETY: a C string that is never freed.
        unsafe { libc::unlink(name) };
    }
}

#[cfg(unix)]
fn exit(status: i32) -> ! {
    // SAFETY: ends the process; none of its code runs afterwards.
    unsafe { libc::_exit(status) }
}

/// Removes the temporary files and ends the process. Neither allocates nor locks.
#[cfg(unix)]
pub(super) fn remove_and_exit(status: i32) -> ! {
    remove_unfinished();
    exit(status)
}

/// Notes which standard streams are closed.
#[cfg(all(feature = "cli", any(target_os = "linux", target_os = "macos")))]
extern "C" fn look() {
    for descriptor in 0..3 {
        // SAFETY: asks for the flags of a descriptor, which need not be open.
        let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
        let is_closed = std::io::Error::last_os_error().raw_os_error() == Some(libc::EBADF);
        if flags == -1 && is_closed {
            CLOSED.fetch_or(1 << descriptor, Ordering::Relaxed);
        }
    }
}

/// Run by the loader before `main`, and so before Rust's runtime. In the command alone: a
/// library must not run code before its host does.
// SAFETY: the section holds pointers to functions that the loader calls with the C ABI, and
// on the platforms named here a function without parameters may be called so. `look` needs
// nothing that the runtime sets up.
#[cfg(all(feature = "cli", any(target_os = "linux", target_os = "macos")))]
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = look;
