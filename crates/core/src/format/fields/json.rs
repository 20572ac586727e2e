//! Cuts JSON: one document, or an object on each line.

use super::{Inside, Run};
use memchr::memchr3;

/// Maximum number of open containers that are kept, and of bytes of a key and of a path.
const DEEPEST: usize = 512;
const LONGEST_NAME: usize = 128;
const LONGEST_PATH: usize = 512;

/// The bit of an array on the stack. The others are the length of its path.
const ARRAY: u16 = 1 << 15;

pub(super) fn cut(run: &mut Run<'_>) {
    while run.at < run.end {
        if run.place.inside == Inside::Quoted {
            quoted(run);
            continue;
        }
        let (at, bytes) = (run.at, run.bytes);
        run.at += 1;
        match bytes[at] {
            b'"' => string(run, at),
            b':' => run.place.next = 1,
            b',' => {
                run.place.next = 0;
                run.place.path.truncate(container(run).0);
            }
            b'{' => {
                object(run, at);
                push(run, 0);
            }
            b'[' => push(run, ARRAY),
            b'}' | b']' => pop(run),
            b'\n' => recover(run, at),
            _ => {}
        }
    }
}

/// The length of the path of the innermost container, and whether it is an array.
fn container(run: &Run<'_>) -> (usize, bool) {
    let last = run.place.stack.last().copied().unwrap_or_default();
    (usize::from(last & !ARRAY), last & ARRAY != 0)
}

fn push(run: &mut Run<'_>, kind: u16) {
    run.place.next = 0;
    match run.place.stack.len() < DEEPEST {
        true => run.place.stack.push(run.place.path.len() as u16 | kind),
        false => run.place.depth = run.place.depth.saturating_add(1),
    }
}

fn pop(run: &mut Run<'_>) {
    run.place.next = 0;
    match run.place.depth.checked_sub(1) {
        Some(depth) => run.place.depth = depth,
        None => {
            run.place.path.truncate(container(run).0);
            run.place.stack.pop();
        }
    }
}

/// Begins a record, if the object is one.
fn object(run: &mut Run<'_>, at: usize) {
    let path = &run.place.path;
    if path.is_empty() {
        run.place.is_wrapped = false;
        return run.begin(at, b"");
    }
    let is_listed = container(run).1;
    let is_record =
        is_listed && run.cutter.format.row().begin.iter().any(|known| path == known.as_bytes());
    // The object around the first of them was taken for a record.
    if is_record && core::mem::replace(&mut run.place.is_wrapped, true) {
        run.begin(at, b"");
    }
}

/// Reads a key, or the beginning of a value.
fn string(run: &mut Run<'_>, at: usize) {
    let (len, is_array) = container(run);
    let is_key = !run.place.stack.is_empty() && !is_array && run.place.next == 0;
    if !is_key {
        run.place.inside = Inside::Quoted;
        if let Some(rule) = rule(run) {
            run.open(rule, at + 1);
        }
        return;
    }
    run.place.path.truncate(len);
    let rest = &run.bytes[at + 1..run.bytes.len().min(at + 1 + LONGEST_NAME)];
    match rest.iter().position(|b| matches!(b, b'"' | b'\\')) {
        Some(end) if rest[end] == b'"' && len + end < LONGEST_PATH => {
            if len > 0 {
                run.place.path.push(b'.');
            }
            run.place.path.extend_from_slice(&rest[..end]);
            run.at = at + 1 + end + 1;
        }
        _ => {
            // No rule has this key.
            run.place.path.push(0);
            run.place.inside = Inside::Quoted;
        }
    }
}

/// The rule of the value that comes next.
fn rule(run: &Run<'_>) -> Option<usize> {
    let path = &run.place.path[..];
    let begin = run.cutter.format.row().begin.iter();
    let within = |outer: &&str| path.strip_prefix(outer.as_bytes())?.strip_prefix(b".");
    let inner = begin.filter_map(within).min_by_key(|inner| inner.len()).unwrap_or(path);
    let is_in = |path: &[u8], name: &[u8]| {
        let is_same = path.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        is_same && matches!(path.get(name.len()), None | Some(b'.'))
    };
    run.cutter.rules.all.iter().position(|rule| {
        let name = rule.name.as_bytes();
        is_in(inner, name) || is_in(path, name)
    })
}

/// Reads to the end of a string.
fn quoted(run: &mut Run<'_>) {
    let Some(at) = run.next(|bytes| memchr3(b'"', b'\\', b'\n', bytes)) else {
        run.at = run.end;
        return;
    };
    run.at = at + 1;
    match run.bytes[at] {
        b'"' => {
            run.close(at);
            run.place.inside = Inside::Between;
        }
        b'\\' => run.at = at + 2,
        _ => recover(run, at),
    }
}

/// Begins a new document after the line end `at` if each line is one, and the one before it was cut.
fn recover(run: &mut Run<'_>, at: usize) {
    let is_inside = run.place.inside == Inside::Quoted || !container(run).1;
    if run.cutter.has_lines && is_inside && run.bytes[at + 1..].starts_with(b"{\"") {
        run.close(at);
        (run.place.inside, run.place.next, run.place.depth) = (Inside::Between, 0, 0);
        run.place.stack.clear();
        run.place.path.clear();
    }
}
