//! Any bytes: the scanner answers what its oracle answers.
//!
//! The input is the haystack, so that a find can be kept as it is.

#![no_main]

use doiscan_fuzz::answers::{NOTATIONS, every_options, fast_is_naive, is_cheap};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|haystack: &[u8]| {
    if !is_cheap(haystack) {
        return;
    }
    // Each input as text and as one kind of table: which, its length says.
    let table = NOTATIONS[1 + haystack.len() % (NOTATIONS.len() - 1)];
    for options in [14, 2048].into_iter().flat_map(every_options) {
        fast_is_naive(haystack, NOTATIONS[0], &options);
        fast_is_naive(haystack, table, &options);
    }
});
