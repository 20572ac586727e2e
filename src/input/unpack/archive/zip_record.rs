//! The records of a zip archive, as APPNOTE 6.3.10 defines them.
//!
//! The crate `zip` is not used: it keeps one of several members with the same name and
//! needs to seek, so that an archive within a stream could not be read.

use crate::input::unpack::codec::Codec;

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

/// A size that is in the ZIP64 extra field.
const ELSEWHERE: u64 = 0xffff_ffff;

/// What a header says about its member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    /// Bytes in the archive.
    pub(super) stored: u64,
    /// Bytes when it is unpacked.
    pub(super) size: u64,
    /// Where its local header stands, from the start of the archive; in a directory only.
    pub(super) local: u64,
}

/// Whether an archive begins with `head`: a member, none at all, or the mark of one
/// that was split and is whole again.
pub(super) fn is_archive(head: &[u8]) -> bool {
    [LOCAL, END].iter().any(|magic| head.starts_with(magic))
        || (head.starts_with(&DESCRIPTOR) && head[4..].starts_with(&LOCAL))
}

impl Entry {
    /// Reads a local header and says how long it is. None when `bytes` do not hold it
    /// whole.
    pub(super) fn local(bytes: &[u8]) -> Option<(Entry, usize)> {
        let name = usize::from(u16_at(bytes, 26)?);
        let extra = usize::from(u16_at(bytes, 28)?);
        let len = LOCAL_LEN + name + extra;
        let mut entry = Entry {
            flags: u16_at(bytes, 6)?,
            method: u16_at(bytes, 8)?,
            crc: u32_at(bytes, 14)?,
            stored: u32_at(bytes, 18)?.into(),
            size: u32_at(bytes, 22)?.into(),
            name: bytes.get(LOCAL_LEN..LOCAL_LEN + name)?.to_vec(),
            local: 0,
        };
        entry.large_sizes(bytes.get(LOCAL_LEN + name..len)?);
        Some((entry, len))
    }

    /// Reads a record of the directory and says how long it is. None when `bytes` do
    /// not hold it whole.
    pub(super) fn central(bytes: &[u8]) -> Option<(Entry, usize)> {
        if !bytes.starts_with(&CENTRAL) {
            return None;
        }
        let name = usize::from(u16_at(bytes, 28)?);
        let extra = usize::from(u16_at(bytes, 30)?);
        let len = CENTRAL_LEN + name + extra + usize::from(u16_at(bytes, 32)?);
        let mut entry = Entry {
            flags: u16_at(bytes, 8)?,
            method: u16_at(bytes, 10)?,
            crc: u32_at(bytes, 16)?,
            stored: u32_at(bytes, 20)?.into(),
            size: u32_at(bytes, 24)?.into(),
            local: u32_at(bytes, 42)?.into(),
            name: bytes.get(CENTRAL_LEN..CENTRAL_LEN + name)?.to_vec(),
        };
        entry.large_sizes(bytes.get(CENTRAL_LEN + name..CENTRAL_LEN + name + extra)?);
        bytes.get(..len).map(|_| (entry, len))
    }

    /// Takes the sizes that do not fit their fields from the ZIP64 extra field, which
    /// holds only those.
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

    /// Whether its content is encrypted.
    fn is_encrypted(&self) -> bool {
        const AES: u16 = 99;
        self.flags & 0x41 != 0 || self.method == AES
    }

    /// Whether its sizes may follow its content.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & 8 != 0
    }

    /// How it is compressed, none when it is stored as it is; or why it is not read.
    pub(super) fn readable(&self) -> Result<Option<Codec>, String> {
        if self.is_encrypted() {
            return Err("is encrypted and not read".to_owned());
        }
        Ok(Some(match self.method {
            0 => return Ok(None),
            8 => Codec::Deflate,
            12 => Codec::Bzip2,
            20 | 93 => Codec::Zstd,
            95 => Codec::Xz,
            other => return Err(format!("is compressed by method {other}, which is not read")),
        }))
    }

    /// Whether it is a folder.
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
