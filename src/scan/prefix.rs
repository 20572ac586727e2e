//! The prefix of a candidate, and whether a name may begin with it at all.
//!
//! Everything here looks at a bounded number of bytes, so that it can be asked of every
//! anchor, also of those within a suffix that is being read.

use super::anchor::{Anchor, find_registrant};
use super::{LOOKBEHIND, boundary, class, marker};
use crate::decode::{Layer, Text};
use crate::doi::{LEAST_DIGITS, MAX_DIGITS, Reason, Registrant};

/// An anchor followed by a digit, and the bytes that may decide about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix<'a> {
    /// The bytes in front of the anchor that may decide.
    pub(super) before: &'a [u8],
    /// The anchor and the bytes after it.
    pub(super) after: &'a [u8],
    /// The length of the anchor.
    pub(super) anchor: usize,
    /// The digits after the anchor.
    pub(super) registrant: Registrant,
}

impl<'a> Prefix<'a> {
    /// The prefix at `anchor` of `text`, if a digit follows the anchor.
    pub(super) fn new(text: &'a [u8], anchor: Anchor) -> Option<Self> {
        if !text.get(anchor.end)?.is_ascii_digit() {
            return None;
        }
        Some(Prefix {
            before: &text[anchor.start.saturating_sub(LOOKBEHIND)..anchor.start],
            after: &text[anchor.start..],
            anchor: anchor.end - anchor.start,
            registrant: find_registrant(&text[anchor.end..]),
        })
    }

    /// The suffix, as yet without an end: its text, and where it begins.
    ///
    /// # Errors
    ///
    /// The reason why no name begins here, whatever its suffix is.
    #[inline(always)] // 2 % of the instructions of dense JSON
    pub(super) fn suffix(&self) -> Result<(Text<'a>, usize), Reason> {
        let found = self.separator()?;
        self.check_registrant()?;
        boundary::left_boundary(self.before, self.digits_on())?;
        Ok(found)
    }

    /// The registrant.
    pub(super) fn digits(&self) -> &'a [u8] {
        &self.after[self.anchor..][..self.registrant.len]
    }

    /// The registrant and all that follows it.
    fn digits_on(&self) -> &'a [u8] {
        &self.after[self.anchor..]
    }

    /// The text behind the separator: where it begins, and how it is escaped.
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

    /// Whether the digits are those of a registrant, given what stands before.
    #[inline(always)]
    fn check_registrant(&self) -> Result<(), Reason> {
        if self.registrant.longest > MAX_DIGITS {
            return Err(Reason::TooLongRegistrant);
        }
        if boundary::is_date(self.digits()) {
            return Err(Reason::Date);
        }
        let is_marked = || self.registrant.first >= LEAST_DIGITS && marker::is_marked(self.before);
        // `10.10.1640/…` is the directory code written twice: the name begins later.
        let is_twice = self.digits().starts_with(b"10.");
        if !self.registrant.is_plain() && (is_twice || !is_marked()) {
            return Err(Reason::TooShortRegistrant);
        }
        // One of 579,865 names has a registrant of 6 digits or more; coordinates do too.
        let is_number = self.registrant.first >= 6 && !boundary::has_letter(self.digits_on());
        if is_number && !is_marked() {
            return Err(Reason::TooLongRegistrant);
        }
        Ok(())
    }
}

/// Whether percent-encoding goes deeper in the suffix that begins `rest` than in the slash
/// before it: `10.1644%2F1545-1410%25282001%2529…`.
pub(super) fn is_mixed(rest: &[u8]) -> bool {
    let is_part = |b: &&u8| b.is_ascii_graphic() && !b"\"'<>&".contains(b);
    let run = rest.iter().take(MAX_RUN).take_while(is_part).count();
    memchr::memmem::find_iter(&rest[..run], b"%25")
        .any(|at| matches!(rest[at + 3..run], [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()))
}

/// The bytes of a suffix in which a deeper encoding is looked for.
const MAX_RUN: usize = 512;
