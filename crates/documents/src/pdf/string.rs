//! Text strings of PDF files (ISO 32000-1, 7.9.2).

/// Decodes a text string: UTF-16 or UTF-8 with a byte order mark, else Latin-1, from which
/// `PDFDocEncoding` differs in characters that no name contains.
pub(super) fn decode(text: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match text {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(text) {
            Ok(text) => text.to_owned(),
            Err(_) => text.iter().copied().map(char::from).collect(),
        },
    }
}
