//! Tests of whole runs, on a disk whose n-th call fails and with too little memory.

use super::{run, run_on, run_with};
use crate::error::Error;
use crate::figures::Stats;
use crate::output::{Layout, OutputFormat};
use crate::plan::report::{Report, ReportFile};
use crate::plan::{Plan, SideFile};
use crate::progress::Progress;
use doiscan_os::cancel::Cancel;
use doiscan_os::disk::Disk;
use doiscan_os::disk::faulty::{Faulty, Narrow};
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Creates two files with `count` names each, in different orders. Most names are in both.
fn folder(count: u64, name: impl Fn(u64) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    for (file, step) in [("a", 7_919), ("b", 104_729)] {
        let numbers = (0..count).map(|i| i * step % (count * 4 / 3 + 1));
        let text: String = numbers.map(|i| name(i) + "\n").collect();
        fs::write(folder.path().join(file), text).expect("write");
    }
    for name in ["temporary", "other"] {
        fs::create_dir(folder.path().join(name)).expect("folder");
    }
    folder
}

/// Names of various lengths.
fn mixed(i: u64) -> String {
    format!("10.{}/{}{i}", 1000 + i % 9, "J.".repeat(i as usize % 300))
}

/// Long names, two of which fill a buffer of the collector, so that a few dozen form a run. They
/// differ at their beginnings, so that a run has several blocks.
fn long(i: u64) -> String {
    format!("10.1000/{i}{}", "J".repeat(4_200))
}

fn plan(folder: &Path, memory: Option<usize>, threads: usize) -> Plan {
    Plan {
        inputs: vec![folder.join("a"), folder.join("b")],
        output: Some(folder.join("list")),
        memory,
        temporary: vec![folder.join("temporary")],
        threads: NonZeroUsize::new(threads),
        chunk: NonZeroUsize::new(20_000).expect("not zero"),
        scan: doiscan_core::scan::Options::default().with_max_length(8 * 1024),
        ..Plan::default()
    }
}

/// Like [`plan`], with a second folder for spilled names.
fn plan_of_two(folder: &Path, threads: usize) -> Plan {
    let temporary = vec![folder.join("temporary"), folder.join("other")];
    Plan { temporary, ..plan(folder, Some(1), threads) }
}

fn list(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("list")).expect("read")
}

/// The list and the figures of a run that spills nothing.
fn whole(folder: &Path) -> (Vec<u8>, Stats) {
    let stats = run(&plan(folder, None, 1), &()).expect("sound").stats;
    assert_eq!((stats.runs, stats.spilled_bytes), (0, 0));
    (list(folder), stats)
}

/// The figures that must not depend on how much is spilled.
fn counted(stats: &Stats) -> [u64; 4] {
    [stats.distinct, stats.pushed, stats.received, stats.written]
}

/// The files in the folders, except the inputs.
fn names(folder: &Path) -> Vec<String> {
    let entries = |folder| fs::read_dir(folder).expect("list").map(|e| e.expect("entry"));
    let folders = [folder.to_path_buf(), folder.join("temporary"), folder.join("other")];
    let name = |e: fs::DirEntry| e.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = folders.into_iter().flat_map(entries).map(name).collect();
    names.retain(|name| !["a", "b", "temporary", "other"].contains(&name.as_str()));
    names
}

/// Runs the plan once for each n, on a disk that fails in its n-th call. Passes the failed call and
/// the result of the run to `judge`. Returns the figures of the runs in which no call failed.
///
/// The hash that distributes names is random, so the number of calls varies between runs. The loop
/// therefore ends only after several runs without a failure.
fn fail_each(
    plan: &Plan,
    disk: impl Fn(u64) -> Faulty,
    mut judge: impl FnMut(&str, Result<Report, Error>),
) -> Vec<Stats> {
    let at = plan.output.as_deref().and_then(Path::parent).expect("a folder");
    let mut sound = Vec::new();
    for n in 0.. {
        fs::write(at.join("list"), "old").expect("write");
        let disk = Arc::new(disk(n));
        let calls = Arc::clone(&disk);
        let result = run_on(&(disk as Arc<dyn Disk>), plan, &[], &());
        assert_eq!(names(at), ["list"]);
        match calls.calls().get(n as usize) {
            Some(call) => judge(call, result),
            None => sound.push(result.expect("no fault").stats),
        }
        if sound.len() == 5 {
            break;
        }
    }
    sound
}

#[test]
fn less_memory_gives_the_same_list() {
    let folder = folder(9_000, mixed);
    let at = folder.path();
    let (expected, whole) = whole(at);
    let mut most = 0;
    for memory in [1, 5 << 20, 1 << 30] {
        for threads in [1, 2, 8] {
            let stats = run(&plan(at, Some(memory), threads), &()).expect("sound").stats;
            assert!(list(at) == expected, "{memory} {threads}");
            assert_eq!(counted(&stats), counted(&whole));
            assert_eq!(stats.runs > 0, stats.spilled_bytes > 0);
            most = most.max(stats.runs);
        }
    }
    assert!(most > 4, "several passes: {most} runs");
    assert_eq!(names(at), ["list"]);
}

/// Checks that a run which failed in `call` names a file and left the old list, or left `expected`
/// if only the folder remained to be synced.
fn check_failed(at: &Path, call: &str, error: &Error, expected: &[u8]) {
    let error = error.to_string();
    let says = |name| format!(" {}: injected fault in ", at.join(name).display());
    let is_named = ["list", "temporary", "other"].into_iter().any(|n| error.contains(&says(n)));
    assert!(is_named, "{error}");
    let is_in_place = call == "sync folder";
    assert_eq!(error.ends_with("; the new file is in place"), is_in_place, "{error}");
    let left = if is_in_place { expected } else { b"old" };
    assert!(list(at) == left, "{call}");
}

#[test]
fn each_call_that_fails_is_named_and_leaves_the_old_list_and_nothing_else() {
    let folder = folder(40, long);
    let at = folder.path();
    let (expected, whole) = whole(at);
    for (memory, threads) in [(None, 1), (Some(1), 1), (Some(1), 2)] {
        for for_ever in [false, true] {
            let judge = |call: &str, result: Result<Report, Error>| {
                check_failed(at, call, &result.expect_err(call), &expected);
            };
            let plan = plan(at, memory, threads);
            let sound = fail_each(&plan, |n| Faulty::new(n, for_ever), judge);
            assert!(list(at) == expected);
            assert!(sound.iter().all(|stats| counted(stats) == counted(&whole)));
            let most = sound.iter().map(|stats| stats.runs).max();
            assert!(memory.is_none() || most > Some(3), "several passes: {most:?} runs");
        }
    }
}

#[test]
fn what_a_folder_is_full_for_is_written_anew_in_the_next() {
    let folder = folder(40, long);
    let at = folder.path();
    let (expected, whole) = whole(at);
    for threads in [1, 2] {
        let mut anew = BTreeSet::new();
        let judge = |call: &str, result: Result<Report, Error>| match result {
            Ok(report) => {
                assert!(list(at) == expected && counted(&report.stats) == counted(&whole));
                anew.insert(call.to_owned());
            }
            Err(error) => {
                assert!(!call.ends_with("unnamed"), "{call}: {error}");
                check_failed(at, call, &error, &expected);
            }
        };
        fail_each(&plan_of_two(at, threads), |n| Faulty::new(n, false).full(), judge);
        // The first call of each kind comes at the same point in every run.
        assert!(["unnamed", "write unnamed"].iter().all(|&call| anew.contains(call)), "{anew:?}");
    }
}

#[test]
fn a_folder_that_is_full_within_a_run_is_left_for_the_next() {
    let folder = folder(60, long);
    let at = folder.path();
    let (expected, whole) = whole(at);
    for threads in [1, 2] {
        let mut was_full = 0;
        for room in (0..).step_by(150) {
            fs::write(at.join("list"), "old").expect("write");
            let disk = Arc::new(Narrow::new([(at.join("temporary"), room)]));
            let plan = plan_of_two(at, threads);
            let stats = run_on(&(Arc::clone(&disk) as Arc<dyn Disk>), &plan, &[], &());
            let stats = stats.expect("room in the other").stats;
            assert!(list(at) == expected && counted(&stats) == counted(&whole), "{room}");
            assert_eq!(names(at), ["list"]);
            if !disk.was_full() {
                break;
            }
            was_full += 1;
        }
        assert!(was_full > 10, "{was_full} times");
    }
}

#[test]
fn folders_that_are_all_full_are_all_named() {
    let folder = folder(40, long);
    let at = folder.path();
    for threads in [1, 2] {
        for room in [0, 100, 1_000] {
            fs::write(at.join("list"), "old").expect("write");
            let folders = ["temporary", "other"].map(|name| at.join(name));
            let disk = Narrow::new(folders.clone().map(|folder| (folder, room)));
            let disk: Arc<dyn Disk> = Arc::new(disk);
            let error = run_on(&disk, &plan_of_two(at, threads), &[], &()).expect_err("no room");
            for folder in &folders {
                let words = format!("cannot write a temporary file in {}: ", folder.display());
                assert_eq!(error.to_string().matches(&words).count(), 1, "{error}");
            }
            assert!(list(at) == b"old");
            assert_eq!(names(at), ["list"]);
        }
    }
}

#[test]
fn a_folder_that_is_none_is_named() {
    let folder = folder(40, long);
    let at = folder.path();
    fs::write(at.join("list"), "old").expect("write");
    let none = PathBuf::from("/dev/full");
    let plan = Plan { temporary: vec![none, at.join("temporary")], ..plan(at, Some(1), 1) };
    let error = run(&plan, &()).expect_err("no folder").to_string();
    assert!(error.starts_with("cannot create a temporary file in /dev/full: "), "{error}");
    assert!(list(at) == b"old");
}

#[test]
fn a_record_is_on_the_disk_before_the_list_is_put_in_place() {
    let folder = folder(50, mixed);
    let at = folder.path();
    let path = at.join("record");
    let record = ReportFile {
        flag: "--stats",
        path: Some(&path),
        text: &|report| report.stats.distinct.to_string(),
    };
    let mut calls = Vec::new();
    for n in 0.. {
        fs::write(at.join("list"), "old").expect("write");
        fs::write(&path, "old").expect("write");
        let disk = Arc::new(Faulty::new(n, false));
        let count = Arc::clone(&disk);
        let result = run_on(&(disk as Arc<dyn Disk>), &plan(at, None, 1), &[record], &());
        let mut left = names(at);
        left.sort();
        assert_eq!(left, ["list", "record"]);
        let is_old = |name| fs::read(at.join(name)).expect("read") == b"old";
        if result.is_ok() {
            assert!(!is_old("list") && !is_old("record"));
            calls = count.calls();
            break;
        }
        // The record is new only if the list is, and only if its own rename did not fail.
        let renamed = count.calls().iter().filter(|call| **call == "rename").count();
        let failed = count.calls().get(n as usize).is_some_and(|call| *call == "rename");
        let renamed = renamed - usize::from(failed);
        assert_eq!((!is_old("list"), !is_old("record")), (renamed > 0, renamed > 1), "{n}");
    }
    let end = ["sync", "rename", "sync folder", "rename", "sync folder"];
    assert_eq!(calls[calls.len() - 5..], end, "{calls:?}");
}

/// Cancels a run when it opens an input, or when it starts to write.
struct Canceller {
    cancel: Cancel,
    when_writing: bool,
}

impl Progress for Canceller {
    fn input(&self, _: &Path) {
        if !self.when_writing {
            self.cancel.cancel();
        }
    }

    fn writing(&self) {
        self.cancel.cancel();
    }
}

#[test]
fn a_cancelled_run_ends_and_leaves_the_old_list_and_nothing_else() {
    let folder = folder(900, mixed);
    let at = folder.path();
    for when_writing in [false, true] {
        for memory in [None, Some(1)] {
            fs::write(at.join("list"), "old").expect("write");
            let plan = plan(at, memory, 2);
            let canceller = Canceller { cancel: plan.cancel.clone(), when_writing };
            let error = run_with(&plan, &[], &canceller).expect_err("cancelled");
            assert!(matches!(error, Error::Cancelled), "{error}");
            assert!(list(at) == b"old");
            assert_eq!(names(at), ["list"]);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_input_without_an_end_is_cancelled() {
    let folder = folder(1, mixed);
    let inputs = vec![PathBuf::from("/dev/zero")];
    let plan = Plan { inputs, ..plan(folder.path(), None, 2) };
    let canceller = Canceller { cancel: plan.cancel.clone(), when_writing: false };
    let error = run_with(&plan, &[], &canceller).expect_err("cancelled");
    assert!(matches!(error, Error::Cancelled), "{error}");
}

#[test]
fn rows_are_old_or_new_together_with_the_list() {
    let folder = folder(40, |i| format!("10.5 {}", long(i)));
    let at = folder.path();
    let files = ["list", "hits.csv", "rejects.tsv.gz"];
    let target = |name: &str| {
        let path = at.join(name);
        Some(SideFile { layout: Layout::of(&path).expect("a layout").0, path })
    };
    let layout = Layout { format: OutputFormat::Jsonl, ..Layout::default() };
    for memory in [None, Some(1)] {
        let plan = Plan {
            layout,
            counts: true,
            hits: target(files[1]),
            rejects: target(files[2]),
            ..plan(at, memory, 1)
        };
        let mut sound = None;
        for n in 0.. {
            files.iter().for_each(|name| fs::write(at.join(name), "old").expect("write"));
            let disk = Arc::new(Faulty::new(n, false));
            let calls = Arc::clone(&disk);
            let result = run_on(&(disk as Arc<dyn Disk>), &plan, &[], &());
            let mut left = names(at);
            left.sort();
            assert_eq!(left, ["hits.csv", "list", "rejects.tsv.gz"]);
            let bytes = files.map(|name| fs::read(at.join(name)).expect("read"));
            let renamed = calls.calls().iter().filter(|call| **call == "rename").count();
            match result {
                Err(error) => {
                    let is_new = bytes.iter().any(|bytes| bytes != b"old");
                    assert!(!is_new || renamed > 0, "{n}: {error}");
                    assert!(error.to_string().contains("injected fault"), "{error}");
                }
                Ok(_) => {
                    assert_eq!(renamed, 3);
                    assert!(bytes.iter().all(|bytes| bytes != b"old"));
                    assert!(*sound.get_or_insert_with(|| bytes.clone()) == bytes);
                    break;
                }
            }
        }
    }
}
