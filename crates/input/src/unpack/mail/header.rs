//! The header fields of a part that say how its body is encoded and where it ends.

use super::flowed::{Flowed, Lines};
use super::octets::octets;
use crate::unpack::folded::Unfold;
use crate::unpack::wide::Wide;

/// Maximum number of bytes kept of a header field.
const MAX_FIELD: usize = 8 * 1024;

/// Prefixes of the types of parts that are not text. Lists of references are sent with nearly any
/// other type.
const BINARY: [&[u8]; 6] =
    [b"image/", b"audio/", b"video/", b"font/", b"application/pdf", b"application/zip"];

/// Prefixes of the types that programs give to any file, text too, by the end of its name: a `.csv`
/// file is often `application/vnd.ms-excel`.
const OCTETS: [&[u8]; 3] = [b"application/octet-stream", b"application/vnd.", b"application/ms"];

/// Prefixes of the types of calendars and address cards.
const FOLDED: [&[u8]; 5] =
    [b"text/calendar", b"text/vcard", b"text/x-vcard", b"text/directory", b"application/ics"];

/// The transfer encoding of the body of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Coding {
    #[default]
    Plain,
    QuotedPrintable,
    Base64,
}

/// The information in the header of a part.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// The current field, without line ends.
    field: Vec<u8>,
    coding: Coding,
    /// Whether the fields that say the transfer encoding and the type were read. The first of each
    /// counts.
    has_coding: bool,
    has_type: bool,
    /// Whether the type of the part is one of [`BINARY`].
    is_binary: bool,
    /// Whether the type of the part is one of [`OCTETS`].
    pub(super) is_octets: bool,
    is_message: bool,
    /// Whether parts of this part are mails unless they have another type.
    pub(super) is_digest: bool,
    pub(super) wide: Option<Wide>,
    /// How the lines of the body are joined.
    pub(super) lines: Option<Lines>,
    pub(super) boundary: Option<Vec<u8>>,
    /// The name of the file that the part is, or empty.
    pub(super) name: Vec<u8>,
}

impl Header {
    /// Whether `line` shows that the header has ended without a blank line. It is not taken as the
    /// body before it matters: programs write all kinds of lines among the fields.
    pub(super) fn ends_before(&mut self, line: &[u8]) -> bool {
        let is_field = field_name(line).is_some() || line.starts_with(b">From ");
        if is_field || matches!(line.first(), Some(b' ' | b'\t')) {
            return false;
        }
        self.end_field();
        self.has_coding || self.boundary.is_some()
    }

    /// Whether the part is a mail.
    pub(super) fn is_message(&self, is_in_digest: bool) -> bool {
        self.is_message || is_in_digest && !self.has_type
    }

    /// Processes a line of the header.
    pub(super) fn line(&mut self, line: &[u8]) {
        if !matches!(line.first(), Some(b' ' | b'\t')) {
            self.end_field();
        }
        let room = MAX_FIELD - self.field.len();
        let line = line.trim_ascii_end();
        self.field.extend_from_slice(&line[..line.len().min(room)]);
    }

    /// Processes the completed field.
    pub(super) fn end_field(&mut self) {
        let field = std::mem::take(&mut self.field);
        let Some(name) = field_name(&field) else { return };
        let colon = memchr::memchr(b':', &field).unwrap_or_default();
        let value = field[colon + 1..].trim_ascii();
        if name.eq_ignore_ascii_case(b"content-transfer-encoding") && !self.has_coding {
            self.has_coding = true;
            let parts = parts(value);
            self.coding = match word(&parts[0]).to_ascii_lowercase().as_slice() {
                b"quoted-printable" => Coding::QuotedPrintable,
                b"base64" => Coding::Base64,
                _ => Coding::Plain,
            };
        } else if name.eq_ignore_ascii_case(b"content-type") && !self.has_type {
            self.has_type = true;
            let parts = parts(value);
            let kind = word(&parts[0]).to_ascii_lowercase();
            self.is_binary = BINARY.iter().any(|binary| kind.starts_with(binary));
            self.is_octets = OCTETS.iter().any(|octets| kind.starts_with(octets));
            self.is_message = kind.starts_with(b"message/");
            self.is_digest = kind.starts_with(b"multipart/digest");
            self.boundary = parameter(&parts, b"boundary");
            self.name = parameter(&parts, b"name").unwrap_or_default();
            let charset = parameter(&parts, b"charset").unwrap_or_default().to_ascii_lowercase();
            self.wide = Wide::of_charset(&charset);
            let is = |name, value| {
                parameter(&parts, name).is_some_and(|found| found.eq_ignore_ascii_case(value))
            };
            let is_flowed = is(b"format", b"flowed") && is(b"delsp", b"yes");
            let is_folded = FOLDED.iter().any(|folded| kind.starts_with(folded));
            self.lines = match is_folded {
                true => Some(Lines::Folded(Unfold::default())),
                false => is_flowed.then(|| Lines::Flowed(Flowed::default())),
            };
        } else if name.eq_ignore_ascii_case(b"content-disposition") {
            let name = parameter(&parts(value), b"filename");
            self.name = name.unwrap_or_else(|| std::mem::take(&mut self.name));
        }
    }

    /// Whether the body is in Base64, decoded or not.
    pub(super) fn is_base64(&self) -> bool {
        self.coding == Coding::Base64
    }

    /// Returns the encoding to decode. Base64 of a binary type is not decoded.
    pub(super) fn coding(&self) -> Coding {
        match self.coding {
            Coding::Base64 if self.is_binary => Coding::Plain,
            coding => coding,
        }
    }
}

/// Returns the name of the header field that starts at `line`.
pub(super) fn field_name(line: &[u8]) -> Option<&[u8]> {
    let name = line[..memchr::memchr(b':', line)?].trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(|b| b.is_ascii_graphic());
    is_name.then_some(name)
}

/// Returns the parts of a field's value between semicolons (RFC 2045, 5.1): without quotes, and with
/// a line feed for a comment or a blank outside quotes.
fn parts(value: &[u8]) -> Vec<Vec<u8>> {
    let (mut parts, mut part) = (Vec::new(), Vec::new());
    let (mut is_quoted, mut depth) = (false, 0_usize);
    let mut bytes = value.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' if is_quoted => part.extend(bytes.next()),
            b'"' if depth == 0 => is_quoted = !is_quoted,
            _ if is_quoted => part.push(byte),
            b'(' => depth += 1,
            b')' if depth > 0 => {
                depth -= 1;
                part.push(b'\n');
            }
            _ if depth > 0 => {}
            b';' => parts.push(std::mem::take(&mut part)),
            _ if byte.is_ascii_whitespace() => part.push(b'\n'),
            _ => part.push(byte),
        }
    }
    parts.push(part);
    parts
}

/// Returns the first word of a part.
fn word(part: &[u8]) -> &[u8] {
    part.trim_ascii().split(|&b| b == b'\n').next().unwrap_or_default()
}

/// Returns the value of the parameter `name` among `parts`. It may be split: `name*0=…; name*1=…`, and
/// have a character set: `name*=us-ascii'en'…` (RFC 2231).
fn parameter(parts: &[Vec<u8>], name: &[u8]) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    for part in parts.iter().skip(1) {
        let Some(at) = memchr::memchr(b'=', part) else { continue };
        let (key, value) = (part[..at].trim_ascii(), word(&part[at + 1..]));
        let is_first = found.is_empty();
        if !key.split(|&b| b == b'*').next().is_some_and(|key| key.eq_ignore_ascii_case(name)) {
            continue;
        }
        // Only a value with a character set is percent-encoded.
        match (key.ends_with(b"*"), value.splitn(3, |&b| b == b'\'').nth(2)) {
            (true, Some(text)) if is_first => octets(b'%', text, &mut found),
            (true, _) => octets(b'%', value, &mut found),
            (false, _) => found.extend_from_slice(value),
        }
    }
    (!found.is_empty()).then_some(found)
}
