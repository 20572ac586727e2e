//! Searches for bytes in a short text.

use crate::vector::{self, LANES};

/// Whether `text` contains `byte`, which must be ASCII. For a text as short as a name, this takes half the instructions
/// of `memchr`, which is optimised for long texts.
#[inline]
pub fn holds(text: &[u8], byte: u8) -> bool {
    let Some(last) = text.last_chunk() else { return text.contains(&byte) };
    let (blocks, _) = text.as_chunks::<LANES>();
    // The last block overlaps the previous one.
    blocks.iter().any(|block| vector::holds(block, byte)) || vector::holds(last, byte)
}

/// Whether `text` is ASCII and contains none of `bytes`, which must be ASCII.
#[inline]
pub fn is_ascii_without(text: &[u8], bytes: [u8; 2]) -> bool {
    let Some(last) = text.last_chunk() else {
        return text.iter().all(|byte| byte.is_ascii() && !bytes.contains(byte));
    };
    let (blocks, _) = text.as_chunks::<LANES>();
    blocks.iter().all(|block| vector::is_ascii_without(block, bytes))
        && vector::is_ascii_without(last, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        for len in 0..40 {
            for (byte, filler) in [(b'/', b'.'), (b'/', b'0'), (b'%', b'$'), (0, 1), (0x7f, 1)] {
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
