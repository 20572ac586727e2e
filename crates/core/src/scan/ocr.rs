//! Reads the full stop of a prefix that character recognition misreads or sets apart: `doi:10,1016/j.cell.2009.01.042`,
//! `hups://doi.org/10 .1016/j.cell.2009.01.042`.
//!
//! A prefix has only digits, a full stop and a slash, so what was printed is certain. Letters of a suffix are not
//! corrected: `SPLE` may be right. Nothing is read without a label or an address before it.

use super::{LOOKBEHIND, Repair, marker};
use crate::doi::notation::strip_last;

/// Returns the length of the damaged anchor at `start` of `text`: `10` and a mark or a full-width full stop in place of its
/// full stop, or a blank or a line end before it. A label or an address comes before it, a registrant after it.
#[cold]
pub(super) fn anchor(text: &[u8], start: usize) -> Option<usize> {
    let rest = &text[start..];
    let behind = rest.strip_prefix(b"10")?;
    let blank = usize::from(matches!(behind, [b' ', ..] | [b'\n', b'.', ..]));
    let (is_stop, behind) = match &behind[blank..] {
        [stop @ (b',' | b':' | b';' | b'.'), behind @ ..] => (*stop != b'.' || blank > 0, behind),
        behind => (true, behind.strip_prefix("\u{ff0e}".as_bytes())?),
    };
    let line = || behind.strip_prefix(b"\n").filter(|_| blank > 0);
    let behind = behind.strip_prefix(b" ").or_else(line).unwrap_or(behind);
    let digits = behind.iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    let is_prefix = match &behind[digits..] {
        [b'/', next, ..] | [b' ', b'/', next, ..] if next.is_ascii_graphic() => true,
        [b' ', b'/', b' ', next, ..] => blank > 0 && next.is_ascii_alphanumeric(),
        [b'/', b'\n', ..] | [b' ', b'/', b'\n', ..] => blank > 0,
        _ => false,
    };
    let is_anchor = is_stop && is_prefix && (4..=5).contains(&digits);
    let before = &text[start.saturating_sub(LOOKBEHIND)..start];
    (is_anchor && is_announced(before)).then_some(rest.len() - behind.len())
}

/// Returns the repair of the anchor at the start of `after`, if it is damaged.
pub(super) fn repair(after: &[u8]) -> Option<Repair> {
    matches!(after, [_, _, b',' | b':' | b';' | b' ' | b'\n', ..] | [_, _, 0xef, 0xbc, ..])
        .then_some(Repair::Ocr)
}

/// Maximum number of bytes of an address before a name.
const MAX_ADDRESS: usize = 48;

/// Whether `before` ends in a label or in the address of a resolver, perhaps misread: `doi:`, `htps:/idoi.org/`. The word before
/// the label, or of the address, is short and can hold no name that continues up to its end.
fn is_announced(before: &[u8]) -> bool {
    let before = before.strip_suffix(b"`").unwrap_or(before);
    let text = before.trim_ascii_end();
    let blanks = before.len() - text.len();
    let label = text.strip_suffix(b":").or_else(|| text.strip_suffix(b";"));
    let front = strip_last(label.unwrap_or(text).trim_ascii_end(), b"doi")
        .filter(|_| label.is_some() || blanks > 0);
    let is_address = || strip_last(text, b"oi.org/").is_some();
    let word = front.unwrap_or(text);
    let len = word.iter().rev().take_while(|b| !b.is_ascii_whitespace()).count();
    let word = &word[word.len() - len..];
    let is_apart = !word.last().is_some_and(u8::is_ascii_alphanumeric)
        && len < MAX_ADDRESS
        && memchr::memmem::find(word, b"10").is_none();
    marker::is_spaced(before) || blanks <= 2 && is_apart && (front.is_some() || is_address())
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
            ("‘nutps:/idoi.org/10,1002/pssb.200301861.", "10.1002/PSSB.200301861"),
            ("see 10,1016/j.cell.2009.01.042", ""),
            ("see (10,1016/j.cell.2009.01.042)", ""),
            ("the dot 10,1016/2", ""),
            ("xdoi:10,1016/j.cell", ""),
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
        {
            let rest = "doi:10,1016/(01)";
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
            let text = "doi:10,1016/j.cell.2009.01.042";
            let names = Scanner::new(options).names(text.as_bytes(), notation);
            assert!(names.is_empty(), "{notation:?} {names:?}");
        }
    }
}
