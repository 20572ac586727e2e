//! Which names are accepted, and in what they are looked for.

use super::repair::Joining;

/// Bytes in front of a candidate that may decide about it.
pub const LOOKBEHIND: usize = 256;

/// The notation a file is written in, where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Notation {
    /// Unknown: only the bytes near a candidate decide.
    #[default]
    Unknown,
    /// Records of cells with this delimiter between them.
    Csv(u8),
    /// One name a line, as `doiscan` writes it: each line is a name as it stands.
    List,
}

/// Which names are accepted.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest name in bytes that is accepted. The standard has no limit; the
    /// longest of 1.34 million real names has 91 bytes.
    pub max_length: usize,
    /// Undo no damage, and refuse the suffixes that Z39.84 reserves.
    pub strict: bool,
    /// Whether a name goes on after the end of a line.
    pub joining: Joining,
}

impl Options {
    /// The most that [`Options::max_length`] can be; more counts as this.
    pub const LONGEST: usize = 1024 * 1024;

    /// These options with a length that leaves room for arithmetic.
    pub(crate) fn bounded(self) -> Self {
        Options { max_length: self.max_length.min(Options::LONGEST), ..self }
    }
}

impl Options {
    /// Whether names are joined, which is a repair.
    pub(super) fn joining(&self) -> Joining {
        if self.strict { Joining::Never } else { self.joining }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options { max_length: 2048, strict: false, joining: Joining::Auto }
    }
}
