//! Rejects candidates that are cut short or stand for many names: a stem before an ellipsis, a
//! pattern, a placeholder, the volume and year of a journal. The name that was meant is not in the
//! text.

use super::around::{Around, has_digit};
use super::rules::WITH_CHECK_SYMBOL;
use super::serial::issn;
use super::{LOOKBEHIND, emphasis, marker, sici};
use crate::doi::Reason;
use memchr::memmem;

/// Whether the untrimmed `name` is cut and ends in an ellipsis: in the text of a link
/// (`>https://doi.org/10.1093/bioinformatics/b...</a>`) or after a mark.
fn is_elided(around: Around<'_>, name: &[u8]) -> bool {
    let is_cut = name.ends_with(b"...") || name.ends_with("…".as_bytes());
    let stem = name.strip_suffix("…".as_bytes()).unwrap_or(name);
    let marks = stem.iter().rev().take_while(|b| **b == b'.').count();
    let stem = &stem[..stem.len() - marks];
    let is_open = || matches!(stem.last(), Some(b'-' | b'_' | b'/' | b'('));
    let is_link = || {
        let opens = matches!(around.before.last(), Some(b'/' | b'>' | b'['));
        opens || around.rest().starts_with(b"</a") || around.rest().starts_with(b"](")
    };
    is_cut && (is_link() || is_open())
}

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

/// Whether `name` ends in a variable of a template: `f"10.1234/ref{number}"`. Braces of TeX are escaped by a backslash. None of
/// 705,960 names ends so except templates. Jira ends coloured text with `{color}`.
fn ends_in_variable(name: &[u8]) -> bool {
    let Some(rest) = name.strip_suffix(b"}") else { return false };
    let Some(at) = memchr::memrchr(b'{', rest).filter(|at| *at > 0) else { return false };
    let variable = &rest[at + 1..];
    // An expression, a number or a format: `t{i+1}`, `{0}`, `{:d}`.
    let is_first = |b: &u8| b.is_ascii_alphanumeric() || *b == b':';
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"_+-*:.()[]'".contains(b);
    (rest[at - 1].is_ascii_alphanumeric() || rest[at - 1] == b'/')
        && variable != b"COLOR"
        && variable.first().is_some_and(is_first)
        && variable.iter().all(is_part)
}

/// Whether `name` contains a mark of a regular expression or a template: `[0-9]`, `${ID}`. None of
/// 580,860 names contains a `{`, a `$` or such a character class.
fn has_place_holder(name: &[u8]) -> bool {
    (0..name.len()).any(|at| match name[at..] {
        [b'.' | b'/' | b'-' | b'_' | b':' | b'{', b'{', ..]
        | [b'$' | b'#', b'{', ..]
        | [b'$' | b'%', b'(', ..]
        | [b'(', b'.', b'*' | b'+', b')', b'$', ..] => true,
        [b'.' | b'/' | b'-' | b'_' | b':', b'$', next, ..] => next.is_ascii_alphanumeric(),
        [b'[', b'^', ..] => true,
        [b'[', a, b'-', b, ..] => is_class(a, b),
        _ => false,
    })
}

/// Whether `a-b` is a range of a character class.
fn is_class(a: u8, b: u8) -> bool {
    a < b && (a.is_ascii_digit() && b.is_ascii_digit() || a == b'A' && b == b'Z')
}

/// Whether `name` ends in letters that stand for digits: `10.5281/ZENODO.XXXXXXX`. No name ends in
/// four of them.
fn is_placed(before: &[u8], name: &[u8]) -> bool {
    // At most as many letters as a number has digits.
    match name {
        [.., b'X', b'X', b'X', b'X'] => {
            name.iter().rev().take(13).take_while(|b| **b == b'X').count() < 13
        }
        [.., b'.', b'+'] => true,
        // Asterisks that stand for text: `10.1000/***`. Other names without a digit end in none: `10.26434/chemrxiv*`.
        [.., b'*'] => {
            let start = 1 + memchr::memchr(b'/', name).unwrap_or(0);
            let stars = name.iter().rev().take_while(|b| **b == b'*').count();
            let is_open = match name[name.len() - stars - 1] {
                // The end of a reference in emphasis, which may open on another line: `*Smith. doi:10.1000/182.*`.
                b'.' => {
                    !(has_digit(&name[start..]) && (stars > 1 || emphasis::opens(before, b'*')))
                }
                last => last == b'/',
            };
            is_open
                || name.len() > start + 6
                    && !has_digit(&name[start..])
                    && !WITH_CHECK_SYMBOL.holds(&name[..start])
                    && !emphasis::opens(before, b'*')
        }
        [.., b'(', b'.', b'*' | b'+', b')'] => true,
        _ => false,
    }
}

/// Whether `rest`, directly after `name`, begins with a regular expression or a placeholder.
fn leads_to_pattern(name: &[u8], rest: &[u8]) -> bool {
    let is_open = matches!(name.last(), Some(b'/' | b'.' | b'-' | b'_'));
    match rest {
        [b'\\', b'd' | b'w' | b'S' | b'D', next, ..] => !next.is_ascii_alphabetic(),
        [b'\\', b'\\', b'd' | b'w' | b'S' | b'D', next, ..] => !next.is_ascii_alphabetic(),
        [b'{', b'{', b'{', ..] | [b'#', b'{', ..] => true,
        [b'[', b'^', ..] => is_open,
        // `10.1371/journal.pone.%07d`, as a decoder of octets leaves it.
        [b'%', rest @ ..] => is_open && is_number_format(rest),
        [b'?', b'[', _, b'-', _, ..] => true,
        _ => false,
    }
}

/// Whether `rest`, after a `%`, begins the format of a number: `07d`.
fn is_number_format(rest: &[u8]) -> bool {
    let digits = rest.iter().take(3).take_while(|b| b.is_ascii_digit()).count();
    let is_end = |next: Option<&u8>| !next.is_some_and(u8::is_ascii_alphanumeric);
    rest.get(digits) == Some(&b'd') && is_end(rest.get(digits + 1))
}

/// Whether `name` is the volume and the years of a journal, such as `10.1930/31` or
/// `10.1965/70(1971)`: the registrant is a year, and the suffix is a year up to fifteen years
/// later.
fn is_volume_and_year(name: &[u8]) -> bool {
    // `10.1965/1966(1967)` has the longest suffix of this form.
    let Some((prefix, suffix)) = name.split_first_chunk::<8>() else { return false };
    let [b'1', b'0', b'.', year @ .., b'/'] = prefix else { return false };
    if !matches!(year, [b'1', b'5'..=b'9', ..] | [b'2', b'0', ..]) || suffix.len() > 10 {
        return false;
    }
    let digits = suffix.iter().take_while(|b| b.is_ascii_digit()).count();
    let (until, rest) = suffix.split_at(digits);
    let (Some(year), Some(until)) = (number(year), number(until)) else { return false };
    let modulus = match digits {
        1 => 10,
        2 => 100,
        4 => 10_000,
        _ => return false,
    };
    let is_later = (1..=15).any(|years| (year + years) % modulus == until);
    is_later && is_year_in_brackets(rest)
}

/// Whether the text before a name says that it is a DOI: `10.1672/8` of the journal Waterbirds is one.
fn is_announced(before: &[u8]) -> bool {
    marker::is_marked(before) || before.ends_with(b"DO  - ")
}

/// Whether `rest` is empty or a year in brackets.
fn is_year_in_brackets(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [b'(', year @ .., b')'] => year.len() == 4 && number(year).is_some(),
        _ => false,
    }
}

/// Returns the number that `digits` spell.
fn number(digits: &[u8]) -> Option<u32> {
    let is_number = digits.iter().all(u8::is_ascii_digit);
    str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

/// Length of the longest volume with its years.
const LONGEST_VOLUME: usize = b"10.1965/1966(1967)".len();

/// Length of an ISSN and the year in an open bracket after it.
const LONGEST_SERIAL: usize = b"S1092-4388(2006".len();

/// Whether code around the trimmed `name` completes it: `'10.1002/advs.'`, `'10.18154/rwth-'`. The
/// name filled quotes and ended in a full stop, a colon, a hyphen or an underscore, or the code goes on with another
/// string. Journal codes have three letters or more. No name without a digit ends in a hyphen or an underscore.
pub(super) fn is_quoted_stem(around: Around<'_>, name: &[u8], start: usize) -> bool {
    let read = around.read();
    if matches!(read.last(), Some(b'.' | b'/' | b'_')) && is_continued(around.rest()) {
        return true;
    }
    // One of 628,072 names ends in a colon: that of Z39.84 has digits.
    if sici::ends_in_hyphen(name) || name.ends_with(b":") && !has_digit(&name[start..]) {
        return name[start..].iter().any(u8::is_ascii_alphanumeric);
    }
    let suffix = name[start..].strip_suffix(b"-").or_else(|| name[start..].strip_suffix(b"_"));
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

/// Whether the pages of a SICI that are not whole follow `name`: `(SICI)1097-4571(199507)46:6<400::AID-` at the end of a
/// line. They may have been read, and left out with their open bracket.
fn is_before_pages(around: Around<'_>, name: &[u8], start: usize) -> bool {
    let pages = around.read().split_at_checked(name.len());
    let pages = pages.filter(|(read, _)| read.eq_ignore_ascii_case(name));
    let pages = pages.map_or(&[][..], |(read, _)| &around.after[read.len()..]);
    [around.rest(), pages].iter().any(|rest| sici::is_before_pages(&name[start..], rest))
}

/// The tags between two parts of a text, also escaped in JSON and XML.
const DIVIDED: [&[u8]; 3] =
    [b"</span><span", br"\u003c/span\u003e\u003cspan", b"&lt;/span&gt;&lt;span"];

/// Whether `name` is the beginning of the text of a link whose address has a longer one: `[10.6028/NIST.SP.800-](…800-38D)`,
/// `<a href="…"><span>10.3103/s10</span><span>68373913110034</span></a>`.
fn is_cut_link(around: Around<'_>, name: &[u8]) -> bool {
    let rest = around.rest();
    let address = match rest.strip_prefix(b"](") {
        Some(address) => &address[..address.len().min(LOOKBEHIND)],
        None if DIVIDED.iter().any(|tags| rest.starts_with(tags)) => around.before,
        None => return false,
    };
    let name = name.strip_suffix(b"-").unwrap_or(name);
    let is_longer = |at: usize| {
        let (same, behind) = address[at..].split_at_checked(name.len()).unwrap_or_default();
        let next = behind.iter().find(|byte| !b".-/_(".contains(byte));
        same.eq_ignore_ascii_case(name) && next.is_some_and(u8::is_ascii_alphanumeric)
    };
    memmem::find_iter(address, b"10.").any(is_longer)
}

/// Whether `name` is the beginning of a longer name, cut at or within a bracket that opens directly after an
/// ISSN and does not close: `10.1044/1092-4388(2006/085` in text, `10.1016/S0140-6736(20` in a field. In 5,738 of 614,840
/// names, a bracket follows an ISSN. It closes in all of them except a mistyped one and two that are cut.
#[cold]
fn is_open_serial(around: Around<'_>, name: &[u8], start: usize) -> bool {
    let suffix = &name[start..];
    let serial = suffix.strip_prefix(b"S").unwrap_or(suffix);
    match issn(serial).map(|len| &serial[len..]) {
        Some([]) => matches!(around.read().get(name.len()..), Some([b'(', b'0'..=b'9', ..])),
        Some([b'(', year @ ..]) => year.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns why a candidate with the untrimmed `name` is rejected. `has_marks` says that one of
/// `{$[%\@` was read.
#[inline]
pub(super) fn when_read(around: Around<'_>, name: &[u8], has_marks: bool) -> Option<Reason> {
    // Fast path: nearly every name ends in a digit, and none of `\{#[` or `?[` follows it.
    let is_plain = name.last().is_some_and(u8::is_ascii_digit) && !has_marks;
    match around.rest() {
        [b'\\' | b'{' | b'#' | b'[', ..] | [b'?', b'[', ..] => {}
        _ if is_plain => return None,
        _ => {}
    }
    refused_when_read(around, name, has_marks)
}

fn refused_when_read(around: Around<'_>, name: &[u8], has_marks: bool) -> Option<Reason> {
    if is_elided(around, name) {
        return Some(Reason::Ellipsis);
    }
    // `\@` begins an internal command of TeX: `10.1017/\@jibyear`.
    let has_command = || {
        let read = around.read();
        memchr::memchr_iter(b'\\', read).any(|at| read.get(at + 1) == Some(&b'@'))
    };
    let is_marked = || {
        has_place_holder(name)
            || ends_in_percent(name, around.read())
            || ends_in_variable(name) && !around.read().ends_with(br"\}")
            || has_command()
    };
    let is_pattern = has_marks && is_marked()
        || is_placed(around.before, name)
        || name.last().is_some_and(u8::is_ascii_alphabetic)
            && (memmem::find(name, b"/*.").is_some() || name.ends_with(b"/UNDEFINED"));
    (is_pattern || leads_to_pattern(name, around.rest())).then_some(Reason::Pattern)
}

/// Whether [`when_trimmed`] accepts `name` before anything but `<`, `&`, `[`, `](` and `\u`. Nearly every name
/// ends in a digit and has a registrant that is not a year. Most others end in one letter:
/// `10.1111/J.1469-8137.2004.01185.X`.
#[inline(always)] // 2 % of the instructions of dense CSV
pub(super) fn is_plain(name: &[u8], start: usize) -> bool {
    let is_year = matches!(name, [_, _, _, b'1', b'5'..=b'9', ..] | [_, _, _, b'2', b'0', ..]);
    let is_long = name.len() > LONGEST_VOLUME;
    let is_whole = match name {
        [.., b'0'..=b'9'] => !is_year || is_long,
        [.., b'0'..=b'9', b'A'..=b'Z'] | [.., b'0'..=b'9', b'.' | b'-', b'A'..=b'Z'] => is_long,
        _ => false,
    };
    is_whole && (name.len() > start + LONGEST_SERIAL || !may_be_serial(&name[start..]))
}

/// Whether the hyphen of an ISSN or the label of a SICI may be in `suffix`: `0012-9658`, `S0140-6736`, `(SICI)1234`.
#[inline]
fn may_be_serial(suffix: &[u8]) -> bool {
    matches!(suffix, [_, _, _, _, b'-', ..] | [_, _, _, _, _, b'-', ..] | [b'(', ..])
}

/// Returns why a candidate with the trimmed `name` is rejected. Its suffix begins at `start`.
#[inline]
pub(super) fn when_trimmed(around: Around<'_>, name: &[u8], start: usize) -> Option<Reason> {
    match around.rest() {
        [b'<' | b'&' | b'[', ..] | [b']', b'(', ..] | [b'\\', b'u', ..] => {}
        _ if is_plain(name, start) && !sici::begins(&name[start..]) => return None,
        _ => {}
    }
    refused_when_trimmed(around, name, start)
}

fn refused_when_trimmed(around: Around<'_>, name: &[u8], start: usize) -> Option<Reason> {
    // In a field, where no punctuation is trimmed. No name ends in it.
    if name.ends_with("…".as_bytes()) {
        return Some(Reason::Ellipsis);
    }
    let suffix = &name[start..];
    if is_open_serial(around, name, start)
        || sici::is_cut(suffix)
        || sici::is_before_semicolon(suffix)
    {
        return Some(Reason::Stem);
    }
    if is_placed(around.before, name) {
        return Some(Reason::Pattern);
    }
    if is_volume_and_year(name) && !is_announced(around.before) {
        return Some(Reason::VolumeYear);
    }
    let rest = around.rest();
    // Fields have the names of their sources, also those that are cut there: `10.1111/j.1467-`.
    let is_sentence = match rest {
        [b')' | b']', ..] | [b',', b' ', ..] => true,
        [b' ', ..] => name.ends_with(b".CO;2-"),
        _ => false,
    };
    let is_open_hyphen = || sici::ends_in_hyphen(name) || name.ends_with(b".CO;2-");
    let is_cut = is_sentence && is_open_hyphen()
        || is_before_pages(around, name, start)
        || is_cut_link(around, name);
    let is_open = suffix.len() > 1 && !has_digit(suffix) && name.ends_with(b"_");
    (is_cut || is_open).then_some(Reason::Stem)
}

#[cfg(test)]
mod tests;
