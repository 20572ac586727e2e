//! What is written within a word and prints nothing: characters without a width, and the tags of inline elements.

use super::Layer;

/// Elements that divide no words.
const INLINE: [&[u8]; 12] = [
    b"a",
    b"b",
    b"em",
    b"font",
    b"i",
    b"mark",
    b"o:p",
    b"small",
    b"span",
    b"strong",
    b"text:span",
    b"u",
];

/// Maximum number of characters of a tag after its name.
const MAX_TAG: usize = 256;

/// Maximum number of characters without a width, and of tags, in one place.
const MAX_HIDDEN: usize = 8;

/// Whether the character `code` has no width and is not part of any name: U+200B, U+00AD, the marks of text direction.
pub fn has_no_width(code: u32) -> bool {
    matches!(code, 0xad | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060 | 0x2066..=0x2069 | 0xfeff)
}

/// Returns the place after the tag of an inline element at `at` of `layer`.
pub fn tag(layer: &impl Layer, at: usize) -> Option<usize> {
    let open = layer.at(at).filter(|c| c.is(b'<') && !c.literal)?;
    let start = layer.spells(open.next, b"/").unwrap_or(open.next);
    let mut place = INLINE.iter().find_map(|name| end_of_name(layer, start, name))?;
    for _ in 0..MAX_TAG {
        let c = layer.at(place).filter(|c| !c.is(b'<'))?;
        place = c.next;
        if c.is(b'>') {
            return Some(place);
        }
    }
    None
}

/// Returns the place after the whole `name` of an element at `at`, in upper or lower case.
fn end_of_name(layer: &impl Layer, at: usize, name: &[u8]) -> Option<usize> {
    let end = name.iter().try_fold(at, |place, byte| {
        let c = layer.at(place)?;
        c.ascii().filter(|found| found.eq_ignore_ascii_case(byte)).map(|_| c.next)
    })?;
    let next = layer.at(end)?.ascii()?;
    (next.is_ascii_whitespace() || matches!(next, b'>' | b'/')).then_some(end)
}

/// Returns the place after the characters without a width and the tags at `at` of `layer`, and whether there is a tag.
/// `None` if there are none.
pub fn hidden(layer: &impl Layer, at: usize) -> Option<(usize, bool)> {
    let (mut place, mut has_tag) = (at, false);
    for _ in 0..MAX_HIDDEN {
        match layer.at(place) {
            // A line end within an address, which is percent-encoded.
            Some(c)
                if has_no_width(c.code) || c.literal && matches!(c.code, 0x0a | 0x0d | 0xa0) =>
            {
                place = c.next;
            }
            _ => match tag(layer, place) {
                Some(next) => (place, has_tag) = (next, true),
                None => break,
            },
        }
    }
    (place > at).then_some((place, has_tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Text;

    #[test]
    fn what_prints_nothing() {
        for (text, expected) in [
            ("\u{200b}1", Some((3, false))),
            (r"\u200b\u00ad1", Some((12, false))),
            ("&#8203;&shy;1", Some((12, false))),
            ("%E2%80%8B1", Some((9, false))),
            ("%0D%0A1", Some((6, false))),
            ("%A01", Some((3, false))),
            ("%201", None),
            ("<wbr>1", Some((5, false))),
            ("</em>/", Some((5, true))),
            ("<SPAN class=\"a\">\u{200b}</span>1", Some((26, true))),
            (r"\u003cem\u003e1", Some((14, true))),
            ("&lt;/b&gt;1", Some((10, true))),
            ("%3Cb%3E1", None),
            ("<td>1", None),
            ("<b1>1", None),
            ("<b 1", None),
            ("<b <i>1", None),
            ("1", None),
            ("", None),
        ] {
            let layer = Text { bytes: text.as_bytes(), twice: false };
            assert_eq!(hidden(&layer, 0), expected, "{text}");
        }
    }
}
