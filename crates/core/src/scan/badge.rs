//! Badges of shields.io and badgen.net: pictures whose address holds the text that they show.

use alloc::vec::Vec;
use memchr::memmem;

/// The site that draws a badge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Badge {
    /// `badge/DOI-10.18653%2Fv1%2F2021.acl--demo.15-blue.svg`. The text doubles each `-` and `_`. A single `-` separates
    /// label, message and colour. The label may be missing, and the message may be an address.
    Shields,
    /// `badgen.net/badge/DOI/10.5281%2Fzenodo.20033111/blue`.
    Badgen,
}

/// Maximum number of bytes searched for the start of a badge.
const LABEL: usize = 96;

/// Returns the site of the badge whose message begins after `before`.
pub(super) fn badge(before: &[u8]) -> Option<Badge> {
    let is_label =
        |label: &[u8]| label.iter().all(|b| b.is_ascii_alphanumeric() || b"%_-.:[]()".contains(b));
    let window = &before[before.len().saturating_sub(LABEL)..];
    // Each mark has this word. Building a searcher for each of them takes a thousand instructions.
    if !memchr::memchr_iter(b'b', window).any(|at| window[at..].starts_with(b"badge"))
        && !window.ends_with(b"doi.org/")
        && memchr::memmem::find(window, b"shields").is_none()
    {
        return None;
    }
    let after = |mark: &[u8]| memmem::rfind(window, mark).map(|at| &window[at + mark.len()..]);
    let is_shields = match window {
        [.., b'-' | b':' | b']'] | [.., b'2' | b'3', b'F' | b'f' | b'A' | b'a'] => {
            [&b"badge/"[..], br"badge\/", br"badge\u002F", b"badge%2F", b"shields.io/:"]
                .iter()
                .find_map(|mark| after(mark))
                .is_some_and(is_label)
        }
        // An address as the message: nearly all addresses are none.
        [.., b'/'] if window.ends_with(b"doi.org/") => {
            let label = before.strip_suffix(b"https://doi.org/")?;
            return if label.ends_with(b"-") { badge(label) } else { None };
        }
        [.., b'/'] => after(b"shields.io/badge/").is_some_and(|label| {
            label.is_empty() || label.strip_suffix(b"/").is_some_and(is_label)
        }),
        _ => return None,
    };
    let is_badgen = || {
        let label = after(b"badgen.net/badge/").or_else(|| after(b"badgen.net/static/"))?;
        label.strip_suffix(b"/").filter(|label| is_label(label))
    };
    match is_shields {
        true => Some(Badge::Shields),
        false => is_badgen().map(|_| Badge::Badgen),
    }
}

impl Badge {
    /// Returns where the colour begins in `suffix`, including the mark before it.
    pub(super) fn colour(self, suffix: &[u8]) -> Option<usize> {
        let mark = if self == Badge::Shields { b'-' } else { b'/' };
        let at = suffix.iter().rposition(|&b| b == mark)?;
        let colour = &suffix[at + 1..];
        let colour = colour.strip_prefix(b"#").unwrap_or(colour);
        let is_colour = colour.iter().all(u8::is_ascii_alphanumeric);
        (is_colour && at > 0 && suffix[at - 1] != b'-').then_some(at)
    }

    /// Replaces each double `-` and `_` in the suffix, which begins at `start`, by a single one.
    pub(super) fn undouble(self, name: &mut Vec<u8>, start: usize) {
        let mut at = start;
        while self == Badge::Shields && at + 1 < name.len() {
            if matches!(name[at..], [b'-', b'-', ..] | [b'_', b'_', ..]) {
                name.remove(at);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        for (before, expected) in [
            ("https://img.shields.io/badge/DOI-", Some(Badge::Shields)),
            ("https://img.shields.io/badge/", Some(Badge::Shields)),
            ("https://img.shields.io/badge/DOI-https%3A%2F%2Fdoi.org%2F", Some(Badge::Shields)),
            ("badge%2FDOI-https%253A%252F%252Fdoi.org%252F", Some(Badge::Shields)),
            ("http://img.shields.io/:DOI-", Some(Badge::Shields)),
            ("badge/paper%20doi-", Some(Badge::Shields)),
            ("badge/GR-[DOI]", Some(Badge::Shields)),
            (r"https:\/\/img.shields.io\/badge\/DOI-", Some(Badge::Shields)),
            ("https://flat.badgen.net/badge/DOI/", Some(Badge::Badgen)),
            ("https://img.shields.io/badge/doi-https://doi.org/", Some(Badge::Shields)),
            ("https://img.shields.io/badge/DOI/", Some(Badge::Shields)),
            ("https://img.shields.io/badge/doi%3A", Some(Badge::Shields)),
            ("https://flat.badgen.net/static/DOI/", Some(Badge::Badgen)),
            ("see badge-https://doi.org/", None),
            ("badge/DOI/", None),
            ("https://zenodo.org/badge/", None),
            ("badge/x y-", None),
            ("badge-", None),
            ("-", None),
            ("https://doi.org/", None),
        ] {
            assert_eq!(badge(before.as_bytes()), expected, "{before}");
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
            ("A-#FF0000", Some(1)),
            ("A-##", None),
            ("-BLUE", None),
        ] {
            assert_eq!(Badge::Shields.colour(suffix.as_bytes()), expected, "{suffix}");
        }
        assert_eq!(Badge::Badgen.colour(b"A-B%2FC/BLUE"), Some(7));
        let mut name = b"10.1000/A--B__C-D----E".to_vec();
        Badge::Shields.undouble(&mut name, 8);
        assert_eq!(name, b"10.1000/A-B_C-D--E");
        let mut name = b"10.1000/A--".to_vec();
        Badge::Shields.undouble(&mut name, 8);
        assert_eq!(name, b"10.1000/A-");
    }
}
