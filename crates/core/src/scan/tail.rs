//! Cuts tails: what publishers, reference lists and interfaces put after a name. The tables are in
//! [`rules`](super::rules).

use super::around::has_digit;
use super::registrant::{self, heads};
use super::rules::{
    FILES, GENERIC, GLUED_HOSTS, HOSTED, NUMBERED, PAGES, PATH_BEGINNINGS, PATHS, VERSIONED, WORDS,
};
use super::serial::issn;
use super::{Repair, marker};
use crate::doi::holds;
use crate::lazy::LazyLock;
use crate::rule::{Row, Table};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use alloc::vec::Vec;
use memchr::memmem;

/// Where a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// In running text, after these bytes.
    Running(&'a [u8]),
    /// It fills a field, or is a single value.
    Field,
}

const VERSIONED_HEADS: [u64; VERSIONED.rows.len()] = heads(&VERSIONED);
const NUMBERED_HEADS: [u64; NUMBERED.rows.len()] = heads(&NUMBERED);

/// Whether [`cut`] may cut the folded `name`, which fills a field. `has_slash` says that its suffix
/// has a slash.
#[inline]
pub(super) fn may_cut(name: &[u8], has_slash: bool) -> bool {
    // Numbers, titles and segments follow a slash.
    has_slash
        || name.last().is_some_and(|last| ends_in_field(last) || matches!(last, b'M' | b'_'))
        || VERSIONED_HEADS.contains(&registrant::head(name))
}

/// Returns the length of the folded `name` without its tail, and the kind of repair. The suffix
/// begins at `start`.
#[inline]
pub(super) fn cut(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    if ends_in_return(name) {
        return Some((name.len() - CARRIAGE_RETURN.len(), Repair::Glued));
    }
    let head = registrant::head(name);
    if VERSIONED_HEADS.contains(&head)
        && let Some(len) = version(name, start)
    {
        return Some((len, Repair::Version));
    }
    if NUMBERED_HEADS.contains(&head)
        && let Some(len) = numbered(name, start)
    {
        return Some((len, Repair::PublisherPath));
    }
    let suffix = &name[start..];
    if let Place::Running(before) = place
        && let Some(len) = before_mark(suffix, before)
    {
        return Some((start + len, Repair::Glued));
    }
    let has_segment = match place {
        // In a field, segments are cut, and few begin like these.
        Place::Field => may_have_segment(suffix) || has_host(suffix),
        Place::Running(_) => holds(suffix, b'/') || has_host(suffix),
    };
    if place == Place::Field && !has_segment && !suffix.last().is_some_and(ends_in_field) {
        return None;
    }
    let within = || {
        let found = within(name, start, place).or_else(|| stored(name, start));
        let found = found.or_else(|| hosted(name, start, place));
        let found = found.or_else(|| journal(name, start, place));
        let found = found.or_else(|| silverchair(name, start, place));
        let found = found.or_else(|| chapter(name, start, place));
        found.or_else(|| figure(name, start, place))
    };
    ending(name, start, place).or_else(|| has_segment.then(within).flatten())
}

/// Returns the length of a name without the number and the file of a figure, which repeats the code of the article:
/// `/10.1093/CPT/CPT053/2/M_CPT05301.JPEG`, as on the servers of Silverchair, or without such a file directly after it:
/// `/10.1049/ETR.2013.9002/ETR.2013.9002.PDF`. None of 628,069 names contains this.
fn figure(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    let Place::Running(before) = place else { return None };
    let suffix = &name[start..];
    let slash = memchr::memrchr(b'/', suffix)?;
    let (rest, file) = (&suffix[..slash], &suffix[slash + 1..]);
    // The volume of an article may begin its number: `10.1088/0031-9155/58/16/5803`.
    let is_code = |code: &[u8]| {
        has_digit(code) && (code.len() >= 5 || code.iter().any(u8::is_ascii_alphabetic))
    };
    let file = file.strip_prefix(b"M_").unwrap_or(file);
    // The length of the code, if the file repeats it.
    let again = |rest: &[u8]| {
        let code = rest.rsplit(|&b| b == b'/').next().filter(|code| is_code(code))?;
        let is_same = |(a, b): (&u8, &u8)| a == b || *a == b'.' && *b == b'-';
        // Files of PLOS have no `journal.` in their names.
        let file = if code.starts_with(b"JOURNAL.") && code.ends_with(file) { code } else { file };
        let is_again = file.len() >= code.len() && code.iter().zip(file).all(is_same);
        is_again.then_some(code.len())
    };
    let number = memchr::memrchr(b'/', rest).map_or(rest, |at| &rest[at + 1..]);
    let is_number = (1..=3).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    let len = match is_number {
        true => rest.len().checked_sub(number.len() + 1)?,
        false => rest.len(),
    };
    // The extension of a file directly after the code is cut already.
    let is_page =
        again(&rest[..len]).is_some_and(|code| is_number || code == file.len() && code >= 5);
    (is_page && marker::is_in_path(before)).then_some((start + len, Repair::PublisherPath))
}

/// A carriage return of a cell of Excel (ECMA-376, `ST_Xstring`). No name ends in it.
const CARRIAGE_RETURN: &[u8] = b"_X000D_";

/// Whether the folded `name` ends in a carriage return of Excel: `10.1038/nature12373_x000D_`.
pub(super) fn ends_in_return(name: &[u8]) -> bool {
    name.last() == Some(&b'_') && name.ends_with(CARRIAGE_RETURN)
}

/// Returns the length of `suffix` up to the blank of a query, a command of Doxygen, or a full stop and a blank of TeX:
/// `10.18148/srm/2009.v3i1.666.~Springer`.
fn before_mark(suffix: &[u8], before: &[u8]) -> Option<usize> {
    let at = memchr::memchr3(b'+', b' ', b'@', suffix).or_else(|| memchr::memchr(b'~', suffix));
    let at = at.filter(|at| *at > 0)?;
    let is_end = match suffix[at] {
        b'@' => is_command(suffix, at),
        b'~' => suffix[at - 1] == b'.',
        blank => is_in_query(blank, before),
    };
    is_end.then_some(at)
}

/// Whether a name with this `blank` is in a value of the query of an address that has blanks of the same spelling before
/// the name: `?q=Nature+https%3A%2F%2Fdoi.org%2F10.1038%2Fs41586-021-03819-2+2021`, `text=Paper:%20https://…`.
fn is_in_query(blank: u8, before: &[u8]) -> bool {
    let blank: &[u8] = if blank == b'+' { b"+" } else { b"%20" };
    let value = before.iter().rev().take_while(|b| b.is_ascii_graphic() && !b"=\"'<>".contains(b));
    let value = &before[before.len() - value.count()..];
    let is_query = before[..before.len() - value.len()].ends_with(b"=");
    is_query && memmem::find(value, blank).is_some()
}

/// Whether a command of Doxygen is at `at`: `10.1074/mcp.TIR119.001752.@n`. Two of 628,072 names have an `@`, before
/// `PROOFING`.
#[cold]
fn is_command(suffix: &[u8], at: usize) -> bool {
    let word = &suffix[at + 1..];
    let is_known = suffix[at - 1] == b'.' || word == b"N" || word.starts_with(b"END");
    is_known && !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic)
}

/// Whether `suffix` ends in one of [`GLUED_HOSTS`], whose slash is trimmed already.
fn ends_in_host(suffix: &[u8]) -> bool {
    match suffix.last() {
        Some(b'G') => suffix.ends_with(b"DOI.ORG"),
        Some(b'M') => suffix.ends_with(b".SAGEPUB.COM"),
        _ => false,
    }
}

/// Whether `suffix` may contain one of [`GLUED_HOSTS`] without a slash after it.
fn has_host(suffix: &[u8]) -> bool {
    ends_in_host(suffix) || holds(suffix, b'W') && memmem::find(suffix, b"WWW.").is_some()
}

/// Returns the length of the name of a preprint without its version and the view of its page:
/// `10.1101/656678V1`, `10.1101/656678V1.ARTICLE-METRICS`.
fn version(name: &[u8], start: usize) -> Option<usize> {
    let suffix = &name[start..];
    let number = suffix.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let version = suffix[number..].strip_prefix(b"V").filter(|_| number >= 6)?;
    let digits = version.iter().take_while(|b| b.is_ascii_digit()).count();
    let (first, view) = version[digits..].split_first().unwrap_or((&b'.', b""));
    let is_view = (*first == b'.' || first.is_ascii_alphabetic())
        && view.iter().all(|b| b.is_ascii_alphabetic() || b"-.".contains(b));
    let is_version = (1..=2).contains(&digits) && is_view && VERSIONED.holds(&name[..start]);
    is_version.then_some(start + number)
}

/// Returns the length of a name without the number and the title that pages add:
/// `10.1093/BIOINFORMATICS/BTZ162/5372677`.
fn numbered(name: &[u8], start: usize) -> Option<usize> {
    let mut segments = name[start..].splitn(4, |&b| b == b'/');
    let journal =
        segments.next().filter(|journal| journal.iter().all(u8::is_ascii_alphanumeric))?;
    let article = segments.next().filter(|article| !article.is_empty())?;
    let number = segments.next()?;
    let is_number = (5..=9).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    let is_numbered = is_number && NUMBERED.holds(&name[..start]);
    is_numbered.then(|| start + journal.len() + 1 + article.len())
}

/// Returns the length of a name without the number and the title that the pages of Silverchair add:
/// `/article-abstract/doi/10.1182/BLOOD.2019004397/474417/PRELEUKEMIC`.
fn silverchair(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    let Place::Running(before) = place else { return None };
    let suffix = &name[start..];
    let is_number = |at: &usize| {
        let rest = &suffix[at + 1..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        (5..=8).contains(&digits) && matches!(rest.get(digits), None | Some(b'/'))
    };
    let at = memchr::memchr_iter(b'/', suffix).filter(|&at| at > 0).find(is_number)?;
    let before = marker::unwrapped(before);
    let page = before.strip_suffix(b"/doi/")?;
    let segment = &page[1 + memchr::memrchr(b'/', page)?..];
    segment.starts_with(b"article").then_some((start + at, Repair::PublisherPath))
}

/// Returns the length of the name of a journal of Wiley in the path of a page, without the segments after it:
/// `/journal/10.1002/(ISSN)2198-3844/EARLYVIEW`. None of 179 such names continues.
fn journal(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    let Place::Running(before) = place else { return None };
    let number = name[start..].strip_prefix(b"(ISSN)")?;
    let end = start + b"(ISSN)".len() + issn(number)?;
    (name.get(end) == Some(&b'/') && marker::is_in_path(before))
        .then_some((end, Repair::PublisherPath))
}

/// Returns the length of the name of a book without the chapter that its pages add after the ISBN, which they repeat:
/// `/view/10.1093/ACTRADE/9780190458164.001.0001/ACTRADE-9780190458164-CHAPTER-1`. Encyclopedias and handbooks
/// have names like this.
fn chapter(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    const BOOK: &[u8] = b".001.0001";
    const SHORTEST: usize = b"A/9780190458164.001.0001/A-9780190458164".len();
    let Place::Running(before) = place else { return None };
    if name.len() < start + SHORTEST {
        return None;
    }
    let end = start + memchr::memmem::find(&name[start..], BOOK)?;
    let (isbn, slash) = (name[start..end].last_chunk::<13>()?, end + BOOK.len());
    let chapter = name[slash..].strip_prefix(b"/")?;
    let letters = chapter.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (code, rest) = chapter.split_at(letters);
    let other = rest.strip_prefix(b"-")?;
    let is_again = other.starts_with(isbn);
    let is_page = match code {
        b"" => false,
        b"ACREFORE" | b"OXFORDHB" => is_again && other.len() == isbn.len(),
        // Of another edition.
        b"UPSO" => other.starts_with(b"978"),
        _ => is_again,
    };
    (is_page && marker::is_in_path(before)).then_some((slash, Repair::PublisherPath))
}

/// Whether a row of [`FILES`] that holds in fields may end in `byte`.
fn ends_in_field(byte: &u8) -> bool {
    matches!(byte, b'F' | b'G' | b'L' | b'T')
}

/// Whether a row of [`PAGES`], [`FILES`] or [`WORDS`] may end in `byte`.
const fn ends_row(byte: u8) -> bool {
    byte.is_ascii_uppercase() || matches!(byte, b')' | b']' | b'}')
}

// A row that ends in another byte would never be found.
const _: () = {
    let (tables, mut i) = ([&PAGES, &FILES, &WORDS], 0);
    while i < tables.len() {
        let mut row = 0;
        while row < tables[i].rows.len() {
            let text = tables[i].rows[row].text.as_bytes();
            assert!(ends_row(text[text.len() - 1]), "add the last byte of the row to `ends_row`");
            row += 1;
        }
        i += 1;
    }
};

/// Whether the last segment of `name` is one that pages add. In a field, it is cut only from the names of the
/// registrants of its row.
pub(crate) fn ends_in_page(name: &[u8], start: usize) -> bool {
    let slash = memchr::memrchr(b'/', &name[start..]).filter(|&at| at > 0);
    slash.is_some_and(|at| is_row(&PAGES, &name[start + at..], |row| row.is_of(name)))
}

/// Returns the length of `name` without a glued word or identifier, or without the last segment or
/// the file extension of a page.
fn ending(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    let suffix = &name[start..];
    let is_running = matches!(place, Place::Running(_));
    if is_running && let Some(len) = identified(name, start) {
        return Some((len, Repair::Glued));
    }
    let last = *suffix.last()?;
    if !ends_row(last) {
        return None;
    }
    let ends = |row: &&Row| {
        suffix.strip_suffix(row.text.as_bytes()).is_some_and(|rest| !rest.ends_with(b"/"))
    };
    if is_running && let Some(row) = WORDS.iter().find(ends) {
        return Some((name.len() - row.text.len(), Repair::Glued));
    }
    let at = suffix.iter().rposition(|&b| b == b'/' || b == b'.')?;
    let is_page = match suffix[at] {
        b'/' => {
            at > 0
                && is_row(&PAGES, &suffix[at..], |row| match place {
                    Place::Field => row.is_also(name),
                    Place::Running(_) => row.is_of(name),
                })
        }
        _ if is_running => is_row(&FILES, &suffix[at..], |row| row.is_of(name)),
        _ => is_row(&FILES, &suffix[at..], |row| row.is_also(name)),
    };
    is_page.then_some((start + at, Repair::PublisherPath))
}

/// Whether `text` is in `table`, in a row for which `is` holds.
fn is_row(table: &Table, text: &[u8], is: impl Fn(&Row) -> bool) -> bool {
    table.iter().any(|row| row.text.as_bytes() == text && is(row))
}

/// Returns the length of `name` without the identifier of PubMed that is glued to its end.
#[inline]
pub(super) fn identified(name: &[u8], start: usize) -> Option<usize> {
    pubmed(&name[start..]).map(|len| name.len() - len)
}

/// What comes before the number of PubMed and PubMed Central.
const LABELS: [&[u8]; 3] = [b"PMC", b"PMID", b"PUBMED"];

/// Returns the length of an identifier of PubMed or PubMed Central, or a date of PubMed, glued to the end of `suffix`:
/// `PMC1234567`.
fn pubmed(suffix: &[u8]) -> Option<usize> {
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let head = &suffix[..suffix.len() - digits];
    // The date of a collection, which PubMed gives: `.eCollection2014`. No name contains it.
    if let Some(name) = head.strip_suffix(b".ECOLLECTION") {
        return (digits == 4 && !name.is_empty()).then_some(suffix.len() - name.len());
    }
    let label = LABELS.iter().find(|label| digits >= 5 && head.ends_with(label))?;
    // The suffix may consist of it: `10.1000/PMC1234567`.
    (head.len() > label.len()).then_some(digits + label.len())
}

/// Returns the length of `name` without the session of a Java servlet, which its address has after a semicolon.
pub(super) fn before_session(name: &[u8], start: usize) -> Option<(usize, Repair)> {
    let at = memmem::find(&name[start..], b";JSESSIONID").filter(|at| *at > 0)?;
    Some((start + at, Repair::PublisherPath))
}

/// Returns the length of `name` without what is glued to the check character of a SICI.
pub(super) fn after_check(name: &[u8], start: usize) -> Option<(usize, Repair)> {
    const CODE: &[u8] = b".CO;2-";
    let suffix = &name[start..];
    let at = memmem::find(suffix, CODE).filter(|_| holds(suffix, b';'))?;
    let end = at + CODE.len() + 1;
    (suffix.len() > end && suffix[..end].is_ascii()).then_some((start + end, Repair::Glued))
}

/// The tails that are cut with everything after them, as one automaton. Ten searches, one for each
/// text, take several times as many instructions.
struct Within {
    automaton: AhoCorasick,
    rows: Vec<(&'static Table, &'static Row)>,
}

static WITHIN: LazyLock<Within> = LazyLock::new(|| {
    let tables = [&PATHS, &PATH_BEGINNINGS, &GENERIC, &GLUED_HOSTS];
    let rows: Vec<_> = tables
        .into_iter()
        .flat_map(|table| table.rows.iter().map(move |row| (table, row)))
        .collect();
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(rows.iter().map(|(_, row)| row.text));
    // A few short texts are far below every limit.
    Within { automaton: automaton.unwrap_or_else(|_| unreachable!()), rows }
});

/// The bytes after the slash of the segments that are cut.
const FIRST: [bool; 256] = {
    let (mut first, tables, mut i) =
        ([false; 256], [&PAGES, &PATHS, &PATH_BEGINNINGS, &GENERIC], 0);
    while i < tables.len() {
        let mut row = 0;
        while row < tables[i].rows.len() {
            first[tables[i].rows[row].text.as_bytes()[1] as usize] = true;
            row += 1;
        }
        i += 1;
    }
    first
};

/// Whether a segment after the first may begin like one that is cut, or one ends in a host.
fn may_have_segment(suffix: &[u8]) -> bool {
    let begins = |at| suffix.get(at + 1).is_some_and(|&next| FIRST[usize::from(next)]);
    memchr::memchr_iter(b'/', suffix)
        .any(|at| begins(at) || ends_in_host(&suffix[..at]) || begins_key(&suffix[at + 1..]))
}

/// Returns the length of `name` without the key under which a Dataverse stores a file of a data set:
/// `10.7910/DVN/QQHCIK/1626825BD4E-E9043D7B645E`. None of 628,072 names has one.
fn stored(name: &[u8], start: usize) -> Option<(usize, Repair)> {
    let mut slashes = memchr::memchr_iter(b'/', name).filter(|&at| at > start);
    let at = slashes.find(|&at| begins_key(&name[at + 1..]))?;
    Some((at, Repair::PublisherPath))
}

/// Whether `segment` begins with the time in milliseconds and twelve digits, both hexadecimal.
fn begins_key(segment: &[u8]) -> bool {
    let is_hex = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    segment.get(..24).is_some_and(|key| key[11] == b'-' && is_hex(&key[..11]) && is_hex(&key[12..]))
        && matches!(segment.get(24), None | Some(b'.'))
}

/// Returns the length of `name` up to the first segment of a page below it, if it is in the path of
/// an address of a page.
fn hosted(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    let Place::Running(before) = place else { return None };
    let suffix = &name[start..];
    let is = |row: &Row, rest: &[u8]| begins(row.text.as_bytes(), rest) && row.is_of(name);
    let mut slashes = memchr::memchr_iter(b'/', suffix).filter(|&at| at > 0);
    let at = slashes.find(|&at| HOSTED.iter().any(|row| is(row, &suffix[at..])))?;
    marker::is_in_path(before).then_some((start + at, Repair::PublisherPath))
}

/// Whether `rest` consists of segments of this `form`, in which `n` stands for digits and `*` for
/// anything, and possibly a number.
fn begins(form: &[u8], rest: &[u8]) -> bool {
    match form.split_first() {
        None => ends_page(rest),
        Some((b'*', _)) => true,
        Some((b'n', form)) => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            digits > 0 && begins(form, &rest[digits..])
        }
        Some((mark, form)) => rest.first() == Some(mark) && begins(form, &rest[1..]),
    }
}

/// Whether nothing but a number follows a segment: `/TABLES/3`. A generic word before other segments is part of the
/// name: `10.1234/STATUS/REPORT/2020`.
fn ends_page(rest: &[u8]) -> bool {
    rest.is_empty() || rest.strip_prefix(b"/").is_some_and(|n| n.iter().all(u8::is_ascii_digit))
}

/// Returns the length of `name` up to the first tail that is cut with everything after it.
fn within(name: &[u8], start: usize, place: Place<'_>) -> Option<(usize, Repair)> {
    let suffix = &name[start..];
    WITHIN.automaton.find_iter(suffix).find_map(|found| {
        let (table, row) = WITHIN.rows[found.pattern()];
        let is_end = matches!(suffix.get(found.end()), None | Some(b'/'));
        let is_segment = is_end && found.start() > 0;
        let is = |other| std::ptr::eq(table, other);
        let (is_cut, kind) = match () {
            () if is(&GLUED_HOSTS) => {
                let front = suffix[..found.start()].last();
                let is_apart = front.is_some_and(|b| !b.is_ascii_alphabetic());
                (is_end || row.text.ends_with('.') && is_apart, Repair::Glued)
            }
            () if is(&PATH_BEGINNINGS) => (found.start() > 0, Repair::PublisherPath),
            () if is(&PATHS) => (is_segment, Repair::PublisherPath),
            () => {
                let rest = &suffix[found.end()..];
                let is_here = match place {
                    _ if row.is_also(name) => true,
                    _ if !row.is_of(name) => false,
                    Place::Running(_) if rest.is_empty() => true,
                    Place::Running(before) => ends_page(rest) && marker::is_in_path(before),
                    _ => false,
                };
                (is_segment && is_here, Repair::PublisherPath)
            }
        };
        // The code of a journal belongs to its host: `jdr.sagepub.com`.
        let code = suffix[..found.start()].iter().rev().take_while(|b| b.is_ascii_alphabetic());
        let code = if row.text.starts_with('.') { code.count() } else { 0 };
        (is_cut && row.is_on()).then_some((start + found.start() - code, kind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_of_books() {
        for code in ["ACTRADE", "UPSO"] {
            let book = "10.1093/ACTRADE/9780190458164.001.0001";
            let name = format!("{book}/{code}-9780190458164-CHAPTER-1");
            let place = Place::Running(b"https://example.org/view/");
            let expected = Some((book.len(), Repair::PublisherPath));
            assert_eq!(cut(name.as_bytes(), 8, place), expected, "{name}");
        }
    }

    #[test]
    fn journals() {
        let name = b"10.1111/(ISSN)1467-8365/AUTHOR-GUIDELINES";
        let found = journal(name, 8, Place::Running(b"https://example.org/journal/"));
        assert_eq!(found, Some((23, Repair::PublisherPath)));
        assert_eq!(journal(name, 8, Place::Running(b"see ")), None);
        assert_eq!(journal(&name[..23], 8, Place::Running(b"https://example.org/journal/")), None);
    }

    #[test]
    fn figures_of_silverchair() {
        let place = Place::Running(b"https://example.org/journal/");
        for (name, len) in [
            ("10.1093/ANNONC/CPT053/2/CPT05301", Some(21)),
            ("10.1093/ANNONC/CPT053/2/M_CPT05301.JPEG", Some(21)),
            ("10.1000/A1/12/A1F1.PNG", Some(10)),
            ("10.1000/A1/1234/A1F1", None),
            ("10.1000/A1/2/B1F1", None),
            ("10.1000/ABC/2/ABCF1", None),
        ] {
            let expected = len.map(|len| (len, Repair::PublisherPath));
            assert_eq!(figure(name.as_bytes(), 8, place), expected, "{name}");
        }
        assert_eq!(figure(b"10.1000/A1/2/A1F1", 8, Place::Running(b"see ")), None);
    }

    #[test]
    fn what_is_no_tail() {
        for (name, place) in [
            ("10.1101/GR.1V1", Place::Running(b"")),
            ("10.1101/656678", Place::Running(b"")),
            ("10.1093/ACPROF:OSO/9780198507789.001.0001", Place::Running(b"")),
            ("10.1093/A/B/53-1", Place::Running(b"")),
            ("10.1000/A/B/5372677", Place::Running(b"")),
            ("10.1000/182/FULL", Place::Field),
            ("10.1000/182;JSESSIONID=1", Place::Running(b"")),
            ("10.1000//FULL", Place::Running(b"see ")),
            ("10.1234/CORPUS/TABLES/3", Place::Field),
            ("10.1234/STATUS/REPORT/2020", Place::Running(b"see ")),
            ("10.1234/CORPUS/TABLES/3", Place::Running(b"see ")),
            ("10.1234/A/SUPPLEMENTAL/K1", Place::Running(b"see ")),
            ("10.1234/A/TABLES/K1", Place::Running(b"https://example.org/doi/")),
            ("10.1234/A/DATA/K1", Place::Running(b"https://example.org/doi/")),
            ("10.1234/WAVELET/TRANSFORM/3", Place::Running(b"see ")),
            ("10.1234/1/ACCEPTED", Place::Running(b"see ")),
            ("10.3390/IJMS/22010001", Place::Running(b"see ")),
            ("10.3390/IJMS22010001/S1", Place::Field),
            ("10.1234/A/DATA/2020", Place::Running(b"https://doi.org/")),
            ("10.1234/A/DATA/2020", Place::Running(b"https://example.org/?doi=")),
            ("10.1371/JOURNAL.PONE.0115884.G001", Place::Field),
            ("10.1234/A.PDF", Place::Field),
            ("10.1007/MEDIAOBJECTS/1.GIF", Place::Running(b"")),
            ("10.1007/S1/METRICS2", Place::Running(b"")),
            ("10.1000/PMC1234567", Place::Running(b"")),
            ("10.1684/(ISSN)1234-5678/ISSUES", Place::Running(b"https://doi.org/")),
            ("10.1093/A/9780190458164.001.0001", Place::Running(b"https://example.org/view/")),
            (
                "10.1093/A/9780190458164.001.0001/A-9780190458165-E-1",
                Place::Running(b"https://example.org/view/"),
            ),
            (
                "10.1093/ACREFORE/9780190458164.001.0001/ACREFORE-9780190458164-E-1",
                Place::Running(b"https://example.org/view/"),
            ),
            ("10.1093/A/9780190458164.001.0001/A-9780190458164-CHAPTER-1", Place::Running(b"see ")),
        ] {
            let found = cut(name.as_bytes(), 1 + name.find('/').unwrap(), place);
            assert_eq!(found, None, "{name}");
        }
    }
}
