//! Indexes against sorted sets, and damaged indexes.
#![expect(clippy::disallowed_methods, reason = "tests make files")]

use crate::{Case, Encoder, Error, Registry, is_index};
use doiscan_os::io::Io;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

type Names = BTreeSet<Vec<u8>>;

fn encoded(names: &Names) -> Vec<u8> {
    let mut encoder = Encoder::default();
    assert!(names.iter().all(|name| encoder.push(name)));
    encoder.finish(Case::Upper)
}

/// Writes an index to a file of its own.
fn write(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("known.doix");
    std::fs::write(&path, bytes).expect("written");
    path
}

fn open(names: &Names) -> Registry {
    let folder = tempfile::tempdir().expect("a folder");
    Registry::open(&write(folder.path(), &encoded(names)), Io::READ).expect("sound")
}

/// Compares all answers about `text` with those of the set.
fn compare(registry: &Registry, names: &Names, text: &[u8]) -> Result<(), Error> {
    let is_known = names.contains(text);
    assert_eq!(registry.contains(text)?, is_known);
    let longest = (0..=text.len()).rev().find(|&length| names.contains(&text[..length]));
    assert_eq!(registry.longest_prefix(text)?, longest, "{text:?}");
    assert_eq!(registry.has_prefix(text)?, names.iter().any(|n| n.starts_with(text)));
    Ok(())
}

/// All names, by a walk.
fn walk(registry: &Registry) -> Result<Vec<Vec<u8>>, Error> {
    let (mut walk, mut names) = (registry.names(), Vec::new());
    while let Some(name) = walk.next()? {
        names.push(name.to_vec());
    }
    Ok(names)
}

/// The edit distance, by its definition.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if is_swap { least.min(table[i - 2][j - 2] + 1) } else { least }
                }
            };
        }
    }
    table[a.len()][b.len()]
}

fn some_names(alphabet: &'static str, most: usize) -> impl Strategy<Value = Names> {
    prop::collection::btree_set(alphabet.prop_map(String::into_bytes), 0..most)
}

proptest! {
    #[test]
    fn an_index_answers_like_a_set(
        names in some_names("[ABC]{0,9}", 400),
        texts in prop::collection::vec("[ABC]{0,12}", 0..60),
    ) {
        let registry = open(&names);
        prop_assert_eq!(walk(&registry).expect("sound"), names.iter().cloned().collect::<Vec<_>>());
        for text in texts.iter().map(String::as_bytes).chain(names.iter().map(Vec::as_slice)) {
            compare(&registry, &names, text).expect("sound");
        }
    }

    #[test]
    fn any_bytes_and_lengths_are_names(
        names in prop::collection::btree_set(prop::collection::vec(
            prop_oneof![Just(0_u8), Just(255), Just(255), Just(255)], 0..600), 0..20),
    ) {
        let registry = open(&names);
        for name in &names {
            compare(&registry, &names, name).expect("sound");
            compare(&registry, &names, &name[..name.len() / 2]).expect("sound");
            compare(&registry, &names, &[&name[..], b"A"].concat()).expect("sound");
        }
    }

    #[test]
    fn the_nearest_names_are_those_of_least_distance(
        names in some_names("[AB01]{1,7}", 200),
        query in "[AB01]{1,7}",
        head in 0..3_usize,
    ) {
        let query = query.into_bytes();
        prop_assume!(!names.contains(&query));
        let registry = open(&names);
        let near: Vec<_> = registry.nearest(&query, head).expect("sound").into_iter().map(|n| n.name).collect();
        let head = head.min(query.len());
        let at = |most: usize, head: usize| {
            names.iter().filter(|n| n.starts_with(&query[..head]) && distance(&query, n) <= most).count()
        };
        let (most, expected) = match at(1, 0) {
            0 => (2, at(2, head)),
            count => (1, count),
        };
        prop_assert_eq!(near.len(), expected.min(3), "{:?}", near);
        prop_assert!(near.iter().all(|name| names.contains(name) && distance(&query, name) <= most));
    }
}

proptest! {
    #[test]
    fn prefixes_and_their_beginnings_may_be_names(
        names in some_names("(10?)?([.][0-2]{0,5}(/[01]{0,2})?)?", 60),
        texts in prop::collection::vec("10[.][0-2]{0,6}(/[01]{0,2})?", 0..60),
    ) {
        let registry = open(&names);
        for text in texts.iter().map(String::as_bytes).chain(names.iter().map(Vec::as_slice)) {
            compare(&registry, &names, text).expect("sound");
        }
    }
}

#[test]
fn nodes_have_any_number_of_inputs() {
    for count in [1, 2, 32, 33, 63, 64, 255, 256] {
        for is_final in [false, true] {
            // The names after each first byte are far apart in the file.
            let tail =
                |first: u16, last: u16| format!("{}/{last}", u64::from(first).pow(6)).into_bytes();
            let bytes = (0..count).map(|byte| byte as u8);
            let mut names: Names = bytes
                .flat_map(|first| {
                    [1, 2].map(|last| [vec![b'A', first], tail(first.into(), last)].concat())
                })
                .collect();
            if is_final {
                names.insert(b"A".to_vec());
            }
            let registry = open(&names);
            for name in &names {
                compare(&registry, &names, name).expect("sound");
            }
            for byte in 0..=255 {
                compare(&registry, &names, &[b'A', byte]).expect("sound");
            }
        }
    }
}

/// Names some of which begin with others.
fn many() -> Names {
    (0..4_200).map(|n| format!("10.{}/{}", 1000 + n % 7, n / 3).into_bytes()).collect()
}

#[test]
fn only_sorted_distinct_names_are_added() {
    let mut encoder = Encoder::default();
    assert!(encoder.push(b"10.1/B") && encoder.push(b"10.1/BC"));
    assert!(!encoder.push(b"10.1/BC") && !encoder.push(b"10.1/A") && !encoder.push(b"10.1/B"));
    assert_eq!(encoder.names(), 2);
    assert!(encoder.take(1 << 20).is_empty());
    let begin = encoder.take(1);
    assert!(is_index(&begin) && begin.len() >= 32);
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), &[begin, encoder.finish(Case::Upper)].concat());
    assert_eq!(walk(&Registry::open(&path, Io::READ).expect("sound")).expect("sound").len(), 2);
}

#[test]
fn letters_have_the_case_of_the_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut encoder = Encoder::default();
    encoder.push(b"10.1/abc");
    let path = write(folder.path(), &encoder.finish(Case::Lower));
    let registry = Registry::open(&path, Io::READ).expect("sound");
    assert_eq!(registry.spelt(b"10.1/AbC").as_ref(), b"10.1/abc");
}

#[test]
fn no_changed_byte_and_no_cut_goes_unnoticed() {
    let bytes = encoded(&many().into_iter().step_by(9).collect());
    let folder = tempfile::tempdir().expect("a folder");
    let error = |bytes: &[u8]| {
        let path = write(folder.path(), bytes);
        assert!(Registry::is_index(&path));
        Registry::open(&path, Io::READ).expect_err("damaged").to_string()
    };
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(is_index(&changed), "byte {at}");
        assert!(error(&changed).contains("known.doix: the index is damaged"), "byte {at}");
        assert!(error(&bytes[..at]).contains("known.doix: "), "{at} bytes");
    }
    assert!(error(&[&bytes[..], b"\n"].concat()).contains("damaged"));
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (bytes, expected) in [
        (&b"10.1000/182\n10.1000/183\n10.1000/184\n"[..], "not an index"),
        (b"", "not an index"),
        (b"doiscan index 1\nand more", "make it anew of its lists: doiscan index LIST -o "),
        (b"doiscan index 2\n", "damaged"),
    ] {
        let error = Registry::open(&write(folder.path(), bytes), Io::READ).expect_err("refused");
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(matches!(Registry::open(folder.path(), Io::READ), Err(Error::Io { .. })));
    assert!(matches!(Registry::open(&folder.path().join("none"), Io::READ), Err(Error::Io { .. })));
}

/// A mapped file that is cut while it is in use is damage, never another answer.
// Windows refuses to cut a mapped file.
#[cfg(unix)]
#[test]
fn a_file_that_is_cut_later_is_damaged() {
    let names = many();
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), &encoded(&names));
    let registry = Registry::open(&path, doiscan_os::io::command::MMAP).expect("sound");
    let mut walk = registry.names();
    assert!(registry.contains(b"10.1000/0").expect("sound"));
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("opened");
    file.set_len(0).expect("cut");
    for name in [names.last().expect("names"), &b"10.1000/0".to_vec()] {
        let error = registry.contains(name).expect_err("damaged");
        assert!(error.to_string().contains("can no longer be read"), "{error}");
    }
    assert!(walk.next().is_err() && registry.nearest(b"10.1000/00", 8).is_err());
}

/// The confusions that people make, each with a close rival.
#[test]
fn usual_confusions_come_first() {
    let known = [
        "10.1016/J.CELL.2009.01.042",
        "10.1016/J.CELL.2009.01.421",
        "10.1016/J.CELL.2009.11.42",
        "10.1038/NATURE12373",
        "10.1038/NATURE12378",
        "10.1371/JOURNAL.PONE.0123456",
        "10.1103/PHYSREVLETT.100.011301",
        "10.1002/ANIE.200460465",
    ];
    let registry = open(&known.iter().map(|name| name.as_bytes().to_vec()).collect());
    for (written, expected) in [
        ("10.1016/J.CELL.2009.01.42", &known[..3]),
        ("10.1016/J.CELL.2OO9.O1.O42", &known[..1]),
        ("10.1016/J-CELL.2009.01.042", &known[..1]),
        ("10.1016/J.CEL.2009.01.042", &known[..1]),
        ("10.1061/J.CELL.2009.01.042", &known[..1]),
        ("10.1038/NATURE12373X", &known[3..4]),
        ("10.1038/NATURE1237", &known[3..5]),
        ("10.1038/NATURE12337", &known[3..4]),
        ("10.1371/JOURNAL.PONE.123456", &known[5..6]),
        ("10.1371/JOURNAL.P0NE.O123456", &known[5..6]),
        ("10.1103/PHYSREVLETT.lOO.O11301", &[]),
        ("10.1103/PHYSREVLETT.LOO.O11301", &[]),
        ("10.1103/PHYSREVLETT.1OO.O113OI", &known[6..7]),
        ("10.1002/ANGEWANDTE.1", &[]),
        ("10.1038/NATURE12373/FULL", &known[3..4]),
        ("10.1038/NATURE12373/FULL/HTML?A=B", &known[3..4]),
        ("10.1038/NATURE12373/X", &known[3..4]),
        ("10.1038/FULL", &[]),
        ("10.1038/NATURE12373\u{2013}", &known[3..4]),
    ] {
        let head = written.find('/').expect("a slash") + 1;
        let near = registry.nearest(written.as_bytes(), head).expect("sound");
        let near: Vec<_> = near.iter().map(|near| String::from_utf8_lossy(&near.name)).collect();
        assert_eq!(near, expected, "{written}");
    }
}
