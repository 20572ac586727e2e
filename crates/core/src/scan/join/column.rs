//! Finds the column of a name in the line after it: in the columns of `pdftotext -layout`, after the marks
//! of quotations and comments.

use super::breaks::GAP;
use crate::scan::LOOKBEHIND;

/// Maximum number of bytes of the margin of a line.
const MAX_MARGIN: usize = 32;

/// How far to the left and right of its column the rest of a name may begin.
const OUTDENT: usize = 2;
const INDENT: usize = 12;

/// Returns the length of the margin that `line` shares with the line of `before`: the marks of a quotation, a
/// comment, a table or a difference: `> `, `// `, ` * `, `#' `, `-- `, `#: `, `   | `, `+`, `-# `.
pub(super) fn margin(before: &[u8], line: &[u8]) -> Option<usize> {
    let start = match memchr::memrchr(b'\n', before) {
        Some(end) => end + 1,
        None if before.len() < LOOKBEHIND => 0,
        None => return None,
    };
    let last = &before[start..];
    let is_part = |b: &&u8| b" \t>|#*/%;!+-':".contains(b);
    let marks = last.iter().take(MAX_MARGIN).take_while(is_part).count();
    let margin = last[..marks].trim_ascii_end();
    // A hyphen alone begins an entry of a list.
    let is_margin = !matches!(margin.trim_ascii_start(), [] | [b'-']);
    (is_margin && line.starts_with(margin)).then_some(margin.len())
}

/// Returns the column in which the text at the end of `before` begins, and whether other columns
/// are to the left of it.
pub(super) fn column(before: &[u8]) -> (usize, bool) {
    let line = memchr::memrchr2(b'\n', b'\r', before).map_or(before, |at| &before[at + 1..]);
    let place = last_gap(line).map_or(0, |at| at + GAP);
    let indent = line.iter().take_while(|b| **b == b' ').count();
    (width(&line[..place.max(indent)]), place > indent)
}

/// Returns where the last [`GAP`] consecutive blanks begin.
fn last_gap(line: &[u8]) -> Option<usize> {
    // One of three consecutive blanks is at an offset divisible by three.
    let mut places = (0..line.len()).step_by(GAP).rev().filter(|&at| line[at] == b' ');
    places.find_map(|at| {
        let after = line[at..].iter().take(GAP).take_while(|b| **b == b' ').count();
        let before = line[..at].iter().rev().take(GAP).take_while(|b| **b == b' ').count();
        (before + after >= GAP).then(|| at + after - GAP)
    })
}

/// Returns the number of columns that `text` takes.
fn width(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b & 0xc0 != 0x80).count()
}

/// Whether `line` has text, all of it to the left of `column`.
pub(super) fn is_left_of(line: &[u8], column: usize) -> bool {
    let text = line.trim_ascii_end();
    column > INDENT && !text.is_empty() && width(text) + INDENT < column
}

/// Returns where the word of `line` begins that is nearest to `column`.
pub(super) fn in_column(line: &[u8], column: usize) -> Option<usize> {
    let (mut at, mut best) = (0, None);
    for (place, &byte) in line.iter().enumerate() {
        let is_start = byte != b' ' && (line[..place].ends_with(b"  ") || place == 0);
        if is_start && at + OUTDENT >= column && at <= column + INDENT {
            let distance = at.abs_diff(column);
            best = best.filter(|&(_, other)| other <= distance).or(Some((place, distance)));
        }
        at += usize::from(byte & 0xc0 != 0x80);
    }
    best.map(|(place, _)| place)
}
