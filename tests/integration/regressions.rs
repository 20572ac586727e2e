//! Every file of `testdata/regressions/` through the oracle and over every cut.

#![expect(clippy::disallowed_methods, reason = "tests read the finds")]

use crate::oracle::{check, check_cuts};
use doiscan::doi::Doi;
use doiscan::scan::{Joining, Notation, Options, Scanner};
use std::fs;
use std::path::PathBuf;

/// Limits of length: at some of them each find is near the limit, and at small ones the
/// scanner looks ahead over few bytes.
const LIMITS: [usize; 6] = [8, 12, 16, 24, 40, 2048];

/// Every combination of options that a find is replayed with.
fn every_options() -> impl Iterator<Item = Options> {
    LIMITS.into_iter().flat_map(|max_length| {
        let joinings = [Joining::Auto, Joining::Always, Joining::Never];
        let repairing = joinings.map(|joining| Options { max_length, strict: false, joining });
        let strict = Options { max_length, strict: true, joining: Joining::Auto };
        repairing.into_iter().chain([strict])
    })
}

/// The finds in order of their names.
fn finds() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/regressions");
    let files = fs::read_dir(&folder).expect("testdata/regressions is there");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| !path.ends_with("README.md"));
    paths.sort();
    paths
}

/// Whether the grammar accepts every name that is found, and each is canonical.
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
        // Shown when what follows fails.
        println!("{}", path.display());
        for options in every_options() {
            check(&find, &options);
            check_cuts(&find, &options);
            check_names(&find, &options);
        }
    }
}
