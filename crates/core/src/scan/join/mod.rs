//! Continues names after a line end, a blank or a tag.
//!
//! A name is joined with the next word if it is incomplete by its form and the word looks like the
//! rest. If the rest of an incomplete name is not found, it is rejected.

mod breaks;
mod column;
pub(super) mod form;
mod front;
mod gap;
mod line_end;
mod next;
mod open;
mod scattered;
pub(super) mod shape;
mod tags;

use super::{Joining, Notation, marker, ocr};
use core::ops::Range;

pub(super) use breaks::is_line_end;
#[cfg(any(test, feature = "naive"))]
pub(super) use breaks::is_tex;
pub(super) use front::{End, Front, MAX_LINES};
pub(super) use open::is_open;

/// Returns the effect of the text after `front` on a name in this `notation`. In tables, line ends and wide gaps end
/// cells that are not quoted.
pub(super) fn effect(front: Front<'_>, notation: Notation, joining: Joining) -> End {
    match notation {
        _ if joining == Joining::Never => End::Whole,
        Notation::Unknown => end(front),
        Notation::Csv(b' ') => End::Whole,
        Notation::Csv(delimiter) if breaks::is_in_cell(front.before, front.rest(), delimiter) => {
            end(front)
        }
        Notation::Csv(_) => gap::gap(front),
        _ => End::Whole,
    }
}

/// Returns the effect of a line end, blanks or tags.
fn end(front: Front<'_>) -> End {
    if front.rest().first() == Some(&b',') {
        let is_misread =
            ocr::is_full_stop((front.before, front.after), front.at, front.name, front.start);
        return if is_misread { End::StandsFor(front.at..front.at + 1, b'.') } else { End::Whole };
    }
    if front.after.get(2) == Some(&b' ')
        && let Some(end) = scattered::spread(front)
    {
        return end;
    }
    if front.suffix().is_empty()
        && let Some(end) = scattered::spread_marks(front)
    {
        return end;
    }
    match line_end::line_end(front) {
        End::Whole => gap::gap(front),
        end => end,
    }
}

/// Returns the gap within the prefix of a marked candidate, whose anchor has `anchor` bytes, after `digits` bytes of its
/// registrant: a line end (`doi:10.␤1000/182`) or a blank.
#[cold]
pub(super) fn prefix(
    before: &[u8],
    after: &[u8],
    anchor: usize,
    digits: usize,
    joining: Joining,
) -> Option<Range<usize>> {
    if joining == Joining::Never || !marker::is_address(before) {
        return None;
    }
    let line_end = line_end::prefix(before, after, anchor, digits);
    line_end.or_else(|| gap::prefix(after, anchor, digits))
}

#[cfg(test)]
mod tests;
