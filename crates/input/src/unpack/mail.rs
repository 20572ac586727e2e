//! Converts e-mail and web archives (MHTML) to text. Decodes quoted-printable parts, Base64 text
//! parts, parts in UTF-16 or UTF-32 and encoded words of header fields, joins flowed and folded lines, and copies
//! everything else (RFC 5322, RFC 2045, RFC 2046, RFC 2047, RFC 3676).
//!
//! The crate `mail-parser` reads header fields and quoted-printable text. It does not cut a mail into parts:
//! it takes square time for boundaries that are missing, and stack for each nested mail.
//!
//! Positions and counts refer to the decoded text. Attachments that are documents, archives or
//! compressed files are collected, to be read as inputs after the mail.

mod base64;
mod flowed;
mod part;

use crate::problem::ProblemCode;
pub(super) use part::MOST_ATTACHED;
use part::{Parts, field_name, is_continued};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Maximum number of bytes of a mail, all of which is in memory.
const MOST: usize = if cfg!(test) { 1024 * 1024 } else { 64 * 1024 * 1024 };

/// Maximum number of bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// Number of header fields that identify a mail although another line follows them. Programs write
/// all kinds of lines among the fields, and some no blank line after them.
const MIN_FIELDS: usize = 3;

/// Returns whether an input that starts with `head` is a mail, a mailbox or a web archive. It must
/// have only header fields, or [`MIN_FIELDS`] in front of the first other line, at least one of which
/// leaves a trace of a mail. A text that is taken for a mail is copied, unless a field says that it is encoded.
pub(super) fn is_mail(head: &[u8]) -> bool {
    if is_mailbox(head) {
        let line = memchr::memchr(b'\n', head).unwrap_or(head.len());
        return is_mail(head[line..].strip_prefix(b"\n").unwrap_or_default());
    }
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

/// Whether only mails have the field `name`.
fn is_trace(name: &[u8]) -> bool {
    const TRACES: &str = "received return-path delivered-to message-id mime-version x-received \
                          content-transfer-encoding";
    TRACES.split(' ').any(|trace| trace.as_bytes().eq_ignore_ascii_case(name))
}

/// Returns whether `line` starts a mail in a mailbox (RFC 4155).
pub(super) fn is_mailbox(line: &[u8]) -> bool {
    line.starts_with(b"From ")
}

fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n")
}

/// Reads a mail as text.
#[derive(Debug)]
pub(crate) struct Mail<R> {
    reader: BufReader<R>,
    is_mailbox: bool,
    /// The first bytes of the next mail.
    mail: Vec<u8>,
    pub(super) parts: Parts,
    text: Cursor<Vec<u8>>,
    is_ended: bool,
}

impl<R: Read> Mail<R> {
    /// Reads a mail, or all mails of a mailbox. Collects the attachments whose first bytes
    /// `is_attachment` accepts.
    pub(super) fn new(reader: R, is_mailbox: bool, is_attachment: fn(&[u8]) -> bool) -> Self {
        Mail {
            reader: BufReader::with_capacity(PIECE, reader),
            is_mailbox,
            mail: Vec::new(),
            parts: Parts { is_attachment: Some(is_attachment), ..Parts::default() },
            text: Cursor::default(),
            is_ended: false,
        }
    }

    /// Decodes the next mail. The rest of one that is too long is read as if it were another.
    fn next_mail(&mut self) {
        let (mut next, mut is_after_blank) = (Vec::new(), false);
        while next.is_empty() && !self.is_ended {
            let begin = self.mail.len();
            let result = self.reader.by_ref().take(PIECE as u64).read_until(b'\n', &mut self.mail);
            let line = &self.mail[begin..];
            self.is_ended = line.is_empty() || result.is_err();
            if self.is_mailbox && is_after_blank && is_mailbox(line) {
                next = self.mail.split_off(begin);
            } else if self.mail.len() > MOST {
                let message = format!("of a mail only {} MiB were decoded", MOST >> 20);
                self.parts.damage(ProblemCode::Limit, &message);
                next = self.mail.split_off(begin);
            } else {
                is_after_blank = is_blank(line);
            }
            if let Err(error) = result {
                // More specific than the damage of a part.
                self.parts.fault = Some(error);
            }
        }
        self.parts.mail(&std::mem::replace(&mut self.mail, next));
        self.text = Cursor::new(std::mem::take(&mut self.parts.out));
    }
}

impl<R: Read> Read for Mail<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.text.read(buffer)? {
                0 if self.is_ended => return self.parts.fault.take().map_or(Ok(0), Err),
                0 if !buffer.is_empty() => self.next_mail(),
                len => return Ok(len),
            }
        }
    }
}

#[cfg(test)]
mod tests;
