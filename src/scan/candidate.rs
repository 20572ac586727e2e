//! Judges one candidate by the bytes around it.

use super::anchor::Anchor;
use super::suffix::{MAX_BLANKS, MAX_ESCAPE, Suffix, TooLong};
use super::{LOOKBEHIND, Notation, Options, Repair, Repairs};
use super::{boundary, class, field, lookalike, marker, trim};
use crate::decode::{Layer, Text};
use crate::doi::{LEAST_DIGITS, MAX_DIGITS, Reason, Registrant, registrant};

/// An anchor that a digit follows, and the bytes that may decide about it.
pub(super) struct Candidate<'a> {
    /// What stands before it.
    before: &'a [u8],
    /// The anchor and what stands behind it.
    after: &'a [u8],
    /// Whether the input goes on behind `after`.
    is_cut: bool,
    /// The length of the anchor.
    anchor: usize,
    /// The digits behind the anchor.
    registrant: Registrant,
}

/// The bytes in which the end of a registrant is looked for. A chain of digits and full
/// stops that is longer is none, and need not be read again from each of its parts.
/// `978.8898392` has 11.
const MAX_REGISTRANT: usize = 16;

/// The registrant at the start of `text`.
pub(super) fn find_registrant(text: &[u8]) -> Registrant {
    registrant(&text[..text.len().min(MAX_REGISTRANT)])
}

/// What became of a candidate that is a DOI.
pub(super) struct Found {
    /// Bytes it takes in the source.
    pub(super) len: usize,
    /// The damage that was undone.
    pub(super) repairs: Repairs,
}

/// Bytes from a candidate's start on that may decide about it: the longest anchor,
/// registrant and separator, the longest suffix, the blanks behind it, and what the
/// longest look ahead from its last character reads.
pub(super) fn lookahead(options: &Options) -> usize {
    MAX_ESCAPE * (options.max_length + 1) + MAX_BLANKS + 2048
}

impl<'a> Candidate<'a> {
    /// The candidate at `anchor`, if a digit follows it.
    pub(super) fn new(haystack: &'a [u8], anchor: Anchor, options: &Options) -> Option<Self> {
        if !haystack.get(anchor.end)?.is_ascii_digit() {
            return None;
        }
        let before = &haystack[anchor.start.saturating_sub(LOOKBEHIND)..anchor.start];
        let reach = haystack.len().min(anchor.start + lookahead(options));
        let after = &haystack[anchor.start..reach];
        let len = anchor.end - anchor.start;
        let is_cut = reach < haystack.len();
        Some(Candidate {
            before,
            after,
            is_cut,
            anchor: len,
            registrant: find_registrant(&after[len..]),
        })
    }

    /// Writes the canonical name to `name`, or says why there is none.
    pub(super) fn judge(
        &self,
        notation: Notation,
        options: &Options,
        name: &mut Vec<u8>,
    ) -> Result<Found, Reason> {
        let (text, from) = self.separator()?;
        self.check_registrant()?;
        boundary::left_boundary(self.before, self.digits_on())?;

        name.clear();
        if self.after[..from].ends_with(b"/")
            && from == self.anchor + self.registrant.len + 1
            && self.anchor == 3
        {
            // Nearly every prefix stands there as it is.
            name.extend_from_slice(&self.after[..from]);
        } else {
            name.extend_from_slice(b"10.");
            name.extend_from_slice(self.digits());
            name.push(b'/');
        }
        let start = name.len();
        let mut suffix = Suffix {
            text,
            name,
            start,
            is_encoded: marker::is_encoded(self.before),
            is_running: false,
            repairs: Repairs::default(),
            is_non_graphic: false,
            is_cut: self.is_cut,
            options,
        };
        let len = self.read(&mut suffix, from, notation)?;
        let Suffix { repairs, is_non_graphic, .. } = suffix;
        if name.len() == start {
            return Err(if is_non_graphic { Reason::NonGraphic } else { Reason::NoSuffix });
        }
        if options.strict && is_reserved(&name[start..]) {
            return Err(Reason::ReservedSuffix);
        }
        match lookalike::lookalike(self.before, name) {
            Some(reason) => Err(reason),
            None => Ok(Found { len, repairs }),
        }
    }

    /// Reads and trims the suffix. Returns where the source of it ends.
    fn read(
        &self,
        suffix: &mut Suffix<'_>,
        from: usize,
        notation: Notation,
    ) -> Result<usize, Reason> {
        let (start, strict) = (suffix.start, suffix.options.strict);
        if let Some(field) = field::field(self.before, notation)
            && let Some(end) = suffix.whole(from, field)
        {
            let length = suffix.name.len() - start;
            if !strict && trim::whole(suffix.name, start) {
                suffix.repairs.insert(Repair::Trailing);
            }
            return Ok(suffix.source_end(from, end, length));
        }
        suffix.name.truncate(start);
        suffix.is_running = true;
        suffix.repairs = Repairs::default();
        suffix.is_non_graphic = false;
        let end = suffix.running(from).map_err(|TooLong| Reason::TooLong)?;
        let length = suffix.name.len() - start;
        trim::running(suffix.name, start);
        Ok(suffix.source_end(from, end, length))
    }

    /// The registrant and all that follows it.
    fn digits_on(&self) -> &'a [u8] {
        &self.after[self.anchor..]
    }

    /// The registrant.
    fn digits(&self) -> &'a [u8] {
        &self.after[self.anchor..][..self.registrant.len]
    }

    /// The text behind the separator: where it begins, and how it is escaped.
    fn separator(&self) -> Result<(Text<'a>, usize), Reason> {
        let mut text = Text { bytes: self.after, twice: false };
        let c = text.at(self.anchor + self.registrant.len).ok_or(Reason::NoSeparator)?;
        let is_other = c.is(b':') && marker::is_urn(self.before)
            || c.is(b'_') && marker::is_underscored(self.before);
        if class::is_slash(c.code) || is_other {
            return Ok((text, c.next));
        }
        let twice = [b"2F", b"2f"].iter().find_map(|hex| text.spells(c.next, *hex));
        match twice {
            Some(next) if c.is(b'%') && c.literal => {
                text.twice = true;
                Ok((text, next))
            }
            _ => Err(Reason::NoSeparator),
        }
    }

    /// Whether the digits are those of a registrant, given what stands before.
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

/// Whether a suffix begins with one character and a slash (Z39.84, 4.3).
fn is_reserved(suffix: &[u8]) -> bool {
    let text = str::from_utf8(suffix).unwrap_or_default();
    text.chars().nth(1) == Some('/')
}
