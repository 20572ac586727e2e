//! Errors of reading and writing EIDRs.

use super::{EidrForm, SubPrefix};
use core::fmt;

/// Why a value cannot be read, and where. Offsets count from 0; the message counts bytes from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The shape is right but the check character is wrong.
    #[error("check character: expected \"{expected}\", found \"{found}\" at byte {}", at + 1)]
    Check {
        /// The correct character, in upper case.
        expected: char,
        /// The character found, as written.
        found: char,
        /// Its offset.
        at: usize,
    },
    /// The syntax is wrong at this offset.
    #[error("expected {expected} at byte {}, found {found}", at + 1)]
    Syntax {
        /// Description of what was expected.
        expected: &'static str,
        /// What was found.
        found: ByteOrEnd,
        /// The offset.
        at: usize,
    },
    /// It may be an EIDR, but lacks information needed to identify it.
    #[error("{0}")]
    Missing(Missing),
    /// A binary form with an unknown sub-prefix.
    #[error("expected the sub-prefix 5240 at byte {}, found the unknown sub-prefix {number}", at + 1)]
    UnknownSubPrefix {
        /// The number of the sub-prefix.
        number: u16,
        /// The offset of the number.
        at: usize,
    },
    /// A binary form with a sub-prefix whose suffixes have no binary form.
    #[error("expected the sub-prefix 5240 at byte {}, found {}: its suffixes have {} bits, not 80",
        at + 1, sub_prefix.number(), sub_prefix.digits() * 4)]
    NotContent {
        /// The sub-prefix.
        sub_prefix: SubPrefix,
        /// The offset of its number or name.
        at: usize,
    },
    /// A binary form of the wrong length.
    #[error("expected 12 or 19 bytes, found {len}")]
    Length {
        /// The length found.
        len: usize,
    },
}

impl Error {
    /// Returns the error with its offsets mapped by `place`.
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

/// The information missing in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// The sub-prefix: the value is a bare suffix.
    #[error("expected a sub-prefix such as 10.5240 before the suffix")]
    SubPrefix,
    /// The scheme: the value begins with `eidr:`, `eidr-u:` or `eidr-s:` without the part that
    /// precedes it in a URN.
    #[error("expected \"urn:SCHEME:\" before \"{0}\": the URN scheme is missing")]
    Scheme(&'static str),
    /// The table of prefixes: the value is a one-byte index of a sub-prefix, and a suffix.
    #[error("expected a 16-bit sub-prefix, found a one-byte prefix index without its table")]
    PrefixTable,
    /// The name: the value is a shortDOI, which only its service can resolve.
    #[error("a shortDOI does not contain its DOI: look it up at shortdoi.org")]
    ShortDoi,
}

/// What was found where something else was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrEnd {
    /// This byte.
    Byte(u8),
    /// Nothing, because the value ends there.
    End,
}

impl fmt::Display for ByteOrEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ByteOrEnd::Byte(byte) if byte.is_ascii_graphic() => {
                write!(f, "\"{}\"", char::from(byte))
            }
            ByteOrEnd::Byte(byte) => write!(f, "byte 0x{byte:02X}"),
            ByteOrEnd::End => f.write_str("the end"),
        }
    }
}

/// The reason why an EIDR cannot be written in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritable {
    /// The form implies the sub-prefix `10.5240`.
    #[error("{form}: the form implies 10.5240 and cannot express {sub_prefix}")]
    Lossy {
        /// The form.
        form: EidrForm,
        /// The sub-prefix that the form cannot express.
        sub_prefix: SubPrefix,
    },
    /// The form is defined only for a suffix of 80 bits.
    #[error("{form}: expected a suffix of 80 bits; suffixes of {sub_prefix} have {}", sub_prefix.digits() * 4)]
    Undefined {
        /// The form.
        form: EidrForm,
        /// The sub-prefix for which the form is undefined.
        sub_prefix: SubPrefix,
    },
    /// The form contains the name of a URN scheme, and none was given.
    #[error("{form}: the URN scheme is missing")]
    NoScheme {
        /// The form.
        form: EidrForm,
    },
}
