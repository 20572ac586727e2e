//! Why a value is no DOI, and where: said in one sentence.

use super::character::{is_graphic, is_space};
use super::reason::Reason;
use std::fmt;

/// The part of a value that breaks a rule. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of it.
    Value,
    /// `10.`
    Directory,
    /// The digits behind it.
    Registrant,
    /// The slash.
    Separator,
    /// What stands behind the slash.
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

/// What stood where something else was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing more.
    End,
    /// This character.
    Char(char),
    /// This byte, which is no UTF-8.
    Byte(u8),
    /// More than was expected.
    More,
}

impl Found {
    /// What stands in `value` at the offset `at`.
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

/// Why a value is no DOI, and where. Printed as a sentence, in which bytes count from 1:
/// `registrant: expected a digit, found "a" at byte 4`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Invalid {
    /// The reason.
    pub reason: Reason,
    /// The part that is wrong.
    pub part: Part,
    /// Offset in bytes of what should have been otherwise, from 0.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// What stood there.
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
