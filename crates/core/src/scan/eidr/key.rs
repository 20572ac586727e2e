//! Finds keys named EIDR and their values: JSON, attributes and elements of XML, BibTeX, and `EIDR:
//! …` in text.

use super::value::{EidrValue, each_in};
use crate::doi::notation::strip_word;

/// Maximum number of bytes from the start of a key to the end of its last value. Values of an array
/// after these bytes are not read.
pub const LOOKAHEAD: usize = 1024;

/// Spellings of the word in the names of keys.
pub(super) const SPELLINGS: [&[u8]; 3] = [b"eidr", b"EIDR", b"Eidr"];

/// Beginnings of words that may follow it: `eidr_id`, `EIDR number`, `eidrIds`. Other words name something else
/// (`eidr_status`).
const WORDS: [&[u8]; 10] =
    [b"id", b"no", b"num", b"code", b"value", b"suffix", b"compact", b"binary", b"hex", b"base64"];

/// Maximum number of words after it.
const MOST_WORDS: usize = 3;

/// What may be between a key and its values: quotes, as written in strings, strings within strings, CSV and attributes,
/// blanks, separators, and what opens a value or an array.
const FILLER: &[u8] = b"\"'\\ \t\r\n:=>{[";
const LONG_FILLER: [&[u8]; 3] = [b"&quot;", b"&#34;", b"<![CDATA["];

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
    is_plural || WORDS.iter().any(|known| strip_word(word, known).is_some())
}

/// Calls `visit` with the values of the key at the start of `text`, after the byte `before`.
pub(super) fn values(before: Option<u8>, text: &[u8], visit: &mut impl FnMut(EidrValue)) {
    let Some(at) = name_len(before, text) else { return };
    let named = &text[at..];
    let mut rest = behind_filler(named);
    let filler = &named[..named.len() - rest.len()];
    let has = |marks: &[u8]| filler.iter().any(|b| marks.contains(b));
    if !has(b":=>") {
        let Some(len) = tag(named).filter(|_| !filler.is_empty()) else { return };
        rest = behind_filler(&named[len..]);
    } else if !has(b"\"'&>{[") {
        return bare(rest, text.len() == LOOKAHEAD, visit);
    }
    let ends: &[u8] = if has(b"[") { b"<>{}[]" } else { b"\"'\\<>{}[]&" };
    let end = rest.iter().position(|b| ends.contains(b));
    let mut values = rest[..end.unwrap_or(rest.len())].split(|b| b"\"'\\&".contains(b));
    if end.is_none() {
        values.next_back();
    }
    values.for_each(|value| each_in(value, visit));
}

fn behind_filler(mut text: &[u8]) -> &[u8] {
    loop {
        text = &text[text.iter().take_while(|b| FILLER.contains(b)).count()..];
        match LONG_FILLER.iter().find_map(|mark| text.strip_prefix(*mark)) {
            Some(rest) => text = rest,
            None => return text,
        }
    }
}

/// Returns where the start tag ends whose attributes begin `text`.
fn tag(text: &[u8]) -> Option<usize> {
    let near = &text[..text.len().min(ATTRIBUTES)];
    let end = near.iter().position(|b| b"<>\r\n".contains(b)).filter(|end| near[*end] == b'>')?;
    (near[..end].last() != Some(&b'/')).then_some(end + 1)
}

/// Reads a value that a blank ends, unless the text is cut. Wrong shapes are ignored, because nothing shows that the
/// value should be an EIDR.
fn bare(text: &[u8], is_cut: bool, visit: &mut impl FnMut(EidrValue)) {
    let is_end = |b: &u8| b.is_ascii_whitespace() || b"\"'\\<>{}[]&,;|)".contains(b);
    let end = text.iter().position(is_end);
    if end.is_none() && is_cut {
        return;
    }
    let value = &text[..end.unwrap_or(text.len())];
    each_in(value.strip_suffix(b".").unwrap_or(value), &mut |found| {
        if found != EidrValue::WrongShape {
            visit(found);
        }
    });
}
