//! Writes octets as text. Octets that are not UTF-8 are escaped reversibly.

use super::terminal::needs_escape;

/// Digits of an escaped octet.
const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Appends a DOI in its batch spelling. Octets that are not UTF-8 become `%XX`, which that spelling
/// reserves for octets.
pub fn doi(name: &[u8], out: &mut Vec<u8>) {
    if all(name, |b| b.is_ascii()) {
        return out.extend_from_slice(name);
    }
    escaped(name, out, b"%", |_, _| false);
}

/// Appends any bytes. Control characters, marks of direction and octets that are not UTF-8 become `\xNN`, and a
/// backslash followed by `x` and two hexadecimal digits becomes `\x5C`. Replacing each `\xNN` by
/// its byte restores the original.
pub fn bytes(bytes: &[u8], out: &mut Vec<u8>) {
    if are_plain(bytes) {
        return out.extend_from_slice(bytes);
    }
    escaped(bytes, out, b"\\x", |c, rest| match c {
        '\\' => rest.first() == Some(&b'x') && are_hex(&rest[1..]),
        _ => needs_escape(c),
    });
}

/// Appends a text of CSV or TSV. Control characters but tabs and line ends, marks of direction and octets that are not UTF-8
/// become `\xNN`.
pub fn text(text: &[u8], out: &mut Vec<u8>) {
    if all(text, |b| (0x20..0x7f).contains(&b)) {
        return out.extend_from_slice(text);
    }
    escaped(text, out, b"\\x", |c, _| needs_escape(c) && !matches!(c, '\t' | '\r' | '\n'));
}

/// Like [`bytes()`], with ASCII letters in lower case.
pub fn lower(text: &[u8], out: &mut Vec<u8>) {
    if !are_plain(text) {
        return bytes(&text.to_ascii_lowercase(), out);
    }
    plain_lower(text, out);
}

/// Appends ASCII text with letters in lower case. In blocks of sixteen as [`all`].
pub(super) fn plain_lower(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(text);
    let text = &mut out[start..];
    text.as_chunks_mut::<16>().0.iter_mut().for_each(|block| block.make_ascii_lowercase());
    match text.last_chunk_mut::<16>() {
        Some(last) => last.make_ascii_lowercase(),
        None => text.make_ascii_lowercase(),
    }
}

/// Whether a spreadsheet may run the cell as a formula: it begins with `=`, `+`, `-`, `@`, a tab or a
/// line end, continues, and is not a number. Such a cell of CSV or TSV is written after an
/// apostrophe, as OWASP advises for CSV. Apostrophes in front of such a text count as part of it, so
/// that removing one restores the original.
pub fn is_formula(cell: &[u8]) -> bool {
    let Some(b'\'' | b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\n') = cell.first() else {
        return false;
    };
    let quotes = cell.iter().take_while(|&&b| b == b'\'').count();
    match &cell[quotes..] {
        [b'+' | b'-', rest @ ..] if is_number(rest) => false,
        [first, _, ..] => b"=+-@\t\r\n".contains(first),
        _ => false,
    }
}

/// Whether `text` consists of digits, with full stops and commas as countries write them, and perhaps an exponent or a
/// percent sign: `1.234,56`.
fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = text.strip_suffix(b"%").unwrap_or(text);
    let mut parts = text.splitn(2, |b| b.eq_ignore_ascii_case(&b'e'));
    let mantissa = parts.next().unwrap_or_default();
    let without: Vec<u8> = mantissa.iter().copied().filter(|b| !b".,".contains(b)).collect();
    let exponent = parts.next().is_none_or(|text| {
        digits(text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text))
    });
    digits(&without) && exponent
}

/// Whether [`bytes()`] writes `bytes` unchanged.
fn are_plain(bytes: &[u8]) -> bool {
    all(bytes, |b| (0x20..0x7f).contains(&b) & (b != b'\\'))
}

/// Whether all bytes are of a kind. Blocks of sixteen, the last of which may overlap the one before it,
/// are vectorised by the compiler if `is` has no branches.
#[inline]
pub(super) fn all(text: &[u8], is: impl Fn(u8) -> bool) -> bool {
    let Some(last) = text.last_chunk::<16>() else {
        return text.iter().fold(true, |all, &b| all & is(b));
    };
    let mut others = [0; 16];
    for block in text.as_chunks::<16>().0.iter().chain([last]) {
        for (other, &b) in others.iter_mut().zip(block) {
            *other |= u8::from(!is(b));
        }
    }
    others == [0; 16]
}

/// Whether `bytes` begin with two hexadecimal digits.
fn are_hex(bytes: &[u8]) -> bool {
    bytes.len() >= 2 && bytes[..2].iter().all(u8::is_ascii_hexdigit)
}

/// Appends `bytes`. Writes `mark` and two digits for each octet that is not UTF-8, and for each octet of a character
/// that `must_be` selects, given the bytes after it.
fn escaped(bytes: &[u8], out: &mut Vec<u8>, mark: &[u8], must_be: impl Fn(char, &[u8]) -> bool) {
    let escape = |octets: &[u8], out: &mut Vec<u8>| {
        for octet in octets {
            out.extend_from_slice(mark);
            out.extend([octet >> 4, octet & 15].map(|digit| HEX[usize::from(digit)]));
        }
    };
    let mut rest = bytes;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let (octets, behind) = rest.split_at(c.len_utf8());
            rest = behind;
            match must_be(c, rest) {
                true => escape(octets, out),
                false => out.extend_from_slice(octets),
            }
        }
        rest = &rest[chunk.invalid().len()..];
        escape(chunk.invalid(), out);
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
    fn each_byte_of_a_text_of_any_length_counts() {
        for len in 0..50 {
            let text = vec![b'A'; len];
            assert!(all(&text, |b| b == b'A'));
            let mut out = b"X".to_vec();
            plain_lower(&text, &mut out);
            assert_eq!(out, [&b"X"[..], &vec![b'a'; len]].concat());
            for at in 0..len {
                let mut other = text.clone();
                other[at] = b'B';
                assert!(!all(&other, |b| b == b'A'), "{len} {at}");
            }
        }
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
            ("a\u{202e}\u{61c}\u{9b}b".as_bytes(), "a\\xE2\\x80\\xAE\\xD8\\x9C\\xC2\\x9Bb"),
            (b"\xe9\\", "\\xE9\\"),
        ] {
            assert_eq!(text_of(bytes), expected);
        }
    }

    /// Undoes what is done to formulas.
    fn unguarded(cell: &[u8]) -> &[u8] {
        cell.strip_prefix(b"'").filter(|rest| is_formula(rest)).unwrap_or(cell)
    }

    #[test]
    fn formulas_are_told_from_numbers() {
        for (cell, expected) in [
            ("=1+1", true),
            ("@SUM(A1)", true),
            ("+1-1", true),
            ("-2+3+cmd|' /C calc'!A0", true),
            ("\t=1", true),
            ("\r=1", true),
            ("''=1", true),
            ("-1.5e-3", false),
            ("+49", false),
            ("-1,5", false),
            ("+1.234,56", false),
            ("-12%", false),
            ("-1,5+2", true),
            ("-,", true),
            ("-%", true),
            ("-1e", true),
            ("-", false),
            ("'-", false),
            ("'quoted'", false),
            ("10.1/=A", false),
            ("", false),
        ] {
            assert_eq!(is_formula(cell.as_bytes()), expected, "{cell}");
        }
    }

    proptest! {
        #[test]
        fn formulas_can_be_restored(
            cell in prop::collection::vec(prop::sample::select(b"'=+-@\t1.ea".to_vec()), 0..6)
        ) {
            let guarded = if is_formula(&cell) { [b"'", &cell[..]].concat() } else { cell.clone() };
            prop_assert_eq!(unguarded(&guarded), &cell[..]);
            prop_assert!(!b"=@\t".contains(guarded.first().unwrap_or(&b'x')) || guarded.len() == 1);
        }

        #[test]
        fn octets_can_be_restored(
            bytes in prop::collection::vec(prop::sample::select(b"%\\x41aF\n\xc3\xa9\xe9\xe2\x80\xae".to_vec()), 0..20)
        ) {
            prop_assert_eq!(&restored(&text_of(&bytes), b"\\x"), &bytes);
        }
    }
}
