//! The chunk of a row group that holds one column: its pages, their places and their statistics.

use super::encode::{FrontCoder, code_width, codes, deltas};
use super::rows::Data;
use super::texts::{FewTexts, Texts};
use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Compression, Encoding, Type, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::Result;
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats,
};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

/// Rows of a page. A reader that looks for one name decodes one page of each column.
const PAGE: usize = 20_000;

/// The zstd level. Front-coded names are small already, and level 3 takes twice as long.
const ZSTD: i32 = 1;

/// Encodes columns, one after the other.
pub(super) struct ColumnEncoder {
    compressor: Compressor<'static>,
    /// The values of a page.
    page: Vec<u8>,
}

impl ColumnEncoder {
    pub(super) fn new() -> std::io::Result<Self> {
        let mut compressor = Compressor::new(ZSTD)?;
        // Front-coded names have few repeats, and those are long. Bytes of small blocks are coded apart.
        compressor.set_parameter(CParameter::MinMatch(7))?;
        compressor.set_parameter(CParameter::WindowLog(14))?;
        Ok(ColumnEncoder { compressor, page: Vec::new() })
    }

    /// Encodes the values of a column, so many `rows`. `has_lookups` says that readers look for values in it, which
    /// needs their bounds.
    pub(super) fn encode(
        &mut self,
        column: ColumnDescPtr,
        (data, rows): (&Data, usize),
        has_lookups: bool,
    ) -> Result<(Bytes, ColumnCloseResult)> {
        let mut sink = TrackedWrite::new(Vec::new());
        let mut chunk = Chunk::new(SerializedPageWriter::new(&mut sink), self);
        chunk.is_packed = column.name() != "offset";
        let bounds = match data {
            Data::Text(texts) => chunk.texts(texts, rows, has_lookups)?,
            Data::FewTexts(texts) => chunk.few_texts(texts, rows)?,
            Data::Number(numbers) => chunk.numbers(numbers, has_lookups)?,
        };
        let closed = chunk.close(column, bounds)?;
        Ok((sink.into_inner()?.into(), closed))
    }
}

/// The least and the greatest value of each page, if readers look for values.
enum Bounds {
    None,
    Text(Vec<(Vec<u8>, Vec<u8>)>),
    Number(Vec<(i64, i64)>),
}

/// The pages of one column.
struct Chunk<'a, 'e> {
    pages: SerializedPageWriter<'a, Vec<u8>>,
    encoder: &'e mut ColumnEncoder,
    /// Whether pages are compressed. Offsets, of which only the differences are stored, would shrink by
    /// a thousandth.
    is_packed: bool,
    places: OffsetIndexBuilder,
    dictionary: Option<u64>,
    /// Where the first page of values is.
    first: Option<u64>,
    encodings: Vec<PageEncodingStats>,
    rows: usize,
    /// Bytes before and after compression.
    size: usize,
    written: u64,
}

impl<'a, 'e> Chunk<'a, 'e> {
    fn new(pages: SerializedPageWriter<'a, Vec<u8>>, encoder: &'e mut ColumnEncoder) -> Self {
        Chunk {
            pages,
            encoder,
            is_packed: true,
            places: OffsetIndexBuilder::new(),
            dictionary: None,
            first: None,
            encodings: Vec::new(),
            rows: 0,
            size: 0,
            written: 0,
        }
    }

    fn texts(&mut self, texts: &Texts, len: usize, has_lookups: bool) -> Result<Bounds> {
        let (mut coder, mut bounds) = (FrontCoder::default(), Vec::new());
        for rows in pages(len) {
            let runs = || texts.runs(rows.clone());
            runs().for_each(|(text, count)| coder.push(text, count));
            coder.take(&mut self.encoder.page);
            self.values(rows.len(), Encoding::DELTA_BYTE_ARRAY)?;
            if has_lookups {
                let bounds_of_page = bounds_of(runs().map(|(text, _)| text));
                bounds.extend(bounds_of_page.map(|(least, most)| (least.to_vec(), most.to_vec())));
            }
        }
        Ok(if has_lookups { Bounds::Text(bounds) } else { Bounds::None })
    }

    fn few_texts(&mut self, texts: &FewTexts, len: usize) -> Result<Bounds> {
        self.encoder.page.extend_from_slice(&texts.values);
        self.dictionary(texts.len())?;
        let (width, mut numbers) = (code_width(texts.len()), Vec::new());
        for rows in pages(len) {
            numbers.clear();
            texts.numbers(rows.clone(), &mut numbers);
            codes(&numbers, width, &mut self.encoder.page);
            self.values(rows.len(), Encoding::RLE_DICTIONARY)?;
        }
        Ok(Bounds::None)
    }

    fn numbers(&mut self, numbers: &[i64], has_lookups: bool) -> Result<Bounds> {
        let mut bounds = Vec::new();
        for rows in pages(numbers.len()) {
            let numbers = &numbers[rows];
            deltas(numbers, &mut self.encoder.page);
            self.values(numbers.len(), Encoding::DELTA_BINARY_PACKED)?;
            if has_lookups {
                bounds.extend(bounds_of(numbers.iter().copied()));
            }
        }
        Ok(if has_lookups { Bounds::Number(bounds) } else { Bounds::None })
    }

    /// Writes the page of the values that others refer to.
    fn dictionary(&mut self, values: usize) -> Result<()> {
        let (buf, size) = self.compressed()?;
        let (num_values, encoding) = (values as u32, Encoding::PLAIN);
        let page = Page::DictionaryPage { buf, num_values, encoding, is_sorted: false };
        let written = self.write(page, size)?;
        self.dictionary = Some(written.offset);
        Ok(())
    }

    /// Writes the page of some rows.
    fn values(&mut self, rows: usize, encoding: Encoding) -> Result<()> {
        let (buf, size) = self.compressed()?;
        let page = Page::DataPage {
            buf,
            num_values: rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let written = self.write(page, size)?;
        self.first.get_or_insert(written.offset);
        self.places.append_row_count(rows as i64);
        self.places.append_offset_and_size(written.offset as i64, written.compressed_size as i32);
        self.rows += rows;
        Ok(())
    }

    /// Takes the buffered page, compressed. Returns also the size before.
    fn compressed(&mut self) -> Result<(Bytes, usize)> {
        let ColumnEncoder { compressor, page } = &mut *self.encoder;
        let size = page.len();
        let buf = match self.is_packed {
            true => compressor.compress(page)?.into(),
            false => Bytes::copy_from_slice(page),
        };
        page.clear();
        Ok((buf, size))
    }

    fn write(&mut self, page: Page, size: usize) -> Result<PageWriteSpec> {
        let (page_type, encoding) = (page.page_type(), page.encoding());
        match self.encodings.last_mut().filter(|last| last.page_type == page_type) {
            Some(last) => last.count += 1,
            None => self.encodings.push(PageEncodingStats { page_type, encoding, count: 1 }),
        }
        let written = self.pages.write_page(CompressedPage::new(page, size))?;
        self.size += written.uncompressed_size;
        self.written += written.bytes_written;
        Ok(written)
    }

    fn close(mut self, column: ColumnDescPtr, bounds: Bounds) -> Result<ColumnCloseResult> {
        self.pages.close()?;
        let (index, statistics) = bounds.finish();
        let encodings = self.encodings.iter().map(|pages| pages.encoding);
        let compression = match self.is_packed {
            true => Compression::ZSTD(ZstdLevel::try_new(ZSTD)?),
            false => Compression::UNCOMPRESSED,
        };
        let mut metadata = ColumnChunkMetaData::builder(column)
            .set_compression(compression)
            .set_encodings(encodings.chain([Encoding::RLE]).collect())
            .set_page_encoding_stats(self.encodings)
            .set_total_compressed_size(self.written as i64)
            .set_total_uncompressed_size(self.size as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(self.first.unwrap_or(0) as i64)
            .set_dictionary_page_offset(self.dictionary.map(|at| at as i64));
        if let Some(statistics) = statistics {
            metadata = metadata.set_statistics(statistics);
        }
        Ok(ColumnCloseResult {
            bytes_written: self.written,
            rows_written: self.rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: index.map(ColumnIndexBuilder::build).transpose()?,
            offset_index: Some(self.places.build()),
        })
    }
}

impl Bounds {
    /// Returns the bounds of each page and those of the column.
    fn finish(&self) -> (Option<ColumnIndexBuilder>, Option<Statistics>) {
        match self {
            Bounds::None => (None, None),
            Bounds::Text(pages) => {
                let index = index(Type::BYTE_ARRAY, pages, Vec::clone);
                let (least, most) = around(pages);
                let text = |text: Vec<u8>| ByteArray::from(text);
                let (least, most) = (least.map(text), most.map(text));
                (Some(index), Some(ValueStatistics::new(least, most, None, Some(0), false).into()))
            }
            Bounds::Number(pages) => {
                let index = index(Type::INT64, pages, |number| number.to_le_bytes().to_vec());
                let (least, most) = around(pages);
                let statistics = ValueStatistics::new(least, most, None, Some(0), false)
                    .with_backwards_compatible_min_max(true);
                (Some(index), Some(statistics.into()))
            }
        }
    }
}

/// The least and the greatest of some values. Fast if they are sorted.
fn bounds_of<T: Copy + Ord>(mut values: impl Iterator<Item = T>) -> Option<(T, T)> {
    let first = values.next()?;
    let widen = |(least, most): (T, T), value: T| match value >= most {
        true => (least, value),
        false => (least.min(value), most),
    };
    Some(values.fold((first, first), widen))
}

/// The least and the greatest value of all pages.
fn around<T: Clone + Ord>(pages: &[(T, T)]) -> (Option<T>, Option<T>) {
    let least = pages.iter().map(|(least, _)| least).min();
    (least.cloned(), pages.iter().map(|(_, most)| most).max().cloned())
}

/// Returns the index of pages with these bounds.
fn index<T: Ord>(of: Type, pages: &[(T, T)], bytes: impl Fn(&T) -> Vec<u8>) -> ColumnIndexBuilder {
    let mut index = ColumnIndexBuilder::new(of);
    for (least, most) in pages {
        index.append(false, bytes(least), bytes(most), 0);
    }
    let is_sorted = pages.is_sorted_by(|one, next| one.0 <= next.0 && one.1 <= next.1);
    index.set_boundary_order(match is_sorted {
        true => BoundaryOrder::ASCENDING,
        false => BoundaryOrder::UNORDERED,
    });
    index
}

/// Divides rows into pages.
fn pages(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(PAGE).map(move |from| from..rows.min(from + PAGE))
}
