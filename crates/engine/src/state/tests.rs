//! Tests of the catalogue.

use super::catalogue::Writer;
use super::catalogue::{Catalogue, InputLine, Line, ListLine, PastRun, ReadError};
use super::data::Name;
use super::files::CATALOGUE;
use super::history::History;
use super::store::Store;
use doiscan_input::Identity;
use doiscan_os::disk::System;
use std::fs;
use std::path::Path;

fn run(id: i64, outcome: &str, list: Option<&Path>) -> PastRun {
    let list = list.map(|path| {
        let file = path.metadata().ok().map(|meta| Identity::at(path, &meta));
        ListLine { path: Name(path.to_path_buf()), file }
    });
    PastRun { id, outcome: outcome.to_owned(), list, ..PastRun::default() }
}

fn write(folder: &Path, catalogue: &Catalogue, inputs: &[InputLine]) {
    let mut writer = Writer::new(&System, folder).expect("a file");
    catalogue.write(&mut writer).expect("lines");
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
        hash: Some([255; 16]),
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
        assert!(matches!(read, Err(ReadError::Unusable(_))), "{read:?}");
    }
}

#[test]
fn a_catalogue_of_another_version_is_set_aside_and_said() {
    for head in [
        "{\"type\":\"state\",\"version\":99}\n",
        "{\"type\":\"state\",\"version\":5,\"options\":[1],\"more\":{}}\n{\"type\":\"unit\"}\n",
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(CATALOGUE);
        fs::write(&path, head).expect("write");
        let said = " was made by another version of doiscan";
        let error = Store::open_to_look(folder.path()).expect_err("refused").to_string();
        assert!(error.contains(said), "{error}");
        let error = History::open(folder.path()).expect_err("refused").to_string();
        assert!(error.ends_with(said), "{error}");
        let store = Store::open(folder.path()).expect("a state");
        let (found, note) = store.begun().expect("a catalogue");
        assert!(found.runs.is_empty() && note.is_some_and(|note| note.contains(said)));
        let aside = folder.path().join("doiscan.jsonl.old-1");
        assert_eq!(fs::read_to_string(aside).expect("there"), head);
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
