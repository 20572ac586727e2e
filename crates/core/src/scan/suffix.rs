//! Finds the end of a suffix: in a field that the name fills, and in running text.

use super::brackets::{Brackets, DEEPEST};
use super::class::{self, LEADER, is_blank};
use super::field::{self, Close, Field};
use super::others::Others;
use super::reading::{self, Foreign, Mark, Reading};
use super::{Notation, Options, Repair, Repairs, glued, sici};
use crate::decode::{Char, Layer, Text};
use crate::vector;
use alloc::vec::Vec;

/// The bytes from the `10.` of a name on, and what is known of them.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) text: Text<'a>,
    /// The bytes before the name.
    pub(super) before: &'a [u8],
    /// Where other names may begin.
    pub(super) others: &'a Others<'a>,
    /// Whether the address around the name was percent-encoded as a whole. If so, `%3F` begins its
    /// query like a raw `?`.
    pub(super) is_encoded: bool,
    /// Whether the input continues after the text.
    pub(super) is_cut: bool,
    pub(super) notation: Notation,
    /// Options of the caller.
    pub(super) options: &'a Options,
}

/// Reads the characters of one suffix and folds their case: the value of a field, or running text.
#[derive(Debug)]
pub(super) struct Suffix<'a> {
    pub(super) context: &'a Context<'a>,
    /// The name read so far: prefix, slash and part of the suffix.
    pub(super) name: &'a mut Vec<u8>,
    /// Where the suffix begins in `name`.
    pub(super) start: usize,
    /// The field that the name must fill; `None` in running text.
    field: Option<Field>,
    /// The next place where another name may begin, or a place before which none begins.
    fence: usize,
    /// How far plain bytes are read: one block beyond the fence, so that few names need
    /// byte-by-byte reading at their end.
    reach: usize,
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

/// The name exceeds the maximum length.
#[derive(Debug)]
pub(super) struct TooLong;

/// Result of one step through the text.
enum Step {
    /// Characters of the name were taken, up to here.
    Taken(usize),
    /// An ASCII character whose meaning depends on the notation, and where the next character
    /// begins.
    Mark(u8, usize),
    /// A character that ends the name.
    Stop,
    /// The end of the text.
    End,
}

impl<'a> Suffix<'a> {
    /// Prepares to read what follows the prefix and the slash in `name`.
    pub(super) fn new(
        context: &'a Context<'a>,
        name: &'a mut Vec<u8>,
        field: Option<Field>,
    ) -> Suffix<'a> {
        let (start, fence) = (name.len(), context.others.first);
        Suffix {
            context,
            name,
            start,
            field,
            fence,
            reach: context.others.reach(fence),
            repairs: Repairs::default(),
            has_marks: false,
            is_led: false,
        }
    }

    /// Reads the suffix that begins at `from` if it fills the field. Returns its end, or `None` if
    /// the rules for running text apply.
    pub(super) fn whole(&mut self, from: usize) -> Option<usize> {
        let field = self.field?;
        let (mut at, mut depth) = (from, 0_usize);
        loop {
            at = self.plain(at);
            if self.name.len() > self.context.options.max_length {
                return None;
            }
            if at == self.fence {
                if self.meets_another(at) {
                    return None;
                }
                continue;
            }
            if let Some(&byte) = self.context.text.bytes.get(at)
                && field.closes_plainly(byte)
            {
                return Some(at);
            }
            let (byte, next) = match self.step(at) {
                Step::Taken(next) => {
                    at = next;
                    continue;
                }
                Step::Mark(byte, next) => (byte, next),
                Step::Stop => return None,
                Step::End => {
                    return (!self.context.is_cut && !matches!(field.close, Close::Byte(_)))
                        .then_some(at);
                }
            };
            match byte {
                b'}' if depth > 0 => depth -= 1,
                b'{' if self.rest(next).first() == Some(&b'{') => return None,
                b'{' if depth == DEEPEST => return None,
                b'{' => depth += 1,
                b';' if sici::is_before_semicolon(self.suffix())
                    && self.rest(next).first() == Some(&b'2') => {}
                b'<' if self.closes(at, field) => return Some(at),
                b'$' | b'|' if field.ends_subfield(byte, self.rest(next)) => return Some(at),
                _ if field.closes(byte) => return Some(at),
                // The quote of a cell that is cut.
                b'"' if self.closes(at, field) => return Some(at),
                _ if is_blank(byte) => return self.closes(at, field).then_some(at),
                _ if !reading::is_in_field(byte, field, &self.spot(next)) => return None,
                _ => {}
            }
            self.name.push(byte.to_ascii_uppercase());
            at = next;
        }
    }

    /// Reads the suffix that begins at `from` in running text. Returns its end.
    pub(super) fn running(&mut self, from: usize) -> Result<usize, TooLong> {
        let (mut at, mut searched) = (from, self.start);
        let mut brackets = Brackets::default();
        loop {
            at = self.plain(at);
            if let Some(dots) = class::find_leader(&self.name[searched..]) {
                self.name.truncate(searched + dots);
                self.is_led = true;
                break;
            }
            searched = self.start.max((self.name.len() + 1).saturating_sub(LEADER.len()));
            if self.name.len() > self.context.options.max_length + LEADER.len() {
                return Err(TooLong);
            }
            if at == self.fence {
                if self.meets_another(at) {
                    self.strip_marker();
                    break;
                }
                continue;
            }
            let (byte, next) = match self.step(at) {
                Step::Taken(next) => {
                    at = next;
                    continue;
                }
                Step::Mark(byte, next) => (byte, next),
                Step::End if self.context.is_cut => return Err(TooLong),
                Step::Stop | Step::End => break,
            };
            let mark = Char { code: byte.into(), next, literal: false };
            if let Some(line) = self.soft_break(mark, !self.suffix().is_empty()) {
                self.repairs.insert(Repair::QuotedPrintable);
                at = line;
                continue;
            }
            if !self.goes_on(byte, next, &mut brackets) {
                break;
            }
            self.name.push(byte.to_ascii_uppercase());
            at = next;
        }
        if self.name.len() > self.context.options.max_length {
            return Err(TooLong);
        }
        if let Some(first) = brackets.first_open() {
            self.name.truncate(first);
        }
        Ok(at)
    }

    /// Whether the name continues in running text with the mark `byte`. The text after the mark
    /// begins at `next`.
    fn goes_on(&mut self, byte: u8, next: usize, brackets: &mut Brackets) -> bool {
        match reading::mark(byte, &self.spot(next)) {
            Mark::Part => true,
            Mark::Opens => brackets.open(byte, self.name.len()),
            Mark::Closes => brackets.close(byte),
            Mark::Ends(cut) => {
                self.name.truncate(self.name.len() - cut);
                false
            }
        }
    }

    /// Returns the place after the character before `next`.
    fn spot(&self, next: usize) -> Spot<'_> {
        Spot { read: self, suffix: self.suffix(), next }
    }

    /// Whether another name begins at `at`, which is the fence. If not, advances the fence.
    #[cold]
    fn meets_another(&mut self, at: usize) -> bool {
        let is_met = self.context.others.begins(at);
        if !is_met {
            self.move_fence(at + 1);
        }
        is_met
    }

    /// Whether another name begins between the fence and `end`.
    fn holds_another(&mut self, end: usize) -> bool {
        while self.fence < end {
            if self.meets_another(self.fence) {
                return true;
            }
        }
        false
    }

    /// Moves the fence to the first place from `at` on where another name may begin.
    #[cold]
    fn move_fence(&mut self, at: usize) {
        self.fence = self.context.others.next(at);
        self.reach = self.context.others.reach(self.fence);
    }

    /// Removes what is between the name and the next one: `10.1000/1doi10.1000/2`, `10.1000/1-10.1000/2`.
    fn strip_marker(&mut self) {
        if self.suffix().ends_with(b"DOI") {
            self.name.truncate(self.name.len() - 3);
        }
        if self.suffix().ends_with(b"-") {
            self.name.truncate(self.name.len() - 1);
        }
    }

    /// Takes the plain bytes at `at`, up to the fence at most. Returns their end.
    fn plain(&mut self, at: usize) -> usize {
        if at > self.fence {
            self.move_fence(at);
        }
        let mut rest = &self.context.text.bytes[at..self.reach];
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
        let end = self.reach - rest.len() + run;
        if end > self.fence {
            self.name.truncate(self.name.len() - (end - self.fence));
            return self.fence;
        }
        end
    }

    /// Takes the character at `at`, unless it is a mark or ends the name.
    fn step(&mut self, at: usize) -> Step {
        let Some(mut c) = self.context.text.at(at) else { return Step::End };
        c.literal &= !self.context.is_encoded;
        if matches!(c.code, 0x3c | 0xa1)
            && let Some(end) = sici::pages(&self.context.text, at)
            && !self.holds_another(end)
        {
            self.take(at, end);
            self.has_marks = true;
            return Step::Taken(end);
        }
        if reading::is_left_out(c, &self.spot(c.next)) {
            return Step::Taken(c.next);
        }
        let Some(byte) = c.ascii() else { return self.step_foreign(c) };
        self.has_marks |= matches!(byte, b'{' | b'$' | b'[' | b'%' | b'\\');
        // Percent-encoded characters are not delimiters. In running text, however, brackets must
        // balance, and control characters end a name in any encoding.
        let is_bracket = matches!(byte, b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}');
        let is_kept = || match byte {
            b' ' => reading::goes_on_after_space(&self.spot(c.next)),
            // The query of an address that is encoded inside another one: `%3Futm_source%3D…`.
            b'?' if glued::is_parameter(&self.context.text, c.next) => false,
            _ => !(is_blank(byte) || is_bracket && self.field.is_none()),
        };
        if c.literal && is_kept() {
            self.push(c.code);
            return Step::Taken(c.next);
        }
        Step::Mark(byte, c.next)
    }

    /// Takes the non-ASCII character `c`, unless it ends the name.
    fn step_foreign(&mut self, c: Char) -> Step {
        match reading::foreign(c, &self.spot(c.next)) {
            Foreign::Part => self.push(c.code),
            Foreign::StandsFor(text, repair) => {
                self.repairs.insert(repair);
                self.name.extend_from_slice(text.as_bytes());
            }
            Foreign::Ends => return Step::Stop,
        }
        Step::Taken(c.next)
    }

    /// Returns the end in the source of the name, whose suffix begins at `from`. A trimmed name
    /// ends before the end of the text that was read, which is at `read` and gave `length` bytes.
    pub(super) fn source_end(&self, from: usize, read: usize, length: usize) -> usize {
        // Every escape is longer than the character it encodes.
        let is_verbatim = read - from == length;
        let length = self.name.len() - self.start;
        if is_verbatim {
            return from + length;
        }
        let (mut at, mut count) = (from, 0);
        while count < length
            && let Some(c) = self.context.text.at(at)
        {
            let is_mark = self.field.is_none() && (!c.literal || self.context.is_encoded);
            if is_mark && let Some(line) = self.soft_break(c, count > 0) {
                at = line;
                continue;
            }
            count += self.length(count, c);
            at = c.next;
        }
        at
    }

    /// Returns the number of bytes that `c` at `at` adds to the suffix after its first `count` bytes.
    fn length(&self, count: usize, mut c: Char) -> usize {
        c.literal &= !self.context.is_encoded;
        let spot = Spot { suffix: &self.suffix()[..count], ..self.spot(c.next) };
        if reading::is_left_out(c, &spot) {
            return 0;
        }
        if c.code < 0x80 {
            return 1;
        }
        match reading::foreign(c, &spot) {
            Foreign::StandsFor(text, _) => text.len(),
            _ => char::from_u32(c.code).map_or(0, char::len_utf8),
        }
    }

    /// Takes one character and folds its case.
    fn push(&mut self, code: u32) {
        let Some(c) = char::from_u32(code) else { return };
        self.name.extend_from_slice(c.to_ascii_uppercase().encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Takes the characters from `at` to `end`.
    fn take(&mut self, mut at: usize, end: usize) {
        while at < end
            && let Some(c) = self.context.text.at(at)
        {
            at = c.next;
            self.push(c.code);
        }
    }

    /// Whether `field` closes at `at`, after blanks, tags and quotes.
    fn closes(&self, at: usize, field: Field) -> bool {
        let mut rest = self.rest(at);
        let near = rest.len().saturating_sub(MAX_BLANKS);
        while rest.len() > near
            && let Some(&byte) = rest.first()
        {
            let len = if is_blank(byte) || byte == b'"' { Some(1) } else { field::tag(rest) };
            match len {
                _ if field.closes(byte) => return true,
                Some(len) => rest = &rest[len..],
                None => return false,
            }
        }
        rest.is_empty() && !self.context.is_cut && !matches!(field.close, Close::Byte(_))
    }

    /// Returns the suffix read so far.
    fn suffix(&self) -> &[u8] {
        &self.name[self.start..]
    }

    /// Returns the bytes from `at` on.
    pub(super) fn rest(&self, at: usize) -> &[u8] {
        &self.context.text.bytes[at..]
    }
}

/// The place at `next`, after the characters that gave `suffix` and one more.
struct Spot<'a> {
    read: &'a Suffix<'a>,
    suffix: &'a [u8],
    next: usize,
}

impl Reading for Spot<'_> {
    fn options(&self) -> &Options {
        self.read.context.options
    }

    fn is_running(&self) -> bool {
        self.read.field.is_none()
    }

    fn before(&self) -> &[u8] {
        self.read.context.before
    }

    fn suffix(&self) -> &[u8] {
        self.suffix
    }

    fn rest(&self) -> &[u8] {
        self.read.rest(self.next)
    }

    fn ahead(&self) -> impl Iterator<Item = Char> {
        let mut at = self.next;
        core::iter::from_fn(move || {
            let mut c = self.read.context.text.at(at)?;
            c.literal &= !self.read.context.is_encoded;
            at = c.next;
            Some(c)
        })
    }

    fn is_marc(&self) -> bool {
        self.read.context.notation == Notation::Marc
    }

    fn is_parameter(&self) -> bool {
        glued::is_parameter(&self.read.context.text, self.next)
    }
}
