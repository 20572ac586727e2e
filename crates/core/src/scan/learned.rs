//! Asks the model of names what the text around a name does not tell: whether it continues in the next word,
//! whether something is glued to it, whether it is only the beginning of a name.

use super::glued;
use super::join::{self, Front};
use super::stem::Around;
use crate::doi::Reason;
use crate::names::{self, Gap, Model, Text};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Returns the effect of the text after `front`, with the word that may continue it, if there is one.
pub(super) fn effect(
    model: &Model,
    front: Front<'_>,
    gap: Gap,
    next: Option<join::Next<'_>>,
) -> join::End {
    let next = next.filter(|next| !glued::begins_another(next.token) && !next.holds_another());
    let run = read(front);
    let plain = plain(&run).min(front.suffix().len());
    let (gap, token) = next.as_ref().map_or((Gap::End, &b""[..]), |next| (gap, next.token));
    let text = Text {
        registrant: registrant(front.name, front.start),
        run: &run,
        plain,
        gap,
        next: &without_escapes(token),
        is_entry: is_entry(token),
        is_sentence: false,
    };
    match (model.end(text), next) {
        (names::End::Next(_), Some(next)) => front.goes_to(next.at),
        (names::End::Divided, Some(next)) => join::End::Goes(front.at - 1..next.at),
        (names::End::Stem, _) => join::End::Stem,
        _ => join::End::Whole,
    }
}

/// The length of a suffix without the full stops and commas of a sentence.
fn plain(run: &[u8]) -> usize {
    run.iter().rposition(|byte| !b".,:;!?'*\"".contains(byte)).map_or(0, |last| last + 1)
}

/// What was read of the suffix, as it is spelled, with the brackets that are still open.
fn read(Front { after, at, name, start, .. }: Front<'_>) -> Cow<'_, [u8]> {
    let same =
        |read: &[u8]| read.get(..name.len()).is_some_and(|read| read.eq_ignore_ascii_case(name));
    match without_escapes(&after[..at]) {
        Cow::Borrowed(read) if same(read) => read[start..].into(),
        Cow::Owned(read) if same(&read) => read[start..].to_vec().into(),
        _ => name[start..].into(),
    }
}

/// Whether `run` ends in a full stop and `rest` begins with a word in capitals after a blank.
fn is_sentence(rest: &[u8], run: &[u8]) -> bool {
    run.ends_with(b".") && matches!(rest, [b' ', next, ..] if next.is_ascii_uppercase())
}

/// Whether `token` is the mark of an entry of a list: `12.`, `3)`, `[37]`.
fn is_entry(token: &[u8]) -> bool {
    let (number, marks) = match token {
        [b'[', rest @ ..] => (rest, &b"]"[..]),
        _ => (token, &b".)"[..]),
    };
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=3).contains(&digits) && matches!(number[digits..], [mark] if marks.contains(&mark))
}

/// Returns `token` with its percent-encoded octets decoded.
fn without_escapes(token: &[u8]) -> Cow<'_, [u8]> {
    let hex = |at: usize| token.get(at).and_then(|&byte| (byte as char).to_digit(16));
    let octet = |at: usize| Some(u8::try_from(hex(at + 1)? << 4 | hex(at + 2)?).unwrap_or(0));
    if !token.contains(&b'%') {
        return token.into();
    }
    let (mut text, mut at) = (Vec::with_capacity(token.len()), 0);
    while at < token.len() {
        let byte = octet(at).filter(|_| token[at] == b'%');
        text.push(byte.unwrap_or(token[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    text.into()
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
