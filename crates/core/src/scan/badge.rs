//! Badges of shields.io: `badge/DOI-10.18653%2Fv1%2F2021.acl--demo.15-blue.svg`. The text of a
//! badge doubles each `-` and `_`. A single `-` separates its label, message and colour.

use alloc::vec::Vec;

/// Maximum number of bytes searched for the start of a badge.
const LABEL: usize = 64;

/// Whether the message of a badge begins after `before`.
pub(super) fn is_message(before: &[u8]) -> bool {
    let Some(rest) = before.strip_suffix(b"-") else { return false };
    let rest = &rest[rest.len().saturating_sub(LABEL)..];
    memchr::memmem::rfind(rest, b"badge/").is_some_and(|at| {
        let label = &rest[at + b"badge/".len()..];
        label.iter().all(|b| b.is_ascii_alphanumeric() || b"%_-.:".contains(b))
    })
}

/// Returns where the colour begins in `suffix`, including the hyphen before it, which is the last
/// one and single.
pub(super) fn colour(suffix: &[u8]) -> Option<usize> {
    let at = suffix.iter().rposition(|&b| b == b'-')?;
    let is_colour = suffix[at + 1..].iter().all(u8::is_ascii_alphanumeric);
    (is_colour && at > 0 && suffix[at - 1] != b'-').then_some(at)
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
            ("badge/paper%20doi-", true),
            ("badge/DOI/", false),
            ("badge/x y-", false),
            ("badge-", false),
            ("-", false),
        ] {
            assert_eq!(is_message(before.as_bytes()), expected, "{before}");
        }
    }

    #[test]
    fn colours() {
        for (suffix, expected) in [
            ("PNAS.2420252122-BLUE", Some(15)),
            ("ACL--DEMO.15-BLUE", Some(12)),
            ("ACL--DEMO", None),
            ("ACL", None),
            ("A-B.C", None),
            ("A-BLUE", Some(1)),
            ("-BLUE", None),
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
