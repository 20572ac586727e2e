//! Rejects candidates that are cut short or stand for many names: a stem before an ellipsis, a pattern, a placeholder. The
//! name that was meant is not in the text.

use super::around::{Around, has_digit};
use super::registrant::registrant;
use super::serial::issn;
use super::{learned, marker, sici};
use crate::doi::Reason;
use crate::names::Model;

/// Whether `name` ends in half of a percent-encoded octet, or in a `%` that begins no octet: an SQL
/// pattern (`LIKE '10.1016/%'`) or a format directive (`%s`, `%d`). `read` is the source of the
/// name. No name ends like this.
fn ends_in_percent(name: &[u8], read: &[u8]) -> bool {
    let marks = name.iter().rev().take_while(|b| b".,:;".contains(b)).count();
    let (name, read) = (&name[..name.len() - marks], &read[..read.len().saturating_sub(marks)]);
    match name {
        [.., b'%'] => read.ends_with(b"%"),
        [.., b'%', b'S' | b'0'..=b'9' | b'A'..=b'F'] => {
            matches!(read, [.., before, b'%', _] if *before != b'%')
        }
        _ => false,
    }
}

/// Whether `name` contains a mark of a regular expression or a template: `[0-9]`, `${ID}`.
fn has_place_holder(name: &[u8]) -> bool {
    (0..name.len()).any(|at| match name[at..] {
        [b'.' | b'/' | b'-' | b'_' | b':' | b'{', b'{', ..]
        | [b'$' | b'#', b'{', ..]
        | [b'$' | b'%', b'(', ..]
        | [b'(', b'.', b'*' | b'+', b')', b'$', ..] => true,
        [b'.' | b'/' | b'-' | b'_' | b':', b'$', next, ..] => next.is_ascii_alphanumeric(),
        [b'[', b'0'..=b'8', b'-', b'1'..=b'9', ..] | [b'[', b'A', b'-', b'Z', ..] => true,
        _ => false,
    })
}

/// Whether `name` ends in letters that stand for digits, or in asterisks or a regular expression that stand for text:
/// `10.5281/ZENODO.XXXXXXX`, `10.1000/***`.
fn is_placed(before: &[u8], name: &[u8]) -> bool {
    // At most as many letters as a number has digits.
    match name {
        [.., b'X', b'X', b'X', b'X'] => !name.ends_with(&[b'X'; 13]),
        // A line in emphasis may end so: `*Smith. doi:10.1000/182.*`.
        [.., b'.', b'*'] => {
            let line = before.iter().rev().take_while(|b| **b != b'\n');
            line.filter(|b| **b == b'*').count().is_multiple_of(2)
        }
        [.., b'*'] => name.iter().rev().find(|b| **b != b'*') == Some(&b'/'),
        [.., b'.', b'+'] | [.., b'(', b'.', b'*' | b'+', b')'] => true,
        _ => false,
    }
}

/// Whether `rest`, directly after `name`, begins with a regular expression or a placeholder.
fn leads_to_pattern(name: &[u8], rest: &[u8]) -> bool {
    let is_open = matches!(name.last(), Some(b'/' | b'.' | b'-' | b'_'));
    match rest {
        [b'\\', b'd' | b'w' | b'S' | b'D', next, ..]
        | [b'\\', b'\\', b'd' | b'w' | b'S' | b'D', next, ..] => !next.is_ascii_alphabetic(),
        [b'[', b'^', ..] | [b'%', ..] => is_open,
        _ => false,
    }
}

/// Whether code around the trimmed `name` completes it: `'10.1002/advs.'`, `'10.18154/rwth-'`. The name filled quotes and ended
/// in a full stop, a colon, a hyphen or an underscore, or the code goes on with another string. Journal codes have three letters or
/// more.
pub(super) fn is_quoted_stem(around: Around<'_>, name: &[u8], start: usize) -> bool {
    let read = around.read();
    if matches!(read.last(), Some(b'.' | b'/' | b'_')) && is_continued(around.rest()) {
        return true;
    }
    let is_open = name.ends_with(b"-") && !name.ends_with(b";2-");
    if is_open || name.ends_with(b":") && !has_digit(&name[start..]) {
        return name[start..].iter().any(u8::is_ascii_alphanumeric);
    }
    let suffix = name[start..].strip_suffix(b"_");
    let is_open = suffix.is_some() || read.ends_with(b".");
    let suffix = suffix.unwrap_or(&name[start..]);
    let is_part = |b: &u8| b.is_ascii_alphabetic() || b"._(|)".contains(b);
    is_open && suffix.len() >= 3 && suffix.iter().all(is_part)
}

/// Whether the string that ends at the quote of `rest` is one operand of a concatenation: `'10.5281/zenodo.' + n`.
fn is_continued(rest: &[u8]) -> bool {
    let rest = rest.get(1..).unwrap_or_default();
    // PHP sets blanks around its full stop, unlike a sentence.
    rest.starts_with(b" . ")
        || match rest.trim_ascii_start() {
            [b'+' | b'&' | b'%', next, ..] => next.is_ascii_alphabetic() || b" (_$".contains(next),
            [b'|', b'|', ..] | [b'.', b'$', ..] => true,
            _ => false,
        }
}

/// Returns why a candidate with the untrimmed `name`, whose suffix begins at `start`, is rejected. `has_marks` says that one of
/// `{$[%\` was read.
#[inline]
pub(super) fn when_read(
    around: Around<'_>,
    name: &[u8],
    start: usize,
    has_marks: bool,
    is_field: bool,
    model: Option<&Model>,
) -> Option<Reason> {
    // Fast path: nearly every name ends in a digit, and none of `\{[` or an ellipsis follows it.
    let is_plain = name.last().is_some_and(u8::is_ascii_digit) && !has_marks;
    match around.rest() {
        [b'\\' | b'{' | b'[', ..] | [0xe2, ..] => {}
        _ if is_plain => return None,
        _ => {}
    }
    // Before a full stop or a slash that ends a field.
    let is_stem = || {
        let len = name.iter().rposition(|byte| !b"./".contains(byte)).map_or(0, |last| last + 1);
        let is_unfinished = |model| learned::is_unfinished(model, &name[..len], start);
        is_field && start < len && len < name.len() && model.is_some_and(is_unfinished)
    };
    // Braces of TeX are escaped.
    let is_variable =
        || name.ends_with(b"}") && name.contains(&b'{') && !around.read().ends_with(br"\}");
    let is_marked =
        || is_variable() || has_place_holder(name) || ends_in_percent(name, around.read());
    let is_pattern = || has_marks && is_marked() || is_placed(around.before, name);
    match () {
        () if is_elided(around, name, start, is_field, model) => Some(Reason::Ellipsis),
        () if is_stem() => Some(Reason::Stem),
        () if is_pattern() || leads_to_pattern(name, around.rest()) => Some(Reason::Pattern),
        () => None,
    }
}

/// Whether an ellipsis ends the untrimmed `name`, and the model does not know the name before it, or it is the text of a link.
fn is_elided(
    around: Around<'_>,
    name: &[u8],
    start: usize,
    is_field: bool,
    model: Option<&Model>,
) -> bool {
    let ellipsis = "…".as_bytes();
    let stem = name.strip_suffix(ellipsis).unwrap_or(name);
    let is_mark = stem.len() < name.len() || around.rest().starts_with(ellipsis);
    let len = stem.iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    let is_link = is_field && matches!(around.before.last(), Some(b'/' | b'>' | b'['));
    let is_whole = |model: &Model| match is_field {
        true => !is_mark && !learned::is_unfinished(model, &name[..len], start),
        false => model.is_whole(registrant(name, start), &name[start..len]),
    };
    let is_whole = || start < len && !is_link && model.map_or(!is_mark, is_whole);
    (is_mark || name.ends_with(b"...")) && !is_whole()
}

/// Whether `name` is the volume and the years of a journal, such as `10.1930/31` or `10.1965/70(1971)`: the registrant is a
/// year, and the suffix is a year up to fifteen years later.
fn is_volume_and_year(name: &[u8]) -> bool {
    let name = match name {
        [front @ .., b'(', _, _, _, _, b')'] => front,
        _ => name,
    };
    let number = |range| str::from_utf8(name.get(range)?).ok()?.parse::<u32>().ok();
    let years = number(3..7).zip(number(8..name.len()));
    let len = name.len().saturating_sub(8);
    let fits = |(year, until)| (1..=15).any(|n| (year + n) % 10_u32.pow(len as u32) == until);
    has_year(name) && name[7] == b'/' && (1..5).contains(&len) && years.is_some_and(fits)
}

/// Whether `name` has a registrant that begins like a year.
fn has_year(name: &[u8]) -> bool {
    matches!(name, [_, _, _, b'1', b'5'..=b'9', c, d, ..] | [_, _, _, b'2', b'0', c, d, ..]
        if c.is_ascii_digit() && d.is_ascii_digit())
}

/// Length of the longest volume with its years.
const LONGEST_VOLUME: usize = b"10.1965/1966(1967)".len();

/// Whether [`when_trimmed`] accepts `name`, as it does nearly every one, unless it is a SICI.
#[inline]
pub(super) fn is_plain(name: &[u8], start: usize) -> bool {
    let is_end = match name {
        [.., b'0'..=b'9' | b')'] => name.len() > LONGEST_VOLUME || !has_year(name),
        [.., before, b'X'] => *before != b'X',
        [.., last] => last.is_ascii_uppercase(),
        [] => false,
    };
    let may_be_serial =
        || matches!(name[start..], [_, _, _, _, b'-', ..] | [_, _, _, _, _, b'-', ..] | [b'(', ..]);
    is_end && (name.len() > start + LONGEST_SERIAL || !may_be_serial())
}

/// Length of an ISSN and the date in an open bracket after it.
const LONGEST_SERIAL: usize = b"S1092-4388(20061231".len();

/// Whether `name` is the beginning of a longer one, cut at or within a bracket that opens directly after an ISSN and does not
/// close: `10.1044/1092-4388(2006/085` in text, `10.1016/S0140-6736(20` in a field.
#[cold]
fn is_open_serial(around: Around<'_>, name: &[u8], start: usize) -> bool {
    let suffix = &name[start..];
    let serial = suffix.strip_prefix(b"S").unwrap_or(suffix);
    match issn(serial).map(|len| &serial[len..]) {
        Some([]) => matches!(around.read().get(name.len()..), Some([b'(', b'0'..=b'9', ..])),
        Some([b'(', date @ ..]) => {
            suffix.len() <= LONGEST_SERIAL && date.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// Whether `suffix` is a word in the path of a page, where it belongs to the prefix: `/prefixes/10.1000/works`.
fn is_route(before: &[u8], suffix: &[u8]) -> bool {
    suffix.len() > 3 && suffix.iter().all(u8::is_ascii_alphabetic) && marker::is_in_path(before)
}

/// Returns why a candidate with the trimmed `name` is rejected. Its suffix begins at `start`.
#[inline]
pub(super) fn when_trimmed(around: Around<'_>, name: &[u8], start: usize) -> Option<Reason> {
    match () {
        () if is_route(around.before, &name[start..]) => Some(Reason::Stem),
        () if is_plain(name, start) && !sici::begins(&name[start..]) => None,
        () if is_open_serial(around, name, start) => Some(Reason::Stem),
        () if sici::is_cut(&name[start..]) => Some(Reason::Stem),
        // `10.1672/8` of the journal Waterbirds is a DOI.
        () if is_volume_and_year(name)
            && !marker::is_marked(around.before)
            && !around.before.ends_with(b"DO  - ") =>
        {
            Some(Reason::VolumeYear)
        }
        () => is_placed(around.before, name).then_some(Reason::Pattern),
    }
}

#[cfg(test)]
mod tests;
