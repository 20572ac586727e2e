//! Columns of strings in Parquet files, each value on a line of its own.
//!
//! Of the rows nothing is needed but that a value ends: levels are read to tell how many
//! values there are, and lists are their elements. A page is held at a time, and of a
//! column its dictionary.

mod cells;
mod coded;
mod footer;
mod page;
mod thrift;

use super::bytes::is_again;
use super::file::Opened;
use super::limit::Meter;
use crate::format::{ColumnError, Naming};
use crate::quality::Problem;
use cells::{Cells, DAMAGED, Dictionary};
use footer::{Chunk, Leaf};
use page::{Codec, Header, Kind};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The first and the last bytes of a file.
const MAGIC: &[u8; 4] = b"PAR1";

/// Bytes of a footer, at most. Those of real files have some 100 bytes for a column of a
/// row group.
const LONGEST_FOOTER: u64 = 64 * 1024 * 1024;

/// Bytes in which the header of a page is looked for, one after the other: it holds the
/// least and the greatest value.
const HEADERS: [usize; 3] = [1024, 64 * 1024, 4 * 1024 * 1024];

/// Text that is made at a time.
const TEXT: usize = 64 * 1024;

/// Whether an input that begins with `head` is such a file.
pub fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// A Parquet file: row groups, in each of them the chosen columns.
#[derive(Debug)]
pub struct Parquet {
    file: Arc<Opened>,
    meter: Meter,
    leaves: Vec<Leaf>,
    chosen: Vec<usize>,
    groups: Vec<Vec<Chunk>>,
}

impl Parquet {
    /// The columns `wanted` of `file`, by name or number; when there are none, those of
    /// strings whose names contain `doi`, and if no name does all of strings. What is read
    /// and unpacked is added to `meter`.
    ///
    /// # Errors
    ///
    /// When its footer cannot be read, or it has not the columns.
    pub fn open(file: Arc<Opened>, wanted: &[String], meter: Meter) -> Result<Parquet, Problem> {
        let fail = |message: String| Problem::new(file.path(), message);
        let footer = read_footer(&file).map_err(|message| fail(message.to_string()))?;
        let (leaves, groups) = footer::read(&footer, file.size()).map_err(fail)?;
        let chosen = choose(&leaves, wanted, file.path())?;
        Ok(Parquet { file, meter, leaves, chosen, groups })
    }

    /// The file.
    pub fn file(&self) -> &Opened {
        &self.file
    }

    /// What was read and unpacked.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// How many row groups there are.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many columns are read.
    pub fn columns(&self) -> usize {
        self.chosen.len()
    }

    /// Bytes of the file that are not read.
    pub fn unread(&self) -> u64 {
        let chunks = self.groups.iter().flat_map(|g| self.chosen.iter().filter_map(|&c| g.get(c)));
        let read = chunks.flatten().map(|(bytes, _)| bytes.end - bytes.start);
        self.file.size().saturating_sub(read.fold(0, u64::saturating_add))
    }

    /// The values of the column `column`, of those that are read, in the row group `group`:
    /// each behind a line feed.
    pub fn values(&self, group: usize, column: usize) -> Values<'_> {
        let place = self.chosen.get(column).and_then(|&c| Some((c, self.groups.get(group)?)));
        let chunk = place.and_then(|(c, chunks)| chunks.get(c));
        let missing = || Err("is missing".to_owned());
        let (chunk, fault) = match chunk.cloned().unwrap_or_else(missing) {
            Ok((bytes, codec)) => (Some((bytes, codec)), None),
            Err(fault) => (None, Some(fault)),
        };
        let (bytes, codec) = chunk.unwrap_or((0..0, Codec::Plain));
        Values {
            parquet: self,
            group,
            leaf: self.chosen.get(column).and_then(|&c| self.leaves.get(c)),
            bytes,
            codec,
            fault,
            dictionary: Dictionary::default(),
            cells: Cells::default(),
            text: Vec::new(),
            at: 0,
        }
    }
}

/// The footer's bytes: they stand before their length and four more.
fn read_footer(file: &Opened) -> io::Result<Vec<u8>> {
    let damaged = |words: &str| io::Error::new(io::ErrorKind::InvalidData, words);
    let mut end = [0; 8];
    let at = file.size().checked_sub(8).ok_or_else(|| damaged("ends before its footer"))?;
    let got = file.read_at(&mut end, at)?;
    let [a, b, c, d, magic @ ..] = end;
    if got < end.len() || &magic != MAGIC {
        return Err(damaged("its end is missing: expected a footer and PAR1"));
    }
    let len = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = at.checked_sub(len).filter(|_| len <= LONGEST_FOOTER);
    let start = start.ok_or_else(|| damaged("its footer is longer than 64 MiB or the file"))?;
    let mut footer = vec![0; len as usize];
    match file.read_at(&mut footer, start)? == footer.len() {
        true => Ok(footer),
        false => Err(damaged("ends before its footer")),
    }
}

/// The columns that are read, as indexes of leaves, in order.
fn choose(leaves: &[Leaf], wanted: &[String], path: &Path) -> Result<Vec<usize>, Problem> {
    let texts = || (0..leaves.len()).filter(|&i| leaves[i].is_text);
    if wanted.is_empty() {
        let is_doi = |&i: &usize| leaves[i].path.to_ascii_lowercase().contains("doi");
        let dois: Vec<usize> = texts().filter(is_doi).collect();
        let chosen = if dois.is_empty() { texts().collect() } else { dois };
        let none = || Problem::new(path, "a Parquet file without a column of strings");
        return if chosen.is_empty() { Err(none()) } else { Ok(chosen) };
    }
    let names = Naming(leaves.iter().map(|leaf| leaf.name.clone()).collect());
    let paths = Naming(leaves.iter().map(|leaf| leaf.path.clone()).collect());
    let misfit = |error: ColumnError| Problem::misfit(path, error.to_string());
    let mut chosen = Vec::new();
    for name in wanted {
        let found = names.find(name).or_else(|error| paths.find(name).map_err(|_| error));
        let found = found.map_err(misfit)?;
        if let Some(&other) = found.iter().find(|&&i| !leaves[i].is_text) {
            let message = format!("column {} holds no strings", names.0[other]);
            return Err(Problem::misfit(path, message));
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// Reads the values of one column in one row group, each behind a line feed.
#[derive(Debug)]
pub struct Values<'a> {
    parquet: &'a Parquet,
    group: usize,
    leaf: Option<&'a Leaf>,
    /// The pages that are still to be read.
    bytes: Range<u64>,
    codec: Codec,
    fault: Option<String>,
    dictionary: Dictionary,
    cells: Cells,
    text: Vec<u8>,
    at: usize,
}

impl Values<'_> {
    /// Makes more text. False at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.at = 0;
        while self.text.len() < TEXT {
            match self.cells.next(&self.dictionary) {
                Some(Ok(value)) => {
                    self.text.push(b'\n');
                    self.text.extend_from_slice(value);
                }
                Some(Err(message)) => {
                    self.fault = Some(format!("a page before byte {} {message}", self.bytes.start));
                    break;
                }
                None if !self.text.is_empty() => break,
                None if self.bytes.is_empty() || self.fault.is_some() => break,
                None => self.page()?,
            }
        }
        self.parquet.meter.add_unpacked(self.text.len() as u64)?;
        Ok(!self.text.is_empty())
    }

    /// Goes to the next page.
    fn page(&mut self) -> io::Result<()> {
        let at = self.bytes.start;
        let result = self.open_page();
        // Behind a fault nothing is known to be a page.
        result.map_err(|error| {
            self.bytes.start = self.bytes.end;
            if is_again(&error) {
                return error;
            }
            io::Error::new(error.kind(), self.words(&format!("the page at byte {at} {error}")))
        })
    }

    fn open_page(&mut self) -> io::Result<()> {
        let damaged = |words: &str| io::Error::new(io::ErrorKind::InvalidData, words.to_owned());
        let (header, len) = self.header()?;
        let limit = self.parquet.meter.limits().window;
        if u64::from(header.size.max(header.packed)) > limit {
            let message = format!("unpacks to more than {limit} bytes (--max-window)");
            return Err(damaged(&message));
        }
        let (start, packed) = (self.bytes.start + len as u64, u64::from(header.packed));
        if packed > self.bytes.end.saturating_sub(start) {
            return Err(damaged("is longer than its column"));
        }
        self.bytes.start = start + packed;
        // A value that is null or empty takes time as well.
        self.parquet.meter.add_read(len as u64 + packed);
        self.parquet.meter.add_unpacked(u64::from(header.values))?;
        if header.kind == Kind::Other {
            return Ok(());
        }
        let bytes = self.piece(start, header.packed as usize)?;
        let bytes = self.unpack(&header, bytes).ok_or_else(|| damaged(DAMAGED))?;
        let levels = self.leaf.map(|leaf| leaf.levels).ok_or_else(|| damaged(DAMAGED))?;
        match header.kind {
            Kind::Dictionary => {
                self.dictionary = Dictionary::new(&header, bytes).map_err(damaged)?;
            }
            _ => self.cells = Cells::new(&header, bytes, levels).map_err(damaged)?,
        }
        Ok(())
    }

    fn unpack(&self, header: &Header, bytes: Vec<u8>) -> Option<Vec<u8>> {
        if self.codec == Codec::Plain || (header.kind == Kind::DataV2 && !header.is_packed) {
            return (bytes.len() == header.size as usize).then_some(bytes);
        }
        let levels = header.levels();
        let (plain, packed) = bytes.split_at_checked(levels)?;
        let size = (header.size as usize).checked_sub(levels)?;
        if levels == 0 {
            return self.codec.unpack(packed, size);
        }
        // A page of nulls has nothing that is packed.
        let rest = if size == 0 { Vec::new() } else { self.codec.unpack(packed, size)? };
        Some([plain, &rest].concat())
    }

    /// The header at the next byte, and its length.
    fn header(&self) -> io::Result<(Header, usize)> {
        let left = self.bytes.end - self.bytes.start;
        for len in HEADERS {
            let len = len.min(usize::try_from(left).unwrap_or(len));
            let bytes = self.piece(self.bytes.start, len)?;
            if let Some(found) = Header::read(&bytes) {
                return Ok(found);
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "has a damaged header"))
    }

    fn piece(&self, at: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        match self.parquet.file.read_at(&mut bytes, at)? == len {
            true => Ok(bytes),
            false => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "is cut short")),
        }
    }

    /// A message with its place.
    fn words(&self, message: &str) -> String {
        let name = self.leaf.map_or("", |leaf| leaf.name.as_str());
        format!("row group {}, column {name}: {message}", self.group + 1)
    }
}

impl Read for Values<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if let Some(message) = self.fault.take() {
                self.bytes.start = self.bytes.end;
                self.cells = Cells::default();
                return Err(io::Error::new(io::ErrorKind::InvalidData, self.words(&message)));
            }
            if !self.fill()? && self.fault.is_none() {
                return Ok(0);
            }
        }
        let some = (self.text.len() - self.at).min(out.len());
        out[..some].copy_from_slice(&self.text[self.at..self.at + some]);
        self.at += some;
        Ok(some)
    }
}
