//! Percent-encoded octets, `%XX` (RFC 3986, section 2.1).

use alloc::vec::Vec;

/// Length of an encoded octet.
pub(super) const ENCODED: usize = 3;

/// Appends `byte` as `%XX`, with upper case digits.
pub(super) fn encode(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS[usize::from(value & 0xf)];
    out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte)]);
}

/// Decodes the octet encoded at the start of `bytes`. Digits may be of either case.
pub(super) fn octet(bytes: &[u8]) -> Option<u8> {
    let &[b'%', a, b, ..] = bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(a)? * 16 + digit(b)?).ok()
}

/// Whether the path of a URI may contain `byte` unencoded: `pchar` of RFC 3986, and the slash.
pub(super) fn is_uri(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_octet_is_read_back() {
        for byte in 0..=u8::MAX {
            let mut out = Vec::new();
            encode(byte, &mut out);
            assert_eq!((octet(&out), out.len()), (Some(byte), ENCODED));
            assert_eq!(octet(&out.to_ascii_lowercase()), Some(byte));
        }
    }

    #[test]
    fn anything_else_is_no_octet() {
        for text in ["", "%", "%4", "%4g", "%%41", "41", "a%41", "%+4", "%\u{e9}"] {
            assert_eq!(octet(text.as_bytes()), None, "{text}");
        }
    }
}
