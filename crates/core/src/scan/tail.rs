//! Cuts tails: what publishers, reference lists and interfaces put after a name. The tables are in
//! [`rules`](super::rules).

use super::Repair;
use super::registrant::{self, heads};
use super::rules::{
    FILES, GLUED_HOSTS, NUMBERED, PAGES, PATH_BEGINNINGS, PATHS, SESSIONS, SUBPAGES, VERSIONED,
    WORDS,
};
use crate::doi::holds;
use crate::lazy::LazyLock;
use crate::rule::{Row, Table};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use alloc::vec::Vec;

/// Where a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In running text.
    Running,
    /// It fills a field.
    Field,
    /// It is a single value.
    Value,
}

const VERSIONED_HEADS: [u64; VERSIONED.rows.len()] = heads(&VERSIONED);
const NUMBERED_HEADS: [u64; NUMBERED.rows.len()] = heads(&NUMBERED);

/// Returns the length of the folded `name` without its tail, and the kind of repair. The suffix
/// begins at `start`.
#[inline]
pub(super) fn cut(name: &[u8], start: usize, place: Place) -> Option<(usize, Repair)> {
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
    let has_segment = match place {
        // In a field, only segments are cut, and few begin like these.
        Place::Field => may_have_segment(suffix),
        // The slash after a host is trimmed already.
        _ => holds(suffix, b'/') || suffix.ends_with(b"DOI.ORG"),
    };
    if place == Place::Field && !has_segment {
        return None;
    }
    ending(name, start, place).or_else(|| has_segment.then(|| within(name, start, place)).flatten())
}

/// Returns the length of the name of a preprint without its version: `10.1101/656678V1`.
fn version(name: &[u8], start: usize) -> Option<usize> {
    let suffix = &name[start..];
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let number = suffix[..suffix.len() - digits].strip_suffix(b"V")?;
    let is_number = number.len() >= 6 && number.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    let is_version = (1..=2).contains(&digits) && is_number && VERSIONED.holds(&name[..start]);
    is_version.then(|| name.len() - digits - 1)
}

/// Returns the length of a name without the number and the title that pages add:
/// `10.1093/BIOINFORMATICS/BTZ162/5372677`.
fn numbered(name: &[u8], start: usize) -> Option<usize> {
    let mut segments = name[start..].splitn(4, |&b| b == b'/');
    let journal = segments.next().filter(|journal| journal.iter().all(u8::is_ascii_alphabetic))?;
    let article = segments.next().filter(|article| !article.is_empty())?;
    let number = segments.next()?;
    let is_number = (5..=9).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    let is_numbered = is_number && NUMBERED.holds(&name[..start]);
    is_numbered.then(|| start + journal.len() + 1 + article.len())
}

/// The IUCr, which registers files.
const WITH_FILES: &[u8] = b"10.1107/";

/// Returns the length of `name` without a glued word or identifier, or without the last segment or
/// the file extension of a page.
pub(super) fn ending(name: &[u8], start: usize, place: Place) -> Option<(usize, Repair)> {
    let suffix = &name[start..];
    let is_running = place == Place::Running;
    if is_running && let Some(len) = pubmed_central(suffix) {
        return Some((name.len() - len, Repair::Glued));
    }
    if !suffix.last().is_some_and(|b| b.is_ascii_uppercase() || *b == b')' || *b == b']') {
        return None;
    }
    if is_running && let Some(row) = WORDS.iter().find(|row| suffix.ends_with(row.text.as_bytes()))
    {
        return Some((name.len() - row.text.len(), Repair::Glued));
    }
    let at = suffix.iter().rposition(|&b| b == b'/' || b == b'.')?;
    let is_page = match suffix[at] {
        b'/' => {
            at > 0 && is_row(&PAGES, &suffix[at..], |row| place != Place::Field || row.is_of(name))
        }
        _ => is_running && !name.starts_with(WITH_FILES) && FILES.holds(&suffix[at..]),
    };
    is_page.then_some((start + at, Repair::PublisherPath))
}

/// Whether `text` is in `table`, in a row for which `is` holds.
fn is_row(table: &Table, text: &[u8], is: impl Fn(&Row) -> bool) -> bool {
    table.iter().any(|row| row.text.as_bytes() == text && is(row))
}

/// Returns the length of a PubMed Central identifier glued to the end of `suffix`: `PMC1234567`.
fn pubmed_central(suffix: &[u8]) -> Option<usize> {
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let is_glued = digits >= 5 && suffix[..suffix.len() - digits].ends_with(b"PMC");
    // The suffix may consist of it: `10.1000/PMC1234567`.
    (is_glued && suffix.len() > digits + 3).then_some(digits + 3)
}

/// The tails that are cut with everything after them, as one automaton. Ten searches, one for each
/// text, take several times as many instructions.
struct Within {
    automaton: AhoCorasick,
    rows: Vec<(&'static Table, &'static Row)>,
}

static WITHIN: LazyLock<Within> = LazyLock::new(|| {
    let tables = [&PATHS, &PATH_BEGINNINGS, &SUBPAGES, &GLUED_HOSTS, &SESSIONS];
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
        ([false; 256], [&PAGES, &PATHS, &PATH_BEGINNINGS, &SUBPAGES], 0);
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

/// Whether a segment after the first may begin like one that is cut.
fn may_have_segment(suffix: &[u8]) -> bool {
    memchr::memchr_iter(b'/', suffix)
        .any(|at| suffix.get(at + 1).is_some_and(|&next| FIRST[usize::from(next)]))
}

/// Returns the length of `name` up to the first tail that is cut with everything after it.
pub(super) fn within(name: &[u8], start: usize, place: Place) -> Option<(usize, Repair)> {
    let suffix = &name[start..];
    WITHIN.automaton.find_iter(suffix).find_map(|found| {
        let (table, row) = WITHIN.rows[found.pattern()];
        let is_end = matches!(suffix.get(found.end()), None | Some(b'/'));
        let is_segment = is_end && found.start() > 0;
        let is = |other| std::ptr::eq(table, other);
        let (is_cut, kind) = match () {
            () if is(&GLUED_HOSTS) => (is_end && place == Place::Running, Repair::Glued),
            () if is(&SESSIONS) => {
                (place == Place::Value && found.start() > 0, Repair::PublisherPath)
            }
            () if is(&PATH_BEGINNINGS) => (found.start() > 0, Repair::PublisherPath),
            () if is(&PATHS) => (is_segment, Repair::PublisherPath),
            () => {
                let is_here = place == Place::Running || row.is_of(name);
                (is_segment && is_here, Repair::PublisherPath)
            }
        };
        (is_cut && row.is_on()).then_some((start + found.start(), kind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tail() {
        for (name, place) in [
            ("10.1101/GR.1V1", Place::Running),
            ("10.1101/656678", Place::Running),
            ("10.1093/ACPROF:OSO/9780198507789.001.0001", Place::Running),
            ("10.1093/A/B/53-1", Place::Running),
            ("10.1000/A/B/5372677", Place::Running),
            ("10.1000/182/FULL", Place::Field),
            ("10.1234/CORPUS/TABLES/3", Place::Field),
            ("10.1007/MEDIAOBJECTS/1.GIF", Place::Running),
            ("10.1007/S1/METRICS2", Place::Running),
            ("10.1000/PMC1234567", Place::Running),
            ("10.1107/S1600536807045333/LW2031SUP0.HTML", Place::Running),
        ] {
            let found = cut(name.as_bytes(), 1 + name.find('/').unwrap(), place);
            assert_eq!(found, None, "{name}");
        }
    }
}
