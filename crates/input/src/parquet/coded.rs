//! Decodes integers in pages: runs (levels, dictionary indexes) and packed differences (lengths),
//! as defined in `Encodings.md` of the format. Values are decoded one at a time, and each call is
//! passed the bytes, so a false count takes no memory.

use super::thrift::Thrift;

/// Reads a number of `width` bits (at most 32 or 64) at bit offset `at`, least significant bit
/// first.
fn bits(bytes: &[u8], at: usize, width: u32) -> Option<u64> {
    if width == 0 {
        return Some(0);
    }
    let (from, shift) = (at / 8, (at % 8) as u32);
    let to = from + (shift + width).div_ceil(8) as usize;
    let mut wide = [0; 16];
    let part = bytes.get(from..to)?;
    wide[..part.len()].copy_from_slice(part);
    let mask = u64::MAX >> (64 - width);
    Some((u128::from_le_bytes(wide) >> shift) as u64 & mask)
}

/// Reads the varint or zigzag number at `at` and moves `at` past it.
fn number<'a, T>(
    bytes: &'a [u8],
    at: &mut usize,
    read: impl Fn(&mut Thrift<'a>) -> Option<T>,
) -> Option<T> {
    let mut thrift = Thrift::new(bytes.get(*at..)?);
    let value = read(&mut thrift)?;
    *at = bytes.len() - thrift.left();
    Some(value)
}

/// Runs of one repeated value, or of packed values.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    at: usize,
    end: usize,
    width: u32,
    left: u64,
    /// The bit offset of the next packed value, or the repeated value.
    run: Run,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    Packed(usize),
    Same(u32),
}

impl Runs {
    /// Reads values of `width` bits from the bytes `at..end`.
    pub(super) fn new(at: usize, end: usize, width: u32) -> Option<Runs> {
        (width <= 32).then_some(Runs { at, end, width, left: 0, run: Run::Same(0) })
    }

    pub(super) fn next(&mut self, bytes: &[u8]) -> Option<u32> {
        while self.left == 0 {
            self.begin(bytes)?;
        }
        self.left -= 1;
        match &mut self.run {
            Run::Same(value) => Some(*value),
            Run::Packed(at) => {
                let value = bits(bytes.get(..self.end)?, *at, self.width)?;
                *at += self.width as usize;
                Some(value as u32)
            }
        }
    }

    fn begin(&mut self, bytes: &[u8]) -> Option<()> {
        let bytes = bytes.get(..self.end)?;
        let head = number(bytes, &mut self.at, Thrift::varint)?;
        if head & 1 == 0 {
            let value = bits(bytes, self.at.checked_mul(8)?, self.width)?;
            self.at += self.width.div_ceil(8) as usize;
            (self.left, self.run) = (head >> 1, Run::Same(value as u32));
            return Some(());
        }
        let groups = head >> 1;
        self.run = Run::Packed(self.at.checked_mul(8)?);
        let len = usize::try_from(groups.checked_mul(u64::from(self.width))?).ok()?;
        // The padding of the last run may be missing.
        self.at = self.at.checked_add(len)?.min(self.end);
        self.left = groups.checked_mul(8)?;
        Some(())
    }

    /// Returns how many of the next `values` values equal `wanted`.
    pub(super) fn count(mut self, bytes: &[u8], values: u32, wanted: u32) -> Option<u32> {
        let (mut found, mut left) = (0, u64::from(values));
        while left > 0 {
            if self.left == 0 {
                self.begin(bytes)?;
            }
            if let Run::Same(value) = self.run {
                let some = self.left.min(left);
                found += if value == wanted { some as u32 } else { 0 };
                (self.left, left) = (self.left - some, left - some);
            } else if self.left > 0 {
                found += u32::from(self.next(bytes)? == wanted);
                left -= 1;
            }
        }
        Some(found)
    }
}

/// Bit-packed differences between numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Differences {
    /// Offset of the next miniblock or block.
    at: usize,
    left: u64,
    value: i64,
    is_first: bool,
    /// Number of values in a miniblock. `minis` is the number of miniblocks in a block.
    values: u64,
    minis: usize,
    least: i64,
    /// Offset of the bit widths of this block. `mini` is the index of the next miniblock.
    widths: usize,
    mini: usize,
    /// The bit width, the bit offset and the number of remaining values of the current miniblock.
    width: u32,
    bit: usize,
    open: u64,
}

impl Differences {
    /// Reads the numbers at `at`. There may be at most `most`.
    pub(super) fn new(bytes: &[u8], mut at: usize, most: u32) -> Option<Differences> {
        let block = number(bytes, &mut at, Thrift::varint)?;
        let minis = number(bytes, &mut at, Thrift::varint)?;
        let left = number(bytes, &mut at, Thrift::varint)?;
        let value = number(bytes, &mut at, Thrift::zigzag)?;
        let values = block.checked_div(minis)?;
        let is_sound = values > 0 && values % 8 == 0 && left <= u64::from(most);
        let minis = usize::try_from(minis).ok().filter(|_| is_sound && block < 1 << 31)?;
        Some(Differences {
            at,
            left,
            value,
            is_first: true,
            values,
            minis,
            mini: minis,
            ..Differences::default()
        })
    }

    pub(super) fn next(&mut self, bytes: &[u8]) -> Option<i64> {
        self.left = self.left.checked_sub(1)?;
        if std::mem::take(&mut self.is_first) {
            return Some(self.value);
        }
        if self.open == 0 {
            self.begin(bytes)?;
        }
        self.open -= 1;
        let more = bits(bytes, self.bit, self.width)?;
        self.bit += self.width as usize;
        self.value = self.value.wrapping_add(self.least).wrapping_add(more as i64);
        Some(self.value)
    }

    /// Starts the next miniblock.
    fn begin(&mut self, bytes: &[u8]) -> Option<()> {
        if self.mini == self.minis {
            self.least = number(bytes, &mut self.at, Thrift::zigzag)?;
            (self.widths, self.mini) = (self.at, 0);
            self.at = self.at.checked_add(self.minis)?;
        }
        self.width = u32::from(*bytes.get(self.widths + self.mini)?);
        if self.width > 64 {
            return None;
        }
        self.bit = self.at.checked_mul(8)?;
        self.at = self.at.checked_add(self.values as usize / 8 * self.width as usize)?;
        (self.mini, self.open) = (self.mini + 1, self.values);
        Some(())
    }

    /// Returns the offset of the first byte after the numbers. Must be called before any number is
    /// read.
    pub(super) fn end(mut self, bytes: &[u8]) -> Option<usize> {
        self.left = self.left.saturating_sub(1);
        while self.left > 0 {
            self.begin(bytes)?;
            self.left = self.left.saturating_sub(self.values);
        }
        (self.at <= bytes.len()).then_some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_both_kinds() {
        // The example of `Encodings.md`, 0 to 7 in three bits, followed by a run of five times 4.
        let bytes = [0x03, 0x88, 0xc6, 0xfa, 0x0a, 0x04];
        let mut runs = Runs::new(0, bytes.len(), 3).expect("runs");
        let found: Vec<u32> = (0..13).map_while(|_| runs.next(&bytes)).collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6, 7, 4, 4, 4, 4, 4]);
        assert_eq!(runs.next(&bytes), None);
        let runs = Runs::new(0, bytes.len(), 3).expect("runs");
        assert_eq!(runs.clone().count(&bytes, 13, 4), Some(6));
        assert_eq!(runs.clone().count(&bytes, 12, 4), Some(5));
        assert_eq!(runs.count(&bytes, 14, 4), None);
    }

    #[test]
    fn differences() {
        // 7, 5, 3, 1, 2, 3, 4, 5: the minimum difference is -2, and the differences have two bits.
        let bytes = [0x80, 0x01, 0x04, 0x08, 0x0e, 0x03, 2, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0];
        let mut numbers = Differences::new(&bytes, 0, 8).expect("numbers");
        assert_eq!(numbers.clone().end(&bytes), Some(18));
        let found: Vec<i64> = (0..9).map_while(|_| numbers.next(&bytes)).collect();
        assert_eq!(found, [7, 5, 3, 1, 2, 3, 4, 5]);
        assert!(Differences::new(&bytes, 0, 7).is_none());
        assert!(Differences::new(&bytes[..4], 0, 8).is_none());
    }
}
