//! The central directory at the end of a zip archive. It lists the positions of the members, so
//! that they can be read in parallel.

use crate::source::Opened;
use doiscan_zip::{self as record, CENTRAL_LEN, END, END_LEN, End, Entry};
use std::io;
use std::ops::Range;

/// Maximum size of a directory held in memory, in bytes. A larger archive, with more than about
/// 200,000 members, is read sequentially. Each worker may have an archive of this size open.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Length of the marker at the start of an archive that was split.
const MARK_LEN: u64 = 4;

/// The members of an archive, in file order.
#[derive(Debug)]
pub(super) struct Directory {
    records: Vec<u8>,
    members: Vec<Place>,
    /// The start of the directory in the file.
    limit: u64,
    /// Number of members that share bytes with others, which indicates a bomb.
    pub(super) overlapping: u64,
    /// The byte ranges of the file around the archive: another archive or a program before it, or
    /// data appended after it.
    pub(super) others: Vec<Range<u64>>,
}

/// The position of a member.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The offset of its record in the directory.
    record: usize,
    /// The offset of its local header in the file. `end` is the earliest offset at which the next
    /// member can start.
    begin: u64,
    end: u64,
}

impl Directory {
    /// Reads the directory of `file`. Returns `None` if there is no valid directory.
    pub(super) fn read(file: &Opened) -> io::Result<Option<Directory>> {
        let bytes = |range| read(file, range);
        let Some(end) = End::find(file.size(), &bytes)? else { return Ok(None) };
        if end.len > LARGEST || end.members > end.len / CENTRAL_LEN as u64 {
            return Ok(None);
        }
        let records = bytes(end.begin..end.begin + end.len)?;
        let place = |(record, entry): (usize, Entry)| {
            let begin = end.before.saturating_add(entry.local);
            let head = record::LOCAL_LEN as u64 + entry.name.len() as u64;
            Place { record, begin, end: begin.saturating_add(head).saturating_add(entry.stored) }
        };
        let members: Vec<Place> = Entry::all(&records).map(place).collect();
        if members.len() as u64 != end.members {
            return Ok(None);
        }
        let mut directory = Directory::without_overlaps(records, members, end.begin);
        // If members overlap, it is unknown which bytes belong to which member.
        if directory.overlapping == 0 {
            directory.others = directory.around(file, &end);
        }
        Ok(Some(directory))
    }

    /// Returns the byte ranges of the file before and after the archive. Bytes between members are
    /// found when the members are read.
    fn around(&self, file: &Opened, end: &End) -> Vec<Range<u64>> {
        let first = self.members.first().map_or(end.begin, |m| m.begin);
        let before = (first > MARK_LEN).then_some(0..first);
        let after = (end.end < file.size()).then_some(end.end..file.size());
        before.into_iter().chain(after).collect()
    }

    /// Memory use in bytes.
    pub(super) fn memory(&self) -> usize {
        self.records.capacity() + self.members.capacity() * size_of::<Place>()
    }

    /// Drops members that overlap the previous member or the directory.
    fn without_overlaps(records: Vec<u8>, mut members: Vec<Place>, limit: u64) -> Directory {
        members.sort_by_key(|m| m.begin);
        let before = members.len();
        let mut free = 0;
        members.retain(|m| {
            let is_apart = m.begin >= free && m.end <= limit;
            if is_apart {
                free = m.end;
            }
            is_apart
        });
        let overlapping = (before - members.len()) as u64;
        Directory { records, members, limit, overlapping, others: Vec::new() }
    }

    /// Number of members.
    #[doc(hidden)]
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the members that start in `bytes`.
    pub(super) fn members_in(&self, bytes: &Range<u64>) -> Range<usize> {
        let before = |at: u64| self.members.partition_point(|member| member.begin < at);
        before(bytes.start)..before(bytes.end)
    }

    /// Returns whether no two members have the same name.
    #[doc(hidden)]
    pub(super) fn has_unique_names(&self) -> bool {
        let mut names = std::collections::HashSet::with_capacity(self.members.len());
        self.members.iter().all(|member| names.insert(self.record(member).name))
    }

    /// Returns the byte range of the member `index`, including its header.
    pub(super) fn place(&self, index: usize) -> Range<u64> {
        self.members[index].begin..self.members[index].end
    }

    /// Returns the start of the next member or of the directory. If members overlap, returns 0,
    /// because bytes between members cannot be attributed.
    pub(super) fn next(&self, index: usize) -> u64 {
        match self.members.get(index + 1) {
            _ if self.overlapping > 0 => 0,
            Some(member) => member.begin,
            None => self.limit,
        }
    }

    /// Returns the directory entry of the member `index`.
    pub(super) fn entry(&self, index: usize) -> Entry {
        self.record(&self.members[index])
    }

    fn record(&self, member: &Place) -> Entry {
        let found = Entry::central(&self.records[member.record..]);
        found.map_or_else(Entry::default, |(entry, _)| entry)
    }
}

/// Returns whether the last bytes of a file are those of an archive with other data before it, such
/// as a program that extracts it.
pub(super) fn ends_archive(tail: &[u8]) -> bool {
    let Some(end) = tail.len().checked_sub(END_LEN).map(|from| &tail[from..]) else { return false };
    end.starts_with(&END)
        && record::u16_at(end, 20) == Some(0)
        && record::u32_at(end, 12) != Some(0)
}

fn read(file: &Opened, range: Range<u64>) -> io::Result<Vec<u8>> {
    let len = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
    let mut bytes = vec![0; len];
    let got = file.read_at(&mut bytes, range.start)?;
    bytes.truncate(got);
    Ok(bytes)
}
