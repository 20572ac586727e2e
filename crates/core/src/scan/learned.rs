//! Asks the model of names what the notation does not tell: whether something is glued to a name, and whether it is only the
//! beginning of one.

use super::around::Around;
use super::registrant::registrant;
use crate::doi::Reason;
use crate::names::{self, Model, Place, Text, Whole};
use alloc::borrow::Cow;

/// Whether `run` ends in a full stop and `rest` begins with a word in capitals after a blank.
pub(super) fn is_sentence(rest: &[u8], run: &[u8]) -> bool {
    run.ends_with(b".") && matches!(rest, [b' ', next, ..] if next.is_ascii_uppercase())
}

/// Whether `rest` begins with a line end.
pub(super) fn ends_line(rest: &[u8]) -> bool {
    matches!(rest, [b'\n' | b'\r', ..])
}

/// Returns the length of `name`, whose first `plain` bytes the notation leaves, without what is glued to it. `told` has
/// the lengths that the notation and the model leave, [if they were asked](super::join::End::At), and `ends` what the model knows
/// of the first `plain` bytes.
///
/// # Errors
///
/// Fails with [`Reason::Stem`] if it is the beginning of names of its registrant.
pub(super) fn end(
    model: &Model,
    around: Around<'_>,
    name: &[u8],
    start: usize,
    plain: usize,
    told: Option<[usize; 2]>,
    ends: Option<Whole>,
) -> Result<usize, Reason> {
    if let Some([_, at]) = told.filter(|[notation, _]| start + notation == plain) {
        return Ok(plain.min(start + at));
    }
    let run = &*spelled(around.read(), name, start);
    let text = Text {
        registrant: registrant(name, start),
        run,
        plain: plain - start,
        is_sentence: is_sentence(around.rest(), run),
        ends_line: ends_line(around.rest()),
        ends,
        ..Text::default()
    };
    match model.end(text) {
        names::End::Stem => Err(Reason::Stem),
        names::End::Run(at) if at < plain - start => Ok(start + at),
        _ => Ok(plain),
    }
}

/// The suffix of the folded `name` as `source` spells it, up to the first escape and from the last one on.
pub(super) fn spelled<'a>(source: &'a [u8], name: &'a [u8], start: usize) -> Cow<'a, [u8]> {
    let is_same = |(a, b): &(&u8, &u8)| a.eq_ignore_ascii_case(b);
    let suffix = &name[start..];
    let back = source.iter().rev().zip(suffix.iter().rev()).take_while(is_same).count();
    let end = &source[source.len() - back..];
    if back == suffix.len() {
        return end.into();
    }
    let front = source.iter().zip(name).take_while(is_same).count();
    let front = front.clamp(start, name.len() - back);
    let begin = source.get(start..front).unwrap_or_default();
    [begin, &name[front..name.len() - back], end].concat().into()
}

/// What the model knows of the registrant's DOIs at the end of `name`.
fn known(model: &Model, name: &[u8], start: usize) -> Place {
    model.known(registrant(name, start), [&name[start..], b""])
}

/// Whether the model knows `name` as a whole one; `None` if it knows nothing of its registrant.
pub(super) fn ends(model: &Model, name: &[u8], start: usize) -> Option<Whole> {
    model.ends(registrant(name, start), &name[start..])
}

/// The fewest DOIs of one kind that make sure that it is one.
pub(super) const SURE: f32 = 10.0;

/// Whether the model surely knows `name` as a whole one.
pub(super) fn is_sure(model: &Model, name: &[u8], start: usize) -> bool {
    known(model, name, start).ending >= SURE
}

/// Whether DOIs begin like `name`, and none ends here.
pub(super) fn is_unfinished(model: &Model, name: &[u8], start: usize) -> bool {
    known(model, name, start).is_unfinished()
}
