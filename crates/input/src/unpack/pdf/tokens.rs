//! The tokens of PDF objects (ISO 32000-1, 7.2 and 7.3): strings that may contain a DOI, and the
//! content type of each stream.

use crate::unpack::wide::Wide;

/// Maximum length of a name or keyword that is recognised. `MAX_STRING` is the maximum length of a
/// string that is kept.
const MAX_WORD: usize = 64;
const MAX_STRING: usize = 16 * 1024;

/// Keys of the document information and the outline in which publishers write DOIs.
const TEXTS: [&[u8]; 3] = [b"/Subject", b"/Title", b"/Keywords"];

/// Filters of streams.
const FLATE: [&[u8]; 2] = [b"/FlateDecode", b"/Fl"];
const OTHER_FILTERS: [&[u8]; 15] = [
    b"/ASCIIHexDecode",
    b"/AHx",
    b"/ASCII85Decode",
    b"/A85",
    b"/LZWDecode",
    b"/LZW",
    b"/RunLengthDecode",
    b"/RL",
    b"/CCITTFaxDecode",
    b"/CCF",
    b"/JBIG2Decode",
    b"/DCTDecode",
    b"/DCT",
    b"/JPXDecode",
    b"/Crypt",
];

/// The content of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Pages, fonts, images, and data with filters other than deflate.
    Other,
    /// Objects, deflated or not.
    Objects { is_packed: bool },
    /// XML about the document, deflated or not.
    Metadata { is_packed: bool },
}

/// The properties in the dictionary of an object.
#[derive(Clone, Copy, Debug, Default)]
struct Dictionary {
    is_objects: bool,
    is_metadata: bool,
    /// Number of times that the data was deflated.
    packed: u8,
    is_other: bool,
}

impl Dictionary {
    /// Processes a name, which may be a key or a value.
    fn name(&mut self, name: &[u8]) {
        self.is_objects |= name == b"/ObjStm";
        self.is_metadata |= name == b"/Metadata";
        self.packed = self.packed.saturating_add(u8::from(FLATE.contains(&name)));
        // A predictor is used for rows of numbers, not for objects.
        self.is_other |= OTHER_FILTERS.contains(&name) || name == b"/Predictor";
    }

    fn content(self) -> Content {
        let is_packed = self.packed == 1;
        match self {
            Dictionary { is_other: true, .. } | Dictionary { packed: 2.., .. } => Content::Other,
            Dictionary { is_objects: true, .. } => Content::Objects { is_packed },
            Dictionary { is_metadata: true, .. } => Content::Metadata { is_packed },
            _ => Content::Other,
        }
    }
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Plain,
    Comment,
    /// In a string, nested in this many brackets.
    String {
        depth: u32,
        is_escaped: bool,
    },
    /// After a `<`.
    Angle,
    Hexadecimal,
}

/// Reads tokens, one byte at a time.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    state: State,
    word: Vec<u8>,
    string: Vec<u8>,
    /// The name directly before the next token.
    key: Vec<u8>,
    dictionary: Dictionary,
    /// Whether a string ended within a character.
    pub(super) is_cut: bool,
}

impl Tokens {
    /// Processes the next byte. Appends a string that may contain a DOI to `out`, as a line
    /// followed by a blank line, so that nothing is joined to it. If the byte ends the keyword that
    /// starts the data of a stream, returns the content of the stream.
    pub(super) fn take(&mut self, byte: u8, out: &mut Vec<u8>) -> Option<Content> {
        match self.state {
            State::Plain => return self.plain(byte),
            State::Comment if matches!(byte, b'\n' | b'\r') => self.state = State::Plain,
            State::Comment => {}
            State::String { depth, is_escaped } => self.string(byte, depth, is_escaped, out),
            State::Angle if byte == b'<' => self.state = State::Plain,
            State::Angle | State::Hexadecimal if byte == b'>' => {
                let string = hexadecimal(&self.string);
                self.value(&string, out);
            }
            State::Angle | State::Hexadecimal => {
                self.state = State::Hexadecimal;
                self.push(byte);
            }
        }
        None
    }

    fn plain(&mut self, byte: u8) -> Option<Content> {
        let is_blank = matches!(byte, 0 | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ');
        if !is_blank && !b"()<>[]{}/%".contains(&byte) {
            if self.word.len() < MAX_WORD {
                self.word.push(byte);
            }
            return None;
        }
        let is_stream = self.end_word();
        self.string.clear();
        match byte {
            b'/' => self.word.push(byte),
            b'(' => self.state = State::String { depth: 1, is_escaped: false },
            b'<' => self.state = State::Angle,
            b'%' => self.state = State::Comment,
            _ => {}
        }
        (is_stream && is_blank).then(|| self.dictionary.content())
    }

    /// Ends a name, a number or a keyword. Returns whether it starts the data of a stream.
    fn end_word(&mut self) -> bool {
        if self.word.is_empty() {
            return false;
        }
        let is_stream = self.word == b"stream";
        self.key.clear();
        if self.word[0] == b'/' {
            self.dictionary.name(&self.word);
            std::mem::swap(&mut self.key, &mut self.word);
        } else if self.word.ends_with(b"obj") {
            self.dictionary = Dictionary::default();
        }
        self.word.clear();
        is_stream
    }

    fn string(&mut self, byte: u8, depth: u32, is_escaped: bool, out: &mut Vec<u8>) {
        let depth = match byte {
            b'(' if !is_escaped => depth.saturating_add(1),
            b')' if !is_escaped => depth - 1,
            _ => depth,
        };
        if depth == 0 {
            let string = unescape(&self.string);
            return self.value(&string, out);
        }
        self.state = State::String { depth, is_escaped: byte == b'\\' && !is_escaped };
        self.push(byte);
    }

    /// Appends a byte to a string. A string that is too long is kept to one byte over the limit,
    /// which marks it.
    fn push(&mut self, byte: u8) {
        if self.string.len() <= MAX_STRING {
            self.string.push(byte);
        }
    }

    /// Processes a string, which is the value of the key before it.
    fn value(&mut self, string: &[u8], out: &mut Vec<u8>) {
        self.state = State::Plain;
        let key = std::mem::take(&mut self.key);
        let has_doi = || key.windows(3).any(|part| part.eq_ignore_ascii_case(b"doi"));
        let is_wanted = key == b"/URI" || TEXTS.contains(&&key[..]) || has_doi();
        if is_wanted && self.string.len() <= MAX_STRING {
            let begin = out.len();
            if append_text(string, out) {
                self.is_cut = true;
                // A name in the last word may be incomplete.
                let word = out[begin..].iter().rposition(|b| b.is_ascii_whitespace() || *b == 0);
                out.truncate(begin + word.map_or(0, |last| last + 1));
            }
            out[begin..].iter_mut().filter(|b| b.is_ascii_control()).for_each(|b| *b = b' ');
            out.extend_from_slice(b"\n\n");
        }
    }
}

/// Returns the bytes that the content of a literal string represents.
fn unescape(string: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(string.len()), string);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let digits = rest.iter().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
        if digits > 0 {
            let octal = rest[..digits].iter().fold(0_u32, |sum, b| sum * 8 + u32::from(b - b'0'));
            // Overflow of a high digit is ignored.
            out.push((octal & 0xff) as u8);
            rest = &rest[digits..];
            continue;
        }
        let (taken, meant): (usize, &[u8]) = match rest {
            [b'\r', b'\n', ..] => (2, b""),
            [b'\r' | b'\n', ..] => (1, b""),
            [b'n' | b'r' | b't' | b'b' | b'f', ..] => (1, b" "),
            [_, ..] => (1, &rest[..1]),
            [] => (0, b""),
        };
        out.extend_from_slice(meant);
        rest = &rest[taken..];
    }
    out
}

/// Returns the bytes that the digits of a hexadecimal string represent. A missing last digit is 0.
fn hexadecimal(string: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        string.iter().filter_map(|b| Some(char::from(*b).to_digit(16)? as u8)).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair.get(1).copied().unwrap_or(0)).collect()
}

/// Appends a text string: UTF-16 or UTF-8 with a byte order mark, or another encoding, all of which
/// contain ASCII. Returns whether it ends within a character.
fn append_text(string: &[u8], out: &mut Vec<u8>) -> bool {
    if let Some(units) = string.strip_prefix(b"\xfe\xff") {
        let mut wide = Wide::utf16_big();
        wide.push(units, out);
        return wide.end(out);
    }
    out.extend_from_slice(string.strip_prefix(b"\xef\xbb\xbf").unwrap_or(string));
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the strings of `objects`, and the content of its streams.
    fn read(objects: &[u8]) -> (String, Vec<Content>) {
        let (mut tokens, mut out) = (Tokens::default(), Vec::new());
        let contents = objects.iter().filter_map(|byte| tokens.take(*byte, &mut out)).collect();
        (String::from_utf8_lossy(&out).into_owned(), contents)
    }

    #[test]
    fn strings_that_may_hold_a_doi() {
        for (objects, expected) in [
            (
                &b"<</S/URI/URI(https://doi.org/10.1000/182)>>"[..],
                "https://doi.org/10.1000/182\n\n",
            ),
            (b"<< /URI (10.1000/a\\(b\\)\\\\c) /S /URI >>", "10.1000/a(b)\\c\n\n"),
            (b"/URI (10.1000/(a)b) x", "10.1000/(a)b\n\n"),
            (b"/URI (10.1000\\0571\\\r\n2\\\n3\\n4)", "10.1000/123 4\n\n"),
            (b"/URI <31 302e31 3030302F3138 3>", "10.1000/180\n\n"),
            (b"/Subject <FEFF0031003000e9d83dde00>", "10\u{e9}\u{1f600}\n\n"),
            (b"/URI <FEFF0061002000310030002e31>", "a \n\n"),
            (b"/URI <FEFF00310030002e0031003000>", "\n\n"),
            (b"/WPS-ARTICLEDOI(10.1000/182)", "10.1000/182\n\n"),
            (b"/Title (\xef\xbb\xbfdoi:10.1000/182\n3)", "doi:10.1000/182 3\n\n"),
            (b"/Contents (10.1000/182)", ""),
            (b"/URI 5 (10.1000/182)", ""),
            (b"[(10.1000/182)] TJ", ""),
            (b"/URI % (10.1000/1)\n(10.1000/2)", "10.1000/2\n\n"),
            (b"/URI (10.1000/182", ""),
            (b"<< /URI (a) /URI (b) >>", "a\n\nb\n\n"),
        ] {
            assert_eq!(read(objects).0, expected, "{}", String::from_utf8_lossy(objects));
        }
        let long = [b"/URI (", &b"x".repeat(MAX_STRING + 1)[..], b") /URI (y)"].concat();
        assert_eq!(read(&long).0, "y\n\n");
    }

    #[test]
    fn what_streams_are() {
        use Content::*;
        for (dictionary, expected) in [
            ("/Type /ObjStm /Filter /FlateDecode", Objects { is_packed: true }),
            ("/Type/ObjStm/Filter[/Fl]", Objects { is_packed: true }),
            ("/Type /ObjStm", Objects { is_packed: false }),
            ("/Type /Metadata /Subtype /XML", Metadata { is_packed: false }),
            ("/Type /Metadata /Filter /FlateDecode", Metadata { is_packed: true }),
            ("/Type /ObjStm /Filter [/FlateDecode /FlateDecode]", Other),
            ("/Type /ObjStm /Filter [/ASCII85Decode /FlateDecode]", Other),
            ("/Type /XRef /Filter /FlateDecode /DecodeParms <</Predictor 12>>", Other),
            ("/Filter /FlateDecode", Other),
        ] {
            let objects =
                format!("1 0 obj <</Type /ObjStm>> endobj 2 0 obj <<{dictionary}>>stream\n");
            assert_eq!(read(objects.as_bytes()).1, [expected], "{dictionary}");
        }
    }
}
