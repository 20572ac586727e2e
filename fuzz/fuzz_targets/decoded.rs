//! A mail and a PDF file give the same text for any input chunk size and read size, and decoding
//! terminates. The only fault is UTF-16 text that ends within a character.
//!
//! The first three bytes select the format and the sizes, the others are the data.

#![no_main]

use doiscan_core::format::Format;
use doiscan_fuzz::unpacked::{Drip, blocks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [format, given, step, data @ ..] = data else { return };
    let format = if format % 2 == 0 { Format::Pdf } else { Format::Mail };
    let (whole, fault) = blocks(&mut Drip(data, usize::MAX), format, 1 << 16);
    let fault = fault.map(|fault| fault.to_string());
    assert!(fault.iter().all(|fault| fault.starts_with("UTF-16 text ends early")), "{fault:?}");
    let steps = (1 + usize::from(*given), 1 + usize::from(*step));
    let (cut, again) = blocks(&mut Drip(data, steps.0), format, steps.1);
    let again = again.map(|fault| fault.to_string());
    assert!(fault == again && whole == cut, "{format:?}: steps {steps:?}: {fault:?}, {again:?}");
});
