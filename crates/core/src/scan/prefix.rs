//! The prefix of a candidate, and whether a name can begin with it.
//!
//! All functions here look at a bounded number of bytes, so they can be called for every anchor,
//! including anchors inside a suffix that is being read.

use super::anchor::{self, Anchor, find_registrant};
use super::{LOOKBEHIND, boundary, class, marker};
use crate::decode::{Layer, Text};
use crate::doi::{LEAST_DIGITS, MAX_DIGITS, Reason, Registrant};

/// An anchor followed by a digit, and the bytes that can affect the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix<'a> {
    /// The bytes before the anchor that can affect the result.
    pub(super) before: &'a [u8],
    /// The anchor and the bytes after it.
    pub(super) after: &'a [u8],
    /// The length of the anchor.
    pub(super) anchor: usize,
    /// The registrant after the anchor.
    pub(super) registrant: Registrant,
}

impl<'a> Prefix<'a> {
    /// Creates the prefix at `anchor` of `text`.
    #[inline]
    pub(super) fn new(text: &'a [u8], anchor: Anchor) -> Self {
        Prefix {
            before: &text[anchor.start.saturating_sub(LOOKBEHIND)..anchor.start],
            after: &text[anchor.start..],
            anchor: anchor.end - anchor.start,
            registrant: find_registrant(&text[anchor.end..]),
        }
    }

    /// Returns the text of the suffix, whose end is not yet known, and where it begins. The registrant may be short
    /// after a mark, or if `is_short` is set.
    ///
    /// # Errors
    ///
    /// The reason why no name can begin here, regardless of its suffix.
    #[inline(always)] // 2 % of the instructions of dense JSON
    pub(super) fn suffix(&self, is_short: bool) -> Result<(Text<'a>, usize), Reason> {
        let found = self.separator()?;
        self.check_registrant(is_short)?;
        boundary::left_boundary(self.before, &self.after[self.anchor..])?;
        Ok(found)
    }

    /// Returns the text after the separator: how it is escaped, and where it begins.
    #[inline(always)]
    fn separator(&self) -> Result<(Text<'a>, usize), Reason> {
        let mut text = Text { bytes: self.after, twice: false };
        let c = text.at(self.anchor + self.registrant.len).ok_or(Reason::NoSeparator)?;
        let is_other = c.is(b':') && marker::is_urn(self.before)
            || c.is(b'_') && marker::is_underscored(self.before);
        if class::is_slash(c.code) || is_other {
            text.twice = c.literal && is_mixed(&self.after[c.next..]);
            return Ok((text, c.next));
        }
        if !c.is(b'%') || !c.literal {
            return Err(Reason::NoSeparator);
        }
        let twice = [b"2F", b"2f"].iter().find_map(|hex| text.spells(c.next, *hex));
        text.twice = true;
        twice.map(|next| (text, next)).ok_or(Reason::NoSeparator)
    }

    /// Checks that the digits are a registrant, given the text before them.
    #[inline(always)]
    fn check_registrant(&self, is_short: bool) -> Result<(), Reason> {
        if self.registrant.longest > MAX_DIGITS {
            return Err(Reason::TooLongRegistrant);
        }
        let is_marked = || {
            self.registrant.first >= LEAST_DIGITS
                && (is_short || marker::is_marked_in_line(self.before))
        };
        // `10.10.1640/…` has the directory code twice. The name begins at the second one.
        let is_twice = self.after[self.anchor..].starts_with(b"10.");
        if !self.registrant.is_plain() && (is_twice || !is_marked()) {
            return Err(Reason::TooShortRegistrant);
        }
        Ok(())
    }
}

/// Whether the suffix at the start of `rest` is percent-encoded more deeply than the slash before
/// it: `10.1644%2F1545-1410%25282001%2529…`.
pub(super) fn is_mixed(rest: &[u8]) -> bool {
    let is_part = |b: &&u8| b.is_ascii_graphic() && !b"\"'<>&".contains(b);
    let run = rest.iter().take(MAX_RUN).take_while(is_part).count();
    let is_octet = |rest: &[u8]| rest.len() > 1 && rest[..2].iter().all(u8::is_ascii_hexdigit);
    memchr::memmem::find_iter(&rest[..run], b"%25").any(|at| is_octet(&rest[at + 3..run]))
}

/// Maximum number of bytes of a suffix that are searched for a deeper encoding.
const MAX_RUN: usize = 512;

/// Whether a name may begin at `start` of `text`, regardless of its suffix.
pub(super) fn begins_at(text: &[u8], start: usize) -> bool {
    let len = anchor::anchor(text.get(start..).unwrap_or_default());
    let anchor = len.map(|len| Anchor { start, end: start + len });
    anchor.is_some_and(|anchor| Prefix::new(text, anchor).suffix(false).is_ok())
}
