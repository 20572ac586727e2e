//! Finds the DOI in a single value, such as a cell that should contain only a DOI.

use super::{
    Match, Notation, Options, Scanner, Sink, field, lookalike, of_doi_columns, sici, stem, trim,
};
use crate::decode::{Char, Entity, Layer, Utf8};
use crate::doi::Reason;
use crate::names::Model;
use alloc::sync::Arc;
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
        Cleaner::new(Options::default().names)
    }
}

/// A value is read like a cell that ends with its line.
const CELL: Notation = Notation::Csv(b'\n');

/// Maximum length of a name within a value.
const MAX_LENGTH: usize = 64 * 1024;

impl Cleaner {
    /// Creates a cleaner with this model of names.
    pub fn new(names: Option<Arc<Model>>) -> Self {
        let options = Options { max_length: MAX_LENGTH, names, ..Options::default() };
        Cleaner { scanner: Scanner::new(of_doi_columns(&options)), whole: Vec::new() }
    }

    /// Returns its model of names.
    pub fn model(&self) -> Option<Arc<Model>> {
        self.scanner.options().names.clone()
    }

    /// Returns what a scan of a cell with `value` lists.
    pub fn names(&mut self, value: &[u8]) -> CellNames {
        let mut names = CellNames::default();
        self.scanner.scan(value, 0..value.len(), CELL, &mut names);
        names
    }

    /// Returns what a scan of a cell with `value` lists, unless the value begins fewer than two names.
    pub fn cell(&mut self, value: &[u8]) -> Option<CellNames> {
        // After the digits of a name comes no letter or digit: `10.1016/j.physa.2010.10`.
        let begins = |&at: &usize| value.get(at + 2).is_some_and(|b| !b.is_ascii_alphanumeric());
        memmem::find_iter(value, b"10").filter(begins).nth(1)?;
        Some(self.names(value))
    }

    /// Replaces the canonical `name`, which `value` spells, by the name that a scan of a cell with this value
    /// lists: without a full stop, a comma, a semicolon, a slash, a quote or an unmatched closing bracket at its
    /// end, without a segment that the pages of its registrant add, and decoded once more where the value shows an
    /// escape. Of a name that a scan rejects, trims the end alone.
    pub fn tidy(&mut self, value: &[u8], name: &mut Vec<u8>) -> Tidied {
        let start = name.iter().position(|&b| b == b'/').map_or(name.len(), |at| at + 1);
        self.whole.clone_from(name);
        // In a longer value, the scanner would take a part for the name.
        let is_scanned = name.len() <= MAX_LENGTH && !is_plain(name, start);
        let cell = if is_scanned { self.names(value) } else { CellNames::default() };
        match cell.only() {
            Ok(found) if !is_cut_short(value, name, found) => name.clone_from(found),
            // The rest of the name is not in the value.
            Err(Some(Reason::Ellipsis)) => {}
            _ => {
                trim::whole(name, start, self.scanner.options().model());
            }
        }
        if name.len() == start {
            name.clone_from(&self.whole);
        }
        let is_rejected = matches!(
            cell.only(),
            Err(Some(Reason::Stem | Reason::Ellipsis | Reason::Pattern | Reason::VolumeYear))
        );
        let is_doubtful = is_rejected || name.get(start..).is_some_and(sici::is_front);
        Tidied { is_changed: *name != self.whole, is_doubtful }
    }
}

/// What [`Cleaner::tidy`] tells about a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Whether the name changed.
    pub is_changed: bool,
    /// Whether a scan rejects it as a part of a name, or as something that only looks like a name, or it is an ISSN, a
    /// year and a number alone.
    pub is_doubtful: bool,
}

/// Whether a scan of a cell accepts `name` and only trims its end: it has no mark that another notation may explain,
/// no other name begins in it, and no rule rejects it.
fn is_plain(name: &[u8], start: usize) -> bool {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"-._()/".contains(b);
    stem::is_plain(name, start)
        && !sici::begins(&name[start..])
        && name[start..].iter().all(is_part)
        && memmem::find(&name[start..], b"10").is_none()
}

/// Whether `found` in `value` lacks a mark of the canonical `name` that is a delimiter elsewhere:
/// `10.1000/A"B`. Z39.84 allows these marks, but hardly a name contains one outside a SICI.
/// A value with an escape is text of a notation in which they are delimiters.
fn is_cut_short(value: &[u8], name: &[u8], found: &[u8]) -> bool {
    let is_sici = |name: &[u8]| memmem::find(name, b".CO;2").is_some();
    if is_sici(name) && !is_sici(found) {
        return true;
    }
    // Another name is a repair.
    let Some(rest) = name.strip_prefix(found) else { return false };
    let mark = rest.iter().position(|b| matches!(b, b'"' | b'<' | b'>' | b'\\'));
    mark.is_some_and(|at| rest[at..].iter().any(u8::is_ascii_alphanumeric)) && !is_escaped(value)
}

/// Whether `value` shows signs of HTML, TeX, JSON or Mendeley: an entity, a tag, an encoded `\n`, or a backslash at the end or
/// before a character that these formats escape. All these characters can also be part of a name.
fn is_escaped(value: &[u8]) -> bool {
    memchr::memchr3_iter(b'&', b'<', b'\\', value).any(|at| {
        let rest = &value[at + 1..];
        match value[at] {
            b'&' => {
                let c = Entity(Utf8(value)).at(at);
                c.is_some_and(|c| c.next > at + 1 && c.code != Char::INVALID)
            }
            b'<' => field::is_tag(rest),
            // A literal `\n` at the end is a line end.
            _ if matches!(rest, [b'n' | b'r' | b't']) => true,
            _ => rest.first().is_none_or(|next| b"/_&%#{}<>\\\"$".contains(next)),
        }
    })
}

/// Whether the canonical `name` is a text-mining licence, which does not identify a work.
pub fn is_licence(name: &[u8]) -> bool {
    lookalike::lookalike(b"", name) == Some(Reason::Licence)
}

/// The first 1,024 distinct names of a cell, canonical and in order of appearance.
#[derive(Debug, Default)]
pub struct CellNames {
    /// The names.
    pub names: Vec<Vec<u8>>,
    /// Where the second begins.
    pub second: usize,
    /// The first reason for rejection.
    reason: Option<Reason>,
}

impl CellNames {
    /// Returns the name if there is one, otherwise the first reason for rejection, if any.
    pub fn only(&self) -> Result<&Vec<u8>, Option<Reason>> {
        if let [name] = &self.names[..] { Ok(name) } else { Err(self.reason) }
    }
}

/// Maximum number of DOIs listed for one value. Cells of citing works have a few dozen.
const MOST: usize = 1024;

impl Sink for CellNames {
    fn accept(&mut self, found: &Match<'_>) {
        if self.names.len() < MOST && !self.names.iter().any(|name| name == found.doi) {
            if self.names.len() == 1 {
                self.second = found.start;
            }
            self.names.push(found.doi.to_vec());
        }
    }

    fn reject(&mut self, _: usize, reason: Reason) {
        self.reason.get_or_insert(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(value: &str) -> Option<String> {
        let names = Cleaner::default().names(value.as_bytes());
        names.only().ok().map(|name| String::from_utf8(name.clone()).unwrap())
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
            ("10.1000/182/", "10.1000/182"),
            ("10.1000/182:", "10.1000/182:"),
            ("10.1000/182/ABSTRACT", "10.1000/182/ABSTRACT"),
            ("10.1111/BRV.12289/ABSTRACT", "10.1111/BRV.12289"),
            ("10.1111/BRV.12289/FULL.", "10.1111/BRV.12289"),
            ("10.1101/656678V2", "10.1101/656678"),
            ("10.1000/ABSTRACT", "10.1000/ABSTRACT"),
            ("10.1016/J.CELL.2009.01.042/-/DC1", "10.1016/J.CELL.2009.01.042"),
            ("10.1016/182/-/PDF", "10.1016/182/-/PDF"),
            ("10.1000/.", "10.1000/."),
            ("10.1000/).,", "10.1000/).,"),
            ("10.1111/./FULL", "10.1111/./FULL"),
            ("10.1000/182.PDF", "10.1000/182.PDF"),
            ("10.1000/182<BR/>", "10.1000/182"),
            ("10.1000/182</REF>", "10.1000/182"),
            ("10.1000/182</REF", "10.1000/182</REF"),
            ("10.1000/182</>", "10.1000/182"),
            ("10.1000/1&LT;2:A&GT;2.0.CO;2", "10.1000/1<2:A>2.0.CO;2"),
            ("10.1000/182\\", "10.1000/182"),
            ("10.1000/A&B", "10.1000/A&B"),
            (
                "10.1002/(SICI)1:1\\\\\\≪2:A\\\\\\≫3.0.CO;2-D",
                "10.1002/(SICI)1:1\\\\\\≪2:A\\\\\\≫3.0.CO;2-D",
            ),
            ("10.1000/A&B;C", "10.1000/A"),
            ("10.1000/A\\BC", "10.1000/A\\BC"),
            ("10.1000/A<BC", "10.1000/A<BC"),
            ("10.1000/A\\_B", "10.1000/A_B"),
            ("10.1000/A:B", "10.1000/A:B"),
            ("10.1000/A:B/", "10.1000/A:B"),
            ("10.1000/AHTTP://DX.DOI.ORG/10.1000/A", "10.1000/A"),
            ("10.1000/A.PMID:123", "10.1000/A"),
            ("10.1000/A&B=C", "10.1000/A"),
            ("10.1000/A\"B", "10.1000/A\"B"),
            ("10.1000/A[B\\U002F", "10.1000/A[B\\U002F"),
            ("10.1000/A\"", "10.1000/A"),
            ("10.1000/A”", "10.1000/A"),
            ("10.1000/A|B=C", "10.1000/A"),
            ("10.1000/A|B", "10.1000/A|B"),
        ] {
            let mut name = value.as_bytes().to_vec();
            let is_dirty = Cleaner::default().tidy(value.as_bytes(), &mut name).is_changed;
            assert_eq!(String::from_utf8(name).unwrap(), expected, "{value}");
            assert_eq!(is_dirty, value != expected, "{value}");
        }
    }

    #[test]
    fn an_address_ends_before_its_parameters() {
        for (value, name, expected) in [
            ("https://doi.org/10.1000/a&b=1", "10.1000/A&B=1", "10.1000/A"),
            ("https://doi.org/10.1000/a&b_2=1", "10.1000/A&B_2=1", "10.1000/A"),
            ("https://doi.org/10.1000/a&b-2=1", "10.1000/A&B-2=1", "10.1000/A"),
            ("https://doi.org/10.1000/a&b/", "10.1000/A&B/", "10.1000/A&B"),
            ("https://doi.org/10.1000/a&=1/", "10.1000/A&=1/", "10.1000/A&=1"),
            ("10.1000/a&b=1", "10.1000/A&B=1", "10.1000/A"),
        ] {
            let mut tidied = name.as_bytes().to_vec();
            let is_dirty = Cleaner::default().tidy(value.as_bytes(), &mut tidied).is_changed;
            assert_eq!(String::from_utf8(tidied).unwrap(), expected, "{value}");
            assert_eq!(is_dirty, name != expected, "{value}");
        }
    }
}
