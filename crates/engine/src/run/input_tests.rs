//! Tests of whole runs over inputs that change, or that decompress to too much data.

use super::run;
use crate::plan::Plan;
use crate::plan::report::Report;
use crate::progress::Progress;
use doiscan_input::{Io, Limits};
use std::fs;
use std::io::{Seek, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

fn scan(file: PathBuf, threads: usize, limits: Limits, progress: &dyn Progress) -> Report {
    scan_plan(file, threads, progress, Plan { limits, ..Plan::default() })
}

fn scan_plan(file: PathBuf, threads: usize, progress: &dyn Progress, plan: Plan) -> Report {
    let plan = Plan {
        output: Some(file.with_extension("list")),
        inputs: vec![file],
        threads: NonZeroUsize::new(threads),
        chunk: NonZeroUsize::new(20_000).expect("not zero"),
        ..plan
    };
    run(&plan, progress).expect("a list")
}

/// Rewrites a file in place when the first bytes are scanned.
struct Rewrite<'a>(&'a Path, Duration, AtomicBool);

impl Progress for Rewrite<'_> {
    fn add(&self, bytes: u64) {
        if bytes > 0 && !self.2.swap(true, Ordering::Relaxed) {
            let mut file = fs::File::options().write(true).open(self.0).expect("open");
            file.rewind().expect("seek");
            file.write_all(b"10.1000/new").expect("write");
            file.set_modified(UNIX_EPOCH + self.1).expect("time");
        }
    }
}

#[test]
fn a_file_rewritten_while_it_is_scanned_in_chunks_is_reported() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("in");
    fs::write(&path, "10.1000/old and words\n".repeat(10_000)).expect("write");
    for threads in [1, 2] {
        let progress = Rewrite(&path, Duration::from_secs(threads), AtomicBool::new(false));
        let report = scan(path.clone(), threads as usize, Limits::default(), &progress);
        let messages: Vec<_> = report.problems.iter().map(|p| p.message.as_str()).collect();
        assert!(matches!(messages[..], [m] if m.starts_with("changed while")), "{messages:?}");
    }
}

#[test]
fn members_decoded_ahead_count_against_the_limits() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("in.gz");
    let mut file = fs::File::create(&path).expect("create");
    let text = "10.1000/182 and words, ".repeat(20_000);
    for _ in 0..40 {
        let mut gzip = flate2::write::GzEncoder::new(&mut file, flate2::Compression::none());
        gzip.write_all(text.as_bytes()).expect("write");
        gzip.finish().expect("end");
    }
    let whole = scan(path.clone(), 2, Limits::default(), &());
    assert_eq!((whole.stats.counts.accepted, whole.problems.len()), (800_000, 0));
    let size = 3_000_000;
    for threads in [1, 2, 4] {
        let limits = Limits { size, ..Limits::default() };
        let report = scan(path.clone(), threads, limits, &());
        assert_eq!(report.problems.len(), 1, "{threads}");
        let bytes = report.stats.counts.bytes;
        assert!(bytes <= size + 16 * 1024 * 1024 && bytes < whole.stats.counts.bytes, "{bytes}");
    }
}

#[test]
fn the_third_codec_in_one_another_has_a_smaller_window() {
    let folder = tempfile::tempdir().expect("folder");
    let pack = |bytes: &[u8], window: u32| {
        let mut zstd = zstd::stream::Encoder::new(Vec::new(), 1).expect("encoder");
        zstd.window_log(window).expect("a window");
        zstd.write_all(bytes).expect("write");
        zstd.finish().expect("end")
    };
    let inner = pack(b"10.1000/182\n", 25);
    let two = pack(&inner, 20);
    for (name, bytes, problems) in [("two.zst", &two, 0), ("three.zst", &pack(&two, 20), 1)] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("write");
        let report = scan(path, 1, Limits::default(), &());
        assert_eq!(report.problems.len(), problems, "{name}: {:?}", report.problems);
        assert_eq!(report.stats.distinct, 1 - problems as u64, "{name}");
    }
}

#[test]
fn the_longest_name_can_be_any_number() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("in");
    let text = format!("10.1000/{} and 10.1000/182\n", "x".repeat(100_000));
    fs::write(&path, text).expect("write");
    let plan = Plan {
        inputs: vec![path.clone()],
        output: Some(folder.path().join("list")),
        scan: doiscan_core::scan::Options::default().with_max_length(usize::MAX),
        ..Plan::default()
    };
    assert_eq!(run(&plan, &()).expect("a list").stats.distinct, 2);
}

/// Replaces the file `b` by `new` before the first input is opened.
struct Replace<'a> {
    folder: &'a Path,
    new: &'a str,
    is_done: AtomicBool,
}

impl Progress for Replace<'_> {
    fn input(&self, _: &Path) {
        if !self.is_done.swap(true, Ordering::Relaxed) {
            fs::remove_file(self.folder.join("in/b")).expect("remove");
            fs::hard_link(self.folder.join(self.new), self.folder.join("in/b")).expect("link");
        }
    }
}

#[test]
fn the_file_that_replaced_an_input_before_it_is_opened_is_read() {
    for (new, distinct, problems) in [
        ("small", 3, 0),
        ("large", 3, 0),
        ("empty", 1, 0),
        // An output, or an input under another name.
        ("list", 1, 1),
        ("in/a", 1, 1),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let at = folder.path();
        fs::create_dir(at.join("in")).expect("folder");
        let write = |name: &str, text: &str| fs::write(at.join(name), text).expect("write");
        // The largest is read first.
        write("in/a", &format!("10.1000/a {}", "words ".repeat(100)));
        write("in/b", "10.1000/old\n");
        write("small", "10.1000/old\n10.1000/new\n");
        write("large", &"10.1000/old and words\n10.1000/new\n".repeat(10_000));
        write("empty", "");
        write("list", "10.1000/LIST\n");
        let plan = Plan {
            inputs: vec![at.join("in")],
            output: Some(at.join("list")),
            threads: NonZeroUsize::new(1),
            chunk: NonZeroUsize::new(20_000).expect("not zero"),
            ..Plan::default()
        };
        let progress = Replace { folder: at, new, is_done: AtomicBool::new(false) };
        let report = run(&plan, &progress).expect("a list");
        let found = (report.stats.distinct, report.problems.len());
        assert_eq!(found, (distinct, problems), "{new}: {:?}", report.problems);
        for problem in &report.problems {
            assert_eq!(problem.message, "was replaced by another file during the run");
        }
    }
}

/// Truncates a file when it is opened, or when the first bytes are scanned.
struct Truncate<'a>(&'a Path, bool, AtomicBool);

impl Truncate<'_> {
    fn truncate(&self) {
        if !self.2.swap(true, Ordering::Relaxed) {
            let file = fs::File::options().write(true).open(self.0).expect("open");
            file.set_len(30_007).expect("truncate");
        }
    }
}

impl Progress for Truncate<'_> {
    fn input(&self, _: &Path) {
        if self.1 {
            self.truncate();
        }
    }

    fn add(&self, bytes: u64) {
        if bytes > 0 {
            self.truncate();
        }
    }
}

#[test]
fn the_bytes_that_a_truncated_file_lost_are_counted() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("in");
    let ios = [Io::READ, doiscan_os::io::command::MMAP];
    for (io, is_early) in ios.into_iter().flat_map(|io| [(io, true), (io, false)]) {
        fs::write(&path, "10.1000/old and words\n".repeat(10_000)).expect("write");
        let progress = Truncate(&path, is_early, AtomicBool::new(false));
        let report = scan_plan(path.clone(), 1, &progress, Plan { io, ..Plan::default() });
        let counts = &report.stats.counts;
        assert_eq!((counts.bytes, counts.lost), (30_007, 189_993), "{io:?} {is_early}");
        // One problem, not one for each chunk behind the end.
        let messages: Vec<_> = report.problems.iter().map(|p| p.message.as_str()).collect();
        let words =
            "changed from 220000 to 30007 bytes while it was read; the DOIs found in it are kept";
        assert_eq!(messages, [words], "{io:?} {is_early}");
    }
}
