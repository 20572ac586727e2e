//! Prints the parts of documents, or changes documents at random and reads them.
//!
//! ```text
//! parts FILE...              prints places and texts
//! parts --text FILE...       prints the text alone, without links and metadata
//! parts --changed N FILE...  reads N changed copies of each file and prints, with tabs: format, copies,
//!                            errors, panics that were caught so far, the longest time in ms, the peak
//!                            of memory so far, path
//! ```
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program"
)]

use doiscan_documents::{Content, Error, Kind, Limits, Part, Sheets, extract, is_guarded};
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Number of panics, which are caught.
static PANICS: AtomicU32 = AtomicU32::new(0);

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let (mut is_text, mut changed) = (false, None);
    while let Some(flag) = arguments.next_if(|argument| argument.starts_with("--")) {
        match flag.as_str() {
            "--text" => is_text = true,
            _ => changed = arguments.next().and_then(|number| number.parse::<u32>().ok()),
        }
    }
    if changed.is_some() {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            if !is_guarded() {
                usual(panic);
            }
        }));
    }
    for path in arguments {
        let result = std::fs::read(&path).map_err(|error| error.to_string()).and_then(|document| {
            let kind = Kind::of_document(&document).ok_or("unknown format")?;
            match changed {
                Some(count) => {
                    change(&path, kind, &document, count);
                    Ok(())
                }
                None => print(kind, document, is_text)
                    .map_err(|error| format!("{:?}: {error}", error.kind())),
            }
        });
        if let Err(message) = result {
            eprintln!("{path}: {message}");
        }
    }
}

fn print(kind: Kind, document: Vec<u8>, is_text: bool) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    let mut sink = |part: Part<'_>| {
        let written = match part.content {
            _ if !is_text => writeln!(out, "== {}\n{}", part.place, part.text),
            Content::Text | Content::Cells => writeln!(out, "{}\n", part.text),
            _ => Ok(()),
        };
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    extract(kind, &Arc::new(document), &Limits::default(), Sheets::All, &mut sink).map(drop)
}

/// Changes, repeats, removes and cuts bytes of copies, and prints the longest time, the numbers of errors
/// and of panics that were caught, and the peak of memory. Names a copy that takes more than 10 s.
fn change(path: &str, kind: Kind, document: &[u8], count: u32) {
    // The seed differs from file to file, but not from run to run.
    let mut seed = path.bytes().fold(0x2545_f491_4f6c_dd1du64, |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 16) as usize % below.max(1)
    };
    let (mut longest, mut failed) = (Duration::ZERO, 0);
    for number in 0..count {
        let mut copy = document.to_vec();
        for _ in 0..=random(8) {
            let at = random(copy.len());
            let end = (at + random(64)).min(copy.len());
            match random(8) {
                0 if random(4) == 0 => copy.truncate(at),
                1 => drop(copy.drain(at..end)),
                2 => copy.extend_from_within(at..end),
                3 => copy[at..end].fill(b'9'),
                _ => copy[at..(at + 1).min(end)].fill(random(256) as u8),
            }
            if copy.is_empty() {
                copy.push(b' ');
            }
        }
        let begin = Instant::now();
        let copy = Arc::new(copy);
        let sink = &mut |_: Part<'_>| ControlFlow::Continue(());
        let result = extract(kind, &copy, &Limits::default(), Sheets::All, sink);
        failed += u32::from(result.is_err());
        let time = begin.elapsed();
        if time > Duration::from_secs(10) {
            println!("{path}: copy {number} took {time:.2?}");
        }
        longest = longest.max(time);
    }
    let panics = PANICS.load(Ordering::Relaxed);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let peak = peak.trim();
    println!("{kind:?}\t{count}\t{failed}\t{panics}\t{}\t{peak}\t{path}", longest.as_millis());
}
