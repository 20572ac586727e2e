//! Builds text from a fuzzer's bytes, which select pieces and the notations to encode them in.

use crate::encode;

/// Maximum length of the text.
const LONGEST: usize = 6 * 1024;

/// Bytes from this value on are commands instead of pieces.
const ORDERS: u8 = 224;

/// Builds the text that `bytes` describes.
///
/// A byte below 224 is a piece. From 244 on, the next byte selects one of the last pieces. 224 sets
/// a mark, and 225 copies the next byte verbatim. The other commands apply to the text after the
/// last mark, and remove the mark: 226 repeats it as often as the next byte says, 227 to 231
/// enclose it, and 232 to 243 encode it in a notation. In this way notations nest.
pub fn text(bytes: &[u8]) -> Vec<u8> {
    let (mut text, mut marks) = (Vec::new(), vec![0]);
    let mut bytes = bytes.iter().copied();
    while let Some(byte) = bytes.next() {
        if text.len() > LONGEST {
            break;
        }
        if byte < ORDERS {
            text.extend_from_slice(PIECES[usize::from(byte) % PIECES.len()].as_bytes());
            continue;
        }
        match byte - ORDERS {
            0 => marks.push(text.len()),
            1 => text.extend(bytes.next()),
            20.. => {
                let choice = usize::from(bytes.next().unwrap_or(0));
                let last = PIECES.len() - 1 - choice % PIECES.len();
                text.extend_from_slice(PIECES[last].as_bytes());
            }
            order => {
                let mark = if marks.len() > 1 { marks.pop() } else { None }.unwrap_or(0);
                let behind = text.split_off(mark.min(text.len()));
                match order {
                    2 => {
                        let most = LONGEST / behind.len().max(1);
                        let count = usize::from(bytes.next().unwrap_or(0));
                        text.extend_from_slice(&behind.repeat(count.min(most)));
                    }
                    3..8 => {
                        let (open, close) = ENCLOSURES[usize::from(order - 3)];
                        text.extend_from_slice(open.as_bytes());
                        text.extend_from_slice(&behind);
                        text.extend_from_slice(close.as_bytes());
                    }
                    _ => {
                        let encode = encode::ALL[usize::from(order - 8)];
                        text.extend_from_slice(&encode(&behind));
                    }
                }
            }
        }
    }
    text.truncate(LONGEST);
    text
}

/// Enclosures that notations put around a value.
const ENCLOSURES: [(&str, &str); 5] = [
    ("{\"DOI\":\"", "\"}"),
    ("<doi>", "</doi>"),
    (" doi = {", "},\n"),
    ("<a href='https://doi.org/", "'>"),
    ("\n1,", ",2\n"),
];

/// Pieces for names, rules and their exceptions.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    // Names and their prefixes.
    "10.1000/", "10.1000/182", "10.1234\\/abc", "10.1000%2Fx", "10.1000%252Fx", "10.1000%252f",
    "10.12/a", "10.1000.10/1", "10.05.2015/004", "10.5.2015/4", "10%2E1000/1", "10\\.1000/1",
    "10&#46;1000/1", "10\\u002e1000/", "10.5438/GY4A-STW*", "10.18730/", "10.1107/S1/",
    "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O", "10.1234567890/x",
    "10.1000&#47;", "10.1000\\u002F", "10.1000⁄", "10.1000／", "10.123:456", "10.978.8898392/",
    "10.1002/tdm_license_1.1", "10.2505/4/", "10.", "10", "1", "10.1000", "10.1000//",
    // Markers and addresses.
    "doi:", "doi ", "DOI: ", "doi", "doi/", "DOI", "doi.org/", "https://doi.org/", "http:\\/\\/dx.doi.org\\/",
    "dx.doi.org/", "www.doi.org/", "urn:doi:", "info:doi/", "urn:doi:10.123:", "http://x", "https:", "http:",
    "https%3A%2F%2Fdoi.org%2F", "info%3Adoi%2F", "/doi/full/", "?doi=", "&doi=", "&utm_source=x",
    // Delimiters.
    "\"", "'", "`", "<", ">", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "..", ".....", "?", "#",
    "&", "&x=", "=", "|", "*", "~", "$", "+", "-", "_", "/", "//", "!", "^", "@",
    // Escapes.
    "\\", "\\\\", "\\/", "\\_", "\\-", "\\n", "\\t", "\\\"", "\\u003c", "\\u0026lt;", "\\ud83d\\udc14", "\\ud83d",
    "\\u", "\\x3c", "\\x", "\\textless{}", "\\textless", "\\textunderscore ", "{\\_}", "{[}", "$<$", "$a$", "{0}", "{\\",
    "%", "%%", "%3C", "%3E", "%20", "%22", "%25", "%28", "%29", "%2C", "%3B", "%3b", "%C3%A9", "%C3", "%E9", "%%3C", "%2", "25",
    "&lt;", "&gt;", "&amp;", "&amp;lt;", "&quot;", "&#34;", "&apos;", "&#60;", "&#x0003c;", "&#x", "&#", "&nbsp;",
    "&unknown;", "&amp", "&shy;", "&ndash;", "amp;", "lt;", "3C", "2F",
    // Blanks and non-ASCII characters.
    " ", "  ", "\n", "\t", "\r\n", "\0", "\u{7f}", "\u{85}", "\u{a0}", "\u{200b}", "\u{ad}", "\u{feff}",
    "–", "—", "‐", "−", "é", "本", "，", "。", "”", "’", "•", "…", "¡", "¿", "\u{fffd}", "\u{e000}", "🐔", "ſ",
    // Words, numbers, tails.
    "a", "Z", "0", "9", "abc", "1:2", "3.0.CO;2-I", "1.0", ".CO;2", ";2-#", ";2-", "2006;05:61-70", "27.272-274",
    "25:4;1-A;FT485", "<1::AID>", "[1::AID]", "<>", "¡1:2¿3.0",
    "/full", "/abstract", "/pdf", ".pdf", ".html", ".FULL", "/asset/1", "/suppl_file/", "/-/dcsupplemental", "FULL",
    "PMID", "pmid:123", "PMCID: PMC1", "Accessed", "[doi]", "(doi)", "HTTP:", "DO  - ", "\nDO  - ",
    "192.", "17.", "2.4.1.", "577–82.", "577-82.", "v", "</doi>", "<doi>", "<b>", "</b>", "]]>", "](", "\"\"",
    "2015", "_bib1", "-BIB3", "|cit3", "-BIB40|cit40", "_R9_3", "\"key\":\"", "key='", "key-",
    "%2C10.1000%2F1", "%3B10.1000", "+10.1000/1", "-->", "<!--", "--", "[^1]", "[1]", "[note", "{ID}", "${ID}", "%s",
    "\\xe2\\x80\\x93", "\\ensuremath{<}", "{$<$}", "{\\textless}", "urn:eidr:", "10.5240:7791-8534",
    "\u{1b}[1;31m", "10.10.1640/0002-8", "=20", "=3C", "=3D", "=C2=A0", "[suffix]", "&bull;", "&longrightarrow;",
    "©", "→", "€", "語", "カ", "한", "\u{3040}", "\u{d7a4}", "\u{1f414}", "123456/7", "1234567/a", "%2F10.1000%2F", "%2F", "%3F", "%26",
    "10/f77", "https://doi.org/f77", "shortdoi.org/", "f77", "/hrs",
    "\n  b", "-\r\n2", "_\n", "(\r\n", "\\n  b",
];

// Every piece is reachable, counted from the first or from the last.
const _: () = assert!(PIECES.len() >= ORDERS as usize && PIECES.len() <= ORDERS as usize + 256);

/// Builds names in the order in which the bytes describe them. Each byte appends a piece to the
/// last name, or begins another name with some of its bytes.
pub fn names(data: &[u8]) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    for &byte in data {
        match names.last_mut() {
            Some(last) if byte < 0x80 && last.len() < LONGEST => {
                let repeats = 1 + usize::from(byte >> 4).pow(3);
                last.extend(std::iter::repeat_n(
                    b"AB/.\x01J10Z-\xc3\xa9_(<!"[usize::from(byte & 15)],
                    repeats,
                ));
            }
            last => {
                let kept = 3 + usize::from(byte & 0x7f);
                let name =
                    last.map_or(b"10.".to_vec(), |last| last[..last.len().min(kept)].to_vec());
                names.push(name);
            }
        }
    }
    names
}
