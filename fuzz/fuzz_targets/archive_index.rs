//! An archive read by its index, part by part, gives the same result as an archive read
//! sequentially.
//!
//! The first byte selects the size of the parts, the others are the archive.

#![no_main]

use doiscan_fuzz::unpacked::{indexed, walked};
use doiscan_input::{HEAD, Packing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [least, data @ ..] = data else { return };
    let path = std::env::temp_dir().join(format!("doiscan-fuzz-{}", std::process::id()));
    std::fs::write(&path, data).expect("a file");
    let (parts, has_index) = indexed(&path, u64::from(*least) * 64, 1 << 12);
    let whole = walked(data, usize::MAX, 1 << 12);
    // A zip archive has two sources, its directory and its headers, which may disagree. A tar
    // archive has only one.
    let is_tar = Packing::of(&data[..data.len().min(HEAD)]) == Packing::Tar;
    if has_index && is_tar {
        assert!(
            parts.problems.is_empty() == whole.problems.is_empty(),
            "{:?} {:?}",
            parts.problems,
            whole.problems
        );
        if whole.problems.is_empty() {
            let contents = |all: Vec<(_, Vec<u8>, bool)>| {
                let mut all: Vec<_> =
                    all.into_iter().map(|(_, bytes, whole)| (bytes, whole)).collect();
                all.sort();
                all
            };
            assert!(contents(parts.inputs) == contents(whole.inputs), "parts of {least}");
        }
    }
});
