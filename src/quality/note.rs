//! What is worth knowing of a value besides whether it is valid.

use crate::doi::Doi;

/// What is worth knowing of a value besides whether it is valid. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Note {
    /// The suffix begins with one character and a slash (Z39.84-2005, 4.3).
    ReservedSuffix,
    /// An EIDR with a wrong check character.
    EidrCheck,
    /// The registrant has two or three digits.
    ShortRegistrant,
    /// The DOI is not the value as it stands but the likely name.
    Repaired,
    /// Octets of it were percent-encoded.
    PercentEncoded,
    /// The value holds a shortDOI, which only its service can expand.
    ShortDoi,
    /// The name of a licence for text mining, not of a work.
    Licence,
    /// The suffix holds a space, which Z39.84 allows and no known name has.
    Space,
    /// A query after the name in an address was dropped.
    Query,
    /// A fragment after the name in an address was dropped.
    Fragment,
    /// A DOI under a prefix of EIDR that does not have the shape of an EIDR.
    EidrShape,
    /// An EIDR without its hyphens, which are required; the DOI has them.
    EidrHyphens,
    /// The value holds several DOIs.
    SeveralDois,
}

impl Note {
    /// Every note, in the order of its discriminant.
    pub const ALL: [Note; 13] = [
        Note::ReservedSuffix,
        Note::EidrCheck,
        Note::ShortRegistrant,
        Note::Repaired,
        Note::PercentEncoded,
        Note::ShortDoi,
        Note::Licence,
        Note::Space,
        Note::Query,
        Note::Fragment,
        Note::EidrShape,
        Note::EidrHyphens,
        Note::SeveralDois,
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
            Note::Space => "space",
            Note::Query => "query",
            Note::Fragment => "fragment",
            Note::EidrShape => "eidr-shape",
            Note::EidrHyphens => "eidr-hyphens",
            Note::SeveralDois => "several-dois",
        }
    }

    /// The note of that name.
    pub fn named(name: &str) -> Option<Note> {
        Note::ALL.into_iter().find(|note| note.name() == name)
    }
}

/// The notes on one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(u16);

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

    pub(super) fn set(&mut self, note: Note, is_so: bool) {
        let bit = 1 << note as u8;
        self.0 = if is_so { self.0 | bit } else { self.0 & !bit };
    }

    /// Sets what there is to say of `doi`, whatever value it was found in.
    pub(super) fn of(&mut self, doi: &Doi<'_>) {
        self.set(Note::ReservedSuffix, doi.is_reserved());
        self.set(Note::ShortRegistrant, doi.is_short());
        self.set(Note::Space, doi.has_space());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
