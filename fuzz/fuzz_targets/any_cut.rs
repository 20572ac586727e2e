//! Scanning in windows gives the same result as scanning the whole text, if each window includes
//! the surrounding bytes that the scanner asks for.
//!
//! The first two bytes select the chunk size, the options and the notation. The others are the
//! text, or describe it.

#![no_main]

use doiscan_fuzz::answers::{
    NOTATIONS, agree, every_options, fast, short_dois, short_windows, windows,
};
use doiscan_fuzz::text::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [chunk, choice, data @ ..] = data else { return };
    let haystack = if choice & 1 == 0 { text(data) } else { data.to_vec() };
    let notation = NOTATIONS[usize::from(choice >> 1 & 3)];
    // Small limits need little lookahead. Only then is the end of a window near.
    let limit = [6, 12, 40, 2048][usize::from(choice >> 3 & 3)];
    let options = &every_options(limit)[usize::from(choice >> 5 & 3) % 3];
    let whole = fast(&haystack, notation, options);
    let cut = windows(&haystack, 1 + usize::from(*chunk), notation, options);
    agree("any cut == no cut", &haystack, notation, options, &cut, &whole);

    let cut = short_windows(&haystack, 1 + usize::from(*chunk));
    assert_eq!(cut, short_dois(&haystack), "shortDOIs in b\"{}\"", haystack.escape_ascii());
});
