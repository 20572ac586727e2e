//! Writes octets as text. Octets that are not UTF-8 are escaped reversibly.

/// Digits of an escaped octet.
const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Appends a DOI in its batch spelling. Octets that are not UTF-8 become `%XX`, which that spelling
/// reserves for octets.
pub fn doi(name: &[u8], out: &mut Vec<u8>) {
    if name.is_ascii() {
        return out.extend_from_slice(name);
    }
    escaped(name, out, b"%", |_, _| false);
}

/// Appends any bytes. Control characters and octets that are not UTF-8 become `\xNN`, and a
/// backslash followed by `x` and two hexadecimal digits becomes `\x5C`. Replacing each `\xNN` by
/// its byte restores the original.
pub fn bytes(bytes: &[u8], out: &mut Vec<u8>) {
    if are_plain(bytes) {
        return out.extend_from_slice(bytes);
    }
    escaped(bytes, out, b"\\x", |byte, rest| match byte {
        b'\\' => rest.first() == Some(&b'x') && are_hex(&rest[1..]),
        _ => byte.is_ascii_control(),
    });
}

/// Like [`bytes()`], with ASCII letters in lower case.
pub fn lower(text: &[u8], out: &mut Vec<u8>) {
    if !are_plain(text) {
        return bytes(&text.to_ascii_lowercase(), out);
    }
    let start = out.len();
    out.extend_from_slice(text);
    out[start..].make_ascii_lowercase();
}

/// Whether [`bytes()`] writes `bytes` unchanged.
fn are_plain(bytes: &[u8]) -> bool {
    // Branch-free, so that the compiler vectorises it.
    let is_plain = |b: &u8| (0x20..0x7f).contains(b) && *b != b'\\';
    bytes.iter().fold(true, |all, b| all & is_plain(b))
}

/// Whether `bytes` begin with two hexadecimal digits.
fn are_hex(bytes: &[u8]) -> bool {
    bytes.len() >= 2 && bytes[..2].iter().all(u8::is_ascii_hexdigit)
}

/// Appends `bytes`. Writes `mark` and two digits for each octet that is not UTF-8, and for each
/// ASCII character that `must_be` selects, given the bytes after it.
fn escaped(bytes: &[u8], out: &mut Vec<u8>, mark: &[u8], must_be: impl Fn(u8, &[u8]) -> bool) {
    let escape = |byte: u8, out: &mut Vec<u8>| {
        out.extend_from_slice(mark);
        out.push(HEX[usize::from(byte >> 4)]);
        out.push(HEX[usize::from(byte & 15)]);
    };
    let mut rest = bytes;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().as_bytes() {
            rest = &rest[1..];
            if must_be(*character, rest) {
                escape(*character, out);
            } else {
                out.push(*character);
            }
        }
        rest = &rest[chunk.invalid().len()..];
        chunk.invalid().iter().for_each(|&byte| escape(byte, out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn doi_of(name: &[u8]) -> String {
        let mut out = Vec::new();
        doi(name, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    fn text_of(name: &[u8]) -> String {
        let mut out = Vec::new();
        bytes(name, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn lower_case_is_that_of_the_bytes_not_of_their_escapes() {
        for text in [&b"10.1/ABC"[..], b"10.1/A\\x4A", b"10.1/A\xFF\x1F", "10.1/ÉA".as_bytes()] {
            let mut out = Vec::new();
            lower(text, &mut out);
            assert_eq!(String::from_utf8(out).expect("UTF-8"), text_of(&text.to_ascii_lowercase()));
        }
    }

    /// Undoes an escaping: replaces `mark` and two digits by one byte.
    fn restored(text: &str, mark: &[u8]) -> Vec<u8> {
        let (mut rest, mut out) = (text.as_bytes(), Vec::new());
        while let [first, behind @ ..] = rest {
            let hex = rest.strip_prefix(mark).filter(|hex| are_hex(hex));
            (rest, _) = match hex {
                Some(hex) => {
                    let digits = str::from_utf8(&hex[..2]).expect("digits");
                    (&hex[2..], out.push(u8::from_str_radix(digits, 16).expect("digits")))
                }
                None => (behind, out.push(*first)),
            };
        }
        out
    }

    #[test]
    fn escapes() {
        for (name, expected) in [
            (&b"10.1/A"[..], "10.1/A"),
            (b"10.1/A%2541", "10.1/A%2541"),
            ("10.1/é%252F".as_bytes(), "10.1/é%252F"),
            (b"10.1/\xe9%2541", "10.1/%E9%2541"),
        ] {
            assert_eq!(doi_of(name), expected);
        }
        for (bytes, expected) in [
            (&b"10.1\\/a"[..], "10.1\\/a"),
            (b"a\nb\tc\x7f", "a\\x0Ab\\x09c\\x7F"),
            (b"\\x41", "\\x5Cx41"),
            (b"\\x4", "\\x4"),
            ("é".as_bytes(), "é"),
            (b"\xe9\\", "\\xE9\\"),
        ] {
            assert_eq!(text_of(bytes), expected);
        }
    }

    proptest! {
        #[test]
        fn octets_can_be_restored(
            bytes in prop::collection::vec(prop::sample::select(b"%\\x41aF\n\xc3\xa9\xe9".to_vec()), 0..20)
        ) {
            prop_assert_eq!(&restored(&text_of(&bytes), b"\\x"), &bytes);
        }
    }
}
