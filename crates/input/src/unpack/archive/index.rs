//! An archive in a file, divided into parts that can be read in parallel.

use super::layers::{Layers, Visit, report};
use super::name::InputName;
use super::tar::{Ended, Headers, Step};
use super::tar_header::{self as header, Item, padded};
use super::zip_directory::Directory;
use super::{Packing, open, tar, zip};
use crate::HEAD;
use crate::limit::Meter;
use crate::problem::{Problem, ProblemCode};
use crate::source::{Opened, Section};
use crate::unpack::bytes::{self, Bytes, Input};
use crate::unpack::codec::take;
use doiscan_os::ledger::Reservation;
use doiscan_zip::{Entry, LONGEST};
use std::cmp::Reverse;
use std::io::{self, BufRead};
use std::ops::Range;
use std::sync::Arc;

/// A tar or zip archive in a file.
#[derive(Debug)]
pub struct Archive {
    file: Arc<Opened>,
    name: InputName,
    meter: Meter,
    parts: Vec<ArchivePart>,
    directory: Option<Directory>,
    /// The memory of the directory.
    _held: Reservation,
}

/// Consecutive members: one large member, or several small ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivePart {
    /// The byte range in the file, including headers.
    bytes: Range<u64>,
    /// The indexes of the members in the directory of a zip archive, which may list none of them.
    members: Range<usize>,
}

impl ArchivePart {
    /// Size in bytes in the file.
    pub fn size(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }
}

impl Archive {
    /// Finds the members of an archive. Combines adjacent members of fewer than `least` bytes until
    /// a part has that size. Large parts come first, and parts of about the same size are in file
    /// order. Returns `None` if the file is not an archive or must be read sequentially.
    pub fn index(
        file: &Arc<Opened>,
        packing: Packing,
        meter: &Meter,
        least: u64,
        visit: &mut dyn Visit,
    ) -> Option<Archive> {
        let name = InputName::new(file.path());
        let (mut parts, directory) = match packing {
            Packing::Tar => (tar_parts(file, &name, least, visit), None),
            Packing::Zip => {
                let directory = Directory::read(file).ok().flatten()?;
                (zip_parts(&directory, 0..u64::MAX, least), Some(directory))
            }
            Packing::Plain | Packing::Codec(_) | Packing::Warc => return None,
        };
        if let Some(lost @ 1..) = directory.as_ref().map(|d| d.overlapping) {
            let message = format!("{lost} members overlap with others and are not read");
            visit.problem(Problem::new(name.path(), ProblemCode::Unsupported, message));
        }
        let largest = |part: &ArchivePart| Reverse(part.size().max(1).ilog2());
        parts.sort_by_key(|part| (largest(part), part.bytes.start));
        Some(Archive::new(file, meter, parts, directory))
    }

    /// Returns the start of each member of a zip archive, or `None` if the archive must be read as a
    /// whole. If `is_unique`, that includes archives in which two members have the same name.
    #[doc(hidden)]
    pub fn member_starts(file: &Opened, is_unique: bool) -> Option<Vec<u64>> {
        let directory = Directory::read(file).ok().flatten()?;
        let is_cut = directory.overlapping == 0 && (!is_unique || directory.has_unique_names());
        is_cut.then(|| (0..directory.len()).map(|index| directory.place(index).start).collect())
    }

    /// Returns the members that start in `bytes`, which must start and end at a place where the
    /// archive can be cut. Does not look at other members, and returns `None` if the file is not
    /// an archive.
    pub fn part(
        file: &Arc<Opened>,
        packing: Packing,
        meter: &Meter,
        bytes: Range<u64>,
        least: u64,
    ) -> Option<Archive> {
        let (parts, directory) = match packing {
            Packing::Tar => (vec![ArchivePart { bytes, members: 0..0 }], None),
            Packing::Zip => {
                let directory = Directory::read(file).ok().flatten()?;
                (zip_parts(&directory, bytes, least), Some(directory))
            }
            Packing::Plain | Packing::Codec(_) | Packing::Warc => return None,
        };
        Some(Archive::new(file, meter, parts, directory))
    }

    fn new(
        file: &Arc<Opened>,
        meter: &Meter,
        parts: Vec<ArchivePart>,
        directory: Option<Directory>,
    ) -> Archive {
        let name = InputName::new(file.path());
        let mut held = meter.reserve();
        held.set(directory.as_ref().map_or(0, Directory::memory));
        let (file, meter) = (Arc::clone(file), meter.clone());
        Archive { file, name, meter, parts, directory, _held: held }
    }

    /// The file.
    pub fn file(&self) -> &Arc<Opened> {
        &self.file
    }

    /// The meter of the bytes read.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The parts in file order.
    pub fn ordered_parts(&self) -> Vec<&ArchivePart> {
        let mut parts: Vec<&ArchivePart> = self.parts.iter().collect();
        parts.sort_by_key(|part| part.bytes.start);
        parts
    }

    /// The parts, large ones first.
    pub fn parts(&self) -> &[ArchivePart] {
        &self.parts
    }

    /// Returns the name and the byte range of the member if `part` is a single member of a tar
    /// archive.
    pub fn single(&self, part: &ArchivePart) -> Option<(InputName, Range<u64>)> {
        if self.directory.is_some() {
            return None;
        }
        let mut source = Input::new(self.section(part.bytes.clone()));
        let Ok(Item::File(member)) = header::next(&mut source) else { return None };
        let begin = part.bytes.start + source.offset();
        let end = begin + member.size;
        let is_single = begin + padded(member.size) >= part.bytes.end && end <= part.bytes.end;
        (is_single && !member.sparse).then(|| (self.name.member(&member.name), begin..end))
    }

    /// Passes all members of a part to `visit`.
    pub fn read(&self, part: &ArchivePart, visit: &mut dyn Visit) {
        let layers = Layers::new(self.meter.clone(), open).deeper();
        match &self.directory {
            None => {
                let mut source = Input::at(self.section(part.bytes.clone()), part.bytes.start);
                tar::walk(Ended::Elsewhere, &mut source, &self.name, &layers, visit);
            }
            // Bytes around the archive, whose format is detected from the first bytes.
            Some(_) if part.members.is_empty() => {
                let mut source = Input::new(self.section(part.bytes.clone()));
                layers.member(part.bytes.start).open(&mut source, &self.name.around(), visit);
            }
            Some(directory) => {
                let mut source = Input::new(self.section(part.bytes.clone()));
                for index in part.members.clone() {
                    let at = directory.place(index).start - part.bytes.start;
                    let entry = directory.entry(index);
                    match self.zip_member(&mut source, at, &entry, &layers, visit) {
                        Ok(true) => {
                            let begin = part.bytes.start + source.offset();
                            let gap = begin..directory.next(index);
                            self.zip_gap(&mut source, gap, &entry, &layers, visit);
                        }
                        Ok(false) => {}
                        Err(()) => return,
                    }
                }
            }
        }
    }

    /// Reads the bytes in `gap`, between a member and the next, that belong to neither. An example
    /// is a member that the directory does not list.
    fn zip_gap(
        &self,
        source: &mut Input<Section>,
        gap: Range<u64>,
        entry: &Entry,
        layers: &Layers,
        visit: &mut dyn Visit,
    ) {
        // If the source fails, the next member reports the error.
        let Ok(bytes) = source.peek(zip::LONGEST_DESCRIPTOR) else { return };
        let begin = gap.start + zip::descriptor_len(bytes, entry) as u64;
        if begin >= gap.end {
            return;
        }
        let mut source = Input::new(self.section(begin..gap.end));
        let is_padding = gap.end - begin <= HEAD as u64
            && source.peek(HEAD).is_ok_and(|bytes| bytes.iter().all(|&b| b == 0));
        if !is_padding {
            layers.member(begin).open(&mut source, &self.name.around(), visit);
        }
    }

    /// Reads the member at `at`. Returns false if it has no header, and an error if the file cannot
    /// be read any further.
    fn zip_member(
        &self,
        source: &mut Input<Section>,
        at: u64,
        entry: &Entry,
        layers: &Layers,
        visit: &mut dyn Visit,
    ) -> Result<bool, ()> {
        let name = self.name.member(&entry.name);
        let local = match local_header(source, at) {
            Ok(Some(local)) => local,
            Ok(None) => {
                let message =
                    format!("has no header at byte {}, where the directory places it", entry.local);
                visit.problem(Problem::new(name.path(), ProblemCode::Unreadable, message));
                return Ok(false);
            }
            Err(error) => {
                report(&error, &name, visit);
                return Err(());
            }
        };
        let entry = Entry { flags: entry.flags | local.flags, ..entry.clone() };
        let mut bytes = bytes::Member::new(source, entry.stored);
        let expected = Some((entry.crc, entry.size));
        let layers = layers.member(entry.local);
        zip::content(&mut bytes, &entry, expected, &name, &layers, visit);
        bytes.skip().map(|()| true).map_err(|error| report(&error, &name, visit))
    }

    fn section(&self, bytes: Range<u64>) -> Section {
        Section::new(Arc::clone(&self.file), bytes, self.meter.clone())
    }
}

/// Moves to the local header at `at` and consumes it.
fn local_header(source: &mut Input<Section>, at: u64) -> io::Result<Option<Entry>> {
    let gap = at.saturating_sub(source.offset());
    take(source, gap)?;
    let is_there = source.offset() == at;
    let found = Entry::local(source.peek(LONGEST)?).filter(|_| is_there);
    let Some((entry, len)) = found else { return Ok(None) };
    take(source, len as u64)?;
    Ok(Some(entry))
}

/// Returns the parts that start in `bytes`.
fn zip_parts(directory: &Directory, bytes: Range<u64>, least: u64) -> Vec<ArchivePart> {
    let mut parts: Vec<ArchivePart> = Vec::new();
    for index in directory.members_in(&bytes) {
        let place = directory.place(index);
        match parts.last_mut() {
            Some(last) if last.size() < least && place.end - place.start < least => {
                (last.bytes.end, last.members.end) = (place.end, index + 1);
            }
            _ => parts.push(ArchivePart { bytes: place, members: index..index + 1 }),
        }
    }
    // A local header may be longer than the directory states, so a part extends to the next member.
    let ends: Vec<u64> = parts.iter().skip(1).map(|p| p.bytes.start).collect();
    for (part, end) in parts.iter_mut().zip(ends) {
        part.bytes.end = end.max(part.bytes.end);
    }
    if let Some(last) = parts.last_mut() {
        last.bytes.end = last.bytes.end.saturating_add(LONGEST as u64);
    }
    let others = directory.others.iter().filter(|other| bytes.contains(&other.start)).cloned();
    parts.extend(others.map(|bytes| ArchivePart { bytes, members: 0..0 }));
    parts
}

/// Reads only the headers, and divides the archive at member boundaries.
fn tar_parts(
    file: &Arc<Opened>,
    name: &InputName,
    least: u64,
    visit: &mut dyn Visit,
) -> Vec<ArchivePart> {
    let mut cut = Cut { parts: Vec::new(), open: false, headers: Headers::new(Ended::No) };
    if let Err(error) = cut.members(file, name, least, visit) {
        report(&error, name, visit);
    }
    cut.parts
}

struct Cut {
    parts: Vec<ArchivePart>,
    /// Whether the last part can grow.
    open: bool,
    headers: Headers,
}

impl Cut {
    fn members(
        &mut self,
        file: &Arc<Opened>,
        name: &InputName,
        least: u64,
        visit: &mut dyn Visit,
    ) -> io::Result<()> {
        // These bytes are counted when the members are read, not here.
        let from =
            |at| Section::new(Arc::clone(file), at..file.size(), Meter::new(Default::default()));
        let (mut base, mut source) = (0, Input::new(from(0)));
        loop {
            let at = base + source.offset();
            let mut end = None;
            match self.headers.step(&mut source, base, name, visit)? {
                Step::End => return Ok(()),
                Step::Other => {}
                Step::Damaged => {
                    self.open = false;
                    continue;
                }
                Step::Member(member) => {
                    let data = base + source.offset();
                    let next = data.saturating_add(padded(member.size));
                    if next > file.size() {
                        // A truncated member is reported when it is read.
                        self.headers.ended = Ended::Elsewhere;
                        if data.saturating_add(member.size) <= file.size() {
                            visit.problem(Problem::new(
                                name.path(),
                                ProblemCode::Unreadable,
                                tar::IN_PADDING,
                            ));
                        }
                    }
                    let next = next.min(file.size());
                    self.add(at..next, least);
                    end = Some(next);
                }
            }
            // Buffered bytes need not be read again.
            if let Some(end) = end {
                let skip = end - base - source.offset();
                if skip <= source.buffered_len() as u64 {
                    source.consume(skip as usize);
                } else {
                    (base, source) = (end, Input::new(from(end)));
                }
            }
        }
    }

    fn add(&mut self, bytes: Range<u64>, least: u64) {
        let is_large = bytes.end - bytes.start >= least;
        match self.parts.last_mut() {
            Some(last) if self.open && !is_large && last.size() < least => {
                last.bytes.end = bytes.end
            }
            _ => self.parts.push(ArchivePart { bytes, members: 0..0 }),
        }
        self.open = !is_large;
    }
}
