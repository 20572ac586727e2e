//! A byte in a short text.

/// Bytes that are looked at together.
const WORD: usize = 8;

/// Whether `byte` stands in `text`. For a text as short as a name this takes half the
/// instructions of `memchr`, which prepares for long ones.
#[inline]
pub(crate) fn holds(text: &[u8], byte: u8) -> bool {
    let Some(last) = text.last_chunk() else { return text.contains(&byte) };
    let mut rest = text;
    while let Some((word, behind)) = rest.split_first_chunk() {
        if has(word, byte) {
            return true;
        }
        rest = behind;
    }
    // The last word overlaps the one in front of it.
    has(last, byte)
}

/// Whether `byte` is in `word`: its bytes become zero, and only the lowest zero borrows from a
/// byte that had no high bit.
#[inline]
fn has(word: &[u8; WORD], byte: u8) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; WORD]);
    let word = u64::from_le_bytes(*word) ^ (ONES * u64::from(byte));
    word.wrapping_sub(ONES) & !word & (ONES << 7) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        for len in 0..40 {
            for (byte, filler) in [(b'/', b'.'), (b'/', b'0'), (b'%', b'$'), (0, 1), (0x80, 0)] {
                let mut text = vec![filler; len];
                assert!(!holds(&text, byte), "{len}");
                for at in 0..len {
                    text[at] = byte;
                    assert!(holds(&text, byte), "{byte:#x} at {at} of {len}");
                    text[at] = filler;
                }
            }
        }
    }
}
