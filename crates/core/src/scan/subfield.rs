//! Subfields of library records: MARC 21, UNIMARC, PICA+. A mark and a code of one character open a
//! value, and the next mark and code end it: `␟a10.1007/b100120␟2doi`, `$a10.1007/b100120$2doi`.
//!
//! Files mark a subfield with U+001F, displays with `$`, `|`, `‡`, `ǂ` or `ƒ`. Hardly a name contains one of the last
//! three, or a `$` or `|` before a letter or a digit.

/// The mark of MARC 21 in files (ISO 2709).
const DELIMITER: u8 = 0x1f;

/// Marks of displays that are not ASCII. All of them end a name.
const DISPLAYED: [&[u8]; 3] = ["‡".as_bytes(), "ǂ".as_bytes(), "ƒ".as_bytes()];

/// Returns the mark of the subfield that opens directly at the end of `before`.
pub(super) fn mark(before: &[u8]) -> Option<u8> {
    let (&code, rest) = before.split_last()?;
    match rest.last()? {
        &DELIMITER if is_code(code) => Some(DELIMITER),
        // PICA's `$0` too. Other digits make an amount: `$210.1234/`.
        &mark @ (b'$' | b'|') if code.is_ascii_lowercase() || mark == b'$' && code == b'0' => {
            Some(mark)
        }
        // The mark of MARC 21 in a string of JSON.
        b'f' | b'F' if is_code(code) && rest.to_ascii_lowercase().ends_with(b"\\u001f") => {
            Some(DELIMITER)
        }
        0x80.. if is_code(code) && DISPLAYED.iter().any(|mark| rest.ends_with(mark)) => Some(0),
        _ => None,
    }
}

/// Whether `rest`, after a mark, begins with a code, or with the second mark of `$$a`.
pub(super) fn begins(rest: &[u8]) -> bool {
    match rest {
        [b'$', code, ..] | [code, ..] => is_code(*code),
        [] => false,
    }
}

fn is_code(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks() {
        for (before, expected) in [
            ("\x1fa", Some(0x1f)),
            ("\x1f2doi\x1f0", Some(0x1f)),
            ("\"\\u001fa", Some(0x1f)),
            ("024 7  $a", Some(b'$')),
            ("024 7  L $$a", Some(b'$')),
            ("004V $0", Some(b'$')),
            ("US$2", None),
            ("$A", None),
            ("773 0  |o", Some(b'|')),
            ("|0", None),
            ("‡a", Some(0)),
            ("ǂu", Some(0)),
            ("ƒ0", Some(0)),
            ("§a", None),
            ("ca", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(mark(before.as_bytes()), expected, "{before}");
        }
    }
}
