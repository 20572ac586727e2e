//! The memory that this process may use, and has used.

use crate::system::memory;

/// Maximum memory of this process in bytes: the minimum of the machine's memory, the limits of its
/// control groups (version 1 or 2), and the limits of the process (`ulimit -v`, `ulimit -d`).
/// `None` if the system does not report any.
pub fn limit() -> Option<u64> {
    memory::limit()
}

/// Peak memory of this process in bytes. `None` if the system does not report it.
pub fn peak() -> Option<u64> {
    memory::peak()
}

/// Maximum number of files that this process may have open. `None` if the system does not report
/// it.
pub fn descriptors() -> Option<u64> {
    memory::descriptors()
}
