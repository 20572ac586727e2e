//! Remembers cells and lines that were just read, because tables and lists repeat themselves.

use super::{LOOKBEHIND, Notation, field};
use alloc::vec::Vec;
use core::ops::Range;

/// Number of bytes that are searched at once for the next quote.
const AHEAD: usize = 16 * 1024;

/// The last two cells that a name filled, and the last line of a list.
///
/// In a table of citations sorted by citing work, every second cell equals the last but one. What a
/// comma, semicolon or bar, a name and the byte after it mean outside quotes depends on these bytes alone, so equal
/// bytes need not be read again. After a tab or a line end, the text before it may matter. Dense CSV:
/// 200 of 1,750 instructions per candidate.
#[derive(Debug)]
pub(super) struct Cells {
    latest: [Cell; 2],
    /// Which of them is the older one.
    older: usize,
    /// Where the line begins that follows the last line of a list, or `usize::MAX`.
    pub(super) line: usize,
    /// No place up to this one is in a quoted cell, of those not looked at yet.
    clear: usize,
}

/// A cell that was read.
#[derive(Debug, Default)]
struct Cell {
    /// Where its name begins and ends in the haystack. An empty range is no cell.
    place: Range<usize>,
    /// The last byte of the name in the haystack, and the byte after it.
    last: [u8; 2],
    /// The canonical name.
    name: Vec<u8>,
}

impl Cells {
    /// Creates an empty memory.
    pub(super) fn new() -> Self {
        Cells { latest: Default::default(), older: 0, line: usize::MAX, clear: 0 }
    }

    /// Forgets all. Their places are those of one haystack and one notation.
    pub(super) fn clear(&mut self) {
        self.latest.iter_mut().for_each(|cell| cell.place = 0..0);
        self.line = usize::MAX;
        self.clear = 0;
    }

    /// Whether `start` is in a quoted cell of a table with this `delimiter`, as [`field::is_quoted`] finds. Each start
    /// comes after the last one.
    #[inline(always)] // 2 % of the instructions of dense CSV
    pub(super) fn is_quoted(&mut self, haystack: &[u8], start: usize, delimiter: u8) -> bool {
        start > self.clear && self.look_for_quotes(haystack, start, delimiter)
    }

    /// Finds whether `start` is in a quoted cell, and how far the next names are in none: up to the line of the next
    /// quote. It is looked for once for many names.
    #[inline(never)]
    fn look_for_quotes(&mut self, haystack: &[u8], start: usize, delimiter: u8) -> bool {
        let (before, after) = haystack.split_at(start);
        let before = &before[start.saturating_sub(LOOKBEHIND)..];
        let is_whole = before.len() < LOOKBEHIND;
        if let Some(is_quoted) = field::is_quoted((before, after), delimiter, is_whole) {
            return is_quoted;
        }
        if memchr::memchr(b'"', before).is_none() {
            let ahead = &after[..after.len().min(AHEAD)];
            let quote = memchr::memchr(b'"', ahead);
            let line = memchr::memrchr(b'\n', &ahead[..quote.unwrap_or(ahead.len())]);
            let near = if quote.is_some() { ahead.len() } else { field::REACH };
            self.clear = start + line.unwrap_or(0).max(ahead.len().saturating_sub(near));
        }
        false
    }

    /// Returns the end and the name of the cell whose name begins at `start`, if it equals the last
    /// but one and is not in quotes.
    #[inline(always)] // 3 % of the instructions of dense CSV
    pub(super) fn repeated(&mut self, haystack: &[u8], start: usize) -> Option<(usize, &[u8])> {
        let older = self.older % 2;
        let Cell { place, last, .. } = &self.latest[older];
        let end = start + place.len();
        // Most others differ in their length, or in their last byte.
        if place.is_empty() || *haystack.get(end)? != last[1] || haystack[end - 1] != last[0] {
            return None;
        }
        if haystack[start.checked_sub(1)?..end] != haystack[place.start - 1..place.end] {
            return None;
        }
        // The byte before a cell is its delimiter.
        if self.is_quoted(haystack, start, haystack[start - 1]) {
            return None;
        }
        self.older ^= 1;
        Some((end, &self.latest[older].name))
    }

    /// Remembers a name at `place` that [`read`](super::plain_field::read) returned: as a cell if its
    /// delimiters tell alone what it is, or as the line of a list. Returns the name, and leaves another in its
    /// place if it was taken.
    #[inline]
    pub(super) fn remember<'a>(
        &'a mut self,
        haystack: &[u8],
        place: Range<usize>,
        notation: Notation,
        name: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        let Notation::Csv(delimiter) = notation else {
            self.end_line(haystack, place);
            return name;
        };
        // A label may come before a blank.
        let is_apart =
            delimiter > b' ' && place.start > 0 && haystack[place.start - 1] == delimiter;
        let Some(&last) = haystack[place.end - 1..].first_chunk().filter(|_| is_apart) else {
            return name;
        };
        let cell = &mut self.latest[self.older % 2];
        self.older ^= 1;
        cell.last = last;
        cell.place = place;
        core::mem::swap(&mut cell.name, name);
        &cell.name
    }

    /// Remembers where the line after the name at `place` begins, if the name is a line of a list: no
    /// other field that is read here closes at the end of a line. The start of a longer line may lie
    /// beyond the bytes that the rules look at.
    fn end_line(&mut self, haystack: &[u8], place: Range<usize>) {
        const MOST: usize = LOOKBEHIND / 2;
        self.line = match haystack[place.end..] {
            [b'\n', ..] if place.len() < MOST => place.end + 1,
            [b'\r', b'\n', ..] if place.len() < MOST => place.end + 2,
            _ => usize::MAX,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Options, Scanner};

    /// Whether the third name of `text`, a table with this delimiter, is known to equal the first.
    /// The names have two bytes and begin at `places`.
    fn is_known(text: &str, delimiter: char, places: [usize; 3]) -> bool {
        let (mut cells, notation) = (Cells::new(), Notation::Csv(delimiter as u8));
        for place in places[..2].iter().map(|&at| at..at + 2) {
            let mut name = text.as_bytes()[place.clone()].to_vec();
            let name = cells.remember(text.as_bytes(), place.clone(), notation, &mut name);
            assert_eq!(name, text[place].as_bytes());
        }
        let known = cells.repeated(text.as_bytes(), places[2]);
        assert!(known.is_none_or(|found| found == (places[2] + 2, b"A1")));
        known.is_some()
    }

    #[test]
    fn cells_are_repeated_only_after_a_delimiter_that_no_label_precedes() {
        for (delimiter, expected) in [
            (',', true),
            (';', true),
            ('|', true),
            ('!', true),
            (' ', false),
            ('\t', false),
            ('\n', false),
        ] {
            let text = ",A1,B2,A1,".replace(',', &delimiter.to_string());
            assert_eq!(is_known(&text, delimiter, [1, 4, 7]), expected, "{delimiter:?}");
        }
        assert!(!is_known(",\"A1\",\"B2\",\"A1\"", ',', [2, 7, 12]), "fields in quotes");
        assert!(!is_known("A1,B2,A1,", ',', [0, 3, 6]), "nothing is before the first");
        assert!(!is_known(",A1,B2,A1;", ',', [1, 4, 7]), "another byte is behind the third");
    }

    #[test]
    fn a_comma_in_a_long_quoted_cell_begins_no_cell() {
        let (filler, mut scanner) = ("x ".repeat(LOOKBEHIND), Scanner::new(Options::default()));
        for (start, end, expected) in [
            ("\"", ", y\",2\n", "10.1000/A"),
            ("\"", ", y\"", "10.1000/A"),
            ("\"", ", \"\"y\"\" z\n\",2\n", "10.1000/A"),
            ("", ", y,\"b\",2\n", "10.1000/A;B"),
            ("", ", y,\"\"\n", "10.1000/A;B"),
            ("", ", 5\" y\n", "10.1000/A;B"),
            ("", ",2\n1,\"z, b\"\n", "10.1000/A;B"),
            ("", ",2", "10.1000/A;B"),
        ] {
            let text = format!("a,b\n1,{start}{filler},10.1000/a;B{end}");
            let names = scanner.names(text.as_bytes(), Notation::Csv(b','));
            assert_eq!(names, [expected], "{start}…{end}");
        }
    }

    #[test]
    fn quotes_are_looked_for_once_for_many_names() {
        let (mut cells, filler) = (Cells::new(), "x ".repeat(LOOKBEHIND));
        let row = format!("1,{filler}\n");
        for (text, clear) in [
            (format!("{row}{row}2,\"a\""), 2 * row.len() - 1),
            ("x".repeat(2 * AHEAD), 1 + AHEAD - field::REACH),
        ] {
            cells.clear();
            assert!(!cells.is_quoted(text.as_bytes(), 1, b','));
            assert_eq!(cells.clear, clear, "{text:.9}");
        }
    }

    #[test]
    fn the_line_before_a_name_counts_if_its_start_is_within_reach() {
        let mut scanner = Scanner::new(Options::default());
        for (end, longest) in [("\n", LOOKBEHIND - 2), ("\r\n", LOOKBEHIND - 3)] {
            for (len, last) in
                [(9, "10.1000/182.PDF"), (longest, "10.1000/182.PDF"), (longest + 1, "10.1000/182")]
            {
                let line = format!("{:A<len$}", "10.1000/");
                let text = ["10.1000/1", &line, "10.1000/182.PDF", ""].join(end);
                let names = scanner.names(text.as_bytes(), Notation::Unknown);
                assert_eq!(names, ["10.1000/1", &line, last], "{end:?} {len}");
            }
        }
    }
}
