//! Detects names that the text after them shows to be open.

use super::front::Front;
use super::tags::{MAX_WORD, is_tag};
use crate::decode::{Layer, Utf8};
use crate::names::Model;
use crate::scan::learned;
use crate::scan::serial::is_sici_cut;
use crate::scan::{around, class, glued, sici};

/// Whether `front` in running text is open: it is a SICI without its pages, or it ends in a hyphen, or within
/// a known form in a slash, before the end of a cell, a tag, a carriage return alone or a no-break space, or a dash or a
/// letter of Windows-1252 follows, or within a known shape before a dash.
#[inline]
pub(in crate::scan) fn is_open(front: Front<'_>, model: Option<&Model>) -> bool {
    let (rest, has_suffix) = (front.rest(), front.name.len() > front.start);
    let is_unfinished =
        || model.is_some_and(|model| learned::is_unfinished(model, front.name, front.start));
    let is_end = || match rest {
        [b'\t' | 0x1c..=0x1f, ..] | [0xc2, 0xa0, ..] => true,
        [b'\r', rest @ ..] => begins_with_digits(rest),
        _ => is_tag(rest),
    };
    if rest.first().is_some_and(|byte| *byte >= 0x80)
        && has_suffix
        && (goes_on_in_latin(front.suffix(), rest)
            || is_replaced(rest)
            || is_dash(rest) && is_unfinished())
    {
        return true;
    }
    match front.name.last() {
        Some(b'0'..=b'9' | b')') => is_sici_cut(front.name, front.start),
        Some(b'-') => has_suffix && is_end() && sici::ends_in_hyphen(front.name),
        Some(b'/') => has_suffix && is_end() && is_unfinished(),
        _ => false,
    }
}

/// Whether the first word of `rest` has a digit.
fn begins_with_digits(rest: &[u8]) -> bool {
    rest.iter().take(MAX_WORD).take_while(|b| b.is_ascii_graphic()).any(u8::is_ascii_digit)
}

/// Whether a dash begins `rest`, and no word of the sentence follows one that may belong to it.
fn is_dash(rest: &[u8]) -> bool {
    let is_word = |at: usize| rest.get(at).is_some_and(u8::is_ascii_alphabetic);
    Utf8(rest).at(0).is_some_and(|c| {
        class::is_dash(c.code) && !(class::is_sentence_dash(c.code) && is_word(c.next))
    })
}

/// Whether U+FFFD, which stands for a character that was lost, and a letter or a digit of no other name begin `rest`.
fn is_replaced(rest: &[u8]) -> bool {
    let is_part = |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_alphanumeric);
    rest.strip_prefix("\u{fffd}".as_bytes())
        .is_some_and(|rest| is_part(rest) && !glued::begins_another(rest))
}

/// Whether `rest`, after a part of a name, is not UTF-8 and begins with a letter of Windows-1252, or with a
/// dash before the next part, as Excel writes it for a hyphen: `10.1186/1471\x961458`. Letters among the controls
/// of Latin-1 (`\x9a`) count before the next part alone, because binary data has such bytes too. A name with a digit
/// is whole if its word ends with the letter: `10.1000/182\xe9 and`.
#[cold]
fn goes_on_in_latin(suffix: &[u8], rest: &[u8]) -> bool {
    let is_letter = |byte| byte >= 0xc0 && !matches!(byte, 0xd7 | 0xf7);
    let character = &rest[..rest.len().min(4)];
    let is_utf8 = || character.utf8_chunks().next().is_some_and(|chunk| !chunk.valid().is_empty());
    match *rest {
        [0x8a | 0x8c | 0x8e | 0x96 | 0x97 | 0x9a | 0x9c | 0x9e | 0x9f | 0xad, next, ..] => {
            next.is_ascii_alphanumeric()
        }
        // A surrogate, as half of a character in UTF-16 is written.
        [0xed, 0xa0..=0xbf, ..] => false,
        [byte, ..] => {
            is_letter(byte)
                && !is_utf8()
                && (!around::has_digit(suffix) || word_goes_on(&rest[1..]))
        }
        [] => false,
    }
}

/// Whether a letter or a digit of a word begins `rest`, which is no other name. Bytes that are no UTF-8 and marks of
/// names may be in front of it.
fn word_goes_on(rest: &[u8]) -> bool {
    let rest = &rest[..rest.len().min(MAX_WORD)];
    let mut chunks = rest.utf8_chunks();
    let text = chunks.find(|chunk| !chunk.valid().is_empty()).map_or("", |chunk| chunk.valid());
    let is_mark = |c: char| matches!(c, '-' | '.' | '_' | '/' | ':' | '(' | '[');
    text.trim_start_matches(is_mark).starts_with(char::is_alphanumeric)
        && !glued::begins_another(text.as_bytes())
}
