//! Within a crate, no two files import each other, directly or indirectly.
//! Cargo keeps the crates in order.
//!
//! Checks every path in the source, in imports, expressions, types and the arguments of macros.
//! Paths are made absolute: `use crate::{a, b::{c}}` is expanded and `super::super` resolved. The
//! expansions of macros of other crates are not checked.

#![expect(clippy::disallowed_methods, reason = "this test reads the source")]

mod graph;
mod paths;

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of source code, from the top of the repository.
const CRATES: [&str; 10] = [
    "crates/core/src",
    "crates/documents/src",
    "crates/zip/src",
    "crates/os/src",
    "crates/sets/src",
    "crates/registry/src",
    "crates/input/src",
    "crates/remote/src",
    "crates/engine/src",
    "src",
];

/// Existing imports that form a circle of files. Move an item to remove one; add none.
const ALLOWED: &[(&str, &str)] = &[];

/// `src/scan/trim.rs` is the module `["scan", "trim"]`, `src/scan/mod.rs` is `["scan"]`,
/// `src/lib.rs` is `[]` and `src/main.rs` is `["main"]`.
fn module_of(path: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || (last == "lib" && module.len() == 1)) {
        module.pop();
    }
    module
}

/// Every Rust file below `folder`, relative to it, sorted.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        let entries = fs::read_dir(folder.join(&inner)).expect("the source is there");
        for entry in entries {
            let entry = entry.expect("the folder can be read");
            let path = inner.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn no_files_and_no_folders_of_a_crate_import_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    for root in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
        let files = rust_files(&folder);
        assert!(files.len() > 5, "{root}: only {} files were found", files.len());
        let sources: Vec<_> = files
            .iter()
            .map(|file| (module_of(file), fs::read_to_string(folder.join(file)).unwrap()))
            .filter(|(module, _)| !module.is_empty())
            .collect();
        let files = graph::Files::read(sources.iter().map(|(m, s)| (m.clone(), s.as_str())));
        let circles = graph::wrong(files.graph(), ALLOWED);
        let folders = graph::wrong(files.folders(), &[]);
        wrong.extend(circles.into_iter().chain(folders).map(|circle| format!("{root}: {circle}")));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Returns the circles in files with these modules and sources.
fn circles_of(files: &[(&str, &str)], allowed: &[(&str, &str)]) -> Vec<String> {
    let module = |name: &str| name.split("::").map(str::to_owned).collect();
    let files = graph::Files::read(files.iter().map(|(name, source)| (module(name), *source)));
    graph::wrong(files.graph(), allowed)
}

#[test]
fn a_circle_is_seen_however_it_is_written() {
    let rows = [
        "use crate::doi::b::X;",
        "use crate::{doi::{self, b::X}};",
        "use super::b::{X as Z};",
        "use super::b::*;",
        "use super::b; fn f() -> b::X {}",
        "use super::b as other; fn f() { other::X::new() }",
        "use crate::doi; fn f(x: doi::b::X) {}",
        "use crate::doi::X;",
        "fn f() { g(crate::doi::b::X) }",
        "fn f() { assert!(super::b::X.is_some(), \"{}\", 1) }",
        "macro_rules! m { () => { $crate::doi::b::X } }",
        "mod inner { use super::super::b::X; }",
        "impl super::b::X for Y {}",
        "#[cfg(unix)] use super::b::X;",
        "pub use super::b::X; fn f() { super::b::X::new() }",
    ];
    for a in rows {
        let files = [
            ("doi", "pub mod a; pub mod b; pub use b::X;"),
            ("doi::a", a),
            ("doi::b", "use super::a::Y;"),
        ];
        assert_eq!(circles_of(&files, &[]), ["doi::a → doi::b → doi::a"], "{a}");
    }
}

#[test]
fn a_circle_over_three_files_and_one_with_the_parent_are_seen() {
    let three = [
        ("a::x", "use super::y::Y;"),
        ("a::y", "use super::z::Z;"),
        ("a::z", "use super::x::X;"),
        ("a", ""),
    ];
    assert_eq!(circles_of(&three, &[]), ["a::x → a::y → a::z → a::x"]);
    let parent = [("a", "mod x; use x::X; struct Y;"), ("a::x", "use super::Y;")];
    assert_eq!(circles_of(&parent, &[]), ["a → a::x → a"]);
    assert_eq!(circles_of(&parent, &[("a", "a::x")]), [""; 0]);
}

#[test]
fn imports_in_one_direction_are_no_circle() {
    let rows = [
        ("pub use b::X;", "use super::b::Y;"),
        ("", "#[cfg(test)] mod tests { use super::super::b::X; }"),
        ("", "#[cfg(test)] use super::b::X;"),
        ("", "pub(in crate::doi) fn f() {} // super::b::X"),
        ("", "use super::b; use other::b::X; pub use super::b::X as Y;"),
    ];
    for (parent, a) in rows {
        let files = [("doi", parent), ("doi::a", a), ("doi::b", "use super::a::Z; use std::fmt;")];
        assert_eq!(
            circles_of(&files[..if parent.is_empty() { 3 } else { 2 }], &[]),
            [""; 0],
            "{a}"
        );
    }
}

#[test]
fn an_allowed_import_that_closes_no_circle_is_seen() {
    let files = [("a", ""), ("a::x", "use super::y::Y;"), ("a::y", "")];
    let wrong = ["remove `a::x → a::y` from ALLOWED: it closes no circle"];
    assert_eq!(circles_of(&files, &[("a::x", "a::y")]), wrong);
    assert_eq!(circles_of(&files[..1], &[("a::x", "a::y")]), wrong);
}

#[test]
fn a_file_names_its_module() {
    let rows = [
        ("lib.rs", ""),
        ("main.rs", "main"),
        ("scan/mod.rs", "scan"),
        ("scan/trim.rs", "scan::trim"),
        ("input/codec/lib.rs", "input::codec::lib"),
    ];
    for (path, module) in rows {
        assert_eq!(module_of(Path::new(path)).join("::"), module, "{path}");
    }
}
