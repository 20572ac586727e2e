//! On arbitrary bytes, the scanner gives the same result as its oracle.
//!
//! The input is the haystack itself, so that an input that fails can be kept unchanged.

#![no_main]

use doiscan_fuzz::answers::{NOTATIONS, every_options, fast_is_naive, is_cheap};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|haystack: &[u8]| {
    if !is_cheap(haystack) {
        return;
    }
    // Scans each input as text and as one kind of table, selected by its length.
    let table = NOTATIONS[1 + haystack.len() % (NOTATIONS.len() - 1)];
    for options in [14, 2048].into_iter().flat_map(every_options) {
        fast_is_naive(haystack, NOTATIONS[0], &options);
        fast_is_naive(haystack, table, &options);
    }
});
