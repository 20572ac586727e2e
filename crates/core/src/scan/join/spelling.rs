//! Names that programs respell.
//!
//! Programs that read the pictures of pages take the numbers of a DOI for mathematics of TeX, in which blanks, braces and
//! the macros of fonts print nothing: `doi: $10.1038 / \mathrm{ng} .3465$`. Filters of mail spell addresses in their own way.

use crate::scan::edit::Edit;
use alloc::vec::Vec;

/// Maximum number of bytes that are respelled.
const MAX_LEN: usize = 256;

/// Macros of fonts.
const FONTS: [&[u8]; 7] =
    [b"mathrm", b"text", b"textrm", b"mathbf", b"mathit", b"mathsf", b"operatorname"];

/// Returns the change that respells the slash and the suffix after the blank at `at`, up to the dollar sign. The suffix may
/// go on after it: `$10.1162 /$ neco.1997.9.8.1735`.
#[cold]
pub(super) fn mathematics(after: &[u8], at: usize) -> Option<Edit> {
    let text = &after[at..after.len().min(at + MAX_LEN)];
    if !text.starts_with(b" ") {
        return None;
    }
    let len = memchr::memchr(b'$', text)?;
    let (mut bytes, mut place) = (Vec::new(), 0);
    while let Some(&byte) = text[..len].get(place) {
        place += 1;
        match byte {
            b' ' | b'{' | b'}' => {}
            b'\\' => {
                let word = &text[place..len];
                let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
                if letters > 0 && !FONTS.contains(&&word[..letters]) {
                    return None;
                }
                place += letters;
            }
            byte if byte.is_ascii_graphic() => bytes.push((byte, at + place)),
            _ => return None,
        }
    }
    let is_open = matches!(bytes[..], [(b'/', _)] | [(b'/', _), .., (b'.' | b'-' | b'/', _)]);
    let blanks = usize::from(is_open && text[len + 1..].starts_with(b" "));
    let is_suffix = bytes.first().is_some_and(|(byte, _)| *byte == b'/');
    is_suffix.then(|| Edit::respell(at..at + len + 1 + blanks, bytes))
}

/// Returns the change that spells the slash and the suffix from the underscore at `at` on as in the address, which a
/// filter of mail (Proofpoint, second version) has put into its own: `?u=https-3A__doi.org_10.1145_2663716.2663755&d=`. A
/// slash is an underscore, and any other mark the hyphen and the digits of its octet.
#[cold]
pub(super) fn defended(before: &[u8], after: &[u8], at: usize) -> Option<Edit> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"._-".contains(b);
    let len = before.iter().rev().take(MAX_LEN).take_while(|b| is_part(b)).count();
    let (front, address) = before.split_at(before.len() - len);
    let is_address = address.starts_with(b"http-3A__") || address.starts_with(b"https-3A__");
    let len = after[at..].iter().take(MAX_LEN).take_while(|b| is_part(b)).count();
    let text = &after[at..at + len];
    if !is_address || !front.ends_with(b"u=") || after.get(at + len) != Some(&b'&') {
        return None;
    }
    let (mut bytes, mut place) = (Vec::new(), 0);
    while let Some(&byte) = text.get(place) {
        let octet = || str::from_utf8(text.get(place + 1..place + 3)?).ok();
        let (byte, taken) = match byte {
            b'_' => (b'/', 1),
            b'-' => (u8::from_str_radix(octet()?, 16).ok()?, 3),
            byte => (byte, 1),
        };
        place += taken;
        bytes.push((byte, at + place));
    }
    Some(Edit::respell(at..at + len, bytes))
}
