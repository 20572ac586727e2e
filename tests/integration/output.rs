//! `-o FILE`: either the old file or the complete new one.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::{doiscan, is_for_windows, make_unreadable, shell};
use std::fs;
use std::path::Path;

const TEXT: &str = "10.1000/abc123 10.1000/182\n";
const LIST: &str = "10.1000/182\n10.1000/ABC123\n";

/// A folder with an input, and an old list.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("in"), TEXT).expect("write");
    fs::write(folder.path().join("list"), "old\n").expect("write");
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("read")
}

/// The names in a folder, including hidden ones.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("list");
    let mut names: Vec<_> =
        entries.map(|e| e.expect("entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_file_is_replaced_and_nothing_else_is_left() {
    let folder = folder();
    let at = folder.path();
    for name in ["list", "new"] {
        let (status, out, _) = shell(at, &format!("$D scan in -o {name}"));
        assert_eq!((status, out.as_str()), (Some(0), ""));
        assert_eq!(read(at, name), LIST);
    }
    assert_eq!(names(at), ["in", "list", "new"]);
}

#[test]
fn a_fatal_error_leaves_the_old_file() {
    let folder = folder();
    let at = folder.path();
    // With a limit of 0 blocks, the first byte written exceeds it.
    let (status, _, err) = shell(at, "ulimit -f 0; exec $D scan in -o list");
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("cannot write list: File too large"), "{err}");
    assert_eq!(read(at, "list"), "old\n");
    assert_eq!(names(at), ["in", "list"]);
}

#[test]
fn a_partial_run_still_writes_what_it_found() {
    let folder = folder();
    fs::create_dir(folder.path().join("d")).expect("mkdir");
    make_unreadable(&folder.path().join("d/gone"));
    assert_eq!(shell(folder.path(), "$D scan in d -o list").0, Some(3));
    assert_eq!(read(folder.path(), "list"), LIST);
}

#[test]
fn the_output_is_no_input_and_may_lie_in_the_folder_that_is_scanned() {
    let folder = folder();
    let at = folder.path();
    fs::copy(at.join("in"), at.join("both")).expect("copy");
    fs::hard_link(at.join("both"), at.join("twin")).expect("link");
    assert_eq!(shell(at, "$D scan both -o both").0, Some(2));
    for name in ["both", "twin"] {
        assert_eq!(read(at, name), TEXT, "an input's bytes never change");
    }
    fs::remove_file(at.join("list")).expect("remove");
    for _ in 0..2 {
        assert_eq!(shell(at, "$D scan . -o list").0, Some(0));
        assert_eq!(read(at, "list"), LIST);
    }
}

#[test]
fn a_folder_that_does_not_exist_is_noticed_before_anything_is_read() {
    let folder = folder();
    let (status, out, err) = shell(folder.path(), "$D scan in -o none/list");
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(
        err.starts_with("doiscan: cannot open none/list: the folder none does not exist"),
        "{err}"
    );
    let (status, _, err) = shell(folder.path(), "$D scan in -o .");
    assert_eq!(status, Some(2));
    assert!(err.contains("cannot open .: "), "{err}");
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_or_those_of_a_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let at = folder.path();
    let mode = |name| fs::metadata(at.join(name)).expect("stat").permissions().mode() & 0o7777;
    fs::set_permissions(at.join("list"), fs::Permissions::from_mode(0o604)).expect("mode");
    assert_eq!(shell(at, "umask 027; $D scan in -o list; $D scan in -o new").0, Some(0));
    assert_eq!((mode("list"), mode("new")), (0o604, 0o640));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = folder();
    let at = folder.path();
    std::os::unix::fs::symlink("list", at.join("link")).expect("link");
    assert_eq!(shell(at, "$D scan in -o link").0, Some(0));
    assert!(at.join("link").is_symlink());
    assert_eq!(read(at, "list"), LIST);
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_through() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(shell(at, "$D scan in -o /dev/null").0, Some(0));
    assert!(Path::new("/dev/null").metadata().is_ok_and(|m| !m.is_file()));
    let line = "mkfifo p; cat p > got & $D scan in -o p; wait; cat got; test -p p";
    let (status, out, _) = shell(at, line);
    assert_eq!((status, out.as_str()), (Some(0), LIST));
    let line = "echo kept > log; $D scan -q in -o /dev/stdout >> log; cat log";
    assert_eq!(shell(at, line).1, format!("kept\n{LIST}"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_was_removed_is_no_output() {
    let folder = folder();
    let at = folder.path();
    let (status, _, err) = shell(at, "exec 3> gone; rm gone; $D scan -q in -o /dev/fd/3");
    let words = "the file was removed, so it cannot be replaced";
    assert_eq!(
        (status, err.as_str()),
        (Some(2), format!("doiscan: cannot open /dev/fd/3: {words}\n").as_str())
    );
    assert_eq!(names(at), ["in", "list"]);
    // The name of one that is there is known.
    assert_eq!(shell(at, "exec 3>> list; $D scan -q in -o /dev/fd/3").0, Some(0));
    assert_eq!(read(at, "list"), LIST);
}

#[cfg(target_os = "linux")]
#[test]
fn a_mounted_file_is_refused_before_anything_is_read() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("below"), "").expect("write");
    // Nothing is read: the pipe has no writer.
    let line = "mkfifo p; unshare -rm sh -c 'mount --bind below list || exit 77; \
                timeout 20 $D scan -q p -o list' || { s=$?; rm p; exit $s; }";
    let (status, _, err) = shell(at, line);
    if status == Some(77) || err.contains("unshare") {
        return eprintln!("left out, as nothing can be mounted here: {err}");
    }
    let words = "the file is a mount point and cannot be replaced; mount its folder instead";
    assert_eq!(
        (status, err.as_str()),
        (Some(2), format!("doiscan: cannot open list: {words}\n").as_str())
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_can_be_written_and_not_read_takes_a_list() {
    let folder = folder();
    let at = folder.path();
    let line = "chmod 755 . && mkdir w && chmod 333 w && chmod 644 in; run='$D scan -q in -o w/new'; \
                if [ $(id -u) = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups sh -c \"$run\"; \
                else sh -c \"$run\"; fi; s=$?; chmod 755 w; cat w/new; exit $s";
    let (status, out, err) = shell(at, line);
    if err.contains("setpriv: not found") {
        return eprintln!("left out: {err}");
    }
    assert_eq!((status, out.as_str(), err.as_str()), (Some(0), LIST, ""));
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join(".list.doiscan-Ab12Cd"), "10.1000/hal").expect("write");
    doiscan().current_dir(at).args(["scan", "-q", "in", "-o", "list"]).assert().success();
    assert_eq!(names(at), ["in", "list"]);
}

#[test]
fn a_stale_temporary_file_in_a_folder_that_is_scanned_is_no_input() {
    let folder = folder();
    let at = folder.path();
    fs::remove_file(at.join("list")).expect("remove");
    for stale in [".list.doiscan-Ab12Cd", ".s.doiscan-Ab12Cd"] {
        fs::write(at.join(stale), "10.1000/stale").expect("write");
    }
    let (status, _, err) = shell(at, "$D scan -q . -o list --stats s");
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert_eq!(read(at, "list"), LIST);
    assert_eq!(names(at), ["in", "list", "s"]);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_of_what_goes_with_the_list_is_an_error_that_leaves_the_old_list() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(shell(at, "mkfifo p q").0, Some(0));
    // The reader exits before there is anything to read.
    let named = "$D scan -q q -o list FLAG p & d=$!; : < p; cat in > q; wait $d; echo $? > status";
    let standard = "{ $D scan -q q -o list FLAG /dev/stdout; echo $? > status; } \
                    | { exec <&-; cat in > q; }";
    for flag in ["--stats", "--short-doi"] {
        for (line, name) in [(named, "p"), (standard, "standard output")] {
            fs::write(at.join("in"), format!("{TEXT}doi:10/f77\n")).expect("write");
            let (_, out, err) = shell(at, &line.replace("FLAG", flag));
            let words = format!("doiscan: cannot write {name}: Broken pipe");
            assert!(out.is_empty() && err.starts_with(&words), "{flag} {name}: {err}");
            assert_eq!((read(at, "status").as_str(), read(at, "list").as_str()), ("2\n", "old\n"));
            assert_eq!(names(at), ["in", "list", "p", "q", "status"]);
        }
    }
}

#[test]
fn stats_that_cannot_be_written_leave_the_old_list() {
    let folder = folder();
    let at = folder.path();
    // Nothing is read before the failure: the pipe has no writer, so opening it would block
    // forever.
    let line = "mkfifo p; timeout 20 $D scan p -o list --stats none/s; s=$?; rm p; exit $s";
    let (status, _, err) = shell(at, line);
    assert_eq!(status, Some(2), "{err}");
    assert!(
        err.starts_with("doiscan: cannot open none/s: the folder none does not exist"),
        "{err}"
    );
    if !is_for_windows() {
        let (status, _, err) = shell(at, "$D scan -q in -o list --stats /dev/full");
        assert_eq!(status, Some(2), "{err}");
        assert!(err.starts_with("doiscan: cannot write /dev/full: No space left"), "{err}");
    }
    assert_eq!(read(at, "list"), "old\n");
    assert_eq!(names(at), ["in", "list"]);
}

#[test]
fn what_is_said_of_an_input_does_not_replace_it() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("in.tsv"), "10.1000/1\n").expect("write");
    for flag in ["--stats", "--hits", "--rejects", "--short-doi"] {
        let (status, _, err) =
            shell(folder.path(), &format!("$D scan in.tsv {flag} ./in.tsv -o list"));
        assert_eq!(status, Some(2), "{flag}");
        assert_eq!(err, format!("doiscan: {flag} would replace an input: ./in.tsv\n"));
        assert_eq!(std::fs::read(folder.path().join("in.tsv")).expect("in"), b"10.1000/1\n");
    }
}

#[test]
fn tables_that_scan_wrote_are_read_again() {
    let folder = tempfile::tempdir().expect("folder");
    let names = "10.1000/(A\n10.1000/A,B\n10.1000/A;B\n10.1000/B'C\n10.1000/B+\n";
    fs::write(folder.path().join("list"), names).expect("write");
    for file in ["a.csv", "a.tsv", "a.jsonl"] {
        for line in [
            format!("$D scan -q list -o {file} && $D scan -q {file}"),
            format!("$D scan -q list --counts -o {file} && $D scan -q {file}"),
            format!("$D scan -q list --hits {file} > list.txt && $D scan -q {file}"),
        ] {
            let (status, out, err) = shell(folder.path(), &line);
            assert_eq!((status, out.as_str()), (Some(0), names), "{line}: {err}");
        }
    }
}
