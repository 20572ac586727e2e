//! Where a suffix ends: once for a field that it fills, once for running text.

use super::brackets::{Brackets, DEEPEST};
use super::class::{self, Kind, is_blank};
use super::field::{Close, Field};
use super::{Options, Repair, Repairs, glued, sici};
use crate::decode::{Layer, Text};
use crate::doi::is_graphic;
use memchr::memmem;

/// Reads the characters of one name, folded.
#[derive(Debug)]
pub(super) struct Suffix<'a> {
    /// The bytes from the `10.` on.
    pub(super) text: Text<'a>,
    /// The name so far: prefix, slash and what is read of the suffix.
    pub(super) name: &'a mut Vec<u8>,
    /// Where the suffix begins in `name`.
    pub(super) start: usize,
    /// Whether the address around the name was encoded as a whole, so that `%3F` begins its
    /// query as a raw `?` does elsewhere.
    pub(super) is_encoded: bool,
    /// Whether the rules of running text hold.
    pub(super) is_running: bool,
    /// The damage that was undone.
    pub(super) repairs: Repairs,
    /// Whether what is no graphic character stands where the suffix should begin.
    pub(super) is_non_graphic: bool,
    /// Whether the input goes on behind the text.
    pub(super) is_cut: bool,
    /// What the caller set.
    pub(super) options: &'a Options,
}

/// The most source bytes for one byte of a name: `\u0026amp;#x03c;` has 16, and
/// characters without width count too.
pub(super) const MAX_ESCAPE: usize = 16;

/// The dots that lead to a page number; no name holds five.
pub(super) const LEADER: &[u8] = b".....";

/// Blanks that may begin a line within a name.
pub(super) const MAX_INDENT: usize = 16;

/// Blanks that may stand between a value and the delimiter of its field.
pub(super) const MAX_BLANKS: usize = 64;

/// The name is over its limit.
#[derive(Debug)]
pub(super) struct TooLong;

/// What one step over the text met.
enum Step {
    /// Characters of the name, which are taken, up to here.
    Taken(usize),
    /// An ASCII character that the notation decides about, and where the next begins.
    Mark(u8, usize),
    /// A percent-encoded mark behind which another name begins, and where the next
    /// character begins.
    Delimiter(u8, usize),
    /// A character that no name holds.
    Stop,
    /// The end of the text.
    End,
}

impl Suffix<'_> {
    /// The suffix that begins at `from`, if it fills `field`. Returns where it
    /// ends, or `None` when the rules of running text are to be used.
    pub(super) fn whole(&mut self, from: usize, field: Field) -> Option<usize> {
        let (mut at, mut depth) = (from, 0_usize);
        loop {
            at = self.plain(at);
            if self.name.len() > self.options.max_length {
                return None;
            }
            if self.text.bytes.get(at).is_some_and(|&byte| field.closes_plainly(byte)) {
                return Some(at);
            }
            let (byte, next) = match self.step(at) {
                Step::Taken(next) => {
                    at = next;
                    continue;
                }
                Step::Mark(byte, next) => (byte, next),
                Step::Stop | Step::Delimiter(..) => return None,
                Step::End => {
                    return (!self.is_cut && !matches!(field.close, Close::Byte(_))).then_some(at);
                }
            };
            match byte {
                b'}' if depth > 0 => depth -= 1,
                b'{' if depth == DEEPEST => return None,
                b'{' => depth += 1,
                b';' if sici::is_before_semicolon(self.suffix()) => {}
                _ if field.closes(byte) => return Some(at),
                _ if is_blank(byte) => return self.closes(at, field).then_some(at),
                b'"' | b'<' | b'>' | b'\\' => return None,
                b'#' if self.name.ends_with(b";2-") => {}
                b'?' | b'#' if field.url => return None,
                b'&' if glued::is_parameter(&self.text, next) => return None,
                b',' | b';' | b'|' if glued::is_list(self.rest(next)) => return None,
                b'&' | b'=' if glued::leads_to_another(self.rest(next)) => return None,
                b'&' | b'(' | b'[' | b'=' | b'+' if glued::begins_another(self.rest(next)) => {
                    return None;
                }
                b':' if glued::word(self.suffix(), self.rest(next)).is_some() => return None,
                _ => {}
            }
            self.name.push(byte.to_ascii_uppercase());
            at = next;
        }
    }

    /// The suffix that begins at `from` in running text. Returns where it ends.
    pub(super) fn running(&mut self, from: usize) -> Result<usize, TooLong> {
        let (mut at, mut searched) = (from, self.start);
        let mut brackets = Brackets::default();
        loop {
            at = self.plain(at);
            if let Some(dots) = memmem::find(&self.name[searched..], LEADER) {
                self.name.truncate(searched + dots);
                break;
            }
            searched = self.start.max((self.name.len() + 1).saturating_sub(LEADER.len()));
            if self.name.len() > self.options.max_length + LEADER.len() {
                return Err(TooLong);
            }
            let (byte, next) = match self.step(at) {
                Step::Taken(next) => {
                    at = next;
                    continue;
                }
                Step::Mark(byte, next) | Step::Delimiter(byte, next) => (byte, next),
                Step::End if self.is_cut => return Err(TooLong),
                Step::Stop | Step::End => break,
            };
            if let Some(line) = self.next_line(byte, next) {
                self.repairs.insert(Repair::LineEnd);
                at = line;
                continue;
            }
            if !self.goes_on(byte, next, &mut brackets) {
                break;
            }
            self.name.push(byte.to_ascii_uppercase());
            at = next;
        }
        if self.name.len() > self.options.max_length {
            return Err(TooLong);
        }
        if let Some(first) = brackets.first_open() {
            self.name.truncate(first);
        }
        Ok(at)
    }

    /// Where the name goes on behind the end of a line, whose first character `byte`
    /// ends at `next`. Elsewhere than behind one of `/-._(`
    /// the next line is another word.
    fn next_line(&self, byte: u8, next: usize) -> Option<usize> {
        let is_on = self.options.join_lines && !self.options.strict;
        if !is_on || !matches!(self.name.last(), Some(b'/' | b'-' | b'.' | b'_' | b'(')) {
            return None;
        }
        let mut at = match byte {
            b'\n' => next,
            b'\r' => self.text.at(next).filter(|c| c.is(b'\n'))?.next,
            _ => return None,
        };
        for _ in 0..=MAX_INDENT {
            let c = self.text.at(at)?;
            match c.ascii()? {
                b' ' | b'\t' => at = c.next,
                b'a'..=b'z' | b'0'..=b'9' => {
                    return (!glued::begins_another(self.rest(at))).then_some(at);
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether running text goes on over the mark `byte`, behind which `next` stands.
    fn goes_on(&mut self, byte: u8, next: usize, brackets: &mut Brackets) -> bool {
        let rest = &self.text.bytes[next..];
        match byte {
            b'(' | b'[' | b'{' => {
                let is_template = byte == b'{' && rest.first() == Some(&b'{');
                let is_note = is_template || byte == b'[' && glued::is_note(rest);
                let goes_on = !is_note && !glued::begins_another(rest);
                goes_on && brackets.open(byte, self.name.len())
            }
            b')' | b']' | b'}' => brackets.close(byte),
            b';' => {
                !glued::begins_another(rest)
                    && sici::goes_on_after_semicolon(&self.text, next, &self.name[self.start..])
            }
            b'#' => self.name.ends_with(b";2-"),
            b'&' => {
                let another = glued::begins_another(rest) || glued::leads_to_another(rest);
                !another && !glued::is_parameter(&self.text, next)
            }
            b'=' => {
                let another = glued::begins_another(rest) || glued::leads_to_another(rest);
                !another && !glued::is_quoted_printable(rest)
            }
            b'+' => !glued::begins_another(rest),
            b':' => match glued::word(&self.name[self.start..], rest) {
                Some(word) => {
                    self.name.truncate(self.name.len() - word);
                    false
                }
                None => true,
            },
            // An escaped character of a name: `\_`, `&#x2F;`.
            b'$' | b'%' => true,
            // The end of a comment.
            b'>' if self.name.ends_with(b"--") => {
                self.name.truncate(self.name.len() - 2);
                false
            }
            _ => class::is_plain(byte),
        }
    }

    /// Takes the plain bytes at `at` and returns where they end.
    fn plain(&mut self, at: usize) -> usize {
        let mut rest = &self.text.bytes[at..];
        while let Some((block, behind)) = rest.split_first_chunk() {
            let (folded, len) = class::fold_plain(block);
            self.name.extend_from_slice(&folded);
            if len < folded.len() {
                self.name.truncate(self.name.len() - folded.len() + len);
                rest = &rest[len..];
                break;
            }
            rest = behind;
        }
        let run = rest.iter().take_while(|byte| class::is_plain(**byte)).count();
        self.name.extend(rest[..run].iter().map(u8::to_ascii_uppercase));
        self.text.bytes.len() - rest.len() + run
    }

    /// Takes the character at `at` unless it is a mark or ends every name.
    fn step(&mut self, at: usize) -> Step {
        let Some(mut c) = self.text.at(at) else { return Step::End };
        c.literal &= !self.is_encoded;
        if sici::opens_pages(c)
            && let Some(end) = sici::pages(&self.text, at)
        {
            self.take(at, end);
            return Step::Taken(end);
        }
        let Some(byte) = c.ascii() else {
            match class::kind(c.code) {
                Kind::Ends => {
                    let is_graphic = char::from_u32(c.code).is_some_and(is_graphic);
                    self.is_non_graphic = !is_graphic && self.suffix().is_empty();
                    return Step::Stop;
                }
                Kind::Vanishes if self.options.strict => {
                    self.is_non_graphic = self.suffix().is_empty();
                    return Step::Stop;
                }
                Kind::Vanishes => self.repairs.insert(Repair::ZeroWidth),
                Kind::Dash if self.is_running && !self.options.strict => {
                    self.repairs.insert(Repair::Dash);
                    self.name.push(b'-');
                }
                Kind::Symbol if self.is_running && !c.literal => return Step::Stop,
                Kind::Ideograph if self.is_running && !c.literal && self.is_latin() => {
                    return Step::Stop;
                }
                _ => self.push(c.code),
            }
            return Step::Taken(c.next);
        };
        // Percent-encoded characters delimit nothing, but brackets are balanced
        // and what no name holds ends it however it is written.
        let is_bracket = matches!(byte, b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}');
        if c.literal && glued::is_delimiter(byte, self.rest(c.next)) {
            return Step::Delimiter(byte, c.next);
        }
        if c.literal && !is_blank(byte) && !is_bracket {
            self.push(c.code);
            return Step::Taken(c.next);
        }
        Step::Mark(byte, c.next)
    }

    /// Where the source of the name ends, which begins at `from`: a name that was
    /// trimmed ends before the text that was read, up to `read` with `length` bytes.
    pub(super) fn source_end(&self, from: usize, read: usize, length: usize) -> usize {
        // Every escape is longer than what it stands for.
        let is_verbatim = read - from == length;
        let length = self.name.len() - self.start;
        if is_verbatim {
            return from + length;
        }
        let (mut at, mut count) = (from, 0);
        while count < length
            && let Some(c) = self.text.at(at)
        {
            count += self.length(c.code);
            at = c.next;
        }
        at
    }

    /// The bytes that `code` takes in the name.
    fn length(&self, code: u32) -> usize {
        // Blanks within a name are the end of a line that was joined.
        if code < 0x80 {
            return usize::from(code > 0x20);
        }
        match class::kind(code) {
            Kind::Vanishes => 0,
            Kind::Dash if self.is_running && !self.options.strict => 1,
            _ => char::from_u32(code).map_or(0, char::len_utf8),
        }
    }

    /// Takes one character, folded.
    fn push(&mut self, code: u32) {
        let Some(c) = char::from_u32(code) else { return };
        self.name.extend_from_slice(c.to_ascii_uppercase().encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Takes the characters from `at` to `end`.
    fn take(&mut self, mut at: usize, end: usize) {
        while at < end
            && let Some(c) = self.text.at(at)
        {
            self.push(c.code);
            at = c.next;
        }
    }

    /// Whether `field` closes at `at`, behind blanks.
    fn closes(&self, at: usize, field: Field) -> bool {
        let rest = self.rest(at);
        let blanks = rest.iter().take(MAX_BLANKS).take_while(|&&b| is_blank(b)).count();
        if blanks == MAX_BLANKS {
            return false;
        }
        match rest.get(blanks) {
            Some(&byte) => rest[..blanks].iter().chain([&byte]).any(|&b| field.closes(b)),
            None => !self.is_cut && !matches!(field.close, Close::Byte(_)),
        }
    }

    /// What is read of the suffix.
    fn suffix(&self) -> &[u8] {
        &self.name[self.start..]
    }

    /// Whether the suffix has begun and is ASCII so far.
    fn is_latin(&self) -> bool {
        !self.suffix().is_empty() && self.suffix().is_ascii()
    }

    /// The bytes from `at` on.
    fn rest(&self, at: usize) -> &[u8] {
        &self.text.bytes[at..]
    }
}
