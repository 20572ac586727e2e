//! Restores hyphens that the text of a PDF lost at line ends.

use super::learned;
use crate::names::Model;
use alloc::vec::Vec;

/// Maximum number of places that are tried.
const MOST: usize = 8;

/// Restores the hyphen of the folded `name`, whose suffix begins at `start`: of an ISSN, or in or before a number, if DOIs of the
/// registrant look like it up to there, and with the hyphen it surely is one: `10.1111/J.14679787.1982.TB00744.X`. Returns
/// whether it was missing.
pub(super) fn restore(name: &mut Vec<u8>, start: usize, model: &Model) -> bool {
    let Err((at, is_open)) = learned::exact(model, name, start) else { return false };
    let is_whole = |name: &[u8]| learned::is_whole(model, name, start);
    if let Some(place) = issn(name, start).filter(|place| at <= *place + ISSN && !is_whole(name)) {
        name.insert(place, b'-');
        if learned::exact(model, name, start).map_or_else(|(at, _)| at > place + ISSN, |()| true) {
            return true;
        }
        name.remove(place);
    }
    if is_open {
        return false;
    }
    let digits = name[start..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let first = (at - digits.min(MOST)).max(start + 1);
    let place =
        (first <= at).then(|| learned::lost_hyphen(model, name, start, first..=at)).flatten();
    let Some(place) = place.filter(|_| !is_whole(name)) else { return false };
    name.insert(place, b'-');
    true
}

/// Number of characters of an ISSN after its hyphen, and the mark after it.
const ISSN: usize = 5;

/// Returns where the hyphen of an ISSN with the right check digit (ISO 3297) is missing, at the start of a suffix or after a
/// letter and a full stop.
fn issn(name: &[u8], start: usize) -> Option<usize> {
    let suffix = &name[start..];
    let from = if matches!(suffix, [a, b'.', ..] if a.is_ascii_alphabetic()) { 2 } else { 0 };
    let (number, rest) = suffix.get(from..)?.split_first_chunk::<8>()?;
    let is_apart = rest.first().is_some_and(|next| b"./:(".contains(next));
    let digit = |(at, byte): (usize, &u8)| match byte {
        b'X' if at == 7 => Some(10),
        byte => (*byte as char).to_digit(10),
    };
    let weighed = |(at, value): (usize, Option<u32>)| Some(value? * (8 - at as u32));
    let values = number.iter().enumerate().map(digit);
    let sum = values.enumerate().map(weighed).sum::<Option<u32>>()?;
    (is_apart && sum.is_multiple_of(11)).then_some(start + from + 4)
}

/// Returns the number of hyphens that the character `code` stands for between `last` and `next`, or
/// `None` if it cannot be part of a name. The text of PDFs has private-use characters and `¬` in
/// place of hyphens. Between digits, they stand for one hyphen. Before a mark, `¬` stands for none.
pub(super) fn hyphens(last: Option<u8>, code: u32, next: Option<u8>) -> Option<usize> {
    match (last?, next?) {
        (b'0'..=b'9', b'0'..=b'9') => Some(1),
        (last, b'_' | b'-' | b'.' | b'/') if code == NOT_SIGN => {
            last.is_ascii_alphanumeric().then_some(0)
        }
        _ => None,
    }
}

/// `¬`, which is a soft hyphen read in a wrong code page.
const NOT_SIGN: u32 = 0xac;

/// Writes the dashes of TeX as hyphens, if there are several: one may be that of the name, `1-2--22585`.
pub(super) fn undo_dashes(name: &mut Vec<u8>, start: usize) {
    let is_dash = |three: &&[u8]| three[0] != b'-' && three[1..] == *b"--";
    if name[start..].windows(3).filter(is_dash).count() > 1 {
        name.dedup_by(|byte, last| *byte == b'-' && *last == b'-');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn lost_hyphens() {
        let model = names::built_in().unwrap();
        for (name, expected) in [
            ("10.1111/J.14679787.1982.TB00744.X", "10.1111/J.1467-9787.1982.TB00744.X"),
            ("10.1590/S141399362013000200005", "10.1590/S1413-99362013000200005"),
            ("10.1088/17425468/2009/07/L07003", "10.1088/1742-5468/2009/07/L07003"),
            ("10.1007/S11192-0162006-2", "10.1007/S11192-016-2006-2"),
            ("10.1186/14712105-12-187", "10.1186/1471-2105-12-187"),
            ("10.1186/S12859016-1234-5", "10.1186/S12859-016-1234-5"),
            ("10.1038/S41586-020-264931", "10.1038/S41586-020-26493-1"),
            ("10.1000/S41586-0202649-1", "10.1000/S41586-0202649-1"),
            ("10.1055/S-00000001", "10.1055/S-00000001"),
            ("10.1007/S00285-01901358-Z", "10.1007/S00285-019-01358-Z"),
            ("10.1016/S1059131102001437", "10.1016/S1059131102001437"),
            ("10.1111/J.1467-9787.1982.TB00744.X", "10.1111/J.1467-9787.1982.TB00744.X"),
            ("10.1007/S11192-016-2006-2", "10.1007/S11192-016-2006-2"),
        ] {
            let mut bytes = name.as_bytes().to_vec();
            let is_restored = restore(&mut bytes, 1 + name.find('/').unwrap(), &model);
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
            assert_eq!(is_restored, name != expected, "{name}");
        }
    }
}
