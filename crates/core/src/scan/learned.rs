//! Asks the model of names what the notation does not tell: whether something is glued to a name, and whether it is only the
//! beginning of one.

use super::around::Around;
use super::registrant::registrant;
use super::sici;
use crate::doi::Reason;
use crate::names::{self, Model, Place, Text, Whole};
use alloc::borrow::Cow;
use core::ops::RangeInclusive;

/// Whether `run` ends in a full stop and `rest` begins with a word in capitals after a blank.
pub(super) fn is_sentence(rest: &[u8], run: &[u8]) -> bool {
    run.ends_with(b".") && matches!(rest, [b' ', next, ..] if next.is_ascii_uppercase())
}

/// Whether `rest` begins with a line end.
pub(super) fn ends_line(rest: &[u8]) -> bool {
    matches!(rest, [b'\n' | b'\r', ..])
}

/// The marks of an ellipsis.
pub(super) const ELLIPSES: [&[u8]; 2] = [b"...", "…".as_bytes()];

/// Whether an ellipsis ends the untrimmed `name` or follows it, and whether the model knows the name before it: as a whole
/// one, or as none.
pub(super) fn elided(model: &Model, around: Around<'_>, name: &[u8], start: usize) -> Option<bool> {
    let is_cut =
        ELLIPSES.iter().any(|mark| name.ends_with(mark) || around.rest().starts_with(mark));
    let stem = name.strip_suffix(ELLIPSES[1]).unwrap_or(name);
    let end = stem.iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    is_cut.then(|| end > start && model.is_whole(registrant(name, start), &stem[start..end]))
}

/// Why the untrimmed `name` that fills its field is rejected if an ellipsis, a full stop or a slash ends it, and DOIs go on from
/// the name before it, but none ends.
pub(super) fn cut_field(model: Option<&Model>, name: &[u8], start: usize) -> Option<Reason> {
    let is_stem = |model, stem: &[u8]| stem.len() > start && is_unfinished(model, stem, start);
    let stem = |marks: &[&[u8]]| marks.iter().find_map(|mark| name.strip_suffix(*mark));
    let is_mark = matches!(name.last(), Some(b'.' | b'/' | 0x80..));
    let model = model.filter(|_| is_mark)?;
    let elided = stem(&ELLIPSES).map(|stem| (stem, Reason::Ellipsis));
    let (stem, reason) = elided.or_else(|| Some((stem(&[b".", b"/"])?, Reason::Stem)))?;
    is_stem(model, stem).then_some(reason)
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
    let suffix = &name[start..];
    // Names have no comma, but may stand with one for the semicolon.
    if sici::begins(suffix) && memchr::memchr2(b'<', b',', suffix).is_some() {
        return Ok(plain);
    }
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

/// Whether the model knows `name` as a whole one.
pub(super) fn is_whole(model: &Model, name: &[u8], start: usize) -> bool {
    ends(model, name, start).is_some_and(|ends| ends != Whole::No)
}

/// The fewest DOIs of one kind that make sure that it is one.
pub(super) const SURE: f32 = 10.0;

/// Whether the model surely knows `name` as a whole one.
pub(super) fn is_sure(model: &Model, name: &[u8], start: usize) -> bool {
    known(model, name, start).ending >= SURE
}

/// Whether the tail of `name` after its first `len` bytes belongs to it: DOIs surely end so, or none ends before the tail and
/// some go on like it.
pub(super) fn keeps_tail(model: &Model, name: &[u8], start: usize, len: usize) -> bool {
    let goes_on = || {
        let front = known(model, &name[..len], start);
        let is_open = front.passing >= SURE && front.ending == 0.0;
        is_open && known(model, &name[..len + 1], start).passing > 0.0
    };
    is_sure(model, name, start) || len > start && len < name.len() && goes_on()
}

/// What the DOIs of the registrant of `name` tell at the end of `suffix`. A number may have one digit more than theirs.
pub(super) fn grown(model: &Model, name: &[u8], start: usize, suffix: &[u8]) -> Place {
    model.grown(registrant(name, start), suffix)
}

/// Whether DOIs of the registrant of `name` are known with the word that `tail` begins with.
pub(super) fn has_word(model: &Model, name: &[u8], start: usize, tail: &[u8]) -> bool {
    model.has_word(registrant(name, start), tail)
}

/// Whether DOIs begin like `name`, and none ends here.
pub(super) fn is_unfinished(model: &Model, name: &[u8], start: usize) -> bool {
    known(model, name, start).is_unfinished()
}

/// The part of the DOIs that pass a place up to which an end there is rare.
const RARE: f32 = 0.03;

/// Where a hyphen in `name`, at one of `places`, makes it a DOI that is surely known.
pub(super) fn lost_hyphen(
    model: &Model,
    name: &[u8],
    start: usize,
    places: RangeInclusive<usize>,
) -> Option<usize> {
    let (first, last) = places.into_inner();
    let found =
        model.with_hyphen(registrant(name, start), &name[start..], first - start..=last - start);
    // Nearly all may go on from there.
    let ending =
        |place: Place| if place.ending < RARE * place.passing { 0.0 } else { place.ending };
    let best = found.map(|(place, at)| (ending(place), at)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(ending, _)| *ending >= SURE).map(|(_, at)| start + at)
}

/// Checks that DOIs of the registrant surely look exactly like `name`.
///
/// # Errors
///
/// Fails with the offset in it up to which some do, and whether some go on there in a way that is not known.
pub(super) fn exact(model: &Model, name: &[u8], start: usize) -> Result<(), (usize, bool)> {
    let (at, place) = match model.exact(registrant(name, start), &name[start..]) {
        Ok(place) if place.ending >= SURE => return Ok(()),
        Ok(place) => (name.len(), place),
        Err((at, place)) => (start + at, place),
    };
    Err((at, place.lost > 0.02 * place.passing))
}
