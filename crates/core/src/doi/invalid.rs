//! The reason and position of an invalid value, as one sentence.

use super::character::{is_graphic, is_space};
use super::reason::Reason;
use core::fmt;

/// The part of a value that breaks a rule. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The whole value.
    Value,
    /// `10.`
    Directory,
    /// The digits after `10.`.
    Registrant,
    /// The slash.
    Separator,
    /// The text after the slash.
    Suffix,
}

impl Part {
    /// The stable name, such as `registrant`.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Value => "value",
            Part::Directory => "directory",
            Part::Registrant => "registrant",
            Part::Separator => "separator",
            Part::Suffix => "suffix",
        }
    }
}

/// The input found where something else was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// The end of the value.
    End,
    /// This character.
    Char(char),
    /// This byte, which is not UTF-8.
    Byte(u8),
    /// Text after the expected end.
    More,
}

impl Found {
    /// Returns what is at the offset `at` in `value`.
    pub(super) fn at(value: &[u8], at: usize) -> Found {
        let rest = &value[at..];
        let Some(&first) = rest.first() else { return Found::End };
        let char = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        char.map_or(Found::Byte(first), Found::Char)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Found::End => f.write_str("the end"),
            Found::Char(c) if is_graphic(c) && !is_space(c) => write!(f, "\"{c}\""),
            Found::Char(c) => write!(f, "U+{:04X}", u32::from(c)),
            Found::More => f.write_str("more"),
            Found::Byte(byte) => write!(f, "the byte {byte:02X}"),
        }
    }
}

/// Why a value is not a DOI, and where. Displayed as a sentence that counts bytes from 1:
/// `registrant: expected a digit, found "a" at byte 4`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Invalid {
    /// The reason.
    pub reason: Reason,
    /// The invalid part.
    pub part: Part,
    /// Byte offset of the error, from 0.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// What was found there.
    pub found: Found,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Invalid { part, at, expected, found, .. } = self;
        match part {
            Part::Directory => f.write_str("does not begin with 10.: ")?,
            part => write!(f, "{}: expected {expected}, ", part.name())?,
        }
        write!(f, "found {found} at byte {}", at + 1)
    }
}
