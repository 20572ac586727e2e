//! The footer of a file: its columns, and where their pages are.
//!
//! `parquet` reads the schema, after its counts and depths were looked at: it takes the
//! children of a node at their word, and reads nodes within one another by recursion. Row
//! groups are read here, and of them the columns that are chosen are kept: a footer of
//! 63 MB, all of it columns, took 1.27 GB there and takes 161 MB here.

use super::cells::Levels;
use super::page::{Codec, Unread};
use super::thrift::{Field, STRUCT, Thrift};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Nodes of a schema, and nodes within one another, at most.
const NODES: usize = 128 * 1024;
const DEPTH: usize = 100;

/// A column that is a leaf of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Its path, with full stops.
    pub(super) path: String,
    /// The path without the groups that make a list of something.
    pub(super) name: String,
    pub(super) levels: Levels,
    /// Whether it holds text, or bytes that may be text.
    pub(super) is_text: bool,
}

/// Where the pages of one column are in one row group, or why they are not read.
pub(super) type Chunk = Result<(Range<u64>, Codec), Unread>;

/// A footer.
#[derive(Debug)]
pub(super) struct Footer {
    bytes: Vec<u8>,
    /// Where the list of row groups is in them.
    groups: Range<usize>,
    pub(super) leaves: Vec<Leaf>,
}

impl Footer {
    /// The columns of the footer `bytes`.
    pub(super) fn new(bytes: Vec<u8>) -> Result<Footer, String> {
        let groups = check(&bytes).ok_or("its footer is damaged")?;
        // A list of no structures in their place.
        let rest = [&bytes[..groups.start], &[STRUCT], &bytes[groups.end..]].concat();
        let data = ParquetMetaDataReader::decode_metadata(&rest)
            .map_err(|error| format!("its footer cannot be read: {error}"))?;
        let columns = data.file_metadata().schema_descr().columns();
        let leaves = columns.iter().map(|column| leaf(column)).collect();
        Ok(Footer { bytes, groups, leaves })
    }

    /// Of each row group of a file of `size` bytes the columns `chosen`, which are sorted.
    pub(super) fn groups(&self, chosen: &[usize], size: u64) -> Option<Vec<Vec<Chunk>>> {
        let mut thrift = Thrift::new(&self.bytes[self.groups.clone()]);
        let (_, len) = thrift.elements()?;
        (0..len).map(|_| group(&mut thrift, chosen, size)).collect()
    }
}

/// The columns `chosen` of a row group.
fn group(thrift: &mut Thrift<'_>, chosen: &[usize], size: u64) -> Option<Vec<Chunk>> {
    let mut chunks = Vec::new();
    thrift.each(|thrift, field| {
        if field.id != 1 {
            return Some(false);
        }
        let (kind, len) = thrift.list(field)?;
        (kind == STRUCT).then_some(())?;
        chunks = Vec::with_capacity(chosen.len().min(len));
        for column in 0..len {
            let chunk = chunk(thrift, size)?;
            if chosen.get(chunks.len()) == Some(&column) {
                chunks.push(chunk);
            }
        }
        Some(true)
    })?;
    Some(chunks)
}

/// The column of a row group that is next.
fn chunk(thrift: &mut Thrift<'_>, size: u64) -> Option<Chunk> {
    let (mut fault, mut codec, mut values, mut len) = (None, None, 0, 0);
    let (mut data, mut dictionary) = (None, None);
    thrift.each(|thrift, field| {
        match field.id {
            1 => fault = Some(Unread::Elsewhere),
            8 => fault = Some(Unread::Encrypted),
            3 => {
                thrift.inner(field, |thrift, field| {
                    match field.id {
                        4 => codec = Some(thrift.number(field)?),
                        5 => values = thrift.number(field)?,
                        7 => len = thrift.number(field)?,
                        9 => data = Some(thrift.number(field)?),
                        11 => dictionary = Some(thrift.number(field)?),
                        _ => return Some(false),
                    }
                    Some(true)
                })?;
                return Some(true);
            }
            _ => {}
        }
        Some(false)
    })?;
    let codec = codec.ok_or(Unread::Missing).and_then(Codec::new);
    let start = dictionary.filter(|at| *at > 0).into_iter().chain(data).min();
    Some(match (fault, codec, start) {
        (Some(fault), ..) | (None, Err(fault), _) => Err(fault),
        (None, _, None) => Err(Unread::Missing),
        // Of a dictionary without values pyarrow says that data begin at byte 0.
        (None, Ok(codec), _) if values == 0 => Ok((0..0, codec)),
        (None, Ok(codec), Some(start)) => {
            range(start, len, size).map(|bytes| (bytes, codec)).ok_or(Unread::Beyond(start))
        }
    })
}

/// `len` bytes from `start`, if a file of `size` bytes has them.
fn range(start: i64, len: i64, size: u64) -> Option<Range<u64>> {
    let start = u64::try_from(start).ok()?;
    let end = start.checked_add(u64::try_from(len).ok()?)?;
    (end <= size).then_some(start..end)
}

fn leaf(column: &ColumnDescriptor) -> Leaf {
    // The groups of lists in files of the writers that there are.
    const WRAPPERS: [&str; 6] = ["list", "element", "item", "bag", "array", "array_element"];
    let parts = column.path().parts();
    let is_named = |(at, part): &(usize, &String)| *at == 0 || !WRAPPERS.contains(&part.as_str());
    let named = parts.iter().enumerate().filter(is_named).map(|(_, part)| part.as_str());
    let level = |level: i16| u32::try_from(level).unwrap_or(0);
    let levels = Levels {
        definition: level(column.max_def_level()),
        repetition: level(column.max_rep_level()),
    };
    let is_decimal = column.converted_type() == ConvertedType::DECIMAL
        || matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }));
    Leaf {
        path: column.path().string(),
        name: named.collect::<Vec<_>>().join("."),
        levels,
        is_text: column.physical_type() == Type::BYTE_ARRAY && !is_decimal,
    }
}

/// Looks whether every count and depth in the footer is one that its bytes can hold. Gives
/// where the list of row groups is.
fn check(bytes: &[u8]) -> Option<Range<usize>> {
    let mut groups = None;
    Thrift::new(bytes).each(|thrift, field| match field.id {
        2 => schema(thrift, field).map(|()| true),
        4 => {
            let start = bytes.len() - thrift.left();
            let (kind, len) = thrift.list(field)?;
            (kind == STRUCT || len == 0).then_some(())?;
            (0..len).try_for_each(|_| thrift.skip_one(STRUCT))?;
            // One list, not two.
            groups.replace(start..bytes.len() - thrift.left()).is_none().then_some(true)
        }
        _ => Some(false),
    })?;
    groups
}

/// The nodes of the schema, each before its children.
fn schema(thrift: &mut Thrift<'_>, field: Field) -> Option<()> {
    let (kind, len) = thrift.list(field)?;
    (kind == STRUCT && len <= NODES).then_some(())?;
    // Children that are still to come, of each node that is open.
    let mut open: Vec<u32> = Vec::new();
    for _ in 0..len {
        let mut children = 0;
        thrift.each(|thrift, field| {
            if field.id == 5 {
                children = thrift.size(field)?;
            }
            Some(field.id == 5)
        })?;
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if children > 0 {
            (children as usize <= len && open.len() < DEPTH).then_some(())?;
            open.push(children);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    Some(())
}
