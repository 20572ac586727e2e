//! Checks every file of `testdata/regressions/` with the oracle and over every cut.

#![expect(clippy::disallowed_methods, reason = "tests read the finds")]

use crate::oracle::{check, check_cuts};
use doiscan::doi::Doi;
use doiscan::scan::{Joining, Notation, Options, Scanner};
use std::fs;
use std::path::PathBuf;

/// Limits of length. Each file is near some of them, and at small limits the scanner has little
/// lookahead.
const LIMITS: [usize; 6] = [8, 12, 16, 24, 40, 2048];

/// Every combination of options with which a file is replayed.
fn every_options() -> impl Iterator<Item = Options> {
    LIMITS.into_iter().flat_map(|max_length| {
        let limited = Options::default().with_max_length(max_length);
        let joinings = [Joining::Auto, Joining::Never];
        let repairing = joinings.map(|joining| limited.clone().with_joining(joining));
        let strict = limited.clone().with_strict(true);
        repairing.into_iter().chain([strict])
    })
}

/// The files, sorted by name.
fn finds() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/regressions");
    let files = fs::read_dir(&folder).expect("testdata/regressions is there");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| !path.ends_with("README.md"));
    paths.sort();
    paths
}

/// Checks that every name found is accepted by the grammar and canonical.
fn check_names(find: &[u8], options: &Options) {
    for notation in [Notation::Unknown, Notation::Csv(b',')] {
        for name in Scanner::new(options.clone()).names(find, notation) {
            assert_eq!(Doi::parse(name.as_bytes()).map(|doi| doi.canonical()), Ok(name));
        }
    }
}

#[test]
fn every_find_is_replayed() {
    let finds = finds();
    assert!(!finds.is_empty(), "testdata/regressions holds no find");
    for path in finds {
        let find = fs::read(&path).expect("a find can be read");
        // Shown if one of the following checks fails.
        println!("{}", path.display());
        for options in every_options() {
            check(&find, &options);
            check_cuts(&find, &options);
            check_names(&find, &options);
        }
    }
}
