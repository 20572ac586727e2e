//! Asks the model of names whether something is glued to a name, and whether it is only the beginning of one.

use super::registrant::registrant;
use super::stem::Around;
use crate::doi::Reason;
use crate::names::{self, Model, Text};

/// Whether `run` ends in a full stop and `rest` begins with a word in capitals after a blank.
fn is_sentence(rest: &[u8], run: &[u8]) -> bool {
    run.ends_with(b".") && matches!(rest, [b' ', next, ..] if next.is_ascii_uppercase())
}

/// The marks of an ellipsis.
const ELLIPSES: [&[u8]; 2] = [b"...", "…".as_bytes()];

/// Whether an ellipsis ends the untrimmed `name` or follows it, and whether the name before it is whole.
pub(super) fn elided(model: &Model, around: Around<'_>, name: &[u8], start: usize) -> Option<bool> {
    let is_cut =
        ELLIPSES.iter().any(|mark| name.ends_with(mark) || around.rest().starts_with(mark));
    let stem = name.strip_suffix(ELLIPSES[1]).unwrap_or(name);
    let end = stem.iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    is_cut.then(|| end > start && model.is_whole(registrant(name, start), &stem[start..end]))
}

/// Returns the length of `name`, whose first `plain` bytes the rules leave, without what is glued to it.
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
) -> Result<usize, Reason> {
    let run = spelled(around.read(), &name[start..]);
    let text = Text {
        registrant: registrant(name, start),
        run,
        plain: plain - start,
        is_sentence: is_sentence(around.rest(), run),
        ..Text::default()
    };
    match model.end(text) {
        names::End::Stem => Err(Reason::Stem),
        names::End::Run(at) if at < plain - start => Ok(start + at),
        _ => Ok(plain),
    }
}

/// The suffix as it is spelled: the end of `source`, if it is `folded` but for the case, otherwise as it is folded.
fn spelled<'a>(source: &'a [u8], folded: &'a [u8]) -> &'a [u8] {
    let end = &source[source.len().saturating_sub(folded.len())..];
    if end.eq_ignore_ascii_case(folded) { end } else { folded }
}

/// Whether the model knows `name` as a whole one.
pub(super) fn is_whole(model: &Model, name: &[u8], start: usize) -> bool {
    model.is_whole(registrant(name, start), &name[start..])
}
