//! Whole runs on a disk whose n-th call fails, and with less memory than they need.

use super::*;
use crate::collect::disk::faulty::Faulty;
use std::fs;

/// Some `count` names, in two files in different orders.
fn folder(count: u64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    for (file, step) in [("a", 7_919), ("b", 104_729)] {
        let names = (0..count).map(|i| i * step % (count * 2 / 3 + 1));
        let text: String = names
            .map(|i| format!("10.{}/{}{i}\n", 1000 + i % 9, "J.".repeat(i as usize % 300)))
            .collect();
        fs::write(folder.path().join(file), text).expect("write");
    }
    fs::create_dir(folder.path().join("temporary")).expect("folder");
    folder
}

fn plan(folder: &Path, memory: Option<usize>, threads: usize) -> Plan {
    Plan {
        inputs: vec![folder.join("a"), folder.join("b")],
        output: Some(folder.join("list")),
        memory,
        temporary: vec![folder.join("temporary")],
        threads: NonZeroUsize::new(threads),
        chunk: NonZeroUsize::new(20_000).expect("not zero"),
        ..Plan::default()
    }
}

fn list(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("list")).expect("read")
}

/// What is in the folder but for the inputs.
fn names(folder: &Path) -> Vec<String> {
    let entries = |folder| fs::read_dir(folder).expect("list").map(|e| e.expect("entry"));
    let all = entries(folder.to_path_buf()).chain(entries(folder.join("temporary")));
    let name = |e: fs::DirEntry| e.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = all.map(name).collect();
    names.retain(|name| !["a", "b", "temporary"].contains(&name.as_str()));
    names
}

#[test]
fn less_memory_gives_the_same_list() {
    let folder = folder(9_000);
    let at = folder.path();
    let whole = run(&plan(at, None, 1), &()).expect("sound").stats;
    assert_eq!((whole.runs, whole.spilled_bytes), (0, 0));
    let expected = list(at);
    let mut most = 0;
    for memory in [1, 5 << 20, 1 << 30] {
        for threads in [1, 2, 8] {
            let stats = run(&plan(at, Some(memory), threads), &()).expect("sound").stats;
            assert!(list(at) == expected, "{memory} {threads}");
            let counted = (stats.distinct, stats.pushed, stats.received, stats.written);
            assert_eq!(counted, (whole.distinct, whole.pushed, whole.received, whole.written));
            assert_eq!(stats.runs > 0, stats.spilled_bytes > 0);
            most = most.max(stats.runs);
        }
    }
    assert!(most > 4, "several passes: {most} runs");
    assert_eq!(names(at), ["list"]);
}

#[test]
fn a_call_that_fails_is_named_and_leaves_the_old_list_and_nothing_else() {
    let folder = folder(4_000);
    let at = folder.path();
    for (memory, threads) in [(None, 1), (Some(1), 1), (Some(1), 2)] {
        for for_ever in [false, true] {
            let (mut n, mut expected) = (0, None);
            loop {
                fs::write(at.join("list"), "old").expect("write");
                let disk = Arc::new(Faulty::new(n, for_ever));
                let calls = Arc::clone(&disk);
                let result =
                    run_on(&(disk as Arc<dyn Disk>), &plan(at, memory, threads), None, &());
                let calls = calls.calls();
                assert_eq!(names(at), ["list"]);
                let Some(&call) = calls.get(n as usize) else {
                    result.expect("no fault");
                    expected.get_or_insert_with(|| list(at));
                    break;
                };
                let error = result.expect_err(call).to_string();
                assert!(error.contains("injected fault in "), "{error}");
                // Only the folder is still to be synced: the new list is there, and whole.
                let is_late = call == "sync folder";
                assert_eq!(list(at) == b"old", !is_late, "{call} {n}");
                // All of the first calls, then some of the many.
                n += if n < 9 || calls.len() as u64 - n < 9 { 1 } else { 23 };
            }
            assert!(expected.is_some_and(|list| list.len() > 300_000));
            assert!(memory.is_none() || n > 12, "{n} calls");
        }
    }
}

#[test]
fn a_record_is_on_the_disk_before_the_list_is_put_in_place() {
    let folder = folder(50);
    let at = folder.path();
    let path = at.join("record");
    let record = Record { path: &path, text: &|report| report.stats.distinct.to_string() };
    let mut calls = Vec::new();
    for n in 0.. {
        fs::write(at.join("list"), "old").expect("write");
        fs::write(&path, "old").expect("write");
        let disk = Arc::new(Faulty::new(n, false));
        let count = Arc::clone(&disk);
        let result = run_on(&(disk as Arc<dyn Disk>), &plan(at, None, 1), Some(record), &());
        let mut left = names(at);
        left.sort();
        assert_eq!(left, ["list", "record"]);
        let is_old = |name| fs::read(at.join(name)).expect("read") == b"old";
        if result.is_ok() {
            assert!(!is_old("list") && !is_old("record"));
            calls = count.calls();
            break;
        }
        // The record is new only where the list is, and is not where its rename failed.
        let renamed = count.calls().iter().filter(|call| **call == "rename").count();
        let failed = count.calls().get(n as usize).is_some_and(|call| *call == "rename");
        let renamed = renamed - usize::from(failed);
        assert_eq!((!is_old("list"), !is_old("record")), (renamed > 0, renamed > 1), "{n}");
    }
    let end = ["sync", "rename", "sync folder", "rename", "sync folder"];
    assert_eq!(calls[calls.len() - 5..], end, "{calls:?}");
}

#[test]
fn a_full_folder_is_left_for_the_next() {
    let folder = folder(4_000);
    let at = folder.path();
    run(&plan(at, None, 1), &()).expect("sound");
    let expected = list(at);
    let full = Plan {
        temporary: vec![PathBuf::from("/dev/full"), at.join("temporary")],
        ..plan(at, Some(1), 1)
    };
    let error = run(&full, &()).expect_err("no folder").to_string();
    assert!(error.starts_with("cannot make a temporary file in /dev/full: "), "{error}");
    assert!(list(at) == expected);
}
