//! Asks the model of names what the text around a name does not tell: whether it continues in the next word,
//! whether something is glued to it, whether it is only the beginning of a name.

use super::glued;
use super::join::{self, Front};
use super::stem::Around;
use crate::doi::Reason;
use crate::names::{self, Gap, Model, Text};

/// Returns the effect of the text after `front`, with the word that may continue it, if there is one.
pub(super) fn effect(
    model: &Model,
    front: Front<'_>,
    gap: Gap,
    next: Option<join::Next<'_>>,
) -> join::End {
    let next = next.filter(|next| !glued::begins_another(next.token) && !next.holds_another());
    let run = names::spelled(&front.after[..front.at], front.suffix());
    let plain = plain(&run);
    let (gap, word) = next.as_ref().map_or((Gap::End, &b""[..]), |next| (gap, next.token));
    let text =
        Text { registrant: registrant(front.name, front.start), run: &run, plain, gap, next: word };
    match (model.end(text), next) {
        (names::End::Next(_), Some(next)) => front.goes_to(next.at),
        (names::End::Stem, _) => join::End::Stem,
        _ => join::End::Whole,
    }
}

/// The length of a suffix without the full stops and commas of a sentence.
fn plain(run: &[u8]) -> usize {
    run.iter().rposition(|byte| !b".,:;!?'*\"".contains(byte)).map_or(0, |last| last + 1)
}

/// The digits of the registrant of `name`, whose suffix begins at `start`.
fn registrant(name: &[u8], start: usize) -> &[u8] {
    name[..start - 1].strip_prefix(b"10.").unwrap_or_default()
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

/// The fewest letters of a word that is cut from the end of a name.
const WORD: usize = 3;

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
    let run = names::spelled(around.read(), &name[start..]);
    let text = Text {
        registrant: registrant(name, start),
        run: &run,
        plain: plain - start,
        gap: Gap::End,
        next: b"",
    };
    match model.end(text) {
        names::End::Stem => Err(Reason::Stem),
        names::End::Run(at) if at < plain - start && may_be_glued(&run[at..plain - start]) => {
            Ok(start + at)
        }
        _ => Ok(plain),
    }
}

/// Whether `tail` has a word, or begins like the part of an address after a path.
fn may_be_glued(tail: &[u8]) -> bool {
    let has_word = tail.split(|byte| !byte.is_ascii_alphabetic()).any(|word| word.len() >= WORD);
    has_word || matches!(tail[0], b'?' | b'#' | b'[')
}

/// Whether the model knows `name` as a whole one.
pub(super) fn is_whole(model: &Model, name: &[u8], start: usize) -> bool {
    model.is_whole(registrant(name, start), &name[start..])
}
