//! Keeps the run alive when a page of a mapped file cannot be had.
//!
//! Touching a page behind the end of a file that has shrunk, or one that a bad disk does not
//! give, raises SIGBUS, which kills. Every chunk is made resident before it is scanned, which
//! turns nearly all such cases into errors; for the time between the two this handler puts
//! pages of zeros in the place of what is missing, up to the end of the mapping, and notes
//! that it did. The input is then named as one that was not wholly read.
#![expect(unsafe_code, reason = "a signal handler, and what it may call")]

use memmap2::Mmap;
use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Mappings that can be guarded at once; a file beyond that is read.
const SLOTS: usize = 64;

/// A guarded mapping: its addresses, both 0 when the slot is free.
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    is_hit: AtomicBool,
}

#[expect(clippy::declare_interior_mutable_const, reason = "only to fill the array")]
const FREE: Slot =
    Slot { start: AtomicUsize::new(0), end: AtomicUsize::new(0), is_hit: AtomicBool::new(false) };

/// What the handler looks at: a signal has no other way to be told.
static GUARDED: [Slot; SLOTS] = [FREE; SLOTS];

/// The guard of one mapping. It must be dropped before the mapping is.
#[derive(Debug)]
pub(super) struct Guard(usize);

impl Guard {
    /// Guards `map`.
    ///
    /// # Errors
    ///
    /// When too many mappings are guarded already, or the handler cannot be set.
    pub(super) fn new(map: &Mmap) -> io::Result<Guard> {
        install()?;
        let (start, end) = (map.as_ptr() as usize, map.as_ptr() as usize + map.len());
        let taken = GUARDED.iter().position(|slot| {
            // The end is 0 until the slot is whole, so that the handler sees none of it.
            slot.start.compare_exchange(0, start, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        });
        let index = taken.ok_or_else(|| io::Error::other("too many mapped files"))?;
        GUARDED[index].is_hit.store(false, Ordering::Relaxed);
        GUARDED[index].end.store(end, Ordering::Release);
        Ok(Guard(index))
    }

    /// Whether pages were missing.
    pub(super) fn is_hit(&self) -> bool {
        GUARDED[self.0].is_hit.load(Ordering::Acquire)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let slot = &GUARDED[self.0];
        slot.end.store(0, Ordering::Release);
        slot.start.store(0, Ordering::Release);
    }
}

/// Sets the handler, once.
fn install() -> io::Result<()> {
    static INSTALL: Once = Once::new();
    static IS_SET: AtomicBool = AtomicBool::new(false);
    INSTALL.call_once(|| {
        let mut action = no_action();
        action.sa_sigaction = on_bus_error as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        // SAFETY: `action` is whole, and `on_bus_error` has the signature of SA_SIGINFO.
        let failed =
            unsafe { libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) };
        IS_SET.store(failed == 0, Ordering::Release);
    });
    let is_set = IS_SET.load(Ordering::Acquire);
    if is_set { Ok(()) } else { Err(io::Error::other("SIGBUS cannot be handled")) }
}

/// The default action, no flags and an empty mask.
fn no_action() -> libc::sigaction {
    // SAFETY: a C structure of integers and a pointer that may be null, whose zero is SIG_DFL.
    unsafe { std::mem::zeroed() }
}

/// Puts zeros where a guarded mapping has nothing. Any other SIGBUS kills, as it does by
/// default, when the instruction is tried again.
extern "C" fn on_bus_error(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system gives a valid structure to a handler with SA_SIGINFO.
    let address = unsafe { (*info).si_addr() } as usize;
    let is_in = |slot: &&Slot| {
        let start = slot.start.load(Ordering::Acquire);
        start <= address && address < slot.end.load(Ordering::Acquire)
    };
    if let Some(slot) = GUARDED.iter().find(is_in)
        && fill_with_zeros(address, slot.end.load(Ordering::Acquire))
    {
        slot.is_hit.store(true, Ordering::Release);
        return;
    }
    let action = no_action();
    // SAFETY: `action` is whole. sigaction may be called in a handler (POSIX).
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}

/// Maps zeros from the page of `address` up to `end`.
fn fill_with_zeros(address: usize, end: usize) -> bool {
    // SAFETY: sysconf only answers; on Linux and the BSDs it may be called in a handler.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
    let start = address / page * page;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the range lies in a mapping of ours, which lives as long as its slot is taken,
    // is only read, and is unmapped as a whole whatever lies in it. mmap is one system call.
    let mapped = unsafe { libc::mmap(start as *mut _, end - start, libc::PROT_READ, flags, -1, 0) };
    mapped != libc::MAP_FAILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use memmap2::MmapOptions;

    fn map(bytes: &[u8]) -> (std::fs::File, Mmap) {
        use std::io::Write;
        let mut file = tempfile::tempfile().expect("file");
        file.write_all(bytes).expect("write");
        // SAFETY: the file is the test's own.
        let map = unsafe { MmapOptions::new().len(bytes.len()).map(&file) }.expect("map");
        (file, map)
    }

    #[test]
    fn what_a_shrunken_file_has_lost_reads_as_zeros() {
        let (file, map) = map(&[b'x'; 64 * 1024]);
        let guard = Guard::new(&map).expect("guard");
        assert!(!guard.is_hit());
        file.set_len(10).expect("cut");
        let sum: u64 = map.iter().map(|&b| u64::from(b)).sum();
        assert_eq!((sum, guard.is_hit()), (10 * u64::from(b'x'), true));
        // Another mapping in the same slot begins afresh.
        drop(guard);
        let guard = Guard::new(&map).expect("guard");
        assert!(!guard.is_hit());
    }

    #[test]
    fn more_mappings_than_slots_are_refused() {
        let (_file, map) = map(b"x");
        let mut guards = Vec::new();
        let error = loop {
            match Guard::new(&map) {
                Ok(guard) => guards.push(guard),
                Err(error) => break error,
            }
        };
        assert!(!guards.is_empty() && guards.len() <= SLOTS);
        assert_eq!(error.to_string(), "too many mapped files");
    }
}
