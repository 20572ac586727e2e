//! Reads the values of one page of strings sequentially.

use super::coded::{Differences, Runs};
use super::page::{Header, Kind};
use crate::problem::ProblemCode;
use std::ops::Range;

/// Encodings, by their numbers in the format.
const PLAIN: u32 = 0;
const PLAIN_DICTIONARY: u32 = 2;
const RLE: u32 = 3;
const BIT_PACKED: u32 = 4;
const DELTA_LENGTH_BYTE_ARRAY: u32 = 6;
const DELTA_BYTE_ARRAY: u32 = 7;
const RLE_DICTIONARY: u32 = 8;

impl Header {
    /// Memory in bytes that the uncompressed page takes.
    pub(super) fn held(&self) -> u64 {
        let size = u64::from(self.size);
        match (self.kind, self.encoding) {
            (Kind::Dictionary, _) => size + Dictionary::table(self.values),
            // A value that shares a prefix with the previous value is built in memory and can be as
            // long as the page.
            (_, DELTA_BYTE_ARRAY) => 2 * size,
            _ => size,
        }
    }
}

/// Why a page cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadPage {
    Damaged,
    /// Has an unknown encoding.
    Unknown,
}

impl BadPage {
    /// The code of the problem, and its message.
    pub(super) fn words(self) -> (ProblemCode, &'static str) {
        match self {
            BadPage::Damaged => (ProblemCode::Damaged, "is damaged"),
            BadPage::Unknown => (ProblemCode::Unsupported, "has an encoding that is not supported"),
        }
    }
}

/// The maximum definition and repetition levels of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Levels {
    pub(super) definition: u32,
    pub(super) repetition: u32,
}

/// A dictionary: strings that pages refer to by index.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    bytes: Vec<u8>,
    /// The offset of each string. A string ends `gap` bytes before the next, which starts after its
    /// 4-byte length, if it has one.
    starts: Vec<u32>,
    gap: usize,
}

impl Dictionary {
    /// Reads the strings in `bytes`, which have `width` bytes each, or their lengths before them.
    pub(super) fn new(
        header: &Header,
        bytes: Vec<u8>,
        width: Option<usize>,
    ) -> Result<Self, BadPage> {
        if !matches!(header.encoding, PLAIN | PLAIN_DICTIONARY) {
            return Err(BadPage::Unknown);
        }
        let values = header.values as usize;
        if values > bytes.len() / width.unwrap_or(LENGTH) {
            return Err(BadPage::Damaged);
        }
        let (mut starts, mut at) = (Vec::with_capacity(values + 1), 0);
        for _ in 0..values {
            starts.push(plain(&bytes, &mut at, width).ok_or(BadPage::Damaged)?.start as u32);
        }
        let gap = if width.is_some() { 0 } else { LENGTH };
        starts.push((at + gap) as u32);
        Ok(Dictionary { bytes, starts, gap })
    }

    /// Size in bytes of the offset table for this many values.
    pub(super) fn table(values: u32) -> u64 {
        (u64::from(values) + 1) * size_of::<u32>() as u64
    }

    /// Memory use in bytes.
    pub(super) fn held(&self) -> u64 {
        (self.bytes.len() + self.starts.len() * size_of::<u32>()) as u64
    }

    fn get(&self, index: u32) -> Option<Range<usize>> {
        let index = index as usize;
        let (start, next) = (self.starts.get(index)?, self.starts.get(index + 1)?);
        Some(*start as usize..*next as usize - self.gap)
    }
}

/// Number of bytes that hold the length of a string.
const LENGTH: usize = 4;

/// Reads a string of `width` bytes, or one preceded by its length.
fn plain(bytes: &[u8], at: &mut usize, width: Option<usize>) -> Option<Range<usize>> {
    let (start, len) = match width {
        Some(width) => (*at, width),
        None => {
            let len = bytes.get(*at..)?.first_chunk::<LENGTH>()?;
            (*at + LENGTH, u32::from_le_bytes(*len) as usize)
        }
    };
    let end = start.checked_add(len)?;
    *at = end;
    (end <= bytes.len()).then_some(start..end)
}

/// The remaining values of a page.
#[derive(Debug, Default)]
pub(super) struct Cells {
    bytes: Vec<u8>,
    left: u32,
    how: How,
    /// The unread rest of the current value.
    value: Value,
}

/// The buffer and the range that hold a value.
#[derive(Clone, Debug)]
enum Value {
    Page(Range<usize>),
    Dictionary(Range<usize>),
    /// Built from the previous value.
    Made(Range<usize>),
}

impl Default for Value {
    fn default() -> Self {
        Value::Page(0..0)
    }
}

#[derive(Debug)]
enum How {
    Plain {
        at: usize,
        width: Option<usize>,
    },
    Dictionary {
        runs: Runs,
    },
    Lengths {
        lengths: Differences,
        at: usize,
    },
    /// The lengths of the prefix shared with the previous value, and of the suffix that follows it.
    Prefixes {
        prefixes: Differences,
        lengths: Differences,
        at: usize,
        last: Vec<u8>,
    },
}

impl Default for How {
    fn default() -> Self {
        How::Plain { at: 0, width: None }
    }
}

impl Cells {
    /// Reads the values of the page `bytes`. The levels precede the values, except in version 2
    /// pages, where they have already been removed. `width` is the length of each value, if the
    /// type fixes it.
    pub(super) fn new(
        header: &Header,
        bytes: Vec<u8>,
        levels: Levels,
        width: Option<usize>,
    ) -> Result<Cells, BadPage> {
        let (left, at) = match header.kind {
            Kind::DataV2 => (header.values.checked_sub(header.nulls), 0),
            _ => first_version(header, &bytes, levels)?,
        };
        let left = left.ok_or(BadPage::Damaged)?;
        let how = how(header.encoding, &bytes, at, left, width)?.ok_or(BadPage::Damaged)?;
        Ok(Cells { bytes, left, how, value: Value::default() })
    }

    /// Moves to the next value. Returns `None` at the end.
    pub(super) fn next(&mut self, dictionary: &Dictionary) -> Option<Result<(), BadPage>> {
        self.left = self.left.checked_sub(1)?;
        let value = self.how.next(&self.bytes, dictionary);
        Some(value.map(|value| self.value = value).ok_or(BadPage::Damaged))
    }

    /// Returns and consumes up to `most` bytes of the current value.
    pub(super) fn take<'a>(&'a mut self, most: usize, dictionary: &'a Dictionary) -> &'a [u8] {
        let (bytes, range) = match (&mut self.value, &self.how) {
            (Value::Page(range), _) => (&self.bytes, range),
            (Value::Dictionary(range), _) => (&dictionary.bytes, range),
            (Value::Made(range), How::Prefixes { last, .. }) => (last, range),
            (Value::Made(_), _) => return &[],
        };
        let start = range.start;
        range.start = range.end.min(start.saturating_add(most));
        bytes.get(start..range.start).unwrap_or_default()
    }
}

/// Returns the number of values in a version 1 page and the offset of the first.
fn first_version(
    header: &Header,
    bytes: &[u8],
    levels: Levels,
) -> Result<(Option<u32>, usize), BadPage> {
    let mut at = 0;
    if levels.repetition > 0 {
        at = match header.repetition {
            RLE => runs_end(bytes, at).ok_or(BadPage::Damaged)?,
            BIT_PACKED => {
                let bits = u64::from(header.values) * u64::from(width(levels.repetition));
                bits.div_ceil(8) as usize
            }
            _ => return Err(BadPage::Unknown),
        };
    }
    if levels.definition == 0 {
        return Ok((Some(header.values), at));
    }
    if header.definition != RLE {
        return Err(BadPage::Unknown);
    }
    let end = runs_end(bytes, at).ok_or(BadPage::Damaged)?;
    let runs = Runs::new(at + 4, end, width(levels.definition));
    Ok((runs.and_then(|r| r.count(bytes, header.values, levels.definition)), end))
}

/// Number of bits needed to store a level.
fn width(level: u32) -> u32 {
    u32::BITS - level.leading_zeros()
}

/// Returns the end of the runs at `at`, which are preceded by their length.
fn runs_end(bytes: &[u8], at: usize) -> Option<usize> {
    let len = bytes.get(at..)?.first_chunk::<4>()?;
    let end = at + 4 + u32::from_le_bytes(*len) as usize;
    (end <= bytes.len()).then_some(end)
}

/// Returns how the `left` values at `at` are encoded. Returns `Ok(None)` if the encoding is known
/// but the bytes are damaged.
fn how(
    encoding: u32,
    bytes: &[u8],
    at: usize,
    left: u32,
    width: Option<usize>,
) -> Result<Option<How>, BadPage> {
    if left == 0 {
        return Ok(Some(How::Plain { at, width }));
    }
    Ok(match encoding {
        PLAIN => Some(How::Plain { at, width }),
        PLAIN_DICTIONARY | RLE_DICTIONARY => bytes.get(at).and_then(|&width| {
            let runs = Runs::new(at + 1, bytes.len(), u32::from(width))?;
            Some(How::Dictionary { runs })
        }),
        DELTA_LENGTH_BYTE_ARRAY => lengths(bytes, at, left),
        DELTA_BYTE_ARRAY => prefixes(bytes, at, left),
        _ => return Err(BadPage::Unknown),
    })
}

fn lengths(bytes: &[u8], at: usize, left: u32) -> Option<How> {
    let lengths = Differences::new(bytes, at, left)?;
    let at = lengths.clone().end(bytes)?;
    Some(How::Lengths { lengths, at })
}

fn prefixes(bytes: &[u8], at: usize, left: u32) -> Option<How> {
    let prefixes = Differences::new(bytes, at, left)?;
    let How::Lengths { lengths, at } = lengths(bytes, prefixes.clone().end(bytes)?, left)? else {
        return None;
    };
    Some(How::Prefixes { prefixes, lengths, at, last: Vec::new() })
}

impl How {
    fn next(&mut self, bytes: &[u8], dictionary: &Dictionary) -> Option<Value> {
        match self {
            How::Plain { at, width } => plain(bytes, at, *width).map(Value::Page),
            How::Dictionary { runs } => dictionary.get(runs.next(bytes)?).map(Value::Dictionary),
            How::Lengths { lengths, at } => sized(lengths, bytes, at).map(Value::Page),
            How::Prefixes { prefixes, lengths, at, last } => {
                let shared = usize::try_from(prefixes.next(bytes)?).ok()?;
                let rest = sized(lengths, bytes, at)?;
                if shared > last.len() {
                    return None;
                }
                last.truncate(shared);
                last.extend_from_slice(bytes.get(rest)?);
                Some(Value::Made(0..last.len()))
            }
        }
    }
}

/// Returns the next string at `at`. The lengths are stored separately.
fn sized(lengths: &mut Differences, bytes: &[u8], at: &mut usize) -> Option<Range<usize>> {
    let len = usize::try_from(lengths.next(bytes)?).ok()?;
    let start = *at;
    *at = start.checked_add(len).filter(|end| *end <= bytes.len())?;
    Some(start..*at)
}
