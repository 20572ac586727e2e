//! The values of fields as text: without the syntax around them, and unescaped.

use super::rows::RecordFormat;
use crate::decode::{Char, Entity, Json, Latex, Layer, Utf8};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use memchr::{memchr, memmem};

impl RecordFormat {
    /// The value of an own field, as found. Returns `None` if the field says that it holds no DOI but another identifier.
    pub fn value(self, raw: &[u8]) -> Option<Cow<'_, [u8]>> {
        Some(match self {
            RecordFormat::Json => decoded(&Json(Utf8(raw)), raw),
            RecordFormat::Bibtex => {
                let value = unbraced(raw);
                let value = decoded(&Latex(Utf8(value)), value);
                Cow::Owned(unbraced(&value).to_vec())
            }
            RecordFormat::Xml => {
                let text = element(raw)?;
                decoded(&Entity(Utf8(text)), text)
            }
            RecordFormat::Marc | RecordFormat::MarcText => subfield(raw)?.into(),
            RecordFormat::Medline => raw.trim_ascii().strip_suffix(b"[doi]")?.trim_ascii().into(),
            _ => {
                // A long value continues on the next line.
                let lines = raw.split(|&b| b == b'\n' || b == b'\r').map(<[u8]>::trim_ascii);
                let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
                lines.concat().into()
            }
        })
    }
}

/// Decodes escapes. Bytes of no character stay as they are.
fn decoded<'a>(text: &impl Layer, raw: &'a [u8]) -> Cow<'a, [u8]> {
    let (mut out, mut at) = (Vec::with_capacity(raw.len()), 0);
    while let Some(Char { code, next, .. }) = text.at(at) {
        match char::from_u32(code) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.extend_from_slice(&raw[at..next.min(raw.len())]),
        }
        at = next;
    }
    out.trim_ascii().to_vec().into()
}

/// A value without the braces and quotes around it.
fn unbraced(mut value: &[u8]) -> &[u8] {
    loop {
        value = value.trim_ascii();
        let inner = match value {
            [b'{', inner @ .., b'}'] | [b'"', inner @ .., b'"'] => inner,
            _ => return value,
        };
        // Not `{a}b{c}`.
        let first = inner.iter().find(|b| matches!(b, b'{' | b'}'));
        if first == Some(&b'}') {
            return value;
        }
        value = inner;
    }
}

/// The text in an element, or that of its attribute `content`.
fn element(raw: &[u8]) -> Option<&[u8]> {
    // In a MARC record the DOI is subfield a.
    let raw = match memmem::find(raw, b"<") {
        Some(_) if memmem::find(raw, b"code=\"a\"").is_some() => {
            let is_other = memmem::find(raw, b"code=\"2\"").is_some_and(|at| !has_doi(&raw[at..]));
            let at = memmem::find(raw, b"code=\"a\"").filter(|_| !is_other)?;
            &raw[at..]
        }
        _ => raw,
    };
    if let Some(at) = memmem::find(raw, b"content=") {
        let value = &raw[at + 8..];
        let quote = *value.first()?;
        return Some(value[1..].split(|&b| b == quote).next().unwrap_or_default());
    }
    // The innermost element has the text.
    let mut texts =
        raw.split(|&b| b == b'<').map(|part| &part[memchr(b'>', part).map_or(0, |end| end + 1)..]);
    Some(texts.find(|text| !text.trim_ascii().is_empty()).unwrap_or_default())
}

/// Subfield a of a field of a library record, unless subfield 2 names another scheme.
fn subfield(raw: &[u8]) -> Option<&[u8]> {
    let mark = if memchr(0x1f, raw).is_some() { 0x1f } else { b'$' };
    let mut value = None;
    for part in raw.split(|&b| b == mark).skip(1) {
        match part.split_first() {
            Some((b'a', text)) => value = value.or(Some(text.trim_ascii_end())),
            Some((b'2', scheme)) if !has_doi(scheme) => return None,
            _ => {}
        }
    }
    value.map(|text| text.strip_suffix(b"\x1e").unwrap_or(text))
}

fn has_doi(text: &[u8]) -> bool {
    text.windows(3).any(|word| word.eq_ignore_ascii_case(b"doi"))
}
