//! Text of nested notations: the scanner answers what its oracle answers.
//!
//! The first two bytes choose notation, options and a limit of length, the others write
//! the text.

#![no_main]

use doiscan_fuzz::answers::{NOTATIONS, every_options, fast_is_naive, is_cheap};
use doiscan_fuzz::text::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [notation, choice, data @ ..] = data else { return };
    let text = text(data);
    if !is_cheap(&text) {
        return;
    }
    let notation = NOTATIONS[usize::from(*notation) % NOTATIONS.len()];
    let limit = if *choice < 128 { 2048 } else { 10 + usize::from(choice >> 2 & 31) };
    fast_is_naive(&text, notation, &every_options(limit)[usize::from(choice & 3)]);
});
