//! The temporary files of this process, for signals that end it.
//!
//! A signal handler may neither lock nor allocate, so the names are stored in a fixed array of
//! pointers to C strings. A name is never freed, which costs a few bytes for each output of a run.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Maximum number of files at once: the list, its side files, the statistics, and the inputs of
/// commands, one for each worker.
const SLOTS: usize = 64;

/// The array that the signal handler reads. It must be static, because a handler has no other
/// input.
static NAMES: [AtomicPtr<c_char>; SLOTS] = [const { AtomicPtr::new(null_mut()) }; SLOTS];

/// The temporary files that exist now, as C strings that are never freed.
pub(super) fn unfinished() -> impl Iterator<Item = *const c_char> {
    let names = NAMES.iter().map(|name| name.load(Ordering::Acquire).cast_const());
    names.filter(|name| !name.is_null())
}

/// A temporary file that stays registered until this is dropped.
#[derive(Debug)]
pub struct Listed(Option<usize>);

impl Listed {
    /// Registers `path`. If all slots are in use, or the name contains a zero byte, the file is not
    /// registered. It is then left behind when a signal ends the process.
    pub fn new(path: &Path) -> Self {
        // The working directory may have changed when the process ends.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let Ok(name) = CString::new(path.into_os_string().into_encoded_bytes()) else {
            return Listed(None);
        };
        let name = name.into_raw();
        Listed(NAMES.iter().position(|slot| {
            let free = null_mut();
            slot.compare_exchange(free, name, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        }))
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Some(index) = self.0 {
            NAMES[index].store(null_mut(), Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_listed_until_it_is_dropped() {
        let listed = Listed::new(Path::new("/none/.list.doiscan-abcdef"));
        let index = listed.0.expect("a slot");
        let name = NAMES[index].load(Ordering::Acquire).cast_const();
        assert!(unfinished().any(|other| other == name));
        drop(listed);
        assert!(!unfinished().any(|other| other == name));
        assert_eq!(Listed::new(Path::new("a\0b")).0, None);
    }
}
