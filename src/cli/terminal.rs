//! Standard error: nothing dangerous is printed, and failing to print is no failure.

use std::io::{Write, stderr};

/// Prints lines to standard error, escaped. When nobody hears it, nothing changes.
pub(super) fn say(lines: &str) {
    let mut text = escaped(lines);
    text.push('\n');
    let _ = stderr().lock().write_all(text.as_bytes());
}

/// As [`say`], for a message that is one line whatever names it holds.
pub(super) fn say_line(line: &str) {
    say(&line.replace('\n', "\\n"));
}

/// The text without characters that move the cursor, colour the screen or turn
/// the direction of writing: those are written `\u{1b}`. Line feeds stay.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push(c),
            '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}' => out.extend(c.escape_unicode()),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown_and_letters_stay() {
        assert_eq!(escaped("café 🦀\n"), "café 🦀\n");
        assert_eq!(escaped("\x1b[31m\r\t\u{202e}\u{9b}"), "\\u{1b}[31m\\r\\t\\u{202e}\\u{9b}");
    }
}
