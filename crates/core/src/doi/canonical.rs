//! The canonical form, in which equal names are equal octet by octet.

/// Folds `name` in place: ASCII `a`–`z` become `A`–`Z`, and every other octet is unchanged.
///
/// Z39.84-2005, section 4: the letters `a`–`z` are case insensitive, and octets are compared after
/// that conversion. There is therefore no Unicode case folding (`ſ` is not `S`) and no
/// normalisation.
pub fn fold(name: &mut [u8]) {
    name.make_ascii_uppercase();
}

/// Whether `name` has no ASCII letter in lower case, so that [`fold`] would not change it. It need
/// not be a DOI.
pub fn is_folded(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(name: &str) -> String {
        let mut bytes = name.as_bytes().to_vec();
        fold(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn only_ascii_letters_are_folded() {
        assert_eq!(folded("10.123/AbC"), "10.123/ABC");
        assert_eq!(folded("10.123/ſßé\u{212A}ı"), "10.123/ſßé\u{212A}ı");
    }

    #[test]
    fn folding_twice_changes_nothing() {
        let once = folded("10.1000/a{|}~`@[é");
        assert_eq!(folded(&once), once);
        assert!(is_folded(once.as_bytes()));
        assert!(!is_folded(b"10.1000/a"));
    }
}
