//! Continues prefixes over line ends, blanks and what prints nothing.

use super::breaks::is_line_end;
use super::next::{MAX_WORD, Next, next};
use crate::decode::{self, Layer, Text};
use crate::names::Whole;
use crate::scan::edit::Edit;
use crate::scan::{Joining, Options, class, marker};
use core::ops::Range;

/// Returns the change within the prefix of a candidate, whose anchor has `anchor` bytes, after `digits` bytes of its
/// registrant: what prints nothing, or, if the candidate is marked, a line end (`doi:10.␤1000/182`) or a
/// blank.
#[cold]
pub(in crate::scan) fn prefix(
    before: &[u8],
    after: &[u8],
    anchor: usize,
    digits: usize,
    options: &Options,
) -> Option<Edit> {
    if options.strict {
        return None;
    }
    let at = anchor + digits;
    if let Some(edit) = without_hidden(after, at, digits > 0, options.joining) {
        return Some(edit);
    }
    if options.joining == Joining::Never {
        return None;
    }
    if !marker::is_address(before) {
        return is_before_suffix(after, at, digits, options).then(|| Edit::join(at..at + 1));
    }
    over_line(before, after, at, digits).or_else(|| over_blank(after, at, digits)).map(Edit::join)
}

/// Returns the change that leaves out what prints nothing at `at`, before a digit of a prefix or, if the registrant
/// `may_end`, before the slash. Tags are left out like line ends.
fn without_hidden(after: &[u8], at: usize, may_end: bool, joining: Joining) -> Option<Edit> {
    let text = Text { bytes: after, twice: false };
    let (end, has_tag) = decode::hidden(&text, at)?;
    let next = text.at(end)?;
    match next.is_digit() || may_end && class::is_slash(next.code) {
        true if !has_tag => Some(Edit::without_width(at..end)),
        true if joining != Joining::Never => Some(Edit::join(at..end)),
        _ => None,
    }
}

/// Returns the line end after which the prefix of a marked candidate continues. `digits` bytes of the
/// registrant come before the line end at `at`.
fn over_line(before: &[u8], after: &[u8], at: usize, digits: usize) -> Option<Range<usize>> {
    if !is_line_end(&after[at..]) {
        return None;
    }
    let next = next(before, after, at).or_else(|| Next::beyond(before, after, at))?;
    let more = next.token.iter().take_while(|b| b.is_ascii_digit()).count();
    let behind = next.token[more..].strip_prefix(b"/")?;
    let is_part = |next: &u8| next.is_ascii_alphanumeric() || *next == b'(';
    let has_rest = behind.first().map_or_else(|| marker::is_spaced(before), is_part);
    ((4..=5).contains(&(digits + more)) && has_rest).then_some(at..next.at)
}

/// Returns the blank at `at` within the prefix of a marked candidate, after `digits` bytes of its
/// registrant: `doi: 10. 1145/3689031.3696075`, `10.111 1/nph.15229`, `10.1001 /jama.2011.1255`.
fn over_blank(after: &[u8], at: usize, digits: usize) -> Option<Range<usize>> {
    let [b' ', rest @ ..] = &after[at..] else { return None };
    let more = rest.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let behind = rest[more..].strip_prefix(b" ").unwrap_or(&rest[more..]);
    let has_rest = matches!(behind, [b'/', b' '..=b'~' | b'\n', ..]);
    ((4..=5).contains(&(digits + more)) && has_rest).then_some(at..at + 1)
}

/// Whether the blank at `at` of an unmarked candidate, after the `digits` bytes of its registrant, precedes the slash and the
/// suffix of a name that the model knows: `10.1155 /2015/481950`.
fn is_before_suffix(after: &[u8], at: usize, digits: usize, options: &Options) -> bool {
    let Some((model, word)) = options.model().zip(after[at..].strip_prefix(b" /")) else {
        return false;
    };
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"._-/()".contains(b);
    let word = &word[..word.iter().take(MAX_WORD).take_while(is_part).count()];
    let name = word.strip_suffix(b".").unwrap_or(word).to_ascii_uppercase();
    model.ends(&after[at - digits..at], &name).is_some_and(|ends| ends != Whole::No)
}
