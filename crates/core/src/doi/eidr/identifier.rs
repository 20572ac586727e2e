//! The identifier and its DOI name.

use super::check_character::{Register, character};
use super::cursor::Cursor;
use super::suffix::{GROUP, prefix, suffix};
use super::{Error, SubPrefix};
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

/// An EIDR: a sub-prefix and a suffix, of 80 bits for content and of 32 bits for the other kinds.
/// The check character is computed, so it is never wrong.
///
/// It takes 12 bytes. Identifiers are ordered like their canonical names, byte by byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Eidr {
    sub_prefix: SubPrefix,
    /// The number of the suffix, big-endian.
    suffix: [u8; 10],
}

/// The result of checking the check character of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The name is not an EIDR, so there is nothing to check.
    NotEidr,
    /// The check character is right, or the kind has none (parties, users and services).
    Valid,
    /// The name has the shape of an EIDR, but at least one character is wrong.
    Wrong {
        /// The check character computed from the digits, in upper case.
        expected: char,
        /// The check character in the name, as written.
        found: char,
    },
}

impl Eidr {
    /// Creates the identifier with this sub-prefix and the number of its suffix. Returns `None` if
    /// the number is too large: the limit is 80 bits for content and 32 for the other kinds.
    ///
    /// ```
    /// use doiscan_core::doi::eidr::{Eidr, SubPrefix};
    ///
    /// let party = Eidr::new(SubPrefix::Party, 0x9DD9_E249).unwrap();
    /// assert_eq!(party.name(), "10.5237/9DD9-E249");
    /// assert_eq!(Eidr::new(SubPrefix::Party, 1 << 32), None);
    /// ```
    pub fn new(sub_prefix: SubPrefix, suffix: u128) -> Option<Self> {
        let fits = suffix >> (4 * sub_prefix.digits()) == 0;
        fits.then(|| Self::of_suffix(sub_prefix, suffix))
    }

    /// Creates an identifier of content.
    pub(super) const fn content(suffix: [u8; 10]) -> Self {
        Eidr { sub_prefix: SubPrefix::Content, suffix }
    }

    /// The kind of entity it identifies.
    pub const fn sub_prefix(self) -> SubPrefix {
        self.sub_prefix
    }

    /// The number of its suffix, without the check character.
    pub fn suffix(self) -> u128 {
        self.suffix.iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }

    /// The bytes of its suffix. A short suffix is padded with leading zeros.
    pub(super) const fn bytes(self) -> [u8; 10] {
        self.suffix
    }

    /// The check character, in upper case. Parties, users and services have none.
    pub fn check_character(self) -> Option<char> {
        let digits = self.digits();
        let register = digits.fold(Register::new(), Register::push);
        self.sub_prefix.has_check().then(|| register.check().into())
    }

    /// The digits of its suffix, 0 to 15, from left to right.
    pub(super) fn digits(self) -> impl Iterator<Item = u8> {
        let digits = self.suffix.into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.skip(20 - self.sub_prefix.digits())
    }

    /// Appends the suffix with its check character, in upper case.
    pub(super) fn write_suffix(self, hyphens: bool, out: &mut Vec<u8>) {
        let mut register = Register::new();
        for (index, digit) in self.digits().enumerate() {
            if hyphens && index > 0 && index % GROUP == 0 {
                out.push(b'-');
            }
            out.push(character(digit));
            register = register.push(digit);
        }
        if self.sub_prefix.has_check() {
            out.extend(hyphens.then_some(b'-'));
            out.push(register.check());
        }
    }

    /// The canonical DOI name: `10.5240/5FD4-FEE1-22F5-583E-FECC-O`.
    pub fn name(self) -> String {
        self.to_string()
    }

    /// Parses a DOI name without any notation around it. Letters may be of either case, and all
    /// hyphens may be omitted. Not every DOI under these prefixes is an EIDR: `10.5237/superparty`
    /// is a registered DOI but not an EIDR.
    ///
    /// # Errors
    ///
    /// Returns the first deviation from the syntax of an EIDR.
    ///
    /// ```
    /// use doiscan_core::doi::eidr::Eidr;
    ///
    /// let eidr = Eidr::from_name("10.5240/7791-8534-2c23-9030-8610-5")?;
    /// assert_eq!(eidr.name(), "10.5240/7791-8534-2C23-9030-8610-5");
    ///
    /// let error = Eidr::from_name("10.5237/superparty").unwrap_err();
    /// assert_eq!(error.to_string(), "expected a hexadecimal digit at byte 9, found \"s\"");
    /// # Ok::<(), doiscan_core::doi::eidr::Error>(())
    /// ```
    pub fn from_name(name: impl AsRef<[u8]>) -> Result<Self, Error> {
        let mut cursor = Cursor::new(name.as_ref(), 0);
        let sub_prefix = prefix(&mut cursor)?;
        cursor.expect("/", "\"/\"")?;
        Ok(Self::of_suffix(sub_prefix, suffix(cursor, sub_prefix)?.number))
    }

    /// Creates an identifier from a number that has at most as many digits as the kind.
    pub(super) fn of_suffix(sub_prefix: SubPrefix, number: u128) -> Self {
        let [_, _, _, _, _, _, suffix @ ..] = number.to_be_bytes();
        Eidr { sub_prefix, suffix }
    }
}

/// Checks the check character of a DOI name. Suitable for every name of a run.
///
/// Letters may be of either case, and hyphens may be missing. A name under `10.5240` with another
/// shape is [`Check::NotEidr`]: the registrant may choose any suffix (`10.5237/superparty`), and
/// then it is unknown which character would be the check character.
///
/// For names of other registrants, the cost is one comparison of eight bytes.
///
/// ```
/// use doiscan_core::doi::eidr::{Check, check_of};
///
/// assert_eq!(check_of(b"10.5240/7791-8534-2C23-9030-8610-5"), Check::Valid);
/// let wrong = Check::Wrong { expected: '5', found: '6' };
/// assert_eq!(check_of(b"10.5240/7791-8534-2C23-9030-8610-6"), wrong);
/// assert_eq!(check_of(b"10.1000/182"), Check::NotEidr);
/// ```
#[inline]
pub fn check_of(name: &[u8]) -> Check {
    match SubPrefix::of_name(name) {
        Some(sub_prefix) => check_of_suffix(name, sub_prefix),
        None => Check::NotEidr,
    }
}

fn check_of_suffix(name: &[u8], sub_prefix: SubPrefix) -> Check {
    match suffix(Cursor::new(name, sub_prefix.prefix().len() + 1), sub_prefix) {
        Ok(_) => Check::Valid,
        Err(Error::Check { expected, found, .. }) => Check::Wrong { expected, found },
        Err(_) => Check::NotEidr,
    }
}

/// The shape of a DOI name under a prefix of EIDR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An EIDR in canonical form.
    Canonical,
    /// An EIDR with a wrong check character.
    Wrong {
        /// The check character computed from the digits, in upper case.
        expected: char,
        /// The check character in the name, as written.
        found: char,
    },
    /// An EIDR without hyphens, which the registry rejects.
    Unhyphenated(Eidr),
    /// Another suffix. The document defines only the shape of content: `10.5238/Ray` may be a user.
    Other {
        /// Offset of the first character that deviates from an EIDR.
        at: usize,
        /// Whether the prefix is that of content.
        is_content: bool,
    },
}

/// Returns the shape of `name`, or `None` if its prefix is not one of EIDR's.
///
/// ```
/// use doiscan_core::doi::eidr::{Shape, judge};
///
/// assert_eq!(judge(b"10.5240/7791-8534-2C23-9030-8610-5"), Some(Shape::Canonical));
/// assert_eq!(judge(b"10.5240/BLADE"), Some(Shape::Other { at: 9, is_content: true }));
/// assert_eq!(judge(b"10.1000/182"), None);
/// ```
pub fn judge(name: &[u8]) -> Option<Shape> {
    let sub_prefix = SubPrefix::of_name(name)?;
    let start = sub_prefix.prefix().len() + 1;
    Some(match suffix(Cursor::new(name, start), sub_prefix) {
        Ok(read) if read.has_hyphens => Shape::Canonical,
        Ok(read) => Shape::Unhyphenated(Eidr::of_suffix(sub_prefix, read.number)),
        Err(Error::Check { expected, found, .. }) => Shape::Wrong { expected, found },
        Err(Error::Syntax { at, .. }) => Shape::Other { at, is_content: sub_prefix.has_check() },
        Err(_) => Shape::Other { at: start, is_content: sub_prefix.has_check() },
    })
}

impl fmt::Display for Eidr {
    /// The canonical DOI name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.sub_prefix)?;
        for (index, digit) in self.digits().enumerate() {
            let hyphen = if index > 0 && index % GROUP == 0 { "-" } else { "" };
            write!(f, "{hyphen}{digit:X}")?;
        }
        self.check_character().map_or(Ok(()), |check| write!(f, "-{check}"))
    }
}

impl fmt::Debug for Eidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Eidr({self})")
    }
}
