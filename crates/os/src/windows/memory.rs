//! The memory of the machine and of this process.
#![expect(unsafe_code, reason = "the system fills structures")]

use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// The memory of the machine. Limits of job objects are not asked for.
pub fn limit() -> Option<u64> {
    let len = size_of::<MEMORYSTATUSEX>() as u32;
    // SAFETY: a structure of integers, for all of which zero is a value.
    let mut found = MEMORYSTATUSEX { dwLength: len, ..unsafe { std::mem::zeroed() } };
    // SAFETY: the structure has the length that it says.
    (unsafe { GlobalMemoryStatusEx(&raw mut found) } != 0).then_some(found.ullTotalPhys)
}

/// Peak memory of this process in bytes. `None` if the system does not report it.
pub fn peak() -> Option<u64> {
    let len = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: as above.
    let mut found = PROCESS_MEMORY_COUNTERS { cb: len, ..unsafe { std::mem::zeroed() } };
    // SAFETY: the handle of this process needs no closing, and the structure has this length.
    let is_found = unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &raw mut found, len) };
    (is_found != 0).then_some(found.PeakWorkingSetSize as u64)
}

/// Handles have no limit that matters.
pub fn descriptors() -> Option<u64> {
    None
}
