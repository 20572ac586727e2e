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
        }
    }
}
