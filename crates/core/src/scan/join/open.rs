//! Detects names that the text after them shows to be open.

use super::front::Front;
use super::next::is_tag;
use crate::decode::{Char, Layer, Utf8};
use crate::names::Model;
use crate::scan::{around, class, glued, learned, sici};

/// Whether `front` in running text is open: it is a SICI without its pages, or it ends in a slash before the rest of a DOI, before
/// the end of a cell, a tag or a no-break space, or a damaged character follows, or a dash before the rest.
#[inline]
pub(in crate::scan) fn is_open(front: Front<'_>, model: Option<&Model>) -> bool {
    let (rest, name, start) = (front.rest(), front.name, front.start);
    let is_end = || matches!(rest, [b'\t' | 0x1c..=0x1f, ..] | [0xc2, 0xa0, ..]) || is_tag(rest);
    let is_unfinished = || model.is_some_and(|model| learned::is_unfinished(model, name, start));
    // A character that was lost, within a word or after letters: U+FFFD, or a letter or a dash of Windows-1252.
    if rest.first().is_some_and(|byte| *byte >= 0x80)
        && let Some(c) = Utf8(rest).at(0)
    {
        let is_lost = match c.code {
            Char::INVALID => !matches!(rest[0], 0xa0..=0xbf | 0xed),
            code => code == 0xfffd,
        };
        let behind = &rest[c.next..];
        let goes_on = behind.first().is_some_and(u8::is_ascii_alphanumeric);
        let is_letter = rest[0] >= 0xc0 && !around::has_digit(front.suffix());
        if is_lost && (is_letter || goes_on && !glued::begins_another(behind))
            || class::is_dash(c.code) && name.len() > start && is_unfinished()
        {
            return true;
        }
    }
    match name.last() {
        Some(b'0'..=b'9' | b')') => {
            let is_sure = |model| learned::is_sure(model, name, start);
            sici::is_front(front.suffix()) && !model.is_some_and(is_sure)
        }
        Some(b'/') => name.len() > start && is_end() && is_unfinished(),
        _ => false,
    }
}
