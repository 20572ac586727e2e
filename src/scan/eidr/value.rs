//! Classifies names and bare values.

use crate::doi::eidr::{Eidr, Error, Shape, judge};

/// Maximum length of a bare value in bytes. The longest form, the full binary one in hexadecimal,
/// has 38.
pub(crate) const LONGEST: usize = 64;

/// Minimum length in bytes of a value that counts as a wrong shape. Shorter ones are placeholders.
const LEAST: usize = 8;

/// The result for a name or a bare value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// An EIDR.
    Eidr(Eidr),
    /// Correct except for the check character.
    WrongCheck,
    /// A DOI with the content prefix, or a value of a key or column named EIDR, that is not an
    /// EIDR.
    WrongShape,
}

/// Classifies the canonical DOI `name`. Returns `None` for other prefixes. Suffixes of parties,
/// users and services that have another shape also give `None`, because the document does not
/// specify their shapes.
#[inline]
pub(crate) fn of_name(name: &[u8]) -> Option<Found> {
    match judge(name)? {
        Shape::Canonical => Eidr::from_name(name).ok().map(Found::Eidr),
        Shape::Unhyphenated(eidr) => Some(Found::Eidr(eidr)),
        Shape::Wrong { .. } => Some(Found::WrongCheck),
        Shape::Other { is_content, .. } => is_content.then_some(Found::WrongShape),
    }
}

/// Calls `visit` with the content of `text`, the whole value of a key or column named EIDR: bare
/// values separated by blanks, commas, semicolons or bars. Pieces with a full stop or a colon are
/// left to the rules for names. Only a value that is alone can have a wrong shape.
pub(crate) fn each_in(text: &[u8], visit: &mut impl FnMut(Found)) {
    let is_between = |b: &u8| b.is_ascii_whitespace() || b",;|".contains(b);
    let pieces = || text.split(is_between).filter(|piece| !piece.is_empty());
    let is_alone = pieces().nth(1).is_none();
    for found in pieces().filter_map(of_piece) {
        if is_alone || found != Found::WrongShape {
            visit(found);
        }
    }
}

fn of_piece(piece: &[u8]) -> Option<Found> {
    let is_bare = |b: &u8| b.is_ascii_alphanumeric() || b"-_+/=".contains(b);
    if piece.len() > LONGEST || !piece.iter().all(is_bare) {
        return None;
    }
    let name = [b"10.5240/", piece].concat();
    let suffix = Eidr::from_name(name);
    match suffix.or_else(|error| if is_check(error) { Err(error) } else { Eidr::parse(piece) }) {
        Ok(eidr) => Some(Found::Eidr(eidr)),
        Err(error) if is_check(error) => Some(Found::WrongCheck),
        Err(_) => {
            let is_one = piece.len() >= LEAST && piece.iter().any(u8::is_ascii_digit);
            is_one.then_some(Found::WrongShape)
        }
    }
}

fn is_check(error: Error) -> bool {
    matches!(error, Error::Check { .. })
}
