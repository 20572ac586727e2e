//! Blanks and tags of inline elements, and the word after them.

use super::next::Next;
use crate::decode::{self, Utf8};

/// Maximum number of blanks within a name, on either side of the tags.
pub(super) const MAX_BLANKS: usize = 2;

/// Maximum number of tags between two parts of a name.
const MAX_TAGS: usize = 4;

/// Maximum number of bytes of the next word.
pub(super) const MAX_WORD: usize = 128;

/// Blanks and tags, and the word after them.
pub(super) struct Tags<'a> {
    pub(super) next: Next<'a>,
    pub(super) has_tags: bool,
    /// Whether the one tag does not end and begin an element, but only one of both.
    pub(super) is_open: bool,
}

impl<'a> Tags<'a> {
    /// Returns the gap at `at`.
    pub(super) fn open(after: &'a [u8], at: usize) -> Option<Tags<'a>> {
        let blanks = |at: usize| after[at..].iter().take_while(|b| **b == b' ').count();
        let mut place = at + blanks(at);
        if place - at > MAX_BLANKS {
            return None;
        }
        let mut tags = 0;
        while let Some(len) = tag(&after[place..]).filter(|_| tags < MAX_TAGS) {
            place += len;
            tags += 1;
        }
        let behind = if tags > 0 { blanks(place) } else { 0 };
        let at = place + behind.min(MAX_BLANKS);
        let is_end = |at: &usize| {
            let is_mark = b"\"'`*\\,|}".contains(&after[*at]) || after[*at] >= 0x7f;
            let is_mark = is_mark && !after[*at..].starts_with(br"\_");
            is_mark || after[*at] <= b' ' || is_tag(&after[*at..])
        };
        let end = (at..after.len().min(at + MAX_WORD))
            .find(is_end)
            .unwrap_or(after.len().min(at + MAX_WORD));
        let token = &after[at..end];
        let is_between = tags == 0 || after[place - 1] == b'>';
        (!token.is_empty() && is_between).then_some(Tags {
            next: Next { at, token },
            has_tags: tags > 0,
            is_open: tags == 1,
        })
    }
}

/// Whether a tag begins at the start of `rest`.
pub(super) fn is_tag(rest: &[u8]) -> bool {
    matches!(rest, [b'<', b'/' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Returns the length of the tag of an inline element at the start of `rest`.
fn tag(rest: &[u8]) -> Option<usize> {
    decode::tag(&Utf8(rest), 0)
}
