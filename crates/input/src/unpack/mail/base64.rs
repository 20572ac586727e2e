//! Base64 in the bodies of mails (RFC 2045, 6.8), which may be damaged.

use super::part::lines;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use memchr::memmem;

/// Minimum length of a line that is text because most of it is outside the alphabet.
const MIN_RULER: usize = 8;

/// What a body in Base64 is.
#[derive(Debug, Default)]
pub(super) struct Base64 {
    /// The decoded bytes.
    pub(super) bytes: Vec<u8>,
    /// Lines that are text, such as the footer that a mailing list appends to every body.
    pub(super) text: Vec<u8>,
    /// Whether a single character is left, although four encode three bytes, or the last line has no end.
    pub(super) is_short: bool,
    /// Whether characters were lost or moved, so that some were not decoded as they were meant.
    pub(super) is_damaged: bool,
}

/// Decodes the body of a part. Ignores bytes outside the alphabet, as the standard demands. A `=`
/// within a line is one of them. At the end of a line it ends the data; what follows is decoded too, but
/// it may belong elsewhere, so the part is damaged.
pub(super) fn decode(body: &[u8]) -> Base64 {
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let mut found = Base64::default();
    let (mut digits, mut has_noise, mut is_padded, mut has_text) =
        (Vec::new(), false, false, false);
    for line in lines(body) {
        let text = line.trim_ascii();
        let (data, tail) =
            text.split_at(text.iter().rposition(is_digit).map_or(0, |last| last + 1));
        let len = data.iter().filter(|b| is_digit(b)).count();
        let is_noisy = len < data.len();
        // No full stop is in the alphabet, so a DOI in the line itself is text. So is a ruler.
        let has_doi = is_noisy && memmem::find(data, b"10.").is_some();
        let is_ruler = text.len() >= MIN_RULER && 2 * len < text.len();
        if has_doi || is_ruler || is_noisy && (is_padded || has_text) {
            has_text |= !has_doi;
            found.text.extend_from_slice(line);
            continue;
        }
        found.is_damaged |= len > 0 && is_padded && !has_text;
        has_noise |= is_noisy;
        digits.extend(data.iter().filter(|b| is_digit(b)));
        let (left, padding) = (digits.len() % 4, tail.iter().filter(|b| **b == b'=').count());
        if padding > 0 && left != 1 {
            let is_whole = (left + padding).is_multiple_of(4);
            found.is_damaged |= !is_whole && (left > 0 || has_noise);
            is_padded |= left > 0;
            push(&mut digits, &mut found.bytes);
        }
    }
    let left = digits.len() % 4;
    found.is_damaged |= left > 1 && has_noise && !has_text;
    found.is_short = left == 1 && !has_text || left > 0 && !body.ends_with(b"\n");
    push(&mut digits, &mut found.bytes);
    found
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
