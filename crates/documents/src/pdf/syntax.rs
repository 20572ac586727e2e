//! Pieces of the syntax of PDF files (ISO 32000-1, 7.2 and 7.3), where the parser has not read the file yet.

use memchr::memmem;
use std::str::FromStr;

/// Number of bytes within which a file has its header (PDF Reference 1.7, implementation note 13).
const FRONT: usize = 1024;

/// Returns where the header of a PDF file begins in `head`. TeX files have comments that start with `%PDF`. Behind other
/// bytes, an object must follow the header, because texts mention headers.
pub(crate) fn header(head: &[u8]) -> Option<usize> {
    let front = &head[..head.len().min(FRONT + 7)];
    memchr::memchr_iter(b'%', front).find(|at| {
        let version = front[*at..].strip_prefix(b"%PDF-");
        matches!(version, Some([b'1'..=b'9', b'.', b'0'..=b'9', ..]))
            && (*at == 0 || is_object(&head[*at..]))
    })
}

/// Whether an object follows the comments that begin `text`.
fn is_object(mut text: &[u8]) -> bool {
    while let Some(comment) = text.trim_ascii_start().strip_prefix(b"%") {
        let end = comment.iter().position(|b| matches!(b, b'\r' | b'\n'));
        text = &comment[end.unwrap_or(comment.len())..];
    }
    reference(text.trim_ascii_start(), b"obj").is_some()
}

/// Returns the byte of `file` from which its offsets count: of its header, or the first. Bytes in front of a file may
/// have been there when it was written, or not.
pub(super) fn origin(file: &[u8], header: usize) -> usize {
    const MARK: &[u8] = b"startxref";
    let offset = memmem::rfind(file, MARK).and_then(|at| {
        number::<usize>(file[at + MARK.len()..].trim_ascii_start()).map(|(offset, _)| offset)
    });
    let is_table = |begin: usize| {
        let at = offset.and_then(|offset| offset.checked_add(begin));
        let text = at.and_then(|at| file.get(at..)).unwrap_or_default().trim_ascii_start();
        text.starts_with(b"xref") || reference(text, b"obj").is_some()
    };
    if is_table(0) && !is_table(header) { 0 } else { header }
}

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
