//! Parquet output: row groups, whose columns several threads can encode, and the file that they are
//! appended to.
//!
//! A row group ends after `ROWS` rows or `BYTES` of text, whichever comes first, so the bytes of a
//! file depend on its rows alone.

use super::columns::{Column, ColumnKind};
use super::text_rows::Value;
use bytes::Bytes;
use parquet::basic::{
    Compression, ConvertedType, Encoding, LogicalType, Repetition, Type, ZstdLevel,
};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnPath, SchemaDescPtr, SchemaDescriptor, Type as SchemaType};
use std::io;
use std::sync::Arc;

/// Maximum number of rows of a row group: about the number that DuckDB (122,880) assigns to one
/// thread.
const ROWS: usize = 128 * 1024;

/// Bytes of text that close a row group. The row that reaches the limit is included.
pub const BYTES: usize = 16 * 1024 * 1024;

/// Bytes of a page. A reader that looks for one name decodes one page.
const PAGE: usize = 256 * 1024;

/// The zstd level. Front-coded names are small already, and level 3 takes twice as long.
const ZSTD: i32 = 1;

/// The values of one column.
#[derive(Debug)]
enum Data {
    /// All texts concatenated, and the end of each.
    Text(Vec<u8>, Vec<u32>),
    Number(Vec<i64>),
}

impl Data {
    fn new(kind: ColumnKind) -> Data {
        match kind {
            ColumnKind::Text => Data::Text(Vec::new(), Vec::new()),
            ColumnKind::Number => Data::Number(Vec::new()),
        }
    }
}

/// Rows that are not yet encoded.
#[derive(Debug)]
pub struct PendingRows {
    columns: &'static [Column],
    data: Vec<Data>,
    /// Bytes of text up to the end of each row.
    ends: Vec<usize>,
}

impl PendingRows {
    /// Creates an empty set of rows.
    pub fn new(columns: &'static [Column]) -> Self {
        let data = columns.iter().map(|column| Data::new(column.kind)).collect();
        PendingRows { columns, data, ends: Vec::new() }
    }

    /// Appends a row, with one value for each column, in column order.
    pub fn push(&mut self, row: &[Value<'_>]) {
        debug_assert_eq!(row.len(), self.columns.len());
        let mut len = self.text();
        for (value, data) in row.iter().zip(&mut self.data) {
            match (data, value) {
                (Data::Number(numbers), Value::Number(number)) => numbers.push(*number as i64),
                (Data::Text(bytes, ends), value) => {
                    let start = bytes.len();
                    value.write(bytes);
                    ends.push(bytes.len() as u32);
                    len += bytes.len() - start;
                }
                (Data::Number(numbers), _) => numbers.push(0),
            }
        }
        self.ends.push(len);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.text() + self.len() * 8 * self.columns.len()
    }

    fn text(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
        for data in &mut self.data {
            match data {
                Data::Text(bytes, ends) => {
                    bytes.clear();
                    ends.clear();
                }
                Data::Number(numbers) => numbers.clear(),
            }
        }
    }

    /// Whether these rows fill a row group.
    fn is_full(&self) -> bool {
        self.len() >= ROWS || self.text() >= BYTES
    }

    /// Moves rows from `other`, starting at the row `at`, until the row group is full. Returns the
    /// index of the first row not moved.
    fn fill_from(&mut self, other: &PendingRows, at: usize) -> usize {
        let before = |row: usize| row.checked_sub(1).map_or(0, |last| other.ends[last]);
        let room = BYTES.saturating_sub(self.text()) + before(at);
        let by_bytes = other.ends.partition_point(|&end| end < room) + 1;
        let end = (at + ROWS - self.len()).min(by_bytes).min(other.len());
        let base = self.text();
        self.ends.extend(other.ends[at..end].iter().map(|row| base + row - before(at)));
        for (to, from) in self.data.iter_mut().zip(&other.data) {
            match (to, from) {
                (Data::Text(bytes, ends), Data::Text(more, lens)) => {
                    let start = at.checked_sub(1).map_or(0, |last| lens[last]);
                    let stop = end.checked_sub(1).map_or(0, |last| lens[last]);
                    let base = bytes.len() as u32;
                    bytes.extend_from_slice(&more[start as usize..stop as usize]);
                    ends.extend(lens[at..end].iter().map(|len| base + len - start));
                }
                (Data::Number(to), Data::Number(from)) => to.extend_from_slice(&from[at..end]),
                _ => {}
            }
        }
        end
    }
}

/// Values that are passed to the `parquet` crate at a time: as many as it takes for one step.
const STEP: usize = 1024;

/// Splits rows into row groups.
#[derive(Debug)]
pub struct Cutter {
    rows: PendingRows,
    /// Row groups that were encoded, whose memory is used again. Otherwise the kernel clears 240 MB of
    /// new pages for each million hits.
    spare: Vec<PendingRows>,
}

impl Cutter {
    /// Creates a cutter without rows.
    pub fn new(columns: &'static [Column]) -> Self {
        Cutter { rows: PendingRows::new(columns), spare: Vec::new() }
    }

    /// Takes back the memory of row groups that were encoded.
    pub fn reuse(&mut self, groups: impl IntoIterator<Item = PendingRows>) {
        self.spare.extend(groups);
        self.spare.iter_mut().for_each(PendingRows::clear);
    }

    /// Adds `rows` and passes each full row group to `full`.
    pub fn take(&mut self, rows: &PendingRows, mut full: impl FnMut(PendingRows)) {
        let mut at = 0;
        while at < rows.len() {
            at = self.rows.fill_from(rows, at);
            if self.rows.is_full() {
                let empty = self.spare.pop().unwrap_or_else(|| PendingRows::new(self.rows.columns));
                full(std::mem::replace(&mut self.rows, empty));
            }
        }
    }

    /// Returns the last row group, which may be empty.
    pub fn finish(self) -> PendingRows {
        self.rows
    }
}

/// The schema and encoding settings shared by all row groups of a file.
#[derive(Clone, Debug)]
pub struct ParquetLayout {
    schema: SchemaDescPtr,
    properties: WriterPropertiesPtr,
}

impl ParquetLayout {
    /// Layout of files with these columns, sorted by the first.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the schema.
    pub fn new(columns: &'static [Column]) -> io::Result<Self> {
        let field = |column: &Column| {
            let builder = match column.kind {
                ColumnKind::Text => {
                    SchemaType::primitive_type_builder(column.name, Type::BYTE_ARRAY)
                        .with_logical_type(Some(LogicalType::String))
                        .with_converted_type(ConvertedType::UTF8)
                }
                ColumnKind::Number => SchemaType::primitive_type_builder(column.name, Type::INT64),
            };
            Ok(Arc::new(builder.with_repetition(Repetition::REQUIRED).build()?))
        };
        let fields: Result<Vec<_>> = columns.iter().map(field).collect();
        let root = fields
            .and_then(|fields| SchemaType::group_type_builder("rows").with_fields(fields).build());
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(root.map_err(failed)?)));
        Ok(ParquetLayout { schema, properties: Arc::new(properties(columns).map_err(failed)?) })
    }

    /// Encodes the columns of a row group, whose rows are then of no more use than their memory.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the rows.
    pub fn encode(&self, rows: &mut PendingRows) -> io::Result<RowGroup> {
        let columns = rows.data.iter_mut().enumerate();
        let encoded: Result<Vec<_>> =
            columns.map(|(i, data)| self.encode_column(i, data)).collect();
        encoded.map(RowGroup).map_err(failed)
    }

    fn encode_column(&self, index: usize, data: &mut Data) -> Result<(Bytes, ColumnCloseResult)> {
        let mut sink = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut sink));
        let (column, properties) = (self.schema.column(index), Arc::clone(&self.properties));
        let closed = match (get_column_writer(column, properties, pages), data) {
            (ColumnWriter::ByteArrayColumnWriter(mut writer), Data::Text(bytes, ends)) => {
                let shared = Bytes::from(std::mem::take(bytes));
                let (mut values, mut start) = (Vec::with_capacity(STEP), 0);
                for ends in ends.chunks(STEP) {
                    values.clear();
                    values.extend(ends.iter().map(|end| {
                        let from = std::mem::replace(&mut start, *end as usize);
                        ByteArray::from(shared.slice(from..*end as usize))
                    }));
                    writer.write_batch(&values, None, None)?;
                }
                let closed = writer.close()?;
                drop(values);
                *bytes = shared.into();
                closed
            }
            (ColumnWriter::Int64ColumnWriter(mut writer), Data::Number(numbers)) => {
                writer.write_batch(numbers, None, None)?;
                writer.close()?
            }
            _ => return Err(ParquetError::General("a column of another type".to_owned())),
        };
        Ok((sink.into_inner()?.into(), closed))
    }
}

/// Writer properties for these columns.
fn properties(columns: &'static [Column]) -> Result<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("doiscan version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD)?))
        .set_sorting_columns(Some(vec![SortingColumn {
            column_idx: 0,
            descending: false,
            nulls_first: false,
        }]))
        .set_data_page_size_limit(PAGE)
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::Page);
    for (index, column) in columns.iter().enumerate() {
        let path = ColumnPath::from(column.name);
        // Statistics for the other columns would cost 4 % of a run and serve no query.
        let is_sorted = index == 0 || column.name == "doi";
        if !is_sorted && !matches!(column.name, "count" | "inputs") {
            properties =
                properties.set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
        properties = match (column.kind, column.name) {
            // Sorted or nearly sorted: front-coding leaves little to compress.
            (ColumnKind::Text, "doi" | "raw") => properties
                .set_column_encoding(path.clone(), Encoding::DELTA_BYTE_ARRAY)
                .set_column_dictionary_enabled(path, false),
            (ColumnKind::Number, _) => properties
                .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED)
                .set_column_dictionary_enabled(path, false),
            // Few distinct values, repeated often.
            (ColumnKind::Text, _) => properties,
        };
    }
    Ok(properties.build())
}

/// An encoded row group.
#[derive(Debug)]
pub struct RowGroup(Vec<(Bytes, ColumnCloseResult)>);

/// A file that row groups are appended to.
pub struct File {
    writer: SerializedFileWriter<Vec<u8>>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").finish_non_exhaustive()
    }
}

impl File {
    /// Creates an empty file.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the schema.
    pub fn new(layout: &ParquetLayout) -> io::Result<Self> {
        let root = layout.schema.root_schema_ptr();
        let writer = SerializedFileWriter::new(Vec::new(), root, Arc::clone(&layout.properties));
        Ok(File { writer: writer.map_err(failed)? })
    }

    /// Appends a row group and returns the bytes to write to the file.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the row group.
    pub fn append(&mut self, group: RowGroup) -> io::Result<Vec<u8>> {
        let append = |writer: &mut SerializedFileWriter<Vec<u8>>| {
            let mut rows = writer.next_row_group()?;
            for (bytes, closed) in group.0 {
                rows.append_column(&bytes, closed)?;
            }
            rows.close().map(drop)
        };
        append(&mut self.writer).map_err(failed)?;
        self.writer.flush()?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }

    /// Writes the footer and returns the remaining bytes of the file.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate cannot write the footer.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        self.writer.finish().map_err(failed)?;
        self.writer.flush()?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::NAMES;

    /// Cuts rows of these lengths into row groups, `size` rows at a time. Returns the number of rows
    /// of each full group, and of the last one.
    fn groups(lens: &[usize], size: usize) -> (Vec<usize>, usize) {
        let (mut cutter, mut full) = (Cutter::new(NAMES), Vec::new());
        let text = vec![b'A'; BYTES];
        let mut rows = PendingRows::new(NAMES);
        for lens in lens.chunks(size) {
            rows.clear();
            lens.iter().for_each(|&len| rows.push(&[Value::Bytes(&text[..len])]));
            assert_eq!(rows.text(), lens.iter().sum::<usize>());
            cutter.take(&rows, |group| full.push(group.len()));
        }
        (full, cutter.finish().len())
    }

    #[test]
    fn the_row_that_reaches_the_limit_of_text_ends_a_row_group() {
        const PART: usize = BYTES / 4;
        for (lens, full, last) in [
            (&[PART; 4][..], &[4][..], 0),
            (&[PART; 9], &[4, 4], 1),
            (&[PART, PART, PART, PART - 1, 1, PART], &[5], 1),
            (&[PART, PART, PART, PART + 1, PART], &[4], 1),
            (&[PART, 2 * PART, PART - 1, PART, BYTES, 7], &[4, 1], 1),
            (&[BYTES - 1], &[], 1),
        ] {
            for size in [1, 2, 3, lens.len()] {
                assert_eq!(groups(lens, size), (full.to_vec(), last), "{lens:?} {size}");
            }
        }
    }

    #[test]
    fn the_last_of_so_many_rows_ends_a_row_group() {
        let lens = vec![1; 2 * ROWS + 1];
        for size in [ROWS - 1, ROWS, lens.len()] {
            assert_eq!(groups(&lens, size), (vec![ROWS; 2], 1), "{size}");
        }
    }
}
