//! Badges of shields.io: pictures whose address holds the text that they show.
//!
//! In `badge/DOI-10.18653%2Fv1%2F2021.acl--demo.15-blue.svg`, a single `-` separates label, message and colour, and the text
//! doubles each `-` and `_`.

use alloc::vec::Vec;
use memchr::memmem;

/// Maximum number of bytes searched for the start of a badge.
const LABEL: usize = 96;

/// Whether a badge whose message is the name begins before it, in `before`.
pub(super) fn begins(before: &[u8]) -> bool {
    let is_label = |b: &u8| b.is_ascii_alphanumeric() || b"%_-.:[]()".contains(b);
    let window = &before[before.len().saturating_sub(LABEL)..];
    // The searcher takes a thousand instructions.
    memchr::memchr_iter(b'b', window).any(|at| window[at..].starts_with(b"badge/"))
        && memmem::rfind(window, b"badge/").is_some_and(|at| window[at + 6..].iter().all(is_label))
}

/// Returns where the colour begins in `suffix`, including the mark before it.
pub(super) fn colour(suffix: &[u8]) -> Option<usize> {
    let at = memchr::memrchr(b'-', suffix)?;
    suffix[at + 1..].iter().all(u8::is_ascii_alphanumeric).then_some(at)
}

/// Replaces each double `-` and `_` in the suffix, which begins at `start`, by a single one.
pub(super) fn undouble(name: &mut Vec<u8>, start: usize) {
    let mut at = start;
    while at + 1 < name.len() {
        if matches!(name[at..], [b'-', b'-', ..] | [b'_', b'_', ..]) {
            name.remove(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        for (before, expected) in [
            ("https://img.shields.io/badge/DOI-", true),
            ("https://img.shields.io/badge/", true),
            ("https://img.shields.io/badge/DOI-https%3A%2F%2Fdoi.org%2F", true),
            ("badge/paper%20doi-", true),
            ("badge/GR-[DOI]", true),
            ("https://img.shields.io/badge/doi%3A", true),
            ("see badge-https://doi.org/", false),
            ("badge/DOI/", false),
            ("badge/x y-", false),
            ("badge-", false),
            ("-", false),
            ("https://doi.org/", false),
        ] {
            assert_eq!(begins(before.as_bytes()), expected, "{before}");
        }
    }

    #[test]
    fn colours() {
        for (suffix, expected) in [
            ("PNAS.2420252122-BLUE", Some(15)),
            ("ACL--DEMO.15-BLUE", Some(12)),
            ("ACL", None),
            ("A-B.C", None),
        ] {
            assert_eq!(colour(suffix.as_bytes()), expected, "{suffix}");
        }
        let mut name = b"10.1000/A--B__C-D----E".to_vec();
        undouble(&mut name, 8);
        assert_eq!(name, b"10.1000/A-B_C-D--E");
        let mut name = b"10.1000/A--".to_vec();
        undouble(&mut name, 8);
        assert_eq!(name, b"10.1000/A-");
    }
}
