//! What is scanned: lists the inputs, opens them, and hands out their bytes in
//! windows. The only layer that opens a user's input, and the only one with
//! `unsafe`.
#![expect(clippy::disallowed_methods, reason = "this layer opens the user's files")]

mod file;
#[cfg(unix)]
mod guard;
mod kind;
mod magic;
mod map;
pub mod memory;
pub mod process;
mod stream;
mod walk;

pub use file::Opened;
pub use kind::{Identity, Kind, Unit};
pub use magic::{is_utf16, refused};
pub use stream::Stream;
pub use walk::{Listing, list, probe, settle};

use std::io;
use std::ops::Range;

/// How regular files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Io {
    /// Large files on local file systems are mapped, all others read.
    #[default]
    Auto,
    /// Mapped, whatever the file system.
    Mmap,
    /// Read into buffers.
    Read,
}

/// The first bytes by which an input's kind and notation are told.
pub const HEAD: usize = 4 * 1024;

/// A part of an input: the bytes around the positions that are to be scanned.
#[derive(Debug)]
pub struct Window<'a> {
    /// The positions' bytes, those before and those behind that may matter.
    pub bytes: &'a [u8],
    /// The positions, as indexes into `bytes`.
    pub starts: Range<usize>,
    /// Where `bytes` begin in the input.
    pub offset: u64,
    /// Why there are fewer positions than were asked for.
    pub fault: Option<io::Error>,
}
