//! Continues names after a line end, a blank or a tag.
//!
//! A name is joined with the next word if it is incomplete by its form and the word looks like the
//! rest. If the rest of an incomplete name is not found, it is rejected.

mod breaks;
mod column;
pub(super) mod form;
mod front;
mod gap;
mod learned;
mod line_end;
mod next;
mod open;
mod scattered;
pub(super) mod shape;
mod spelling;
mod tags;

use super::class;
use super::edit::Edit;
use super::{Joining, Notation, Options, glued, marker, ocr, sici};
use crate::decode::{self, Layer, Text};
use crate::names::{self, Model};
use tags::Gap;

pub(super) use breaks::is_line_end;
#[cfg(any(test, feature = "naive"))]
pub(super) use breaks::is_tex;
pub(super) use front::{End, Front, MAX_LINES};
pub(super) use open::is_open;

/// Returns the effect of the text after `front` on a name in this `notation`. In tables, line ends and wide gaps end
/// cells that are not quoted.
pub(super) fn effect(front: Front<'_>, notation: Notation, options: &Options) -> End {
    if options.joining() != Joining::Never
        && sici::begins(front.suffix())
        && let Some((entity, mark)) = sici::garbled(front.after, front.at)
    {
        return End::StandsFor(entity, mark);
    }
    let end = |front| end(front, options.model());
    match notation {
        _ if options.joining() == Joining::Never => End::Whole,
        Notation::Unknown => end(front),
        Notation::Csv(b' ') => End::Whole,
        Notation::Csv(delimiter) if breaks::is_in_cell(front.before, front.rest(), delimiter) => {
            end(front)
        }
        Notation::Csv(_) => gap::gap(front),
        _ => End::Whole,
    }
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

/// Returns the effect of a line end, blanks or tags.
fn end(front: Front<'_>, model: Option<&Model>) -> End {
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
    if front.name.ends_with(b"**")
        && let Some(end) = emphasised(front)
    {
        return end;
    }
    if let Some(end) = model.and_then(|model| ask(front, model)) {
        return end;
    }
    match line_end::line_end(front) {
        End::Whole => gap::gap(front),
        end => end,
    }
}

/// Asks `model` whether the name continues after a line end or blanks. The rules decide on tags, and on SICIs, whose marks
/// tell where they end.
fn ask(front: Front<'_>, model: &Model) -> Option<End> {
    let Front { before, after, at, .. } = front;
    if front.suffix().is_empty() || sici::is_open(front.suffix()) || front.suffix().contains(&b'<')
    {
        return None;
    }
    let (gap, next) = match front.rest() {
        rest if is_line_end(rest) => (names::Gap::Line, next::next(before, after, at)),
        [b' ', ..] => (names::Gap::Blank, Gap::after(after, at).map(|gap| gap.next)),
        _ => return None,
    };
    if let Some(next) = next.as_ref().filter(|next| next.ends_word(front)) {
        return Some(End::Goes(at - 1..next.at));
    }
    Some(learned::effect(model, front, gap, next))
}

/// Returns the effect of the marks that end bold text within a name of Markdown, which programs that read PDF files
/// write: `10.1016/j.ajp.2020.**␤102092`.
#[cold]
fn emphasised(front: Front<'_>) -> Option<End> {
    const MARKS: usize = b"**".len();
    let Front { before, after, at, name, .. } = front;
    let name = &name[..name.len() - MARKS];
    let inner = Front { at: at - MARKS, name, ..front };
    let is_shape = inner.ends_in_shape();
    if !is_shape && !inner.is_within_form() {
        return None;
    }
    let next = next::next(before, after, at).or_else(|| Some(Gap::after(after, at)?.next))?;
    let is_rest = match is_shape {
        true => inner.continues_shape(next.token),
        false => next.digits() >= 3 && next.is_of_name() && !next.is_dated(),
    };
    let is_apart = glued::begins_another(next.token) || next.holds_another();
    Some(if is_rest && !is_apart { End::Goes(at - MARKS..next.at) } else { End::Stem })
}

/// Returns the change within the prefix of a candidate, whose anchor has `anchor` bytes, after `digits` bytes of its
/// registrant: what prints nothing, or, if the candidate is marked, a line end (`doi:10.␤1000/182`), a blank or
/// the spelling of a filter of mail.
#[cold]
pub(super) fn prefix(
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
    if after[at..].starts_with(b"_") {
        return spelling::defended(before, after, at);
    }
    if let Some(label) = before.strip_suffix(b"$") {
        let is_address = marker::is_address(label);
        return is_address.then(|| spelling::mathematics(after, at)).flatten();
    }
    if !marker::is_address(before) {
        let is_whole = || (4..=5).contains(&digits) && gap::is_before_suffix(after, at);
        return is_whole().then(|| Edit::join(at..at + 1));
    }
    let is_spaced = marker::is_spaced(before);
    if digits == 0 && (is_spaced || after[anchor..].starts_with(b" ")) {
        let narrow = spelling::narrow(before, after, anchor, is_spaced);
        if narrow.is_some() || is_spaced {
            return narrow;
        }
    }
    let is_apart = matches!(after.get(at), Some(b' ' | b'\r' | b'\n'));
    if is_spaced
        && is_apart
        && let Some(edit) = spelling::tokens(after, at)
    {
        return Some(edit);
    }
    let line_end = line_end::prefix(before, after, anchor, digits);
    let gap = line_end.or_else(|| gap::prefix(after, anchor, digits));
    spelling::operators(after, at).or_else(|| gap.map(Edit::join))
}

#[cfg(test)]
mod tests;
