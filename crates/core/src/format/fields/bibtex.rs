//! Cuts BibTeX: `@article{key, doi = {10.1000/182}, …}`.

use super::{Inside, LONGEST_KEY, Run, is_named};
use memchr::{memchr, memchr_iter, memchr3};

/// Entries without fields.
const OTHERS: [&str; 3] = ["comment", "string", "preamble"];

/// The longest name of a field.
const LONGEST_NAME: usize = 64;

/// The length of the beginning of an entry, `@article{`, and whether it has fields.
pub(super) fn entry(text: &[u8]) -> Option<(usize, bool)> {
    let name = text.strip_prefix(b"@")?;
    let len = name.iter().take(LONGEST_NAME).take_while(|b| b.is_ascii_alphabetic()).count();
    let blanks =
        name[len..].iter().take(LONGEST_NAME).take_while(|b| b.is_ascii_whitespace()).count();
    let is_open = matches!(name.get(len + blanks), Some(b'{' | b'('));
    (len > 0 && is_open).then(|| (len + blanks + 2, !is_named(&name[..len], &OTHERS)))
}

pub(super) fn cut(run: &mut Run<'_>) {
    while run.at < run.end {
        match (run.place.depth, run.place.inside) {
            (0, _) => match run.next(|bytes| memchr(b'@', bytes)) {
                Some(at) => {
                    run.at = at;
                    begin(run);
                }
                None => run.at = run.end,
            },
            (1, Inside::Between) => fields(run),
            _ => value(run),
        }
    }
}

/// Reads the beginning of an entry.
fn begin(run: &mut Run<'_>) {
    let (at, bytes) = (run.at, run.bytes);
    let Some((len, has_fields)) = entry(&bytes[at..]) else {
        run.at += 1;
        return;
    };
    run.close(at);
    let rest = &bytes[at + len..bytes.len().min(at + len + LONGEST_KEY)];
    let end = rest.iter().position(|b| matches!(b, b',' | b'\n' | b'}' | b'=')).unwrap_or(0);
    if has_fields {
        run.begin(at, &rest[..end]);
    }
    // A key may have any character but a comma.
    run.at = at + len + if has_fields && rest.get(end) == Some(&b',') { end } else { 0 };
    (run.place.depth, run.place.inside) =
        (1, if has_fields { Inside::Between } else { Inside::Within });
}

/// Reads what stands between the fields of an entry.
fn fields(run: &mut Run<'_>) {
    let (at, bytes) = (run.at, run.bytes);
    run.at += 1;
    match bytes[at] {
        b'{' => run.place.depth = 2,
        b'"' => run.place.inside = Inside::Quoted,
        b'}' | b')' => {
            run.close(at);
            run.place.depth = 0;
        }
        b',' => run.close(at),
        b'@' if is_new_entry(run, at) => {
            run.at = at;
            begin(run);
        }
        byte if byte.is_ascii_alphabetic() && run.place.field.is_none() => {
            let rest = &bytes[at..bytes.len().min(at + LONGEST_NAME)];
            let is_name = |b: &&u8| {
                b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.' | b'+')
            };
            let len = rest.iter().take_while(is_name).count();
            let blanks = rest[len..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            if rest.get(len + blanks) != Some(&b'=') {
                run.at = at + len;
            } else if let Some(rule) = run.cutter.rules.named(&rest[..len]) {
                run.at = at;
                run.open(rule, at + len + blanks + 1);
                run.at = at + len + blanks + 1;
            } else {
                run.at = at + len + blanks + 1;
            }
        }
        _ => {}
    }
}

/// Reads to the next brace or quote of a value.
fn value(run: &mut Run<'_>) {
    let is_quoted = run.place.inside == Inside::Quoted;
    let quote = if is_quoted { b'"' } else { b'@' };
    let Some(at) = run.next(|bytes| memchr3(b'{', b'}', quote, bytes)) else {
        run.at = run.end;
        return;
    };
    run.at = at + 1;
    match run.bytes[at] {
        b'{' => run.place.depth = run.place.depth.saturating_add(1),
        b'}' => {
            run.place.depth -= 1;
            // A brace that was never opened ends the entry.
            if run.place.depth == 0 {
                run.close(at);
                run.place.inside = Inside::Between;
            }
        }
        b'"' if run.place.depth == 1 => run.place.inside = Inside::Between,
        b'@' if is_new_entry(run, at) => {
            run.at = at;
            begin(run);
        }
        _ => {}
    }
}

/// Whether an entry begins at the beginning of the line `at`, although the one before it has not ended: a brace is missing there.
fn is_new_entry(run: &Run<'_>, at: usize) -> bool {
    let is_line = at == 0 || matches!(run.bytes[at - 1], b'\n' | b'\r');
    is_line
        && entry(&run.bytes[at..]).is_some_and(|(len, has_fields)| {
            let rest = &run.bytes[at + len..run.bytes.len().min(at + len + LONGEST_KEY)];
            let end = memchr_iter(b'\n', rest).next().unwrap_or(rest.len());
            has_fields && memchr(b',', &rest[..end]).is_some()
        })
}
