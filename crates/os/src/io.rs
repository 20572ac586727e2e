//! Selects whether regular files are read into buffers or mapped.
#![expect(unsafe_code, reason = "mapping is a choice that can break Rust's guarantees")]

/// Files of this size or larger are mapped. The table shows seconds of processor time for 512 MB of
/// prose in files of one size, on two cores with a warm page cache, best of five:
///
/// | size | mapped | read |
/// |---|---|---|
/// | 128 KiB | 0.13 | 0.09 |
/// | 256 KiB | 0.08 | 0.08 |
/// | 1 MiB | 0.07 | 0.08 |
/// | 4 MiB | 0.05 | 0.07 |
const MAP_FROM: u64 = 512 * 1024;

/// How regular files are read. The default is to read into buffers, which is safe regardless of
/// what other processes do with the files.
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
    /// While a run lasts, no thread and no process may change the bytes of its input files, because
    /// Rust assumes that mapped bytes are constant. Truncation is an exception on Linux: it is
    /// detected and reported.
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
    pub fn maps(self, size: u64, is_remote: bool) -> bool {
        match self.0 {
            Mapping::Never => false,
            Mapping::Large => size >= MAP_FROM && !is_remote,
            Mapping::Always => size > 0,
        }
    }
}

/// The choices of the command.
///
/// Like other tools that search files, it accepts that another program may write to a mapped file.
/// All reads of mapped bytes are bounds-checked, text is copied out of the mapping before it is
/// treated as UTF-8, and a changed file is reported.
#[cfg(feature = "command")]
pub mod command {
    use super::Io;

    /// Maps large local files.
    pub const AUTO: Io = {
        // SAFETY: accepted by the command, see above.
        unsafe { Io::map_large() }
    };

    /// Maps all files.
    pub const MMAP: Io = {
        // SAFETY: accepted by the command, see above.
        unsafe { Io::map_all() }
    };
}
