//! Members of a zip archive in memory (APPNOTE.TXT 6.3.10), within limits.

use crate::budget::Budget;
use crate::error::{Error, ErrorKind};
use crate::inflate::{Inflated, inflate};
use crate::xml::decode;
use doiscan_zip::{CENTRAL, DESCRIBED, DESCRIPTOR, End, Entry, LOCAL};
use flate2::{Crc, Decompress, FlushDecompress};
use memchr::memmem;
use std::cell::OnceCell;
use std::ops::Range;

/// Maximum number of members. Each takes 46 bytes and its name in the directory.
const MEMBERS: usize = 100_000;

/// A member may be in memory this many times: its XML, the text of that, and both again in other
/// forms.
const COPIES: u64 = 4;

/// A member of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Its header. If this says that the checksum follows the data, the member has no directory entry.
    entry: Entry,
}

/// An archive in memory.
pub(crate) struct Zip<'a> {
    data: &'a [u8],
    pub(crate) members: Vec<Member>,
    /// The damage that was found first.
    damage: OnceCell<Error>,
}

impl<'a> Zip<'a> {
    /// Reads the directory, or without one the headers of the members.
    pub(crate) fn new(data: &'a [u8]) -> Zip<'a> {
        // One that is damaged may place no member where it is.
        let directory =
            directory(data).filter(|(members, _)| members.iter().any(|m| is_named(data, m)));
        let is_whole = directory.as_ref().is_some_and(|(_, is_whole)| *is_whole);
        let members = directory.map_or_else(|| headers(data), |(members, _)| members);
        let zip = Zip { data, members, damage: OnceCell::new() };
        // A damaged name would hide its member.
        if !is_whole || !zip.members.iter().all(|member| is_named(data, member)) {
            zip.note_damage("its directory");
        }
        zip
    }

    /// Notes an error.
    pub(crate) fn note(&self, error: Error) {
        self.damage.get_or_init(|| error);
    }

    /// Notes that `what` is damaged.
    pub(crate) fn note_damage(&self, what: &str) {
        self.note(Error::new(ErrorKind::Damaged, format!("{what} is damaged")));
    }

    /// Notes that the member `name` is missing, if it is.
    pub(crate) fn expect(&self, name: &str) {
        if self.find(name).is_none() {
            self.note(Error::new(ErrorKind::Damaged, format!("{name} is missing")));
        }
    }

    /// Whether no damage was noted.
    pub(crate) fn is_whole(&self) -> bool {
        self.damage.get().is_none()
    }

    /// Ends the document: fails if damage was noted.
    pub(crate) fn end(self) -> Result<(), Error> {
        self.damage.into_inner().map_or(Ok(()), Err)
    }

    /// Returns the member with this name, in any case (ECMA-376, part 2, 6.2.2.3).
    pub(crate) fn find(&self, name: &str) -> Option<&Member> {
        let mut members = self.members.iter();
        members.find(|member| member.name.eq_ignore_ascii_case(name))
    }

    /// Returns the data of a member as XML, and whether its end is there. Damage is noted.
    pub(crate) fn read(
        &self,
        member: &Member,
        budget: &mut Budget,
    ) -> Result<(String, bool), Error> {
        let (data, is_whole) = self.read_bytes(member, budget)?;
        Ok((decode(data), is_whole))
    }

    /// Returns the data of a member, and whether its end is there. Damage is noted.
    pub(crate) fn read_bytes(
        &self,
        member: &Member,
        budget: &mut Budget,
    ) -> Result<(Vec<u8>, bool), Error> {
        if member.entry.is_encrypted() {
            return Err(Error::new(ErrorKind::Encrypted, "is encrypted with a password"));
        }
        let packed = self.packed(member).unwrap_or_default();
        let room = budget.room() / COPIES;
        let (data, is_whole) = match member.entry.method {
            0 if packed.len() as u64 > room => return Err(budget.refuse().at(&member.name)),
            0 => (
                packed.to_vec(),
                member.entry.is_unsized() || packed.len() as u64 == member.entry.stored,
            ),
            8 => match inflate(packed, false, room) {
                Inflated::Whole { data, .. } => (data, true),
                Inflated::Damaged(data) => (data, false),
                Inflated::Large => return Err(budget.refuse().at(&member.name)),
            },
            _ => (Vec::new(), false),
        };
        let is_right = || {
            let mut crc = Crc::new();
            crc.update(&data);
            member.entry.has_descriptor() || member.entry.crc == crc.sum()
        };
        if !is_whole || !is_right() {
            self.note_damage(&member.name);
        }
        budget.spend(data.len() as u64)?;
        Ok((data, is_whole))
    }

    /// Returns the first bytes of a member, as far as they are sound.
    pub(crate) fn head(&self, member: &Member) -> Vec<u8> {
        const HEAD: usize = 1024;
        let packed = self.packed(member).unwrap_or_default();
        if member.entry.method == 0 {
            return packed[..packed.len().min(HEAD)].to_vec();
        }
        let (mut inflate, mut head) = (Decompress::new(false), Vec::with_capacity(HEAD));
        // Other methods give no bytes, or any.
        let _ = inflate.decompress_vec(packed, &mut head, FlushDecompress::None);
        head
    }

    fn packed(&self, member: &Member) -> Option<&'a [u8]> {
        let header = header_of(self.data, member)?;
        let rest = &header[Entry::local(header)?.1..];
        Some(match &member.entry {
            // Deflate ends on its own.
            entry if entry.is_unsized() && entry.method == 0 => {
                &rest[..memmem::find(rest, &DESCRIPTOR)?]
            }
            entry if entry.is_unsized() => rest,
            entry => &rest[..rest.len().min(usize::try_from(entry.stored).unwrap_or(usize::MAX))],
        })
    }
}

impl Member {
    fn new(entry: Entry) -> Member {
        Member { name: String::from_utf8_lossy(&entry.name).into_owned(), entry }
    }
}

fn header_of<'a>(data: &'a [u8], member: &Member) -> Option<&'a [u8]> {
    data.get(usize::try_from(member.entry.local).ok()?..)
}

/// Whether the header of a member has the same name.
fn is_named(data: &[u8], member: &Member) -> bool {
    let header = header_of(data, member).and_then(Entry::local);
    header.is_some_and(|(entry, _)| entry.name == member.entry.name)
}

/// Reads the directory at the end. Returns whether it has the entries that its end counts, too.
fn directory(data: &[u8]) -> Option<(Vec<Member>, bool)> {
    let read = |range: Range<u64>| Ok(data[range.start as usize..range.end as usize].to_vec());
    let end = End::find(data.len() as u64, &read).ok()??;
    // Its end may tell the wrong length.
    let (begin, before) = match data.get(usize::try_from(end.begin - end.before).ok()?..) {
        Some(records) if records.starts_with(&CENTRAL) => (end.begin - end.before, 0),
        _ => (end.begin, end.before),
    };
    let entries = Entry::all(data.get(usize::try_from(begin).ok()?..)?).take(MEMBERS);
    let member = |mut entry: Entry| {
        entry.local = entry.local.saturating_add(before);
        entry.flags &= !DESCRIBED;
        Member::new(entry)
    };
    let members: Vec<Member> = entries.map(member).collect();
    let is_whole = members.len() as u64 >= end.members;
    Some((members, is_whole))
}

/// Finds the members of an archive whose directory is lost.
fn headers(data: &[u8]) -> Vec<Member> {
    let member = |at: usize| {
        let (mut entry, _) = Entry::local(&data[at..])?;
        entry.local = at as u64;
        Some(Member::new(entry))
    };
    memmem::find_iter(data, &LOCAL).take(MEMBERS).filter_map(member).collect()
}
