//! Sets build information for the program: the target, and in release builds the commit and its
//! date. Without git or outside a repository, the commit is unknown.
#![expect(clippy::disallowed_methods, reason = "a build script reads its environment and runs git")]

use std::env::var;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=DOISCAN_TARGET={}", var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=DOISCAN_RULES={:016x}", rules());
    // Only in release builds: tracking commits would rebuild the tests after each commit.
    if var("PROFILE").is_ok_and(|profile| profile == "release") {
        commit();
    }
}

/// The source code that decides which DOIs are found in an input, and what is reported about each.
const RULES: [&str; 9] = [
    "crates/core/src",
    "crates/documents/src",
    "crates/input/src",
    "crates/engine/src/figures",
    "crates/engine/src/rows",
    "crates/engine/src/work",
    "crates/engine/src/registries.rs",
    "crates/registry/src",
    "crates/zip/src",
];

/// Computes a hash of the rules. A state whose inputs were read with other rules is read again. In a
/// package from a registry the rules are other packages; there the version stands for them.
fn rules() -> u64 {
    let rules = RULES.map(std::path::PathBuf::from);
    let (mut folders, mut files) = rules.into_iter().partition::<Vec<_>, _>(|path| path.is_dir());
    while let Some(folder) = folders.pop() {
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => files.push(path),
            }
        }
    }
    files.sort();
    let code = files.iter().flat_map(|file| std::fs::read(file).unwrap_or_default());
    let bytes = env!("CARGO_PKG_VERSION").bytes().chain(code);
    // FNV-1a.
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn commit() {
    // A crate from a registry is outside its repository. This file contains its commit.
    println!("cargo::rerun-if-changed=Cargo.toml");
    if let Ok(packaged) = std::fs::read_to_string(".cargo_vcs_info.json") {
        let hash = packaged
            .split('"')
            .find(|word| word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if let Some(hash) = hash {
            println!("cargo::rustc-env=DOISCAN_COMMIT={}", &hash[..12]);
        }
        return;
    }
    let is_own = git(&["ls-files", "--error-unmatch", "build.rs"]).is_some();
    let (Some(hash), true) = (git(&["rev-parse", "--short=12", "HEAD"]), is_own) else { return };
    let is_changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|s| !s.is_empty());
    let mark = if is_changed { "-changed" } else { "" };
    println!("cargo::rustc-env=DOISCAN_COMMIT={hash}{mark}");
    if let Some(date) = git(&["log", "-1", "--format=%cs"]) {
        println!("cargo::rustc-env=DOISCAN_COMMIT_DATE={date}");
    }
    for name in ["HEAD", "logs/HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// Returns the output of a git command, if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
