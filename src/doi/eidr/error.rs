//! Why a value is no EIDR, and why an EIDR has no such form.

use super::{Form, SubPrefix};
use std::fmt;

/// Why a value is not read, and where. Offsets count from 0; the text counts bytes from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The shape is right and the check character is not.
    #[error("check character: expected \"{expected}\", found \"{found}\" at byte {}", at + 1)]
    Check {
        /// What it has to be, in upper case.
        expected: char,
        /// What it is, as written.
        found: char,
        /// Its offset.
        at: usize,
    },
    /// Something else was expected there.
    #[error("expected {expected} at byte {}, found {found}", at + 1)]
    Syntax {
        /// What was expected, in words.
        expected: &'static str,
        /// What stands there.
        found: Found,
        /// The offset.
        at: usize,
    },
    /// It could be an EIDR, but part of what tells which one was left away.
    #[error("{0}")]
    Missing(Missing),
    /// A binary form of a sub-prefix that is not known.
    #[error("expected the sub-prefix 5240 at byte {}, found {number}, which is unknown", at + 1)]
    UnknownSubPrefix {
        /// The number of the sub-prefix.
        number: u16,
        /// The offset of the number.
        at: usize,
    },
    /// A binary form of a sub-prefix whose suffixes have no such form.
    #[error("expected the sub-prefix 5240 at byte {}, found {}, whose suffixes have {} bits and not 80",
        at + 1, sub_prefix.number(), sub_prefix.digits() * 4)]
    NotContent {
        /// The sub-prefix.
        sub_prefix: SubPrefix,
        /// The offset of its number or name.
        at: usize,
    },
    /// A binary form of another length.
    #[error("expected 12 or 19 bytes, found {len}")]
    Length {
        /// Bytes there are.
        len: usize,
    },
}

impl Error {
    /// The same error in a value whose offsets are to be had by `place`.
    pub(super) fn placed(mut self, place: impl Fn(usize) -> usize) -> Self {
        match &mut self {
            Error::Check { at, .. }
            | Error::Syntax { at, .. }
            | Error::UnknownSubPrefix { at, .. }
            | Error::NotContent { at, .. } => *at = place(*at),
            Error::Missing(_) | Error::Length { .. } => {}
        }
        self
    }
}

/// The information that a value lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// A suffix alone.
    #[error("a bare suffix: the sub-prefix is missing, such as 10.5240")]
    SubPrefix,
    /// `eidr:`, `eidr-u:` or `eidr-s:` without what stands before it in a URN.
    #[error("the name of the URN scheme is missing: expected \"urn:SCHEME:\" before \"{0}\"")]
    Scheme(&'static str),
    /// A byte that leads to a sub-prefix, and a suffix.
    #[error(
        "a one-byte prefix index: the table that maps it to a sub-prefix is missing; expected the 16-bit sub-prefix"
    )]
    PrefixTable,
    /// A shortDOI, which only the service can resolve.
    #[error("a shortDOI: the name it stands for is missing; shortdoi.org has it")]
    ShortDoi,
}

/// What stands where something else was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// This byte.
    Byte(u8),
    /// Nothing: the value ends there.
    End,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Found::Byte(byte) if byte.is_ascii_graphic() => write!(f, "\"{}\"", char::from(byte)),
            Found::Byte(byte) => write!(f, "byte 0x{byte:02X}"),
            Found::End => f.write_str("the end"),
        }
    }
}

/// Why an EIDR cannot be written in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritable {
    /// The form stands for `10.5240` without saying so.
    #[error("{form}: the sub-prefix {sub_prefix} would be lost; the form implies 10.5240")]
    Lossy {
        /// The form.
        form: Form,
        /// The sub-prefix that it cannot show.
        sub_prefix: SubPrefix,
    },
    /// The form is defined for a suffix of 80 bits alone.
    #[error("{form}: expected a suffix of 80 bits, those of {sub_prefix} have {}", sub_prefix.digits() * 4)]
    Undefined {
        /// The form.
        form: Form,
        /// The sub-prefix that has no such form.
        sub_prefix: SubPrefix,
    },
    /// The form holds the name of a URN scheme, and none was given.
    #[error("{form}: the name of the URN scheme is missing")]
    NoScheme {
        /// The form.
        form: Form,
    },
}
