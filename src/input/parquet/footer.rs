//! The footer of a file: its columns, and where their pages are.
//!
//! `parquet` reads it. Two counts in it are taken at their word there, those of row groups
//! and of the children of a node of the schema, and nodes within one another are read by
//! recursion; so these are looked at first.

use super::cells::Levels;
use super::page::Codec;
use super::thrift::{Field, STRUCT, Thrift};
use parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
use parquet::schema::types::ColumnDescriptor;
use std::collections::BTreeSet;
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
pub(super) type Chunk = Result<(Range<u64>, Codec), String>;

/// The columns of the footer `bytes` and, of each row group, their chunks.
pub(super) fn read(bytes: &[u8], size: u64) -> Result<(Vec<Leaf>, Vec<Vec<Chunk>>), String> {
    let encrypted = check(bytes).ok_or("its footer is damaged")?;
    let data = ParquetMetaDataReader::decode_metadata(bytes)
        .map_err(|error| format!("its footer cannot be read: {error}"))?;
    let leaves = data.file_metadata().schema_descr().columns().iter().map(|c| leaf(c)).collect();
    let mut groups = groups(&data, size);
    for (group, column) in encrypted {
        if let Some(chunk) = groups.get_mut(group).and_then(|chunks| chunks.get_mut(column)) {
            *chunk = Err("is encrypted, which is not read".to_owned());
        }
    }
    Ok((leaves, groups))
}

fn groups(data: &ParquetMetaData, size: u64) -> Vec<Vec<Chunk>> {
    let of_group =
        |columns: &[ColumnChunkMetaData]| columns.iter().map(|c| chunk(c, size)).collect();
    data.row_groups().iter().map(|group| of_group(group.columns())).collect()
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

fn chunk(column: &ColumnChunkMetaData, size: u64) -> Chunk {
    if column.file_path().is_some() {
        return Err("is in another file, which is not read".to_owned());
    }
    let codec = match column.compression() {
        Compression::UNCOMPRESSED => Codec::Plain,
        Compression::SNAPPY => Codec::Snappy,
        Compression::GZIP(_) => Codec::Gzip,
        Compression::ZSTD(_) => Codec::Zstd,
        Compression::LZ4 => Codec::Lz4,
        Compression::LZ4_RAW => Codec::Lz4Raw,
        other => return Err(format!("is packed by {other}, which is not read")),
    };
    if column.num_values() == 0 {
        // Of a dictionary without values pyarrow says that data begin at byte 0.
        return Ok((0..0, codec));
    }
    let first = column.dictionary_page_offset().filter(|at| *at > 0);
    let start = first.unwrap_or(i64::MAX).min(column.data_page_offset());
    let ends = || {
        let start = u64::try_from(start).ok()?;
        let end = start.checked_add(u64::try_from(column.compressed_size()).ok()?)?;
        (end <= size).then_some(start..end)
    };
    let bytes = ends().ok_or_else(|| format!("begins at byte {start} and ends beyond the file"))?;
    Ok((bytes, codec))
}

/// Looks whether every count and depth in the footer is one that its bytes can hold. Gives
/// the columns that are encrypted, each behind its row group.
fn check(bytes: &[u8]) -> Option<BTreeSet<(usize, usize)>> {
    let mut encrypted = BTreeSet::new();
    Thrift::new(bytes).each(|thrift, field| match field.id {
        2 => schema(thrift, field).map(|()| true),
        4 => {
            let (kind, len) = thrift.list(field)?;
            (kind == STRUCT && len <= i16::MAX as usize).then_some(())?;
            for group in 0..len {
                columns(thrift, |column| encrypted.insert((group, column)))?;
            }
            Some(true)
        }
        _ => Some(false),
    })?;
    Some(encrypted)
}

/// The columns of a row group: those that have a key are given to `take`.
fn columns(thrift: &mut Thrift<'_>, mut take: impl FnMut(usize) -> bool) -> Option<()> {
    thrift.each(|thrift, field| {
        if field.id != 1 {
            return Some(false);
        }
        let (kind, len) = thrift.list(field)?;
        (kind == STRUCT).then_some(())?;
        for column in 0..len {
            thrift.each(|_, field| {
                if field.id == 8 {
                    take(column);
                }
                Some(false)
            })?;
        }
        Some(true)
    })
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
