//! What was encoded is read back by the reader of the `parquet` crate.

use super::*;
use crate::output::{HITS, NAMES, Value};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use proptest::prelude::*;

/// A row of hits: its name, its input, three numbers, its text, its repairs and its notation.
type Hit = (String, String, [i64; 3], String, u8, u8);

const NOTATIONS: [&str; 3] = ["cell", "line", "text"];

fn push(rows: &mut PendingRows, hit: &Hit) {
    let (doi, input, numbers, raw, repairs, notation) = hit;
    let row = [
        Value::Doi(doi.as_bytes()),
        Value::Bytes(input.as_bytes()),
        Value::Number(numbers[0] as u64),
        Value::Number(numbers[1] as u64),
        Value::Number(numbers[2] as u64),
        Value::Bytes(raw.as_bytes()),
        Value::Bytes(["", "label", "label,case"][usize::from(*repairs) % 3].as_bytes()),
        Value::Bytes(NOTATIONS[usize::from(*notation) % 3].as_bytes()),
        Value::Bytes(b""),
    ];
    rows.push_like_last(&row, Same::default());
}

/// Encodes `hits`, which come in buffers of `size`.
fn encoded(hits: &[Hit], size: usize) -> Vec<u8> {
    let (mut file, mut bytes) = (File::new(HITS, 2).expect("a file"), Vec::new());
    let mut rows = PendingRows::new(HITS);
    for hits in hits.chunks(size) {
        rows.clear();
        hits.iter().for_each(|hit| push(&mut rows, hit));
        bytes.extend(file.append(&rows, true).expect("appended"));
    }
    bytes.extend(file.finish(false).expect("finished"));
    bytes
}

fn decoded(bytes: Vec<u8>) -> Vec<Hit> {
    let reader = SerializedFileReader::new(Bytes::from(bytes)).expect("a file");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| {
        let row = row.expect("a row");
        let text = |at| row.get_string(at).expect("text").clone();
        let number = |at| row.get_long(at).expect("a number");
        let repairs = text(6).split(',').filter(|part| !part.is_empty()).count() as u8;
        let notation = NOTATIONS.iter().position(|name| *name == text(7)).expect("known") as u8;
        let numbers = [number(2), number(3), number(4)];
        (text(0), text(1), numbers, text(5), repairs, notation)
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rows_come_back_and_their_bytes_do_not_depend_on_the_buffers(
        hits in prop::collection::vec(
            (
                "10\\.1/A?B{0,3}",
                "(a|b|in){0,2}",
                prop::array::uniform3(prop_oneof![any::<i64>(), 0_i64..3, Just(7)]),
                "[ab/]{0,3}",
                0_u8..3,
                0_u8..3,
            ),
            0..600,
        ),
        size in 1_usize..300,
    ) {
        let bytes = encoded(&hits, size);
        prop_assert_eq!(&bytes, &encoded(&hits, hits.len().max(1)));
        prop_assert_eq!(decoded(bytes), hits);
    }
}

/// Rows that fill several pages and row groups.
fn many() -> Vec<Hit> {
    let hit = |row: i64| {
        let (doi, raw) = (format!("10.1/{:06}", row / 5), format!("10.1/{}", row / 3));
        let numbers = [row, row.wrapping_mul(0x1e37_79b9_7f4a_7c15), 11];
        (doi, format!("in{}", row / 40_000), numbers, raw, (row % 3) as u8, (row / 9 % 3) as u8)
    };
    (0..300_000).map(hit).collect()
}

#[test]
fn pages_and_row_groups_come_back_with_their_bounds() {
    let hits = many();
    let bytes = encoded(&hits, 7_777);
    let reader = SerializedFileReader::new(Bytes::from(bytes.clone())).expect("a file");
    let groups = reader.metadata().row_groups();
    assert_eq!(groups.iter().map(|g| g.num_rows()).collect::<Vec<_>>(), [131_072, 131_072, 37_856]);
    let mut from = 0;
    for group in groups {
        let end = from + group.num_rows() as usize;
        let bounds = group.column(0).statistics().expect("bounds");
        let expected = (Some(hits[from].0.as_bytes()), Some(hits[end - 1].0.as_bytes()));
        assert_eq!((bounds.min_bytes_opt(), bounds.max_bytes_opt()), expected);
        assert!(group.column(1).statistics().is_none());
        from = end;
    }
    assert_eq!(decoded(bytes), hits);
}

/// Appends names of these lengths, `size` at a time. Returns the number of rows of each full row group,
/// and of the open one.
fn groups(lens: &[usize], size: usize) -> (Vec<usize>, usize) {
    let text = vec![b'A'; BYTES];
    let mut file = File::new(NAMES, usize::MAX).expect("a file");
    let mut rows = PendingRows::new(NAMES);
    for lens in lens.chunks(size) {
        rows.clear();
        lens.iter()
            .for_each(|&len| rows.push_like_last(&[Value::Bytes(&text[..len])], Same::default()));
        assert_eq!(rows.text(lens.len()), lens.iter().sum::<usize>());
        assert_eq!(file.append(&rows, false).expect("appended"), b"");
    }
    (file.full.iter().map(|group| group.rows).collect(), file.open.rows)
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
