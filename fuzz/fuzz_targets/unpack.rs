//! Packed bytes give the same inputs whatever is given and asked for at a time.
//!
//! The first two bytes choose the steps, the others are the data: of any codec and
//! container, told by their first bytes.

#![no_main]

use doiscan_fuzz::unpacked::walked;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [given, step, data @ ..] = data else { return };
    let whole = walked(data, usize::MAX, 1 << 16);
    let cut = walked(data, 1 + usize::from(*given), 1 + usize::from(*step));
    let is_sound = whole.problems.is_empty();
    assert!(is_sound == cut.problems.is_empty(), "{:?} {:?}", whole.problems, cut.problems);
    // Behind a fault readers may be at different places.
    if is_sound {
        assert!(whole.inputs == cut.inputs, "steps {given} {step}");
    }
});
