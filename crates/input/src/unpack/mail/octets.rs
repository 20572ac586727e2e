//! Octets written as a mark and two hexadecimal digits: `=3D` in bodies, `%2D` in parameters.

/// Decodes the octets in `text`: `mark` and two hexadecimal digits. Any other `mark` is copied.
pub(super) fn octets(mark: u8, mut text: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr(mark, text) {
        out.extend_from_slice(&text[..at]);
        let digit = |place: usize| char::from(*text.get(at + place)?).to_digit(16);
        let octet = digit(1).zip(digit(2)).and_then(|(a, b)| u8::try_from(a * 16 + b).ok());
        out.push(octet.unwrap_or(mark));
        text = &text[at + if octet.is_some() { 3 } else { 1 }..];
    }
    out.extend_from_slice(text);
}
