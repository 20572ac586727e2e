//! Finds the end of a suffix: in a field that the name fills, and in running text.

use super::brackets::{Brackets, DEEPEST};
use super::class::{self, is_blank};
use super::field::{self, Close, Field};
use super::others::Others;
use super::prefix::Prefix;
use super::reading::{self, Foreign, Mark, Spot};
use super::{Notation, Options, Repair, Repairs, glued, marker, sici};
use crate::decode::{Char, Layer, Text};
use crate::doi::Reason;
use crate::vector;
use alloc::vec::Vec;
use core::ops::Range;

/// The bytes of a candidate, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    pub(super) prefix: Prefix<'a>,
    /// Where other names may begin.
    pub(super) others: Others<'a>,
    /// Whether the input continues after the bytes that can affect the result.
    pub(super) is_cut: bool,
    pub(super) notation: Notation,
    /// Options of the caller.
    pub(super) options: &'a Options,
}

/// Reads the characters of one suffix and folds their case: the value of a field, or running text.
#[derive(Debug)]
pub(super) struct Suffix<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) text: Text<'a>,
    /// Whether the address around the name was percent-encoded as a whole. If so, `%3F` begins its
    /// query like a raw `?`.
    is_encoded: bool,
    /// The name read so far: prefix, slash and part of the suffix.
    pub(super) name: &'a mut Vec<u8>,
    /// Where the suffix begins in `name`.
    pub(super) start: usize,
    /// The field that the name must fill; `None` in running text.
    field: Option<Field>,
    /// The next place where another name may begin, or a place before which none begins.
    fence: usize,
    /// The bytes of the name that are spelled with more or fewer bytes, and where these end in the source.
    escapes: Vec<(Range<usize>, usize)>,
    /// Where the pages of a SICI end.
    pages: usize,
    /// Repairs made to the name.
    pub(super) repairs: Repairs,
    /// Whether one of `{$[%\`, which occur in patterns and placeholders, may have been read.
    pub(super) has_marks: bool,
    /// Whether leader dots ended the name. If so, the text after them is not examined.
    pub(super) is_led: bool,
}

/// Maximum number of source bytes for one byte of a name. `\u0026amp;#x03c;` has 16; characters
/// without width count too.
pub(super) const MAX_ESCAPE: usize = 16;

/// Fewer than this many bytes of blanks and tags may be between a value and the delimiter of its field.
pub(super) const MAX_BLANKS: usize = 64;

/// What ends a run of characters that are part of the name.
enum Stop {
    /// An ASCII character whose meaning depends on the notation, and where the next character
    /// begins.
    Mark(u8, usize),
    /// A character that ends the name.
    Character,
    /// Another name.
    Name,
    /// The end of the text.
    End,
}

impl<'a> Suffix<'a> {
    /// Prepares to read what follows the prefix and the slash in `name`.
    pub(super) fn new(
        context: &'a Context<'a>,
        text: Text<'a>,
        name: &'a mut Vec<u8>,
        field: Option<Field>,
    ) -> Suffix<'a> {
        let (start, fence) = (name.len(), context.others.first);
        Suffix {
            context,
            text,
            is_encoded: marker::is_encoded(context.prefix.before),
            name,
            start,
            field,
            fence,
            escapes: Vec::new(),
            pages: 0,
            repairs: Repairs::default(),
            has_marks: false,
            is_led: false,
        }
    }

    /// Reads the suffix that begins at `from` if it fills the field. Returns the field and the end, or `None` if
    /// the rules for running text apply.
    pub(super) fn whole(&mut self, from: usize) -> Option<(Field, usize)> {
        let field = self.field?;
        let (mut at, mut depth) = (from, 0_usize);
        let end = loop {
            let stop;
            (at, stop) = self.advance(at);
            let (byte, next) = match stop {
                Stop::Mark(byte, next) => (byte, next),
                Stop::End if self.closes(at, field) => break at,
                _ => return None,
            };
            match byte {
                b'}' if depth > 0 => depth -= 1,
                b'{' if depth == DEEPEST || self.rest(next).starts_with(b"{") => return None,
                b'{' => depth += 1,
                b';' if sici::is_before_semicolon(self.suffix())
                    && self.rest(next).starts_with(b"2") => {}
                b'$' | b'|' if field.ends_subfield(byte, self.rest(next)) => break at,
                _ if field.closes(byte) => break at,
                b'<' | b'"' if self.closes(at, field) => break at,
                _ if is_blank(byte) && self.closes(at, field) => break at,
                _ if is_blank(byte) || !reading::is_in_field(byte, field, &self.spot(next)) => {
                    return None;
                }
                _ => {}
            }
            at = self.push(at, next, byte.into());
        };
        (self.name.len() <= self.context.options.max_length).then_some((field, end))
    }

    /// Reads the suffix that begins at `from` in running text. Returns its end.
    pub(super) fn running(&mut self, from: usize) -> Result<usize, Reason> {
        let (mut at, mut brackets) = (from, Brackets::default());
        loop {
            let stop;
            (at, stop) = self.advance(at);
            let (byte, next) = match stop {
                Stop::Mark(byte, next) => (byte, next),
                Stop::End if self.context.is_cut => return Err(Reason::TooLong),
                Stop::Name => {
                    // What is between it and the next one: `10.1000/1doi10.1000/2`, `10.1000/1-10.1000/2`.
                    for mark in [&b"DOI"[..], b"-"] {
                        let is_there = self.suffix().ends_with(mark);
                        self.name.truncate(self.name.len() - usize::from(is_there) * mark.len());
                    }
                    break;
                }
                Stop::Character | Stop::End => break,
            };
            let mark = Char { code: byte.into(), next, literal: false };
            if let Some(line) = self.soft_break(mark) {
                self.repairs.insert(Repair::QuotedPrintable);
                at = self.take(at, line, "");
                continue;
            }
            match reading::mark(byte, &self.spot(next)) {
                Mark::Part => {}
                Mark::Opens if brackets.open(byte, self.name.len()) => {}
                Mark::Closes if brackets.close(byte) => {}
                Mark::Opens | Mark::Closes => break,
                Mark::Ends(cut) => {
                    self.name.truncate(self.name.len() - cut);
                    break;
                }
            }
            at = self.push(at, next, byte.into());
        }
        if let Some(dots) = class::find_leader(self.suffix()) {
            self.name.truncate(self.start + dots);
            self.is_led = true;
        }
        if self.name.len() > self.context.options.max_length {
            return Err(Reason::TooLong);
        }
        if let Some(first) = brackets.first_open() {
            self.name.truncate(first);
        }
        Ok(at)
    }

    /// Returns the place after the character before `next`.
    fn spot(&self, next: usize) -> Spot<'_> {
        let Context { prefix: Prefix { before, .. }, notation, options, .. } = *self.context;
        let (text, is_running, suffix) = (self.text, self.field.is_none(), self.suffix());
        Spot { options, notation, before, is_running, suffix, text, next }
    }

    /// Takes the characters from `at` on that are part of the name. Returns what ends them, and its place.
    fn advance(&mut self, mut at: usize) -> (usize, Stop) {
        loop {
            at = self.plain(at);
            if at == self.fence {
                if self.context.others.begins_within(at..at + 1) {
                    return (at, Stop::Name);
                }
                self.fence = self.context.others.next(at + 1);
                continue;
            }
            match self.step(at) {
                Ok(next) => at = next,
                Err(stop) => return (at, stop),
            }
        }
    }

    /// Takes the plain bytes at `at`, up to the fence at most. Returns their end.
    fn plain(&mut self, at: usize) -> usize {
        if at > self.fence {
            self.fence = self.context.others.next(at);
        }
        let end = self.fence.min(self.text.bytes.len());
        let mut rest = &self.text.bytes[at..end];
        while let Some((block, behind)) = rest.split_first_chunk() {
            let folded = vector::append_folded(block, self.name);
            if folded.len < vector::FOLD {
                self.name.truncate(self.name.len() - vector::FOLD + folded.len);
                rest = &rest[folded.len..];
                break;
            }
            rest = behind;
        }
        let run = rest.iter().take_while(|byte| class::is_plain(**byte)).count();
        // Rare: the loop over blocks takes nearly every run completely.
        if run > 0 {
            self.name.extend(rest[..run].iter().map(u8::to_ascii_uppercase));
        }
        end - rest.len() + run
    }

    /// Takes the character at `at`, unless it is a mark or ends the name. Returns where the next one begins.
    fn step(&mut self, at: usize) -> Result<usize, Stop> {
        let mut c = self.text.at(at).ok_or(Stop::End)?;
        c.literal &= !self.is_encoded;
        if matches!(c.code, 0x3c | 0xa1)
            && let Some(end) = sici::pages(&self.text, at)
            && !self.context.others.begins_within(self.fence..end)
        {
            (self.pages, self.has_marks) = (end, true);
        }
        if at < self.pages {
            return Ok(self.push(at, c.next, c.code));
        }
        if reading::is_left_out(c, &self.spot(c.next)) {
            return Ok(self.take(at, c.next, ""));
        }
        let Some(byte) = c.ascii() else {
            return match reading::foreign(c, &self.spot(c.next)) {
                Foreign::Part => Ok(self.push(at, c.next, c.code)),
                Foreign::StandsFor(text, repair) => {
                    self.repairs.insert(repair);
                    Ok(self.take(at, c.next, text))
                }
                Foreign::Ends => Err(Stop::Character),
            };
        };
        self.has_marks |= matches!(byte, b'{' | b'$' | b'[' | b'%' | b'\\');
        // Percent-encoded characters are not delimiters. In running text, however, brackets must
        // balance, and control characters end a name in any encoding.
        let is_bracket = matches!(byte, b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}');
        let is_kept = || match byte {
            b' ' => reading::goes_on_after_space(&self.spot(c.next)),
            // The query of an address that is encoded inside another one: `%3Futm_source%3D…`.
            b'?' if glued::is_parameter(&self.text, c.next) => false,
            _ => !(is_blank(byte) || is_bracket && self.field.is_none()),
        };
        match c.literal && is_kept() {
            true => Ok(self.push(at, c.next, c.code)),
            false => Err(Stop::Mark(byte, c.next)),
        }
    }

    /// Returns the end in the source of the name, whose suffix begins at `from`.
    pub(super) fn source_end(&self, from: usize) -> usize {
        let len = self.name.len();
        match self.escapes.iter().rfind(|(place, _)| place.start < len) {
            Some((place, end)) => end + len.saturating_sub(place.end),
            None => from + len - self.start,
        }
    }

    /// Takes the character `code`, which the source spells from `at` to `next`. Returns `next`.
    fn push(&mut self, at: usize, next: usize, code: u32) -> usize {
        let c = char::from_u32(code).unwrap_or_default();
        self.take(at, next, c.encode_utf8(&mut [0; 4]))
    }

    /// Takes `text`, which the source spells from `at` to `next`, and folds its case. Returns `next`.
    fn take(&mut self, at: usize, next: usize, text: &str) -> usize {
        let from = self.name.len();
        self.name.extend(text.bytes().map(|byte| byte.to_ascii_uppercase()));
        if next - at != text.len() {
            self.escapes.push((from..self.name.len(), next));
        }
        next
    }

    /// Whether `field` closes at `at`, after blanks, tags and the quote of a cell that is cut.
    fn closes(&self, at: usize, field: Field) -> bool {
        let mut rest = self.rest(at);
        let near = rest.len().saturating_sub(MAX_BLANKS);
        while rest.len() > near
            && let Some(&byte) = rest.first()
        {
            match if is_blank(byte) || byte == b'"' { Some(1) } else { field::tag(rest) } {
                _ if field.closes(byte) => return true,
                Some(len) => rest = &rest[len..],
                None => return false,
            }
        }
        rest.is_empty() && !self.context.is_cut && !matches!(field.close, Close::Byte(_))
    }

    /// Returns the suffix read so far.
    pub(super) fn suffix(&self) -> &[u8] {
        &self.name[self.start..]
    }

    /// Returns the bytes from `at` on.
    pub(super) fn rest(&self, at: usize) -> &[u8] {
        &self.text.bytes[at..]
    }
}
