//! Notes on a value: facts worth knowing besides its validity.

use crate::doi::Doi;
use crate::scan::{ends_in_page, is_dash};

crate::named! {
    /// A fact worth knowing about a value besides its validity. The names are stable.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Note {
        /// The suffix begins with one character and a slash (Z39.84-2005, 4.3).
        ReservedSuffix = "reserved-suffix",
        /// An EIDR with a wrong check character.
        EidrCheck = "eidr-check",
        /// The registrant has two or three digits.
        ShortRegistrant = "short-registrant",
        /// The verdict's DOI is not the value as written but the likely name.
        Repaired = "repaired",
        /// The value contains percent-encoded octets.
        PercentEncoded = "percent-encoded",
        /// The value contains a shortDOI, which only its service can expand.
        ShortDoi = "short-doi",
        /// The DOI names a text-mining licence, not a work.
        Licence = "licence",
        /// The suffix contains a space, which Z39.84 allows but no known name has.
        Space = "space",
        /// A query after the name in an address was dropped.
        Query = "query",
        /// A fragment after the name in an address was dropped.
        Fragment = "fragment",
        /// A DOI under a prefix of EIDR that does not have the form of an EIDR.
        EidrShape = "eidr-shape",
        /// An EIDR written without its required hyphens. The verdict's DOI has them.
        EidrHyphens = "eidr-hyphens",
        /// The value contains several DOIs.
        SeveralDois = "several-dois",
        /// The suffix as written contains a dash, which stands for a hyphen.
        Dash = "dash",
        /// The suffix ends like the query, the fragment or the last segment of an address.
        AddressTail = "address-tail",
        /// A scan rejects such a cell: the DOI is the beginning of others, a pattern, or the volume and the years
        /// of a journal. Or the DOI is an ISSN, a year and a number alone, with which other names begin.
        Doubtful = "doubtful",
        /// The prefix is one of those for tests and examples: 10.5555 of Crossref, 10.5072 of DataCite.
        TestPrefix = "test-prefix",
    }
}

/// Begins of canonical names under the prefixes that Crossref and DataCite give for tests and examples.
const TESTS: [&[u8]; 2] = [b"10.5555/", b"10.5072/"];

/// Whether the canonical `name` is for tests and examples.
pub(super) fn is_test(name: &[u8]) -> bool {
    TESTS.iter().any(|start| name.starts_with(start))
}

impl Note {
    /// Returns the note with this name.
    pub fn named(name: &str) -> Option<Note> {
        Note::ALL.into_iter().find(|note| note.name() == name)
    }
}

/// The notes on one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(u32);

impl Notes {
    /// Whether there are no notes.
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

    pub(super) fn set(&mut self, note: Note, is_so: bool) {
        let bit = 1 << note as u8;
        self.0 = if is_so { self.0 | bit } else { self.0 & !bit };
    }

    /// Sets the notes that depend only on `doi`, not on the value it was found in.
    pub(super) fn of(&mut self, doi: &Doi<'_>) {
        self.set(Note::ReservedSuffix, doi.is_reserved());
        self.set(Note::ShortRegistrant, doi.is_short());
        self.set(Note::Space, doi.has_space());
        // A repair replaces it.
        let has_dash = doi.suffix().chars().any(|c| is_dash(c.into()));
        self.set(Note::Dash, has_dash || self.contains(Note::Dash));
        let start = doi.prefix().len() + 1;
        let has_page =
            doi.suffix().contains('/') && ends_in_page(doi.canonical().as_bytes(), start);
        self.set(Note::AddressTail, has_page || has_address_tail(doi.suffix().as_bytes()));
    }
}

/// Whether `suffix` ends like the query or the fragment of an address: `?via=ihub`, `&type=printable`, `#abstract`.
fn has_address_tail(suffix: &[u8]) -> bool {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let mut marks = (1..suffix.len()).filter(|&at| b"?&#".contains(&suffix[at]));
    marks.any(|at| {
        let word = suffix[at + 1..].iter().take_while(|b| is_word(b)).count();
        match suffix.get(at + 1 + word) {
            None => suffix[at] == b'#' && word > 1 && suffix[at + 1].is_ascii_alphabetic(),
            Some(&end) => suffix[at] != b'#' && word > 0 && end == b'=',
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_addresses_are_told() {
        for (suffix, expected) in [
            ("JOURNAL.PONE.0126092&TYPE=PRINTABLE", true),
            ("S1?VIA=IHUB", true),
            ("S1?UTM_SOURCE=X&Y=Z", true),
            ("S1#ABSTRACT", true),
            ("(SICI)1096-8644(199601)99:1<1::AID-AJPA1>3.0.CO;2-#", false),
            ("S1#", false),
            ("S1?", false),
            ("A&B", false),
            ("A?B", false),
            ("?A=B", false),
            ("A=B", false),
        ] {
            assert_eq!(has_address_tail(suffix.as_bytes()), expected, "{suffix}");
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
