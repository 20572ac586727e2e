//! Restores hyphens that the text of a PDF lost at line ends.

use super::learned::SURE;
use super::registrant::registrant;
use super::serial;
use crate::names::{Model, Place, Whole};
use alloc::vec::Vec;

/// Maximum number of places that are tried.
const MOST: usize = 8;

/// Restores the hyphen of the folded `name`, whose suffix begins at `start`: of an ISSN, or in or before a number, if DOIs of the
/// registrant look like it up to there, and with the hyphen it surely is one: `10.1111/J.14679787.1982.TB00744.X`. Returns
/// whether it was missing.
pub(super) fn restore(name: &mut Vec<u8>, start: usize, model: &Model) -> bool {
    let (digits, suffix) = (registrant(name, start), &name[start..]);
    let Some((at, place)) = unlike(model, digits, suffix) else { return false };
    if model.ends(digits, suffix).is_some_and(|ends| ends != Whole::No) {
        return false;
    }
    let issn = issn(suffix).filter(|place| {
        let with = || [&suffix[..*place], b"-", &suffix[*place..]].concat();
        let last = place + b"-1234".len();
        at <= last && unlike(model, digits, &with()).is_none_or(|(at, _)| at > last)
    });
    let lost = || {
        let number = suffix[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let first = (at - number.min(MOST)).max(1);
        let is_open = place.lost > 0.02 * place.passing;
        let found =
            (first <= at && !is_open).then(|| model.with_hyphen(digits, suffix, first..=at));
        let ending = |(place, _): &(Place, usize)| place.ending;
        let best = found?.max_by(|a, b| ending(a).total_cmp(&ending(b)));
        best.filter(|best| ending(best) >= SURE).map(|(_, at)| at)
    };
    let place = issn.or_else(lost);
    if let Some(place) = place {
        name.insert(start + place, b'-');
    }
    place.is_some()
}

/// Unless DOIs of the registrant surely look exactly like `suffix`: up to where some do, and what is known there.
fn unlike(model: &Model, registrant: &[u8], suffix: &[u8]) -> Option<(usize, Place)> {
    match model.exact(registrant, suffix) {
        Ok(place) => (place.ending < SURE).then_some((suffix.len(), place)),
        Err(unlike) => Some(unlike),
    }
}

/// Returns where the hyphen of an ISSN is missing, at the start of `suffix` or after a letter and a full stop.
fn issn(suffix: &[u8]) -> Option<usize> {
    let from = if matches!(suffix, [a, b'.', ..] if a.is_ascii_alphabetic()) { 2 } else { 0 };
    let (number, rest) = suffix.get(from..)?.split_first_chunk::<8>()?;
    let is_issn = serial::issn(&[&number[..4], b"-", &number[4..]].concat()).is_some();
    (is_issn && rest.first().is_some_and(|next| b"./:(".contains(next))).then_some(from + 4)
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
