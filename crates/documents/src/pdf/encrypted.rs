//! Decrypts object streams before a file is parsed, to count what they unpack to. The parser decrypts
//! them, each in a small file that has the encryption of the whole one.

use super::syntax::{Id, after_hexadecimal, after_string, reference};
use crate::guarded;
use hayro_syntax::Pdf;
use hayro_syntax::object::{ObjectIdentifier, Stream};
use memchr::memmem;

/// How a file is encrypted.
pub(super) struct Encryption<'f> {
    dictionary: &'f [u8],
    /// The first identifier of the file, with its brackets.
    file: &'f [u8],
}

impl<'f> Encryption<'f> {
    /// Returns the encryption of `file`, if there can be no other: each trailer has the same.
    pub(super) fn of(file: &'f [u8]) -> Option<Self> {
        let behind = |key: &'static [u8]| {
            memmem::find_iter(file, key).map(move |at| file[at + key.len()..].trim_ascii_start())
        };
        let values = behind(b"/Encrypt").filter(|rest| !rest.starts_with(b"Metadata"));
        let dictionary = only(values.map(|rest| match rest {
            [b'<', ..] => dictionary(rest),
            _ => dictionary(object(file, reference(rest, b"R")?)?),
        }))??;
        let names = behind(b"/ID").filter_map(|rest| rest.strip_prefix(b"["));
        let id = only(names.map(|rest| first_string(rest.trim_ascii_start())));
        Some(Encryption { dictionary, file: id.flatten().unwrap_or(b"()") })
    }

    /// Decrypts the data of the stream `id`.
    pub(super) fn decrypt(&self, id: Id, data: &[u8]) -> Option<Vec<u8>> {
        let pages = id.0.checked_add(1)?;
        let root = pages.checked_add(1)?;
        let mut out = b"%PDF-1.7\n".to_vec();
        let mut table = String::new();
        let mut add = |(number, generation): Id, parts: &[&[u8]]| {
            let at = out.len();
            table.push_str(&format!("{number} 1\n{at:010} {generation:05} n \n"));
            out.extend(format!("{number} {generation} obj\n").bytes());
            parts.iter().for_each(|part| out.extend_from_slice(part));
            out.extend(b"\nendobj\n");
        };
        let begin = format!("<</Length {}>>\nstream\n", data.len());
        add(id, &[begin.as_bytes(), data, b"\nendstream"]);
        add((pages, 0), &[b"<</Type/Pages/Kids[]/Count 0>>"]);
        add((root, 0), &[format!("<</Type/Catalog/Pages {pages} 0 R>>").as_bytes()]);
        let at = out.len();
        let trailer = format!(
            "xref\n{table}trailer\n<</Size {}/Root {root} 0 R/Encrypt ",
            root.checked_add(1)?
        );
        let end = format!("()]>>\nstartxref\n{at}\n%%EOF\n");
        let parts = [trailer.as_bytes(), self.dictionary, b"/ID[", self.file, end.as_bytes()];
        out.extend(parts.concat());
        let pdf = guarded(|| Pdf::new(out))?.ok()?;
        guarded(|| {
            let stream: Stream<'_> = pdf.xref().get(ObjectIdentifier::new(id.0, id.1))?;
            Some(stream.raw_data().into_owned())
        })?
    }
}

/// Returns what follows the beginning of the object `id`, if there is one.
fn object(file: &[u8], id: Id) -> Option<&[u8]> {
    let number = id.0.to_string();
    only(memmem::find_iter(file, number.as_bytes()).filter_map(|at| {
        let is_number = at == 0 || !file[at - 1].is_ascii_digit();
        (is_number && reference(&file[at..], b"obj") == Some(id)).then_some(&file[at..])
    }))
    .and_then(|text| Some(text[memmem::find(text, b"obj")? + 3..].trim_ascii_start()))
}

/// Returns the dictionary that begins `text`.
fn dictionary(text: &[u8]) -> Option<&[u8]> {
    let (mut rest, mut depth) = (text.strip_prefix(b"<<")?, 1u32);
    while depth > 0 {
        rest = match rest {
            [b'<', b'<', rest @ ..] => {
                depth += 1;
                rest
            }
            [b'>', b'>', rest @ ..] => {
                depth -= 1;
                rest
            }
            [b'<', rest @ ..] => after_hexadecimal(rest)?,
            [b'(', rest @ ..] => after_string(rest)?,
            [_, rest @ ..] => rest,
            [] => return None,
        };
    }
    Some(&text[..text.len() - rest.len()])
}

/// Returns the value that all of `values` are.
fn only<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Returns the string that begins `text`, with its brackets.
fn first_string(text: &[u8]) -> Option<&[u8]> {
    let rest = match text {
        [b'<', rest @ ..] => after_hexadecimal(rest)?,
        [b'(', rest @ ..] => after_string(rest)?,
        _ => return None,
    };
    Some(&text[..text.len() - rest.len()])
}
