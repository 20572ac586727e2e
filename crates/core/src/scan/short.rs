//! Finds shortDOIs: `10/f77` and `doi.org/f77`.
//!
//! A shortDOI is not a DOI name but an alias that only its service can expand (EIDR identifier
//! formats, 2.3). It is therefore never mixed with names.

use super::LOOKBEHIND;
use crate::doi::notation::{strip_last as strip_word, strip_resolver};
use core::ops::Range;

/// The characters of a shortDOI that the service makes. The scanned document prints `g` for `q`, so that `g`
/// appears twice, but it counts 27 characters. Others resolve too, such as `10/aabbe` and `10/adc`.
const ALPHABET: &[u8; 27] = b"bcdfghjkmnpqrstvwxz23456789";

/// Minimum and maximum number of characters after `10/`. The document expects 7, and later 8.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=8;

/// Maximum number of bytes after the start of a shortDOI that can affect the result.
pub const LOOKAHEAD: usize = 32;

/// The host of addresses that omit the prefix.
const HOST: &[u8] = b"doi.org";

/// A slash, and as it is written in an address.
const SLASHES: [&[u8]; 3] = [b"/", b"%2F", b"%2f"];

/// Calls `visit` with the canonical form, `10/` and lowercase letters, of each shortDOI that
/// starts in `starts`. Looks at most at [`LOOKBEHIND`] bytes before it and [`LOOKAHEAD`] bytes
/// after its start. Its slash may be escaped for JSON or an address.
///
/// # Panics
///
/// If `starts` does not lie within `haystack`.
pub fn each(haystack: &[u8], starts: Range<usize>, mut visit: impl FnMut(&[u8])) {
    let reach = haystack.len().min(starts.end + HOST.len() + 1);
    for at in memchr::memchr2_iter(b'/', b'%', &haystack[starts.start..reach]) {
        let (before, rest) = haystack.split_at(starts.start + at);
        let slash = SLASHES.iter().find_map(|slash| rest.strip_prefix(*slash));
        let Some(after) = slash else { continue };
        let front = before.strip_suffix(b"\\").unwrap_or(before);
        // The host in any case: `https://DOI.org/f77`.
        let is_host = strip_word(front, HOST);
        let Some(before) = is_host.or_else(|| front.strip_suffix(b"10")) else { continue };
        if starts.contains(&before.len()) {
            let before = &before[before.len().saturating_sub(LOOKBEHIND)..];
            let judge = if is_host.is_some() { with_host } else { with_prefix };
            if let Some(len) = judge(before, after) {
                visit(&[b"10/", &after[..len]].concat().to_ascii_lowercase());
            }
        }
    }
}

/// Whether `byte` is one of the [`ALPHABET`].
fn is_usual(byte: u8) -> bool {
    ALPHABET.contains(&byte.to_ascii_lowercase())
}

/// Returns the number of shortDOI characters at the start of `after`, if a shortDOI can have this
/// length and no other character continues it.
fn characters(after: &[u8], is_one: impl Fn(u8) -> bool) -> Option<usize> {
    let len = after.iter().take(LENGTH.end() + 1).take_while(|byte| is_one(**byte)).count();
    let goes_on = match &after[len..] {
        [b'.', next, ..] => next.is_ascii_alphanumeric(),
        // The scheme of an address: `https://doi.org/https://doi.org/`.
        [b':', b'/' | b'\\', ..] => true,
        [first, ..] => {
            first.is_ascii_alphanumeric() || b"/-_%+=~@".contains(first) || *first >= 0x80
        }
        [] => false,
    };
    (LENGTH.contains(&len) && !goes_on).then_some(len)
}

/// Judges `10/f77`. After `doi:` or a resolver address it may have any letters and digits. Elsewhere, it must
/// contain both a letter and a digit, because `10/234` is a fraction and `10/hrs` a rate.
fn with_prefix(before: &[u8], after: &[u8]) -> Option<usize> {
    let is_marked = strip_resolver(before).is_some() || ends_in_doi(before);
    if is_marked {
        return characters(after, |byte| byte.is_ascii_alphanumeric());
    }
    let len = characters(after, is_usual)?;
    let glued = before.last().is_some_and(|b| b.is_ascii_alphanumeric() || b"./-_".contains(b));
    let mixed = after[..len].iter().any(u8::is_ascii_digit)
        && after[..len].iter().any(u8::is_ascii_alphabetic);
    (mixed && !glued).then_some(len)
}

/// Whether `before` ends in `doi:` or `doi/`, optionally followed by blanks.
fn ends_in_doi(before: &[u8]) -> bool {
    let rest = before.trim_ascii_end();
    strip_word(rest, b"doi:").or_else(|| strip_word(rest, b"doi/")).is_some()
}

/// Judges `doi.org/f77`. The host is alone, or after `dx.`, `www.` or `short`.
fn with_host(before: &[u8], after: &[u8]) -> Option<usize> {
    let rest = [&b"dx."[..], b"www.", b"short"].iter().find_map(|w| strip_word(before, w));
    let before = rest.unwrap_or(before);
    let is_part = before.last().is_some_and(|b| b.is_ascii_alphanumeric() || b"-.".contains(b));
    characters(after, is_usual).filter(|_| !is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut names = Vec::new();
        each(text.as_bytes(), 0..text.len(), |name| {
            names.push(String::from_utf8(name.to_vec()).unwrap());
        });
        names
    }

    #[test]
    fn forms() {
        for (text, expected) in [
            ("http://doi.org/f77", "10/f77"),
            ("http://dx.doi.org/10/f77", "10/f77"),
            ("https://shortdoi.org/gfxz2", "10/gfxz2"),
            ("doi:10/F77.", "10/f77"),
            ("doi: 10/bcdf", "10/bcdf"),
            ("see 10/f77, and", "10/f77"),
            ("\"10/b3kq\"", "10/b3kq"),
            ("http://dx.doi.org/10/f77?ignore_aliases", "10/f77"),
            ("HTTPS://DOI.ORG/F77", "10/f77"),
            (r#""https:\/\/doi.org\/f77""#, "10/f77"),
            (r#""doi:10\/f77""#, "10/f77"),
            ("https://doi.org/10%2Ff77", "10/f77"),
            ("https://doi.org/10/aabbe", "10/aabbe"),
            ("doi:10/gy3k", "10/gy3k"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "10/234 of them",
            "10/hrs",
            "on 10/23/2019",
            "10/aab2",
            "https://doi.org/about",
            "doi:10/1016/j.cell.2009.01.042",
            "doi:10/1016.j.cell",
            "https://doi.org/10.1000/182",
            "https://doi.org/the_handbook",
            "https://doi.org/hb.html",
            "https://example-doi.org/f77",
            "doi:10/f7",
            "doi:10/f77f77f77",
            "110/f77",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    /// Tests the longest host, slash and shortDOI, with the two bytes after it that can affect the
    /// result.
    #[test]
    fn the_look_ahead_is_long_enough() {
        let longest = "doi.org%2Fbcdfghj2";
        assert!(longest.len() + 2 <= LOOKAHEAD);
        assert_eq!(found(&format!("{longest}. x")), ["10/bcdfghj2"]);
        assert_eq!(found(&format!("{longest}.x")), [""; 0]);
        assert_eq!(found(&format!("{longest}3")), [""; 0]);
    }

    #[test]
    fn every_cut_finds_the_same() {
        let text = b"doi:10/f77 http://doi.org/b3k 10/gfx2 x";
        let mut whole = Vec::new();
        each(text, 0..text.len(), |name| whole.push(name.to_vec()));
        let mut cut = Vec::new();
        for at in 0..text.len() {
            each(text, at..at + 1, |name| cut.push(name.to_vec()));
        }
        whole.sort();
        cut.sort();
        assert_eq!(whole, cut);
        assert_eq!(whole.len(), 3);
    }
}
