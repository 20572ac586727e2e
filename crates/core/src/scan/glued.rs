//! Recognises text that begins something else directly after a name: another DOI, an address, an
//! identifier of another scheme, a URL parameter.

use super::anchor::{anchor, find_registrant};
use crate::decode::{Layer, Text};
use crate::doi::notation::begins_label;

/// Whether `rest` begins with another name, a marker or an address.
pub(super) fn begins_another(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'1') => is_prefix(rest),
        Some(b'd' | b'D' | b'h' | b'H') => begins_label(rest),
        _ => false,
    }
}

/// Entities that browsers accept without a semicolon.
const ENTITIES: [&[u8]; 5] = [b"gt", b"lt", b"quot", b"amp", b"nbsp"];

/// Whether `rest`, after a `&`, is an entity without its semicolon: `10.1037/1089-2680.2.2.175&gt`.
pub(super) fn is_entity(rest: &[u8]) -> bool {
    let ends = |name: &&[u8]| {
        let is_name = rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name));
        is_name && rest.get(name.len()) != Some(&b';')
    };
    ENTITIES.iter().any(ends)
}

/// Whether `rest` begins with `10.`, a registrant and a slash. Full stop and slash may be escaped.
fn is_prefix(rest: &[u8]) -> bool {
    let Some(len) = anchor(rest) else { return false };
    let rest = &rest[len..];
    let found = find_registrant(rest);
    found.is_plain() && matches!(rest.get(found.len), Some(b'/' | b'\\' | b'%'))
}

/// Words before a colon that begin something else.
const LEADS: [&[u8]; 8] =
    [b"HTTP", b"HTTPS", b"DOI", b"PMID", b"PMCID", b"PUBLISHED", b"ISI", b"WOS"];

/// Returns the length of the word at the end of the folded `suffix` that is not part of the name, because a colon and `rest`
/// follow it. Returns `0` if a name begins after the colon.
pub(super) fn word(suffix: &[u8], rest: &[u8]) -> Option<usize> {
    let Some(lead) = LEADS.iter().find(|word| suffix.ends_with(word)) else {
        return is_prefix(rest).then_some(0);
    };
    // A list with hyphens or underscores: `10.1038/nature12373-https://doi.org/10.1000/182`.
    let front = suffix[..suffix.len() - lead.len()].iter().rev();
    Some(lead.len() + front.take_while(|b| matches!(b, b'-' | b'_')).count())
}

/// Whether the name after `before` is in the query of an address, in which a `&` ends each value:
/// `?persistentId=doi:10.7910/DVN/ABC123&excludeFiles`. The address may be relative: `href="/search?doi=`.
pub(super) fn is_in_query(before: &[u8]) -> bool {
    let is_part = |b: &&u8| b.is_ascii_graphic() && !b"\"'<>".contains(b);
    let len = before.iter().rev().take_while(is_part).count();
    let address = &before[before.len() - len..];
    let Some(at) = memchr::memchr(b'?', address) else { return false };
    let query = Text { bytes: &address[at + 1..], twice: false };
    query.bytes.contains(&b'=')
        && (memchr::memmem::find(address, b"://").is_some() || is_parameter(&query, 0))
}

/// Whether a URL parameter begins at `at`, after its `&`: `utm_source=`, `page[size]=`.
pub(super) fn is_parameter(text: &Text<'_>, at: usize) -> bool {
    let mut place = at;
    for count in 0..32 {
        let Some(c) = text.at(place) else { return false };
        match c.ascii() {
            Some(b'=' | b':') => return count > 0,
            Some(b) if b.is_ascii_alphanumeric() || b"_.-[]".contains(&b) => place = c.next,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_begins() {
        for (rest, expected) in [
            ("10.1000/182", true),
            (" 10.1000/182", false),
            (r"10.1000\/182", true),
            ("doi:10.1000/182", true),
            ("https://doi.org/", true),
            ("10.5", false),
            ("10-12", false),
            ("do", false),
            ("", false),
        ] {
            assert_eq!(begins_another(rest.as_bytes()), expected, "{rest}");
        }
    }

    #[test]
    fn glued_words() {
        for (suffix, rest, expected) in [
            ("C1CY00107H.HTTP", "//dx.doi.org/10.1039/c1cy00107h", Some(4)),
            ("1.1444578HTTPS", r"\/\/doi.org", Some(5)),
            ("SCIENCE.1255642.PMID", "26068859", Some(4)),
            ("97218DOI", "10.1126/science", Some(3)),
            ("ABC", "10.1126/science", Some(0)),
            ("ACPROF", "oso/9780198507789", None),
        ] {
            assert_eq!(word(suffix.as_bytes(), rest.as_bytes()), expected, "{suffix}:{rest}");
        }
    }

    #[test]
    fn queries() {
        for (before, expected) in [
            ("https://example.org/?persistentId=doi:", true),
            ("https://example.org/?a=1&doi=", true),
            ("https://example.org/doi/", false),
            ("https://example.org/?", false),
            ("\"?doi=", true),
            ("\"/search?a=1&amp;doi=", true),
            ("\"?doi", false),
            ("what?(a=", false),
        ] {
            assert_eq!(is_in_query(before.as_bytes()), expected, "{before}");
        }
    }

    #[test]
    fn parameters() {
        for (rest, expected) in [
            ("utm_source=x", true),
            ("rft.date=1", true),
            ("doi:10.1", true),
            ("page[size]=25", true),
            ("b c=", false),
            ("=", false),
        ] {
            let text = Text { bytes: rest.as_bytes(), twice: false };
            assert_eq!(is_parameter(&text, 0), expected, "{rest}");
        }
    }
}
