//! Parquet files: the values of their columns give the same results as CSV with the same values.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{
    ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A text, a list of texts that may be null, and a number.
const SCHEMA: &str = "message works {
    optional binary doi (UTF8);
    optional group related_dois (LIST) { repeated group list { optional binary element (UTF8); } }
    required binary note;
    required int32 year;
}";

/// Values of row `row`: whole cells, repeated values, nulls, and characters that end a name.
fn doi(row: usize) -> Option<String> {
    match row % 5 {
        0 => None,
        1 => Some(format!("10.1000/row{row}+")),
        2 => Some("https://doi.org/10.1000/same".to_owned()),
        3 => Some(String::new()),
        _ => Some(format!("10.1021/ja{row}, and 10.1000/(x{row}")),
    }
}

/// The elements of the list in row `row`.
fn related(row: usize) -> Vec<Option<String>> {
    let element = |i| (i % 3 != 2).then(|| format!("10.5555/{row}.{i}*"));
    (0..row % 4).map(element).collect()
}

fn note(row: usize) -> String {
    format!("see 10.9999/note{}", row / 7)
}

/// Writes `groups` row groups of `rows` rows each.
fn write(path: &Path, options: WriterPropertiesBuilder, groups: usize, rows: usize) {
    let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema"));
    let file = fs::File::create(path).expect("a file");
    let options = Arc::new(options.build());
    let mut writer = SerializedFileWriter::new(file, schema, options).expect("a writer");
    for group in 0..groups {
        let rows = group * rows..(group + 1) * rows;
        let mut columns = writer.next_row_group().expect("a row group");
        let mut put = |values: &[ByteArray], def: Option<&[i16]>, rep: Option<&[i16]>| {
            let mut column = columns.next_column().expect("next").expect("a column");
            column.typed::<ByteArrayType>().write_batch(values, def, rep).expect("written");
            column.close().expect("closed");
        };
        let texts = |texts: Vec<Option<String>>| -> Vec<ByteArray> {
            texts.into_iter().flatten().map(|t| ByteArray::from(t.into_bytes())).collect()
        };
        let def: Vec<i16> = rows.clone().map(|r| doi(r).is_some().into()).collect();
        put(&texts(rows.clone().map(doi).collect()), Some(&def), None);
        let (mut def, mut rep) = (Vec::new(), Vec::new());
        for row in rows.clone() {
            let list = related(row);
            def.extend(list.iter().map(|e| 2 + i16::from(e.is_some())));
            rep.extend((0..list.len()).map(|i| i16::from(i > 0)));
            if list.is_empty() {
                def.push((row % 8 == 0).into());
                rep.push(0);
            }
        }
        put(&texts(rows.clone().flat_map(related).collect()), Some(&def), Some(&rep));
        put(&texts(rows.clone().map(|r| Some(note(r))).collect()), None, None);
        let years: Vec<i32> = rows.map(|r| r as i32).collect();
        let mut column = columns.next_column().expect("next").expect("a column");
        column.typed::<Int32Type>().write_batch(&years, None, None).expect("written");
        column.close().expect("closed");
        columns.close().expect("closed");
    }
    writer.close().expect("closed");
}

/// The values of the columns to be read, as CSV with one column.
fn csv(rows: usize, with_note: bool) -> String {
    let quote = |v: String| format!("\"{}\"\n", v.replace('"', "\"\""));
    let rest = (0..rows).flat_map(related).flatten();
    let notes = (0..rows).filter(|_| with_note).map(note);
    (0..rows).filter_map(doi).chain(rest).chain(notes).map(quote).collect()
}

/// The status, list and messages of a scan.
fn scan(folder: &Path, flags: &str) -> (Option<i32>, String, String) {
    shell(folder, &format!("$D scan -q {flags}"))
}

fn builders() -> Vec<(String, WriterPropertiesBuilder)> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ];
    let mut all = Vec::new();
    for codec in codecs {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let encodings = [
                None,
                Some(Encoding::PLAIN),
                Some(Encoding::DELTA_BYTE_ARRAY),
                Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
            ];
            for encoding in encodings {
                let options = WriterProperties::builder()
                    .set_compression(codec)
                    .set_writer_version(version)
                    .set_data_page_row_count_limit(700)
                    .set_write_batch_size(100)
                    .set_dictionary_enabled(encoding.is_none());
                let options = match encoding {
                    Some(encoding) => options.set_column_encoding("doi".into(), encoding),
                    None => options,
                };
                all.push((format!("{codec} {version:?} {encoding:?}"), options));
            }
        }
    }
    all
}

#[test]
fn every_codec_and_encoding_gives_what_csv_gives() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    fs::write(folder.path().join("all.csv"), csv(3_000, false)).expect("write");
    let expected = scan(folder.path(), "--format csv all.csv");
    assert_eq!((expected.0, expected.1.lines().count() > 4_000), (Some(0), true));
    for (what, options) in builders() {
        write(&path, options, 3, 1_000);
        for flags in ["", "-j 8 --chunk-size 1000 --io mmap"] {
            let found = scan(folder.path(), &format!("{flags} a.parquet"));
            assert!(found == expected, "{what} {flags}: {:?} {}", found.0, found.2);
        }
    }
}

#[test]
fn columns_are_chosen_by_name_and_number() {
    let folder = tempfile::tempdir().expect("folder");
    write(&folder.path().join("a.parquet"), WriterProperties::builder(), 2, 50);
    let count = |flags: &str| {
        let (status, out, err) = scan(folder.path(), &format!("{flags} a.parquet"));
        assert_eq!((status, err.as_str()), (Some(0), ""), "{flags}");
        out.lines().count()
    };
    assert_eq!(count("--column note"), 15);
    assert_eq!(count("--column 3"), 15);
    let (doi, related) = (count("--column DOI"), count("--column related_dois"));
    assert_eq!(related, count("--column related_dois.list.element"));
    assert_eq!(doi + related, count(""));
    assert_eq!(doi + 15, count("--column doi --column note"));
    let told = "a.parquet: has columns of text without doi in their names, which are not read; to read them, add --column\n";
    for (flags, told) in [("", told), ("--column doi", "")] {
        let (_, _, err) =
            shell(folder.path(), &format!("$D scan {flags} a.parquet -o list --stats s.json"));
        let lines = err.lines().filter(|line| line.contains("not read")).collect::<Vec<_>>();
        assert_eq!(lines.join("\n"), told.trim_end(), "{flags}: {err}");
        let record = fs::read(folder.path().join("s.json")).expect("a record");
        let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
        assert_eq!(record["tables_read_in_part"], usize::from(!told.is_empty()), "{flags}");
    }
    for (column, words) in [
        ("dio", "a.parquet: no column \"dio\"; it has: doi, related_dois, note, year"),
        ("9", "a.parquet: no column 9; it has: doi, related_dois, note, year"),
        ("year", "a.parquet: column year does not contain strings"),
    ] {
        let (status, _, err) = scan(folder.path(), &format!("--column {column} a.parquet"));
        assert_eq!(status, Some(2), "{column}: {err}");
        assert!(err.contains(words), "{err}");
    }
}

#[test]
fn a_file_is_one_input_and_row_groups_are_places() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    write(&at.join("a.parquet"), WriterProperties::builder(), 3, 400);
    write(&at.join("b.parquet"), WriterProperties::builder(), 1, 400);
    let names: Vec<_> = ["a", "b"].map(|name| scan(at, &format!("{name}.parquet")).1).into();
    let pairs: String = ["a", "b"]
        .iter()
        .zip(&names)
        .flat_map(|(input, list)| list.lines().map(move |doi| format!("{input}.parquet\t{doi}\n")))
        .collect();
    let distinct = names.iter().map(|list| list.lines().count().to_string());
    let distinct: Vec<_> =
        ["a.parquet", "b.parquet"].map(str::to_owned).into_iter().zip(distinct).collect();
    let files = "--per-input p.tsv --stats-inputs i.tsv --hits h.tsv --counts -o c.tsv";
    for flags in ["-j 1", "-j 2", "-j 8 -S 1K"] {
        let (status, _, err) = scan(at, &format!("{flags} b.parquet a.parquet {files}"));
        assert_eq!((status, err.as_str()), (Some(0), ""), "{flags}");
        let rows = |name| fs::read_to_string(at.join(name)).expect("rows");
        let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let (found, inputs, counts) = (rows("p.tsv"), rows("i.tsv"), rows("c.tsv"));
        assert!(found.strip_prefix("input\tdoi\n") == Some(&pairs), "{flags}");
        let inputs = inputs.lines().skip(1).map(cells);
        let inputs: Vec<_> =
            inputs.map(|row| (row[0].clone(), row[row.len() - 1].clone())).collect();
        assert_eq!(inputs, distinct, "{flags}");
        // doi, count, inputs, input
        let same = counts.lines().find(|line| line.starts_with("10.1000/SAME\t")).map(cells);
        assert_eq!(same.expect("a row")[1..4], ["320", "2", "a.parquet"], "{flags}");
        assert!(rows("h.tsv").contains("\tdoi!3\n"), "{flags}");
        let (_, out, _) =
            scan(at, &format!("{flags} a.parquet b.parquet --stats s.json > list; cat s.json"));
        let record: serde_json::Value = serde_json::from_str(&out).expect("a record");
        assert_eq!(record["per_input"].as_array().map(Vec::len), Some(2), "{flags} {out}");
    }
}

#[test]
fn a_column_without_a_value_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    // Row 0 has a null.
    write(&at.join("a.parquet"), WriterProperties::builder(), 1, 1);
    let told = "doiscan: a.parquet: has no value in the selected columns\n";
    for (flags, words) in [("--column doi", told), ("--column note --column doi", ""), ("", "")] {
        let (status, _, err) = scan(at, &format!("a.parquet {flags}"));
        assert_eq!((status, err.as_str()), (Some(0), words), "{flags}");
    }
    write(&at.join("a.parquet"), WriterProperties::builder(), 2, 1);
    assert_eq!(scan(at, "a.parquet --column doi -j 8").2, "");
}

#[test]
fn without_a_name_that_says_doi_all_strings_are_read() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let schema = "message m { required binary title (UTF8); required binary link; }";
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let file = fs::File::create(&path).expect("a file");
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    for text in ["two\nlines: 10.1000/a\n10.1000/b+", "\u{feff}10.1000/c"] {
        let mut column = group.next_column().expect("next").expect("a column");
        let values = [ByteArray::from(text.as_bytes().to_vec())];
        column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("written");
        column.close().expect("closed");
    }
    group.close().expect("closed");
    writer.close().expect("closed");
    let list = "10.1000/A\n10.1000/B+\n10.1000/C\n".to_owned();
    assert_eq!(scan(folder.path(), "a.parquet"), (Some(0), list, String::new()));
}

#[test]
fn a_damaged_row_group_is_named_and_the_others_are_read() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let plain = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false);
    write(&path, plain, 3, 200);
    let whole = scan(folder.path(), "a.parquet").1;
    let mut bytes = fs::read(&path).expect("read");
    // Inside the page of the first column in the second row group.
    let at = memchr::memmem::find(&bytes, b"row201").expect("a value of that group");
    bytes[at - 12..at + 60].fill(0xff);
    fs::write(&path, bytes).expect("write");
    let (status, out, err) = scan(folder.path(), "a.parquet");
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("a.parquet: row group 2, column doi: the page at byte"), "{err}");
    let kept = whole.lines().filter(|l| !l.contains("ROW2") && !l.contains("ROW3"));
    for name in kept.filter(|l| l.contains("ROW") || l.starts_with("10.5555/")) {
        assert!(out.contains(name), "{name} {err}");
    }
}

/// Writes a file with the text column `doi` in `groups` row groups. The footer describes one chunk,
/// `chunk`, with `values` values compressed by `codec`, for all of them.
fn around(path: &Path, chunk: &[u8], values: i64, codec: Compression, groups: usize) {
    around_schema(path, "message m { required binary doi (UTF8); }", chunk, values, codec, groups);
}

/// Like [`around`], with the column of this schema.
fn around_schema(
    path: &Path,
    schema: &str,
    chunk: &[u8],
    values: i64,
    codec: Compression,
    groups: usize,
) {
    let schema = parse_message_type(schema).expect("a schema");
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
    let column = ColumnChunkMetaData::builder(schema.column(0))
        .set_compression(codec)
        .set_total_compressed_size(chunk.len() as i64)
        .set_data_page_offset(if values == 0 { 0 } else { 4 })
        .set_dictionary_page_offset((values == 0).then_some(4))
        .set_num_values(values)
        .build()
        .expect("a column");
    let group = RowGroupMetaData::builder(Arc::clone(&schema)).set_column_metadata(vec![column]);
    let group = group.build().expect("a row group");
    let file = FileMetaData::new(1, 1, None, None, schema, None);
    let metadata = ParquetMetaData::new(file, vec![group; groups]);
    let mut bytes = [&b"PAR1"[..], chunk].concat();
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().expect("a footer");
    fs::write(path, bytes).expect("write");
}

/// Encodes a number as a field of a header. Its field number is one more than that of the previous
/// field.
fn field(value: u64) -> Vec<u8> {
    let mut rest = value << 1;
    let mut bytes = vec![0x15];
    while rest > 0x7f {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// Encodes a page of type 0 (values, version 1) or 2 (a dictionary).
fn page(kind: u64, size: usize, values: u64, encoding: u64, packed: &[u8]) -> Vec<u8> {
    let mut bytes = [field(kind), field(size as u64), field(packed.len() as u64)].concat();
    // Fields 5 and 7 are structures.
    bytes.push(if kind == 0 { 0x2c } else { 0x4c });
    bytes.extend([field(values), field(encoding)].concat());
    if kind == 0 {
        bytes.extend([field(3), field(3)].concat());
    }
    bytes.extend([0, 0]);
    bytes.extend(packed);
    bytes
}

/// Encodes a number in seven bits per byte.
fn varint(mut rest: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while rest > 0x7f {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// Encodes `count` numbers as packed differences. The first is `first`, and the difference in each block of
/// `block` numbers is one of `steps`.
fn differences(block: u64, count: u64, first: i64, steps: &[i64]) -> Vec<u8> {
    let zigzag = |number: i64| varint((number << 1 ^ number >> 63) as u64);
    let head = [varint(block), varint(1), varint(count), zigzag(first)].concat();
    let blocks = steps.iter().flat_map(|step| [zigzag(*step), vec![0]].concat());
    head.into_iter().chain(blocks).collect()
}

/// Counts without bytes, and values that share bytes, take no memory. Neither is a panic.
#[test]
fn what_a_page_states_takes_no_memory() {
    const MANY: u64 = 1 << 27;
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let levels = |level: u8| {
        let run = [varint(MANY), vec![level]].concat();
        [(run.len() as u32).to_le_bytes().to_vec(), run].concat()
    };
    let any = |kind, values, encoding, bytes: &[u8]| {
        let packed = zstd::bulk::compress(bytes, 1).expect("packed");
        page(kind, bytes.len(), values, encoding, &packed)
    };
    let data = |values, encoding, bytes: &[u8]| any(0, values, encoding, bytes);
    let value = b"\x0b\0\0\x0010.1000/182";
    let many = differences(1 << 30, MANY, 0, &[0]);
    let [nine, ten] = [9, 10].map(|count| differences(128, count, 0, &[0]));
    // The values grow to 1 MiB. The others have it as their prefix.
    let prefixes = differences(128, 1000, 0, &[8 << 10, 0, 0, 0, 0, 0, 0, 0]);
    let suffixes = differences(128, 1000, 8 << 10, &[0, -64, 0, 0, 0, 0, 0, 0]);
    let grown = [prefixes, suffixes, vec![b' '; 2 << 20]].concat();
    let blank = [differences(128, 1, 0, &[]), vec![0; 40 << 20]].concat();
    let pages = [data(1, 0, &vec![0; 40 << 20]), data(1, 6, &blank)].concat();
    let dictionary = any(2, 1, 0, value);
    let (list, text) = ("repeated binary doi (UTF8)", "required binary doi (UTF8)");
    let codec = Compression::ZSTD(ZstdLevel::default());
    let (damaged, large) = ("is damaged", "raise --max-window");
    for (what, column, chunk, words) in [
        ("lengths", text, data(10, 6, &many), damaged),
        ("as many lengths as values", text, data(MANY, 6, &many), large),
        ("prefixes", text, data(10, 7, &many), damaged),
        ("suffixes", text, data(10, 7, &[&ten[..], &many].concat()), damaged),
        ("fewer suffixes", text, data(10, 7, &[&ten[..], &nine].concat()), damaged),
        ("as many suffixes", text, data(10, 7, &[&ten[..], &ten].concat()), ""),
        ("long values", text, data(1000, 7, &grown), "limit: --max-unpacked"),
        ("strings", text, any(2, MANY, 0, value), large),
        ("no dictionary", text, data(1, 8, &[1, 2, 0]), damaged),
        ("an index", text, [&dictionary[..], &data(1, 8, &[1, 2, 1])].concat(), damaged),
        ("a length", text, data(1, 0, b"\x0b\0\0"), damaged),
        ("levels", list, data(1, 0, &levels(1)[..3]), damaged),
        ("pages of several encodings", text, pages.repeat(2), ""),
        ("elements of a list", list, data(MANY / 2, 0, &[levels(1), levels(0)].concat()), ""),
    ] {
        let schema = format!("message m {{ {column}; }}");
        around_schema(&path, &schema, &chunk, 1, codec, 1);
        let line = "ulimit -v 200000; exec $D scan -q -j 1 --max-unpacked 200M a.parquet";
        let (status, _, err) = shell(folder.path(), line);
        assert_eq!(status, Some(if words.is_empty() { 0 } else { 3 }), "{what}: {err}");
        assert!(err.contains(words) && !err.contains("panic"), "{what}: {err}");
    }
}

#[test]
fn a_dictionary_without_values_is_none() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    // As written by pyarrow for a table without rows.
    let chunk = page(2, 0, 0, 0, &snap::raw::Encoder::new().compress_vec(b"").expect("packed"));
    around(&path, &chunk, 0, Compression::SNAPPY, 1);
    assert_eq!(scan(folder.path(), "a.parquet"), (Some(0), String::new(), String::new()));
}

#[test]
fn what_is_encrypted_is_named() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let chunk = page(0, 15, 1, 0, b"\x0b\0\0\x0010.1000/182");
    around(&path, &chunk, 1, Compression::UNCOMPRESSED, 1);
    assert_eq!(scan(folder.path(), "a.parquet").1, "10.1000/182\n");
    let bytes = fs::read(&path).expect("read");
    // After the structure in field 3 of the column, adds a field 8 with an empty structure inside a
    // structure: a key like that of the footer.
    let end = memchr::memmem::rfind(&bytes, b"\x26\x08").expect("the offset of data") + 2;
    let end = end + bytes[end..].iter().position(|b| *b == 0).expect("the end of field 3") + 1;
    let mut keyed = [&bytes[..end], b"\x5c\x1c\0\0", &bytes[end..]].concat();
    let at = keyed.len() - 8;
    let len = u32::from_le_bytes(keyed[at..at + 4].try_into().expect("four bytes")) + 4;
    keyed[at..at + 4].copy_from_slice(&len.to_le_bytes());
    fs::write(&path, &keyed).expect("write");
    let (status, out, err) = scan(folder.path(), "a.parquet");
    assert_eq!((status, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("row group 1, column doi: is encrypted, which is not supported"), "{err}");
    fs::write(&path, [b"PARE\x3e\0\0\0", &bytes[4..]].concat()).expect("write");
    let (status, _, err) = scan(folder.path(), "a.parquet");
    assert!(status == Some(2) && err.contains("encrypted Parquet files are not"), "{err}");
}

#[test]
fn what_is_not_read_is_named() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let chunk = page(0, 15, 1, 0, b"\x0b\0\0\x0010.1000/182");
    let unread = "row group 1, column doi: is compressed with";
    for (codec, words) in [
        (
            Compression::BROTLI(Default::default()),
            format!("{unread} BROTLI, which is not supported"),
        ),
        (Compression::LZO, format!("{unread} LZO, which is not supported")),
    ] {
        around(&path, &chunk, 1, codec, 1);
        let (status, out, err) = scan(folder.path(), "a.parquet");
        assert_eq!((status, out.as_str()), (Some(3), ""), "{err}");
        assert!(err.contains(&words), "{err}");
    }
    around(&path, &chunk, 1, Compression::UNCOMPRESSED, 1);
    let mut bytes = fs::read(&path).expect("read");
    // The offset of the data: first 4, then -1.
    let at = memchr::memmem::rfind(&bytes, b"\x26\x08").expect("the offset") + 1;
    bytes[at] = 1;
    fs::write(&path, &bytes).expect("write");
    let (status, _, err) = scan(folder.path(), "a.parquet");
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("column doi: begins at byte -1 and"), "{err}");
}

#[test]
fn limits_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let zeros = vec![0; 3 << 20];
    let packed = zstd::bulk::compress(&zeros, 1).expect("packed");
    // No values, but many bytes.
    let bomb = page(0, zeros.len(), 0, 0, &packed);
    let codec = Compression::ZSTD(ZstdLevel::default());
    around(&path, &bomb.repeat(10), 1, codec, 1);
    for (flags, words) in [
        ("--max-window 2M", "needs more than 2097152 bytes of memory; raise --max-window"),
        ("--max-unpacked 20M", "unpacks to more than 20971520 bytes (limit: --max-unpacked)"),
        ("", ""),
    ] {
        let (status, _, err) = scan(folder.path(), &format!("{flags} a.parquet"));
        assert_eq!(status, Some(if words.is_empty() { 0 } else { 3 }), "{flags}: {err}");
        assert!(err.contains(words), "{flags}: {err}");
    }
    // One gibibyte is always allowed. Beyond it the ratio counts.
    around(&path, &page(0, 0, (1 << 30) + 1, 0, b""), 1, Compression::UNCOMPRESSED, 1);
    let (status, _, err) = scan(folder.path(), "a.parquet");
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("unpacks to more than 1000 times its size (limit: --max-ratio)"), "{err}");
}

#[test]
fn dictionary_and_page_share_the_limit_of_memory() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let value = [&(1_000_003_u32).to_le_bytes()[..], &[b' '; 999_992], b"10.1000/182"].concat();
    let dictionary = page(2, value.len(), 1, 0, &value);
    let long = [dictionary, page(0, value.len(), 1, 0, &value)].concat();
    around(&path, &long, 2, Compression::UNCOMPRESSED, 1);
    let list = (Some(0), "10.1000/182\n".to_owned(), String::new());
    assert_eq!(scan(folder.path(), "--max-window 2M a.parquet"), list);
    let (status, _, err) = scan(folder.path(), "--max-window 1500k a.parquet");
    assert!(status == Some(3) && err.contains("raise --max-window"), "{err}");
}

#[test]
fn a_value_of_all_rows_is_no_bomb() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let cited = |row: u64| format!("10.1234/{:016x}", row.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let cited: Vec<String> = (0..30_000).map(cited).collect();
    let citing = vec!["10.1000/a-paper-with-many-references".to_owned(); 60_000];
    write_groups(&path, WriterProperties::builder(), &[cited, citing]);
    let (status, list, err) = scan(folder.path(), "a.parquet --counts -o a.csv; cat a.csv");
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert_eq!(list.lines().count(), 30_002);
    assert!(list.contains("10.1000/A-PAPER-WITH-MANY-REFERENCES,60000,"), "{err}");
}

/// Writes a column `doi` of these values.
fn write_column(path: &Path, options: WriterPropertiesBuilder, values: &[String]) {
    write_groups(path, options, &[values.to_vec()]);
}

/// Writes a column `doi` of the values of these row groups.
fn write_groups(path: &Path, options: WriterPropertiesBuilder, groups: &[Vec<String>]) {
    let schema = parse_message_type("message m { required binary doi (UTF8); }").expect("a schema");
    let file = fs::File::create(path).expect("a file");
    let options = Arc::new(options.build());
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), options).expect("a writer");
    for values in groups {
        let values: Vec<ByteArray> =
            values.iter().map(|value| ByteArray::from(value.as_bytes().to_vec())).collect();
        let mut group = writer.next_row_group().expect("a row group");
        let mut column = group.next_column().expect("next").expect("a column");
        column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("written");
        column.close().expect("closed");
        group.close().expect("closed");
    }
    writer.close().expect("closed");
}

#[test]
fn line_ends_within_a_value_are_blanks() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let values = ["10.1371/\njournal.pone.0264314", "10.1136/bmjopen-2017-\r\n024355", "10.1000/c"];
    write_column(&path, WriterProperties::builder(), &values.map(str::to_owned));
    let (status, list, err) = scan(folder.path(), "a.parquet --hits hits.csv");
    let expected = "10.1000/C\n10.1136/BMJOPEN-2017-024355\n10.1371/JOURNAL.PONE.0264314\n";
    assert_eq!((status, list.as_str()), (Some(0), expected), "{err}");
    let hits = fs::read_to_string(folder.path().join("hits.csv")).expect("hits");
    assert!(hits.contains("10.1000/C,a.parquet,3,"), "{hits}");
}

#[test]
fn long_values_are_whole() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let value = |i| format!("10.1000/a{i} {}10.1000/b{i}", "see ".repeat(50_000));
    let values: Vec<String> = (0..3).map(value).collect();
    let encodings =
        [Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY];
    for encoding in [None].into_iter().chain(encodings.map(Some)) {
        let options = WriterProperties::builder().set_dictionary_enabled(encoding.is_none());
        let options = encoding.into_iter().fold(options, WriterPropertiesBuilder::set_encoding);
        write_column(&path, options, &values);
        let list: String =
            ["A0", "A1", "A2", "B0", "B1", "B2"].map(|n| format!("10.1000/{n}\n")).concat();
        let found = scan(folder.path(), "--chunk-size 9999 a.parquet");
        assert_eq!(found, (Some(0), list, String::new()), "{encoding:?}");
        // A value with a shared prefix is held in memory twice.
        let (status, _, err) = scan(folder.path(), "--max-window 900k a.parquet");
        let is_shared = encoding == Some(Encoding::DELTA_BYTE_ARRAY);
        assert_eq!(status, Some(if is_shared { 3 } else { 0 }), "{encoding:?}: {err}");
    }
}

#[test]
fn columns_that_share_bytes_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.parquet");
    let chunk = page(0, 15, 1, 0, b"\x0b\0\0\x0010.1000/182").repeat(100);
    around(&path, &chunk, 100, Compression::UNCOMPRESSED, 2);
    let (status, _, err) = scan(folder.path(), "a.parquet");
    assert_eq!(status, Some(2), "{err}");
    assert!(
        err.contains("a.parquet: its columns overlap in the file, which is not allowed"),
        "{err}"
    );
}

/// Changes any byte and truncates at any position: never a panic, never a signal.
#[test]
fn no_damage_ends_the_run() {
    let folder = tempfile::tempdir().expect("folder");
    for (number, (what, options)) in builders().into_iter().step_by(3).enumerate() {
        let path = folder.path().join("a.parquet");
        write(&path, options, 2, 20);
        let bytes = fs::read(&path).expect("read");
        let damaged = folder.path().join(format!("d{number}"));
        fs::create_dir(&damaged).expect("a folder");
        for at in (4 + number..bytes.len()).step_by(11) {
            let mut changed = bytes.clone();
            changed[at] = [0xff, 0x7f, 0, changed[at] ^ 1, changed[at] ^ 0x80][at % 5];
            fs::write(damaged.join(format!("c{at}")), changed).expect("write");
        }
        for at in (4..bytes.len()).step_by(97) {
            fs::write(damaged.join(format!("e{at}")), &bytes[..at]).expect("write");
        }
        let (status, _, err) = scan(folder.path(), &format!("d{number} -o list"));
        let first: String = err.lines().filter(|l| l.contains("panic")).take(3).collect();
        assert!(status == Some(3) && first.is_empty(), "{what}: {status:?} {first}");
        fs::remove_dir_all(&damaged).expect("removed");
    }
}

#[test]
fn only_files_of_their_own_are_read() {
    let folder = tempfile::tempdir().expect("folder");
    write(&folder.path().join("a.parquet"), WriterProperties::builder(), 1, 10);
    assert_eq!(shell(folder.path(), "gzip -k a.parquet").0, Some(0));
    for input in ["a.parquet.gz", "- < a.parquet"] {
        let (status, _, err) = scan(folder.path(), input);
        assert_eq!(status, Some(2), "{err}");
        assert!(
            err.contains(
                "Parquet files can be read only by doiscan scan, and only from a file on disk:"
            ),
            "{err}"
        );
    }
    let (status, _, err) = shell(folder.path(), "$D check a.parquet");
    assert!(status == Some(2) && err.contains("for doiscan check, write CSV: duckdb"), "{err}");
}

#[test]
fn bytes_of_fixed_length_are_read_and_numbers_in_them_are_not() {
    let folder = tempfile::tempdir().expect("folder");
    let schema = "message m { optional fixed_len_byte_array(11) id;
        required fixed_len_byte_array(11) sum (DECIMAL(20, 2)); required binary note (UTF8); }";
    let rows = 300;
    let fixed = |begin: &str| -> Vec<FixedLenByteArray> {
        let values = (0..rows).map(|row| format!("{begin}/{:03}", row / 2));
        values.map(|value| ByteArray::from(value.into_bytes()).into()).collect()
    };
    let expected: String = (0..rows / 2).map(|n| format!("10.1111/{n:03}\n")).collect();
    for (codec, version, encoding, has_dictionary) in [
        (Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, Encoding::PLAIN, false),
        (Compression::SNAPPY, WriterVersion::PARQUET_2_0, Encoding::PLAIN, true),
        (Compression::GZIP(Default::default()), WriterVersion::PARQUET_1_0, Encoding::PLAIN, true),
        (Compression::SNAPPY, WriterVersion::PARQUET_2_0, Encoding::DELTA_BYTE_ARRAY, false),
    ] {
        let file = fs::File::create(folder.path().join("f.parquet")).expect("a file");
        let options = WriterProperties::builder()
            .set_compression(codec)
            .set_writer_version(version)
            .set_encoding(encoding)
            .set_dictionary_enabled(has_dictionary);
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let mut writer =
            SerializedFileWriter::new(file, schema, Arc::new(options.build())).expect("a writer");
        let mut columns = writer.next_row_group().expect("a row group");
        for (begin, levels) in [("10.1111", Some(vec![1; rows])), ("10.2222", None)] {
            let mut column = columns.next_column().expect("next").expect("a column");
            column
                .typed::<FixedLenByteArrayType>()
                .write_batch(&fixed(begin), levels.as_deref(), None)
                .expect("written");
            column.close().expect("closed");
        }
        let mut column = columns.next_column().expect("next").expect("a column");
        let notes = vec![ByteArray::from("10.3333/n"); rows];
        column.typed::<ByteArrayType>().write_batch(&notes, None, None).expect("written");
        column.close().expect("closed");
        columns.close().expect("closed");
        writer.close().expect("closed");
        let lists = [("", format!("{expected}10.3333/N\n")), ("--column id", expected.clone())];
        for (flags, list) in lists {
            let found = scan(folder.path(), &format!("{flags} f.parquet"));
            assert!(found == (Some(0), list, String::new()), "{encoding:?} {version:?}: {found:?}");
        }
        let (status, _, err) = scan(folder.path(), "--column sum f.parquet");
        assert!(status == Some(2) && err.contains("column sum does not contain strings"), "{err}");
    }
}

#[test]
fn a_text_has_one_reason_in_both_formats() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let schema = parse_message_type("message works { required binary doi (UTF8); }");
    let file = fs::File::create(at.join("a.parquet")).expect("a file");
    let options = Arc::new(WriterProperties::builder().build());
    let schema = Arc::new(schema.expect("a schema"));
    let mut writer = SerializedFileWriter::new(file, schema, options).expect("a writer");
    let mut columns = writer.next_row_group().expect("a row group");
    let mut column = columns.next_column().expect("next").expect("a column");
    let values: Vec<_> = ["10.12/", "10.12/.", "10.1000/"].map(ByteArray::from).into();
    column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("written");
    column.close().expect("closed");
    columns.close().expect("closed");
    writer.close().expect("closed");
    fs::write(at.join("a.csv"), "doi\n10.12/\n10.12/.\n10.1000/\n").expect("write");
    for form in ["parquet", "csv"] {
        let line = format!("$D scan -q a.{form} --rejects r.tsv -o list; cut -f 4 r.tsv");
        let (_, reasons, err) = shell(at, &line);
        let expected = "reason\nno-suffix\nno-suffix\nno-suffix\n";
        assert_eq!(reasons, expected, "{form}: {err}");
    }
}
