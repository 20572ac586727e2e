//! The parts of a mail that is in memory.

use super::base64::{Base64, decode};
use super::flowed::flowed;
use super::is_blank;
use crate::problem::{ProblemCode, fault};
use crate::unpack::folded::{Unfold, is_folded};
use crate::unpack::wide::Wide;
use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, HeaderValue};
use memchr::{memchr, memmem};
use std::io;

/// Maximum number of nested parts.
pub(super) const MAX_DEPTH: usize = 64;

/// Maximum length of a field that is decoded, because `mail-parser` looks for the end of each encoded word,
/// and for a parameter of the same name. A longer field is copied.
const MAX_FIELD: usize = 4 * 1024;

/// Number of bytes that tell what a part is.
const HEAD: usize = 4 * 1024;

/// Maximum number of bytes of all attachments of a mail or a mailbox, which are in memory.
pub(in crate::unpack) const MOST_ATTACHED: usize = 64 * 1024 * 1024;

/// The UTF-8 byte order mark, which some programs write in front of the first field.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The text and the attachments of mails.
#[derive(Debug, Default)]
pub(in crate::unpack) struct Parts {
    /// Whether an attachment with these first bytes is read as an input.
    pub(super) is_attachment: Option<fn(&[u8]) -> bool>,
    pub(super) out: Vec<u8>,
    /// The first damage.
    pub(super) fault: Option<io::Error>,
    /// The attachments: their names, which may be empty, and their bytes.
    pub(in crate::unpack) attachments: Vec<(String, Vec<u8>)>,
    /// Number of bytes of the attachments.
    pub(super) attached: usize,
    /// Number of attachments that had no room.
    pub(in crate::unpack) omitted: u64,
}

/// The header fields that say what a part is. The first of each counts.
#[derive(Debug, Default)]
struct Header {
    coding: Option<ContentType<'static>>,
    kind: Option<ContentType<'static>>,
    disposition: Option<ContentType<'static>>,
    /// Whether the fields say what follows them.
    is_complete: bool,
    /// Whether an encoded word cannot be decoded.
    is_damaged: bool,
}

impl Header {
    /// Returns the transfer encoding in lower case.
    fn coding(&self) -> &str {
        self.coding.as_ref().map_or("", ContentType::ctype)
    }

    /// Returns the type in lower case.
    fn kind(&self) -> Option<&str> {
        self.kind.as_ref().map(ContentType::ctype)
    }

    /// Returns a parameter of the type.
    fn parameter(&self, name: &str) -> &str {
        self.kind.as_ref().and_then(|kind| kind.attribute(name)).unwrap_or_default()
    }

    /// Copies a field, with its encoded words decoded (RFC 2047).
    fn field(&mut self, field: &[u8], out: &mut Vec<u8>) {
        let name = field_name(field).filter(|_| field.len() <= MAX_FIELD).unwrap_or_default();
        let (name, colon) = (name.to_ascii_lowercase(), memchr(b':', field).unwrap_or_default());
        let value = || [&field[colon + 1..], b"\n"].concat();
        let known = match &name[..] {
            b"content-transfer-encoding" => Some(&mut self.coding),
            b"content-type" => Some(&mut self.kind),
            b"content-disposition" => Some(&mut self.disposition),
            _ => None,
        };
        if let Some(known) = known {
            if known.is_none() {
                let found = MessageStream::new(&value()).parse_content_type().into_owned();
                *known = found.into_content_type();
                self.is_complete = self.coding.is_some() || !self.parameter("boundary").is_empty();
            }
        } else if !name.is_empty()
            && memmem::find(field, b"=?").is_some()
            && let HeaderValue::Text(text) = MessageStream::new(&value()).parse_unstructured()
        {
            self.is_damaged |= has_word(&text);
            return out.extend([&field[..colon], b": ", text.trim().as_bytes(), b"\n"].concat());
        }
        out.extend_from_slice(field);
    }
}

/// Whether `text` has an encoded word.
fn has_word(text: &str) -> bool {
    text.match_indices("=?").map(|(at, _)| &text[at + 2..]).any(|word| {
        let coding = word.split('?').nth(1);
        matches!(coding, Some("b" | "B" | "q" | "Q")) && word.contains("?=")
    })
}

/// Whether `line` continues a header field, or is a quoted line that some programs leave among them.
pub(super) fn is_continued(line: &[u8]) -> bool {
    line.starts_with(b" ") || line.starts_with(b"\t") || line.starts_with(b">From ")
}

/// Returns the name of the header field that starts at `line`.
pub(super) fn field_name(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix(MARK).unwrap_or(line);
    let name = line[..memchr(b':', line)?].trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(|b| b.is_ascii_graphic());
    is_name.then_some(name)
}

/// Returns the lines of `text`, with their line ends.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&b| b == b'\n')
}

impl Parts {
    pub(super) fn damage(&mut self, code: ProblemCode, message: &str) {
        self.fault.get_or_insert_with(|| fault(code, message));
    }

    /// Decodes a mail, which may begin with blank lines.
    pub(super) fn mail(&mut self, mail: &[u8]) {
        let blank = lines(mail).take_while(|line| is_blank(line)).map(<[u8]>::len).sum();
        self.out.extend_from_slice(&mail[..blank]);
        self.part(&mail[blank..], 0, false, false);
    }

    /// Decodes a part. Whether it is a mail if no type says so, and whether the mail ended within it.
    fn part(&mut self, part: &[u8], depth: usize, is_mail: bool, is_cut: bool) {
        let (header, body) = self.header(part);
        if header.is_damaged {
            self.damage(ProblemCode::Damaged, "an encoded word of the mail is damaged");
        }
        let boundary = header.parameter("boundary");
        let is_mail = header.kind().map_or(is_mail, |kind| kind == "message")
            && !matches!(header.coding(), "base64" | "quoted-printable");
        if depth == MAX_DEPTH && (is_mail || !boundary.is_empty()) {
            let what = format!("that are nested in {MAX_DEPTH} others were not decoded");
            self.damage(ProblemCode::Limit, &format!("parts of the mail {what}"));
            self.out.extend_from_slice(body);
        } else if is_mail {
            self.part(body, depth + 1, false, is_cut);
        } else if boundary.is_empty() {
            self.leaf(&header, body, is_cut);
        } else {
            self.parts(&header, body, depth);
        }
    }

    /// Decodes the parts of a part.
    fn parts(&mut self, header: &Header, body: &[u8], depth: usize) {
        let boundary = header.parameter("boundary").as_bytes();
        let is_digest = header.kind.as_ref().and_then(ContentType::subtype) == Some("digest");
        let (mut begin, mut at, mut is_inside) = (0, 0, false);
        for line in lines(body) {
            // A carriage return alone ends a line for some readers.
            let mark = line.strip_prefix(b"\r").unwrap_or(line).strip_prefix(b"--");
            let mark =
                mark.and_then(|mark| mark.strip_prefix(boundary)).map(<[u8]>::trim_ascii_end);
            let is_mark = matches!(mark, Some(b"" | b"--"));
            at += line.len();
            if is_mark {
                let part = &body[begin..at - line.len()];
                match is_inside {
                    true => self.part(part, depth + 1, is_digest, false),
                    false => self.out.extend_from_slice(part),
                }
                self.out.extend_from_slice(line);
                (begin, is_inside) = (at, mark == Some(b""));
            }
        }
        match is_inside {
            true => self.part(&body[begin..], depth + 1, is_digest, true),
            false if begin == 0 => self.leaf(header, body, false),
            false => self.out.extend_from_slice(&body[begin..]),
        }
    }

    /// Copies the header of a part. Returns it, and the body.
    fn header<'a>(&mut self, part: &'a [u8]) -> (Header, &'a [u8]) {
        let (mut header, mut begin, mut at) = (Header::default(), 0, 0);
        for line in lines(part).take_while(|line| !is_blank(line)) {
            if !is_continued(line) {
                header.field(&part[begin..at], &mut self.out);
                begin = at;
                // It has ended without a blank line if it says what follows. Else it goes on: programs
                // write all kinds of lines among the fields.
                if header.is_complete && field_name(line).is_none() {
                    break;
                }
            }
            at += line.len();
        }
        header.field(&part[begin..at], &mut self.out);
        let blank = lines(&part[at..]).next().filter(|line| is_blank(line)).unwrap_or_default();
        self.out.extend_from_slice(blank);
        (header, &part[at + blank.len()..])
    }

    /// Decodes a part that has no parts.
    fn leaf(&mut self, header: &Header, body: &[u8], is_mail_cut: bool) {
        let is = |name, value| header.parameter(name).eq_ignore_ascii_case(value);
        let charset = header.parameter("charset").to_ascii_lowercase();
        let mut wide = Wide::of_charset(charset.as_bytes());
        let is_text = header.kind().is_none_or(|kind| kind == "text") || wide.is_some();
        let mut base64 = Base64::default();
        let mut bytes = match header.coding() {
            "base64" => {
                base64 = decode(body);
                std::mem::take(&mut base64.bytes)
            }
            "quoted-printable" => quoted_printable(body, wide.is_some()),
            _ => body.to_vec(),
        };
        let is_base64 = header.coding() == "base64";
        let is_short = base64.is_short || is_base64 && is_mail_cut;
        let head = &bytes[..bytes.len().min(HEAD)];
        let is_wide = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
        let is_binary = head.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace());
        if is_base64 && is_wide {
            wide = wide.or_else(|| Wide::of_charset(b"utf-16"));
        }
        if is_short {
            self.damage(ProblemCode::Truncated, "a Base64 part of the mail ends early");
        }
        if base64.is_damaged {
            self.damage(ProblemCode::Damaged, "a Base64 part of the mail is damaged");
        }
        let is_attachment = is_base64 && self.is_attachment.is_some_and(|is| is(head));
        if is_attachment || is_base64 && is_binary && !is_text && !is_wide {
            self.out.extend_from_slice(body);
            if is_attachment {
                self.attach(header, bytes);
            }
            return;
        }
        let mut is_half = false;
        if let Some(mut wide) = wide {
            let source = std::mem::take(&mut bytes);
            // The first bytes tell the order.
            source.chunks(48).for_each(|piece| wide.push(piece, &mut bytes));
            is_half = wide.end(&mut bytes);
        }
        if is_folded(&bytes) {
            let (source, mut unfold) = (std::mem::take(&mut bytes), Unfold::default());
            unfold.push(&source, &mut bytes);
            unfold.end(&mut bytes);
        } else if is("format", "flowed") && is("delsp", "yes") {
            bytes = flowed(&bytes);
        }
        if is_half {
            let message = "a part of the mail in UTF-16 or UTF-32 ends within a character";
            self.damage(ProblemCode::Truncated, message);
        }
        if is_short || is_half {
            // The last word may be truncated, and a name in it.
            let last = bytes.iter().rposition(u8::is_ascii_whitespace);
            bytes.truncate(last.map_or(0, |last| last + 1));
        }
        if bytes.last().is_some_and(|last| *last != b'\n') && body.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        self.out.append(&mut bytes);
        self.out.append(&mut base64.text);
    }

    fn attach(&mut self, header: &Header, bytes: Vec<u8>) {
        let name = header.disposition.as_ref().and_then(|found| found.attribute("filename"));
        let name = name.unwrap_or(header.parameter("name")).to_owned();
        if self.attached + bytes.len() > MOST_ATTACHED {
            self.omitted += 1;
        } else {
            self.attached += bytes.len();
            self.attachments.push((name, bytes));
        }
    }
}

/// Decodes quoted-printable text (RFC 2045, 6.7). A line that is damaged is copied. A line feed of wide
/// characters that was not encoded is a line end in the mail.
fn quoted_printable(body: &[u8], is_wide: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(body.len());
    for line in lines(body) {
        let (end, decoded) = MessageStream::new(line).decode_quoted_printable_mime(b"");
        text.extend_from_slice(if end == usize::MAX { line } else { &decoded });
        if is_wide && decoded.ends_with(b"\r\n") {
            text.truncate(text.len() - 2);
            text.push(b'\n');
        }
    }
    text
}
