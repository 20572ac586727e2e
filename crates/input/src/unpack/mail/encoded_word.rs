//! Encoded words of header fields: `=?utf-8?Q?=E2=80=A6?=` (RFC 2047).

use super::base64::{BASE64, is_digit};
use super::octets::octets;
use base64::Engine;
use encoding_rs::Encoding;
use memchr::memmem;

/// Maximum length of an encoded word. RFC 2047 allows 75, which some programs exceed.
const MAX_WORD: usize = 4 * 1024;

/// Decodes the encoded words of header fields, line by line. A long text is split into several words:
/// the blanks and line ends between them are not part of it.
#[derive(Debug, Default)]
pub(super) struct EncodedWords {
    /// The blanks after the last word, held back because another word may follow.
    gap: Option<Vec<u8>>,
}

impl EncodedWords {
    /// Decodes `line`, with its line end. Anything but encoded words is copied.
    pub(super) fn line(&mut self, mut line: &[u8], out: &mut Vec<u8>) {
        if !matches!(line.first(), Some(b' ' | b'\t')) {
            self.end(out);
        }
        while let Some((before, text, after)) = next_word(line) {
            self.copy(before, out);
            self.gap = Some(Vec::new());
            out.extend_from_slice(&text);
            line = after;
        }
        if let Some(gap) = self.gap.as_mut().filter(|_| line.trim_ascii().is_empty()) {
            return gap.extend_from_slice(line);
        }
        self.copy(line, out);
    }

    /// Ends the field.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        out.extend(self.gap.take().into_iter().flatten());
    }

    /// Copies the text in front of a word or of a line end, but not blanks between words.
    fn copy(&mut self, text: &[u8], out: &mut Vec<u8>) {
        if self.gap.is_none() || !text.trim_ascii().is_empty() {
            self.end(out);
            out.extend_from_slice(text);
        }
    }
}

/// Returns the text before the first encoded word of `line`, the word decoded to UTF-8, and the text after it.
fn next_word(line: &[u8]) -> Option<(&[u8], Vec<u8>, &[u8])> {
    memmem::find_iter(line, b"=?").find_map(|at| {
        let (text, len) = word(&line[at + 2..])?;
        Some((&line[..at], text, &line[at + 2 + len..]))
    })
}

/// Decodes the encoded word at the start of `text`, after its `=?`. Returns its length, too.
fn word(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let text = &text[..text.len().min(MAX_WORD)];
    let mut fields = text.splitn(3, |&b| b == b'?');
    let (charset, coding, rest) = (fields.next()?, fields.next()?, fields.next()?);
    let content = &rest[..memmem::find(rest, b"?=")?];
    let mut bytes = Vec::new();
    match coding {
        b"Q" | b"q" => octets(b'=', &spaced(content), &mut bytes),
        // No full stop is in the alphabet: this is text.
        b"B" | b"b" if content.contains(&b'.') => return None,
        b"B" | b"b" => {
            let digits: Vec<u8> = content.iter().copied().filter(|&b| is_digit(b)).collect();
            BASE64.decode_vec(&digits, &mut bytes).ok()?;
        }
        _ => return None,
    }
    // A language may follow the charset (RFC 2231, 5).
    let label = charset.split(|&b| b == b'*').next()?;
    let encoding = Encoding::for_label(label);
    let decoded = encoding.map(|encoding| encoding.decode_without_bom_handling(&bytes).0);
    let decoded = decoded.map(|text| text.into_owned().into_bytes());
    Some((decoded.unwrap_or(bytes), charset.len() + coding.len() + content.len() + 4))
}

/// Returns `text` with blanks instead of underscores.
fn spaced(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&b| if b == b'_' { b' ' } else { b }).collect()
}
