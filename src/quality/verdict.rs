//! What is to be said of one value that should be a DOI.

use crate::doi::eidr::{Check, Eidr, check_of};
use crate::doi::{Doi, Invalid, Part, Reader, fold};
use crate::scan::short::ShortDois;
use crate::scan::{Cleaner, is_licence};

/// What is worth knowing of a value besides whether it is valid. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Note {
    /// The suffix begins with one character and a slash (Z39.84-2005, 4.3).
    ReservedSuffix,
    /// An EIDR whose check character is another one.
    EidrCheck,
    /// The registrant has two or three digits.
    ShortRegistrant,
    /// The name is not the one that stands there, but the one that was meant.
    Repaired,
    /// Octets of it were percent-encoded.
    PercentEncoded,
    /// The value holds a shortDOI, which only the service behind it can expand.
    ShortDoi,
    /// The name of a licence for text mining, not of a work.
    Licence,
}

impl Note {
    /// Every note, in the order of its discriminant.
    pub const ALL: [Note; 7] = [
        Note::ReservedSuffix,
        Note::EidrCheck,
        Note::ShortRegistrant,
        Note::Repaired,
        Note::PercentEncoded,
        Note::ShortDoi,
        Note::Licence,
    ];

    /// The stable name, such as `reserved-suffix`.
    pub const fn name(self) -> &'static str {
        match self {
            Note::ReservedSuffix => "reserved-suffix",
            Note::EidrCheck => "eidr-check",
            Note::ShortRegistrant => "short-registrant",
            Note::Repaired => "repaired",
            Note::PercentEncoded => "percent-encoded",
            Note::ShortDoi => "short-doi",
            Note::Licence => "licence",
        }
    }
}

/// The notes on one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(u8);

impl Notes {
    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `note` is among them.
    pub fn contains(self, note: Note) -> bool {
        self.0 & (1 << note as u8) != 0
    }

    /// The notes, in the order of [`Note::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Note> {
        Note::ALL.into_iter().filter(move |&note| self.contains(note))
    }

    fn set(&mut self, note: Note, is_so: bool) {
        self.0 |= u8::from(is_so) << note as u8;
    }

    /// Sets what there is to say of `doi`, whatever value it was found in.
    fn of(&mut self, doi: &Doi<'_>) {
        self.set(Note::ReservedSuffix, doi.is_reserved());
        self.set(Note::ShortRegistrant, doi.is_short());
    }
}

/// The judgement of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict<'a> {
    /// The canonical name: of a valid value, or of the one name that an invalid one holds.
    pub doi: Option<&'a [u8]>,
    /// Why the value is no DOI. None when it is valid.
    pub reason: Option<Invalid>,
    /// What else there is to know.
    pub notes: Notes,
}

impl Verdict<'_> {
    /// Whether the value is a DOI in one of the notations of presentation.
    pub fn is_valid(&self) -> bool {
        self.reason.is_none()
    }
}

/// Judges values. Holds scratch space alone.
#[derive(Debug)]
pub struct Judge {
    is_strict: bool,
    reader: Reader,
    cleaner: Cleaner,
    short: ShortDois,
    name: Vec<u8>,
}

impl Judge {
    /// A judge who, when strict, repairs nothing and takes the standards by their letter.
    pub fn new(is_strict: bool) -> Self {
        let reader = if is_strict { Reader::strict() } else { Reader::default() };
        let (cleaner, short) = (Cleaner::default(), ShortDois::default());
        Judge { is_strict, reader, cleaner, short, name: Vec::new() }
    }

    /// Judges a whole value by Z39.84-2005, behind the notations that [`Reader::read`] knows.
    ///
    /// Unless strict, a valid name loses what no name ends in (a full stop, the segment of a
    /// publisher's page), and the one name within an invalid value is found: both are noted as
    /// [`Note::Repaired`], and neither changes whether the value as it stands is valid.
    ///
    /// ```
    /// use doiscan::quality::{Judge, Note};
    ///
    /// let mut judge = Judge::new(false);
    /// let verdict = judge.judge(b"doi:10.1000/abc.");
    /// assert!(verdict.is_valid() && verdict.notes.contains(Note::Repaired));
    /// assert_eq!(verdict.doi, Some(&b"10.1000/ABC"[..]));
    ///
    /// let verdict = judge.judge(b"see 10.1000/abc");
    /// let reason = verdict.reason.unwrap().to_string();
    /// assert_eq!(reason, "directory: expected \"10.\", found \"s\" at byte 1");
    /// assert_eq!(verdict.doi, Some(&b"10.1000/ABC"[..]));
    /// ```
    pub fn judge(&mut self, value: &[u8]) -> Verdict<'_> {
        let mut notes = Notes::default();
        let reason = self.read(value, &mut notes).err();
        let mut is_name = reason.is_none();
        if !self.is_strict {
            let is_repaired = match &reason {
                None => self.cleaner.tidy(value, &mut self.name),
                Some(error) => self.recover(value, error, &mut notes),
            };
            is_name |= is_repaired;
            if is_repaired {
                notes.set(Note::Repaired, true);
                // What the scanner finds is a DOI.
                let _ = Doi::parse(&self.name).map(|doi| notes.of(&doi));
            }
        }
        if is_name {
            notes.set(Note::Licence, is_licence(&self.name));
            let is_wrong = matches!(check_of(&self.name), Check::Wrong { .. });
            notes.set(Note::EidrCheck, is_wrong);
        } else {
            let short = &self.short;
            short.each(value, 0..value.len(), |_| notes.set(Note::ShortDoi, true));
        }
        Verdict { doi: is_name.then_some(self.name.as_slice()), reason, notes }
    }

    /// Reads `value` into the canonical name.
    fn read(&mut self, value: &[u8], notes: &mut Notes) -> Result<(), Invalid> {
        self.name.clear();
        let reading = match self.reader.read(value) {
            Ok(reading) => reading,
            Err(error) => return self.read_urn(value).ok_or(error),
        };
        notes.of(&reading.doi);
        notes.set(Note::PercentEncoded, reading.is_encoded);
        self.name.extend_from_slice(reading.doi.as_str().as_bytes());
        fold(&mut self.name);
        Ok(())
    }

    /// Reads a URN that only an EIDR has, such as `urn:SCHEME:eidr-s:7791-…`, into the
    /// canonical name.
    fn read_urn(&mut self, value: &[u8]) -> Option<()> {
        let is_urn = value.get(..4)?.eq_ignore_ascii_case(b"urn:");
        let eidr = is_urn.then(|| Eidr::parse(value).ok()).flatten()?;
        self.name.extend_from_slice(eidr.name().as_bytes());
        Some(())
    }

    /// Finds what an invalid value was meant to be: what is valid but for blanks around it,
    /// or the one name within it.
    fn recover(&mut self, value: &[u8], error: &Invalid, notes: &mut Notes) -> bool {
        let trimmed = trim(value);
        if trimmed.len() < value.len() && self.read(trimmed, notes).is_ok() {
            self.cleaner.tidy(trimmed, &mut self.name);
            return true;
        }
        // What was meant to be part of the name: cut there, it would be another name.
        let goes_on = error.part == Part::Suffix
            && (value.get(error.at) == Some(&b'%') || is_torn(value, error.at));
        !goes_on && self.cleaner.find(value, &mut self.name)
    }
}

/// Whether the blank at the offset `at` tears a name: it stands before a digit, a mark that
/// begins no word or a number in brackets that goes on, or behind a mark that ends none.
/// `10.1016/S0140-6736 (05)12345-6` and `10.1371/journal. pone.0000001` would be cut to the
/// names of journals.
fn is_torn(value: &[u8], at: usize) -> bool {
    let rest = str::from_utf8(&value[at..]).unwrap_or_default();
    let behind = rest.trim_start().as_bytes();
    let is_next = behind.is_empty() || behind.starts_with(b"10.");
    if is_next || behind.len() == rest.len() {
        return false;
    }
    let goes_on = match *behind {
        [b'(', ref number @ ..] => {
            let digits = number.iter().take_while(|b| b.is_ascii_digit()).count();
            digits > 0
                && matches!(number[digits..], [b')', next, ..] if next.is_ascii_alphanumeric())
        }
        [b'-' | b'/' | b'_' | b'.' | b':', next, ..] => next.is_ascii_alphanumeric(),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    goes_on
        || match value[..at] {
            [.., b'-' | b'/' | b'_' | b'(' | b'<'] => true,
            [.., b'.'] => behind[0].is_ascii_lowercase(),
            _ => false,
        }
}

/// `value` without white space, byte order marks and encoded blanks around it.
fn trim(value: &[u8]) -> &[u8] {
    let Ok(text) = str::from_utf8(value) else { return value.trim_ascii() };
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    text.trim_end_matches("%20").as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doi::is_canonical;
    use proptest::prelude::*;

    fn verdict(value: &str, is_strict: bool) -> (bool, Option<String>, Vec<&'static str>) {
        let mut judge = Judge::new(is_strict);
        let verdict = judge.judge(value.as_bytes());
        let doi = verdict.doi.map(|name| String::from_utf8(name.to_vec()).unwrap());
        (verdict.is_valid(), doi, verdict.notes.iter().map(Note::name).collect())
    }

    #[test]
    fn values() {
        for (value, valid, doi, notes) in [
            ("10.1000/abc", true, "10.1000/ABC", &[][..]),
            (
                "10.1001/PUBS.JAMA(278)3,JOC7055-ABSY:",
                true,
                "10.1001/PUBS.JAMA(278)3,JOC7055-ABSY:",
                &[],
            ),
            ("https://doi.org/10.1000%2Fa", true, "10.1000/A", &["percent-encoded"]),
            ("10.054/1418", true, "10.054/1418", &["short-registrant"]),
            ("10.1000/a/b", true, "10.1000/A/B", &["reserved-suffix"]),
            ("10.1000/abc.", true, "10.1000/ABC", &["repaired"]),
            ("10.1000/abc/", true, "10.1000/ABC/", &[]),
            ("10.1002/tdm_license_1.1", true, "10.1002/TDM_LICENSE_1.1", &["licence"]),
            (" 10.1000/abc ", false, "10.1000/ABC", &["repaired"]),
            (" 10.1000/a&b. ", false, "10.1000/A&B", &["repaired"]),
            ("\u{feff}10.1000/a&b=c", false, "10.1000/A&B=C", &["repaired"]),
            ("\u{a0}10.1000/abc+", false, "10.1000/ABC+", &["repaired"]),
            ("(see 10.1000/abc)", false, "10.1000/ABC", &["repaired"]),
            ("see 10.1000/a/b", false, "10.1000/A/B", &["reserved-suffix", "repaired"]),
            ("(doi:10.123/abc)", false, "10.123/ABC", &["short-registrant", "repaired"]),
            ("10.1000/.", true, "10.1000/.", &[]),
            ("10.1000/abc%20", false, "10.1000/ABC", &["repaired"]),
            ("10.1000/ab%20c", false, "", &[]),
            ("10.1000/a b 10.1000/c", false, "", &[]),
            ("10/f77", false, "", &["short-doi"]),
            ("https://doi.org/d8dn", false, "", &["short-doi"]),
            ("10.5240/7791-8534-2C23-9030-8610-5", true, "10.5240/7791-8534-2C23-9030-8610-5", &[]),
            (
                "10.5240/7791-8534-2C23-9030-8610-6",
                true,
                "10.5240/7791-8534-2C23-9030-8610-6",
                &["eidr-check"],
            ),
            (
                "urn:eidr:10.5240:7791-8534-2C23-9030-8610-5",
                true,
                "10.5240/7791-8534-2C23-9030-8610-5",
                &[],
            ),
            (
                "urn:x1:eidr-s:7791-8534-2C23-9030-8610-5",
                true,
                "10.5240/7791-8534-2C23-9030-8610-5",
                &[],
            ),
            ("eidr-s:7791-8534-2C23-9030-8610-5", false, "", &[]),
            ("10.1000", false, "", &[]),
            ("", false, "", &[]),
        ] {
            let doi = (!doi.is_empty()).then(|| doi.to_owned());
            assert_eq!(verdict(value, false), (valid, doi, notes.to_vec()), "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

        #[test]
        fn every_name_is_a_canonical_doi(
            parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..8),
            is_strict: bool,
        ) {
            let value = parts.concat();
            let mut judge = Judge::new(is_strict);
            let verdict = judge.judge(value.as_bytes());
            prop_assert!(!verdict.is_valid() || verdict.doi.is_some());
            prop_assert!(!is_strict || verdict.is_valid() || verdict.doi.is_none());
            if let Some(name) = verdict.doi {
                prop_assert!(Doi::parse(name).is_ok() && is_canonical(name), "{:?}", verdict);
            }
        }
    }

    /// What values are made of.
    const PARTS: [&str; 40] = [
        "10.1000/",
        "10.1000",
        "/",
        "a",
        "bc",
        "10.12/",
        "10.5240/",
        "7791-8534-2C23-9030-8610-5",
        ".",
        ",",
        ";",
        ":",
        ")",
        "(",
        "]",
        "<",
        ">",
        "&lt;",
        "&amp;",
        "&",
        "\\",
        "\\_",
        "%2F",
        "%2",
        "%20",
        "%",
        " ",
        "\u{a0}",
        "\u{200b}",
        "\u{e9}",
        "\u{2013}",
        "?",
        "#",
        "doi:",
        "urn:doi:",
        "https://doi.org/",
        "/full",
        "/-/dcsupplemental",
        ";jsessionid",
        "<br/>",
    ];

    #[test]
    fn strict_repairs_nothing() {
        for (value, valid, doi, notes) in [
            ("10.1000/abc.", true, "10.1000/ABC.", &[][..]),
            ("10.1000/a/b", false, "", &[]),
            (" 10.1000/abc", false, "", &[]),
            ("10.1000/abc%", false, "", &[]),
        ] {
            let doi = (!doi.is_empty()).then(|| doi.to_owned());
            assert_eq!(verdict(value, true), (valid, doi, notes.to_vec()), "{value}");
        }
    }

    #[test]
    fn a_name_with_a_blank_in_it_is_not_cut() {
        for (value, doi) in [
            ("10.1016/S0140-6736 (05)12345-6", None),
            ("10.1016/S0140- 6736(05)12345-6", None),
            ("https://doi.org/10.1016/S0140-6736(05) 12345-6", None),
            ("10.1371/journal. pone.0000001", None),
            ("10.1371/journal.pone\u{a0}.0000001", None),
            ("10.1371/journal.pone\u{2003}0000001", None),
            ("10.1371/journal.pone. 0000001", None),
            ("10.1000/ 182", None),
            ("10.1000/182 _3", None),
            ("10.1000/182 [CrossRef]", Some("10.1000/182")),
            ("10.1000/182 (2010)", Some("10.1000/182")),
            ("10.1000/182 (in press)", Some("10.1000/182")),
            ("10.1000/182. Accessed 2010", Some("10.1000/182")),
            ("10.1000/182 pmid:1", Some("10.1000/182")),
            ("10.1000/182, 10.1000/182", Some("10.1000/182")),
            ("10.1000/182 10.1000/183", None),
            ("10.1000/182 - title", Some("10.1000/182")),
            ("10.1000/182 / 183", Some("10.1000/182")),
            ("10.1000/182  ", Some("10.1000/182")),
        ] {
            assert_eq!(verdict(value, false).1.as_deref(), doi, "{value}");
        }
    }

    #[test]
    fn notes_are_listed_in_their_order() {
        let mut notes = Notes::default();
        assert!(notes.is_empty());
        notes.set(Note::Licence, true);
        notes.set(Note::Repaired, true);
        notes.set(Note::ShortDoi, false);
        assert!(notes.iter().eq([Note::Repaired, Note::Licence]) && !notes.is_empty());
    }
}
