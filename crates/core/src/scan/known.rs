//! Settles doubts about where a name ends by asking which names exist.
//!
//! The rules decide by the bytes around a name. Whoever knows names can ask for the end that makes a
//! known one: the rules' own, a later one that the text goes on to, or an earlier one where a name may
//! end. A change is made only if its result is known.

use super::around::has_digit;
use super::surroundings::{Surroundings, surroundings};
use super::{Match, Notation, Options, Repair, Repairs, candidate, glued, lookalike};
use crate::doi::{Reason, eidr};
use alloc::vec::Vec;
use core::ops::Range;

/// The names that exist.
pub trait Known {
    /// Length of the longest known name that `text`, in canonical form, begins with.
    fn longest(&mut self, text: &[u8]) -> Option<usize>;
}

/// What is known of a name that the rules accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'n> {
    /// It is known.
    Known,
    /// This name is known instead.
    Instead(Match<'n>),
    /// Neither it nor another is known.
    Unknown,
}

/// A text and the part of it that may be read.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The haystack of the scan.
    pub bytes: &'a [u8],
    /// The notation of the scan.
    pub notation: Notation,
    /// The options of the scan. If they are strict, no name is changed.
    pub options: &'a Options,
    /// Whether the text goes on after damage.
    pub is_cut: bool,
}

/// Maximum number of bytes that are added to a name.
const ADDED: usize = 256;

/// Maximum number of shorter known names that are looked at.
const SHORTER: usize = 8;

/// Maximum number of letters that are read as misread digits.
const MISREAD: usize = 6;

/// The fewest letters of a word that a sentence glues to a name. Shorter ones are parts of names: `10.1002/anie`.
const WORD: usize = 4;

impl Text<'_> {
    /// Says what is known of a name that the rules accepted. `name` is scratch space.
    pub fn accepted<'n>(
        &self,
        found: &Match<'_>,
        known: &mut impl Known,
        name: &'n mut Vec<u8>,
    ) -> Answer<'n> {
        if known.longest(found.doi) == Some(found.doi.len()) {
            return Answer::Known;
        }
        if !self.may_change() {
            return Answer::Unknown;
        }
        let raw = &self.bytes[found.start..found.end];
        let raw = Some(raw).filter(|raw| raw.eq_ignore_ascii_case(found.doi));
        let other = self.other(found.start..found.end, found.doi, raw, known);
        let Some((doi, end)) = other.or_else(|| Some((spelled(found, known)?, found.end))) else {
            return Answer::Unknown;
        };
        *name = doi;
        Answer::Instead(repaired(found.start, end, found.repairs, name))
    }

    /// Whether names may be changed. The lines of a list are names as they are.
    fn may_change(&self) -> bool {
        !self.options.strict && self.notation != Notation::List
    }

    /// Looks for a known name at a candidate that the rules rejected on doubt. `name` is scratch space.
    pub fn rejected<'n>(
        &self,
        start: usize,
        reason: Reason,
        known: &mut impl Known,
        name: &'n mut Vec<u8>,
    ) -> Option<Match<'n>> {
        let is_doubtful = match reason {
            Reason::ReferenceKey | Reason::Stem | Reason::VolumeYear | Reason::Licence => true,
            // A number goes on in the candidate, but a word may be glued to it.
            Reason::LeftBoundary => start > 0 && self.bytes[start - 1].is_ascii_alphabetic(),
            _ => false,
        };
        let end = self.word(start, start);
        let word = &self.bytes[start..end];
        if !is_doubtful || !self.may_change() || !word.starts_with(b"10.") {
            return None;
        }
        let (doi, end) = self.other(start..end, &word.to_ascii_uppercase(), Some(word), known)?;
        *name = doi;
        Some(repaired(start, end, Repairs::default(), name))
    }

    /// Returns the known name that begins with `doi` at `place`, or with which it begins where a name may end, and its end
    /// in the text. `raw` is the name in the text, if it is plain.
    fn other(
        &self,
        place: Range<usize>,
        doi: &[u8],
        raw: Option<&[u8]>,
        known: &mut impl Known,
    ) -> Option<(Vec<u8>, usize)> {
        self.longer(place.clone(), doi, known).or_else(|| {
            let next = |len: &usize| known.longest(&doi[..len - 1]);
            let lens = core::iter::successors(Some(doi.len() + 1), next).skip(1).take(SHORTER);
            let len = { lens }.find(|len| may_end(doi, raw, *len))?;
            Some((doi[..len].to_vec(), raw.map_or(place.end, |_| place.start + len)))
        })
    }

    /// Returns the known name that begins with `doi` and goes on in the text after it, on the same line or the next, and
    /// its end.
    fn longer(
        &self,
        Range { start, end }: Range<usize>,
        doi: &[u8],
        known: &mut impl Known,
    ) -> Option<(Vec<u8>, usize)> {
        let rest = self.word(start, end);
        let mut joined = |head: &[u8], rest| self.joined(head, rest, known);
        joined(doi, end..rest).or_else(|| {
            // The next line is not of this cell or this line.
            let is_line = matches!(
                surroundings(self.bytes, start, self.notation),
                Surroundings::Cell | Surroundings::Line
            );
            let next = self.next_line(start, rest).filter(|_| !is_line && rest - end <= 1)?;
            let next = next..self.word(start, next);
            let head = [doi, &self.bytes[end..rest]].concat();
            // A hyphen at the end of a line may be of the line.
            joined(&head, next.clone()).or_else(|| joined(head.strip_suffix(b"-")?, next))
        })
    }

    /// Returns the known name that begins with `head` and goes on in the text at `rest`, and that ends where the text has no
    /// letter and no digit, and its end.
    fn joined(
        &self,
        head: &[u8],
        rest: Range<usize>,
        known: &mut impl Known,
    ) -> Option<(Vec<u8>, usize)> {
        let Range { start, end } = rest;
        let mut name = [head, &self.bytes[rest].to_ascii_uppercase()].concat();
        let most = self.options.max_length;
        let len = known.longest(&name).filter(|len| *len > head.len() && *len <= most)?;
        let is_end = match name.get(len) {
            Some(byte) => !byte.is_ascii_alphanumeric(),
            None => !(self.is_cut && end == self.bytes.len()),
        };
        name.truncate(len);
        is_end.then_some((name, start + len - head.len()))
    }

    /// The end of the text from `from` that has no blank, no quote, no escape, and no place where another
    /// name may begin. `start` is that of the candidate.
    fn word(&self, start: usize, from: usize) -> usize {
        let is_name = |byte: &u8| {
            byte.is_ascii_graphic()
                && !matches!(byte, b'"' | b'<' | b'>' | b'%' | b'&' | b'\\')
                && self.notation != Notation::Csv(*byte)
        };
        let text = self.near(start, from);
        let text = &text[..text.len().min(ADDED)];
        let len = text.iter().position(|byte| !is_name(byte)).unwrap_or(text.len());
        let first = usize::from(from == start);
        let other = (first..len).find(|at| glued::begins_another(&text[*at..len]));
        from + other.unwrap_or(len)
    }

    /// The start of the text of the next line, if the line ends at `from`.
    fn next_line(&self, start: usize, from: usize) -> Option<usize> {
        let text = self.near(start, from);
        let len = text.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let lines = text[..len].iter().filter(|byte| **byte == b'\n').count();
        (lines == 1).then_some(from + len)
    }

    /// The text from `from` on that can affect the candidate at `start`.
    fn near(&self, start: usize, from: usize) -> &[u8] {
        let reach = self.bytes.len().min(start + candidate::lookahead(self.options));
        &self.bytes[from..reach.max(from)]
    }
}

/// The match of a name that an index corrected.
fn repaired(start: usize, end: usize, mut repairs: Repairs, doi: &[u8]) -> Match<'_> {
    repairs.insert(Repair::Registry);
    Match { start, end, doi, repairs }
}

/// Whether the name `doi` may end after `len` bytes because the rest was glued to it: a sentence or
/// brackets, a segment of a page's path, a key within a document, a word.
///
/// Stops, hyphens, slashes and colons are also within names, and journals have names with which those of
/// their articles begin (`10.1016/j.cell`). After them only words without digits are not of the name.
fn may_end(doi: &[u8], raw: Option<&[u8]>, len: usize) -> bool {
    let Some((first, rest)) = doi[len..].split_first() else { return true };
    match first {
        b'.' | b'-' | b'/' | b':' | b'(' | b'+' | b'=' | b'@' | b'~' | b'$' | b'<' | b'_' => {
            let is_letter = matches!(rest, [letter] if letter.is_ascii_alphabetic());
            !is_letter && (!has_digit(rest) || lookalike::is_label(rest))
        }
        b'A'..=b'Z' | b'0'..=b'9' => raw.is_some_and(|raw| is_word(raw, len)),
        // Not within a character.
        _ => first & 0xc0 != 0x80,
    }
}

/// Whether a word is glued at `len`: letters after a digit, or a capital and small letters.
fn is_word(raw: &[u8], len: usize) -> bool {
    let rest = &raw[len..];
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_ended = !rest.get(letters).is_some_and(u8::is_ascii_digit);
    let is_capital =
        rest[0].is_ascii_uppercase() && rest.get(1).is_some_and(u8::is_ascii_lowercase);
    letters >= WORD && is_ended && (raw[len - 1].is_ascii_digit() || is_capital)
}

/// Returns the known name that `found` should be: without a hyphen that a line end added, with digits in place of letters,
/// or with the hyphens of an EIDR.
fn spelled(found: &Match<'_>, known: &mut impl Known) -> Option<Vec<u8>> {
    let doi = found.doi;
    let is_joined = found.repairs.contains(Repair::LineEnd);
    let hyphens = (0..doi.len()).rev().filter(|at| is_joined && doi[*at] == b'-').take(SHORTER);
    let unbroken = hyphens.map(|at| [&doi[..at], &doi[at + 1..]].concat());
    let eidr = match eidr::judge(doi) {
        Some(eidr::Shape::Unhyphenated(eidr)) => Some(eidr.name().into_bytes()),
        _ => None,
    };
    let mut names = unbroken.chain(misread(doi)).chain(eidr);
    names.find(|name| known.longest(name) == Some(name.len()))
}

/// Returns `doi` with 0 and 1 for each O, I and L that is beside a digit, or beside no letter, and for all of them.
fn misread(doi: &[u8]) -> Vec<Vec<u8>> {
    let start = memchr::memchr(b'/', doi).map_or(doi.len(), |at| at + 1);
    let is = |at: usize, class: fn(&u8) -> bool| doi.get(at).is_some_and(class);
    let beside = |at: usize, class| is(at - 1, class) || is(at + 1, class);
    let is_number = |at: &usize| {
        matches!(doi[*at], b'O' | b'I' | b'L')
            && (beside(*at, u8::is_ascii_digit) || !beside(*at, u8::is_ascii_alphabetic))
    };
    let (mut names, mut all) = (Vec::new(), doi.to_vec());
    for at in (start..doi.len()).filter(is_number).take(MISREAD) {
        all[at] = if doi[at] == b'O' { b'0' } else { b'1' };
        names.push([&doi[..at], &all[at..=at], &doi[at + 1..]].concat());
    }
    names.push(all);
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Options, Scanner, Sink};
    use alloc::collections::BTreeSet;
    use alloc::string::{String, ToString};
    use alloc::vec;

    struct Set(BTreeSet<Vec<u8>>);

    impl Known for Set {
        fn longest(&mut self, text: &[u8]) -> Option<usize> {
            (1..=text.len()).rev().find(|len| self.0.contains(&text[..*len]))
        }
    }

    /// Settles what a scanner finds.
    struct Settling<'a> {
        text: Text<'a>,
        known: Set,
        found: Vec<String>,
    }

    impl Sink for Settling<'_> {
        fn accept(&mut self, found: &Match<'_>) {
            let mut name = Vec::new();
            let doi = str::from_utf8(found.doi).expect("text").to_owned();
            self.found.push(match self.text.accepted(found, &mut self.known, &mut name) {
                Answer::Known => doi,
                Answer::Unknown => doi + " ?",
                Answer::Instead(found) => shown(&self.text, &found, " = "),
            });
        }

        fn reject(&mut self, start: usize, reason: Reason) {
            let mut name = Vec::new();
            let found = self.text.rejected(start, reason, &mut self.known, &mut name);
            self.found.extend(found.map(|found| shown(&self.text, &found, " < ")));
        }
    }

    fn shown(text: &Text<'_>, found: &Match<'_>, mark: &str) -> String {
        assert!(found.repairs.contains(Repair::Registry));
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        show(found.doi) + mark + &show(&text.bytes[found.start..found.end])
    }

    fn settle(text: &str, known: &[&str], is_strict: bool, is_cut: bool) -> Vec<String> {
        let options = Options { strict: is_strict, ..Options::default() };
        let known = known.iter().map(|name| name.as_bytes().to_ascii_uppercase()).collect();
        let (bytes, notation) = (text.as_bytes(), Notation::Unknown);
        let text = Text { bytes, notation, options: &options, is_cut };
        let mut sink = Settling { text, known: Set(known), found: vec![] };
        Scanner::new(options.clone()).scan(bytes, 0..bytes.len(), notation, &mut sink);
        sink.found
    }

    #[test]
    fn the_known_end_is_taken() {
        for (text, known, expected) in [
            ("see 10.1000/182.", "10.1000/182", "10.1000/182"),
            ("see 10.1000/abc.def.", "10.1000/abc.def", "10.1000/ABC.DEF"),
            // Later.
            (
                "see 10.1000/abc12/pdf now",
                "10.1000/abc12/pdf",
                "10.1000/ABC12/PDF = 10.1000/abc12/pdf",
            ),
            ("see 10.1000/abc12/pdf9 now", "10.1000/abc12/pdf", "10.1000/ABC12/PDF9 ?"),
            // Earlier: a sentence, a bracket, a page, a key, a word.
            ("see 10.1000/abc.the end", "10.1000/abc", "10.1000/ABC = 10.1000/abc"),
            ("see 10.1000/abc/viewer", "10.1000/abc", "10.1000/ABC = 10.1000/abc"),
            ("see 10.1000/ab042beyond", "10.1000/ab042", "10.1000/AB042 = 10.1000/ab042"),
            ("see 10.1000/abcAvailable", "10.1000/abc", "10.1000/ABC = 10.1000/abc"),
            ("see 10.1000/ABCAvailable", "10.1000/abc", "10.1000/ABC = 10.1000/ABC"),
            ("see 10.1000/abc.We", "10.1000/abc", "10.1000/ABC = 10.1000/abc"),
            ("see 10.1000/aBc.We", "10.1000/abc", "10.1000/ABC = 10.1000/aBc"),
            // The name of a journal, a part of a number, of a word.
            ("see 10.1016/j.cell.2009.01.042", "10.1016/j.cell", "10.1016/J.CELL.2009.01.042 ?"),
            ("see 10.1000/1823", "10.1000/182", "10.1000/1823 ?"),
            ("see 10.1000/abcdef", "10.1000/abc", "10.1000/ABCDEF ?"),
            ("see 10.1000/abc.x", "10.1000/abc", "10.1000/ABC.X ?"),
            ("see 10.1000/182abc", "10.1000/182", "10.1000/182ABC ?"),
            ("see 10.1000/182abcd9", "10.1000/182", "10.1000/182ABCD9 ?"),
            // Misread digits.
            ("see 10.1000/a2O1l", "10.1000/a2011", "10.1000/A2011 = 10.1000/a2O1l"),
            ("see 10.1000/a2O1l", "10.1000/a201l", "10.1000/A201L = 10.1000/a2O1l"),
            ("see 10.1000/a-l", "10.1000/a-1", "10.1000/A-1 = 10.1000/a-l"),
            ("see 10.1000/aOl", "10.1000/a01", "10.1000/AOL ?"),
            // The hyphens of an EIDR.
            (
                "see 10.5240/779185342C23903086105.",
                "10.5240/7791-8534-2C23-9030-8610-5",
                "10.5240/7791-8534-2C23-9030-8610-5 = 10.5240/779185342C23903086105",
            ),
            (
                "see 10.5240/779185342C23903086106.",
                "10.5240/7791-8534-2C23-9030-8610-5",
                "10.5240/779185342C23903086106 ?",
            ),
        ] {
            assert_eq!(settle(text, &[known], false, false), [expected], "{text} {known}");
        }
    }

    #[test]
    fn the_longest_that_may_end_is_taken() {
        let known = ["10.1000/a", "10.1000/a/full", "10.1000/a/full/te"];
        let found = settle("see 10.1000/a/full/text/x", &known, false, false);
        assert_eq!(found, ["10.1000/A/FULL = 10.1000/a/full"]);
    }

    #[test]
    fn names_go_on_in_the_next_line_if_that_is_known() {
        for (text, known, expected) in [
            (
                "see 10.1000/abc.\n  def now",
                "10.1000/abc.def",
                "10.1000/ABC.DEF = 10.1000/abc.\n  def",
            ),
            ("see 10.1000/abc-\ndef now", "10.1000/abcdef", "10.1000/ABCDEF < 10.1000/abc-\ndef"),
            ("see 10.1000/abc-\ndef now", "10.1000/abc-def", "10.1000/ABC-DEF < 10.1000/abc-\ndef"),
            (
                "see 10.1016/j.ab.20-\n09.06.005 now",
                "10.1016/j.ab.2009.06.005",
                "10.1016/J.AB.2009.06.005 = 10.1016/j.ab.20-\n09.06.005",
            ),
            ("see 10.1000/abc\n\ndef now", "10.1000/abcdef", "10.1000/ABC ?"),
            ("see 10.1000/abc\ndefg now", "10.1000/abcdef", "10.1000/ABC ?"),
        ] {
            assert_eq!(settle(text, &[known], false, false), [expected], "{text:?}");
        }
        // A cell ends with its line.
        let text = "TY  - JOUR\nDO  - 10.1000/abc\ndef\n";
        assert_eq!(settle(text, &["10.1000/abcdef"], false, false), ["10.1000/ABC ?"]);
    }

    #[test]
    fn rejected_candidates_that_are_known_are_taken() {
        for (text, known, expected) in [
            ("{\"key\":\"10.1007/s1-2-BIB9\"}", "10.1007/s1-2", "10.1007/S1-2 < 10.1007/s1-2"),
            ("seex10.1000/182 now", "10.1000/182", "10.1000/182 < 10.1000/182"),
            ("see 10.1930/31 now", "10.1930/31", "10.1930/31 < 10.1930/31"),
        ] {
            assert_eq!(settle(text, &[], false, false), [""; 0], "{text}");
            assert_eq!(settle(text, &[known], false, false), [expected], "{text}");
            assert_eq!(settle(text, &[known], true, false), [""; 0], "{text}");
        }
        assert_eq!(settle("1210.1000/182 now", &["10.1000/182"], false, false), [""; 0]);
    }

    #[test]
    fn strict_changes_nothing_and_damage_ends_no_name() {
        let known = ["10.1000/abc"];
        assert_eq!(settle("see 10.1000/abc.The end", &known, true, false), ["10.1000/ABC.THE ?"]);
        let known = ["10.1000/abc12/pdf"];
        let found = "10.1000/ABC12/PDF = 10.1000/abc12/pdf".to_string();
        assert_eq!(settle("see 10.1000/abc12/pdf", &known, false, false), [found]);
        assert_eq!(settle("see 10.1000/abc12/pdf", &known, false, true), ["10.1000/ABC12 ?"]);
    }

    #[test]
    fn no_other_name_is_swallowed() {
        let known = ["10.1000/abc,10.1000/def"];
        let found = settle("see 10.1000/abc,10.1000/def", &known, false, false);
        assert_eq!(found, ["10.1000/ABC ?", "10.1000/DEF ?"]);
    }
}
