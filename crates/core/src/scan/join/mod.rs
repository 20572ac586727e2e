//! Continues names over line ends, blanks and tags: in wrapped text, in the columns of `pdftotext -layout`, in email, between
//! inline elements.
//!
//! The notation finds the next word. The model of names decides whether it continues the name.

mod breaks;
mod column;
mod front;
mod learned;
mod next;
mod open;
mod prefix;

use super::{Joining, Notation, Options, sici};
use crate::names::{Gap, Model, Whole};

pub(super) use breaks::is_line_end;
pub(super) use front::{End, Front, MAX_LINES};
pub(super) use next::Next;
pub(super) use open::is_open;
pub(super) use prefix::prefix;

/// Returns the effect of the text after `front` on a name in this `notation`. In tables, line ends and wide gaps end
/// cells that are not quoted.
pub(super) fn effect(front: Front<'_>, notation: Notation, options: &Options) -> End {
    if options.joining() == Joining::Never {
        return End::Whole;
    }
    let rest = front.rest();
    let goes_on = match notation {
        Notation::Unknown => true,
        Notation::Csv(delimiter) if breaks::is_in_cell(front.before, rest, delimiter) => true,
        Notation::Csv(delimiter) => {
            let is_blank = matches!(rest, [b' ' | b'<', ..] | [b';', b' ', ..]);
            delimiter != b' ' && is_blank && !is_line_end(rest)
        }
        _ => false,
    };
    if goes_on { over(front, options.model()) } else { End::Whole }
}

/// Returns the effect of a line end, blanks or tags.
fn over(front: Front<'_>, model: Option<&Model>) -> End {
    let Front { before, after, at, name, .. } = front;
    let rest = front.rest();
    if let Some(gap) = sici::gap(after, front.start) {
        return End::Goes(gap);
    }
    let is_line = match rest.first() {
        Some(b' ' | b'<') => is_line_end(rest),
        _ if is_line_end(rest) => true,
        _ => return End::Whole,
    };
    // The check character of a SICI.
    match rest {
        _ if !name.ends_with(b";2-") => {}
        [b' ', b'0'..=b'9' | b'A'..=b'Z', next, ..] if !next.is_ascii_alphanumeric() => {
            return End::Goes(at..at + 1);
        }
        _ if is_line => return End::Stem,
        _ => {}
    }
    if front.ends == Some(Whole::Last) {
        return End::Whole;
    }
    let Some(model) = model else { return End::Whole };
    let (gap, next) = match is_line {
        true => (Gap::Line, next::next(before, after, at)),
        false if rest[0] == b'<' => (Gap::Tag, next::over_tags(after, at)),
        false => (Gap::Blank, next::over_tags(after, at)),
    };
    if !is_line && next.is_none() {
        return End::Whole;
    }
    // The marks that end bold text within a name of Markdown: `10.1016/j.ajp.2020.**␤102092`.
    let front = match name.strip_suffix(b"**") {
        Some(name) if name.len() > front.start => Front { name, at: at - 2, ..front },
        _ => front,
    };
    let end = learned::effect(model, front, gap, next.as_ref());
    if !is_line || next.is_some() {
        return end;
    }
    let beyond = Next::beyond(before, after, at);
    let effect = |next| learned::effect(model, front, Gap::Far, Some(&next));
    beyond.map(effect).filter(|end| matches!(end, End::Goes(_))).unwrap_or(end)
}

#[cfg(test)]
mod tests;
