//! `--state` and the folder: what is not a state is left alone, and what is damaged is read again.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{is_for_windows, shell};
use crate::state::{Nights, three};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const SCAN: &str = "timeout 20 $D scan in -q -o list.txt --state S --added added --removed removed";

/// Makes a folder with inputs.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let script = "mkdir in; for n in a b c; do echo doi:10.1000/$n doi:10.1000/all > in/$n; done; sleep 0.06";
    assert_eq!(shell(folder.path(), script).0, Some(0));
    folder
}

/// Returns the content of all files below a folder, and the targets of links.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("list") {
        let path = entry.expect("entry").path();
        match path.symlink_metadata().expect("meta") {
            meta if meta.is_dir() => found.extend(content(&path)),
            meta if meta.is_file() => found.push((path.clone(), fs::read(&path).expect("read"))),
            _ => {}
        }
        found.push((path, Vec::new()));
    }
    found.sort();
    found
}

/// Whether a line of shell makes links or pipes.
fn needs_unix(line: &str) -> bool {
    line.contains("ln -s") || line.contains("mkfifo")
}

#[test]
fn a_folder_that_is_no_state_is_left_alone() {
    for (make, expected) in [
        ("mkdir -p S/segments; echo x > S/segments/a.wav", "it holds segments"),
        ("mkdir -p S/segments; echo x > S/segments/00000001.names", "it holds segments"),
        ("mkdir S home; echo x > home/a; ln -s ../home S/segments", "segments is not a folder"),
        ("mkdir S; echo mine > S/lock", "it holds lock"),
        ("mkdir S; echo mine > mine; ln mine S/lock", "lock is a hard link with 2 names"),
        ("mkdir S; echo mine > mine; ln -s ../mine S/lock", "lock is a symbolic link"),
        ("mkdir S; ln -s ../none S/lock", "lock is a symbolic link"),
        ("mkdir S; mkfifo S/lock", "lock is not a regular file"),
        ("mkdir S; echo mine > S/doiscan.jsonl", "it holds doiscan.jsonl"),
        ("mkdir S; echo '{\"type\":\"run\"}' > S/doiscan.jsonl", "it holds doiscan.jsonl"),
        ("mkdir S; : > mine; ln -s ../mine S/doiscan.jsonl", "doiscan.jsonl is a symbolic link"),
        ("mkdir S; mkfifo S/doiscan.jsonl", "doiscan.jsonl is not a regular file"),
        ("mkdir S; mkfifo S/doiscan.jsonl.new", "doiscan.jsonl.new is not a regular file"),
        ("mkdir S; echo x > S/notes.txt", "it holds notes.txt"),
        ("echo x > S", "expected a folder"),
    ] {
        if needs_unix(make) && is_for_windows() {
            continue;
        }
        let folder = inputs();
        assert_eq!(shell(folder.path(), make).0, Some(0));
        let before = content(folder.path());
        for command in
            [SCAN, "timeout 20 $D scan in --state S --dry-run", "timeout 20 $D report --state S"]
        {
            let (status, _, err) = shell(folder.path(), command);
            assert_eq!(status, Some(2), "{make}: {err}");
            assert!(err.contains("state S: ") && err.contains(expected), "{make}: {err}");
            assert!(content(folder.path()) == before, "{make}: {command}");
        }
    }
}

#[test]
fn files_of_the_user_in_a_state_stay() {
    let folder = inputs();
    let make = match is_for_windows() {
        true => "cp mine S/segments/00000099.txt",
        false => "ln -s ../../mine S/segments/00000099.names",
    };
    let script = format!(
        "{SCAN} && mkdir S/segments/d && echo x | tee S/a.txt S/segments/a.wav S/segments/1.names S/segments/d/b \
         && echo mine > mine && {make} && sleep 0.06 && {SCAN} && cat mine \
         S/a.txt S/segments/a.wav S/segments/1.names S/segments/d/b"
    );
    let (status, out, err) = shell(folder.path(), &script);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.ends_with("mine\nx\nx\nx\nx\n"), "{out}");
}

#[test]
fn a_segment_that_is_a_pipe_or_a_link_is_read_again() {
    let link = "cp kept mine; ln -s ../../mine S/segments/$n";
    for make in ["mkfifo S/segments/$n", "mkdir S/segments/$n", link] {
        if needs_unix(make) && is_for_windows() {
            continue;
        }
        let folder = inputs();
        let script = format!(
            "{SCAN} && n=$(ls S/segments | grep names) && mv S/segments/$n kept && {make}
             {SCAN} && cat added removed; cmp kept mine 2>&1"
        );
        let (status, out, err) = shell(folder.path(), &script);
        assert_eq!(
            (status == Some(0), out.is_empty()),
            (make == link, make == link),
            "{make}: {err}"
        );
        assert!(err.contains("every input is read again"), "{make}: {err}");
        assert_eq!(lines(folder.path().join("list.txt")).len(), 4);
    }
}

fn lines(path: PathBuf) -> BTreeSet<String> {
    let text = fs::read(path).expect("read");
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}

/// Flips every `stride`-th bit of a catalogue, and checks the two nights after
/// that.
fn flip(stride: usize) {
    let folder = inputs();
    let script = format!(
        "{SCAN} && rm in/b && echo doi:10.1000/new > in/a && echo doi:10.1000/d > in/d && sleep 0.06 \
         && cp -r S base && cp list.txt base/list.txt && timeout 20 $D scan in -q -o full.txt"
    );
    let (status, _, err) = shell(folder.path(), &script);
    assert_eq!(status, Some(0), "{err}");
    let catalogue = fs::read(folder.path().join("base/doiscan.jsonl")).expect("read");
    let bits = catalogue.len() * 8;
    let places: Vec<(usize, usize)> =
        (0..bits).step_by(stride).chain(bits - 8..bits).map(|bit| (bit / 8, bit % 8)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(&(at, bit)) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut bytes = catalogue.clone();
                    bytes[at] ^= 1 << bit;
                    night_after(folder.path(), &bytes, &format!("bit {bit} of byte {at}"));
                }
            });
        }
    });
}

/// Runs two nights on a state whose catalogue consists of `catalogue`.
fn night_after(at: &Path, catalogue: &[u8], what: &str) {
    let work = tempfile::tempdir_in(at).expect("folder");
    let path = |name: &str| work.path().join(name);
    let script = "cp -r ../base S && mv S/list.txt . && ln -s ../in in && sleep 0.06";
    assert_eq!(shell(work.path(), script).0, Some(0));
    fs::write(path("S/doiscan.jsonl"), catalogue).expect("write");
    let (old, full) = (lines(path("list.txt")), lines(at.join("full.txt")));
    let difference =
        |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
    for (added, removed) in [(difference(&full, &old), difference(&old, &full)), Default::default()]
    {
        let (status, _, err) = shell(work.path(), SCAN);
        assert_eq!(status, Some(0), "{what}: {err}");
        assert_eq!(lines(path("list.txt")), full, "{what}: {err}");
        let found: [BTreeSet<String>; 2] = ["added", "removed"].map(|name| lines(path(name)));
        assert_eq!(found, [added, removed], "{what}: {err}");
    }
    let (status, _, err) = shell(work.path(), "$D report --state S -o r.html");
    assert_eq!(status, Some(0), "{what}: {err}");
}

#[test]
fn no_flipped_bit_of_a_catalogue_changes_a_night() {
    flip(977);
}

#[test]
#[ignore = "takes an hour"]
fn no_bit_of_all_changes_a_night() {
    flip(1);
}

#[test]
fn a_state_of_an_earlier_night_is_read_as_that_night() {
    let folder = inputs();
    let script = format!(
        "{SCAN} && cp -a S old && rm in/b && echo doi:10.1000/new > in/a && sleep 0.06 && {SCAN} && cp -a S new \
         && rm -r S && cp -a old S && echo doi:10.1000/d > in/d && sleep 0.06 && {SCAN} && cat added && echo - && cat removed"
    );
    let (status, out, err) = shell(folder.path(), &script);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    // Compared with the night of the state, not with the last one.
    assert_eq!(out, "10.1000/D\n10.1000/NEW\n-\n10.1000/A\n10.1000/B\n");
    // A catalogue of one night with the segments of another.
    let (status, _, err) = shell(
        folder.path(),
        &format!("cp new/doiscan.jsonl S/; {SCAN} && $D scan in -q -o full.txt"),
    );
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(lines(folder.path().join("list.txt")), lines(folder.path().join("full.txt")));
}

#[test]
fn without_a_good_run_changes_are_those_against_the_old_list() {
    let folder = inputs();
    let run = |script: &str| {
        let (status, out, err) = shell(folder.path(), script);
        assert_eq!(status, Some(0), "{err}");
        (out, err)
    };
    let told = format!("{SCAN} --stats s.json && cat added && echo - && cat removed");
    run("printf '10.1000/A\\n10.1000/OLD\\n' > list.txt");
    assert_eq!(run(&told).0, "10.1000/ALL\n10.1000/B\n10.1000/C\n-\n10.1000/OLD\n");
    assert!(run("cat s.json").0.contains("\"added\": 3"));
    // A list that is not one says nothing.
    let (out, err) = run(&format!("rm -r S; echo 'no list' > list.txt; {told}"));
    assert_eq!(out.lines().count(), 5);
    assert!(
        err.contains("additions and removals are unknown, and every DOI is an addition"),
        "{err}"
    );
    assert!(run("cat s.json").0.contains("\"added\": null"));
    // Nor does one in the other case.
    let (out, _) = run(&format!("rm -r S; echo 10.1000/a > list.txt; {told}"));
    assert_eq!(out, "10.1000/A\n10.1000/ALL\n10.1000/B\n10.1000/C\n-\n");
}

#[test]
fn a_file_of_the_user_in_a_state_is_neither_removed_nor_replaced() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join("in"), "10.1000/a\n").expect("write");
    let line = "$D scan in -o list -q --state S";
    assert_eq!(shell(at, line).0, Some(0));
    fs::write(at.join("S/doiscan.jsonl.old-1"), "mine\n").expect("write");
    for aside in ["doiscan.jsonl.old-2", "doiscan.jsonl.old-3"] {
        fs::write(at.join("S/doiscan.jsonl"), "no database ".repeat(1_000)).expect("write");
        let (status, _, err) = shell(at, line);
        assert_eq!(status, Some(0), "{err}");
        assert!(err.contains(&format!("was renamed to {aside};")), "{err}");
        assert!(at.join("S").join(aside).exists());
    }
    assert_eq!(fs::read(at.join("S/doiscan.jsonl.old-1")).expect("read"), b"mine\n");
}

#[test]
fn a_run_that_is_refused_makes_no_state() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::create_dir_all(at.join("empty")).expect("make");
    fs::write(at.join("in"), "10.1000/a\n").expect("write");
    let before = content(at);
    for line in [
        "empty --state empty",
        "empty/x --state empty",
        "empty --state empty/S",
        "S --state S",
        "none --state S",
        "in --state S -o in",
    ] {
        let (status, _, err) = shell(at, &format!("$D scan {line}"));
        assert_eq!(status, Some(2), "{line}: {err}");
        assert!(before == content(at), "{line}");
    }
    assert_eq!(shell(at, "$D scan in empty --state empty -o list").0, Some(0));
    assert!(at.join("empty/doiscan.jsonl").exists());
}

#[cfg(unix)]
#[test]
fn a_file_is_gone_although_a_name_that_led_to_another_now_leads_to_a_file_with_its_number() {
    let nights = Nights::new("");
    three(&nights);
    assert_eq!(shell(nights.folder.path(), "ln -s a in/z").0, Some(0));
    nights.run("");
    // The file is the same, so that its number is; `in/b` is gone.
    let day = "sleep 0.06; rm in/z; mv in/b in/z";
    assert_eq!(shell(nights.folder.path(), day).0, Some(0));
    let (figures, _) = nights.run("");
    let numbers = ["inputs_gone", "inputs_new"].map(|name| figures[name].as_u64());
    assert_eq!(numbers, [Some(1), Some(1)]);
}

#[test]
fn a_refused_run_to_another_list_hides_no_input_that_is_gone() {
    let nights = Nights::new("");
    three(&nights);
    nights.run("");
    nights.write("other", "10.1000/OTHER\n");
    let refused = "$D scan in -q -o other --state S --fail-on 'distinct < 100'";
    assert_eq!(shell(nights.folder.path(), refused).0, Some(1));
    fs::remove_file(nights.at("in/b")).expect("remove");
    let (figures, _) = nights.run("");
    let numbers = ["inputs_gone", "inputs_new", "removed"].map(|name| figures[name].as_u64());
    assert_eq!(numbers, [Some(1), Some(0), Some(1)]);
}
