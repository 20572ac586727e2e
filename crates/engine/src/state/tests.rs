//! Tests of the catalogue.

use super::catalogue::{Catalogue, InputLine, Line, ListLine, PastRun, ReadError};
use super::data::{Bytes, FileState, Name};
use super::files::CATALOGUE;
use super::history::History;
use super::store::Store;
use doiscan_os::disk::System;
use std::fs;
use std::path::Path;
use twox_hash::XxHash3_128;

fn run(id: i64, outcome: &str, list: Option<&Path>) -> PastRun {
    let list = list.map(|path| {
        let file = path.metadata().ok().map(|meta| FileState::at(path, &meta));
        ListLine { path: Name(path.to_path_buf()), file }
    });
    PastRun { id, outcome: outcome.to_owned(), list, ..PastRun::default() }
}

fn write(folder: &Path, catalogue: &Catalogue, inputs: &[InputLine]) {
    let mut writer = catalogue.write(&System, folder).expect("a file");
    for input in inputs {
        writer.line(&Line::Input(Box::new(input.clone()))).expect("a line");
    }
    writer.finish().expect("in place");
}

#[test]
fn lines_come_back_whatever_the_bytes_of_a_path() {
    let folder = tempfile::tempdir().expect("folder");
    let paths: [&[u8]; 4] = [b"in/a", b"\\x41 \\xyz \\", b"a\n\"\x01", b"\xc3\xa9\xff"];
    let inputs = paths.map(|path| InputLine {
        input: Name(doiscan_os::paths::path(path).into_owned()),
        hash: Some(Bytes(vec![0, 9, 0xff])),
        source: Some(u32::MAX),
        seconds: Some(0.1),
        ..InputLine::default()
    });
    write(folder.path(), &Catalogue::default(), &inputs);
    let mut found = Vec::new();
    Catalogue::each_input(folder.path(), &mut |line| found.push(line)).expect("sound");
    assert_eq!(found, inputs);
}

#[test]
fn a_catalogue_that_is_cut_or_longer_is_damaged() {
    let folder = tempfile::tempdir().expect("folder");
    write(folder.path(), &Catalogue::default(), &[InputLine::default()]);
    let path = folder.path().join(CATALOGUE);
    let sound = fs::read(&path).expect("read");
    let ends = (0..sound.len()).map(|end| sound[..end].to_vec());
    for bytes in ends.chain([[sound.as_slice(), b"\n"].concat()]) {
        fs::write(&path, bytes).expect("write");
        let read = Catalogue::read(folder.path());
        assert!(matches!(read, Err(ReadError::Damaged(_))), "{read:?}");
    }
}

#[test]
fn a_catalogue_of_a_newer_version_is_refused_and_stays() {
    for head in [
        "{\"type\":\"state\",\"version\":99}\n",
        "{\"type\":\"state\",\"version\":99,\"options\":[1],\"more\":{}}\n{\"type\":\"unit\"}\n",
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let checksum = XxHash3_128::oneshot(head.as_bytes());
        let text = format!("{head}{{\"type\":\"end\",\"checksum\":\"{checksum:032x}\"}}\n");
        let path = folder.path().join(CATALOGUE);
        fs::write(&path, &text).expect("write");
        for opened in [Store::open(folder.path()).map(Some), Store::open_to_look(folder.path())] {
            let said = opened.expect_err("refused").to_string();
            let expected = "was written by a newer doiscan: version 99, expected at most ";
            assert!(said.contains(expected), "{said}");
        }
        let said = History::open(folder.path()).expect_err("refused").to_string();
        assert!(said.ends_with(": it has version 99"), "{said}");
        assert_eq!(fs::read_to_string(&path).expect("there"), text);
    }
}

#[test]
fn a_run_that_was_killed_was_good_if_its_list_is_in_place() {
    for is_in_place in [true, false] {
        let folder = tempfile::tempdir().expect("folder");
        let list = folder.path().join("list");
        fs::write(&list, "10.1000/1\n").expect("write");
        let runs = vec![run(1, "passed", None), run(2, "publishing", Some(&list))];
        if !is_in_place {
            fs::write(&list, "10.1000/22\n").expect("write");
        }
        write(folder.path(), &Catalogue { runs, ..Catalogue::default() }, &[]);
        let store = Store::open(folder.path()).expect("a state");
        let (found, _) = store.begun().expect("a catalogue");
        let outcome = if is_in_place { "passed" } else { "interrupted" };
        assert_eq!(found.runs[1].outcome, outcome);
        assert_eq!(found.head.good, is_in_place.then_some(2));
    }
}

#[test]
fn a_list_on_standard_output_does_not_take_the_place_of_a_file() {
    let file = Path::new("list");
    for (runs, good) in [
        (vec![run(1, "publishing", None)], Some(1)),
        (vec![run(1, "passed", Some(file)), run(2, "publishing", None)], None),
        (vec![run(1, "passed", None), run(2, "accepting", Some(file))], Some(2)),
    ] {
        let mut catalogue = Catalogue { runs, ..Catalogue::default() };
        assert_eq!(catalogue.end(true), good.is_some());
        assert_eq!(catalogue.head.good, good);
        assert!(catalogue.runs.last().expect("a run").is_good());
    }
}
