//! Asks the model of names whether a name continues in the next word.

use super::front::{End, Front};
use super::next::Next;
use crate::names::{self, Gap, Model, Text};
use crate::scan::glued;
use crate::scan::registrant::registrant;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Returns the effect of the text after `front`, with the word that may continue it, if there is one.
pub(super) fn effect(model: &Model, front: Front<'_>, gap: Gap, next: Option<Next<'_>>) -> End {
    if front.name.ends_with(b"...") || front.name.ends_with("…".as_bytes()) {
        return End::Whole;
    }
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
        (names::End::Divided, Some(next)) => {
            let is_ascii = front.after[front.at - 1].is_ascii();
            let dash = if is_ascii { 1 } else { "‐".len() };
            End::Goes(front.at - dash..next.at)
        }
        (names::End::Stem, _) => End::Stem,
        _ => End::Whole,
    }
}

/// The length of a suffix without the full stops and commas of a sentence.
fn plain(run: &[u8]) -> usize {
    run.iter().rposition(|byte| !b".,:;!?'*\"".contains(byte)).map_or(0, |last| last + 1)
}

/// What was read of the suffix, as it is spelled, with the brackets that are still open.
fn read(Front { after, at, name, start, .. }: Front<'_>) -> Cow<'_, [u8]> {
    let same = |read: &[u8]| {
        let parts = read.split_at_checked(name.len());
        let opens = |rest: &[u8]| rest.first().is_none_or(|byte| b"([{<".contains(byte));
        parts.is_some_and(|(read, rest)| read.eq_ignore_ascii_case(name) && opens(rest))
    };
    match without_escapes(&after[..at]) {
        Cow::Borrowed(read) if same(read) => read[start..].into(),
        Cow::Owned(read) if same(&read) => read[start..].to_vec().into(),
        _ => name[start..].into(),
    }
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
