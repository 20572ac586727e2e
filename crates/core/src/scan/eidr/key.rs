//! Finds keys named EIDR and their values: JSON, attributes and elements of XML, BibTeX, and `EIDR:
//! …` in text.

use super::value::{EidrValue, each_in};

/// Maximum number of bytes from the start of a key to the end of its last value. Values of an array
/// after these bytes are not read.
pub const LOOKAHEAD: usize = 1024;

/// Spellings of the word in the names of keys.
pub(super) const SPELLINGS: [&[u8]; 3] = [b"eidr", b"EIDR", b"Eidr"];

/// Words that may follow it: `eidr_id`, `EIDR number`, `eidrIds`. Other words name something else
/// (`eidr_status`).
const WORDS: [&str; 18] = [
    "id",
    "ids",
    "identifier",
    "identifiers",
    "number",
    "numbers",
    "no",
    "code",
    "codes",
    "value",
    "values",
    "suffix",
    "compact",
    "binary",
    "hex",
    "base64",
    "base64url",
    "list",
];

/// Maximum number of words after it.
const MOST_WORDS: usize = 3;

/// Maximum number of blanks between a key, its separator and its value.
const BLANKS: usize = 16;

/// Maximum number of bytes of attributes between a name and the end of its tag.
const ATTRIBUTES: usize = 128;

/// Whether the name of a column ends in the word EIDR, optionally followed by words such as `id`.
pub fn is_named(name: &[u8]) -> bool {
    let name = name.trim_ascii();
    (0..name.len()).any(|at| {
        let (before, rest) = name.split_at(at);
        name_len(before.last().copied(), rest) == Some(rest.len())
    })
}

/// Returns the length of the name at the start of `text`, after the byte `before`, if it is named
/// EIDR.
fn name_len(before: Option<u8>, text: &[u8]) -> Option<usize> {
    let word = SPELLINGS.into_iter().find(|word| text.starts_with(word))?;
    // `contentEIDR` is two words.
    let is_new = |b: u8| b.is_ascii_lowercase() && word[0] == b'E';
    if before.is_some_and(|b| b.is_ascii_alphabetic() && !is_new(b)) {
        return None;
    }
    let mut len = word.len();
    for index in 0..MOST_WORDS {
        let is_apart = text.get(len).is_some_and(|b| b"_-. ".contains(b));
        let rest = &text[len + usize::from(is_apart)..];
        let next = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        if !is_apart && index > 0 || !may_follow(&rest[..next], is_apart) {
            break;
        }
        len += usize::from(is_apart) + next;
    }
    (!text.get(len).is_some_and(u8::is_ascii_alphanumeric)).then_some(len)
}

fn may_follow(word: &[u8], is_apart: bool) -> bool {
    let is_plural = !is_apart && word.eq_ignore_ascii_case(b"s");
    is_plural || WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Calls `visit` with the values of the key at the start of `text`, after the byte `before`.
pub(super) fn values(before: Option<u8>, text: &[u8], visit: &mut impl FnMut(EidrValue)) {
    let Some(at) = name_len(before, text) else { return };
    let named = Cursor { text, at };
    let mut cursor = named;
    let quote = cursor.closing_quote();
    match cursor.assigns() {
        true => cursor.assigned(quote, visit),
        false => named.element(visit),
    }
}

/// A position in a text.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    fn eat(&mut self, token: &[u8]) -> bool {
        let is_here = self.rest().starts_with(token);
        self.at += if is_here { token.len() } else { 0 };
        is_here
    }

    fn blanks(&mut self) {
        let blanks = self.rest().iter().take(BLANKS).take_while(|b| b.is_ascii_whitespace());
        self.at += blanks.count();
    }

    /// Reads a quote, as written in strings, strings within strings, CSV and attributes.
    fn quote(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let escapes = rest.iter().take(7).take_while(|&&b| b == b'\\').count();
        let len = match rest.get(escapes..)? {
            [b'"' | b'\'', ..] => escapes + 1,
            [b'&', ..] if rest.starts_with(b"&quot;") => b"&quot;".len(),
            [b'&', ..] if rest.starts_with(b"&#34;") => b"&#34;".len(),
            _ => return None,
        };
        self.at += len;
        Some(&rest[..len])
    }

    /// Reads the quote after a key. CSV doubles it.
    fn closing_quote(&mut self) -> Option<&'a [u8]> {
        if self.eat(b"\"\"") { Some(b"\"\"") } else { self.quote() }
    }

    /// Skips the separator between a key and its value. Returns whether there was one.
    fn assigns(&mut self) -> bool {
        self.blanks();
        self.eat(b"=>") || self.eat(b"=") || self.eat(b":")
    }

    /// Reads the values after the separator, of a key that `quote` closes.
    fn assigned(mut self, quote: Option<&[u8]>, visit: &mut impl FnMut(EidrValue)) {
        self.blanks();
        let is_array = self.eat(b"[");
        self.blanks();
        loop {
            let open = match quote {
                Some(quote) => self.eat(quote).then_some(quote),
                None => self.quote(),
            };
            match open {
                Some(quote) if self.enclosed(quote, visit) && is_array => {}
                Some(_) => return,
                None if is_array => return,
                None => return self.braced_or_bare(visit),
            }
            self.blanks();
            if !self.eat(b",") {
                return;
            }
            self.blanks();
        }
    }

    /// Reads a value in braces, or up to a blank.
    fn braced_or_bare(mut self, visit: &mut impl FnMut(EidrValue)) {
        let close: &[u8] = if self.eat(b"{{") { b"}}" } else { b"}" };
        if close == b"}}" || self.eat(b"{") {
            self.enclosed(close, visit);
        } else {
            self.bare(visit);
        }
    }

    /// Reads the text of the element whose start tag contains the name.
    fn element(mut self, visit: &mut impl FnMut(EidrValue)) {
        let tag = &self.rest()[..self.rest().len().min(ATTRIBUTES)];
        let Some(end) = tag.iter().position(|b| b"<>\r\n".contains(b)) else { return };
        let start = self.at;
        let is_attribute = tag[0].is_ascii_whitespace() || self.quote().is_some();
        if tag[end] != b'>' || end > 0 && (!is_attribute || tag[end - 1] == b'/') {
            return;
        }
        self.at = start + end + 1;
        self.blanks();
        let close: &[u8] = if self.eat(b"<![CDATA[") { b"]]>" } else { b"<" };
        self.enclosed(close, visit);
    }

    /// Reads a value up to `close`. Returns false if something else ends it.
    fn enclosed(&mut self, close: &[u8], visit: &mut impl FnMut(EidrValue)) -> bool {
        let rest = self.rest();
        let end = rest.iter().position(|b| b"\"'\\<>{}[]&".contains(b)).unwrap_or(rest.len());
        self.at += end;
        let is_closed = self.eat(close);
        if is_closed {
            each_in(&rest[..end], visit);
        }
        is_closed
    }

    /// Reads a value that a blank ends. Wrong shapes are ignored, because nothing shows that the
    /// value should be an EIDR.
    fn bare(&self, visit: &mut impl FnMut(EidrValue)) {
        let rest = self.rest();
        let is_end = |b: &u8| b.is_ascii_whitespace() || b"\"'\\<>{}[]&,;|)".contains(b);
        let end = rest.iter().position(is_end);
        if end.is_none() && self.text.len() == LOOKAHEAD {
            return;
        }
        let value = &rest[..end.unwrap_or(rest.len())];
        let value = value.strip_suffix(b".").unwrap_or(value);
        each_in(value, &mut |found| {
            if found != EidrValue::WrongShape {
                visit(found);
            }
        });
    }
}
