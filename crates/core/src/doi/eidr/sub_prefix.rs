//! The sub-prefixes: the registry of an identifier, and the shape of its suffix.

use core::fmt;

/// The kind of entity that an identifier names, given by the number after `10.`.
///
/// More may be added: section 2 of the document tells applications not to assume a fixed number of
/// sub-prefixes. Sub-prefixes that are not listed here are always rejected, because the number
/// defines neither the length of the suffix nor whether it ends in a check character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum SubPrefix {
    /// `10.5237`, a party: `XXXX-XXXX`.
    Party = 5237,
    /// `10.5238`, a user: `XXXX-XXXX`.
    User = 5238,
    /// `10.5239`, a video service or network: `XXXX-XXXX`.
    Service = 5239,
    /// `10.5240`, an audiovisual work: `XXXX-XXXX-XXXX-XXXX-XXXX-C`.
    Content = 5240,
}

impl SubPrefix {
    /// Every known sub-prefix, by number.
    pub const ALL: [SubPrefix; 4] =
        [SubPrefix::Party, SubPrefix::User, SubPrefix::Service, SubPrefix::Content];

    /// The number after `10.`.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// Returns the sub-prefix with this number, or `None` if it is unknown.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.number() == number)
    }

    /// The prefix of the DOI name, without the slash after it: `10.5240`.
    pub const fn prefix(self) -> &'static str {
        match self {
            SubPrefix::Party => "10.5237",
            SubPrefix::User => "10.5238",
            SubPrefix::Service => "10.5239",
            SubPrefix::Content => "10.5240",
        }
    }

    /// Number of hexadecimal digits of a suffix.
    pub const fn digits(self) -> usize {
        match self {
            SubPrefix::Content => 20,
            SubPrefix::Party | SubPrefix::User | SubPrefix::Service => 8,
        }
    }

    /// Whether the suffix ends in a check character.
    pub const fn has_check(self) -> bool {
        matches!(self, SubPrefix::Content)
    }

    /// Returns the sub-prefix whose prefix and slash begin `name`. Compares eight bytes, so names
    /// of other registrants cost almost nothing.
    pub(super) fn of_name(name: &[u8]) -> Option<Self> {
        match name.first_chunk::<8>()? {
            b"10.5240/" => Some(SubPrefix::Content),
            b"10.5237/" => Some(SubPrefix::Party),
            b"10.5238/" => Some(SubPrefix::User),
            b"10.5239/" => Some(SubPrefix::Service),
            _ => None,
        }
    }
}

impl fmt::Display for SubPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_prefix_and_text_agree() {
        for known in SubPrefix::ALL {
            assert_eq!(known.prefix(), format!("10.{}", known.number()));
            assert_eq!(known.prefix(), known.to_string());
            assert_eq!(SubPrefix::from_number(known.number()), Some(known));
            assert_eq!(SubPrefix::of_name(format!("{known}/").as_bytes()), Some(known));
        }
    }

    #[test]
    fn other_numbers_are_unknown() {
        for number in [0, 524, 5236, 5241, 52400, u16::MAX] {
            assert_eq!(SubPrefix::from_number(number), None, "{number}");
        }
        for name in ["", "10.5240", "10.5241/", "10.1000/182", "110.5240/"] {
            assert_eq!(SubPrefix::of_name(name.as_bytes()), None, "{name}");
        }
    }
}
