//! Writes Parquet files described by a fuzzer's bytes, and reads them with the `parquet` crate.

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{SchemaDescriptor, TypePtr};
use std::sync::Arc;

/// Columns whose values are required, optional, or elements of lists.
const SCHEMAS: [&str; 3] = [
    "message m { required binary doi (UTF8); }",
    "message m { optional binary doi (UTF8); }",
    "message m { optional group doi (LIST) { repeated group list { optional binary element; } } }",
];

/// Maximum number of values in a row group.
const MOST: usize = 4_096;

/// Reads a fuzzer's bytes in order. After the last byte it returns zeros.
pub struct Script<'a>(pub &'a [u8]);

impl<'a> Script<'a> {
    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }

    /// Returns `len` bytes, or all remaining bytes if there are fewer.
    pub fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (some, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        some
    }

    fn any<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()]
    }

    fn codec(&mut self) -> Compression {
        self.any(&[
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(ZstdLevel::default()),
            Compression::LZ4,
            Compression::LZ4_RAW,
        ])
    }

    fn schema(&mut self) -> (u8, TypePtr) {
        let shape = self.byte() % 3;
        let schema = parse_message_type(SCHEMAS[usize::from(shape)]).expect("a schema");
        (shape, Arc::new(schema))
    }

    fn properties(&mut self) -> WriterProperties {
        let encoding = self.any(&[
            None,
            Some(Encoding::PLAIN),
            Some(Encoding::DELTA_BYTE_ARRAY),
            Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
        ]);
        let options = WriterProperties::builder()
            .set_compression(self.codec())
            .set_writer_version(self.any(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]))
            .set_data_page_row_count_limit(1 + usize::from(self.byte()))
            .set_write_batch_size(1 + usize::from(self.byte()))
            .set_dictionary_page_size_limit(1 + 16 * usize::from(self.byte()))
            .set_dictionary_enabled(encoding.is_none());
        match encoding {
            Some(encoding) => options.set_encoding(encoding).build(),
            None => options.build(),
        }
    }
}

/// Builds the file that the script describes.
pub fn written(script: &mut Script<'_>) -> Vec<u8> {
    let (shape, schema) = script.schema();
    let options = Arc::new(script.properties());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, options).expect("a writer");
    for _ in 0..script.byte() % 4 {
        let mut group = writer.next_row_group().expect("a row group");
        let mut column = group.next_column().expect("a column").expect("the only one");
        column_of(shape, script, column.typed::<ByteArrayType>());
        column.close().expect("closed");
        group.close().expect("closed");
    }
    writer.into_inner().expect("closed")
}

/// Writes nulls, repeated values, and values with common prefixes.
fn column_of(shape: u8, script: &mut Script<'_>, column: &mut ColumnWriterImpl<'_, ByteArrayType>) {
    let (mut values, mut def, mut rep) = (Vec::new(), Vec::new(), Vec::new());
    let (mut last, mut is_list) = (Vec::new(), false);
    for _ in 0..script.byte() {
        let what = script.byte();
        let is_next = shape == 2 && is_list && what >= 0x80;
        rep.push(i16::from(is_next));
        if what % 4 == 0 && shape > 0 {
            let depth = if is_next { 2 } else { i16::from(what >> 3 & 3).min(2) };
            def.push(if shape == 1 { 0 } else { depth });
            is_list = depth == 2;
            continue;
        }
        is_list = true;
        let count = if what % 4 == 1 { 1 + usize::from(script.byte()) } else { 1 };
        if what % 4 > 1 {
            last.truncate(usize::from(what >> 2 & 15));
            let len = usize::from(script.byte() & 63);
            last.extend_from_slice(script.bytes(len));
        }
        let full = if shape == 2 { 3 } else { i16::from(shape) };
        values.extend(std::iter::repeat_n(ByteArray::from(last.clone()), count));
        rep.resize(rep.len() + count - 1, 0);
        def.resize(def.len() + count, full);
        if values.len() > MOST {
            break;
        }
    }
    let def = (shape > 0).then_some(&def[..]);
    let rep = (shape == 2).then_some(&rep[..]);
    column.write_batch(&values, def, rep).expect("written");
}

/// Changes bytes. Returns whether any byte is different now.
pub fn change(script: &mut Script<'_>, bytes: &mut [u8]) -> bool {
    let mut is_changed = false;
    while let [high, low, with, rest @ ..] = script.0 {
        script.0 = rest;
        let at = usize::from(u16::from_be_bytes([*high, *low])) % bytes.len();
        bytes[at] ^= with;
        is_changed |= *with != 0;
    }
    is_changed
}

/// Builds pages of arbitrary bytes, with a footer that locates them.
pub fn pages(script: &mut Script<'_>) -> Vec<u8> {
    let (_, schema) = script.schema();
    let codec = script.codec();
    let schema = Arc::new(SchemaDescriptor::new(schema));
    let mut bytes = [&b"PAR1"[..], script.0].concat();
    let column = ColumnChunkMetaData::builder(schema.column(0))
        .set_compression(codec)
        .set_total_compressed_size(script.0.len() as i64)
        .set_data_page_offset(4)
        .set_num_values(1)
        .build()
        .expect("a column");
    let group = RowGroupMetaData::builder(Arc::clone(&schema))
        .set_column_metadata(vec![column])
        .build()
        .expect("a row group");
    let file = FileMetaData::new(1, 1, None, None, schema, None);
    let metadata = ParquetMetaData::new(file, vec![group]);
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().expect("a footer");
    bytes
}

/// Builds a file of arbitrary bytes, some of which form the footer.
pub fn ended(script: &mut Script<'_>) -> Vec<u8> {
    let len = u32::from(script.byte()) * 4;
    [&b"PAR1"[..], script.0, &len.to_le_bytes(), b"PAR1"].concat()
}

/// Returns the values of each row group as the `parquet` crate reads them. A line feed precedes
/// each value.
pub fn read(bytes: &[u8]) -> Vec<Vec<u8>> {
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).expect("a file");
    let group = |index| {
        let group = reader.get_row_group(index).expect("a row group");
        let column = group.get_column_reader(0).expect("a column");
        let mut column = get_typed_column_reader::<ByteArrayType>(column);
        let (mut values, mut def, mut rep) = (Vec::new(), Vec::new(), Vec::new());
        column
            .read_records(usize::MAX, Some(&mut def), Some(&mut rep), &mut values)
            .expect("values");
        values.iter().flat_map(|value| [b"\n", value.data()].concat()).collect()
    };
    (0..reader.num_row_groups()).map(group).collect()
}
