//! Finds the DOI in a single value, such as a cell that should contain only a DOI.

use super::rules::{GLUED_MARKS, TAGS};
use super::{Match, Notation, Options, Scanner, Sink, lookalike, trim};
use crate::decode::{Char, Entity, Layer, Utf8};
use crate::doi::{Reason, is_space};
use alloc::vec::Vec;
use memchr::memmem;

/// Finds the name that a value should be.
#[derive(Debug)]
pub struct Cleaner {
    scanner: Scanner,
    /// The name before it is tidied.
    whole: Vec<u8>,
}

impl Default for Cleaner {
    fn default() -> Self {
        let options = Options { max_length: MAX_LENGTH, ..Options::default() };
        Cleaner { scanner: Scanner::new(options), whole: Vec::new() }
    }
}

/// Maximum length of a name within a value.
const MAX_LENGTH: usize = 64 * 1024;

/// Maximum number of times that spaces are trimmed from one name. Each time reads the whole name.
const MAX_STEPS: usize = 64;

impl Cleaner {
    /// Writes the canonical form of the only name in `value` to `name`, in any notation and with
    /// any text around it. Returns false if `value` contains no name, or several different ones.
    pub fn find(&mut self, value: &[u8], name: &mut Vec<u8>) -> bool {
        name.clear();
        let mut only = Only { name, is_other: false };
        // The value is read like a cell that ends with its line.
        self.scanner.scan(value, 0..value.len(), Notation::Csv(b'\n'), &mut only);
        !only.is_other && !name.is_empty()
    }

    /// Returns the distinct DOIs in `value`, canonical and in order of appearance, read as running
    /// text. Returns an empty list if `value` has fewer than two.
    pub fn several(&mut self, value: &[u8]) -> Vec<Vec<u8>> {
        let mut all = All::default();
        // After the digits of a name comes no letter or digit: `10.1016/j.physa.2010.10`.
        let begins = |&at: &usize| value.get(at + 2).is_some_and(|b| !b.is_ascii_alphanumeric());
        if memmem::find_iter(value, b"10").filter(begins).nth(1).is_some() {
            self.scanner.scan(value, 0..value.len(), Notation::Unknown, &mut all);
        }
        if all.0.len() < 2 { Vec::new() } else { all.0 }
    }

    /// Trims the canonical `name`, which `value` spells, of endings that values often have but
    /// registered names do not: a full stop, a comma, a semicolon or an unmatched closing bracket
    /// (948 fields of real records, none of 579,865 names), a segment of a publisher's page, a
    /// session ID, and HTML glued to the name. Keeps a trailing slash, because registered names can
    /// end in one. Keeps a suffix that would become empty. Returns true if the name changed.
    pub fn tidy(&mut self, value: &[u8], name: &mut Vec<u8>) -> bool {
        let start = name.iter().position(|&b| b == b'/').map_or(name.len(), |at| at + 1);
        if is_escaped(value) || is_glued(name) {
            let mut found = Vec::new();
            // The notation explains these endings: `&lt;1147:TVGPCP&gt;`, `…-0166<br/>`. If only
            // `name` has the end of a SICI, the found name is cut short.
            let is_sici = |name: &[u8]| memmem::find(name, b".CO;2").is_some();
            let is_found = self.find(value, &mut found) && (is_sici(&found) || !is_sici(name));
            if is_found && found != *name {
                *name = found;
                return true;
            }
        }
        self.whole.clone_from(name);
        trim::value(name, start);
        // The last character may now be a space, with dirt before it.
        for _ in 0..MAX_STEPS {
            if !space(name, start) {
                break;
            }
            trim::value(name, start);
        }
        if name.len() == start {
            name.clone_from(&self.whole);
        }
        name.len() < self.whole.len()
    }
}

/// Trims spaces from the end of `name`. Returns whether there were any.
fn space(name: &mut Vec<u8>, start: usize) -> bool {
    let suffix = str::from_utf8(&name[start..]).unwrap_or_default();
    let len = suffix.trim_end_matches(is_space).len();
    let is_spaced = len < suffix.len();
    if is_spaced {
        name.truncate(start + len);
    }
    is_spaced
}

/// Whether `value` shows signs of HTML, TeX or JSON: an entity, a tag, or a backslash at the end or
/// before a character that these formats escape. All these characters can also be part of a name.
fn is_escaped(value: &[u8]) -> bool {
    // Searched only once, for the first parameter.
    let mut address = None;
    let mut is_address = || *address.get_or_insert_with(|| memmem::find(value, b"://").is_some());
    memchr::memchr3_iter(b'&', b'<', b'\\', value).any(|at| {
        let rest = &value[at + 1..];
        match value[at] {
            b'&' => is_entity(value, at) || is_parameter(rest) && is_address(),
            b'<' => is_tag(rest),
            _ => rest.first().is_none_or(|next| b"/_&%#{}<>\\\"$".contains(next)),
        }
    })
}

/// Whether an address or the identifier of another database is glued to the canonical `name`.
fn is_glued(name: &[u8]) -> bool {
    let has_colon = memchr::memchr(b':', name).is_some();
    has_colon && GLUED_MARKS.iter().any(|row| memmem::find(name, row.text.as_bytes()).is_some())
}

/// Whether `rest`, after a `&`, begins with a URL parameter: `utm_source=`.
fn is_parameter(rest: &[u8]) -> bool {
    let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    len > 0 && rest.get(len) == Some(&b'=')
}

/// Whether a character reference begins at `at`: `&lt;`, `&#60;`.
fn is_entity(value: &[u8], at: usize) -> bool {
    let c = Entity(Utf8(value)).at(at);
    c.is_some_and(|c| c.next > at + 1 && c.code != Char::INVALID)
}

/// Whether `rest`, after a `<`, begins with a tag: `br/>`, `a href=`, or any end tag, such as
/// `/ref>`.
fn is_tag(rest: &[u8]) -> bool {
    let word = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    if let Some(rest) = rest.strip_prefix(b"/") {
        let len = word(rest);
        return len > 0 && rest.get(len) == Some(&b'>');
    }
    let len = word(rest);
    let is_end = rest.get(len).is_some_and(|b| matches!(b, b'>' | b'/' | b' '));
    is_end && TAGS.iter().any(|row| rest[..len].eq_ignore_ascii_case(row.text.as_bytes()))
}

/// Whether the canonical `name` is a text-mining licence, which does not identify a work.
pub fn is_licence(name: &[u8]) -> bool {
    lookalike::lookalike(b"", name) == Some(Reason::Licence)
}

/// Keeps the first name, and whether a different one follows.
struct Only<'a> {
    name: &'a mut Vec<u8>,
    is_other: bool,
}

impl Sink for Only<'_> {
    fn accept(&mut self, found: &Match<'_>) {
        if self.name.is_empty() {
            self.name.extend_from_slice(found.doi);
        } else {
            self.is_other |= *self.name != found.doi;
        }
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}

/// The first [`MOST`] distinct names.
#[derive(Default)]
struct All(Vec<Vec<u8>>);

/// Maximum number of DOIs listed for one value. A value with more is text.
const MOST: usize = 16;

impl Sink for All {
    fn accept(&mut self, found: &Match<'_>) {
        if self.0.len() < MOST && !self.0.iter().any(|name| name == found.doi) {
            self.0.push(found.doi.to_vec());
        }
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(value: &str) -> Option<String> {
        let mut name = Vec::new();
        let is_found = Cleaner::default().find(value.as_bytes(), &mut name);
        is_found.then(|| String::from_utf8(name).unwrap())
    }

    #[test]
    fn the_only_name() {
        for (value, expected) in [
            ("(see 10.1000/182)", Some("10.1000/182")),
            ("10.1000/a, 10.1000/A", Some("10.1000/A")),
            ("10.1000/a, 10.1000/b", None),
            ("https://example.org/article?id=10.1000/a", Some("10.1000/A")),
            ("nothing", None),
            ("", None),
        ] {
            assert_eq!(find(value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn what_is_tidied() {
        for (value, expected) in [
            ("10.1000/182.", "10.1000/182"),
            ("10.1000/182],", "10.1000/182"),
            ("10.1000/(182)", "10.1000/(182)"),
            ("10.1000/182/", "10.1000/182/"),
            ("10.1000/182:", "10.1000/182:"),
            ("10.1000/182/ABSTRACT", "10.1000/182"),
            ("10.1000/182/FULL.", "10.1000/182"),
            ("10.1000/ABSTRACT", "10.1000/ABSTRACT"),
            ("10.1000/182/-/DCSUPPLEMENTAL", "10.1000/182"),
            ("10.1000/182/-/DCSUPPLEMENTAL/1.PDF", "10.1000/182"),
            ("10.1000/182/-/PDF", "10.1000/182/-"),
            ("10.1000/.", "10.1000/."),
            ("10.1000/).,", "10.1000/).,"),
            ("10.1000/./FULL", "10.1000/./FULL"),
            ("10.1000/182.PDF", "10.1000/182.PDF"),
            ("10.1000/182;JSESSIONID=1F", "10.1000/182"),
            ("10.1000/182;JSESSIONID", "10.1000/182"),
            ("10.1000/182<BR/>", "10.1000/182"),
            ("10.1000/182</REF>", "10.1000/182"),
            ("10.1000/182</REF", "10.1000/182</REF"),
            ("10.1000/182</>", "10.1000/182</>"),
            ("10.1000/1&LT;2:A&GT;2.0.CO;2", "10.1000/1<2:A>2.0.CO;2"),
            ("10.1000/182\\", "10.1000/182"),
            ("10.1000/A&B", "10.1000/A&B"),
            (
                "10.1002/(SICI)1:1\\\\\\≪2:A\\\\\\≫3.0.CO;2-D",
                "10.1002/(SICI)1:1\\\\\\≪2:A\\\\\\≫3.0.CO;2-D",
            ),
            ("10.1000/A&B;C", "10.1000/A&B;C"),
            ("10.1000/A\\BC", "10.1000/A\\BC"),
            ("10.1000/A<BC", "10.1000/A<BC"),
            ("10.1000/A<BC>D", "10.1000/A<BC>D"),
            ("10.1000/A\\_B", "10.1000/A_B"),
            ("10.1000/A:B", "10.1000/A:B"),
            ("10.1000/A:B/", "10.1000/A:B/"),
            ("10.1000/AHTTP://DX.DOI.ORG/10.1000/A", "10.1000/A"),
            ("10.1000/A.PMID:123", "10.1000/A"),
            ("10.1000/A&B=C", "10.1000/A&B=C"),
        ] {
            let mut name = value.as_bytes().to_vec();
            let is_dirty = Cleaner::default().tidy(value.as_bytes(), &mut name);
            assert_eq!(String::from_utf8(name).unwrap(), expected, "{value}");
            assert_eq!(is_dirty, value != expected, "{value}");
        }
    }

    #[test]
    fn an_address_ends_before_its_parameters() {
        for (value, name, expected) in [
            ("https://doi.org/10.1000/a&b=1", "10.1000/A&B=1", "10.1000/A"),
            ("https://doi.org/10.1000/a&b_2=1", "10.1000/A&B_2=1", "10.1000/A"),
            ("https://doi.org/10.1000/a&b-2=1", "10.1000/A&B-2=1", "10.1000/A&B-2=1"),
            ("https://doi.org/10.1000/a&b/", "10.1000/A&B/", "10.1000/A&B/"),
            ("https://doi.org/10.1000/a&=1/", "10.1000/A&=1/", "10.1000/A&=1/"),
            ("10.1000/a&b=1", "10.1000/A&B=1", "10.1000/A&B=1"),
        ] {
            let mut tidied = name.as_bytes().to_vec();
            let is_dirty = Cleaner::default().tidy(value.as_bytes(), &mut tidied);
            assert_eq!(String::from_utf8(tidied).unwrap(), expected, "{value}");
            assert_eq!(is_dirty, name != expected, "{value}");
        }
    }
}
