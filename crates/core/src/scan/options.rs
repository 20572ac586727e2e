//! Options: which names are accepted, and the notation of the input.

use super::repair::Joining;
use crate::names::Model;
use alloc::sync::Arc;

/// Maximum number of bytes before a candidate that can affect the result.
pub const LOOKBEHIND: usize = 256;

/// The notation of an input, if known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Notation {
    /// Unknown. Only the bytes near a candidate decide.
    #[default]
    Unknown,
    /// Records whose cells are separated by this delimiter.
    Csv(u8),
    /// One name per line, as `doiscan` writes lists. Each line is a complete name.
    List,
    /// Library records: MARC 21 and its relatives. The next subfield ends a name.
    Marc,
}

/// Which names are accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Maximum length in bytes of an accepted name. The standard sets no limit; the longest of 1.34
    /// million real names has 91 bytes.
    pub max_length: usize,
    /// Repair nothing, and reject the suffixes that Z39.84 reserves.
    pub strict: bool,
    /// Whether a name may continue after a line end.
    pub joining: Joining,
    /// A model of names, which then decides where names end in running text. Strict mode does not ask it.
    pub names: Option<Arc<Model>>,
    /// Whether a registrant of two or three digits is accepted where the name fills its field.
    pub(super) are_short_accepted: bool,
}

/// Returns `options` for the cells of a column of DOIs. A scan of other texts rejects `10.12/abc`, because most names of this
/// form name no work.
pub fn of_doi_columns(options: &Options) -> Options {
    Options { are_short_accepted: true, ..options.clone() }
}

impl Options {
    /// Maximum value of [`Options::max_length`]. Larger values are reduced to it.
    pub const LONGEST: usize = 1024 * 1024;

    /// Returns the options with this [`max_length`](Options::max_length).
    #[must_use]
    pub fn with_max_length(self, max_length: usize) -> Options {
        Options { max_length, ..self }
    }

    /// Returns the options with this value of [`strict`](Options::strict).
    #[must_use]
    pub fn with_strict(self, strict: bool) -> Options {
        Options { strict, ..self }
    }

    /// Returns the options with this [`joining`](field@Options::joining).
    #[must_use]
    pub fn with_joining(self, joining: Joining) -> Options {
        Options { joining, ..self }
    }

    /// Returns the options with this value of [`names`](field@Options::names).
    #[must_use]
    pub fn with_names(self, names: Option<Arc<Model>>) -> Options {
        Options { names, ..self }
    }

    /// Limits the length, so that calculations with it cannot overflow.
    pub fn bounded(self) -> Self {
        Options { max_length: self.max_length.min(Options::LONGEST), ..self }
    }
}

impl Options {
    /// Returns when to join names. Strict mode never does, because joining is a repair.
    pub(super) fn joining(&self) -> Joining {
        if self.strict { Joining::Never } else { self.joining }
    }

    /// Returns the model that decides where names end.
    pub(super) fn model(&self) -> Option<&Model> {
        self.names.as_deref().filter(|_| !self.strict)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_length: 2048,
            strict: false,
            joining: Joining::Auto,
            names: crate::names::built_in().ok(),
            are_short_accepted: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{OwnedMatch, Scanner, naive};
    use alloc::collections::VecDeque;
    use alloc::string::String;
    use alloc::vec::Vec;

    #[test]
    fn a_short_name_fills_its_cell() {
        let options = of_doi_columns(&Options::default());
        for (text, expected) in [
            ("10.12/abc", Some("10.12/ABC")),
            ("1,10.12/abc,2", Some("10.12/ABC")),
            ("1\n10.12/abc \r\n2", Some("10.12/ABC")),
            ("1,\"10.12/a,b\",2", Some("10.12/A,B")),
            ("\"10.12%2Fa\"\n", Some("10.12/A")),
            ("10.1/abc", None),
            ("10.12/abc.", Some("10.12/ABC")),
            ("10.12/.", None),
            ("10.1000/a", Some("10.1000/A")),
            ("see 10.12/abc", None),
            ("10.12/abc x", None),
            ("\"10.12/a", None),
        ] {
            let mut found = VecDeque::<OwnedMatch>::new();
            let (bytes, notation) = (text.as_bytes(), Notation::Csv(b','));
            naive::scan(bytes, 0..bytes.len(), notation, &options, &mut found);
            let naive: Vec<String> = found.into_iter().map(|found| found.doi).collect();
            let names = Scanner::new(options.clone()).names(bytes, notation);
            assert_eq!(names, Vec::from_iter(expected), "{text}");
            assert_eq!(names, naive, "{text}");
        }
    }
}
