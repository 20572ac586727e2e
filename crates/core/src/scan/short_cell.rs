//! Names with a registrant of fewer than four digits that fill a cell of a column of DOIs.
//!
//! A scan rejects `10.12/abc`, because most texts of this form name no work. In a column that the user chose, a cell that is a
//! DOI and nothing else is one, as it is for [`Judge`](crate::judge::Judge).

use super::{Match, Repairs, Sink, trim};
use crate::doi::{Reader, Reason, fold};
use alloc::vec::Vec;
use memchr::memmem;

/// The cells of a column of DOIs in a text.
#[derive(Clone, Copy, Debug)]
pub struct DoiCells<'a> {
    /// The text, with all cells up to the end of those that are scanned.
    pub bytes: &'a [u8],
    /// The byte between two cells, besides line ends.
    pub delimiter: u8,
    /// Whether the end of the text may cut a cell.
    pub is_cut: bool,
    /// Maximum length of a name.
    pub max_length: usize,
    /// Whether nothing is trimmed, and suffixes that Z39.84 reserves are refused.
    pub is_strict: bool,
}

impl DoiCells<'_> {
    /// Writes the canonical name that begins at `start` and fills its cell to `name`, if its registrant is short. Returns
    /// where the cell ends, without its quote and blanks.
    fn short(&self, start: usize, name: &mut Vec<u8>) -> Option<usize> {
        let text = self.cell(start).filter(|text| text.len() <= self.max_length)?;
        if text.contains(&b'"') || memmem::rfind(text, b"10.") != Some(0) {
            return None;
        }
        let mut reader = if self.is_strict { Reader::strict() } else { Reader::default() };
        let doi = reader.read(text).ok().filter(|reading| reading.doi.is_short())?.doi;
        name.clear();
        name.extend_from_slice(doi.as_str().as_bytes());
        fold(name);
        let suffix = memchr::memchr(b'/', name)? + 1;
        if !self.is_strict {
            trim::whole(name, suffix, false, None);
        }
        (name.len() > suffix).then_some(start + text.len())
    }

    /// Returns the text of the cell that begins at `start`, without its quotes and the blanks after it.
    fn cell(&self, start: usize) -> Option<&[u8]> {
        let (before, rest) = self.bytes.split_at_checked(start)?;
        let is_end = |byte: &u8| *byte == self.delimiter || matches!(byte, b'\n' | b'\r');
        let quoted = before.strip_suffix(b"\"");
        if !quoted.unwrap_or(before).last().is_none_or(is_end) {
            return None;
        }
        let end = match quoted {
            Some(_) => memchr::memchr(b'"', rest),
            None => rest.iter().position(is_end),
        };
        let text = match end {
            Some(end) if quoted.is_none() || rest.get(end + 1).is_none_or(is_end) => &rest[..end],
            None if quoted.is_none() && !self.is_cut => rest,
            _ => return None,
        };
        Some(text.trim_ascii_end())
    }
}

/// Forwards the results of a scan of cells, and accepts the short names among those that it rejects.
#[derive(Debug)]
pub struct ShortCells<'a, S> {
    cells: DoiCells<'a>,
    name: Vec<u8>,
    inner: &'a mut S,
}

impl<'a, S> ShortCells<'a, S> {
    /// Forwards the results of a scan of `cells` to `inner`.
    pub fn new(cells: DoiCells<'a>, inner: &'a mut S) -> Self {
        ShortCells { cells, name: Vec::new(), inner }
    }
}

impl<S: Sink> Sink for ShortCells<'_, S> {
    fn accept(&mut self, found: &Match<'_>) {
        self.inner.accept(found);
    }

    #[inline(always)] // as in the sinks of the engine
    fn accept_plain(&mut self, found: &Match<'_>) {
        self.inner.accept_plain(found);
    }

    fn accept_again(&mut self, found: &Match<'_>) {
        self.inner.accept_again(found);
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        if reason == Reason::TooShortRegistrant
            && let Some(end) = self.cells.short(start, &mut self.name)
        {
            let (doi, repairs) = (&*self.name, Repairs::default());
            return self.inner.accept(&Match { start, end, doi, repairs });
        }
        self.inner.reject(start, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str, is_cut: bool) -> Option<String> {
        let start = text.find("10.").expect("a name");
        let bytes = text.as_bytes();
        let cells = DoiCells { bytes, delimiter: b',', is_cut, max_length: 20, is_strict: false };
        let mut name = Vec::new();
        cells.short(start, &mut name).map(|_| String::from_utf8(name).expect("text"))
    }

    #[test]
    fn a_short_name_fills_its_cell() {
        for (text, expected) in [
            ("10.12/abc", Some("10.12/ABC")),
            ("1,10.12/abc,2", Some("10.12/ABC")),
            ("1\n10.12/abc \r\n2", Some("10.12/ABC")),
            ("1,\"10.12/a,b\",2", Some("10.12/A,B")),
            ("\"10.12%2Fa\"\n", Some("10.12/A")),
            ("10.1/abc", None),
            ("10.12/abc.", Some("10.12/ABC")),
            ("10.12/.", None),
            ("10.1000/a", None),
            ("see 10.12/abc", None),
            ("10.12/abc x", None),
            ("10.12/a;10.12/b", None),
            ("\"10.12/a\"\"b\"", None),
            ("\"10.12/a", None),
            ("\"10.12/a\"x", None),
            ("10.12/1234567890123456", None),
        ] {
            assert_eq!(short(text, false).as_deref(), expected, "{text}");
        }
        assert_eq!((short("10.12/abc", true), short("10.12/abc\n", true).is_some()), (None, true));
    }
}
