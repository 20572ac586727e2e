//! Parquet output: rows by column, and the file whose row groups several threads encode.
//!
//! A row group ends after `ROWS` rows or `BYTES` of text, whichever comes first, so the bytes of a file
//! depend on its rows alone. The `parquet` crate writes the pages and the footer. Its column writer takes
//! more than twice as long as `encode`: it counts references to each value, and hashes it for a dictionary.

mod encode;
#[cfg(test)]
mod tests;

use super::columns::{Column, ColumnKind};
use super::text_rows::{Same, Value};
use bytes::Bytes;
use parquet::basic::{
    Compression, ConvertedType, Encoding, LogicalType, Repetition, Type, ZstdLevel,
};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr, SchemaDescriptor, Type as SchemaType};
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use zstd::bulk::Compressor;

/// Maximum number of rows of a row group: about the number that DuckDB (122,880) assigns to one
/// thread.
const ROWS: usize = 128 * 1024;

/// Bytes of text that close a row group. The row that reaches the limit is included.
pub const BYTES: usize = 16 * 1024 * 1024;

/// The zstd level. Front-coded names are small already, and level 3 takes twice as long.
const ZSTD: i32 = 1;

/// The values of one column.
#[derive(Clone, Debug)]
enum Data {
    /// Texts, one after the other. Equal ones that follow each other are stored once: where each ends, and
    /// the row where it begins to hold.
    Text(Vec<u8>, Vec<(usize, usize)>),
    Number(Vec<i64>),
}

/// Rows that are not yet encoded.
#[derive(Clone, Debug)]
pub struct PendingRows {
    data: Vec<Data>,
    /// Bytes of each text of the last row, and of all.
    lens: Vec<usize>,
    row_text: usize,
    /// Bytes of text up to the end of each row.
    ends: Vec<usize>,
}

impl PendingRows {
    /// Creates an empty set of rows.
    pub fn new(columns: &[Column]) -> Self {
        let data = columns.iter().map(|column| match column.kind {
            ColumnKind::Text => Data::Text(Vec::new(), Vec::new()),
            ColumnKind::Number => Data::Number(Vec::new()),
        });
        let (lens, row_text) = (vec![0; columns.len()], 0);
        PendingRows { data: data.collect(), lens, row_text, ends: Vec::new() }
    }

    /// Appends a row, with one value for each column, in column order. Some texts are those of the last row.
    #[inline]
    pub fn push_like_last(&mut self, row: &[Value<'_>], same: Same) {
        debug_assert_eq!(row.len(), self.data.len());
        let at = self.ends.len();
        for (index, (data, value)) in self.data.iter_mut().zip(row).enumerate() {
            match (data, value) {
                (Data::Number(numbers), Value::Number(number)) => numbers.push(*number as i64),
                (Data::Number(numbers), _) => numbers.push(0),
                (Data::Text(..), _) if same.has(index) => {}
                (Data::Text(bytes, runs), value) => {
                    let start = bytes.len();
                    value.write(bytes);
                    let len = bytes.len() - start;
                    self.row_text += len;
                    self.row_text -= std::mem::replace(&mut self.lens[index], len);
                    runs.push((bytes.len(), at));
                }
            }
        }
        self.ends.push(self.text(self.len()) + self.row_text);
    }

    /// Number of rows.
    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.text(self.len()) + self.len() * 8 * self.data.len()
    }

    /// Bytes of text of the first `rows` rows.
    fn text(&self, rows: usize) -> usize {
        rows.checked_sub(1).map_or(0, |last| self.ends[last])
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
        for data in &mut self.data {
            match data {
                Data::Text(bytes, runs) => {
                    bytes.clear();
                    runs.clear();
                }
                Data::Number(numbers) => numbers.clear(),
            }
        }
    }
}

/// The rows of a row group: parts of buffers.
#[derive(Debug, Default)]
struct Group {
    parts: Vec<(Arc<PendingRows>, Range<usize>)>,
    rows: usize,
    text: usize,
}

impl Group {
    fn numbers(&self, index: usize) -> impl Iterator<Item = &[i64]> {
        self.parts.iter().map(move |(rows, range)| match &rows.data[index] {
            Data::Number(numbers) => &numbers[range.clone()],
            Data::Text(..) => &[],
        })
    }

    /// The texts of a column, each with the number of consecutive rows that have it.
    fn texts(&self, index: usize) -> impl Iterator<Item = (&[u8], usize)> {
        self.parts.iter().flat_map(move |(rows, range)| {
            let (bytes, runs) = match &rows.data[index] {
                Data::Text(bytes, runs) => (&bytes[..], &runs[..]),
                Data::Number(_) => (&[][..], &[][..]),
            };
            let first = runs.partition_point(|run| run.1 <= range.start).saturating_sub(1);
            let last = runs.partition_point(|run| run.1 < range.end);
            (first..last).map(move |at| {
                let start = at.checked_sub(1).map_or(0, |before| runs[before].0);
                let next = runs.get(at + 1).map_or(range.end, |next| next.1.min(range.end));
                (&bytes[start..runs[at].0], next - runs[at].1.max(range.start))
            })
        })
    }
}

/// A file of row groups.
pub struct File {
    writer: SerializedFileWriter<Vec<u8>>,
    schema: SchemaDescPtr,
    /// The row group that is being filled, and those that are full.
    open: Group,
    full: Vec<Group>,
    /// Number of row groups that are encoded at a time.
    width: usize,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").finish_non_exhaustive()
    }
}

impl File {
    /// Creates an empty file of these columns, sorted by the first. It encodes `width` row groups at a time.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the schema.
    pub fn new(columns: &[Column], width: usize) -> io::Result<Self> {
        let new = || {
            let fields: Result<Vec<_>> = columns.iter().map(field).collect();
            let root = SchemaType::group_type_builder("rows").with_fields(fields?).build()?;
            let (root, properties) = (Arc::new(root), Arc::new(properties()));
            let writer = SerializedFileWriter::new(Vec::new(), Arc::clone(&root), properties)?;
            let (open, full) = (Group::default(), Vec::new());
            let schema = Arc::new(SchemaDescriptor::new(root));
            Ok(File { writer, schema, open, full, width })
        };
        new().map_err(failed)
    }

    /// Appends rows, and returns the bytes to write. All threads encode them if `together`.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the rows.
    pub fn append(&mut self, rows: &PendingRows, together: bool) -> io::Result<Vec<u8>> {
        let (rows, mut at) = (Arc::new(rows.clone()), 0);
        while at < rows.len() {
            let (open, before) = (&mut self.open, rows.text(at));
            let room = BYTES - open.text + before;
            let by_bytes = rows.ends.partition_point(|&end| end < room) + 1;
            let end = (at + ROWS - open.rows).min(by_bytes).min(rows.len());
            open.parts.push((Arc::clone(&rows), at..end));
            open.rows += end - at;
            open.text += rows.text(end) - before;
            if open.rows == ROWS || open.text >= BYTES {
                self.full.push(std::mem::take(open));
            }
            at = end;
        }
        if self.full.len() < self.width {
            return Ok(Vec::new());
        }
        self.encode(together).map_err(failed)
    }

    /// Encodes the last rows, and returns the remaining bytes of the file.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the rows.
    pub fn finish(mut self, together: bool) -> io::Result<Vec<u8>> {
        let last = std::mem::take(&mut self.open);
        self.full.extend((last.rows > 0).then_some(last));
        let finish = |file: &mut File| {
            let mut bytes = file.encode(together)?;
            file.writer.finish()?;
            bytes.append(file.writer.inner_mut());
            Ok(bytes)
        };
        finish(&mut self).map_err(failed)
    }

    /// Encodes the full row groups, and returns their bytes.
    fn encode(&mut self, together: bool) -> Result<Vec<u8>> {
        let (schema, full) = (&self.schema, &self.full);
        let encode = |group: &Group| -> Result<Vec<_>> {
            let mut compressor = Compressor::new(ZSTD)?;
            let columns = schema.columns().iter().enumerate();
            let encoded = columns.map(|(index, column)| {
                encode_column(Arc::clone(column), index, group, &mut compressor)
            });
            encoded.collect()
        };
        let encoded: Result<Vec<_>> = match together {
            true => full.par_iter().with_max_len(1).map(encode).collect(),
            false => full.iter().map(encode).collect(),
        };
        self.full.clear();
        for columns in encoded? {
            let mut group = self.writer.next_row_group()?;
            for (bytes, closed) in columns {
                group.append_column(&bytes, closed)?;
            }
            group.close()?;
        }
        self.writer.flush()?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }
}

/// Encodes one column of a row group as one page.
fn encode_column(
    column: ColumnDescPtr,
    index: usize,
    group: &Group,
    compressor: &mut Compressor<'_>,
) -> Result<(Bytes, ColumnCloseResult)> {
    let has_bounds = index == 0 || matches!(column.name(), "doi" | "count" | "inputs");
    let (bytes, encoding, bounds) = match column.physical_type() {
        Type::INT64 => {
            let (bytes, bounds) = encode::numbers(group.numbers(index), group.rows, has_bounds);
            (bytes, Encoding::DELTA_BINARY_PACKED, Statistics::from(bounds))
        }
        _ => {
            let (bytes, bounds) = encode::texts(group.texts(index), group.rows, has_bounds);
            (bytes, Encoding::DELTA_BYTE_ARRAY, Statistics::from(bounds))
        }
    };
    let page = Page::DataPage {
        buf: compressor.compress(&bytes)?.into(),
        num_values: group.rows as u32,
        encoding,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let mut sink = TrackedWrite::new(Vec::new());
    let mut pages = SerializedPageWriter::new(&mut sink);
    let written = pages.write_page(CompressedPage::new(page, bytes.len()))?;
    pages.close()?;
    let mut metadata = ColumnChunkMetaData::builder(column)
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD)?))
        .set_encodings(vec![Encoding::RLE, encoding])
        .set_total_compressed_size(written.bytes_written as i64)
        .set_total_uncompressed_size(written.uncompressed_size as i64)
        .set_num_values(group.rows as i64)
        .set_data_page_offset(written.offset as i64);
    if has_bounds {
        metadata = metadata.set_statistics(bounds);
    }
    let closed = ColumnCloseResult {
        bytes_written: written.bytes_written,
        rows_written: group.rows as u64,
        metadata: metadata.build()?,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok((sink.into_inner()?.into(), closed))
}

/// The type of a column.
fn field(column: &Column) -> Result<Arc<SchemaType>> {
    let field = match column.kind {
        ColumnKind::Text => SchemaType::primitive_type_builder(column.name, Type::BYTE_ARRAY)
            .with_logical_type(Some(LogicalType::String))
            .with_converted_type(ConvertedType::UTF8),
        ColumnKind::Number => SchemaType::primitive_type_builder(column.name, Type::INT64),
    };
    Ok(Arc::new(field.with_repetition(Repetition::REQUIRED).build()?))
}

/// Writer properties of files that are sorted by the first column.
fn properties() -> WriterProperties {
    let first = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
    WriterProperties::builder()
        .set_created_by(concat!("doiscan version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_sorting_columns(Some(vec![first]))
        .build()
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error.to_string())
}
