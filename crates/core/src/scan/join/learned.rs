//! Asks the model of names whether a name continues in the next word.

use super::front::{End, Front};
use super::next::Next;
use crate::names::{self, Gap, Model, Text};
use crate::scan::learned::{SURE, ends_line, is_sentence, spelled};
use crate::scan::registrant::registrant;
use crate::scan::{glued, marker};
use alloc::vec::Vec;

/// The part of the DOIs with a beginning that end there, if a DOI that does is rare.
const RARE: f32 = 0.1;

/// Returns the effect of a `gap` after `front`, with the word after it.
pub(super) fn effect(model: &Model, front: Front<'_>, gap: Gap, next: Option<&Next<'_>>) -> End {
    let Front { after, at, name, start, .. } = front;
    let (read, behind) = after[..at].split_at(name.len().min(at));
    // With a bracket that is still open.
    let is_read =
        read.eq_ignore_ascii_case(name) && behind.first().is_none_or(|b| b"([{<".contains(b));
    let run = if is_read { after[start..at].into() } else { spelled(&after[..at], name, start) };
    let next = next.filter(|next| !next.holds_another());
    let token = next.map_or(&b""[..], |next| next.token);
    let token = &token[..memchr::memchr2(b'&', b'#', token).unwrap_or(token.len())];
    if let Some(next) = next.filter(|next| gap == Gap::Blank && lost_underscore(model, front, next))
    {
        return End::Underscore(front.at..next.at);
    }
    let text = Text {
        registrant: registrant(front.name, front.start),
        run: &run,
        plain: plain(&run).min(front.suffix().len()),
        gap,
        next: token,
        is_sentence: is_sentence(front.rest(), &run),
        ends_line: ends_line(front.rest()),
        ends: front.ends,
        ..Text::default()
    };
    if model.is_plain(text) {
        return End::Whole;
    }
    let is_loose = front.is_loose || marker::is_spaced(front.before);
    let more = match next {
        Some(next) if gap == Gap::Blank => words(front.after, next),
        _ => Vec::new(),
    };
    let is_address = marker::is_address(front.before);
    let text = Text { is_loose, more: &more, is_address, ..text };
    match (model.weigh(text), next) {
        (names::End::Next(_), Some(next)) => End::Goes(at..next.at),
        (names::End::Divided, Some(next)) => {
            let hyphen = if after[at - 1] == b'-' { 1 } else { "‐".len() };
            End::Goes(at - hyphen..next.at)
        }
        (names::End::Stem, _) => End::Stem,
        // A bracket that stays open is not of the name.
        (names::End::Run(at), _) if run.len() == front.suffix().len() => End::At([text.plain, at]),
        _ => End::Whole,
    }
}

/// Whether a blank after `front` stands for an underscore: DOIs of the registrant go on with one, and with `next` after it,
/// and hardly any without it.
fn lost_underscore(model: &Model, front: Front<'_>, next: &Next<'_>) -> bool {
    let (registrant, run, word) =
        (registrant(front.name, front.start), front.suffix(), next.word());
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if word.is_empty() || !word.iter().all(is_part) || !run.last().is_some_and(is_part) {
        return false;
    }
    let read = model.known(registrant, [run, b""]);
    let behind = &front.after[next.at + word.len()..];
    let is_end = !matches!(behind.first(), Some(b' ' | b'\t'));
    let is_rare = || read.ending < RARE * read.passing && is_end;
    if !read.is_unfinished() && !is_rare() {
        return false;
    }
    let passing =
        |suffix: &[u8]| model.exact(registrant, suffix).map_or(0.0, |place| place.passing);
    let with = passing(&[run, b"_", word].concat());
    with >= SURE.max(RARE * read.passing) && passing(&[run, word].concat()) < RARE * with
}

/// The words after `next`, each after a blank or a line end.
fn words<'a>(after: &'a [u8], next: &Next<'a>) -> Vec<&'a [u8]> {
    let (mut at, mut words) = (next.at + next.token.len(), Vec::new());
    let is_part = |byte: &&u8| byte.is_ascii_graphic() && !b"<>\"'`*\\,|{}".contains(byte);
    while words.len() < names::MORE
        && let [b' ' | b'\n', rest @ ..] = &after[at..]
    {
        let len = rest.iter().take(names::MOST_NEXT).take_while(is_part).count();
        if len == 0 || glued::begins_another(rest) {
            break;
        }
        words.push(&rest[..len]);
        at += 1 + len;
    }
    words
}

/// The length of a suffix without the full stops and commas of a sentence.
fn plain(run: &[u8]) -> usize {
    run.iter().rposition(|byte| !b".,:;!?'*\"".contains(byte)).map_or(0, |last| last + 1)
}
