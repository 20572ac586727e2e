//! SICI (Z39.56): the only form in which a name contains `<`, `>` and `;`.
//!
//! An example is `10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O`. Some names have
//! `[…]` instead of `<…>`, which the balance of brackets covers.

use super::class::LEADER;
use super::serial::issn;
use crate::decode::{Char, Layer, Text, has_no_width};
use alloc::vec::Vec;

/// Maximum number of characters between `<` and `>`. Real SICIs have up to 30.
const MAX_PAGES: usize = 64;

/// Replaces `¡` and `¿` around the pages of a SICI at the end of `name`, which begin at `from`, by the marks of the standard.
#[cold]
pub(super) fn restore_pages(name: &mut Vec<u8>, from: usize) {
    name.truncate(name.len() - "¿".len());
    name.push(b'>');
    name.splice(from..from + "¡".len(), *b"<");
}

/// Returns the end of the pages `<693::AID-ASI4>` that begin at `at`, if a version such as `3.0`
/// follows them. Empty pages (`<>`) occur.
pub(super) fn pages(text: &Text<'_>, at: usize) -> Option<usize> {
    let open = text.at(at)?;
    // DOIs are registered with the marks that fonts of TeX have for these.
    let close = match open.code {
        0x3c => 0x3e,
        0xa1 => 0xbf,
        _ => return None,
    };
    let (mut place, mut colon, mut dots) = (open.next, false, 0);
    for count in 0..MAX_PAGES {
        let c = visible(text, place)?;
        place = c.next;
        if c.code == close {
            return ((colon || count == 0) && is_version(text, place)).then_some(place);
        }
        let byte = c.ascii().filter(|b| b.is_ascii_graphic() && !b"<\"|\\".contains(b))?;
        colon |= byte == b':';
        // Leader dots end every name.
        dots = if byte == b'.' { dots + 1 } else { 0 };
        if dots == LEADER.len() {
            return None;
        }
    }
    None
}

/// What comes before a SICI in the names of Wiley.
pub(super) const LABEL: &[u8] = b"(SICI)";

/// Whether `name` ends in a hyphen that is not that of a SICI without a check character. 24 of 1.4 million names do, nearly
/// all stems.
pub(super) fn ends_in_hyphen(name: &[u8]) -> bool {
    name.ends_with(b"-") && !name.ends_with(b";2-")
}

/// Whether the folded `suffix` is a SICI that ends before its check character, or may be one.
pub(super) fn is_open(suffix: &[u8]) -> bool {
    suffix.ends_with(b";2-") || suffix.starts_with(LABEL) && !suffix.contains(&b';')
}

/// Whether `suffix` begins like a SICI, with its label or with an ISSN and a bracket: `0012-9658(2003)084`.
pub(super) fn begins(suffix: &[u8]) -> bool {
    suffix.starts_with(LABEL) || issn(suffix).is_some_and(|len| suffix.get(len) == Some(&b'('))
}

/// Whether `word`, at the start of the next line, ends the SICI that `suffix` begins: `49:8<693::AID-ASI4>3.0.CO;2-O`,
/// or `O` after the hyphen before the check character.
pub(super) fn ends(suffix: &[u8], word: &[u8]) -> bool {
    let is_mark = |b: &u8| b".,;)]".contains(b);
    match word {
        [check, rest @ ..] if suffix.ends_with(b";2-") => {
            (check.is_ascii_alphanumeric() || *check == b'#') && rest.iter().all(is_mark)
        }
        _ => word.windows(b";2-".len()).any(|code| code == b";2-"),
    }
}

/// Whether `word` is the end of a SICI after its semicolon, with or without the check character: `2-1`, `2`.
pub(super) fn is_code(word: &[u8]) -> bool {
    matches!(word, [b'2'] | [b'2', b'-', b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'#'])
}

/// Whether `rest` begins with the version and the code of a SICI: `3.0.CO`.
pub(super) fn begins_version(rest: &[u8]) -> bool {
    matches!(rest, [a, b'.', b, b'.', b'C' | b'c', b'O' | b'o', ..] if a.is_ascii_digit() && b.is_ascii_digit())
}

/// How far a text agrees with the form of a SICI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It is no SICI.
    Other,
    /// It is the beginning of one.
    Partial,
    /// It is one, up to its `;2`.
    Whole,
}

/// Returns how far the folded `text` agrees with the form of a SICI: `(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2`.
pub(super) fn progress(text: &[u8]) -> Progress {
    let rest = text.strip_prefix(LABEL).unwrap_or(text);
    if text.len() < LABEL.len() && LABEL.starts_with(text) {
        return Progress::Partial;
    }
    let Some((number, rest)) = rest.split_at_checked(ISSN) else {
        let is_part =
            |at: usize| if at == 4 { rest[at] == b'-' } else { rest[at].is_ascii_digit() };
        return if (0..rest.len()).all(is_part) { Progress::Partial } else { Progress::Other };
    };
    let is_number = |b: &u8| b.is_ascii_digit() || b"/:+".contains(b);
    let rest = match rest.strip_prefix(b"(") {
        _ if issn(number).is_none() => return Progress::Other,
        None if rest.is_empty() => return Progress::Partial,
        None => return Progress::Other,
        Some(rest) => rest,
    };
    let date = rest.iter().take_while(|b| is_number(b)).count();
    let rest = match &rest[date..] {
        [] => return Progress::Partial,
        [b')', rest @ ..] if date >= 4 => rest,
        _ => return Progress::Other,
    };
    let volume = rest.iter().take_while(|b| is_number(b)).count();
    let (close, pages) = match &rest[volume..] {
        [] => return Progress::Partial,
        [b'<', pages @ ..] => (b'>', pages),
        [b'[', pages @ ..] => (b']', pages),
        _ => return Progress::Other,
    };
    let is_page = |b: &u8| b.is_ascii_alphanumeric() || b"-:+./".contains(b);
    let len = pages.iter().take_while(|b| is_page(b)).count();
    let code = match &pages[len..] {
        [] => return Progress::Partial,
        [byte, code @ ..] if *byte == close => code,
        _ => return Progress::Other,
    };
    let fits =
        |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    match code.iter().zip(b"0.0.CO;2").all(fits) {
        false => Progress::Other,
        true if code.len() < b"0.0.CO;2".len() => Progress::Partial,
        true => Progress::Whole,
    }
}

/// Length of an ISSN.
const ISSN: usize = 9;

/// Whether the folded `suffix` is an ISSN, a year and a number alone, with which SICIs begin: `1520-0400(2002)130`,
/// `1097-4571(2000)9999:9999`.
pub(super) fn is_front(suffix: &[u8]) -> bool {
    progress(suffix) == Progress::Partial
        && suffix.last().is_some_and(u8::is_ascii_digit)
        && memchr::memchr2(b'<', b'[', suffix).is_none()
        && suffix.contains(&b')')
        && !suffix.starts_with(LABEL)
}

/// Whether the folded `suffix` is a SICI that stops before its end: one with its label that has no code or no check character
/// after it, or one whose bracket is open or has something else than the code after it: `(SICI)1097-0200(19970515)16:9`,
/// `1520-0400(2002)130[0550:IO`, `(SICI)1098-1063(1997)7:3<283::AID-HIPO4>3.0.CO;2`. Names may end in pages:
/// `0016-7606(1952)63[1117]`.
pub(super) fn is_cut(suffix: &[u8]) -> bool {
    if !begins(suffix) {
        return false;
    }
    // The entities of the brackets are damaged.
    if suffix.windows(3).any(|three| matches!(three, b"LT;" | b"GT;")) {
        return true;
    }
    let has_label = suffix.starts_with(LABEL);
    let is_end = |at: &usize| {
        suffix[at + 1..].starts_with(b"2")
            && matches!(&suffix[..*at], [.., b'.', c, d] if is_code_of_title(*c, *d))
    };
    // Z39.84 prints a colon in its example.
    match memchr::memchr2_iter(b';', b':', suffix).find(is_end) {
        Some(at) => {
            let is_checked = matches!(&suffix[..at], [.., b'1' | b'3', b'.', _, b'.', _, _]);
            has_label && is_checked && matches!(&suffix[at + 2..], b"" | b"-")
        }
        None => {
            let is_open = || memchr::memchr(b'[', suffix).is_some() && !suffix.ends_with(b"]");
            has_label || memchr::memchr(b'<', suffix).is_some() || is_open()
        }
    }
}

/// Whether `rest`, which follows the folded `suffix`, opens the pages of a SICI: `<0550:IORHFV`, `%3C::AID-`, `[0063:`. Tags begin
/// with a letter, and a slash in a tag comes before its colon.
pub(super) fn is_before_pages(suffix: &[u8], rest: &[u8]) -> bool {
    let text = Text { bytes: &rest[..rest.len().min(MAX_PAGES)], twice: true };
    let Some(open) = text.at(0).filter(|c| c.is(b'<') || c.is(b'[')) else { return false };
    if !is_front(suffix) {
        return false;
    }
    let (mut place, mut len, mut has_digit) = (open.next, 0, false);
    while let Some(c) = text.at(place) {
        match c.ascii() {
            Some(b':') => return true,
            Some(byte) if byte.is_ascii_alphanumeric() => has_digit |= byte.is_ascii_digit(),
            _ => break,
        }
        (place, len) = (c.next, len + 1);
    }
    open.is(b'<')
        && (len == 0 && !matches!(text.at(place), Some(c) if c.is(b'/') || c.is(b'!'))
            || has_digit && rest.get(1).is_some_and(u8::is_ascii_digit))
}

/// Restores the semicolon of a SICI in the folded `name`, whose suffix begins at `start`: where a comma stands for it
/// (`3.0.CO,2-4`), and with the code of the second version where it ended the text: `1520-0493(1989)117<2325:TCSOAR>2.0.CO`. Returns
/// whether it was missing.
pub(super) fn complete(name: &mut Vec<u8>, start: usize) -> bool {
    let is_comma =
        |at: &usize| name[*at + 1..].starts_with(b"2") && is_before_semicolon(&name[..*at]);
    if let Some(at) = memchr::memrchr(b',', name).filter(|at| *at > start && is_comma(at)) {
        name[at] = b';';
        return true;
    }
    let suffix = name.get(start..).unwrap_or_default();
    let is_cut = suffix.ends_with(b".CO")
        && is_before_semicolon(suffix)
        && matches!(suffix, [.., b'2', b'.', _, b'.', b'C', b'O']);
    if is_cut {
        name.extend_from_slice(b";2");
    }
    is_cut
}

/// Returns the length of the part of a SICI at the start of `rest`, which follows the folded `suffix` in a field: the
/// colon after a number, pages of letters, digits and `-:` before a version, or the semicolon of `.CO;2`. None of them
/// is escaped, and the rules for marks take each if no other name begins in it.
pub(super) fn plain_part(rest: &[u8], suffix: &[u8]) -> Option<usize> {
    match rest {
        [b':', ..] => suffix.last().is_some_and(u8::is_ascii_digit).then_some(1),
        [b';', b'2', ..] => is_before_semicolon(suffix).then_some(1),
        [b'<', behind @ ..] => {
            let end = behind.iter().take(MAX_PAGES).position(|b| *b == b'>')?;
            let (pages, behind) = (&behind[..end], &behind[end + 1..]);
            let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':');
            let is_version =
                matches!(behind, [a, b'.', b, ..] if a.is_ascii_digit() && b.is_ascii_digit());
            let has_colon = pages.is_empty() || pages.contains(&b':');
            (is_version && has_colon && pages.iter().all(is_part)).then_some(end + 2)
        }
        _ => None,
    }
}

/// Returns the character at `at`, or the next one with a width.
fn visible(text: &Text<'_>, at: usize) -> Option<Char> {
    let mut c = text.at(at)?;
    while has_no_width(c.code) {
        c = text.at(c.next)?;
    }
    Some(c)
}

/// Whether a version is at `at`: digit, full stop, digit.
fn is_version(text: &Text<'_>, at: usize) -> bool {
    let digit = |at: usize| visible(text, at).filter(Char::is_digit);
    let stop = digit(at).and_then(|c| visible(text, c.next)).filter(|c| c.is(b'.'));
    stop.is_some_and(|c| digit(c.next).is_some())
}

/// Whether `suffix` ends in the version and the code of a SICI: `>3.0.CO`, also with zeros for the letters, as readers of
/// pages take them. The `;2` after them belongs to the name even if `;` delimits cells.
pub(super) fn is_before_semicolon(suffix: &[u8]) -> bool {
    matches!(suffix, [.., b'>' | b']' | b'\xbf', a, b'.', b, b'.', c, d]
        if a.is_ascii_digit() && b.is_ascii_digit() && is_code_of_title(*c, *d))
}

/// Whether `c` and `d` are the code of a SICI, also with zeros for letters.
fn is_code_of_title(c: u8, d: u8) -> bool {
    match (c, d) {
        (b'C' | b'O' | b'0', b'0') | (b'0', b'O') => true,
        _ => c.is_ascii_uppercase() && d.is_ascii_uppercase(),
    }
}

/// Whether a name continues after a `;`. `suffix` is the folded suffix before it, and the text
/// after it begins at `at`.
///
/// 0.29 % of names contain `;`, nearly all of them as `.CO;2`. The rest are Swets codes
/// (`25:4;1-A;FT485`) and years with volume and page (`2006;05:61-70`).
pub(super) fn goes_on_after_semicolon(text: &Text<'_>, at: usize, suffix: &[u8]) -> bool {
    let byte = |at: usize| visible(text, at).and_then(|c| Some((c.ascii()?, c.next)));
    let Some((first, next)) = byte(at) else { return false };
    let second = byte(next).map(|(b, _)| b);
    let is_code =
        || matches!(suffix, [.., b'.', a, b] if a.is_ascii_uppercase() && b.is_ascii_uppercase());
    // In a table, `10.1089/sur.2018.29014.df;200` is a name and a number.
    let is_version = || first == b'2' && !second.is_some_and(|b| b.is_ascii_alphanumeric());
    if is_code() && is_version() || first == b'2' && is_before_semicolon(suffix) {
        return true;
    }
    if first.is_ascii_alphabetic() {
        // Programs that join references write no blank after the code of a SICI.
        let swets = match suffix {
            [.., b'C', b'O', b';', _, b'-', _] => false,
            [.., b';', digit, b'-', _] => digit.is_ascii_digit(),
            _ => false,
        };
        return swets && second.is_some_and(|b| b.is_ascii_alphanumeric());
    }
    if first.is_ascii_digit() && (second == Some(b'-') || is_scielo(text, at, suffix)) {
        return true;
    }
    let mut place = at;
    while let Some((digit, next)) = byte(place)
        && digit.is_ascii_digit()
        && next - at < MAX_PAGES
    {
        place = next;
    }
    let Some((stop, _)) = byte(place).filter(|_| place > at) else { return false };
    stop == b':'
}

/// Whether the text at `at` is the year, volume, number and page of a SciELO journal, or a part of
/// them: `10.1590/1984-0462/;2018;36;2;00004`.
fn is_scielo(text: &Text<'_>, at: usize, suffix: &[u8]) -> bool {
    let Some(slash) = suffix.iter().rposition(|&b| b == b'/') else { return false };
    match &suffix[slash + 1..] {
        [] => {
            let year =
                (0..4).try_fold(at, |at, _| text.at(at).filter(Char::is_digit).map(|c| c.next));
            year.is_some_and(|end| text.spells(end, b";").is_some())
        }
        [b';', rest @ ..] => rest.iter().all(|b| b.is_ascii_digit() || *b == b';'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text<'_> {
        Text { bytes, twice: false }
    }

    #[test]
    fn pages_of_a_sici() {
        for (bytes, len) in [
            ("<693::AID-ASI4>3.0.CO;2-O", Some(15)),
            ("&lt;693::AID-ASI4&gt;3.0.CO;2-O", Some(21)),
            ("%3C693::AID-ASI4%3E3.0.CO;2-O", Some(19)),
            ("<>1.0.CO;2-#", Some(2)),
            ("<0130:DNF>2.0.CO;2", Some(10)),
            ("¡105::AID-AB2¿3.0.CO;2-U", Some(16)),
            ("<b>3.0", None),
            ("</doi>", None),
            ("<693::AID-ASI4>", None),
            ("<693::A B>3.0", None),
            ("<:.....>1.0", None),
            ("a", None),
        ] {
            assert_eq!(pages(&text(bytes.as_bytes()), 0), len, "{bytes}");
        }
    }

    #[test]
    fn semicolons() {
        for (suffix, rest, expected) in [
            ("X>3.0.CO", "2-O", true),
            ("X>2.0.C0", "2.", true),
            ("X>2.0.00", "2", true),
            ("X>2.0.01", "2", false),
            ("1(2000)25:4", "1-A;FT485", true),
            ("1(2000)25:4;1-A", "FT485", true),
            ("NEUROCRIT.CARE2006", "05:61-70", true),
            ("ABC;2-Q/ABSTRACT", "jsessionid=1", false),
            ("ABC", "10.1000/182", false),
            ("1984-0462/", "2018;36;2;00004", true),
            ("1984-0462/;2018;36", "2;00004", true),
            ("1984-0462/", "2018", false),
            ("1984-0462/A", "2018;36", false),
            ("ABC", "see", false),
            ("ABC", " 2", false),
            ("ABC", "", false),
        ] {
            let found = goes_on_after_semicolon(&text(rest.as_bytes()), 0, suffix.as_bytes());
            assert_eq!(found, expected, "{suffix};{rest}");
        }
    }
}
