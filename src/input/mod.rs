//! What is scanned: lists the inputs, opens them, and hands out their bytes in
//! windows. The only layer that opens a user's input, and the only one with
//! `unsafe`.
#![expect(clippy::disallowed_methods, reason = "this layer opens the user's files")]

pub mod allocator;
mod archive;
mod bytes;
mod codec;
mod file;
#[cfg(unix)]
mod guard;
mod kind;
mod limit;
mod lines;
mod list;
mod magic;
mod map;
pub mod memory;
#[cfg(feature = "parquet")]
mod parquet;
pub mod process;
mod select;
mod split;
mod stream;
mod text;
mod walk;

pub use archive::{Archive, Name, Packing, Part, Visit, unpack, unpack_decoded};
pub use bytes::{Bytes, Input, is_again};
pub use codec::{Codec, Decoder};
pub use file::{Opened, Section};
pub use kind::{Identity, Kind, Unit};
pub use limit::{Limits, Meter, Metered};
pub use lines::{LineBlock, Lines};
pub use list::{Letters, List, ListError};
pub use magic::{is_utf16, refused};
#[cfg(feature = "parquet")]
pub use parquet::{Parquet, Values, is_parquet};
pub use select::{PatternError, Select};
pub use split::{SEGMENT, Segment, Segmented, Split};
pub use stream::{Block, Stream, open};
pub use text::Text;
pub use walk::{Listing, list, names, probe, settle};

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
