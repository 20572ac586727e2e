//! Lists the inputs, opens them, and returns their bytes in windows. This is the only layer that
//! opens a user's input.
#![expect(clippy::disallowed_methods, reason = "this layer opens the user's files")]

mod document;
mod files;
#[cfg(feature = "parquet")]
mod parquet;
mod text;
mod unpack;

pub use document::Document;
pub use files::{Identity, Kind, LeftOut, Listing, NameList, Opened, Own};
pub use files::{PatternError, Request, RequestError, Section, Select, Unit, Units};
pub use files::{content_hash, folder_id, list, probe};
#[cfg(feature = "parquet")]
pub use parquet::{Parquet, is_parquet};
pub use text::{LineBlock, LineUnit, Lines, List, ListError};
pub use text::{count_names, without_return};
pub use unpack::archive::{Archive, Name, Packing, Visit, unpack, unpack_decoded};
pub use unpack::bytes::{Bytes, Input, is_again};
pub use unpack::codec::{Codec, Decoder};
pub use unpack::limit::{Limits, Meter};
pub use unpack::magic::{pdf_note, refused};
pub use unpack::split::{SEGMENT, Segment, Segmented, Split};
pub use unpack::stream::is_encoded;
pub use unpack::stream::{Block, Stream, open};

pub use crate::sys::io::Io;

use std::io;
use std::ops::Range;

/// Number of first bytes from which the kind and the encoding of an input are detected.
pub const HEAD: usize = 4 * 1024;

/// A part of an input: the positions to scan and the bytes around them.
#[derive(Debug)]
pub struct Window<'a> {
    /// The bytes at the positions, plus the bytes before and after them that may matter.
    pub bytes: &'a [u8],
    /// The positions to scan, as indexes into `bytes`.
    pub starts: Range<usize>,
    /// The byte offset of `bytes` in the input.
    pub offset: u64,
    /// The error that made the window shorter than requested.
    pub fault: Option<io::Error>,
}
