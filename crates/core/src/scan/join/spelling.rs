//! Names that programs respell with blanks around their marks.
//!
//! Programs that read the pictures of pages take the numbers of a DOI for mathematics of TeX, in which blanks, braces and
//! the macros of fonts print nothing: `doi: $10.1038 / \mathrm{ng} .3465$`. Formatters of code and readers of PDF files
//! take the marks for operators: `https: // doi.org / 10.1007 / 978 - 3 - 031 - 43898 - 1_66`.

use super::scattered::begins_entry;
use crate::scan::edit::Edit;
use alloc::vec::Vec;

/// Maximum number of bytes that are respelled.
const MAX_LEN: usize = 256;

/// Macros of fonts.
const FONTS: [&[u8]; 7] =
    [b"mathrm", b"text", b"textrm", b"mathbf", b"mathit", b"mathsf", b"operatorname"];

/// Returns the change that respells the slash and the suffix after the blank at `at`, up to the dollar sign. The suffix may
/// go on after it: `$10.1162 /$ neco.1997.9.8.1735`.
#[cold]
pub(super) fn mathematics(after: &[u8], at: usize) -> Option<Edit> {
    let text = &after[at..after.len().min(at + MAX_LEN)];
    if !text.starts_with(b" ") {
        return None;
    }
    let len = memchr::memchr(b'$', text)?;
    let (mut bytes, mut place) = (Vec::new(), 0);
    while let Some(&byte) = text[..len].get(place) {
        place += 1;
        match byte {
            b' ' | b'{' | b'}' => {}
            b'\\' => {
                let word = &text[place..len];
                let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
                if letters > 0 && !FONTS.contains(&&word[..letters]) {
                    return None;
                }
                place += letters;
            }
            byte if byte.is_ascii_graphic() => bytes.push((byte, at + place)),
            _ => return None,
        }
    }
    let is_open = matches!(bytes[..], [(b'/', _)] | [(b'/', _), .., (b'.' | b'-' | b'/', _)]);
    let blanks = usize::from(is_open && text[len + 1..].starts_with(b" "));
    let is_suffix = bytes.first().is_some_and(|(byte, _)| *byte == b'/');
    is_suffix.then(|| Edit::respell(at..at + len + 1 + blanks, bytes))
}

/// Returns the change that leaves out the blanks around the marks of the suffix after the blank at `at`.
#[cold]
pub(super) fn operators(after: &[u8], at: usize) -> Option<Edit> {
    let text = &after[at..after.len().min(at + MAX_LEN)];
    let is_part = |b: &&u8| b.is_ascii_graphic() && !b"\"'`[]{}|,$\\".contains(b);
    let (mut bytes, mut place) = (Vec::new(), 0);
    while let [b' ', mark @ (b'/' | b'-' | b'.' | b':'), b' ', rest @ ..] = &text[place..] {
        let token = rest.iter().take_while(is_part).count();
        let is_on = match (bytes.is_empty(), mark, &rest[..token]) {
            (true, mark, word) => *mark == b'/' && !word.is_empty(),
            (_, b'/', word) => !word.is_empty(),
            (_, b'-', [check]) => check.is_ascii_alphanumeric(),
            (_, b'.', [b'x']) => true,
            (_, _, word) => begins_part(word, &rest[token..]),
        };
        if !is_on {
            break;
        }
        bytes.push((*mark, at + place + 2));
        place += 3;
        bytes.extend(rest[..token].iter().zip(at + place + 1..).map(|(byte, end)| (*byte, end)));
        place += token;
    }
    let has_digit = bytes.iter().any(|(byte, _)| byte.is_ascii_digit());
    has_digit.then(|| Edit::respell(at..at + place, bytes))
}

/// Whether `word` is a number, or begins with one, and is not that of the next entry: `. 12. Smith`.
fn begins_part(word: &[u8], rest: &[u8]) -> bool {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_entry = word[digits..] == *b"." && begins_entry(&[b".", rest].concat());
    digits > 0 && !is_entry
}
