//! SIMD for the two places where dense input would be read byte by byte: the search for `10`, and
//! the folding of names.
//!
//! x86-64 uses SSE2, which every such processor has. Other platforms use 128-bit integers. Tests
//! compare both with a loop over bytes.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "vectors are features of processors")
)]

/// Bytes in one vector.
pub(crate) const LANES: usize = 16;

/// Bytes searched at a time.
pub(crate) const BLOCK: usize = 64;

/// Returns one bit for each of the first [`BLOCK`] bytes of `block`, set where `10` begins.
#[inline]
pub(crate) fn tens(block: &[u8; BLOCK + 1]) -> u64 {
    let lane = |at: usize| block[at..].first_chunk().expect("at most 48 of 65 bytes in front");
    (0..BLOCK)
        .step_by(LANES)
        .fold(0, |bits, at| bits | u64::from(pairs(lane(at), lane(at + 1))) << at)
}

/// Returns one bit for each position with `1` in `first` and `0` in `second`.
#[inline]
fn pairs(first: &[u8; LANES], second: &[u8; LANES]) -> u16 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE2.
    return unsafe { sse2::pairs(first, second) };
    #[cfg(not(target_arch = "x86_64"))]
    integers::pairs(first, second)
}

/// Returns the block in upper case, and the number of its leading bytes that are letters, digits or
/// one of `-./_`. Nearly every suffix consists of these. Other plain bytes are rare and end the run
/// early.
#[inline]
pub(crate) fn fold_plain(block: &[u8; LANES]) -> ([u8; LANES], usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE2.
    return unsafe { sse2::fold_plain(block) };
    #[cfg(not(target_arch = "x86_64"))]
    integers::fold_plain(block)
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use super::LANES;
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn pairs(first: &[u8; LANES], second: &[u8; LANES]) -> u16 {
        let ones = _mm_cmpeq_epi8(load(first), _mm_set1_epi8(b'1' as i8));
        let zeros = _mm_cmpeq_epi8(load(second), _mm_set1_epi8(b'0' as i8));
        _mm_movemask_epi8(_mm_and_si128(ones, zeros)) as u16
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn fold_plain(block: &[u8; LANES]) -> ([u8; LANES], usize) {
        let bytes = load(block);
        let small = in_range(bytes, b'a', b'z');
        let folded = _mm_sub_epi8(bytes, _mm_and_si128(small, _mm_set1_epi8(0x20)));
        // `-`, `.`, `/` and the digits have consecutive codes.
        let plain = _mm_or_si128(
            _mm_or_si128(in_range(folded, b'A', b'Z'), in_range(folded, b'-', b'9')),
            _mm_cmpeq_epi8(folded, _mm_set1_epi8(b'_' as i8)),
        );
        // The negation sets the upper half of the mask, which limits the count to 16.
        (store(folded), (!_mm_movemask_epi8(plain)).trailing_zeros() as usize)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn load(bytes: &[u8; LANES]) -> __m128i {
        let word = u128::from_le_bytes(*bytes);
        _mm_set_epi64x((word >> 64) as i64, word as i64)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn store(bytes: __m128i) -> [u8; LANES] {
        let low = _mm_cvtsi128_si64(bytes) as u64;
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes)) as u64;
        (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
    }

    /// Sets all bits of each byte between `first` and `last`, inclusive.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn in_range(bytes: __m128i, first: u8, last: u8) -> __m128i {
        let above = _mm_sub_epi8(bytes, _mm_set1_epi8(first as i8));
        let most = _mm_set1_epi8((last - first) as i8);
        _mm_cmpeq_epi8(_mm_min_epu8(above, most), above)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod integers {
    use super::LANES;

    pub(super) fn pairs(first: &[u8; LANES], second: &[u8; LANES]) -> u16 {
        let (first, second) = (u128::from_le_bytes(*first), u128::from_le_bytes(*second));
        let both = in_range(first, b'1', b'1') & in_range(second, b'0', b'0');
        let bytes = both.to_le_bytes();
        (0..LANES).fold(0, |bits, at| bits | u16::from(bytes[at] >> 7) << at)
    }

    pub(super) fn fold_plain(block: &[u8; LANES]) -> ([u8; LANES], usize) {
        let word = u128::from_le_bytes(*block);
        // `in_range` sets bit 0x80 of each lower case byte. Shifted to 0x20, it is the case bit.
        let folded = word ^ (in_range(word, b'a', b'z') >> 2);
        let plain = in_range(folded, b'A', b'Z')
            | in_range(folded, b'-', b'9')
            | in_range(folded, b'_', b'_');
        (folded.to_le_bytes(), (!plain & HIGH).trailing_zeros() as usize / 8)
    }

    /// The value 1 in every byte, and the highest bit of every byte.
    const ONES: u128 = u128::from_le_bytes([1; LANES]);
    const HIGH: u128 = ONES << 7;

    /// Sets the highest bit of every byte of `word` between `first` and `last`, both ASCII,
    /// inclusive.
    fn in_range(word: u128, first: u8, last: u8) -> u128 {
        // Adding a number up to 0x80 to seven bits never carries into the next byte.
        let low = word & !HIGH;
        let from_first = low + ONES * u128::from(0x80 - first);
        let behind_last = low + ONES * u128::from(0x7f - last);
        from_first & !behind_last & !word & HIGH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_are_folded_up_to_a_byte_that_is_not_plain() {
        for byte in 0..=u8::MAX {
            for place in 0..LANES {
                let mut block = *b"abc-1.2/X_z09Zyx";
                block[place] = byte;
                let (folded, len) = fold_plain(&block);
                assert_eq!((folded, len), integers::fold_plain(&block), "{byte:#x} at {place}");
                let is_plain = byte.is_ascii_alphanumeric() || b"-./_".contains(&byte);
                let run = if is_plain { LANES } else { place };
                assert_eq!(len, run, "{byte:#x} at {place}");
                assert_eq!(folded, block.map(|b| b.to_ascii_uppercase()), "{byte:#x}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_ten_is_found(bytes in prop::collection::vec(prop::sample::select(b"0112\xb1\xb0".to_vec()), BLOCK + 1)) {
            let block: &[u8; BLOCK + 1] = bytes.first_chunk().expect("as long");
            let expected = (0..BLOCK)
                .filter(|&at| block[at..].starts_with(b"10"))
                .fold(0_u64, |bits, at| bits | 1 << at);
            prop_assert_eq!(tens(block), expected);
            let lane = |at: usize| block[at..].first_chunk().expect("as long");
            let last = BLOCK - LANES;
            prop_assert_eq!(integers::pairs(lane(last), lane(last + 1)), (expected >> last) as u16);
        }
    }
}
