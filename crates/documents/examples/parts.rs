//! Prints the parts of documents: `parts [--text] FILE...`. With `--text`, only their text.
#![expect(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use doiscan_documents::{Content, Kind, Limits, extract};
use std::io::Write;
use std::ops::ControlFlow;

fn main() {
    let (flags, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_text = flags.iter().any(|flag| flag == "--text");
    let mut out = std::io::stdout().lock();
    for path in paths {
        let result = std::fs::read(&path).map_err(|error| error.to_string()).and_then(|bytes| {
            let kind = Kind::of_document(&bytes).ok_or("unknown format")?;
            extract(kind, bytes, &Limits::default(), &mut |part| {
                let written = match part.content {
                    _ if !is_text => writeln!(out, "== {}\n{}", part.place, part.text),
                    Content::Text => writeln!(out, "{}\n", part.text),
                    _ => Ok(()),
                };
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .map_err(|error| format!("{:?}: {error}", error.kind()))
        });
        if let Err(message) = result {
            eprintln!("{path}: {message}");
        }
    }
}
