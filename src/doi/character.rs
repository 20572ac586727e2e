//! The DOI character set (Z39.84-2005, 4.1): the legal graphic characters of Unicode.

use unicode_general_category::{GeneralCategory as G, get_general_category};

/// Whether `c` may stand in a DOI: a graphic character, so no control
/// (U+0000–001F, U+007F–009F), format, surrogate, private or unassigned code
/// point, and none of the separators.
pub fn is_graphic(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_graphic();
    }
    !matches!(
        get_general_category(c),
        G::Control
            | G::Format
            | G::Surrogate
            | G::PrivateUse
            | G::Unassigned
            | G::SpaceSeparator
            | G::LineSeparator
            | G::ParagraphSeparator
    )
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
    fn letters_marks_and_symbols_are_graphic() {
        for c in ['a', '~', 'é', '本', '\u{301}', '🐔', '–', '¿'] {
            assert!(is_graphic(c), "{c:?}");
        }
        for c in [' ', '\u{a0}', '\u{200b}', '\u{2028}', '\u{feff}', '\u{e000}', '\u{378}'] {
            assert!(!is_graphic(c), "{c:?}");
        }
    }
}
