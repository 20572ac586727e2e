//! A value that stands alone, such as a cell that should hold a DOI and nothing else.

use super::{Match, Notation, Options, Scanner, Sink, lookalike, trim};
use crate::decode::{Char, Entity, Layer, Utf8};
use crate::doi::{Reason, is_space};
use memchr::memmem;

/// Finds the name that a value was meant to be.
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

/// The longest name that is looked for within a value.
const MAX_LENGTH: usize = 64 * 1024;

/// The most spaces that are trimmed off one name, since each step reads all of it.
const MAX_STEPS: usize = 64;

impl Cleaner {
    /// Writes to `name` the one name, canonical, that `value` holds, in whatever notation and
    /// whatever stands around it. False if it holds none, or more than one.
    pub fn find(&mut self, value: &[u8], name: &mut Vec<u8>) -> bool {
        name.clear();
        let mut only = Only { name, is_other: false };
        // A cell that ends with its line.
        self.scanner.scan(value, 0..value.len(), Notation::Csv(b'\n'), &mut only);
        !only.is_other && !name.is_empty()
    }

    /// Every DOI in `value`, canonical and each once, in the order of their places, read as running
    /// text. Empty if `value` has fewer than two.
    pub fn several(&mut self, value: &[u8]) -> Vec<Vec<u8>> {
        let mut all = All::default();
        if memmem::find_iter(value, b"10").nth(1).is_some() {
            self.scanner.scan(value, 0..value.len(), Notation::Unknown, &mut all);
        }
        if all.0.len() < 2 { Vec::new() } else { all.0 }
    }

    /// Trims what no registered name ends in and a value often does, off the canonical
    /// `name`, which `value` spells: a full stop, a comma, a semicolon or a closing bracket
    /// without its partner (948 fields of real records, none of 579,865 names), a segment of
    /// a publisher's page, a session's number, and what HTML is glued to it. A slash stays:
    /// registered names end so, and so does a suffix of which nothing would be left. True if
    /// there was any.
    pub fn tidy(&mut self, value: &[u8], name: &mut Vec<u8>) -> bool {
        let start = name.iter().position(|&b| b == b'/').map_or(name.len(), |at| at + 1);
        if is_escaped(value) || is_glued(name) {
            let mut found = Vec::new();
            // Where the notation explains it: `&lt;1147:TVGPCP&gt;`, `…-0166<br/>`.
            // A SICI without its end is cut short.
            let is_sici = |name: &[u8]| memmem::find(name, b".CO;2").is_some();
            let is_found = self.find(value, &mut found) && (is_sici(&found) || !is_sici(name));
            if is_found && found != *name {
                *name = found;
                return true;
            }
        }
        self.whole.clone_from(name);
        trim::value(name, start);
        // A space may now be the last character, and dirt in front of it.
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

/// Trims a space off the end of `name`. Returns whether there was one.
fn space(name: &mut Vec<u8>, start: usize) -> bool {
    let suffix = str::from_utf8(&name[start..]).unwrap_or_default();
    let len = suffix.trim_end_matches(is_space).len();
    let is_spaced = len < suffix.len();
    if is_spaced {
        name.truncate(start + len);
    }
    is_spaced
}

/// Whether `value` shows that it was written for HTML, TeX or JSON: an entity, a tag, a
/// backslash before a character that is escaped there, or at the end. All these
/// characters may also be part of a name.
fn is_escaped(value: &[u8]) -> bool {
    // Searched once, for the first parameter.
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

/// Whether something is glued to the canonical `name`: an address, or the number of another
/// database. None of 579,865 names holds one of these.
fn is_glued(name: &[u8]) -> bool {
    const MARKS: [&[u8]; 3] = [b"://", b"PMID:", b"PMCID:"];
    let has_colon = memchr::memchr(b':', name).is_some();
    has_colon && MARKS.iter().any(|mark| memmem::find(name, mark).is_some())
}

/// Whether `rest`, after a `&`, begins with a parameter of an address: `utm_source=`.
fn is_parameter(rest: &[u8]) -> bool {
    let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    len > 0 && rest.get(len) == Some(&b'=')
}

/// Whether a reference to a character begins at `at`: `&lt;`, `&#60;`.
fn is_entity(value: &[u8], at: usize) -> bool {
    let c = Entity(Utf8(value)).at(at);
    c.is_some_and(|c| c.next > at + 1 && c.code != Char::INVALID)
}

/// Tags that stand behind names in fields made from pages.
const TAGS: [&[u8]; 15] = [
    b"a", b"b", b"br", b"div", b"em", b"font", b"i", b"li", b"p", b"span", b"strong", b"sub",
    b"sup", b"td", b"u",
];

/// Whether a `<` before `rest` begins a tag: `br/>`, `a href=`, and any that ends an element,
/// such as `/ref>`.
fn is_tag(rest: &[u8]) -> bool {
    let word = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    if let Some(rest) = rest.strip_prefix(b"/") {
        let len = word(rest);
        return len > 0 && rest.get(len) == Some(&b'>');
    }
    let len = word(rest);
    let is_end = rest.get(len).is_some_and(|b| matches!(b, b'>' | b'/' | b' '));
    is_end && TAGS.iter().any(|tag| rest[..len].eq_ignore_ascii_case(tag))
}

/// Whether the canonical `name` is that of a licence for text mining, which names no work.
pub fn is_licence(name: &[u8]) -> bool {
    lookalike::lookalike(b"", name) == Some(Reason::Licence)
}

/// Keeps the only name.
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

/// More DOIs than this in one value are not listed: the value is text.
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
}
