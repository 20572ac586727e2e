//! Asks the model of names what the notation does not tell: whether a name continues in the next word, whether something is
//! glued to it, whether it is only the beginning of a name.

use super::join::{End, Front, HYPHENS, Next};
use super::stem::Around;
use super::{glued, marker};
use crate::doi::Reason;
use crate::names::{self, Gap, Model, Place, Text};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use memchr::memmem;

/// The fewest bytes of a suffix that a page repeats.
const REPEATED: usize = 6;

/// Returns the effect of a `gap` after `front`, with the word after it.
pub(super) fn effect(model: &Model, front: Front<'_>, gap: Gap, next: Option<&Next<'_>>) -> End {
    if ELLIPSES.iter().any(|mark| front.name.ends_with(mark)) {
        return End::Whole;
    }
    let run = read(front);
    // The path of a page repeats the name.
    let repeats = |text: &[u8]| {
        run.len() >= REPEATED
            && memmem::find(text, run.strip_suffix(b"/").unwrap_or(&run)).is_some()
    };
    let is_apart = |next: &&Next<'_>| {
        !glued::begins_another(next.token) && !next.holds_another() && !repeats(next.token)
    };
    let next = next.filter(is_apart);
    let token = next.map_or(&b""[..], |next| next.token);
    let token = &token[..memchr::memchr(b'&', token).unwrap_or(token.len())];
    if let Some(next) = next.filter(|next| gap == Gap::Blank && lost_underscore(model, front, next))
    {
        return End::StandsFor(front.at..next.at, b'_');
    }
    let is_loose = front.is_loose || marker::is_spaced(front.before);
    let is_open = || {
        run.last().is_none_or(|last| b"-_/.".contains(last))
            || matches!(token, [b'.' | b'-' | b'/' | b'_'])
    };
    let more = match next {
        Some(next) if gap == Gap::Blank && (is_loose || is_open()) => words(front.after, next),
        _ => Vec::new(),
    };
    let text = Text {
        registrant: registrant(front.name, front.start),
        run: &run,
        plain: plain(&run).min(front.suffix().len()),
        gap,
        is_loose,
        next: &without_escapes(token),
        more: &more,
        is_address: marker::is_address(front.before),
        is_sentence: false,
    };
    match (model.end(text), next) {
        (names::End::Next(_), Some(next)) => front.goes_to(next.at),
        (names::End::Divided, Some(next)) => End::Goes(front.hyphen()..next.at),
        (names::End::Stem, _) => End::Stem,
        _ => End::Whole,
    }
}

/// Whether a blank after `front` stands for an underscore: DOIs of the registrant go on with one, and with `next` after it,
/// and not without it.
fn lost_underscore(model: &Model, front: Front<'_>, next: &Next<'_>) -> bool {
    let (registrant, run, word) =
        (registrant(front.name, front.start), front.suffix(), next.word());
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if word.is_empty() || !word.iter().all(is_part) || !run.last().is_some_and(is_part) {
        return false;
    }
    let passing =
        |suffix: &[u8]| model.exact(registrant, suffix).map_or(0.0, |place| place.passing);
    let (read, with) = (model.known(registrant, run), passing(&[run, b"_", word].concat()));
    let is_rare =
        read.is_unfinished() || read.ending < RARE * read.passing && word.len() < next.token.len();
    with >= SURE && is_rare && passing(&[run, word].concat()) == 0.0
}

/// The words after `next`, each after a blank or two, or a line end.
fn words<'a>(after: &'a [u8], next: &Next<'a>) -> Vec<&'a [u8]> {
    let (mut at, mut words) = (next.at + next.token.len(), Vec::new());
    while words.len() < names::MORE {
        let rest = &after[at..];
        let blanks = match rest {
            [b' ', b' ', ..] => 2,
            [b' ' | b'\n', ..] => 1,
            _ => break,
        };
        let rest = &rest[blanks..];
        let is_part = |byte: &&u8| byte.is_ascii_graphic() && !b"<>\"'`*\\,|{}".contains(byte);
        let len = rest.iter().take(names::MOST_NEXT).take_while(is_part).count();
        if len == 0 || glued::begins_another(rest) {
            break;
        }
        words.push(&rest[..len]);
        at += blanks + len;
    }
    words
}

/// What was read of the suffix, as it is spelled, with the brackets that are still open.
fn read(Front { after, at, name, start, .. }: Front<'_>) -> Cow<'_, [u8]> {
    let is_same =
        |read: &[u8]| read.get(..name.len()).is_some_and(|read| read.eq_ignore_ascii_case(name));
    let is_same = |read: &[u8]| {
        let behind = read.get(name.len()..).unwrap_or_default();
        is_same(read) && (behind.is_empty() || b"([{<".contains(&behind[0]))
    };
    match without_escapes(&after[..at]) {
        Cow::Borrowed(read) if is_same(read) => read[start..].into(),
        Cow::Owned(read) if is_same(&read) => read[start..].to_vec().into(),
        _ => name[start..].into(),
    }
}

/// Whether `run` ends in a full stop and `rest` begins with a word in capitals after a blank.
fn is_sentence(rest: &[u8], run: &[u8]) -> bool {
    run.ends_with(b".") && matches!(rest, [b' ', next, ..] if next.is_ascii_uppercase())
}

/// Returns `token` with its percent-encoded octets and its hyphens outside ASCII decoded.
fn without_escapes(token: &[u8]) -> Cow<'_, [u8]> {
    let hex = |at: usize| token.get(at).and_then(|&byte| (byte as char).to_digit(16));
    let octet = |at: usize| Some(u8::try_from(hex(at + 1)? << 4 | hex(at + 2)?).unwrap_or(0));
    if !token.iter().any(|byte| matches!(byte, b'%' | 0xe2)) {
        return token.into();
    }
    let (mut text, mut at) = (Vec::with_capacity(token.len()), 0);
    while at < token.len() {
        let hyphen = HYPHENS.iter().find(|hyphen| token[at..].starts_with(hyphen));
        let octet = octet(at).filter(|_| token[at] == b'%');
        let (byte, len) = match (hyphen, octet) {
            (Some(hyphen), _) => (b'-', hyphen.len()),
            (None, Some(octet)) => (octet, 3),
            (None, None) => (token[at], 1),
        };
        text.push(byte);
        at += len;
    }
    text.into()
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

/// Whether an ellipsis ends the untrimmed `name` or follows it, and whether the model knows the name before it: as a whole
/// one, or as none.
pub(super) fn elided(model: &Model, around: Around<'_>, name: &[u8], start: usize) -> Option<bool> {
    let is_cut =
        ELLIPSES.iter().any(|mark| name.ends_with(mark) || around.rest().starts_with(mark));
    let stem = name.strip_suffix(ELLIPSES[1]).unwrap_or(name);
    let end = stem.iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    is_cut.then(|| end > start && model.is_whole(registrant(name, start), &stem[start..end]))
}

/// Returns the length of `name`, whose first `plain` bytes the notation leaves, without what is glued to it.
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

/// What the model knows of the registrant's DOIs at the end of `name`.
fn known(model: &Model, name: &[u8], start: usize) -> Place {
    model.known(registrant(name, start), &name[start..])
}

/// Whether the model knows `name` as a whole one.
pub(super) fn is_whole(model: &Model, name: &[u8], start: usize) -> bool {
    known(model, name, start).ending >= 1.0
}

/// The fewest DOIs of one kind that make sure that it is one.
pub(super) const SURE: f32 = 10.0;

/// The part of the DOIs with a beginning that end there, if a DOI that does is rare.
const RARE: f32 = 0.1;

/// Whether the model surely knows `name` as a whole one.
pub(super) fn is_sure(model: &Model, name: &[u8], start: usize) -> bool {
    known(model, name, start).ending >= SURE
}

/// Whether DOIs begin like `name`, and none ends here.
pub(super) fn is_unfinished(model: &Model, name: &[u8], start: usize) -> bool {
    known(model, name, start).is_unfinished()
}

/// How many DOIs of the registrant look exactly like `name`.
pub(super) fn ending(model: &Model, name: &[u8], start: usize) -> f32 {
    model.exact(registrant(name, start), &name[start..]).map_or(0.0, |place| place.ending)
}

/// Whether DOIs of the registrant surely look exactly like `name`, or the offset in it of the first byte with which none
/// goes on.
pub(super) fn exact(model: &Model, name: &[u8], start: usize) -> Result<bool, usize> {
    let place = model.exact(registrant(name, start), &name[start..]);
    place.map(|place| place.ending >= SURE).map_err(|at| start + at)
}

/// Whether `name` of the fast path, from whose end the notation cuts nothing, is whole: the model knows it, or it knows nothing of the
/// registrant, and nothing in capitals is glued to small letters or digits.
pub(super) fn is_plain(model: &Model, name: &[u8], start: usize, read: &[u8]) -> bool {
    is_whole(model, name, start)
        || !model.knows(registrant(name, start)) && !read.iter().any(u8::is_ascii_uppercase)
}
