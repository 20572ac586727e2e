//! Reads lists of names: each line is one name, spelled as in [`batch`](crate::doi::batch).
//!
//! The rules for running text do not apply here: a name that ends in a full stop keeps it. A line
//! that is not a name is left to the rules for running text, so that nothing is lost if other text
//! was appended to a list.

use crate::doi::{Doi, Reason, batch, first_space, fold, registrant};
use alloc::vec::Vec;

/// The text around a candidate that can affect the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListContext<'a> {
    /// The bytes before the candidate, the candidate, and the bytes after it.
    pub(super) text: &'a [u8],
    /// Where the candidate begins in `text`.
    pub(super) at: usize,
    /// Whether the input begins before `text`.
    pub(super) is_cut_before: bool,
    /// Whether the input continues after `text`.
    pub(super) is_cut_after: bool,
}

impl ListContext<'_> {
    /// Judges the candidate as a line of a list. Writes the canonical name to `name` and returns
    /// the length of the line. Returns `None` if the rules for running text apply.
    pub(super) fn judge(&self, name: &mut Vec<u8>) -> Option<Result<usize, Reason>> {
        if self.line_before().is_ok_and(<[u8]>::is_empty) {
            return self.line(name);
        }
        self.is_inside().then_some(Err(Reason::InsideDoi))
    }

    /// Whether the candidate is inside the name of its line.
    pub(super) fn is_inside(&self) -> bool {
        match self.line_before() {
            // Within a prefix: `10.10.1000/A`.
            Ok(line) => is_name(line) || line.iter().all(|b| *b == b'.' || b.is_ascii_digit()),
            // Tells a long name from a long record in another notation.
            Err(rest) => rest.iter().all(|b| !b.is_ascii_control() && !b" \"<>{}".contains(b)),
        }
    }

    /// Returns the line up to the candidate, or the text before the candidate as an error if the
    /// line begins before it.
    fn line_before(&self) -> Result<&[u8], &[u8]> {
        let before = &self.text[..self.at];
        match memchr::memrchr(b'\n', before) {
            Some(end) => Ok(&before[end + 1..]),
            None if self.is_cut_before => Err(before),
            None => Ok(before),
        }
    }

    /// Judges the line that begins with the candidate.
    fn line(&self, name: &mut Vec<u8>) -> Option<Result<usize, Reason>> {
        let after = &self.text[self.at..];
        let line = match memchr::memchr(b'\n', after) {
            Some(end) => &after[..end],
            None if self.is_cut_after => return is_name(after).then_some(Err(Reason::TooLong)),
            None => after,
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // A space inside a name is always encoded.
        if first_space(line).is_some() {
            return None;
        }
        let decoded = batch::decode(line);
        Doi::parse(&decoded).ok()?;
        name.clear();
        name.extend_from_slice(&decoded);
        fold(name);
        Some(Ok(line.len()))
    }
}

/// Maximum length of a prefix that is recognised. `10.978.8898392` has 14 bytes.
const MAX_PREFIX: usize = 64;

/// Whether `text` begins with a prefix and a slash, and contains no control character.
fn is_name(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"10.") else { return false };
    let digits = registrant(&rest[..rest.len().min(MAX_PREFIX)]).len;
    digits > 0 && rest.get(digits) == Some(&b'/') && !rest.iter().any(u8::is_ascii_control)
}

#[cfg(test)]
mod tests {
    use crate::scan::{Notation, Options, Scanner};

    fn names(text: &str) -> Vec<String> {
        Scanner::new(Options::default()).names(text.as_bytes(), Notation::List)
    }

    #[test]
    fn a_line_is_a_name_as_it_stands() {
        for line in [
            "10.1000/A.",
            "10.1000/A,;)",
            "10.1000/A/FULL",
            "10.1000/A<B>\"C\"",
            "10.1000/A&LT;B\\_C",
            "10.1000/A10.1001/B;DOI:10.1002/C",
            "10.1000/URN:X1:EIDR-S:7791-8534-2C23-9030-8610-5",
            "10.1000/–\u{e9}",
            "10.123/A",
            "10.1002/TDM_LICENSE_1.1",
            "10.10.1000/A",
            "10.1000.10.1001.10.12/A",
        ] {
            for text in [line.to_owned(), format!("{line}\r\n"), format!("10.1000/1\n{line}\n")] {
                assert_eq!(names(&text).last().map(String::as_str), Some(line), "{text}");
                assert_eq!(names(&text).len(), text.lines().count(), "{text}");
            }
        }
    }

    #[test]
    fn encoded_octets_are_decoded_once() {
        assert_eq!(names("10.1000/a%2541\n10.1000/B%\n"), ["10.1000/A%41", "10.1000/B%"]);
    }

    #[test]
    fn other_lines_are_read_as_text() {
        let text = "10.1000/A.\n{\"doi\":\"10.1000/b.\"}\n10.1000/c.\tnote\nsee 10.1000/d.\n";
        assert_eq!(names(text), ["10.1000/A.", "10.1000/B", "10.1000/C", "10.1000/D"]);
        let minified = format!("{{\"a\":\"{}\",\"doi\":\"10.1000/b\"}}", "x".repeat(300));
        assert_eq!(names(&format!("10.1000/A\n{minified}\n")), ["10.1000/A", "10.1000/B"]);
    }

    #[test]
    fn what_lies_in_a_long_name_is_not_another() {
        let line = format!("10.1000/{};DOI:10.1001/B", "A".repeat(300));
        assert_eq!(names(&format!("{line}\n10.1002/C\n")), [&line[..], "10.1002/C"]);
    }
}
