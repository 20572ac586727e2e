//! What says that a DOI follows: `doi:`, a resolver's address, the label of a field.

/// `before` without blanks at its end.
pub(super) fn trim_blanks(before: &[u8]) -> &[u8] {
    before.trim_ascii_end()
}

/// `before` without `word` at its end, whatever the case of its letters.
pub(super) fn strip_word<'a>(before: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = before.len().checked_sub(word.len())?;
    before[at..].eq_ignore_ascii_case(word).then(|| &before[..at])
}

/// `before` without the slash at its end, written `/` or `\/`.
fn strip_slash(before: &[u8]) -> Option<&[u8]> {
    let mut rest = before.strip_suffix(b"/")?;
    while let [head @ .., b'\\'] = rest {
        rest = head;
    }
    Some(rest)
}

/// Whether `before` ends in the word `doi` that is glued to the name.
pub(super) fn is_glued(before: &[u8]) -> bool {
    strip_word(before, b"doi").is_some_and(|rest| !rest.last().is_some_and(u8::is_ascii_alphabetic))
}

/// Whether a marker begins `rest`: `doi:`, `doi/`, `doi.org`.
pub(super) fn begins(rest: &[u8]) -> bool {
    let marks = |mark: &u8| matches!(mark, b':' | b'/' | b'.' | b'\\');
    rest.get(3).is_some_and(marks) && rest[..3].eq_ignore_ascii_case(b"doi")
}

/// `before` without the address of a resolver at its end:
/// `https://doi.org/`, `dx.doi.org/`, `http:\/\/www.doi.org\/`.
pub(super) fn strip_resolver(before: &[u8]) -> Option<&[u8]> {
    let rest = strip_word(strip_slash(before)?, b"doi.org")?;
    let rest = [&b"dx."[..], b"www."].iter().find_map(|w| strip_word(rest, w)).unwrap_or(rest);
    let Some(scheme) = strip_slash(rest).and_then(strip_slash) else { return Some(rest) };
    let schemes = [&b"https:"[..], b"http:"];
    Some(schemes.iter().find_map(|w| strip_word(scheme, w)).unwrap_or(scheme))
}

/// `before` without a label at its end: `doi:`, `DOI `, `info:doi/`, `urn:doi:`.
pub(super) fn strip_label(before: &[u8]) -> Option<&[u8]> {
    if let Some(slash) = strip_slash(before) {
        return strip_word(slash, b"info:doi");
    }
    let rest = trim_blanks(before);
    let blanks = rest.len() < before.len();
    let colon = rest.strip_suffix(b":");
    let word = strip_word(trim_blanks(colon.unwrap_or(rest)), b"doi")?;
    if !blanks && colon.is_none() || word.last().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    Some(strip_word(word, b"urn:").unwrap_or(word))
}

/// Whether what stands before says that a DOI follows, so that even a registrant
/// of two or three digits is one: `doi:10.123/x`, `doi = {10.123/x`, `<doi>10.123/x`.
pub(super) fn is_marked(before: &[u8]) -> bool {
    if let Some(rest) = strip_slash(before) {
        let percent = strip_word(rest, b"doi").is_some();
        return percent || strip_word(rest, b"doi.org").is_some();
    }
    let is_filler = |b: &u8| b.is_ascii_whitespace() || b":=\"'{>\\|([".contains(b);
    let filler = before.iter().rev().take(8).take_while(|b| is_filler(b)).count();
    strip_word(&before[..before.len() - filler], b"doi").is_some()
}

/// Whether `before` ends in a delimiter that is percent-encoded, once or twice: then the
/// address it belongs to stands encoded in another one.
pub(super) fn is_encoded(before: &[u8]) -> bool {
    let ([.., b'%', a, b] | [.., b'%', b'2', b'5', a, b]) = before else { return false };
    matches!([*a, b.to_ascii_uppercase()], [b'2', b'F' | b'2' | b'6'] | [b'3', b'A' | b'D' | b'F'])
}

/// Whether `before` ends in `urn:doi:` or `urn:eidr:`, behind which a colon separates prefix and suffix.
pub(super) fn is_urn(before: &[u8]) -> bool {
    [&b"urn:doi:"[..], b"urn:eidr:"].iter().any(|word| strip_word(before, word).is_some())
}

/// Whether `before` ends in `:eidr-u:`, behind which an underscore separates prefix and
/// suffix (EIDR identifier formats, section 3).
pub(super) fn is_underscored(before: &[u8]) -> bool {
    strip_word(before, b":eidr-u:").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Option<&[u8]>) -> Option<&str> {
        bytes.map(|b| str::from_utf8(b).unwrap())
    }

    #[test]
    fn resolvers() {
        for (before, expected) in [
            ("\"https://doi.org/", Some("\"")),
            ("\"http://dx.doi.org/", Some("\"")),
            (r#""http:\/\/dx.doi.org\/"#, Some("\"")),
            ("<HTTPS://WWW.DOI.ORG/", Some("<")),
            ("see doi.org/", Some("see ")),
            ("https://example.org/", None),
            ("https://doi.org", None),
        ] {
            assert_eq!(text(strip_resolver(before.as_bytes())), expected, "{before}");
        }
    }

    #[test]
    fn labels() {
        for (before, expected) in [
            ("\"doi:", Some("\"")),
            ("\"DOI: ", Some("\"")),
            ("{doi ", Some("{")),
            ("\"info:doi/", Some("\"")),
            ("\"urn:doi:", Some("\"")),
            ("\"doi", None),
            ("xdoi:", None),
            ("\"", None),
        ] {
            assert_eq!(text(strip_label(before.as_bytes())), expected, "{before}");
        }
    }

    #[test]
    fn marked() {
        for before in
            ["doi:", "DOI ", "doi = {", "\"DOI\": \"", "<doi>", "https://doi.org/", "|doi=", "doi/"]
        {
            assert!(is_marked(before.as_bytes()), "{before}");
        }
        for before in ["", "see ", "rated ", "https://example.org/", "version="] {
            assert!(!is_marked(before.as_bytes()), "{before}");
        }
    }
}
