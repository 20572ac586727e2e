//! Finds shortDOIs: `10/f77` and `doi.org/f77`.
//!
//! A shortDOI is no DOI name but an alias that only the service behind it can
//! expand (EIDR identifier formats, 2.3), so these never mix with names.

use super::LOOKBEHIND;
use super::marker::trim_blanks;
use crate::doi::notation::{strip_last as strip_word, strip_resolver};
use memchr::memmem::Finder;
use std::ops::Range;

/// The characters of a shortDOI. The scan of the document prints `g` for `q`, and so
/// `g` twice; 27 characters are what it counts.
const ALPHABET: &[u8; 27] = b"bcdfghjkmnpqrstvwxz23456789";

/// The fewest characters behind `10/`, and the most: the document expects 7, and 8 for
/// the time after.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=8;

/// Bytes behind the start of a shortDOI that may decide about it.
pub const LOOKAHEAD: usize = 32;

/// The searchers for shortDOIs: what stands before the slash.
#[derive(Debug)]
pub struct ShortDois {
    prefix: Finder<'static>,
}

impl Default for ShortDois {
    fn default() -> Self {
        ShortDois { prefix: Finder::new(PREFIX) }
    }
}

impl ShortDois {
    /// Calls `visit` with the canonical form, `10/` and small letters, of each that
    /// starts in `starts`, looking at most [`LOOKBEHIND`] bytes before it and
    /// [`LOOKAHEAD`] bytes behind its start. Its slash may be escaped for JSON or an address.
    ///
    /// # Panics
    ///
    /// If `starts` does not lie within `haystack`.
    pub fn each(&self, haystack: &[u8], starts: Range<usize>, mut visit: impl FnMut(&[u8])) {
        let mut judge = |end: usize, skip: usize, judge: fn(&[u8], &[u8]) -> Option<usize>| {
            let Some(start) = end.checked_sub(skip).filter(|start| starts.contains(start)) else {
                return;
            };
            let after = &haystack[end..haystack.len().min(start + LOOKAHEAD)];
            let Some(after) = behind_slash(after) else { return };
            let before = &haystack[start.saturating_sub(LOOKBEHIND)..start];
            if let Some(len) = judge(before, after) {
                visit(&[b"10/", &after[..len]].concat().to_ascii_lowercase());
            }
        };
        let reach = |skip: usize| haystack.len().min(starts.end + skip);
        let text = &haystack[starts.start..reach(PREFIX.len())];
        for at in self.prefix.find_iter(text) {
            judge(starts.start + at + PREFIX.len(), PREFIX.len(), with_prefix);
        }
        // In any case of letters: `https://DOI.org/f77`.
        let text = &haystack[starts.start..reach(HOST.len())];
        for dot in memchr::memchr_iter(b'.', text) {
            let end = dot + b".org".len();
            let host = text.get(dot.wrapping_sub(b"doi".len())..end);
            if host.is_some_and(|host| host.eq_ignore_ascii_case(HOST)) {
                judge(starts.start + end, HOST.len(), with_host);
            }
        }
    }
}

/// The prefix of a shortDOI, and the host of the address that leaves it out.
const PREFIX: &[u8] = b"10";
const HOST: &[u8] = b"doi.org";

/// What stands behind the slash that begins `text`.
fn behind_slash(text: &[u8]) -> Option<&[u8]> {
    let spellings: [&[u8]; 4] = [b"/", b"\\/", b"%2F", b"%2f"];
    spellings.iter().find_map(|slash| text.strip_prefix(*slash))
}

/// The length of the characters at the start of `after`, if they are as many as a
/// shortDOI has and nothing goes on behind them.
fn characters(after: &[u8]) -> Option<usize> {
    let is_one = |byte: &&u8| ALPHABET.contains(&byte.to_ascii_lowercase());
    let len = after.iter().take_while(is_one).count();
    let rest = &after[len..];
    let goes_on = match rest {
        [b'.', next, ..] => next.is_ascii_alphanumeric(),
        [first, ..] => {
            first.is_ascii_alphanumeric() || b"/-_%+=~@".contains(first) || *first >= 0x80
        }
        [] => false,
    };
    (LENGTH.contains(&len) && !goes_on).then_some(len)
}

/// `10/f77`: behind `doi:` or a resolver's address; elsewhere it must have both a letter
/// and a digit, since `10/234` is a fraction and `10/hrs` a rate.
fn with_prefix(before: &[u8], after: &[u8]) -> Option<usize> {
    let len = characters(after)?;
    let glued = before.last().is_some_and(|b| b.is_ascii_alphanumeric() || b"./-_".contains(b));
    let is_marked = strip_resolver(before).is_some() || ends_in_doi(before);
    let mixed = after[..len].iter().any(u8::is_ascii_digit)
        && after[..len].iter().any(u8::is_ascii_alphabetic);
    (is_marked || mixed && !glued).then_some(len)
}

/// Whether `before` ends in `doi:` or `doi/`, with or without blanks.
fn ends_in_doi(before: &[u8]) -> bool {
    let rest = trim_blanks(before);
    strip_word(rest, b"doi:").or_else(|| strip_word(rest, b"doi/")).is_some()
}

/// `doi.org/f77`: the host stands alone, or behind `dx.` or `www.`.
fn with_host(before: &[u8], after: &[u8]) -> Option<usize> {
    let rest = [&b"dx."[..], b"www.", b"short"].iter().find_map(|w| strip_word(before, w));
    let before = rest.unwrap_or(before);
    let is_part = before.last().is_some_and(|b| b.is_ascii_alphanumeric() || b"-.".contains(b));
    characters(after).filter(|_| !is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut names = Vec::new();
        ShortDois::default().each(text.as_bytes(), 0..text.len(), |name| {
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

    /// The longest host, slash and name, and the two bytes after it that decide.
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
        ShortDois::default().each(text, 0..text.len(), |name| whole.push(name.to_vec()));
        let mut cut = Vec::new();
        for at in 0..text.len() {
            ShortDois::default().each(text, at..at + 1, |name| cut.push(name.to_vec()));
        }
        whole.sort();
        cut.sort();
        assert_eq!(whole, cut);
        assert_eq!(whole.len(), 3);
    }
}
