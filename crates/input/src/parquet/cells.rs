//! Decodes the values of pages with the column readers of the crate `parquet`.
//!
//! These reserve memory for as many lengths and strings as a page states, keep every value of a record,
//! and panic at some damage. Here the counts are checked first, the repetition levels are removed, so that
//! each value is a record, records are read in batches, and panics are caught.

use super::footer::Leaf;
use super::page::{Header, Kind};
use super::thrift::Thrift;
use crate::problem::{ProblemCode, fault};
use bytes::Bytes;
use doiscan_os::allocator::catch;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::Result;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::vec::IntoIter;

/// Number of values decoded at a time.
const BATCH: usize = 1024;

/// Memory in bytes of a batch of values that share prefixes. Each is built in memory, and can be as
/// long as the page.
const SHARED: u64 = 1024 * 1024;

/// Encodings of levels, by their numbers in the format.
const RLE: u32 = 3;
const BIT_PACKED: u32 = 4;

impl Header {
    /// Memory in bytes that the uncompressed page takes.
    pub(super) fn held(&self) -> u64 {
        let (size, values) = (u64::from(self.size), u64::from(self.values));
        size + match (self.kind, self.encoding) {
            (Kind::Dictionary, _) => values * size_of::<ByteArray>() as u64,
            (_, Some(Encoding::DELTA_BYTE_ARRAY)) => 2 * LENGTH * values + size.max(SHARED),
            (_, Some(Encoding::DELTA_LENGTH_BYTE_ARRAY)) => LENGTH * values,
            _ => 0,
        }
    }

    /// Returns the page with the uncompressed `bytes`, without its repetition levels.
    pub(super) fn page(&self, bytes: Vec<u8>, leaf: &Leaf) -> io::Result<Page> {
        let buf = Bytes::from(bytes);
        let encoding = self.encoding.ok_or_else(unknown)?;
        let num_values = self.values;
        if self.kind == Kind::Dictionary {
            return Ok(Page::DictionaryPage { buf, num_values, encoding, is_sorted: false });
        }
        let is_v2 = self.kind == Kind::DataV2;
        let (repetition, values) =
            if is_v2 { (0, self.levels()) } else { self.level_ends(&buf, leaf)? };
        let encoding = match encoding {
            // A page of nulls may have no bytes for its values.
            _ if values == buf.len() => Encoding::PLAIN,
            Encoding::PLAIN | Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY => encoding,
            Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY => {
                let is_shared = encoding == Encoding::DELTA_BYTE_ARRAY;
                check_lengths(&buf, values, num_values, is_shared).ok_or_else(damaged)?;
                encoding
            }
            _ => return Err(unknown()),
        };
        Ok(if is_v2 {
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls: self.nulls,
                num_rows: num_values,
                def_levels_byte_len: self.definition_len,
                rep_levels_byte_len: self.repetition_len,
                is_compressed: false,
                statistics: None,
            }
        } else {
            Page::DataPage {
                buf: buf.slice(repetition..),
                num_values,
                encoding,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            }
        })
    }

    /// Returns the ends of the repetition levels and of the definition levels of a version 1 page.
    fn level_ends(&self, bytes: &[u8], leaf: &Leaf) -> io::Result<(usize, usize)> {
        let runs_end = |at: usize| {
            let len = bytes.get(at..)?.first_chunk::<4>()?;
            Some(at + 4 + u32::from_le_bytes(*len) as usize).filter(|end| *end <= bytes.len())
        };
        let repetition = match self.repetition {
            _ if leaf.repetition == 0 => Some(0),
            RLE => runs_end(0),
            BIT_PACKED => {
                let width = u64::from(u32::BITS - leaf.repetition.leading_zeros());
                let end = (u64::from(self.values) * width).div_ceil(8) as usize;
                Some(end).filter(|end| *end <= bytes.len())
            }
            _ => return Err(unknown()),
        };
        let repetition = repetition.ok_or_else(damaged)?;
        match self.definition {
            _ if leaf.column.max_def_level() == 0 => Ok((repetition, repetition)),
            RLE => Ok((repetition, runs_end(repetition).ok_or_else(damaged)?)),
            _ => Err(unknown()),
        }
    }
}

/// Size in bytes of a decoded length.
const LENGTH: u64 = 4;

/// Checks that the lengths at `at` are at most `most`, and that there are as many of suffixes as of
/// shared prefixes.
fn check_lengths(bytes: &[u8], at: usize, most: u32, is_shared: bool) -> Option<()> {
    let mut thrift = Thrift::new(bytes.get(at..)?);
    let first = differences(&mut thrift)?;
    let second = if is_shared { differences(&mut thrift)? } else { first };
    (first == second && first <= u64::from(most)).then_some(())
}

/// Skips bit-packed differences, as defined in `Encodings.md` of the format. Returns their number.
fn differences(thrift: &mut Thrift<'_>) -> Option<u64> {
    let (block, minis, values) = (thrift.varint()?, thrift.varint()?, thrift.varint()?);
    thrift.zigzag()?;
    // Number of values in a miniblock.
    let each = block.checked_div(minis).filter(|each| *each > 0 && block < 1 << 31)?;
    let mut left = values.saturating_sub(1);
    while left > 0 {
        thrift.zigzag()?;
        for width in thrift.bytes(minis)? {
            let len = if left > 0 { u64::from(*width) * each / 8 } else { 0 };
            thrift.bytes(len)?;
            left = left.saturating_sub(each);
        }
    }
    Some(values)
}

pub(super) fn damaged() -> io::Error {
    fault(ProblemCode::Damaged, "is damaged")
}

fn unknown() -> io::Error {
    fault(ProblemCode::Unsupported, "has an encoding that is not supported")
}

/// Gives pages to a column reader, which asks for the next when it has read one.
struct Pages(Receiver<Page>);

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.0.try_recv().ok().map(Ok)
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.next().transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The values of the pages of a column.
pub(super) struct Cells {
    reader: ColumnReader,
    pages: Sender<Page>,
    values: IntoIter<ByteArray>,
    batch: usize,
    is_damaged: bool,
}

impl Cells {
    /// Creates cells of which no page was added.
    pub(super) fn new(leaf: &Leaf) -> Cells {
        let (pages, receiver) = channel();
        let reader = get_column_reader(Arc::clone(&leaf.column), Box::new(Pages(receiver)));
        Cells { reader, pages, values: Vec::new().into_iter(), batch: BATCH, is_damaged: false }
    }

    /// Adds the next page, once the values of the last were read.
    pub(super) fn add(&mut self, page: Page) {
        self.batch = match page.encoding() {
            Encoding::DELTA_BYTE_ARRAY => (SHARED as usize / page.buffer().len()).clamp(1, BATCH),
            _ => BATCH,
        };
        // The receiver is in the reader.
        let _ = self.pages.send(page);
    }

    /// Returns the next value, or `None` at the end of the pages.
    pub(super) fn next(&mut self) -> io::Result<Option<ByteArray>> {
        loop {
            match self.values.next() {
                Some(value) => return Ok(Some(value)),
                None if self.is_damaged => return Err(damaged()),
                None if !self.read() => return Ok(None),
                None => {}
            }
        }
    }

    /// Reads the next values. Returns false at the end of the pages.
    fn read(&mut self) -> bool {
        let (values, read) = match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => values(reader, self.batch),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => values(reader, self.batch),
            _ => return false,
        };
        self.values = values.into_iter();
        self.is_damaged = read.is_none();
        read != Some(0)
    }
}

/// Reads at most `most` values, and returns them with the number of those and of nulls, or with `None`
/// if a value after them is damaged.
fn values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    most: usize,
) -> (Vec<ByteArray>, Option<usize>)
where
    ByteArray: From<T::T>,
{
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let read = || reader.read_records(most, Some(&mut levels), None, &mut values).ok();
    let read = catch(read).flatten();
    let is_read = |value: &ByteArray| *value != ByteArray::new();
    let values = values.into_iter().map(ByteArray::from).take_while(is_read).collect();
    (values, read.map(|(records, ..)| records))
}
