//! The sub-prefixes: which registry an identifier is of, and the shape its suffix has there.

use std::fmt;

/// What an identifier names, by the number behind `10.`.
///
/// More may come: section 2 of the document tells applications not to assume that the number of
/// sub-prefixes stays as it is. One that is not listed here is refused wherever it is read, as
/// its number says neither how long its suffix is nor whether a check character ends it.
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
    /// Every sub-prefix that is known, by number.
    pub const ALL: [SubPrefix; 4] =
        [SubPrefix::Party, SubPrefix::User, SubPrefix::Service, SubPrefix::Content];

    /// The number behind `10.`.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The sub-prefix of that number, `None` where it is not known.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.number() == number)
    }

    /// The prefix of the DOI name, without the slash behind it: `10.5240`.
    pub const fn prefix(self) -> &'static str {
        match self {
            SubPrefix::Party => "10.5237",
            SubPrefix::User => "10.5238",
            SubPrefix::Service => "10.5239",
            SubPrefix::Content => "10.5240",
        }
    }

    /// Hexadecimal digits of a suffix.
    pub const fn digits(self) -> usize {
        match self {
            SubPrefix::Content => 20,
            SubPrefix::Party | SubPrefix::User | SubPrefix::Service => 8,
        }
    }

    /// Whether a check character ends the suffix.
    pub const fn has_check(self) -> bool {
        matches!(self, SubPrefix::Content)
    }

    /// The prefix, with its slash, at the start of `name`. Eight bytes are compared, so that names of other
    /// registrants cost next to nothing.
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
