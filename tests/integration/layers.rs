//! The modules of the library form a list, and each uses only earlier ones.
//!
//! Checks every path in the source, in imports, expressions, types and the arguments of macros.
//! Paths are made absolute: `use crate::{a, b::{c}}` is expanded and `super::super` resolved. The
//! expansions of macros of other crates are not checked.
//!
//! Within a layer, no two files may import each other, directly or indirectly.

#![expect(clippy::disallowed_methods, reason = "this test reads the source")]

mod circles;
mod paths;

use paths::{Use, paths_of};
use std::fs;
use std::path::{Path, PathBuf};

/// Each layer may use the earlier ones.
const LAYERS: [&str; 12] = [
    "sys", "doi", "decode", "scan", "format", "collect", "output", "quality", "input", "pipeline",
    "state", "cli",
];

/// The module of `lib.rs` that only exports parts of the layers.
const EXPORTS: &str = "internals";

/// Items that only one layer may use. Unit tests may use them too, except `unsafe`.
struct Reserved {
    /// A keyword, a macro with its `!`, or the start of a path.
    what: &'static [&'static str],
    layer: &'static str,
    reason: &'static str,
}

const RESERVED: [Reserved; 4] = [
    Reserved { what: &["unsafe"], layer: "sys", reason: "unsafe code lives in sys alone" },
    Reserved {
        what: &["rayon", "std::thread"],
        layer: "pipeline",
        reason: "threads live in pipeline alone",
    },
    Reserved {
        what: &["print!", "println!", "eprint!", "eprintln!"],
        layer: "cli",
        reason: "cli alone prints",
    },
    Reserved { what: &["std::env"], layer: "cli", reason: "cli alone reads the environment" },
];

/// Existing imports that form a circle. Move an item to remove one; add none.
const ALLOWED: &[(&str, &str)] = &[];

/// `main.rs` is above all layers. `lib.rs` names them and uses none.
fn layer_of(module: &[String]) -> Option<&str> {
    module.first().map(String::as_str).filter(|name| *name != "main")
}

fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|known| *known == layer)
}

/// Returns every violation in one file, as `line: message`.
fn breaches(module: &[String], source: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    for Use { line, path, is_import, is_test, .. } in paths_of(module, source).uses {
        let wrong = match path.split_first() {
            Some((root, rest)) if root == "crate" => breach_of_order(module, rest),
            _ if is_test && path != ["unsafe"] => None,
            _ => breach_of_reserve(module, &path, is_import),
        };
        breaches.extend(wrong.map(|wrong| format!("{line}: {wrong}")));
    }
    breaches
}

/// Returns the violation, if any, when `module` uses `crate::path`.
fn breach_of_order(module: &[String], path: &[String]) -> Option<String> {
    let user = layer_of(module)?;
    let Some(used) = path.first() else {
        return Some("the whole crate is named: name the layer".to_owned());
    };
    let written = format!("crate::{}", path.join("::"));
    match (rank(user), rank(used)) {
        (None, _) => Some(format!("`{user}` is no layer")),
        (_, None) => Some(format!("`{written}` is in no layer")),
        (Some(user_at), Some(used_at)) if used_at > user_at => {
            Some(format!("`{user}` uses `{written}`, which comes after it"))
        }
        _ => None,
    }
}

/// Returns the violation, if any, when `module` uses `path` of another crate.
fn breach_of_reserve(module: &[String], path: &[String], imported: bool) -> Option<String> {
    let written = path.join("::");
    if imported && (written == "std" || written == "std::*") {
        return Some("all of std is imported: name what is used".to_owned());
    }
    if matches!(written.as_str(), "include!" | "extern crate self" | "#[path]") {
        return Some(format!("`{written}` hides a module from this test"));
    }
    let reserved = RESERVED.iter().find(|reserved| {
        reserved
            .what
            .iter()
            .any(|what| written == *what || written.starts_with(&format!("{what}::")))
    })?;
    let above_all = module.first().is_some_and(|name| name == "main") && reserved.layer == "cli";
    let allowed = above_all || layer_of(module) == Some(reserved.layer);
    (!allowed).then(|| format!("`{written}`: {}", reserved.reason))
}

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

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn each_layer_uses_only_those_before_it() {
    let folder = source_folder();
    let files = rust_files(&folder);
    assert!(files.len() >= LAYERS.len(), "only {} files were found", files.len());
    let mut wrong = Vec::new();
    for file in &files {
        let source = fs::read_to_string(folder.join(file)).unwrap();
        for breach in breaches(&module_of(file), &source) {
            wrong.push(format!("src/{}:{breach}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn no_files_of_a_layer_import_each_other_in_a_circle() {
    let folder = source_folder();
    let files = rust_files(&folder);
    let sources: Vec<_> = files
        .iter()
        .map(|file| (module_of(file), fs::read_to_string(folder.join(file)).unwrap()))
        .filter(|(module, _)| module.first().is_some_and(|root| rank(root).is_some()))
        .collect();
    let files = circles::Files::read(sources.iter().map(|(m, s)| (m.clone(), s.as_str())));
    let wrong = circles::wrong(files.graph(), ALLOWED);
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Whether `item` exports items, or is a module of such items.
fn is_export(item: &syn::Item) -> bool {
    match item {
        syn::Item::Use(_) => true,
        syn::Item::Mod(inner) => inner.content.iter().all(|(_, items)| items.iter().all(is_export)),
        _ => false,
    }
}

#[test]
fn every_module_of_the_library_is_a_layer() {
    let source = fs::read_to_string(source_folder().join("lib.rs")).unwrap();
    let file = syn::parse_file(&source).unwrap();
    let mut declared: Vec<String> = file
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Mod(module) if module.ident == EXPORTS && is_export(item) => None,
            syn::Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        })
        .collect();
    declared.sort();
    let mut layers = LAYERS.map(str::to_owned).to_vec();
    layers.sort();
    assert_eq!(declared, layers);
}

/// Returns the violations in `source`, as the file of a module such as `scan::trim`.
fn check(module: &str, source: &str) -> Vec<String> {
    let module: Vec<String> = module.split("::").map(str::to_owned).collect();
    breaches(&module, source)
}

#[test]
fn what_is_in_order_passes() {
    let rows = [
        ("scan", "use crate::doi::Reason;"),
        ("scan", "use crate::{decode::{self, json}, doi::{Name as N, syntax::*}};"),
        ("scan", "use crate::scan::trim;"),
        ("scan::trim", "use super::candidate; use self::inner::x;"),
        ("scan::trim", "use super::super::doi::Reason;"),
        ("scan", "mod tests { use super::*; }"),
        ("scan", "pub(crate) fn f() {} pub(in crate::scan) fn g() {} pub(super) fn h() {}"),
        ("doi", "// use crate::cli;\n/* crate::cli /* crate::cli */ */ /// crate::cli\nfn f() {}"),
        ("doi", "//! use crate::scan::Scanner; unsafe println!(std::thread)"),
        (
            "doi",
            r####"const A: &str = "crate::cli \" crate::cli"; const B: &str = r#"crate::"cli"#;"####,
        ),
        (
            "doi",
            r#"const A: &[u8] = b"unsafe"; const B: char = '"'; const C: u8 = b'\''; // crate::cli"#,
        ),
        ("doi", "fn f<'a>(x: &'a str) -> &'a str { x }"),
        ("doi", "#![forbid(unsafe_code)] fn print() {} fn env() { print(); env(); }"),
        ("sys", "fn f() { unsafe { g() } }"),
        ("doi", "fn f<'a>(x: &'a A) -> impl B + use<'a> { x.g(); x.h() }"),
        ("pipeline", "use rayon::prelude::*; use std::{sync::Arc, thread};"),
        ("cli", "fn f() { println!(\"{}\", std::env::var(\"X\")); }"),
        ("main", "use doiscan::cli; fn main() { eprintln!(); std::env::args(); }"),
        ("cli", "const V: &str = env!(\"CARGO_PKG_VERSION\");"),
    ];
    for (module, source) in rows {
        assert_eq!(check(module, source), [""; 0], "{module}: {source}");
    }
}

#[test]
fn what_is_out_of_order_is_seen() {
    let rows = [
        (
            "doi",
            "use crate::scan::Scanner;",
            "1: `doi` uses `crate::scan::Scanner`, which comes after it",
        ),
        (
            "doi",
            "\n\nuse crate::{doi::x, scan::{a}};",
            "3: `doi` uses `crate::scan::a`, which comes after it",
        ),
        (
            "scan",
            "fn f() { crate::pipeline::run(); }",
            "1: `scan` uses `crate::pipeline::run`, which comes after it",
        ),
        (
            "scan",
            "fn f() -> Vec<crate::input::File> {}",
            "1: `scan` uses `crate::input::File`, which comes after it",
        ),
        (
            "scan",
            "use super::cli::Flags;",
            "1: `scan` uses `crate::cli::Flags`, which comes after it",
        ),
        (
            "scan::trim",
            "use super::super::cli::x;",
            "1: `scan` uses `crate::cli::x`, which comes after it",
        ),
        (
            "scan::trim",
            "use super::{super::{cli}};",
            "1: `scan` uses `crate::cli`, which comes after it",
        ),
        (
            "scan",
            "mod a { mod b { use super::super::super::cli; } }",
            "1: `scan` uses `crate::cli`, which comes after it",
        ),
        (
            "scan",
            "mod tests { fn f() { super::super::cli::x() } }",
            "1: `scan` uses `crate::cli::x`, which comes after it",
        ),
        (
            "doi",
            "macro_rules! m { () => { $crate::scan::x() } }",
            "1: `doi` uses `crate::scan::x`, which comes after it",
        ),
        (
            "doi",
            "pub(in crate::scan) fn f() {}",
            "1: `doi` uses `crate::scan`, which comes after it",
        ),
    ];
    for (module, source, wrong) in rows {
        assert_eq!(check(module, source), [wrong], "{module}: {source}");
    }
}

#[test]
fn what_cannot_be_judged_is_seen() {
    let rows = [
        ("doi", "use crate as root;", "1: the whole crate is named: name the layer"),
        ("doi", "use crate::{self as root};", "1: the whole crate is named: name the layer"),
        ("doi", "use crate::*;", "1: `crate::*` is in no layer"),
        ("doi", "use super::*;", "1: `crate::*` is in no layer"),
        ("scan", "use crate::Scanner;", "1: `crate::Scanner` is in no layer"),
        ("extra", "use crate::doi::x;", "1: `extra` is no layer"),
        (
            "doi",
            "extern crate self as doiscan;",
            "1: `extern crate self` hides a module from this test",
        ),
        ("doi", "#[path = \"x.rs\"] mod x;", "1: `#[path]` hides a module from this test"),
        ("doi", "include!(\"x.rs\");", "1: `include!` hides a module from this test"),
    ];
    for (module, source, wrong) in rows {
        assert_eq!(check(module, source), [wrong], "{module}: {source}");
    }
}

#[test]
fn what_is_reserved_is_seen() {
    let rows = [
        ("scan", "fn f() { unsafe { g() } }", "1: `unsafe`: unsafe code lives in sys alone"),
        ("main", "unsafe fn f() {}", "1: `unsafe`: unsafe code lives in sys alone"),
        (
            "collect",
            "use rayon::prelude::*;",
            "1: `rayon::prelude::*`: threads live in pipeline alone",
        ),
        (
            "collect",
            "fn f() { std::thread::spawn(g); }",
            "1: `std::thread::spawn`: threads live in pipeline alone",
        ),
        (
            "collect",
            "fn f() { ::rayon::join(a, b); }",
            "1: `rayon::join`: threads live in pipeline alone",
        ),
        ("output", "fn f() { println!(\"x\") }", "1: `println!`: cli alone prints"),
        ("input", "fn f() { std::eprint!(\"x\") }", "1: `eprint!`: cli alone prints"),
        ("input", "use std::env;", "1: `std::env`: cli alone reads the environment"),
        (
            "input",
            "fn f() { std::env::var_os(\"X\"); }",
            "1: `std::env::var_os`: cli alone reads the environment",
        ),
        (
            "doi",
            "#[cfg(test)] mod tests { fn f() { unsafe {} } }",
            "1: `unsafe`: unsafe code lives in sys alone",
        ),
        (
            "doi",
            "#[cfg(test)] mod tests { fn f() { {} } } use rayon;",
            "1: `rayon`: threads live in pipeline alone",
        ),
        (
            "doi",
            "#[cfg(unix)] mod tests_of { use rayon; }",
            "1: `rayon`: threads live in pipeline alone",
        ),
        ("doi", "use std as s;", "1: all of std is imported: name what is used"),
        ("doi", "use std::*;", "1: all of std is imported: name what is used"),
    ];
    for (module, source, wrong) in rows {
        assert_eq!(check(module, source), [wrong], "{module}: {source}");
    }
}

/// Returns the circles in files with these modules and sources.
fn circles_of(files: &[(&str, &str)], allowed: &[(&str, &str)]) -> Vec<String> {
    let module = |name: &str| name.split("::").map(str::to_owned).collect();
    let files = circles::Files::read(files.iter().map(|(name, source)| (module(name), *source)));
    circles::wrong(files.graph(), allowed)
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
