//! Unsigned numbers in LEB128: seven bits a byte, lowest bits first.

/// Encodes a number. Returns a buffer and the number of bytes used in it.
#[inline]
pub fn encode(mut number: u32) -> ([u8; 5], usize) {
    let mut bytes = [0; 5];
    let mut at = 0;
    while number >= 0x80 {
        bytes[at] = number as u8 | 0x80;
        number >>= 7;
        at += 1;
    }
    bytes[at] = number as u8;
    (bytes, at + 1)
}

/// Appends a number to `out`.
#[inline]
pub fn push(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number of at most `MOST` bytes from the front of `bytes`. Returns `None` if it is
/// truncated or longer.
#[inline]
pub fn take<const MOST: u32>(bytes: &mut &[u8]) -> Option<u64> {
    match bytes.split_first()? {
        (&byte, rest) if byte < 0x80 => {
            *bytes = rest;
            Some(u64::from(byte))
        }
        _ => take_long::<MOST>(bytes),
    }
}

fn take_long<const MOST: u32>(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    for (at, &byte) in bytes.iter().enumerate().take(MOST as usize) {
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive() {
        for number in [0, 1, 127, 128, 16_383, 16_384, 2_097_152, u32::MAX] {
            let (bytes, len) = encode(number);
            let mut rest = &[&bytes[..len], b"rest"].concat()[..];
            assert_eq!(take::<5>(&mut rest), Some(u64::from(number)));
            assert_eq!(rest, b"rest");
        }
    }

    #[test]
    fn numbers_cut_short_or_too_long_are_refused() {
        for bytes in [&[][..], &[0x80], &[0x80; 4], &[0x80; 5], &[0x80, 0x80, 0x80, 0x80, 0x80, 0]]
        {
            let mut rest = bytes;
            assert_eq!(take::<5>(&mut rest), None, "{bytes:?}");
        }
    }
}
