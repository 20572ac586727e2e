//! Converts e-mail and web archives (MHTML) to text. Decodes quoted-printable parts, Base64 text
//! parts, parts in UTF-16 or UTF-32 and encoded words of header fields, joins flowed and folded lines, and copies
//! everything else (RFC 5322, RFC 2045, RFC 2046, RFC 2047, RFC 3676).
//!
//! Positions and counts refer to the decoded text. Attachments that are documents, archives or
//! compressed files are collected, to be read as inputs after the mail.

mod attachment;
mod base64;
mod encoded_word;
mod flowed;
mod header;
mod octets;

pub(super) use attachment::{Attachments, MOST as MOST_ATTACHED};

use super::wide::Wide;
use crate::problem::{ProblemCode, fault};
use base64::Base64;
use encoded_word::EncodedWords;
use flowed::Lines;
use header::{Coding, Header, field_name};
use octets::octets;
use std::io::{self, BufRead, BufReader, Read};

/// Maximum number of bytes of a line that are processed together. The rest is treated as a separate
/// line that cannot start a part. RFC 5322 allows 998.
const MAX_LINE: u64 = 64 * 1024;

/// Maximum number of nested parts.
const MAX_DEPTH: usize = 64;

/// Maximum length of a word that may be dropped at the end of truncated text.
const MAX_WORD: usize = 4 * 1024;

/// Header fields, at least one of which identifies headers as those of a mail.
const TRACES: [&[u8]; 7] = [
    b"received",
    b"return-path",
    b"delivered-to",
    b"message-id",
    b"mime-version",
    b"x-received",
    b"content-transfer-encoding",
];

/// The UTF-8 byte order mark, which some programs write in front of the first field.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Number of header fields that identify a mail although another line follows them. Programs write
/// all kinds of lines among the fields, and some no blank line after them.
const MIN_FIELDS: usize = 3;

/// Returns whether an input that starts with `head` is a mail, a mailbox or a web archive. It must
/// have only header fields, or [`MIN_FIELDS`] in front of the first other line, at least one of which
/// is in [`TRACES`]. A text that is taken for a mail is copied, unless a field says that it is encoded.
pub(super) fn is_mail(head: &[u8]) -> bool {
    if is_mailbox(head) {
        let line = memchr::memchr(b'\n', head).unwrap_or(head.len());
        return is_mail(head[line..].strip_prefix(b"\n").unwrap_or_default());
    }
    let head = head.strip_prefix(MARK).unwrap_or(head);
    let lines = head.split_inclusive(|&b| b == b'\n').skip_while(|line| is_blank(line));
    let (mut fields, mut has_trace) = (0, false);
    for line in lines.take_while(|line| !is_blank(line)) {
        if let Some(name) = field_name(line) {
            fields += 1;
            has_trace |= is_trace(name);
        } else if !is_continued(line) && line.ends_with(b"\n") {
            // Only the last line may be truncated.
            return has_trace && fields >= MIN_FIELDS;
        }
    }
    has_trace
}

/// Whether `line` continues a header field, or is a quoted line that some programs leave among them.
fn is_continued(line: &[u8]) -> bool {
    line.starts_with(b" ") || line.starts_with(b"\t") || line.starts_with(b">From ")
}

/// Returns whether `line` starts a mail in a mailbox (RFC 4155).
pub(super) fn is_mailbox(line: &[u8]) -> bool {
    line.starts_with(b"From ")
}

fn is_trace(name: &[u8]) -> bool {
    TRACES.iter().any(|trace| trace.eq_ignore_ascii_case(name))
}

fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n")
}

/// Reads a mail as text.
#[derive(Debug)]
pub(crate) struct Mail<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Whether nothing but blank lines was read.
    is_start: bool,
    /// Whether the last line was complete, so that the next line may start a part.
    is_whole: bool,
    /// Whether the last line was blank.
    is_after_blank: bool,
    is_mailbox: bool,
    /// The boundaries of the open parts, and whether their parts are mails by default.
    boundaries: Vec<(Vec<u8>, bool)>,
    /// The header of the current part, while it is being read.
    header: Option<Header>,
    coding: Coding,
    /// Encoded words of the header.
    words: EncodedWords,
    /// Whether the first line of the body decides if it is text.
    is_octets: bool,
    /// Whether no line of the body was read, except blank ones.
    is_body_start: bool,
    base64: Base64,
    pub(super) attachments: Attachments,
    /// The start of an octet in quoted-printable text, at the end of a piece of a long line.
    rest: Vec<u8>,
    wide: Option<Wide>,
    lines: Option<Lines>,
    /// The last decoded word of Base64 or wide characters, held back because it may be truncated.
    word: Vec<u8>,
    /// Whether the last byte that was returned does not end a line although its source line ended.
    is_open: bool,
    out: Vec<u8>,
    at: usize,
    fault: Option<io::Error>,
    /// The first damage of a part, reported at the end.
    damage: Option<io::Error>,
}

impl<R: Read> Mail<R> {
    /// Reads a mail, or all mails of a mailbox. Collects the attachments whose first bytes
    /// `is_attachment` accepts.
    pub(super) fn new(reader: R, is_mailbox: bool, is_attachment: fn(&[u8]) -> bool) -> Self {
        Mail {
            reader: BufReader::with_capacity(MAX_LINE as usize, reader),
            line: Vec::new(),
            is_start: true,
            is_whole: true,
            is_after_blank: true,
            is_mailbox,
            boundaries: Vec::new(),
            header: Some(Header::default()),
            coding: Coding::Plain,
            words: EncodedWords::default(),
            is_octets: false,
            is_body_start: false,
            base64: Base64::default(),
            attachments: Attachments::new(is_attachment),
            rest: Vec::new(),
            wide: None,
            lines: None,
            word: Vec::new(),
            is_open: false,
            out: Vec::new(),
            at: 0,
            fault: None,
            damage: None,
        }
    }

    /// Processes the next line. Returns false at the end.
    fn next_line(&mut self) -> bool {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let result = self.reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        self.fault = result.err();
        let is_begin = self.is_whole;
        self.is_whole = line.ends_with(b"\n");
        if line.is_empty() {
            self.end_input(is_begin);
        } else {
            self.take_line(&line, is_begin);
        }
        self.line = line;
        self.fault.is_none() && !self.line.is_empty()
    }

    fn take_line(&mut self, line: &[u8], is_begin: bool) {
        if is_begin && self.begins_part(line) {
            if self.is_cut(false) {
                self.leave_out_word();
            }
            self.end_coding();
            self.out.extend_from_slice(line);
            return;
        }
        self.is_after_blank = is_begin && is_blank(line);
        if is_begin && !is_blank(line) && self.header.as_mut().is_some_and(|h| h.ends_before(line))
        {
            self.end_header();
            return self.take_line(line, is_begin);
        }
        let Some(header) = &mut self.header else { return self.body(line) };
        self.words.line(line, &mut self.out);
        let is_start = std::mem::take(&mut self.is_start);
        match is_begin && is_blank(line) {
            true if is_start => self.is_start = true,
            true => self.end_header(),
            false if is_start => header.line(line.strip_prefix(MARK).unwrap_or(line)),
            false => header.line(line),
        }
    }

    /// Returns whether `line` ends the current part. Starts the next part, if there is one.
    fn begins_part(&mut self, line: &[u8]) -> bool {
        if self.is_mailbox && self.is_after_blank && is_mailbox(line) {
            // The mail may end while parts are still open.
            if self.is_cut(!self.boundaries.is_empty()) {
                self.leave_out_word();
            }
            self.boundaries.clear();
            self.header = Some(Header::default());
            return true;
        }
        // A carriage return alone ends a line for some readers.
        let line = line.iter().position(|b| *b != b'\r').map_or(line, |at| &line[at..]);
        let Some(mark) = line.strip_prefix(b"--").map(<[u8]>::trim_ascii_end) else { return false };
        let is_last = |boundary: &[u8]| mark.strip_suffix(b"--") == Some(boundary);
        let place = self.boundaries.iter().rposition(|(b, _)| mark == b || is_last(b));
        let Some(place) = place else { return false };
        let is_last = is_last(&self.boundaries[place].0);
        self.boundaries.truncate(place + usize::from(!is_last));
        self.header = (!is_last).then(Header::default);
        true
    }

    fn end_header(&mut self) {
        let Some(mut header) = self.header.take() else { return };
        self.words.end(&mut self.out);
        header.end_field();
        self.coding = header.coding();
        if header.is_base64() {
            self.attachments.begin(std::mem::take(&mut header.name));
        }
        (self.is_octets, self.is_body_start) = (header.is_octets, true);
        (self.wide, self.lines) = (header.wide.take(), header.lines.take());
        let is_in_digest = self.boundaries.last().is_some_and(|(_, is_digest)| *is_digest);
        let is_message = header.is_message(is_in_digest);
        if self.boundaries.len() < MAX_DEPTH {
            self.boundaries.extend(header.boundary.map(|mark| (mark, header.is_digest)));
        } else if header.boundary.is_some() {
            let what = format!("that are nested in {MAX_DEPTH} others were not decoded");
            self.damage(ProblemCode::Limit, format!("parts of the mail {what}"));
        }
        if is_message && self.coding == Coding::Plain {
            self.header = Some(Header::default());
        }
    }

    fn damage(&mut self, code: ProblemCode, message: impl Into<String>) {
        self.damage.get_or_insert_with(|| fault(code, message));
    }

    fn body(&mut self, line: &[u8]) {
        self.attachments.line(line);
        if !line.trim_ascii().is_empty() && std::mem::take(&mut self.is_body_start) {
            self.begin_body(line);
        }
        let begin = self.out.len();
        match self.coding {
            Coding::Plain => self.out.extend_from_slice(line),
            Coding::QuotedPrintable => self.quoted_printable(line),
            Coding::Base64 if self.base64.line(line, &mut self.out) => self.is_open = true,
            Coding::Base64 => {
                self.end_line();
                return self.out.extend_from_slice(line);
            }
        }
        self.take_decoded(begin);
    }

    /// Decides by the first line of a body in Base64 whether it is text rather than an attachment, and whether in
    /// UTF-16, which headers rarely say.
    fn begin_body(&mut self, line: &[u8]) {
        if self.coding != Coding::Base64 {
            return;
        }
        let bytes = base64::decoded(line);
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            self.wide = self.wide.take().or_else(|| Wide::of_charset(b"utf-16"));
        } else if self.is_octets && (self.attachments.is_inside() || base64::is_binary(&bytes)) {
            self.coding = Coding::Plain;
        }
    }

    /// Decodes a line of quoted-printable text, or a piece of a long one.
    fn quoted_printable(&mut self, line: &[u8]) {
        self.rest.extend_from_slice(line);
        let tail = self.rest.len().saturating_sub(2);
        let octet = memchr::memchr(b'=', &self.rest[tail..]).filter(|_| !line.ends_with(b"\n"));
        let next = octet.map(|at| self.rest.split_off(tail + at));
        self.is_open = quoted_printable(&self.rest, &mut self.out);
        // A line feed of wide characters that was not encoded is a line end in the mail.
        if self.wide.is_some() && !self.is_open && self.rest.ends_with(b"\r\n") {
            self.out.truncate(self.out.len() - 2);
            self.out.push(b'\n');
        }
        self.rest.clear();
        self.rest.extend(next.into_iter().flatten());
    }

    /// Converts and holds back the bytes decoded last, which start at `begin` in the output.
    fn take_decoded(&mut self, begin: usize) {
        if let Some(wide) = &mut self.wide {
            let bytes = self.out.split_off(begin);
            wide.push(&bytes, &mut self.out);
        }
        if let Some(lines) = &mut self.lines {
            let bytes = self.out.split_off(begin);
            lines.push(&bytes, &mut self.out);
        }
        if self.wide.is_some() || self.coding == Coding::Base64 {
            self.hold_word(begin);
        }
    }

    /// Holds back the last word of the decoded bytes, which start at `begin` in the output.
    fn hold_word(&mut self, begin: usize) {
        let new = self.out.split_off(begin);
        match new.iter().rposition(u8::is_ascii_whitespace) {
            None if self.word.len() + new.len() <= MAX_WORD => self.word.extend(new),
            last => {
                let word = last.map_or(0, |at| at + 1);
                self.out.append(&mut self.word);
                self.out.extend_from_slice(&new[..word]);
                self.word.extend_from_slice(&new[word..]);
            }
        }
    }

    /// Ends the input, whose last line may have no line end.
    fn end_input(&mut self, is_line_whole: bool) {
        let is_open = !is_line_whole && self.base64.is_pending();
        if self.is_cut(!self.boundaries.is_empty() || is_open) {
            // The scanner knows that a name next to a fault may be truncated.
            self.is_open = false;
        }
        self.end_coding();
        // An error of the source is more specific.
        if self.fault.is_none() {
            self.fault = self.damage.take();
        }
    }

    /// Decodes what is pending at the end of a body, and returns whether its last word may be
    /// truncated: a character is incomplete, or the mail ended within Base64. The damage is reported
    /// at the end of the input.
    fn is_cut(&mut self, is_mail_cut: bool) -> bool {
        let begin = self.out.len();
        self.out.append(&mut self.rest);
        let is_base64 = self.coding == Coding::Base64;
        let is_short = self.base64.end(&mut self.out) || is_base64 && is_mail_cut;
        self.take_decoded(begin);
        if is_short {
            self.damage(ProblemCode::Truncated, "a Base64 part of the mail ends early");
        }
        if self.base64.is_damaged() {
            self.damage(ProblemCode::Damaged, "a Base64 part of the mail is damaged");
        }
        let begin = self.out.len();
        let is_half = self.wide.as_mut().is_some_and(|wide| wide.end(&mut self.out));
        if let Some(mut lines) = self.lines.take() {
            let bytes = self.out.split_off(begin);
            lines.push(&bytes, &mut self.out);
            lines.end(&mut self.out);
        }
        self.hold_word(begin);
        if is_half {
            let message = "a part of the mail in UTF-16 or UTF-32 ends within a character";
            self.damage(ProblemCode::Truncated, message);
        }
        is_short || is_half
    }

    /// Drops the last word of a truncated part, because a name in it may be incomplete.
    fn leave_out_word(&mut self) {
        self.word.clear();
    }

    /// Ends the body of a part.
    fn end_coding(&mut self) {
        self.end_line();
        self.attachments.end();
        (self.coding, self.base64, self.wide) = (Coding::Plain, Base64::default(), None);
    }

    /// Terminates the last line, so that nothing is joined to it.
    fn end_line(&mut self) {
        self.words.end(&mut self.out);
        self.out.append(&mut self.word);
        if let Some(lines) = &mut self.lines {
            lines.end(&mut self.out);
        }
        if std::mem::take(&mut self.is_open) {
            self.out.push(b'\n');
        }
    }
}

/// Decodes a line of quoted-printable text (RFC 2045, 6.7). Returns whether the line continues on
/// the next one.
fn quoted_printable(line: &[u8], out: &mut Vec<u8>) -> bool {
    let text = line.trim_ascii_end();
    let is_soft = text.ends_with(b"=") && line.ends_with(b"\n");
    octets(b'=', if is_soft { &text[..text.len() - 1] } else { line }, out);
    is_soft
}

impl<R: Read> Read for Mail<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.out.len() {
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            self.out.clear();
            self.at = 0;
            if !self.next_line() && self.out.is_empty() && self.fault.is_none() {
                return Ok(0);
            }
        }
        let len = buffer.len().min(self.out.len() - self.at);
        buffer[..len].copy_from_slice(&self.out[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests;
