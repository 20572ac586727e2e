//! SIMD for the places where dense input would be read byte by byte: the search for `10` and `:e`,
//! the folding of names, and the search for single bytes in names.
//!
//! x86-64 uses AVX2 where the processor has it. Others use 128-bit integers. Tests compare both with a loop over
//! bytes.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "vectors are features of processors")
)]

use alloc::vec::Vec;

/// Bytes in one vector.
pub(crate) const LANES: usize = 16;

/// Bytes folded at a time: nearly every suffix is shorter.
pub(crate) const FOLD: usize = 2 * LANES;

/// Bytes searched at a time.
pub(crate) const BLOCK: usize = 64;

/// A block, and the byte after it: a pair may begin at its last byte.
type Block = [u8; BLOCK + 1];

/// The places in one block where `10` begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TenBlock {
    /// Index of the block.
    pub(crate) block: u32,
    /// One bit for each byte of the block.
    pub(crate) tens: u64,
}

/// Writes the blocks of `text` where `10` begins to the front of `found`, in order. Returns their
/// number, and whether `:e` begins anywhere in the text.
///
/// # Panics
///
/// If `found` has another length than one element for each block that `text` begins.
pub(crate) fn search(text: &[u8], found: &mut [TenBlock]) -> (usize, bool) {
    assert_eq!(found.len(), text.len().div_ceil(BLOCK), "one element for each block");
    let mut found = Found { blocks: found, count: 0, index: 0 };
    let has_mark = search_blocks(text, &mut found);
    (found.count, has_mark)
}

/// Adds the blocks of `text`. Returns whether `:e` begins anywhere in it.
fn search_blocks(text: &[u8], found: &mut Found<'_>) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_wide() {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::search(text, found) };
    }
    search_narrow(text, found)
}

/// Whether [`search`] is as fast as `memmem` even where `10` is rare.
pub(crate) fn is_wide() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    cfg!(target_feature = "avx2")
}

/// The blocks that were found.
struct Found<'a> {
    blocks: &'a mut [TenBlock],
    count: usize,
    /// Index of the next block.
    index: u32,
}

impl Found<'_> {
    /// Adds the next block if it has bits. Writes without a branch, which would often be
    /// mispredicted.
    #[inline(always)]
    fn write(&mut self, tens: u64) {
        self.blocks[self.count] = TenBlock { block: self.index, tens };
        self.count += usize::from(tens != 0);
        self.index += 1;
    }

    /// Adds the blocks of `text`, for which `search` returns their bits. The last block is padded with
    /// zeros.
    #[inline(always)]
    fn write_all(&mut self, text: &[u8], mut search: impl FnMut(&Block) -> u64) {
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk() {
            self.write(search(block));
            at += BLOCK;
        }
        if at < text.len() {
            let mut block = [0; BLOCK + 1];
            block[..text.len() - at].copy_from_slice(&text[at..]);
            self.write(search(&block));
        }
    }
}

/// [`search`] with vectors of [`LANES`] bytes.
fn search_narrow(text: &[u8], found: &mut Found<'_>) -> bool {
    let mut marks = 0;
    found.write_all(text, |block| {
        let mut lane = |at: usize| {
            let bytes = |at: usize| block[at..].first_chunk().expect("at most 49 of 65 in front");
            let (first, second) = (bytes(at), bytes(at + 1));
            marks |= pairs(first, second, *b":e");
            u64::from(pairs(first, second, *b"10")) << at
        };
        lane(0) | lane(LANES) | lane(2 * LANES) | lane(3 * LANES)
    });
    marks != 0
}

/// Returns one bit for each position with `pair[0]` in `first` and `pair[1]` in `second`.
fn pairs(first: &[u8; LANES], second: &[u8; LANES], pair: [u8; 2]) -> u16 {
    let (first, second) = (u128::from_le_bytes(*first), u128::from_le_bytes(*second));
    mask(in_range(first, pair[0], pair[0]) & in_range(second, pair[1], pair[1]))
}

/// Returns the highest bit of each byte.
fn mask(word: u128) -> u16 {
    let bytes = word.to_le_bytes();
    (0..LANES).fold(0, |bits, at| bits | u16::from(bytes[at] >> 7) << at)
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

/// What a folded block consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    /// The number of its leading bytes that are letters, digits or one of `-./_`. Nearly every suffix
    /// consists of these. Other plain bytes are rare and end the run early.
    pub(crate) len: usize,
    /// One bit for each of these leading bytes that is a slash.
    pub(crate) slashes: u32,
}

/// Appends a block in upper case to `name`.
#[inline]
pub(crate) fn append_folded(block: &[u8; FOLD], name: &mut Vec<u8>) -> Folded {
    name.extend_from_slice(&[0; FOLD]);
    let folded = name.last_chunk_mut().expect("as many bytes were added");
    fold_plain(block, folded)
}

/// Writes a block in upper case to `folded`.
#[inline]
fn fold_plain(block: &[u8; FOLD], folded: &mut [u8; FOLD]) -> Folded {
    let (plain, slashes) = fold_block(block, folded);
    // The bits below the lowest that is not set.
    let run = plain & !plain.wrapping_add(1);
    Folded { len: plain.trailing_ones() as usize, slashes: slashes & run }
}

/// Writes a block in upper case to `folded`. Returns one bit for each of its bytes that are letters,
/// digits or one of `-./_`, and one for each slash.
#[inline]
fn fold_block(block: &[u8; FOLD], folded: &mut [u8; FOLD]) -> (u32, u32) {
    #[cfg(target_arch = "x86_64")]
    if is_wide() {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::fold_block(block, folded) };
    }
    fold_halves(block, folded)
}

/// [`fold_block`] with vectors of [`LANES`] bytes.
#[inline(never)]
fn fold_halves(block: &[u8; FOLD], folded: &mut [u8; FOLD]) -> (u32, u32) {
    let (halves, _) = block.as_chunks();
    let (low, plain, slashes) = fold_half(&halves[0]);
    let (high, more_plain, more_slashes) = fold_half(&halves[1]);
    folded[..LANES].copy_from_slice(&low);
    folded[LANES..].copy_from_slice(&high);
    let both = |low: u16, high: u16| u32::from(low) | u32::from(high) << LANES;
    (both(plain, more_plain), both(slashes, more_slashes))
}

/// Returns the half of a block in upper case, one bit for each of its bytes that are letters, digits
/// or one of `-./_`, and one for each slash.
fn fold_half(half: &[u8; LANES]) -> ([u8; LANES], u16, u16) {
    let word = u128::from_le_bytes(*half);
    // `in_range` sets bit 0x80 of each lower case byte. Shifted to 0x20, it is the case bit.
    let folded = word ^ (in_range(word, b'a', b'z') >> 2);
    let plain =
        in_range(folded, b'A', b'Z') | in_range(folded, b'-', b'9') | in_range(folded, b'_', b'_');
    (folded.to_le_bytes(), mask(plain), mask(in_range(word, b'/', b'/')))
}

/// Whether `block` contains `byte`. Without a branch, so that the compiler vectorises it.
#[inline]
pub(crate) fn holds(block: &[u8; LANES], byte: u8) -> bool {
    block.iter().fold(false, |found, &b| found | (b == byte))
}

/// Whether `block` is ASCII and contains none of `bytes`.
#[inline]
pub(crate) fn is_ascii_without(block: &[u8; LANES], [one, two]: [u8; 2]) -> bool {
    let has_other = block.iter().fold(false, |found, b| found | !b.is_ascii());
    !(has_other | holds(block, one) | holds(block, two))
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{BLOCK, FOLD, Found};
    use core::arch::x86_64::*;

    /// Bytes in one vector.
    const WIDE: usize = 32;

    /// Blocks searched at a time.
    const GROUP: usize = 2;

    /// The first byte of the pair whose second byte has this low half: of `10` and `:e`.
    const FIRST: [u8; WIDE] = {
        let (mut first, mut at) = ([0xff; WIDE], 0);
        while at < WIDE {
            first[at + (b'0' & 0xf) as usize] = b'1';
            first[at + (b'e' & 0xf) as usize] = b':';
            at += WIDE / 2;
        }
        first
    };

    #[target_feature(enable = "avx2")]
    pub(super) fn search(text: &[u8], found: &mut Found<'_>) -> bool {
        let mut marks = _mm256_setzero_si256();
        let mut at = 0;
        // Most groups of prose have none. One test for both saves a third of the instructions.
        while let Some(group) = text[at..].first_chunk::<{ GROUP * BLOCK + 1 }>() {
            let (mut firsts, mut all) =
                ([_mm256_setzero_si256(); 2 * GROUP], _mm256_setzero_si256());
            for (half, first) in firsts.iter_mut().enumerate() {
                *first = firsts_at(group, half * WIDE);
                all = _mm256_or_si256(all, *first);
            }
            at += GROUP * BLOCK;
            if _mm256_testz_si256(all, all) != 0 {
                found.index += GROUP as u32;
                continue;
            }
            for (block, two) in firsts.as_chunks::<2>().0.iter().enumerate() {
                let (low, one) = pairs(group, block * BLOCK, two[0]);
                let (high, other) = pairs(group, block * BLOCK + WIDE, two[1]);
                marks = _mm256_or_si256(marks, _mm256_or_si256(one, other));
                found.write(bits(low) | bits(high) << WIDE);
            }
        }
        found.write_all(&text[at..], |block| {
            let (low, one) = pairs(block, 0, firsts_at(block, 0));
            let (high, two) = pairs(block, WIDE, firsts_at(block, WIDE));
            marks = _mm256_or_si256(marks, _mm256_or_si256(one, two));
            bits(low) | bits(high) << WIDE
        });
        _mm256_testz_si256(marks, marks) == 0
    }

    /// Sets all bits of each byte from `at` on that is the first one of the pair that the low half of the next byte
    /// tells. Few other pairs do: `1 `, `:5`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn firsts_at<const N: usize>(text: &[u8; N], at: usize) -> __m256i {
        let expected = _mm256_shuffle_epi8(load(&FIRST, 0), load(text, at + 1));
        _mm256_cmpeq_epi8(load(text, at), expected)
    }

    /// Sets all bits of each byte from `at` on where `10` begins, and where `:e` begins. They are among
    /// `firsts`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn pairs<const N: usize>(text: &[u8; N], at: usize, firsts: __m256i) -> (__m256i, __m256i) {
        let second = load(text, at + 1);
        let tens = _mm256_and_si256(firsts, is(second, b'0'));
        (tens, _mm256_and_si256(firsts, is(second, b'e')))
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn fold_block(block: &[u8; FOLD], folded: &mut [u8; FOLD]) -> (u32, u32) {
        let bytes = load(block, 0);
        let small = in_range(bytes, b'a', b'z');
        let upper = _mm256_sub_epi8(bytes, _mm256_and_si256(small, _mm256_set1_epi8(0x20)));
        // `-`, `.`, `/` and the digits have consecutive codes.
        let plain = _mm256_or_si256(
            _mm256_or_si256(in_range(upper, b'A', b'Z'), in_range(upper, b'-', b'9')),
            is(upper, b'_'),
        );
        // SAFETY: the store writes 32 bytes, which `folded` has, and needs no alignment.
        unsafe { _mm256_storeu_si256(folded.as_mut_ptr().cast(), upper) };
        (bits(plain) as u32, bits(is(bytes, b'/')) as u32)
    }

    /// Sets all bits of each byte that is `byte`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn is(bytes: __m256i, byte: u8) -> __m256i {
        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8))
    }

    /// Sets all bits of each byte between `first` and `last`, inclusive.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn in_range(bytes: __m256i, first: u8, last: u8) -> __m256i {
        let above = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first as i8));
        let most = _mm256_set1_epi8((last - first) as i8);
        _mm256_cmpeq_epi8(_mm256_min_epu8(above, most), above)
    }

    /// Returns the highest bit of each byte.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(bytes: __m256i) -> u64 {
        u64::from(_mm256_movemask_epi8(bytes) as u32)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load<const N: usize>(text: &[u8; N], at: usize) -> __m256i {
        let bytes: &[u8; WIDE] = text[at..].first_chunk().expect("at most 33 fewer in front");
        // SAFETY: the load reads 32 bytes, which `bytes` has, and needs no alignment.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_are_folded_up_to_a_byte_that_is_not_plain() {
        for byte in 0..=u8::MAX {
            for place in 0..FOLD {
                let mut block = *b"abc-1.2dX_z09Zyxabc-1.2/X_z09Zyx";
                block[place] = byte;
                let is_plain = byte.is_ascii_alphanumeric() || b"-./_".contains(&byte);
                let len = if is_plain { FOLD } else { place };
                let bytes = block.map(|b| b.to_ascii_uppercase());
                let slashes =
                    (0..len).filter(|&at| block[at] == b'/').fold(0, |all, at| all | 1 << at);
                let mut folded = [0; FOLD];
                let found = fold_plain(&block, &mut folded);
                assert_eq!(
                    (found, folded),
                    (Folded { len, slashes }, bytes),
                    "{byte:#x} at {place}"
                );
                let mut halves = [0; FOLD];
                let found = fold_halves(&block, &mut halves);
                assert_eq!((found, halves), (fold_block(&block, &mut folded), bytes));
            }
        }
    }

    #[test]
    fn a_byte_is_found_at_every_place() {
        for (place, byte) in (0..LANES).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
            let mut block = *b"abc-1.2/X_z09Zyx";
            block[place] = byte;
            for mark in [b'%', b'/', b'a'] {
                let expected = block.contains(&mark);
                assert_eq!(holds(&block, mark), expected, "{byte:#x} at {place}");
                let is_without = byte.is_ascii() && !expected && !block.contains(&b' ');
                assert_eq!(is_ascii_without(&block, [mark, b' ']), is_without, "{byte:#x}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_pair_is_found(
            text in prop::collection::vec(prop::sample::select(b"0112:e\xb1\xb0".to_vec()), 0..900),
            is_rare in any::<bool>(),
            empty in 0..900_usize,
        ) {
            let text: Vec<u8> =
                text.iter().map(|&b| if is_rare && b == b'e' { b'f' } else { b }).collect();
            let text = [&text[text.len().min(empty)..], &vec![b'x'; empty], &text].concat();
            let blocks = text.len().div_ceil(BLOCK);
            let tens = |block: usize| {
                let pairs = text[block * BLOCK..].windows(2).take(BLOCK).enumerate();
                pairs.filter(|(_, pair)| pair == b"10").fold(0, |tens, (at, _)| tens | 1 << at)
            };
            let expected: Vec<_> = (0..blocks)
                .map(|block| TenBlock { block: block as u32, tens: tens(block) })
                .filter(|block| block.tens != 0)
                .collect();
            let has_mark = text.windows(2).any(|two| two == b":e");
            for search in [search_blocks, search_narrow] {
                let mut blocks = vec![TenBlock::default(); blocks];
                let mut found = Found { blocks: &mut blocks, count: 0, index: 0 };
                prop_assert_eq!(search(&text, &mut found), has_mark);
                let count = found.count;
                prop_assert_eq!(&blocks[..count], &expected);
            }
        }
    }
}
