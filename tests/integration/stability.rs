//! What earlier versions wrote is read: `docs/stability.md`, `testdata/stability`.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

use crate::command::shell;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Copies the files of an earlier version.
fn earlier() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/stability");
    let copy = format!("cp -R '{}'/. .", from.display());
    assert_eq!(shell(folder.path(), &copy).0, Some(0));
    folder
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a record")).expect("JSON")
}

/// Checks that each field of `old` is in `new`, with the same type where both have a value.
fn assert_has(new: &Value, old: &Value, at: &str) {
    match (new, old) {
        (_, Value::Null) | (Value::Null, _) => {}
        (Value::Object(new), Value::Object(old)) => {
            for (name, value) in old {
                let found = new.get(name).unwrap_or_else(|| panic!("{at}.{name} is gone"));
                assert_has(found, value, &format!("{at}.{name}"));
            }
        }
        _ => assert_eq!(
            std::mem::discriminant(new),
            std::mem::discriminant(old),
            "{at}: {new} for {old}"
        ),
    }
}

#[test]
fn a_state_goes_on() {
    let folder = earlier();
    fs::write(folder.path().join("in/new.txt"), "10.1000/new\n").expect("write");
    let run = "$D scan in -q -o counts.csv --counts --hits hits.jsonl --rejects rejects.tsv --per-input inputs.csv --state state \
               --added added.txt --removed removed.txt";
    let (status, _, said) = shell(folder.path(), run);
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("another version") && !said.contains("damaged"), "{said}");
    let read = |name| fs::read_to_string(folder.path().join(name)).expect("an output");
    assert_eq!((read("added.txt").as_str(), read("removed.txt").as_str()), ("10.1000/NEW\n", ""));
    let catalogue = read("state/doiscan.jsonl");
    let runs = catalogue.lines().filter(|line| line.starts_with(r#"{"type":"run""#));
    assert_eq!(runs.count(), 2, "the history has both runs");
    assert_eq!(shell(folder.path(), "$D report --state state -o report.html").0, Some(0));
}

#[test]
fn an_index_and_a_model_are_read() {
    let folder = earlier();
    let values = "printf '10.1234/journal.00007\n10.1234/journal.99999\n' |";
    let check = format!("{values} $D check -q --known known.doix | cut -f 6");
    assert_eq!(shell(folder.path(), &check).1, "known\nunknown\n");
    let scan = r"printf 'see 10.1234/jour-\nnal.00042 is' | $D scan -q --names";
    assert_eq!(shell(folder.path(), &format!("{scan} names.model")).1, "10.1234/JOURNAL.00042\n");
    assert_eq!(shell(folder.path(), &format!("{scan} built-in")).1, "10.1234/JOUR-NAL.00042\n");
}

#[test]
fn a_record_and_rows_keep_their_fields() {
    let folder = earlier();
    let run = "$D scan in -q -o counts.new.csv --counts --hits hits.new.jsonl --rejects rejects.new.tsv --per-input inputs.new.csv \
               --stats record.new.json --state new";
    assert_eq!(shell(folder.path(), run).0, Some(0));
    let path = |name: &str| folder.path().join(name);
    let (old, new) = (json(&path("record.json")), json(&path("record.new.json")));
    assert_eq!(old["schema_version"], new["schema_version"]);
    assert_has(&new, &old, "record");
    let first = |name: &str| {
        fs::read_to_string(path(name)).expect("rows").lines().next().unwrap_or_default().to_owned()
    };
    for (stem, suffix) in [("counts", "csv"), ("rejects", "tsv"), ("inputs", "csv")] {
        let (old, new) =
            (first(&format!("{stem}.{suffix}")), first(&format!("{stem}.new.{suffix}")));
        assert!(new.starts_with(&old), "{stem}: {new} for {old}");
    }
    let hit = |name| serde_json::from_str::<Value>(&first(name)).expect("JSON");
    assert_has(&hit("hits.new.jsonl"), &hit("hits.jsonl"), "hits");
}

#[test]
fn earlier_outputs_are_known_for_what_they_are() {
    let folder = earlier();
    let (status, list, said) =
        shell(folder.path(), "rm -r in names.txt; $D scan . --stats s.json -g '!*.md'");
    assert_eq!((status, list.as_str()), (Some(0), ""), "{said}");
    assert_eq!(json(&folder.path().join("s.json"))["earlier_outputs"], 7);
    let (status, list, said) = shell(folder.path(), "$D merge -q counts.csv | wc -l");
    assert_eq!((status, list.trim()), (Some(0), "8"), "{said}");
}
