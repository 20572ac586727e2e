//! Parquet output: row groups, whose columns several threads can encode, and the file that they are
//! appended to.
//!
//! A row group ends after `ROWS` rows or `BYTES` of text, whichever comes first, so the bytes of a
//! file depend on its rows alone.

mod chunk;
mod encode;
mod rows;
#[cfg(test)]
mod tests;
mod texts;

pub use rows::{Cutter, PendingRows};
pub use texts::BYTES;

use super::columns::{Column, ColumnKind};
use bytes::Bytes;
use chunk::ColumnEncoder;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type as SchemaType};
use std::io;
use std::sync::Arc;

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
        Ok(ParquetLayout { schema, properties: Arc::new(properties()) })
    }

    /// Encodes the columns of a row group.
    ///
    /// # Errors
    ///
    /// Fails if the `parquet` crate rejects the rows.
    pub fn encode(&self, rows: &PendingRows) -> io::Result<RowGroup> {
        let mut encoder = ColumnEncoder::new()?;
        let columns = rows.data.iter().zip(self.schema.columns()).enumerate();
        let encoded: Result<Vec<_>> = columns
            .map(|(index, (data, column))| {
                encoder.encode(
                    Arc::clone(column),
                    (data, rows.len()),
                    has_lookups(index, column.name()),
                )
            })
            .collect();
        encoded.map(RowGroup).map_err(failed)
    }
}

/// Whether readers look for values of a column. Bounds of the others would serve no query.
fn has_lookups(index: usize, name: &str) -> bool {
    index == 0 || matches!(name, "doi" | "count" | "inputs")
}

/// Writer properties of files that are sorted by the first column.
fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_created_by(concat!("doiscan version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_sorting_columns(Some(vec![SortingColumn {
            column_idx: 0,
            descending: false,
            nulls_first: false,
        }]))
        .build()
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
