//! Formats of text whose end shows whether a file is whole.

use crate::problem::{ProblemCode, fault};
use doiscan_core::scan::LOOKBEHIND;
use memchr::memmem;
use std::io;

/// Bytes of the shortest text that is judged: a shorter one is a fragment that somebody cut on purpose, and a
/// download that breaks off has a block at least.
const SHORTEST: u64 = 1024;

/// A format whose last character is known. A file that was cut, as by a download that broke off, lacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// An object or an array, or lines of them.
    Json,
    /// A document with an XML declaration.
    Xml,
}

impl Closed {
    /// Recognises the format of a text that begins with `head`.
    pub fn of(head: &[u8]) -> Option<Closed> {
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        // Programs that write pages for browsers care less.
        if text.starts_with(b"<?xml") && memmem::find(text, b"<html").is_none() {
            return Some(Closed::Xml);
        }
        opens_json(text).then_some(Closed::Json)
    }

    /// Returns the fault of a text of `len` bytes that ends with `bytes`, if it was cut. Only the last
    /// [`LOOKBEHIND`] bytes count, which every last window has.
    ///
    /// Arrays and objects may be followed by a comma or a semicolon, as in exports of databases and in programs,
    /// and lines of JSON by a line of text, which opens no object and has no quote after an indent.
    pub fn fault(self, len: u64, bytes: &[u8]) -> Option<io::Error> {
        let last = &bytes[bytes.len().saturating_sub(LOOKBEHIND)..];
        let last = last.trim_ascii_end();
        let line = last.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_whole = match self {
            _ if last.is_empty() || len < SHORTEST => true,
            Closed::Xml => last.ends_with(b">"),
            Closed::Json => {
                let value = last.strip_suffix(b",").or(last.strip_suffix(b";")).unwrap_or(last);
                let inner = line.trim_ascii_start();
                let is_member = inner.len() < line.len() && inner.starts_with(b"\"");
                let is_text = line.len() < last.len() && !is_member && !opens_json(inner);
                value.ends_with(b"}") || value.ends_with(b"]") || is_text
            }
        };
        let message = match self {
            Closed::Json => "ends early: the last JSON object or array is not closed",
            Closed::Xml => "ends early: XML ends with a tag, and this file does not",
        };
        (!is_whole).then(|| fault(ProblemCode::Truncated, message))
    }
}

/// Whether a text begins with an object, or with an array of them.
fn opens_json(text: &[u8]) -> bool {
    let Some((first, inner)) = text.split_first() else { return false };
    let inner = inner.trim_ascii_start();
    match first {
        b'{' => inner.is_empty() || inner.starts_with(b"\""),
        b'[' => inner.is_empty() || inner.starts_with(b"{"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_that_were_cut_are_told() {
        for (text, is_cut) in [
            ("{\"a\":\"10.1000/1\"}\n", false),
            ("\u{feff} {\n \"a\": \"10.1000/1", true),
            ("{\"a\":\"10.1000/1\"}\n{\"a\":\"10.1000/2", true),
            ("{\"a\":\"10.1000/1\"}\n{\"a\":\"10.1000/2\"", true),
            ("{\"a\":1},\n", false),
            ("[{\"a\":1}];", false),
            ("[{\"a\":1},\n {\"a\":", true),
            ("{\"a\":1}\nDone: \"10.1000/1\"\n", false),
            ("{\"a\":1}\n{", true),
            ("{\"a\":1}\n[words](https://doi.org/10.1000/1", false),
            ("{\n \"a\":1,\n \"b\": \"10.1000/1", true),
            ("{\"a\":1}\n\"Title, A\",10.1000/1", false),
            ("{\"a\": see 10.1000/1", true),
            ("{10.1000/1", false),
            ("[10.1000/1", false),
            ("<?xml version='1.0'?><a>10.1000/1</a>\n", false),
            ("<?xml version='1.0'?><a>10.1000/1", true),
            ("<?xml version='1.0'?><a>10.1000/1</a", true),
            ("<a>10.1000/1", false),
            ("<?xml version='1.0'?><html><p>10.1000/1", false),
            ("", false),
        ] {
            let fault =
                |len| Closed::of(text.as_bytes()).and_then(|kind| kind.fault(len, text.as_bytes()));
            assert_eq!(fault(SHORTEST).is_some(), is_cut, "{text}");
            assert!(fault(SHORTEST - 1).is_none(), "{text}");
        }
        // A long last line, and nothing but blanks in sight.
        for (text, is_cut) in [
            (format!("{{\"a\":\"{}", "x".repeat(500)), true),
            (format!("{{\"a\":1}}{}", "\n".repeat(500)), false),
        ] {
            let kind = Closed::of(text.as_bytes()).expect("JSON");
            assert_eq!(kind.fault(SHORTEST, text.as_bytes()).is_some(), is_cut, "{text}");
        }
    }
}
