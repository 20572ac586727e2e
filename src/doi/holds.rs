//! Searches for a byte in a short text.

/// Number of bytes examined at a time.
const WORD: usize = 8;

/// Whether `text` contains `byte`. For a text as short as a name, this takes half the instructions
/// of `memchr`, which is optimised for long texts.
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
    // The last word overlaps the previous one.
    has(last, byte)
}

/// Whether `text` is ASCII and contains none of `bytes`.
#[inline]
pub(crate) fn is_ascii_without(text: &[u8], bytes: [u8; 2]) -> bool {
    let Some(last) = text.last_chunk() else {
        return text.iter().all(|byte| byte.is_ascii() && !bytes.contains(byte));
    };
    let marks = |word: &[u8; WORD]| {
        let high = u64::from_le_bytes(*word) & HIGH;
        high | zero_in(word, bytes[0]) | zero_in(word, bytes[1])
    };
    let (words, _) = text.as_chunks();
    words.iter().fold(marks(last), |all, word| all | marks(word)) == 0
}

/// Whether `byte` is in `word`. Matching bytes become zero, and the lowest zero byte is detected
/// exactly, because only a zero byte borrows from a byte without a high bit.
#[inline]
fn has(word: &[u8; WORD], byte: u8) -> bool {
    zero_in(word, byte) != 0
}

/// The value 1 in every byte, and the highest bit of every byte.
const ONES: u64 = u64::from_le_bytes([1; WORD]);
const HIGH: u64 = ONES << 7;

/// Returns a non-zero value if `byte` is in `word`.
#[inline]
fn zero_in(word: &[u8; WORD], byte: u8) -> u64 {
    let word = u64::from_le_bytes(*word) ^ (ONES * u64::from(byte));
    word.wrapping_sub(ONES) & !word & HIGH
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
                assert!(is_ascii_without(&text, [byte, byte]), "{len}");
                for at in 0..len {
                    text[at] = byte;
                    assert!(!is_ascii_without(&text, [byte, b'#']), "{byte:#x} at {at} of {len}");
                    assert!(!is_ascii_without(&text, [b'#', byte]), "{byte:#x} at {at} of {len}");
                    assert!(holds(&text, byte), "{byte:#x} at {at} of {len}");
                    text[at] = filler;
                }
            }
        }
    }
}
