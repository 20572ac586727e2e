//! Finds the truncated URN of an EIDR, `urn:SCHEME:eidr-s:7791-8534-2C23-9030-8610-5`. It is a name
//! without its prefix, which the mark `eidr-s` implies (EIDR identifier formats, section 3).

use super::{Match, Repairs, Sink};
use crate::doi::eidr::{Shape, judge};
use crate::doi::notation::strip_last;
use crate::doi::{Reason, fold};
use alloc::vec::Vec;
use core::ops::Range;
use memchr::memmem::Finder;

/// The mark before the suffix.
pub(super) const MARK: &[u8] = b":eidr-s:";

/// Searcher for the mark.
#[derive(Debug)]
pub(super) struct Urns(Finder<'static>);

impl Urns {
    pub(super) fn new() -> Self {
        // Without its last colon, which two marks may share.
        Urns(Finder::new(&MARK[..MARK.len() - 1]))
    }

    /// Returns the places of the marks that start in `starts`, in order.
    pub(super) fn iter<'a>(
        &'a self,
        haystack: &'a [u8],
        starts: Range<usize>,
    ) -> impl Iterator<Item = usize> + 'a {
        let reach = haystack.len().min(starts.end + MARK.len() - 2);
        let found = self.0.find_iter(&haystack[starts.start..reach]);
        found.map(move |at| starts.start + at).filter(|at| haystack[*at..].starts_with(MARK))
    }
}

/// Reports the URN with the mark at `start`.
pub(super) fn report<S: Sink>(haystack: &[u8], start: usize, sink: &mut S) {
    let behind = &haystack[start + MARK.len()..];
    if !names_a_scheme(&haystack[start.saturating_sub(MAX_SCHEME)..start]) {
        return sink.reject(start, Reason::LeftBoundary);
    }
    match suffix(behind) {
        Some((name, len)) => sink.accept(&Match {
            start,
            end: start + MARK.len() + len,
            doi: &name,
            repairs: Repairs::default(),
        }),
        None => sink.reject(start, Reason::NoSuffix),
    }
}

/// Maximum number of bytes before the mark that are searched for its scheme: `urn:` and a scheme of
/// up to 32 characters (RFC 8141, section 2).
const MAX_SCHEME: usize = 4 + 32;

/// Scheme names of more than one word, used in digital cinema (DECE).
const LONG_SCHEMES: [&[u8]; 2] = [b"md:cid", b"urn:dece:cid"];

/// Whether `before` ends in `urn:` and the name of a scheme, or in one of [`LONG_SCHEMES`].
fn names_a_scheme(before: &[u8]) -> bool {
    if LONG_SCHEMES.iter().any(|scheme| strip_last(before, scheme).is_some()) {
        return true;
    }
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'-';
    let len = before.iter().rev().take_while(is_name).count();
    len > 0 && strip_last(&before[..before.len() - len], b"urn:").is_some()
}

/// Returns the canonical name of the suffix at the start of `text`, which may lack hyphens, and the
/// length of the suffix in `text`. Returns `None` if the suffix has another shape. A
/// wrong check character is accepted, as in every other form.
fn suffix(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
    let len = text.iter().position(|b| !is_part(b)).unwrap_or(text.len());
    let mut name = [b"10.5240/", &text[..len]].concat();
    fold(&mut name);
    match judge(&name)? {
        Shape::Other { .. } => None,
        Shape::Unhyphenated(eidr) => Some((eidr.name().into_bytes(), len)),
        _ => Some((name, len)),
    }
}

/// Returns the end of the EIDR in `name` if an application added a component to it:
/// `urn:eidr:10.5240:7791-8534-2C23-9030-8610-5:extra` (RFC 7972). `after` is the text from the
/// candidate on.
pub(super) fn component(before: &[u8], after: &[u8], name: &[u8]) -> Option<usize> {
    strip_last(before, b"urn:eidr:")?;
    let end = memchr::memchr(b':', name)?;
    let (eidr, start) = (&name[..end], memchr::memchr(b'/', name)? + 1);
    let is_plain = after.get(start..end)?.eq_ignore_ascii_case(&name[start..end]);
    let is_eidr = !matches!(judge(eidr), None | Some(Shape::Other { .. }));
    (is_plain && after.get(end) == Some(&b':') && is_eidr).then_some(end)
}

#[cfg(test)]
mod tests {
    use crate::scan::{Notation, Options, Scanner};

    fn names(text: &str) -> Vec<String> {
        Scanner::new(Options::default()).names(text.as_bytes(), Notation::Unknown)
    }

    #[test]
    fn truncated_urns() {
        for (text, expected) in [
            (
                "urn:x1:eidr-s:7791-8534-2C23-9030-8610-5",
                Some("10.5240/7791-8534-2C23-9030-8610-5"),
            ),
            (
                "URN:X-1:eidr-s:7791-8534-2c23-9030-8610-5.",
                Some("10.5240/7791-8534-2C23-9030-8610-5"),
            ),
            ("urn:x1:eidr-s:779185342C23903086105 ", Some("10.5240/7791-8534-2C23-9030-8610-5")),
            (
                "urn:x1:eidr-s:7791-8534-2C23-9030-8610-6",
                Some("10.5240/7791-8534-2C23-9030-8610-6"),
            ),
            (
                "md:cid:eidr-s:7791-8534-2C23-9030-8610-5",
                Some("10.5240/7791-8534-2C23-9030-8610-5"),
            ),
            (
                "urn:dece:cid:eidr-s:7791-8534-2C23-9030-8610-5",
                Some("10.5240/7791-8534-2C23-9030-8610-5"),
            ),
            ("eidr-s:7791-8534-2C23-9030-8610-5", None),
            ("urn:eidr-s:7791-8534-2C23-9030-8610-5", None),
            ("xurn::eidr-s:7791-8534-2C23-9030-8610-5", None),
            ("urn:x1:eidr-s:7791-8534-2C23-9030-8610-5A", None),
            ("urn:x1:eidr-s:7791-8534-2C23-9030-8610-5-1", None),
            ("urn:x1:eidr-s:7791-8534-2C23-9030-8610", None),
            ("urn:x1:eidr-s:7791-85342C23-9030-8610-5", None),
            ("urn:x1:eidr-s:7791-8534.2C23-9030-8610-5", None),
            ("urn:x1:eidr-s:7791-8534-2C23-9030-86G0-5", None),
            ("urn:x1:eidr-s:", None),
            (
                ":eidr-s:urn:eidr-s:eidr-s:7791-8534-2C23-9030-8610-5",
                Some("10.5240/7791-8534-2C23-9030-8610-5"),
            ),
        ] {
            assert_eq!(names(text), Vec::from_iter(expected), "{text}");
        }
    }

    #[test]
    fn components_are_no_part_of_the_name() {
        let eidr = "10.5240/7791-8534-2C23-9030-8610-5";
        for (text, expected) in [
            ("urn:eidr:10.5240:7791-8534-2C23-9030-8610-5:extra", eidr),
            ("\"urn:eidr:10.5240:7791-8534-2c23-9030-8610-5:extra:more\"", eidr),
            ("URN:EIDR:10.5240/7791-8534-2C23-9030-8610-5:extra ", eidr),
            ("urn:eidr:10.5237:9DD9-E249:extra", "10.5237/9DD9-E249"),
            (
                "urn:eidr:10.5240:7791-8534-2C23-9030-8610-6:extra",
                "10.5240/7791-8534-2C23-9030-8610-6",
            ),
            ("urn:eidr:10.5240:BLADE:extra", "10.5240/BLADE:EXTRA"),
            ("urn:eidr:10.1000:1:extra", "10.1000/1:EXTRA"),
            (
                "doi:10.5240/7791-8534-2C23-9030-8610-5:extra",
                "10.5240/7791-8534-2C23-9030-8610-5:EXTRA",
            ),
        ] {
            assert_eq!(names(text), [expected], "{text}");
        }
    }

    #[test]
    fn a_scheme_has_32_characters_at_most() {
        for (len, count) in [(32, 1), (33, 0)] {
            let scheme = "x".repeat(len);
            let text = format!("urn:{scheme}:eidr-s:7791-8534-2C23-9030-8610-5");
            assert_eq!(names(&text).len(), count, "{len}");
        }
    }

    #[test]
    fn they_are_reported_in_their_order() {
        let text = "10.1000/a urn:x1:eidr-s:7791-8534-2C23-9030-8610-5 10.1000/b \
                    urn:x1:eidr-u:10.5240_7791-8534-2C23-9030-8610-5";
        let eidr = "10.5240/7791-8534-2C23-9030-8610-5";
        assert_eq!(names(text), ["10.1000/A", eidr, "10.1000/B", eidr]);
    }
}
