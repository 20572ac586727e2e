//! Pieces of the syntax of PDF files (ISO 32000-1, 7.2 and 7.3), where the parser has not read the file yet.

use std::str::FromStr;

/// The number and the generation of an object.
pub(super) type Id = (u32, i32);

/// Reads two numbers and `end`.
pub(super) fn reference(text: &[u8], end: &[u8]) -> Option<Id> {
    let (first, text) = number(text)?;
    let (second, text) = number(text.trim_ascii_start())?;
    text.trim_ascii_start().starts_with(end).then_some((first, second))
}

fn number<T: FromStr>(text: &[u8]) -> Option<(T, &[u8])> {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    Some((std::str::from_utf8(&text[..len]).ok()?.parse().ok()?, &text[len..]))
}

/// Returns what follows a string in hexadecimal form, whose bracket was read. Fails if it is none.
pub(super) fn after_hexadecimal(text: &[u8]) -> Option<&[u8]> {
    let is_digit = |b: &u8| b.is_ascii_hexdigit() || b.is_ascii_whitespace();
    let len = text.iter().take_while(|b| is_digit(b)).count();
    text[len..].strip_prefix(b">")
}

/// Returns what follows a string whose bracket was read. Fails if it has no end.
pub(super) fn after_string(text: &[u8]) -> Option<&[u8]> {
    let (mut depth, mut at) = (1u32, 0);
    while depth > 0 {
        match text.get(at)? {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.get(at..)
}
