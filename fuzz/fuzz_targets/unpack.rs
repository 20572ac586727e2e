//! Packed bytes give the same inputs for any input chunk size and read size.
//!
//! The first two bytes select the sizes. The others are the data, in any codec and container,
//! detected from their first bytes.

#![no_main]

use doiscan_fuzz::unpacked::walked;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [given, step, data @ ..] = data else { return };
    let whole = walked(data, usize::MAX, 1 << 16);
    let cut = walked(data, 1 + usize::from(*given), 1 + usize::from(*step));
    let is_sound = whole.problems.is_empty();
    assert!(is_sound == cut.problems.is_empty(), "{:?} {:?}", whole.problems, cut.problems);
    // After a fault, readers may have reached different positions.
    if is_sound {
        assert!(whole.inputs == cut.inputs, "steps {given} {step}");
    }
});
