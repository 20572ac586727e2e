//! Names whose words a search engine marks: `10.1109/<em>TMI</em>.<em>2012</em>.<em>2212701</em>`.

use super::edit::Edit;
use crate::decode::{Layer, Text, tag};
use alloc::vec::Vec;

/// Maximum number of characters in and between two elements.
const MAX_WORD: usize = 64;

/// Returns the change that leaves out the tags of the elements at `at` of `after`, which follow a mark of the name. There are
/// several, with one word in each, and marks without a blank between them.
#[inline]
pub(super) fn without_tags(after: &[u8], at: usize) -> Option<Edit> {
    match after[at..] {
        [b'<', b'/', ..] => None,
        [b'<' | b'\\' | b'&', ..] if b"/.-_(".contains(&after[at - 1]) => elements(after, at),
        _ => None,
    }
}

#[cold]
fn elements(after: &[u8], at: usize) -> Option<Edit> {
    let text = Text { bytes: after, twice: false };
    let is_end = |place| text.spells(place, b"</").is_some();
    let word = |place: usize, bytes: &mut Vec<(u8, usize)>| {
        let mut place = place;
        for _ in 0..MAX_WORD {
            let part = |b: &u8| b.is_ascii_alphanumeric() || b"._-/():;".contains(b);
            let Some((c, byte)) = text.at(place).and_then(|c| Some((c, c.ascii().filter(part)?)))
            else {
                break;
            };
            place = c.next;
            bytes.push((byte, place));
        }
        place
    };
    let (mut bytes, mut place, mut count) = (Vec::new(), at, 0);
    let mut found = None;
    while let Some(inner) = tag(&text, place).filter(|_| !is_end(place)) {
        let end = word(inner, &mut bytes);
        let behind = tag(&text, end).filter(|_| is_end(end) && end > inner)?;
        count += 1;
        found = Some((behind, bytes.len()));
        place = word(behind, &mut bytes);
        if place == behind || bytes[found?.1].0.is_ascii_alphanumeric() {
            break;
        }
    }
    let (end, len) = found.filter(|_| count > 1)?;
    bytes.truncate(len);
    bytes.iter().any(|(byte, _)| byte.is_ascii_digit()).then(|| Edit::without_tags(at..end, bytes))
}
