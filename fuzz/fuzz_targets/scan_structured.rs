//! On text in nested notations, the scanner gives the same result as its oracle.
//!
//! The first two bytes select the notation, the options and the length limit. The others describe
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
    fast_is_naive(&text, notation, &every_options(limit)[usize::from(choice & 3) % 3]);
});
