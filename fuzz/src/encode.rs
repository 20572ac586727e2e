//! Encodes text in a notation, as the simplest possible inverse of `decode`.
//!
//! Bytes that are not valid UTF-8 are copied unchanged.

use std::fmt::Write;

/// Encodes text in a notation.
pub type Encoder = fn(&[u8]) -> Vec<u8>;

/// All encoders.
pub const ALL: [Encoder; 12] = [
    json,
    json_units,
    hex_escapes,
    entities,
    references,
    hex_references,
    percent,
    percent_lower,
    percent_signs,
    latex,
    groups,
    latin1,
];

/// Replaces each character for which `escape` writes an escape. Copies the others.
fn each(text: &[u8], mut escape: impl FnMut(char, &mut String) -> bool) -> Vec<u8> {
    let mut written = Vec::new();
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut escaped = String::new();
            if !escape(c, &mut escaped) {
                escaped.push(c);
            }
            written.extend_from_slice(escaped.as_bytes());
        }
        written.extend_from_slice(chunk.invalid());
    }
    written
}

/// Appends formatted text. Writing to a string cannot fail.
fn add(to: &mut String, text: std::fmt::Arguments<'_>) -> bool {
    to.write_fmt(text).is_ok()
}

/// Escapes a JSON string in ASCII as registries do, including `\/`.
pub fn json(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| match c {
        '/' | '\\' | '"' => add(to, format_args!("\\{c}")),
        ' '..='~' => false,
        _ => units(c, to),
    })
}

/// Escapes every character as `\uXXXX`.
pub fn json_units(text: &[u8]) -> Vec<u8> {
    each(text, units)
}

fn units(c: char, to: &mut String) -> bool {
    c.encode_utf16(&mut [0; 2]).iter().all(|unit| add(to, format_args!("\\u{unit:04x}")))
}

/// Escapes ASCII punctuation as `\xNN`.
pub fn hex_escapes(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| c.is_ascii_punctuation() && add(to, format_args!("\\x{:02X}", u32::from(c))))
}

/// Escapes characters as XML entity references.
pub fn entities(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| {
        let name = match c {
            '&' => "amp",
            '<' => "lt",
            '>' => "gt",
            '"' => "quot",
            '\'' => "apos",
            _ => return false,
        };
        add(to, format_args!("&{name};"))
    })
}

/// Escapes every character as `&#60;`.
pub fn references(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| add(to, format_args!("&#{};", u32::from(c))))
}

/// Escapes every character except ASCII letters and digits as `&#x3C;`.
pub fn hex_references(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| {
        !c.is_ascii_alphanumeric() && add(to, format_args!("&#x{:X};", u32::from(c)))
    })
}

/// Percent-encodes all bytes except the unreserved characters.
pub fn percent(text: &[u8]) -> Vec<u8> {
    octets(text, |b| !b.is_ascii_alphanumeric() && !b"-._~".contains(&b), |b| format!("%{b:02X}"))
}

/// Percent-encodes the bytes that the standard names, in lower case.
pub fn percent_lower(text: &[u8]) -> Vec<u8> {
    let is_named = |b: u8| b <= b' ' || b >= 0x7f || b"%\"#?<>{}^[]`|\\+".contains(&b);
    octets(text, is_named, |b| format!("%{b:02x}"))
}

fn octets(text: &[u8], is_chosen: impl Fn(u8) -> bool, write: impl Fn(u8) -> String) -> Vec<u8> {
    let mut written = Vec::new();
    for &byte in text {
        match is_chosen(byte) {
            true => written.extend_from_slice(write(byte).as_bytes()),
            false => written.push(byte),
        }
    }
    written
}

/// Doubles every `%`, as RPM specifications do.
pub fn percent_signs(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| c == '%' && add(to, format_args!("%%")))
}

/// Writes a backslash before characters that are markup in TeX or Markdown.
pub fn latex(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| "_&%#${}<>()[]*~^".contains(c) && add(to, format_args!("\\{c}")))
}

/// Puts each TeX markup character in a separate group.
pub fn groups(text: &[u8]) -> Vec<u8> {
    each(text, |c, to| match c {
        '_' | '&' | '%' | '#' => add(to, format_args!("{{\\{c}}}")),
        '[' | ']' => add(to, format_args!("{{{c}}}")),
        '<' | '>' => add(to, format_args!("${c}$")),
        _ => false,
    })
}

/// Encodes text as Latin-1, which is not valid UTF-8 if a character is not ASCII.
pub fn latin1(text: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    for c in String::from_utf8_lossy(text).chars() {
        match u8::try_from(u32::from(c)) {
            Ok(byte) => written.push(byte),
            Err(_) => written.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    written
}
