//! The records of a zip archive, as defined in APPNOTE 6.3.10.
//!
//! The crate `zip` is not used. It keeps only one of several members with the same name, and it
//! must seek, so it cannot read an archive inside a stream.

use crate::problem::ProblemCode;
use crate::unpack::codec::Codec;

/// The signatures of records.
pub(super) const LOCAL: [u8; 4] = *b"PK\x03\x04";
pub(super) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
pub(super) const END: [u8; 4] = *b"PK\x05\x06";
pub(super) const END_64: [u8; 4] = *b"PK\x06\x06";
pub(super) const LOCATOR_64: [u8; 4] = *b"PK\x06\x07";
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
pub(super) const EXTRA_DATA: [u8; 4] = *b"PK\x06\x08";
pub(super) const SIGNATURE: [u8; 4] = *b"PK\x05\x05";

/// Lengths of the fixed parts of records.
pub(super) const LOCAL_LEN: usize = 30;
pub(super) const CENTRAL_LEN: usize = 46;
pub(super) const END_LEN: usize = 22;
pub(super) const END_64_LEN: usize = 56;
pub(super) const LOCATOR_64_LEN: usize = 20;

/// The value of a size that is stored in the ZIP64 extra field instead.
const ELSEWHERE: u64 = 0xffff_ffff;

/// The information that a header has about its member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    /// Number of bytes stored in the archive.
    pub(super) stored: u64,
    /// Number of bytes after decompression.
    pub(super) size: u64,
    /// Offset of the local header from the start of the archive. Set only in directory
    /// entries.
    pub(super) local: u64,
}

/// Returns whether an input that starts with `head` is a zip archive. It may start with a member,
/// with the end record of an empty archive, or with the marker of a split archive that was joined
/// again.
pub(super) fn is_archive(head: &[u8]) -> bool {
    [LOCAL, END].iter().any(|magic| head.starts_with(magic))
        || (head.starts_with(&DESCRIPTOR) && head[4..].starts_with(&LOCAL))
}

impl Entry {
    /// Parses a local header and returns it with its length. Returns `None` if `bytes` do not
    /// contain all of it.
    pub(super) fn local(bytes: &[u8]) -> Option<(Entry, usize)> {
        Entry::read(bytes, 0, LOCAL_LEN, 0)
    }

    /// Parses a record of the directory and returns it with its length. Returns `None` if `bytes`
    /// do not contain all of it.
    pub(super) fn central(bytes: &[u8]) -> Option<(Entry, usize)> {
        if !bytes.starts_with(&CENTRAL) {
            return None;
        }
        let (entry, end) = Entry::read(bytes, 2, CENTRAL_LEN, u32_at(bytes, 42)?.into())?;
        let len = end + usize::from(u16_at(bytes, 32)?);
        bytes.get(..len).map(|_| (entry, len))
    }

    /// Parses the fields that both records have, in one order, from byte 6 or `shift` bytes later.
    /// The name and the extra fields begin at byte `fixed`. Returns where they end, too.
    fn read(bytes: &[u8], shift: usize, fixed: usize, local: u64) -> Option<(Entry, usize)> {
        let bytes_of = |at| u16_at(bytes, at + shift).map(usize::from);
        let extra = fixed + bytes_of(26)?;
        let end = extra + bytes_of(28)?;
        let mut entry = Entry {
            flags: u16_at(bytes, 6 + shift)?,
            method: u16_at(bytes, 8 + shift)?,
            crc: u32_at(bytes, 14 + shift)?,
            stored: u32_at(bytes, 18 + shift)?.into(),
            size: u32_at(bytes, 22 + shift)?.into(),
            name: bytes.get(fixed..extra)?.to_vec(),
            local,
        };
        entry.large_sizes(bytes.get(extra..end)?);
        Some((entry, end))
    }

    /// Reads the sizes that do not fit their fields from the ZIP64 extra field, which holds only
    /// those.
    fn large_sizes(&mut self, mut extra: &[u8]) {
        while let (Some(id), Some(len)) = (u16_at(extra, 0), u16_at(extra, 2)) {
            let end = extra.len().min(4 + usize::from(len));
            if id == 1 {
                let mut values = extra[4..end].chunks_exact(8);
                for field in [&mut self.size, &mut self.stored, &mut self.local] {
                    if *field == ELSEWHERE {
                        *field = values.next().and_then(|v| u64_at(v, 0)).unwrap_or(*field);
                    }
                }
                return;
            }
            extra = &extra[end..];
        }
    }

    /// Returns whether the content is encrypted.
    fn is_encrypted(&self) -> bool {
        const AES: u16 = 99;
        self.flags & 0x41 != 0 || self.method == AES
    }

    /// Returns whether the sizes may follow the content.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & 8 != 0
    }

    /// Returns the codec, `None` if the member is stored uncompressed, or why it is not read.
    pub(super) fn readable(&self) -> Result<Option<Codec>, (ProblemCode, String)> {
        if self.is_encrypted() {
            return Err((ProblemCode::Encrypted, "is encrypted and not read".to_owned()));
        }
        Ok(Some(match self.method {
            0 => return Ok(None),
            8 => Codec::Deflate,
            12 => Codec::Bzip2,
            20 | 93 => Codec::Zstd,
            95 => Codec::Xz,
            other => {
                let message =
                    format!("is compressed with zip method {other}, which is not supported");
                return Err((ProblemCode::Unsupported, message));
            }
        }))
    }

    /// Returns whether the member is a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with(b"/") && self.size == 0 && self.stored <= 2
    }
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b))
}
