//! The encodings of Parquet pages.

use doiscan_os::prefix::shared;
use doiscan_os::varint;

/// Values of a block of packed differences, and of a part of it with a width of its own.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Values that are packed together in a dictionary page. A repeated value takes less space alone if it
/// occurs at least so often.
const TOGETHER: usize = 8;

/// Appends `values` as `DELTA_BINARY_PACKED`: the difference of each value to the one before it.
pub(super) fn deltas(values: &[i64], out: &mut Vec<u8>) {
    varint::push(BLOCK as u64, out);
    varint::push((BLOCK / PART) as u64, out);
    varint::push(values.len() as u64, out);
    let mut last = values.first().copied().unwrap_or(0);
    varint::push(zigzag(last), out);
    let mut block = [0; BLOCK];
    for values in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (difference, &value) in block.iter_mut().zip(values) {
            *difference = value.wrapping_sub(last);
            last = value;
        }
        delta_block(&mut block, values.len(), out);
    }
}

/// Appends the first `len` differences of a block.
fn delta_block(block: &mut [i64; BLOCK], len: usize, out: &mut Vec<u8>) {
    let least = block[1..len].iter().fold(block[0], |least, &difference| least.min(difference));
    varint::push(zigzag(least), out);
    block[..len].iter_mut().for_each(|difference| *difference = difference.wrapping_sub(least));
    block[len..].fill(0);
    let widths = out.len();
    out.extend_from_slice(&[0; BLOCK / PART]);
    for (index, part) in block[..len.next_multiple_of(PART)].chunks(PART).enumerate() {
        let bits = part.iter().fold(0, |bits, &difference| bits | difference as u64);
        let width = u64::BITS - bits.leading_zeros();
        out[widths + index] = width as u8;
        pack(part.iter().map(|&difference| difference as u64), width, out);
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Appends the lowest `width` bits of each value, the first in the lowest bits.
fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    match width {
        0 => {}
        1..=32 => pack_short(values, width, out),
        _ => pack_long(values, width, out),
    }
}

/// Like [`pack`], for at most 32 bits.
fn pack_short(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut bits, mut filled) = (0, 0);
    for value in values {
        bits |= value << filled;
        filled += width;
        if filled >= u32::BITS {
            out.extend_from_slice(&(bits as u32).to_le_bytes());
            bits >>= u32::BITS;
            filled -= u32::BITS;
        }
    }
    out.extend_from_slice(&bits.to_le_bytes()[..filled.div_ceil(8) as usize]);
}

fn pack_long(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut bits, mut filled) = (0_u128, 0);
    for value in values {
        bits |= u128::from(value) << filled;
        filled += width;
        if filled >= u64::BITS {
            out.extend_from_slice(&(bits as u64).to_le_bytes());
            bits >>= u64::BITS;
            filled -= u64::BITS;
        }
    }
    out.extend_from_slice(&bits.to_le_bytes()[..filled.div_ceil(8) as usize]);
}

/// Returns the number of bits that codes below `count` need.
pub(super) fn code_width(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Appends `codes` of `width` bits as a page of a dictionary: runs of one code, and groups of eight.
pub(super) fn codes(codes: &[u32], width: u32, out: &mut Vec<u8>) {
    out.push(width as u8);
    let mut rest = codes;
    while let Some(&first) = rest.first() {
        let run = rest.iter().take_while(|&&code| code == first).count();
        if run >= TOGETHER {
            varint::push((run as u64) << 1, out);
            out.extend_from_slice(&first.to_le_bytes()[..width.div_ceil(8) as usize]);
            rest = &rest[run..];
            continue;
        }
        let is_run = |group: &[u32]| group.iter().all(|code| *code == group[0]);
        let groups = rest.chunks(TOGETHER).take_while(|group| !is_run(group)).count().max(1);
        let (packed, behind) = rest.split_at(rest.len().min(groups * TOGETHER));
        varint::push((groups as u64) << 1 | 1, out);
        let padding = groups * TOGETHER - packed.len();
        let padded = packed.iter().copied().chain(std::iter::repeat_n(0, padding));
        pack(padded.map(u64::from), width, out);
        rest = behind;
    }
}

/// Texts as `DELTA_BYTE_ARRAY`: the length of the prefix that each shares with the one before it, the
/// length of the rest, and the rest.
#[derive(Debug, Default)]
pub(super) struct FrontCoder<'a> {
    shared: Vec<i64>,
    rests: Vec<i64>,
    text: Vec<u8>,
    last: &'a [u8],
}

impl<'a> FrontCoder<'a> {
    /// Adds a text that occurs `count` times, at least once.
    pub(super) fn push(&mut self, text: &'a [u8], count: usize) {
        let shared = shared(self.last, text);
        let rest = &text[shared..];
        self.shared.push(shared as i64);
        self.rests.push(rest.len() as i64);
        self.text.extend_from_slice(rest);
        if count > 1 {
            let end = self.shared.len() + count - 1;
            self.shared.resize(end, text.len() as i64);
            self.rests.resize(end, 0);
        }
        self.last = text;
    }

    /// Appends the texts, and forgets them.
    pub(super) fn take(&mut self, out: &mut Vec<u8>) {
        deltas(&self.shared, out);
        deltas(&self.rests, out);
        out.extend_from_slice(&self.text);
        self.shared.clear();
        self.rests.clear();
        self.text.clear();
        self.last = &[];
    }
}
