//! Base64 in the bodies of mails (RFC 2045, 6.8), which may be damaged.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;

/// Accepts trailing bits that do not form a whole byte.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Minimum length of a line that is text because most of it is outside the alphabet.
const MIN_RULER: usize = 8;

/// Decodes the body of a part, line by line. Ignores bytes outside the alphabet, as the standard
/// demands. A `=` within a line is one of them. At the end of a line it ends the data; what follows
/// is decoded too, but it may belong elsewhere, so the part is damaged.
#[derive(Debug, Default)]
pub(super) struct Base64 {
    /// Pending characters, fewer than four.
    rest: Vec<u8>,
    has_noise: bool,
    is_padded: bool,
    /// Whether text followed the data.
    has_text: bool,
    is_damaged: bool,
}

/// Decodes `line`, the first of a part.
pub(super) fn decoded(line: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Base64::default().line(line, &mut bytes);
    bytes
}

/// Returns whether no text has all of `bytes`.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
}

/// Whether `byte` is in the alphabet.
pub(super) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

impl Base64 {
    /// Decodes `line`. Returns false and decodes nothing if it is text, such as the footer that a
    /// mailing list appends to every body.
    pub(super) fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> bool {
        let text = line.trim_ascii();
        let len = text.iter().rposition(|b| is_digit(*b)).map_or(0, |last| last + 1);
        let (data, tail) = text.split_at(len);
        let noise = data.iter().filter(|b| !is_digit(**b)).count();
        // No full stop is in the alphabet, so a DOI in the line itself is text. So is a ruler.
        let has_doi = noise > 0 && memmem::find(data, b"10.").is_some();
        let is_ruler = text.len() >= MIN_RULER && 2 * (len - noise) < text.len();
        if has_doi || is_ruler || noise > 0 && (self.is_padded || self.has_text) {
            self.has_text |= !has_doi;
            return false;
        }
        self.is_damaged |= len > 0 && self.is_padded && !self.has_text;
        self.has_noise |= noise > 0;
        match noise {
            0 => self.rest.extend_from_slice(data),
            _ => self.rest.extend(data.iter().filter(|b| is_digit(**b))),
        }
        let rest = self.rest.split_off(self.rest.len() - self.rest.len() % 4);
        self.decode(out);
        self.rest = rest;
        let (left, padding) = (self.rest.len(), tail.iter().filter(|b| **b == b'=').count());
        if padding > 0 && left != 1 {
            let is_whole = (left + padding).is_multiple_of(4);
            self.is_damaged |= !is_whole && (left > 0 || self.has_noise);
            self.is_padded |= left > 0;
            self.decode(out);
        }
        true
    }

    /// Whether characters are pending.
    pub(super) fn is_pending(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Ends the data. Returns whether a single character is left, although four encode three bytes.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) -> bool {
        let is_cut = self.rest.len() == 1 && !self.has_text;
        self.is_damaged |= self.rest.len() > 1 && self.has_noise && !self.has_text;
        self.decode(out);
        is_cut
    }

    /// Whether characters were lost or moved, so that some were not decoded as they were meant.
    pub(super) fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// Decodes the pending characters. A single one encodes no byte.
    fn decode(&mut self, out: &mut Vec<u8>) {
        if self.rest.len() > 1 {
            // Cannot fail: all characters are in the alphabet.
            let _ = BASE64.decode_vec(&self.rest, out);
        }
        self.rest.clear();
    }
}
