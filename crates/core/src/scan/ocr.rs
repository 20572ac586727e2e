//! Reads the prefixes that character recognition damages: `doi:10,1016/j.cell.2009.01.042`,
//! `hups://doi.org/10.11L1/nph.15229`, `DO! 10.1152:japplphysiol.00661.2012`.
//!
//! Of 1,000 names that Tesseract read from pages of 100 dpi, 9 % had a damaged prefix. A prefix has
//! only digits, a full stop and a slash, so what was printed is certain. Letters of a suffix are not
//! corrected: `SPLE` may be right. Nothing is read without a label or an address before it.

use super::edit::Edit;
use super::learned;
use super::rules::MISREAD_LABELS;
use super::{LOOKBEHIND, Repair, glued, marker};
use crate::decode::{Char, Layer, Text, hidden};
use crate::doi::notation::strip_last;
use crate::names::Model;

/// The digits of a registrant, right or misread.
const DIGITS: core::ops::RangeInclusive<usize> = 4..=5;

/// Returns the length of the damaged anchor at `start` of `text`: `10` and a mark or a full-width full stop in place of its
/// full stop, or a blank or a line end before it. A label or an address comes before it, a registrant after it. Characters
/// without a width may be before the full stop of any anchor.
#[cold]
pub(super) fn anchor(text: &[u8], start: usize) -> Option<usize> {
    if let Some(len) = divided(&text[start..]) {
        return Some(len);
    }
    let len = shape(&text[start..])?;
    is_announced(&text[start.saturating_sub(LOOKBEHIND)..start]).then_some(len)
}

/// Returns the length of the damaged anchor at the start of `rest`, before a registrant and a separator.
pub(super) fn shape(rest: &[u8]) -> Option<usize> {
    let behind = rest.strip_prefix(b"10")?;
    let blank = usize::from(matches!(behind, [b' ', ..] | [b'\n', b'.', ..]));
    let (is_stop, behind) = match &behind[blank..] {
        [stop @ (b',' | b':' | b';' | b'.'), behind @ ..] => (*stop != b'.' || blank > 0, behind),
        behind => (true, behind.strip_prefix("\u{ff0e}".as_bytes())?),
    };
    let behind = match behind {
        [b' ', behind @ ..] => behind,
        [b'\n', behind @ ..] if blank > 0 => behind,
        _ => behind,
    };
    let digits = behind.iter().take(6).take_while(|byte| digit(**byte).is_some()).count();
    let is_prefix = match &behind[digits..] {
        [b'/', next, ..] | [b' ', b'/', next, ..] if next.is_ascii_graphic() => true,
        [b' ', b'/', b' ', next, ..] => blank > 0 && next.is_ascii_alphanumeric(),
        [b'/', b'\n', ..] | [b' ', b'/', b'\n', ..] => blank > 0,
        _ => false,
    };
    let has_digit = behind.first().is_some_and(u8::is_ascii_digit);
    (is_stop && is_prefix && has_digit && DIGITS.contains(&digits))
        .then_some(rest.len() - behind.len())
}

/// Whether a damaged prefix begins `rest`. A name of the line before does not continue over it.
pub(super) fn begins(rest: &[u8]) -> bool {
    let behind = rest.strip_prefix(b"10.").unwrap_or_default();
    let digits = behind.iter().take(6).take_while(|byte| digit(**byte).is_some()).count();
    let has_separator = matches!(behind.get(digits), Some(b'/' | b':'));
    shape(rest).is_some() || DIGITS.contains(&digits) && has_separator
}

/// Returns the length of the anchor at the start of `rest` whose full stop follows characters without a width, and which a
/// digit follows: `10<wbr>.1016`.
fn divided(rest: &[u8]) -> Option<usize> {
    let text = Text { bytes: rest.strip_prefix(b"10")?, twice: false };
    let (end, _) = hidden(&text, 0).filter(|(_, has_tag)| !has_tag)?;
    let stop = text.at(end).filter(|c| c.is(b'.'))?;
    text.at(stop.next).filter(Char::is_digit).map(|_| b"10".len() + stop.next)
}

/// Returns the repair of the anchor at the start of `after`, if it is damaged.
pub(super) fn repair(after: &[u8]) -> Option<Repair> {
    match after.get(2) {
        Some(b'.') => None,
        _ if is_damaged(after) => Some(Repair::Ocr),
        _ => divided(after).map(|_| Repair::ZeroWidth),
    }
}

/// Whether the anchor at the start of `after` is damaged.
fn is_damaged(after: &[u8]) -> bool {
    matches!(after, [_, _, b',' | b':' | b';' | b' ' | b'\n', ..] | [_, _, 0xef, 0xbc, ..])
}

/// Whether `rest`, after the digits of a registrant, may begin with a misread byte.
#[inline]
pub(super) fn may_correct(rest: &[u8]) -> bool {
    matches!(rest.first(), Some(b'l' | b'L' | b'i' | b'I' | b'|' | b'o' | b'O' | b':'))
}

/// Returns the correction of the byte after `digits` bytes of a registrant, which is a misread digit
/// or a colon in place of the slash.
#[cold]
pub(super) fn correction(
    before: &[u8],
    after: &[u8],
    anchor: usize,
    digits: usize,
) -> Option<Edit> {
    let at = anchor + digits;
    let rest = after.get(at..)?;
    let more = rest.iter().take(6).take_while(|byte| digit(**byte).is_some()).count();
    let with = match rest {
        [b':', next, ..] if next.is_ascii_alphanumeric() => b'/',
        [byte, ..] if rest[more..].starts_with(b"/") => digit(*byte)?,
        _ => return None,
    };
    (DIGITS.contains(&(digits + more)) && is_announced(before))
        .then(|| Edit::replace(at..at + 1, with))
}

/// Returns the digit that `byte` stands for in a registrant.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte),
        b'l' | b'L' | b'i' | b'I' | b'|' => Some(b'1'),
        b'o' | b'O' => Some(b'0'),
        _ => None,
    }
}

/// Whether the comma at `at` of `after` is a misread full stop within the `name` read up to there:
/// `10.2967/JNUMED.118,213223`, `10.1212/WNL,0b013e3182887944`. The name is unfinished or has only
/// letters, or its anchor has the same damage. Of 580,368 names, two contain a comma, and 83 have only
/// letters, half of which are tests and stems.
#[cold]
pub(super) fn is_full_stop(
    (before, after): (&[u8], &[u8]),
    at: usize,
    name: &[u8],
    start: usize,
    model: Option<&Model>,
) -> bool {
    let rest = &after[at + 1..];
    let is_word = || name[start..].iter().all(u8::is_ascii_alphabetic) && rest[0].is_ascii_digit();
    let is_open =
        || is_word() || model.is_some_and(|model| learned::is_unfinished(model, name, start));
    // The year in the next column of a table: `10.1000/abc,2020`.
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let goes_on =
        matches!(rest[digits..], [b'.' | b'-' | b'/', next, ..] if next.is_ascii_alphanumeric());
    let is_column = (1..5).contains(&digits)
        && !goes_on
        && !rest.get(digits).is_some_and(u8::is_ascii_alphanumeric);
    // Words follow the comma of a sentence: `10.1103/yzfd-jqvx,see`.
    let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let has_parts = letters == 0
        || matches!(rest[letters..], [b'.' | b',' | b'0'..=b'9', next, ..] if next.is_ascii_alphanumeric());
    rest.first().is_some_and(u8::is_ascii_alphanumeric)
        && has_parts
        && !is_column
        && name.len() > start
        && !glued::begins_another(rest)
        && (is_damaged(after) || is_open())
        && announcement(before).is_some()
}

/// Maximum number of bytes of an address before a name.
const MAX_ADDRESS: usize = 48;

/// Whether a label or an address at the end of `before` begins a word, or a bracket or a full stop comes
/// before it. No name can then continue up to its end.
fn is_announced(before: &[u8]) -> bool {
    let quotes = ["(", "‘", "’", "“"];
    let before = before.strip_suffix(b"`").unwrap_or(before);
    marker::is_spaced(before)
        || announcement(before).is_some_and(|front| {
            let front =
                quotes.iter().find_map(|mark| front.strip_suffix(mark.as_bytes())).unwrap_or(front);
            match front.last() {
                None | Some(b'>') => true,
                Some(b'.' | b')' | b']' | b',') => ends_plain_word(front),
                Some(byte) => byte.is_ascii_whitespace(),
            }
        })
}

/// Whether the word at the end of `text` is short and can hold no name.
fn ends_plain_word(text: &[u8]) -> bool {
    let len = text.iter().rev().take_while(|b| !b.is_ascii_whitespace()).count();
    len < MAX_ADDRESS && memchr::memmem::find(&text[text.len() - len..], b"10").is_none()
}

/// Returns `before` without the label or the address of a resolver, perhaps misread, at its end: `doi:`,
/// `DOL: `, `htps:/idoi.org/`.
fn announcement(before: &[u8]) -> Option<&[u8]> {
    let text = before.trim_ascii_end();
    let blanks = before.len() - text.len();
    let word = match text.ends_with(b"/") {
        true => {
            let run = text.iter().rev().take(MAX_ADDRESS).take_while(|b| b.is_ascii_graphic());
            let run = text.len() - run.count();
            // The address may be glued to another name.
            let is_alone = memchr::memmem::find(&text[run..], b"10").is_none();
            strip_last(text, b"oi.org/").filter(|_| is_alone).map(|_| &text[..run])
        }
        false => {
            let word = text.strip_suffix(b":").or_else(|| text.strip_suffix(b";"));
            let has_colon = word.is_some();
            let word = word.unwrap_or(text).trim_ascii_end();
            // `dot` alone is a word of the text.
            let label = || {
                let mut rows = MISREAD_LABELS.iter();
                let found = rows.find_map(|row| strip_last(word, row.text.as_bytes()));
                found.filter(|_| has_colon || word.ends_with(b"!"))
            };
            strip_last(word, b"doi").or_else(label).filter(|_| has_colon || blanks > 0)
        }
    };
    word.filter(|_| blanks <= 2)
}

#[cfg(test)]
mod tests {
    use crate::scan::{Match, Notation, Options, Repair, Scanner, Sink};

    #[derive(Default)]
    struct Found(Vec<(String, usize, bool)>);

    impl Sink for Found {
        fn accept(&mut self, found: &Match<'_>) {
            let name = String::from_utf8_lossy(found.doi).into_owned();
            self.0.push((name, found.end, found.repairs.contains(Repair::Ocr)));
        }

        fn reject(&mut self, _: usize, _: crate::doi::Reason) {}
    }

    #[test]
    fn prefixes() {
        for (text, expected) in [
            ("doi:10,1016/j.cell.2009.01.042.", "10.1016/J.CELL.2009.01.042"),
            ("see doi: 10,1016/j.cell.2009.01.042, and", "10.1016/J.CELL.2009.01.042"),
            ("DOI 10:1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("doi:10;1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("doi: 10 .1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("doi: 10 . 1016 /j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("23-31.doi:10 .1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("(2012)doi :10 .1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("10)doi:10 .1016/j.cell.2009.01.042", ""),
            ("doi:10 .\n1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("doi:10 .1145/122344 . 12. Smith", "10.1145/122344"),
            ("hups://doi.org/10,1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("http : //dx.doi.org/10,1016/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("(htps:/idoi.org/10,1016/j.cell.2009.01.042)", "10.1016/J.CELL.2009.01.042"),
            ("https://doi.org/10.107L/fp16418,", "10.1071/FP16418"),
            ("https://doi.org/10.11L1/NICC.13048", "10.1111/NICC.13048"),
            ("https://doi.org/10,l1I1/NICC.13048", ""),
            ("doi:10.1O16/j.cell.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("doi:10.1152:japplphysiol.00661.2012", "10.1152/JAPPLPHYSIOL.00661.2012"),
            ("doi:10,2967/JNUMED.118,213223,", "10.2967/JNUMED.118.213223"),
            ("doi:10.1074/jbc.270,1.33 and", "10.1074/JBC.270.1.33"),
            ("‘nutps:/idoi.org/10,1002/pssb.200301861.", "10.1002/PSSB.200301861"),
            ("doi:10.1212/wnl,0b013e3182887944,", "10.1212/WNL.0B013E3182887944"),
            ("see 10,1016/j.cell.2009.01.042", ""),
            ("see (10,1016/j.cell.2009.01.042)", ""),
            ("see 10.107L/fp16418", ""),
            ("see 10.1152:japplphysiol.00661.2012", ""),
            ("the dot 10,1016/2", ""),
            ("xdoi:10,1016/j.cell", ""),
            ("hups://10%2E1000/a_doi.org/10,1016/j.cell", ""),
            ("doi:10,101/j.cell", ""),
            ("doi:10,101666/j.cell", ""),
            ("doi: 10,1016 and", ""),
            ("doi: 10:30/12", ""),
            ("example.org/10,1016/j.cell", ""),
            ("\"DOI\":\"10,1016/j.cell\"", ""),
        ] {
            let mut found = Found::default();
            let bytes = text.as_bytes();
            let mut scanner = Scanner::new(Options::default());
            scanner.scan(bytes, 0..bytes.len(), Notation::Unknown, &mut found);
            let names: Vec<_> = found.0.iter().map(|(name, ..)| name.as_str()).collect();
            assert_eq!(names.join(" "), expected, "{text}");
            assert!(found.0.iter().all(|(.., is_misread)| *is_misread), "{text}");
            let ends: Vec<_> = found.0.iter().map(|(_, end, _)| *end).collect();
            let last = text.trim_end_matches(['.', ',', ')']);
            let last = last.split(", and").next().unwrap().trim_end_matches(" and");
            let last = last.trim_end_matches(" . 12. Smith");
            assert!(ends.iter().all(|end| *end == last.len()), "{text} {ends:?}");
        }
    }

    #[test]
    fn a_name_does_not_continue_over_a_misread_prefix() {
        for rest in ["dot:10.1O16/(01)", "dot:10,1016/(01)", "dot:10.1016:x12345"] {
            let text = format!("x@10.1002/\n{rest} ");
            let names = Scanner::new(Options::default()).names(text.as_bytes(), Notation::Unknown);
            assert!(names.len() == 1 && names[0].starts_with("10.1016/"), "{text} {names:?}");
        }
    }

    #[test]
    fn strict_mode_and_tables_have_none() {
        for (options, notation) in [
            (Options::default().with_strict(true), Notation::Unknown),
            (Options::default(), Notation::Csv(b';')),
            (Options::default(), Notation::Marc),
        ] {
            let text = "doi:10,1016/j.cell.2009.01.042 doi:10.11L1/NICC.13048";
            let names = Scanner::new(options).names(text.as_bytes(), notation);
            assert!(names.is_empty(), "{notation:?} {names:?}");
        }
    }
}
