//! The codec of runs: encoded data is decoded unchanged, and any modification is an error.
//!
//! The first byte selects the damage, the others describe the names.

#![no_main]

use doiscan_fuzz::text::names;
use doiscan_os::prefix::shared;
use doiscan_sets::collect::run::{BlockDecoder, BlockEncoder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [place, data @ ..] = data else { return };
    let mut sorted = names(data);
    sorted.sort();
    let mut encoder = BlockEncoder::default();
    for (i, name) in sorted.iter().enumerate() {
        encoder.push(name);
        if i % 50 == 49 {
            encoder.close();
        }
    }
    encoder.close();
    let (mut decoder, mut found) = (BlockDecoder::default(), Vec::<Vec<u8>>::new());
    for (block, bytes) in encoder.blocks() {
        decoder.open(block, bytes).expect("what was written");
        while decoder.advance().expect("well formed") {
            let before = found.last().map_or(&[][..], Vec::as_slice);
            assert_eq!(decoder.shared(), shared(before, decoder.name()));
            found.push(decoder.name().to_vec());
        }
    }
    assert_eq!(found, sorted);
    for (block, bytes) in encoder.blocks() {
        let at = usize::from(*place) * bytes.len() / 256;
        let mut changed = bytes.to_vec();
        changed[at] ^= 1 << (place % 8);
        assert!(BlockDecoder::default().open(block, &changed).is_err(), "byte {at} changed");
        assert!(BlockDecoder::default().open(block, &bytes[..at]).is_err(), "cut to {at} bytes");
        // Replaces the block with arbitrary bytes.
        assert!(data == bytes || BlockDecoder::default().open(block, data).is_err());
    }
});
