//! Whether regular files are read into buffers or mapped.
#![expect(unsafe_code, reason = "mapping is a choice that can break Rust's guarantees")]

/// From this size on a file is mapped. 512 MB of prose in files of one size,
/// two cores, page cache warm, best of five, seconds of processor time:
///
/// | size | mapped | read |
/// |---|---|---|
/// | 128 KiB | 0.13 | 0.09 |
/// | 256 KiB | 0.08 | 0.08 |
/// | 1 MiB | 0.07 | 0.08 |
/// | 4 MiB | 0.05 | 0.07 |
const MAP_FROM: u64 = 512 * 1024;

/// How regular files are read. By default into buffers, which is safe whatever other
/// processes do with the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Io(Mapping);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mapping {
    #[default]
    Never,
    Large,
    Always,
}

impl Io {
    /// Reads files into buffers. The default.
    pub const READ: Io = Io(Mapping::Never);

    /// Maps large files on local file systems and reads all others.
    ///
    /// # Safety
    ///
    /// While a run lasts, no thread and no process may change the bytes of its input files:
    /// Rust takes mapped bytes for constant. A truncated file is an exception on Linux: it is
    /// noticed and reported.
    pub const unsafe fn map_large() -> Io {
        Io(Mapping::Large)
    }

    /// Maps all files, whatever their size and file system.
    ///
    /// # Safety
    ///
    /// As for [`Io::map_large`].
    pub const unsafe fn map_all() -> Io {
        Io(Mapping::Always)
    }

    /// Whether a file of `size` bytes is mapped.
    pub(crate) fn maps(self, size: u64, is_remote: bool) -> bool {
        match self.0 {
            Mapping::Never => false,
            Mapping::Large => size >= MAP_FROM && !is_remote,
            Mapping::Always => size > 0,
        }
    }
}

/// The choices of the command.
///
/// As other tools that search files, it accepts that another program may write to a file
/// that it has mapped. All reads of mapped bytes are bounds-checked, text is copied out of
/// the mapping before it is taken for UTF-8, and a file that changed is reported.
#[cfg(any(feature = "cli", test))]
pub(crate) mod command {
    use super::Io;

    /// Maps large local files.
    pub(crate) const AUTO: Io = {
        // SAFETY: accepted by the command, as said above.
        unsafe { Io::map_large() }
    };

    /// Maps all files.
    pub(crate) const MMAP: Io = {
        // SAFETY: accepted by the command, as said above.
        unsafe { Io::map_all() }
    };
}
