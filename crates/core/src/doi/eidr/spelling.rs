//! Encodings of bytes as text: hexadecimal digits and Base64 (RFC 4648). Implemented here because
//! two sizes of value need about forty lines, whereas a crate would add engines, streams and an
//! error type.

use super::check_character::{character, value};
use alloc::vec::Vec;

/// RFC 4648, section 4.
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends two digits for each byte, in upper case.
pub(super) fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(bytes.iter().flat_map(|byte| [character(byte >> 4), character(byte & 15)]));
}

/// Decodes pairs of hexadecimal digits of either case. Returns `None` for other text.
pub(super) fn read_hex(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    let digit = |byte| value(byte).filter(|&digit| digit < 16);
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

/// Appends four characters for every three bytes, with `=` for missing bytes.
pub(super) fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        let sextet = |at| BASE64[(bits >> (18 - 6 * at) & 63) as usize];
        out.extend((0..=group.len()).map(sextet));
        out.extend((group.len()..3).map(|_| b'='));
    }
}

/// Like [`write_base64`] with the URL-safe alphabet (RFC 4648, section 5), in which `-` and `_`
/// replace `+` and `/`. Padding is optional.
pub(super) fn write_base64_url(bytes: &[u8], padded: bool, out: &mut Vec<u8>) {
    let start = out.len();
    write_base64(bytes, out);
    for byte in &mut out[start..] {
        *byte = match *byte {
            b'+' => b'-',
            b'/' => b'_',
            other => other,
        };
    }
    while !padded && out.last() == Some(&b'=') {
        out.pop();
    }
}

/// Decodes Base64, padded or not. Returns `None` for other text. `-` and `_` are read like `+` and
/// `/` (section 5). Unused bits must be zero, so that no two texts of one alphabet and padding
/// decode to the same bytes.
pub(super) fn read_base64(text: &[u8]) -> Option<Vec<u8>> {
    let body = text.strip_suffix(b"==").or(text.strip_suffix(b"=")).unwrap_or(text);
    let is_padded = body.len() < text.len();
    if body.len() % 4 == 1 || is_padded && !text.len().is_multiple_of(4) {
        return None;
    }
    let mut out = Vec::with_capacity(body.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for &byte in body {
        bits = bits << 6 | sextet(byte)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(out)
}

fn sextet(character: u8) -> Option<u32> {
    let value = match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(write: fn(&[u8], &mut Vec<u8>), bytes: &[u8]) -> String {
        let mut out = Vec::new();
        write(bytes, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// RFC 4648, section 10.
    #[test]
    fn vectors_of_the_standard() {
        for (bytes, base64, hex) in [
            ("", "", ""),
            ("f", "Zg==", "66"),
            ("fo", "Zm8=", "666F"),
            ("foo", "Zm9v", "666F6F"),
            ("foob", "Zm9vYg==", "666F6F62"),
            ("fooba", "Zm9vYmE=", "666F6F6261"),
            ("foobar", "Zm9vYmFy", "666F6F626172"),
        ] {
            assert_eq!(written(write_base64, bytes.as_bytes()), base64);
            assert_eq!(written(write_hex, bytes.as_bytes()), hex);
            assert_eq!(read_base64(base64.as_bytes()).as_deref(), Some(bytes.as_bytes()));
            assert_eq!(read_hex(hex.as_bytes()).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(read_base64(b"Zg").as_deref(), Some(&b"f"[..]));
        assert_eq!(read_base64(b"Zm8").as_deref(), Some(&b"fo"[..]));
        assert_eq!(read_base64(b"-_+/"), Some(vec![0xFB, 0xFF, 0xBF]));
        assert_eq!(read_hex(b"fF0a"), Some(vec![0xFF, 0x0A]));
    }

    #[test]
    fn what_is_no_spelling() {
        for text in ["Z", "Zg=", "Zh", "Zh==", "Zm9=", "Zg===", "====", "Z g=", "Zm9vé", "=Zm9"] {
            assert_eq!(read_base64(text.as_bytes()), None, "{text}");
        }
        for text in ["A", "AG", "0x", " 1", "12é"] {
            assert_eq!(read_hex(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let base64 = written(write_base64, &bytes);
            prop_assert_eq!(read_base64(base64.as_bytes()), Some(bytes.clone()));
            for padded in [false, true] {
                let mut url = Vec::new();
                write_base64_url(&bytes, padded, &mut url);
                prop_assert!(padded || !url.contains(&b'='));
                prop_assert!(!url.contains(&b'+') && !url.contains(&b'/'));
                prop_assert_eq!(read_base64(&url), Some(bytes.clone()));
            }
            let hex = written(write_hex, &bytes);
            prop_assert_eq!(read_hex(hex.as_bytes()), Some(bytes));
        }
    }
}
