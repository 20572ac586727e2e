//! `learn`, and `--names`.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use std::fs;
use std::path::Path;

/// A folder with a list of DOIs of one journal, and a text.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    let list: String = (0..400).map(|n| format!("10.4321/ABC.2001.{n:04}\n")).collect();
    fs::write(folder.path().join("list"), list).expect("write");
    let text = "see 10.4321/abc.2001.00\n17 and 10.4321/abc.2001.0018.methods here\n";
    fs::write(folder.path().join("text"), text).expect("write");
    folder
}

/// Runs a command that succeeds, and returns what it prints.
fn out(at: &Path, command: &str) -> String {
    let (status, out, err) = shell(at, command);
    assert_eq!(status, Some(0), "{command}: {out}{err}");
    out
}

#[test]
fn a_model_that_was_learned_decides_where_names_end() {
    let folder = folder();
    let at = folder.path();
    out(at, "$D learn -q list -o my.model");
    let rules = "10.4321/ABC.2001.00\n10.4321/ABC.2001.0018.METHODS\n";
    assert_eq!(out(at, "$D scan -q text"), rules);
    assert_eq!(out(at, "$D scan -q text --names none"), rules);
    let decided = "10.4321/ABC.2001.0017\n10.4321/ABC.2001.0018\n";
    assert_eq!(out(at, "$D scan -q text --names my.model"), decided);
    assert_eq!(out(at, "$D merge -q text --names my.model"), decided);
    assert_eq!(
        out(at, "$D scan -q text --names my.model --strict"),
        out(at, "$D scan -q text --strict")
    );
}

#[test]
fn values_are_judged_by_the_model() {
    let folder = folder();
    let at = folder.path();
    out(at, "$D learn -q list -o my.model");
    fs::write(at.join("values"), "10.4321/abc.2001.0018/full.zip\n").expect("write");
    for (names, doi) in [
        ("my.model", "10.4321/ABC.2001.0018"),
        ("none", "10.4321/ABC.2001.0018/FULL.ZIP"),
        ("built-in", "10.4321/ABC.2001.0018/FULL.ZIP"),
    ] {
        let row = out(at, &format!("$D check -q values --names {names}"));
        assert_eq!(row.split('\t').nth(2), Some(doi), "{names}");
    }
    let repaired = |names: &str| {
        let (_, _, err) = shell(at, &format!("$D convert --to url values --names {names}"));
        err.contains("1 with more than a DOI")
    };
    assert!(repaired("my.model") && !repaired("none"));
    for command in ["check", "convert --to url"] {
        let (status, _, err) = shell(at, &format!("$D {command} values --names values"));
        assert_eq!(status, Some(2), "{err}");
        assert!(err.contains("values: not a model of names"), "{err}");
        let (status, _, err) =
            shell(at, &format!("$D {command} values --names my.model -o my.model"));
        assert_eq!(status, Some(2), "{err}");
    }
}

#[test]
fn check_explains_where_a_name_ends() {
    let folder = folder();
    let at = folder.path();
    out(at, "$D learn -q list -o my.model");
    fs::write(at.join("values"), "see 10.4321/abc.2001.0018/full.zip).\n").expect("write");
    let (_, rows, err) = shell(at, "$D check -q values --explain --names my.model");
    let lines: Vec<_> = rows.lines().collect();
    for (line, expected) in [
        (1, "    10.4321/ABC.2001.0018: chosen; DOIs of 10.4321 end here: about "),
        (
            2,
            "    10.4321/ABC.2001.0018/FULL.ZIP: before trailing marks; no DOI of 10.4321 begins so",
        ),
        (3, "    10.4321/ABC.2001.0018/FULL.ZIP).: where the notation ends it; no DOI"),
    ] {
        assert!(lines[line].starts_with(expected), "{rows}{err}");
    }
    assert!(lines[1].ends_with("; none goes on with '/'"), "{rows}");
    let (_, rows, _) = shell(at, "$D check -q values --explain --names none --output-format jsonl");
    assert!(rows.contains(r#""ends":["10.4321/ABC.2001.0018: chosen","#), "{rows}");
    let (status, _, err) = shell(at, "$D check values --explain --output-format csv");
    assert_eq!(status, Some(2), "{err}");
}

#[test]
fn the_same_names_give_the_same_model() {
    let folder = folder();
    let at = folder.path();
    out(at, "$D learn -q list -o a.model");
    out(at, "head -n 300 list > 1; tail -n 200 list > 2; $D learn -q 2 1 -o b.model");
    assert_eq!(fs::read(at.join("a.model")).expect("a"), fs::read(at.join("b.model")).expect("b"));
}

#[test]
fn what_is_no_model_is_an_error_with_its_path() {
    let folder = folder();
    let at = folder.path();
    out(at, "$D learn -q list -o my.model && head -c 100 my.model > cut.model");
    for (model, said) in [
        ("list", "list: not a model of names; doiscan learn makes one"),
        ("cut.model", "cut.model: the model is damaged"),
        ("none.model", "none.model: No such file"),
    ] {
        let (status, out, err) = shell(at, &format!("$D scan -q text --names {model}"));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{model}");
        assert!(err.contains(said), "{err}");
    }
    let (status, _, err) = shell(at, ": > empty; $D learn -q empty -o my.model");
    assert_eq!(status, Some(2), "{err}");
}
