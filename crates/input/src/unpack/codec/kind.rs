//! The codecs and their signatures.

use std::path::{Path, PathBuf};

/// A compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// RFC 1952.
    Gzip,
    /// bzip2.
    Bzip2,
    /// The .xz file format.
    Xz,
    /// The predecessor of .xz, `.lzma`.
    Lzma,
    /// RFC 8878.
    Zstd,
    /// The lz4 frame format.
    Lz4,
    /// RFC 1951 without a header, as in zip archives.
    Deflate,
}

/// The magic number of skippable frames of zstd and lz4, without the lowest byte, which is 0x50 to
/// 0x5f.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

impl Codec {
    /// Returns the codec of data that starts with `head`.
    pub fn of(head: &[u8]) -> Option<Codec> {
        if is_skippable(head) {
            return Some(behind_skippable(head));
        }
        [Codec::Gzip, Codec::Bzip2, Codec::Xz, Codec::Zstd, Codec::Lz4, Codec::Lzma]
            .into_iter()
            .find(|codec| codec.begins(head))
    }

    /// Returns whether `head` is the start of a member of this codec.
    pub(super) fn begins(self, head: &[u8]) -> bool {
        match self {
            Codec::Gzip => head.starts_with(b"\x1f\x8b"),
            Codec::Bzip2 => is_bzip2(head),
            Codec::Xz => head.starts_with(b"\xfd7zXZ\0"),
            Codec::Lzma => is_lzma(head),
            Codec::Zstd => head.starts_with(b"\x28\xb5\x2f\xfd"),
            Codec::Lz4 => head.starts_with(b"\x04\x22\x4d\x18"),
            Codec::Deflate => false,
        }
    }

    /// The name of the codec.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Bzip2 => "bzip2",
            Codec::Xz => "xz",
            Codec::Lzma => "lzma",
            Codec::Zstd => "zstd",
            Codec::Lz4 => "lz4",
            Codec::Deflate => "deflate",
        }
    }

    /// The term that the specification uses for the units that follow one another.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Codec::Gzip => "member",
            Codec::Bzip2 | Codec::Xz | Codec::Lzma | Codec::Deflate => "stream",
            Codec::Zstd | Codec::Lz4 => "frame",
        }
    }

    /// Returns whether the data defines the size of the window.
    pub fn has_window(self) -> bool {
        matches!(self, Codec::Xz | Codec::Lzma | Codec::Zstd)
    }

    /// Returns the name of the content of `path`: without the suffix of the codec, and with `.tar`
    /// for `.tgz`.
    pub fn inner_name(path: &Path) -> PathBuf {
        match () {
            () if has_suffix(path, &SUFFIXES) => path.with_extension(""),
            () if has_suffix(path, &TARS) => path.with_extension("tar"),
            () => path.to_path_buf(),
        }
    }

    /// Returns whether the name of a file says that it is compressed.
    pub fn is_named(path: &Path) -> bool {
        has_suffix(path, &SUFFIXES) || has_suffix(path, &TARS)
    }
}

/// Suffixes of compressed files. `TARS` are those of compressed tar archives.
const SUFFIXES: [&str; 9] = ["gz", "bz2", "xz", "zst", "lz4", "lzma", "bgz", "zstd", "gzip"];
const TARS: [&str; 5] = ["tgz", "tbz2", "txz", "tzst", "tbz"];

/// Returns whether `path` ends in one of `suffixes`, ignoring case.
pub(crate) fn has_suffix(path: &Path, suffixes: &[&str]) -> bool {
    path.extension().is_some_and(|e| suffixes.iter().any(|s| e.eq_ignore_ascii_case(s)))
}

/// Detects bzip2. Text may also start with `BZh`, so the level must follow, and then the magic
/// number of a block or of the end of the stream, as far as there are bytes.
fn is_bzip2(head: &[u8]) -> bool {
    let magic = &head[head.len().min(4)..head.len().min(10)];
    head.starts_with(b"BZh")
        && matches!(head.get(3), Some(b'1'..=b'9'))
        && (b"\x31\x41\x59\x26\x53\x59".starts_with(magic)
            || b"\x17\x72\x45\x38\x50\x90".starts_with(magic))
}

/// Detects lzma, which has no magic number. Requires the properties that all encoders write, a
/// dictionary of 2ⁿ or 2ⁿ + 2ⁿ⁻¹ bytes, and a size that is unknown or below 2³⁸. xz uses the same
/// rules.
fn is_lzma(head: &[u8]) -> bool {
    let Some(header) = head.first_chunk::<13>() else { return false };
    let dictionary = u32::from_le_bytes([header[1], header[2], header[3], header[4]]);
    let size = header[5..].iter().rev().fold(0u64, |sum, &b| sum << 8 | u64::from(b));
    let top = dictionary.checked_ilog2().unwrap_or(0);
    let rest = dictionary - (1u32 << top).min(dictionary);
    header[0] == 0x5d
        && top >= 12
        && (rest == 0 || rest == 1 << (top - 1))
        && (size == u64::MAX || size < 1 << 38)
}

pub(super) fn is_skippable(head: &[u8]) -> bool {
    head.first().is_some_and(|b| b & 0xf0 == 0x50) && head[1..].starts_with(&SKIPPABLE)
}

/// Returns the codec of data that starts with skippable frames, which zstd and lz4 share. Returns
/// zstd if the head ends before the next frame, because only zstd's tools write skippable frames.
fn behind_skippable(mut head: &[u8]) -> Codec {
    while is_skippable(head) {
        let len = head[4..].first_chunk().map_or(u32::MAX, |len| u32::from_le_bytes(*len));
        head = head.get(8usize.saturating_add(len as usize)..).unwrap_or_default();
    }
    if Codec::Lz4.begins(head) { Codec::Lz4 } else { Codec::Zstd }
}
