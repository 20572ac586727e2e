//! The directory at the end of a zip archive: where its members are, so that they can
//! be read side by side.

use super::zip_record::{
    self as record, CENTRAL_LEN, END, END_64, END_64_LEN, END_LEN, Entry, LOCATOR_64,
    LOCATOR_64_LEN,
};
use crate::input::files::Opened;
use memchr::memmem;
use std::io;
use std::ops::Range;

/// The most bytes of a directory that are held; a larger archive, of some 200,000 members,
/// is read from its start to its end. Each worker may have such an archive open.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Bytes of the mark before an archive that was split.
const MARK_LEN: u64 = 4;

/// The members of an archive, in the order in which they lie in it.
#[derive(Debug)]
pub(super) struct Directory {
    records: Vec<u8>,
    members: Vec<Place>,
    /// Where the directory begins in the file.
    limit: u64,
    /// Members that share bytes with others: a sign of a bomb.
    pub(super) overlapping: u64,
    /// Bytes of the file around the archive: another archive or a program before it, what
    /// was added after it.
    pub(super) others: Vec<Range<u64>>,
}

/// Where a member is.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Its record in the directory.
    record: usize,
    /// Its local header in the file, and where the next member begins at the earliest.
    begin: u64,
    end: u64,
}

/// The end record and what it says.
struct End {
    members: u64,
    len: u64,
    /// The directory in the file.
    begin: u64,
    /// Bytes before the archive: offsets count from behind them.
    before: u64,
    /// Where it ends, with its comment.
    end: u64,
}

impl Directory {
    /// Reads the directory of `file`. None when there is none, or none that is sound.
    pub(super) fn read(file: &Opened) -> io::Result<Option<Directory>> {
        let Some(end) = End::find(file)? else { return Ok(None) };
        if end.len > LARGEST || end.members > end.len / CENTRAL_LEN as u64 {
            return Ok(None);
        }
        let records = read(file, end.begin..end.begin + end.len)?;
        let mut members = Vec::with_capacity(end.members as usize);
        let mut at = 0;
        while let Some((entry, len)) = Entry::central(&records[at..]) {
            let begin = end.before.saturating_add(entry.local);
            let head = record::LOCAL_LEN as u64 + entry.name.len() as u64;
            let last = begin.saturating_add(head).saturating_add(entry.stored);
            members.push(Place { record: at, begin, end: last });
            at += len;
        }
        if members.len() as u64 != end.members {
            return Ok(None);
        }
        let mut directory = Directory::without_overlaps(records, members, end.begin);
        // Where members overlap there is no saying what is whose.
        if directory.overlapping == 0 {
            directory.others = directory.around(file, &end);
        }
        Ok(Some(directory))
    }

    /// The bytes of the file before and after the archive. Those between its members are
    /// found when these are read.
    fn around(&self, file: &Opened, end: &End) -> Vec<Range<u64>> {
        let first = self.members.first().map_or(end.begin, |m| m.begin);
        let before = (first > MARK_LEN).then_some(0..first);
        let after = (end.end < file.size()).then_some(end.end..file.size());
        before.into_iter().chain(after).collect()
    }

    /// Bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        self.records.capacity() + self.members.capacity() * size_of::<Place>()
    }

    /// A member must end where the next begins, or before.
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

    /// How many members there are.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// The bytes of the member `index`, its header included.
    pub(super) fn place(&self, index: usize) -> Range<u64> {
        self.members[index].begin..self.members[index].end
    }

    /// Where the member after the member `index` begins, or the directory. Where members
    /// overlap nothing between two of them is anyone's.
    pub(super) fn next(&self, index: usize) -> u64 {
        match self.members.get(index + 1) {
            _ if self.overlapping > 0 => 0,
            Some(member) => member.begin,
            None => self.limit,
        }
    }

    /// What the directory says about the member `index`.
    pub(super) fn entry(&self, index: usize) -> Entry {
        self.record(&self.members[index])
    }

    fn record(&self, member: &Place) -> Entry {
        let found = Entry::central(&self.records[member.record..]);
        found.map_or_else(Entry::default, |(entry, _)| entry)
    }
}

impl End {
    /// Looks for it in the last bytes; only a comment of up to 64 KiB stands behind it.
    fn find(file: &Opened) -> io::Result<Option<End>> {
        let size = file.size();
        let from = size.saturating_sub((END_LEN + 65_535) as u64);
        let tail = read(file, from..size)?;
        for at in memmem::rfind_iter(&tail, &END) {
            let Some(comment) = record::u16_at(&tail, at + 20) else { continue };
            if at + END_LEN + usize::from(comment) > tail.len() {
                continue;
            }
            if let Some(end) = End::read(file, &tail[at..], from + at as u64)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Reads the record at `at`, or what stands before it where sizes do not fit it.
    fn read(file: &Opened, bytes: &[u8], at: u64) -> io::Result<Option<End>> {
        let small =
            (record::u16_at(bytes, 10), record::u32_at(bytes, 12), record::u32_at(bytes, 16));
        let (Some(members), Some(len), Some(offset)) = small else { return Ok(None) };
        let (mut members, mut len, mut offset) =
            (u64::from(members), u64::from(len), u64::from(offset));
        let mut behind = at;
        if let Some((place, large)) = End::large(file, at)? {
            behind = place;
            let value = |at| record::u64_at(&large, at).unwrap_or(u64::MAX);
            (members, len, offset) = (value(32), value(40), value(48));
        }
        let Some(begin) = behind.checked_sub(len) else { return Ok(None) };
        let Some(before) = begin.checked_sub(offset) else { return Ok(None) };
        let comment = record::u16_at(bytes, 20).map_or(0, u64::from);
        Ok(Some(End { members, len, begin, before, end: at + END_LEN as u64 + comment }))
    }

    /// The ZIP64 record and its place, when a locator stands before the end record at `at`.
    fn large(file: &Opened, at: u64) -> io::Result<Option<(u64, Vec<u8>)>> {
        let Some(locator) = at.checked_sub(LOCATOR_64_LEN as u64) else { return Ok(None) };
        let bytes = read(file, locator..at)?;
        if !bytes.starts_with(&LOCATOR_64) {
            return Ok(None);
        }
        // Where the locator says, or directly before it when bytes stand before the archive.
        let said = record::u64_at(&bytes, 8).unwrap_or(u64::MAX);
        for place in [Some(said), locator.checked_sub(END_64_LEN as u64)].into_iter().flatten() {
            let end = place.saturating_add(END_64_LEN as u64);
            if end > locator {
                continue;
            }
            let record = read(file, place..end)?;
            if record.starts_with(&END_64) {
                return Ok(Some((place, record)));
            }
        }
        Ok(None)
    }
}

/// Whether the last bytes of a file are those of an archive with something before it,
/// such as a program that unpacks it.
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
