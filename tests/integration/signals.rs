//! Signals: a run that is ended leaves only the old file, and a file that shrinks while it is
//! mapped does not end a run.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{program, shell};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a run that waits for its standard input and has created its temporary file.
fn waiting(folder: &Path) -> Child {
    fs::write(folder.join("list"), "old\n").expect("write");
    let mut child = Command::new(program())
        .args(["scan", "-q", "-", "-o", "list"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let input = child.stdin.as_mut().expect("a pipe");
    // More than a head, so that the run has started to scan.
    input.write_all(&b"10.1000/182 and words\n".repeat(10_000)).expect("write");
    let begin = Instant::now();
    while fs::read_dir(folder).expect("list").count() < 2 {
        assert!(begin.elapsed() < Duration::from_secs(20), "no temporary file");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

/// Whether this process, and thus its children, ignore a signal.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

fn kill(child: &Child, signal: &str) {
    let (status, ..) = shell(Path::new("."), &format!("kill -{signal} {}", child.id()));
    assert_eq!(status, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_the_old_file_and_nothing_else() {
    let signals = [
        ("INT", 2),
        ("TERM", 15),
        ("HUP", 1),
        ("QUIT", 3),
        ("XCPU", 24),
        ("ALRM", 14),
        ("USR1", 10),
        ("USR2", 12),
        ("VTALRM", 26),
        ("PROF", 27),
        ("ABRT", 6),
        ("SYS", 31),
        ("TRAP", 5),
        // IO, STKFLT, PWR, and the first and the last of those for any use.
        ("29", 29),
        ("16", 16),
        ("30", 30),
        ("34", 34),
        ("64", 64),
    ];
    // Ignored signals stay ignored. A shell ignores some for background processes.
    for (signal, number) in signals.into_iter().filter(|&(_, number)| !is_ignored(number)) {
        let folder = tempfile::tempdir().expect("folder");
        let mut child = waiting(folder.path());
        kill(&child, signal);
        let status = child.wait().expect("ends");
        assert_eq!(status.signal(), Some(number), "{signal}");
        assert_eq!(fs::read(folder.path().join("list")).expect("list"), b"old\n");
        assert_eq!(fs::read_dir(&folder).expect("list").count(), 1, "{signal}");
        let said = std::io::read_to_string(child.stderr.take().expect("a pipe")).expect("text");
        assert_eq!(said, "doiscan: interrupted; output files are unchanged\n", "{signal}");
    }
}

/// Signals come while commands start, and `kill -9` while they run.
#[cfg(target_os = "linux")]
#[test]
fn no_command_of_pre_outlives_the_run() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::create_dir(at.join("in")).expect("folder");
    (0..40).for_each(|n| fs::write(at.join(format!("in/{n}.x")), "x").expect("write"));
    let time = format!("60.{}", std::process::id());
    fs::write(at.join("pre"), format!("#!/bin/sh\nexec sleep {time}\n")).expect("write");
    assert_eq!(shell(at, "chmod +x pre").0, Some(0));
    let words = format!("sleep\0{time}\0").into_bytes();
    let is_left =
        |entry: &fs::DirEntry| fs::read(entry.path().join("cmdline")).is_ok_and(|is| is == words);
    let signals = [("TERM", 15), ("HUP", 1), ("KILL", 9)];
    let signals: Vec<_> = signals.iter().filter(|(_, number)| !is_ignored(*number)).collect();
    for n in 0..80 {
        let mut run = Command::new(program())
            .args(["scan", "-q", "in", "--pre", "./pre", "-j", "8", "-o", "list"])
            .current_dir(at)
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        std::thread::sleep(Duration::from_millis(n * 7 % 80));
        kill(&run, signals[n as usize % signals.len()].0);
        run.wait().expect("ends");
        let is_any_left =
            || fs::read_dir("/proc").expect("list").flatten().any(|entry| is_left(&entry));
        // A loaded machine ends them later.
        let ends = Instant::now() + Duration::from_secs(10);
        while is_any_left() {
            assert!(Instant::now() < ends, "run {n}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_an_error_that_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let text: String = (0..400_000).map(|i| format!("10.1000/{i}.{}\n", i * 7)).collect();
    fs::write(at.join("in"), text).expect("write");
    fs::write(at.join("list"), "old\n").expect("write");
    // The kernel kills a process whose executable does not fit. A debug build has over 16 MB.
    let starts = |megabytes: &u32| {
        shell(at, &format!("ulimit -v {}; exec $D --version", megabytes * 1024)).0 == Some(0)
    };
    let least = (8..512).step_by(8).find(starts).expect("a limit under which the command starts");
    let mut ended = 0;
    for megabytes in [0, 8, 16, 32, 48].map(|more| least + more) {
        let line = format!("ulimit -v {}; exec $D scan -q -j 2 in -o list", megabytes * 1024);
        let (status, _, err) = shell(at, &line);
        assert!(matches!(status, Some(0 | 2)), "{megabytes}: {status:?} {err}");
        assert_eq!(fs::read_dir(&folder).expect("list").count(), 2, "{megabytes}");
        if err == "doiscan: out of memory\n" {
            assert_eq!(fs::read(at.join("list")).expect("list"), b"old\n");
            ended += 1;
        }
    }
    assert!(ended > 0, "no limit was too little");
}

/// The main stack of a process grows, and a limit that forbids it is a SIGSEGV.
#[cfg(target_os = "linux")]
#[test]
fn a_stack_that_cannot_grow_ends_no_run() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    fs::write(at.join("in"), "10.1000/182\n".repeat(1000)).expect("write");
    let ends = |kilobytes: u32| {
        let line = format!("ulimit -v {kilobytes}; exec $D scan -q -j 2 in -o list");
        shell(at, &line)
    };
    // Below this limit, the system cannot load the executable.
    let is_loaded = |&kilobytes: &u32| matches!(ends(kilobytes).0, Some(0 | 2));
    let least = (8..512).map(|megabytes| megabytes * 1024).find(is_loaded).expect("a limit");
    let mut complete = 0;
    for kilobytes in (least..).step_by(64) {
        let (status, _, err) = ends(kilobytes);
        assert!(matches!(status, Some(0 | 2)), "{kilobytes}: {status:?} {err}");
        complete += u32::from(status == Some(0));
        if complete > 64 {
            break;
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_limit_of_the_stack_changes_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("in"), "10.1000/182\n").expect("write");
    for rows in ["", "--counts --output-format csv --hits h.parquet --rejects r.csv.zst"] {
        let line = format!("ulimit -s 64; exec $D scan -q in {rows}");
        let (status, out, err) = shell(folder.path(), &line);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{rows}");
        assert!(out.contains("10.1000/182"), "{rows}");
    }
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("in"), "10.1000/182\n").expect("write");
    let line = "trap '' HUP; mkfifo p; $D scan -q p -o list & d=$!; exec 3> p; sleep 0.1; \
                kill -HUP $d; cat in >&3; exec 3>&-; wait $d";
    let (status, _, err) = shell(folder.path(), line);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert_eq!(fs::read(folder.path().join("list")).expect("list"), b"10.1000/182\n");
}

#[test]
fn a_mapped_file_that_shrinks_while_it_is_read_ends_no_run() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("in");
    let block = b"some words and 10.1000/182 in a line of text, and more words\n".repeat(16 * 1024);
    for round in 0..6 {
        let mut file = File::create(&path).expect("create");
        for _ in 0..40 {
            file.write_all(&block).expect("write");
        }
        let child = Command::new(program())
            .args(["scan", "in", "-o", "list", "--io", "mmap", "-j", "2"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        std::thread::sleep(Duration::from_millis(round * 4));
        let cut = OpenOptions::new().write(true).open(&path).expect("open");
        cut.set_len(4_096 * round).expect("cut");
        let output = child.wait_with_output().expect("ends");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), None, "{words}");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{words}");
        let is_problem =
            |line: &str| line.starts_with("doiscan: in: ") && !line.ends_with("is empty");
        let is_named = words.lines().any(is_problem);
        assert_eq!(is_named, output.status.code() == Some(3), "{words}");
    }
}
