//! Classifies names and bare values.

use crate::doi::eidr::{Eidr, Error, Shape, judge};

/// Maximum length of a bare value in bytes. The longest form, the full binary one in hexadecimal,
/// has 38.
pub const LONGEST: usize = 64;

/// Minimum length in bytes of a value that counts as a wrong shape. Shorter ones are placeholders.
const LEAST: usize = 8;

/// The result for a name or a bare value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EidrValue {
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
pub fn of_name(name: &[u8]) -> Option<EidrValue> {
    match judge(name)? {
        Shape::Canonical => Eidr::from_name(name).ok().map(EidrValue::Eidr),
        Shape::Unhyphenated(eidr) => Some(EidrValue::Eidr(eidr)),
        Shape::Wrong { .. } => Some(EidrValue::WrongCheck),
        Shape::Other { is_content, .. } => is_content.then_some(EidrValue::WrongShape),
    }
}

/// Calls `visit` with the content of `text`, the whole value of a key or column named EIDR: bare
/// values separated by blanks, commas, semicolons or bars. Words with a full stop or a colon are
/// left to the rules for names. Only a value that is alone can have a wrong shape.
pub fn each_in(text: &[u8], visit: &mut impl FnMut(EidrValue)) {
    let is_between = |b: &u8| b.is_ascii_whitespace() || b",;|".contains(b);
    let words = || text.split(is_between).filter(|word| !word.is_empty());
    let is_alone = words().nth(1).is_none();
    for found in words().filter_map(of_word) {
        if is_alone || found != EidrValue::WrongShape {
            visit(found);
        }
    }
}

fn of_word(word: &[u8]) -> Option<EidrValue> {
    let is_bare = |b: &u8| b.is_ascii_alphanumeric() || b"-_+/=".contains(b);
    if word.len() > LONGEST || !word.iter().all(is_bare) {
        return None;
    }
    match of_name(&[b"10.5240/", word].concat()) {
        Some(EidrValue::WrongShape) => {}
        found => return found,
    }
    match Eidr::parse(word) {
        Ok(eidr) => Some(EidrValue::Eidr(eidr)),
        Err(Error::Check { .. }) => Some(EidrValue::WrongCheck),
        Err(_) => {
            let is_one = word.len() >= LEAST && word.iter().any(u8::is_ascii_digit);
            is_one.then_some(EidrValue::WrongShape)
        }
    }
}
