//! Detects names that the text after them shows to be open.

use super::front::Front;
use super::tags::{MAX_WORD, is_tag};
use crate::decode::{Layer, Utf8};
use crate::names::Model;
use crate::scan::learned;
use crate::scan::serial::is_sici_cut;
use crate::scan::{class, glued, sici};

/// Whether `front` in running text is open: it is a SICI without its pages, or it ends in a hyphen, or unfinished in a
/// slash, before the end of a cell, a tag, a carriage return alone or a no-break space, or an unfinished name is before
/// a dash.
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
        && (is_replaced(rest) || is_dash(rest) && is_unfinished())
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
