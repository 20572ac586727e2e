//! The records of zip archives (APPNOTE 6.3.10): headers of members, and the directory at the end.
//!
//! The crates `zip` and `rawzip` are not used. They read a member only by its directory, so neither an archive
//! inside a stream nor one whose directory is lost; `zip` keeps one of several members with the same name, and
//! `rawzip` does not find the directory of a ZIP64 archive after other data.

use memchr::memmem;
use std::io;
use std::ops::Range;

/// The signatures of records.
pub const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// A record of the directory.
pub const CENTRAL: [u8; 4] = *b"PK\x01\x02";
/// The end of the directory.
pub const END: [u8; 4] = *b"PK\x05\x06";
/// The end of the directory of a ZIP64 archive.
pub const END_64: [u8; 4] = *b"PK\x06\x06";
/// The position of [`END_64`].
pub const LOCATOR_64: [u8; 4] = *b"PK\x06\x07";
/// The checksum and the sizes after a member. It may lack this signature.
pub const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// Lengths of the fixed parts of records.
pub const LOCAL_LEN: usize = 30;
/// Of [`CENTRAL`].
pub const CENTRAL_LEN: usize = 46;
/// Of [`END`].
pub const END_LEN: usize = 22;
/// Of [`LOCATOR_64`].
pub const LOCATOR_64_LEN: usize = 20;
const END_64_LEN: usize = 56;

/// Maximum length of a header in the directory: a name, an extra field and a comment of 64 KiB
/// each.
pub const LONGEST: usize = CENTRAL_LEN + 3 * 65_536;

/// The flag of a member whose checksum and sizes may follow it.
pub const DESCRIBED: u16 = 8;

/// The value of a size that is stored in the ZIP64 extra field instead.
const ELSEWHERE: u64 = 0xffff_ffff;

/// The information that a header has about its member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The name, in any character set.
    pub name: Vec<u8>,
    /// General purpose flags.
    pub flags: u16,
    /// Compression method.
    pub method: u16,
    /// CRC-32 of the content.
    pub crc: u32,
    /// Number of bytes stored in the archive.
    pub stored: u64,
    /// Number of bytes after decompression.
    pub size: u64,
    /// Offset of the local header from the start of the archive. Set only in directory
    /// entries.
    pub local: u64,
}

/// Returns whether an input that starts with `head` is a zip archive. It may start with a member,
/// with the end record of an empty archive, or with the marker of a split archive that was joined
/// again.
pub fn is_archive(head: &[u8]) -> bool {
    [LOCAL, END].iter().any(|magic| head.starts_with(magic))
        || (head.starts_with(&DESCRIPTOR) && head[4..].starts_with(&LOCAL))
}

impl Entry {
    /// Parses a local header and returns it with its length. Returns `None` if `bytes` do not
    /// start with all of it.
    pub fn local(bytes: &[u8]) -> Option<(Entry, usize)> {
        bytes.starts_with(&LOCAL).then(|| Entry::read(bytes, 0, LOCAL_LEN, 0))?
    }

    /// Parses a record of the directory and returns it with its length. Returns `None` if `bytes`
    /// do not start with all of it.
    fn central(bytes: &[u8]) -> Option<(Entry, usize)> {
        if !bytes.starts_with(&CENTRAL) {
            return None;
        }
        let (entry, end) = Entry::read(bytes, 2, CENTRAL_LEN, u32_at(bytes, 42)?.into())?;
        let len = end + usize::from(u16_at(bytes, 32)?);
        bytes.get(..len).map(|_| (entry, len))
    }

    /// Returns the entries of a directory, up to the first that is damaged.
    pub fn all(mut records: &[u8]) -> impl Iterator<Item = Entry> {
        std::iter::from_fn(move || {
            let (entry, len) = Entry::central(records)?;
            records = &records[len..];
            Some(entry)
        })
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
    pub fn is_encrypted(&self) -> bool {
        const AES: u16 = 99;
        self.flags & 0x41 != 0 || self.method == AES
    }

    /// Returns whether the checksum and the sizes may follow the content.
    pub fn has_descriptor(&self) -> bool {
        self.flags & DESCRIBED != 0
    }

    /// Returns whether only the end of the content tells its size.
    pub fn is_unsized(&self) -> bool {
        self.has_descriptor() && self.stored == 0
    }

    /// Returns whether the member is a folder.
    pub fn is_folder(&self) -> bool {
        self.name.ends_with(b"/") && self.size == 0 && self.stored <= 2
    }
}

/// The values in the end record.
#[derive(Debug)]
pub struct End {
    /// Number of members.
    pub members: u64,
    /// Length of the directory in bytes.
    pub len: u64,
    /// The start of the directory in the file.
    pub begin: u64,
    /// Number of bytes before the archive. Offsets in the archive are relative to their end.
    pub before: u64,
    /// The end of the archive, including its comment.
    pub end: u64,
}

/// Returns the bytes of a file, or fewer if it ends before.
type ReadRange<'a> = &'a dyn Fn(Range<u64>) -> io::Result<Vec<u8>>;

impl End {
    /// Finds the end record in the last bytes of a file of `size` bytes. It is followed only by a comment of up
    /// to 64 KiB.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`.
    pub fn find(size: u64, read: ReadRange<'_>) -> io::Result<Option<End>> {
        let from = size.saturating_sub((END_LEN + 65_535) as u64);
        let tail = read(from..size)?;
        for at in memmem::rfind_iter(&tail, &END) {
            let Some(comment) = u16_at(&tail, at + 20) else { continue };
            if at + END_LEN + usize::from(comment) > tail.len() {
                continue;
            }
            if let Some(end) = End::read(read, &tail[at..], from + at as u64)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Reads the end record at `at`, or the ZIP64 record before it if there is one.
    fn read(read: ReadRange<'_>, bytes: &[u8], at: u64) -> io::Result<Option<End>> {
        let small = (u16_at(bytes, 10), u32_at(bytes, 12), u32_at(bytes, 16));
        let (Some(members), Some(len), Some(offset)) = small else { return Ok(None) };
        let (mut members, mut len, mut offset) =
            (u64::from(members), u64::from(len), u64::from(offset));
        let mut behind = at;
        if let Some((place, large)) = End::large(read, at)? {
            behind = place;
            let value = |at| u64_at(&large, at).unwrap_or(u64::MAX);
            (members, len, offset) = (value(32), value(40), value(48));
        }
        let Some(begin) = behind.checked_sub(len) else { return Ok(None) };
        let Some(before) = begin.checked_sub(offset) else { return Ok(None) };
        let comment = u16_at(bytes, 20).map_or(0, u64::from);
        Ok(Some(End { members, len, begin, before, end: at + END_LEN as u64 + comment }))
    }

    /// Returns the ZIP64 record and its offset, if a locator precedes the end record at `at`.
    fn large(read: ReadRange<'_>, at: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let Some(locator) = at.checked_sub(LOCATOR_64_LEN as u64) else { return Ok(None) };
        let bytes = read(locator..at)?;
        if !bytes.starts_with(&LOCATOR_64) {
            return Ok(None);
        }
        // The record is at the offset in the locator, or directly before the locator if other bytes
        // precede the archive.
        let said = u64_at(&bytes, 8).unwrap_or(u64::MAX);
        for place in [Some(said), locator.checked_sub(END_64_LEN as u64)].into_iter().flatten() {
            let end = place.saturating_add(END_64_LEN as u64);
            if end > locator {
                continue;
            }
            let record = read(place..end)?;
            if record.starts_with(&END_64) {
                return Ok(Some((place, record)));
            }
        }
        Ok(None)
    }
}

/// Returns the number at byte `at`, if `bytes` contain all of it.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

/// Returns the number at byte `at`, if `bytes` contain all of it.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// Returns the number at byte `at`, if `bytes` contain all of it.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the end of an archive of `members` members, whose directory of 5 bytes is at offset 3.
    fn found(file: &[u8]) -> Option<(u64, u64, u64, u64, u64)> {
        let read = |range: Range<u64>| Ok(file[range.start as usize..range.end as usize].to_vec());
        let end = End::find(file.len() as u64, &read).expect("memory")?;
        Some((end.members, end.len, end.begin, end.before, end.end))
    }

    #[test]
    fn the_end_is_found_after_other_data_and_in_front_of_a_comment() {
        let end = |count: u16, len: u32, at: u32, comment: &[u8]| {
            let numbers = [&count.to_le_bytes()[..], &count.to_le_bytes(), &len.to_le_bytes()];
            let all = [&numbers.concat(), &at.to_le_bytes()[..], &[comment.len() as u8, 0]];
            [&END[..], &[0; 4], &all.concat(), comment].concat()
        };
        let end_64 = [&END_64[..], &[0; 28], &[1, 0, 0, 0, 0, 0, 0, 0], &[5, 0, 0, 0, 0, 0, 0, 0]];
        let end_64 = [&end_64.concat()[..], &[3, 0, 0, 0, 0, 0, 0, 0]].concat();
        let locator = [&LOCATOR_64[..], &[0; 4], &[8, 0, 0, 0, 0, 0, 0, 0], &[0; 4]].concat();
        let large = [&end_64[..], &locator, &end(0xffff, u32::MAX, u32::MAX, b"")].concat();
        for (before, last, len) in [
            (&b""[..], end(1, 5, 3, b""), 22),
            (b"program", end(1, 5, 3, b""), 22),
            (b"", end(1, 5, 3, b"PK\x05\x06 in a comment"), 39),
            (b"", [end(1, 5, 3, b""), b"PK\x05\x06".to_vec()].concat(), 22),
            (b"", large.clone(), 98),
            (b"program", large, 98),
        ] {
            let file = [before, b"abcdefgh", &last].concat();
            let size = before.len() as u64;
            assert_eq!(found(&file), Some((1, 5, size + 3, size, size + 8 + len)), "{file:?}");
        }
        assert_eq!(found(&end(1, 5, 3, b"")), None);
        assert_eq!(found(b"PK\x05\x06"), None);
    }
}
