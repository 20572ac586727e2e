//! Base64 in the bodies of mails (RFC 2045, 6.8), which may be damaged.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use memchr::memmem;

/// Minimum length of a line that is text because most of it is outside the alphabet.
const MIN_RULER: usize = 8;

/// Decodes the body of a part, line by line. Ignores bytes outside the alphabet, as the standard demands. A `=`
/// within a line is one of them. At the end of a line it ends the data; what follows is decoded too, but
/// it may belong elsewhere, so the part is damaged.
#[derive(Debug, Default)]
pub(super) struct Base64 {
    /// Pending characters, fewer than four.
    digits: Vec<u8>,
    has_noise: bool,
    is_padded: bool,
    /// Whether text followed the data.
    has_text: bool,
    /// Whether characters were lost or moved, so that some were not decoded as they were meant.
    pub(super) is_damaged: bool,
}

impl Base64 {
    /// Decodes a line, or a piece of one. Returns false and decodes nothing if it is text, such as the footer that a
    /// mailing list appends to every body.
    pub(super) fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> bool {
        let is_digit = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
        let text = line.trim_ascii();
        let (data, tail) =
            text.split_at(text.iter().rposition(is_digit).map_or(0, |last| last + 1));
        let len = data.iter().filter(|b| is_digit(b)).count();
        let is_noisy = len < data.len();
        // No full stop is in the alphabet, so a DOI in the line itself is text. So is a ruler.
        let has_doi = is_noisy && memmem::find(data, b"10.").is_some();
        let is_ruler = text.len() >= MIN_RULER && 2 * len < text.len();
        if has_doi || is_ruler || is_noisy && (self.is_padded || self.has_text) {
            self.has_text |= !has_doi;
            return false;
        }
        self.is_damaged |= len > 0 && self.is_padded && !self.has_text;
        self.has_noise |= is_noisy;
        self.digits.extend(data.iter().filter(|b| is_digit(b)));
        let rest = self.digits.split_off(self.digits.len() / 4 * 4);
        push(&mut self.digits, out);
        self.digits = rest;
        let (left, padding) = (self.digits.len(), tail.iter().filter(|b| **b == b'=').count());
        if padding > 0 && left != 1 {
            let is_whole = (left + padding).is_multiple_of(4);
            self.is_damaged |= !is_whole && (left > 0 || self.has_noise);
            self.is_padded |= left > 0;
            push(&mut self.digits, out);
        }
        true
    }

    /// Ends the data. Returns whether a single character is left, although four encode three bytes, or any
    /// if the mail ends within a line.
    pub(super) fn end(&mut self, is_within_line: bool, out: &mut Vec<u8>) -> bool {
        let left = self.digits.len();
        self.is_damaged |= left > 1 && self.has_noise && !self.has_text;
        push(&mut self.digits, out);
        left == 1 && !self.has_text || left > 0 && is_within_line
    }
}

/// Decodes `digits`. Fewer than four at the end encode fewer than three bytes, a single one none.
fn push(digits: &mut Vec<u8>, out: &mut Vec<u8>) {
    let missing = digits.len().next_multiple_of(4) - digits.len();
    digits.resize(digits.len() + missing, b'A');
    // Cannot fail: all characters are in the alphabet.
    let _ = BASE64_STANDARD.decode_vec(&*digits, out);
    out.truncate(out.len() - missing);
    digits.clear();
}
