//! Classifies the text that opens directly before a name.

use super::field::{self, Close};
use super::{LOOKBEHIND, Notation, urn};
use crate::doi::notation;
use core::ops::Range;

crate::named! {
    /// What opens directly before a name, ignoring labels and resolver addresses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Surroundings {
        /// Nothing recognised: running text.
        Text = "text",
        /// A quote, written `"`, `'` or `` ` ``: JSON, attributes, quoted cells.
        Quoted = "quoted",
        /// The tag of an element: XML and HTML.
        Element = "element",
        /// A brace: BibTeX and LaTeX.
        Braces = "braces",
        /// A cell delimiter: CSV, TSV and the subfields of library records.
        Cell = "cell",
        /// A line: RIS, and lists with one name per line.
        Line = "line",
        /// A resolver address in running text.
        Address = "address",
        /// A label such as `doi:` in running text.
        Label = "label",
        /// A URN.
        Urn = "urn",
        /// Running text of an email.
        Mail = "mail",
        /// Running text of an HTML page.
        Html = "html",
        /// Addresses and metadata of a PDF file.
        Pdf = "pdf",
        /// Source code of a program.
        Code = "code",
    }
}

impl Surroundings {
    /// Returns the surroundings in an input whose running text is `text`. For a PDF file, they are
    /// always `text`, because its reader writes the lines; they are not part of the file.
    #[must_use]
    pub fn within(self, text: Surroundings) -> Surroundings {
        match (self, text) {
            (_, Surroundings::Pdf) | (Surroundings::Text, _) => text,
            _ => self,
        }
    }
}

/// Returns the surroundings of the name at `start`, which a scanner found.
pub(super) fn surroundings(haystack: &[u8], start: usize, notation: Notation) -> Surroundings {
    if haystack[start..].starts_with(urn::MARK) {
        return Surroundings::Urn;
    }
    let (before, after) = (&haystack[start.saturating_sub(LOOKBEHIND)..start], &haystack[start..]);
    if let Some(field) = field::field(before, after, notation) {
        return match field.close {
            Close::Cell(_) | Close::Subfield(_) => Surroundings::Cell,
            Close::Line => Surroundings::Line,
            Close::Byte(b'<') => Surroundings::Element,
            Close::Byte(b'}') => Surroundings::Braces,
            Close::Byte(_) => Surroundings::Quoted,
        };
    }
    if notation::strip_resolver(before).is_some() {
        return Surroundings::Address;
    }
    match notation::strip_label(before) {
        Some(_) => Surroundings::Label,
        None => Surroundings::Text,
    }
}

/// Finds the surroundings of the names of one text, in order. Remembers where the text has no quote.
#[derive(Debug, Default)]
pub struct SurroundingsFinder {
    /// The bytes before the next quote, and after the last one or the first byte.
    unquoted: Range<usize>,
}

impl SurroundingsFinder {
    /// Returns the surroundings of the name at `start`, which follows those of earlier calls.
    #[inline]
    pub fn find(&mut self, haystack: &[u8], start: usize, notation: Notation) -> Surroundings {
        if let Notation::Csv(delimiter @ (b',' | b';' | b'|')) = notation
            && haystack[..start].last() == Some(&delimiter)
            && haystack[start].is_ascii_digit()
            && self.is_unquoted(haystack, start)
        {
            return Surroundings::Cell;
        }
        surroundings(haystack, start, notation)
    }

    /// Whether there is no quote so near to `start` that it would tell whether its cell is quoted.
    #[inline]
    fn is_unquoted(&mut self, haystack: &[u8], start: usize) -> bool {
        while self.unquoted.end < start {
            let from = self.unquoted.end + 1;
            let len = memchr::memchr(b'"', &haystack[from..]).unwrap_or(haystack.len() - from);
            self.unquoted = from..from + len;
        }
        self.unquoted.start + LOOKBEHIND <= start && start + field::REACH <= self.unquoted.end
    }
}

/// Returns the delimiter that ends the cell of a table in which `start` lies. A quote ends other cells.
pub fn cell_delimiter(haystack: &[u8], start: usize, notation: Notation) -> Option<u8> {
    let Notation::Csv(delimiter) = notation else { return None };
    let (before, after) = (&haystack[start.saturating_sub(LOOKBEHIND)..start], &haystack[start..]);
    let is_whole = before.len() < LOOKBEHIND;
    let is_quoted = field::is_quoted((before, after), delimiter, is_whole) == Some(true);
    (!is_quoted).then_some(delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_looked_for_once_with_the_same_result() {
        let rows = |count, row: &str| row.repeat(count);
        for row in ["a,10.1000/1\n", "\"x\",10.1000/2\n", "\"x,10.1000/3\",4\n", "\"x,10.1000/4\n"]
        {
            for count in [0, 1, 30, 300] {
                let text =
                    ["b,10.1000/0,\n".repeat(count), rows(2, row), rows(count, "b,10.1000/5\n")];
                let text = text.concat().into_bytes();
                let mut finder = SurroundingsFinder::default();
                for start in memchr::memmem::find_iter(&text, "10.1000/") {
                    let notation = Notation::Csv(b',');
                    let expected = surroundings(&text, start, notation);
                    assert_eq!(
                        finder.find(&text, start, notation),
                        expected,
                        "{row} {count} {start}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_opens_before_a_name() {
        use Surroundings::*;
        for (before, notation, expected) in [
            ("see ", Notation::Unknown, Text),
            ("\"DOI\":\"https://doi.org/", Notation::Unknown, Quoted),
            ("<doi>", Notation::Unknown, Element),
            ("doi = {", Notation::Unknown, Braces),
            ("a,", Notation::Csv(b','), Cell),
            ("\nDO  - ", Notation::Unknown, Line),
            ("10.1000/1\n", Notation::Unknown, Line),
            ("see https://doi.org/", Notation::Unknown, Address),
            ("see doi:", Notation::Unknown, Label),
            ("urn:eidr", Notation::Unknown, Urn),
        ] {
            let name = if expected == Urn { ":eidr-s:" } else { "10.1000/182" };
            let text = format!("{before}{name}");
            let found = surroundings(text.as_bytes(), before.len(), notation);
            assert_eq!(found, expected, "{before}");
        }
    }

    #[test]
    fn the_input_tells_what_running_text_is() {
        use Surroundings::*;
        for (found, text, expected) in [
            (Text, Text, Text),
            (Text, Mail, Mail),
            (Quoted, Mail, Quoted),
            (Label, Html, Label),
            (Address, Pdf, Pdf),
            (Text, Code, Code),
        ] {
            assert_eq!(found.within(text), expected);
        }
    }

    #[test]
    fn all_are_in_order() {
        let numbers = Surroundings::ALL.map(|found| found as usize);
        assert!(numbers.into_iter().eq(0..Surroundings::ALL.len()));
    }
}
