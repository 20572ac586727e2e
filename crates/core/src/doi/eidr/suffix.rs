//! Parses prefixes and suffixes. A suffix consists of hexadecimal digits in groups of four,
//! followed by a check character if the kind has one.

use super::check_character::{Register, value};
use super::cursor::Cursor;
use super::{Error, Missing, SubPrefix};

/// Digits of a group. A hyphen separates groups, and precedes the check character.
pub(super) const GROUP: usize = 4;

/// Parses `10.` and the number of a sub-prefix.
pub(super) fn prefix(cursor: &mut Cursor<'_>) -> Result<SubPrefix, Error> {
    if cursor.eat("10/") {
        return Err(Error::Missing(Missing::ShortDoi));
    }
    cursor.expect("10.", "\"10.\"")?;
    SubPrefix::ALL
        .into_iter()
        .find(|known| cursor.eat(&known.prefix()[3..]))
        .ok_or_else(|| cursor.unexpected("5237, 5238, 5239 or 5240"))
}

/// A parsed suffix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suffix {
    /// The number formed by its digits.
    pub(super) number: u128,
    /// Whether it contained hyphens.
    pub(super) has_hyphens: bool,
}

/// Parses the suffix, which is the rest of the value. Letters may be of either case. Hyphens must
/// be present at every position or at none.
///
/// # Errors
///
/// Returns the first violation of the shape. Returns [`Error::Check`] only if the shape is right.
pub(super) fn suffix(mut cursor: Cursor<'_>, sub_prefix: SubPrefix) -> Result<Suffix, Error> {
    let (read, register) = digits(&mut cursor, sub_prefix.digits())?;
    if !sub_prefix.has_check() {
        cursor.end()?;
        return Ok(read);
    }
    separator(&mut cursor, read.has_hyphens)?;
    let at = cursor.at();
    let found = cursor.peek().filter(|&byte| value(byte).is_some());
    let found = found.ok_or_else(|| cursor.unexpected("a check character (0-9, A-Z)"))?;
    cursor.skip(1);
    cursor.end()?;
    verify(register, found, at).map(|()| read)
}

/// Compares the check character `found` at `at` with that computed from the preceding digits.
pub(super) fn verify(register: Register, found: u8, at: usize) -> Result<(), Error> {
    let expected = register.check();
    if found.to_ascii_uppercase() == expected {
        return Ok(());
    }
    Err(Error::Check { expected: expected.into(), found: found.into(), at })
}

/// Parses `count` digits. The first group determines whether hyphens separate the groups.
pub(super) fn digits(cursor: &mut Cursor<'_>, count: usize) -> Result<(Suffix, Register), Error> {
    let mut read = Suffix { number: 0, has_hyphens: false };
    let mut register = Register::new();
    for index in 0..count {
        if index == GROUP {
            read.has_hyphens = cursor.eat("-");
        } else if index > 0 && index % GROUP == 0 {
            separator(cursor, read.has_hyphens)?;
        }
        let digit = cursor.peek().and_then(value).filter(|&digit| digit < 16);
        let digit = digit.ok_or_else(|| cursor.unexpected("a hexadecimal digit"))?;
        read.number = read.number << 4 | u128::from(digit);
        register = register.push(digit);
        cursor.skip(1);
    }
    Ok((read, register))
}

/// Expects a hyphen if earlier groups were separated by hyphens, and none otherwise.
fn separator(cursor: &mut Cursor<'_>, has_hyphens: bool) -> Result<(), Error> {
    match (has_hyphens, cursor.peek()) {
        (true, _) => cursor.expect("-", "\"-\" as between the earlier groups"),
        (false, Some(b'-')) => Err(cursor.unexpected("no \"-\" as between the earlier groups")),
        (false, _) => Ok(()),
    }
}
