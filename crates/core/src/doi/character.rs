//! The DOI character set (Z39.84-2005, 4.1): the legal graphic characters of Unicode.

use unicode_general_category::{GeneralCategory as G, get_general_category};

/// Whether `c` may be part of a DOI. Z39.84 allows the graphic characters of Unicode: letters,
/// marks, numbers, punctuation, symbols and spaces. It excludes control characters (U+0000–001F,
/// U+007F–009F), format characters, line and paragraph separators, surrogates, and private or
/// unassigned code points.
pub fn is_graphic(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_graphic() || c == ' ';
    }
    !matches!(
        get_general_category(c),
        G::Control
            | G::Format
            | G::Surrogate
            | G::PrivateUse
            | G::Unassigned
            | G::LineSeparator
            | G::ParagraphSeparator
    )
}

/// Whether `c` is a space: U+0020, U+00A0, U+3000 and the others of the category Zs. Z39.84 allows
/// spaces in a name (its Table 1 encodes U+0020), although no registered name seen so far has one.
pub fn is_space(c: char) -> bool {
    c == ' ' || !c.is_ascii() && get_general_category(c) == G::SpaceSeparator
}

/// Offset of the first space in `text`, up to the first octet that is not UTF-8.
pub fn first_space(text: &[u8]) -> Option<usize> {
    if text.is_ascii() {
        return memchr::memchr(b' ', text);
    }
    let text = text.utf8_chunks().next()?.valid();
    text.char_indices().find(|&(_, c)| is_space(c)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_the_standard_excludes() {
        for code in (0..=0x1f).chain(0x7f..=0x9f) {
            assert!(!is_graphic(char::from_u32(code).unwrap()), "U+{code:04X}");
        }
    }

    #[test]
    fn graphic_characters() {
        for c in ['a', '~', 'é', '本', '\u{301}', '🐔', '–', '¿', ' ', '\u{a0}', '\u{3000}']
        {
            assert!(is_graphic(c), "{c:?}");
        }
        for c in ['\u{200b}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{e000}', '\u{378}'] {
            assert!(!is_graphic(c), "{c:?}");
        }
    }

    #[test]
    fn the_first_space() {
        for (text, at) in [
            (&b"ab c d"[..], Some(2)),
            (b"ab", None),
            ("é\u{a0}b c".as_bytes(), Some(2)),
            ("é\u{3000}".as_bytes(), Some(2)),
            (b"a\xff b", None),
        ] {
            assert_eq!(first_space(text), at, "{text:?}");
        }
    }

    #[test]
    fn spaces() {
        for c in [' ', '\u{a0}', '\u{2003}', '\u{202f}', '\u{3000}'] {
            assert!(is_space(c), "{c:?}");
        }
        for c in ['\t', '\n', '\u{200b}', '\u{2028}', 'a', '_'] {
            assert!(!is_space(c), "{c:?}");
        }
    }
}
