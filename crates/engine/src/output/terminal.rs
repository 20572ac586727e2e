//! Escapes terminal output, so that no byte of an input can move the cursor, set the title or
//! change the text direction.

use std::io::Write;

/// Whether a character is escaped on a terminal and in JSON: a control character, a bidirectional
/// mark, or an invisible character that begins a line.
pub fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// Escapes control characters and direction marks in JSON as `\u202e`. They occur only in its
/// strings.
pub fn escaped_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\n' => out.push(c),
            // All have four hexadecimal digits.
            c if needs_escape(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text written to a terminal. The pieces may be cut anywhere. Line feeds and tabs are not
/// escaped.
#[derive(Debug, Default)]
pub(super) struct Escaper {
    /// The first bytes of an incomplete UTF-8 character.
    begun: Vec<u8>,
}

impl Escaper {
    /// Returns the next bytes, escaped.
    pub(super) fn escape(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        if let Err(error) = str::from_utf8(last_bytes(&all))
            && error.error_len().is_none()
        {
            let begun = last_bytes(&all).len() - error.valid_up_to();
            self.begun = all.split_off(all.len() - begun);
        }
        escaped(&all)
    }

    /// Returns the escaped rest at the end of the output.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        escaped(&std::mem::take(&mut self.begun))
    }
}

/// The end of `bytes`, starting at the last byte that can begin a character.
fn last_bytes(bytes: &[u8]) -> &[u8] {
    let is_inner = |byte: &&u8| *byte & 0xc0 == 0x80;
    let inner = bytes.iter().rev().take(3).take_while(is_inner).count();
    &bytes[bytes.len().saturating_sub(inner + 1)..]
}

fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            // Writing to a Vec cannot fail.
            let _ = match c {
                '\n' | '\t' => write!(out, "{c}"),
                c if needs_escape(c) => write!(out, "{}", c.escape_unicode()),
                c => write!(out, "{c}"),
            };
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_shape() {
        let text = "{\n  \"a\": \"é\u{7f}\u{9b}\u{202e}\u{200f}\"\n}";
        assert_eq!(escaped_json(text), "{\n  \"a\": \"é\\u007f\\u009b\\u202e\\u200f\"\n}");
    }

    #[test]
    fn controls_are_shown_however_the_bytes_are_cut() {
        let text = b"a\tb\n\x1b]0;x\x07 caf\xc3\xa9 \xe6\x9c\xac \xf0\x9f\xa6\x80 \
                     \xc2\x9b\xe2\x80\xae\xd8\x9c\xef\xbb\xbf \x9b\xff\xc3( \xe6\x9c";
        let expected = "a\tb\n\\u{1b}]0;x\\u{7} café 本 🦀 \
                        \\u{9b}\\u{202e}\\u{61c}\\u{feff} \\x9b\\xff\\xc3( \\xe6\\x9c";
        for size in 1..=text.len() {
            let mut escaper = Escaper::default();
            let mut out: Vec<u8> = text.chunks(size).flat_map(|b| escaper.escape(b)).collect();
            out.extend(escaper.finish());
            assert_eq!(String::from_utf8_lossy(&out), expected, "{size}");
        }
    }
}
