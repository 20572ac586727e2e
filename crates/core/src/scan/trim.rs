//! Trims text that does not belong to a name from its end.

use super::tail::{self, Place};
use super::{Repair, Repairs};
use crate::names::Model;
use alloc::vec::Vec;

/// Trims a name found in running text after `before`. Its suffix begins at `start`. Returns the kinds of tails that
/// were cut; strict mode cuts none. A tail that the `model` knows stays. Punctuation is no repair.
pub(super) fn running(
    name: &mut Vec<u8>,
    start: usize,
    before: &[u8],
    is_strict: bool,
    model: Option<&Model>,
) -> Repairs {
    let mut repairs = Repairs::default();
    loop {
        punctuation(name, start);
        match tail::cut(name, start, Place::Running(before), model) {
            Some((len, kind)) if !is_strict => {
                name.truncate(len);
                repairs.insert(kind);
            }
            _ => return repairs,
        }
    }
}

/// Trims dirt from the end of a field or a value that should be a name: a full stop, a comma, a semicolon, a slash, a
/// quote or an unmatched closing bracket, percent-encoded or not. A publisher's address in a field is cut too. Returns the
/// kinds of repairs. The `model` knows before which paths of pages a name is whole.
pub(super) fn whole(name: &mut Vec<u8>, start: usize, model: Option<&Model>) -> Repairs {
    let mut repairs = Repairs::default();
    loop {
        let len = start + clean(&name[start..]);
        if len < name.len() {
            repairs.insert(Repair::Trailing);
        }
        name.truncate(len);
        let Some((len, kind)) = tail::cut(name, start, Place::Field, model) else {
            return repairs;
        };
        name.truncate(len);
        repairs.insert(kind);
    }
}

/// The length of `suffix` without marks and unmatched closing brackets at its end. Counts brackets once, so that trimming is
/// linear.
fn clean(suffix: &[u8]) -> usize {
    let mut len = suffix.len();
    // Nearly every name has another ending.
    if !suffix.last().is_some_and(|last| b".,;'/ )]}".contains(last)) {
        return len;
    }
    let count = |bracket| suffix.iter().filter(|byte| **byte == bracket).count();
    let mut excess = [(b'(', b')'), (b'[', b']'), (b'{', b'}')]
        .map(|(open, close)| (close, count(close).saturating_sub(count(open))));
    while let Some(last) = suffix[..len].last() {
        match excess.iter_mut().find(|(close, n)| close == last && *n > 0) {
            Some((_, n)) => *n -= 1,
            None if b".,;'/ ".contains(last) => {}
            None => break,
        }
        len -= 1;
    }
    len
}

fn punctuation(name: &mut Vec<u8>, start: usize) {
    while let Some(&last) = name[start..].last() {
        let len = match last {
            byte if b".,;:!?'\"/&^@ ".contains(&byte) => 1,
            b'*' | b'~' | b'$' | b'=' => usize::from(!has_check_symbol(&name[start..])),
            _ => 0,
        };
        if len == 0 {
            return;
        }
        name.truncate(name.len() - len);
    }
}

/// Whether the folded `suffix` is a number in base 32 of Crockford that ends in the symbol of its check value: `NVXJ*`,
/// `GY4A-STW*`.
pub(super) fn has_check_symbol(suffix: &[u8]) -> bool {
    const SYMBOLS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=";
    let value = |byte: &u8| SYMBOLS.iter().position(|symbol| symbol == byte);
    let Some((last, number)) = suffix.split_last() else { return false };
    let digit = |byte: &u8| value(byte).filter(|value| *value < 32);
    let mut digits = number.iter().filter(|byte| **byte != b'-').map(digit);
    let rest = digits.try_fold(0, |rest, digit| Some((32 * rest + digit?) % 37));
    number.len() > 3 && rest.is_some() && rest == value(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text() {
        for (name, expected) in [
            ("10.1000/182.", "10.1000/182"),
            ("10.1000/182...", "10.1000/182"),
            ("10.1111/BRV.12289/FULL", "10.1111/BRV.12289"),
            ("10.1111/BRV.12289/PDF/", "10.1111/BRV.12289"),
            ("10.1073/PNAS.1418604112/-/DCSUPPLEMENTAL", "10.1073/PNAS.1418604112"),
            ("10.1021/JA12/SUPPL_FILE/JA12_SI_001.PDF", "10.1021/JA12"),
            ("10.1007/978-94-007-4933-7.PDF", "10.1007/978-94-007-4933-7"),
            ("10.4028/AMR.429*", "10.4028/AMR.429"),
            ("10.1002/A<1::B>3.0.CO;2-O;JSESSIONID=1F.", "10.1002/A<1::B>3.0.CO;2-O"),
            ("10.18730/NVXJ*", "10.18730/NVXJ*"),
            ("10.1101/130617V1.FULL.PDF+HTML", "10.1101/130617V1"),
            ("10.1021/BC030018+", "10.1021/BC030018+"),
            ("10.1000/É", "10.1000/É"),
            ("10.1000/...", "10.1000/"),
            ("10.1000/FULL", "10.1000/FULL"),
        ] {
            let mut bytes = name.as_bytes().to_vec();
            running(&mut bytes, 1 + name.find('/').unwrap(), b"", false, None);
            assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn whole_values() {
        for (name, expected) in [
            ("10.1021/JA043356+", "10.1021/JA043356+"),
            ("10.5438/GY4A-STW*", "10.5438/GY4A-STW*"),
            ("10.1000/182.,", "10.1000/182"),
            ("10.1000/182),", "10.1000/182"),
            ("10.1000/A(1)/", "10.1000/A(1)"),
            ("10.1000/A(1):", "10.1000/A(1):"),
            ("10.1000/A:", "10.1000/A:"),
            ("10.1000/A .", "10.1000/A"),
            ("10.1000/A');", "10.1000/A"),
        ] {
            let mut bytes = name.as_bytes().to_vec();
            let trimmed = whole(&mut bytes, 8, None);
            assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{name}");
            assert_eq!(!trimmed.is_empty(), name != expected);
        }
    }
}
