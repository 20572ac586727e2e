//! How an input is packed.

use super::{tar_header, warc, zip_directory};
use crate::unpack::codec::Codec;

/// The format of an input, detected from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Scanned as it is, or reported by name.
    Plain,
    /// Compressed.
    Codec(Codec),
    /// A tar archive.
    Tar,
    /// A zip archive.
    Zip,
    /// A web archive.
    Warc,
}

impl Packing {
    /// Detects the format of an input that starts with `head`, which must have [`HEAD`](crate::HEAD) bytes
    /// if the input is that long.
    pub fn of(head: &[u8]) -> Packing {
        if let Some(codec) = Codec::of(head) {
            return Packing::Codec(codec);
        }
        match () {
            () if doiscan_zip::is_archive(head) => Packing::Zip,
            () if tar_header::is_archive(head) => Packing::Tar,
            () if warc::is_archive(head) => Packing::Warc,
            () => Packing::Plain,
        }
    }

    /// Detects the format of a file that starts with `head` and ends with `tail`. A self-extracting
    /// program is a zip archive.
    pub fn of_file(head: &[u8], tail: &[u8]) -> Packing {
        match Packing::of(head) {
            Packing::Plain if zip_directory::ends_archive(tail) => Packing::Zip,
            packing => packing,
        }
    }
}
