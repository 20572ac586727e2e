//! Markers before a DOI: `doi:`, resolver addresses, field labels.

use crate::doi::notation::{
    LABELS, strip_label, strip_last as strip_word, strip_resolver, strip_slash,
};

/// Whether `before` ends in the word `doi`, or in the host of the resolver without its slash, glued to the name:
/// `https://doi.org10.1037/…`.
pub(super) fn is_glued(before: &[u8]) -> bool {
    let rest = strip_word(before, b"doi").or_else(|| strip_word(before, b"doi.org"));
    rest.is_some_and(|rest| match rest {
        [.., b'\\', b'n' | b'r' | b't'] | [.., b'%', b'2', b'C' | b'c'] => true,
        _ => !rest.last().is_some_and(u8::is_ascii_alphabetic),
    })
}

/// Whether `rest` begins with a marker: `doi:`, `doi/`, `doi.org`.
pub(super) fn begins(rest: &[u8]) -> bool {
    let marks = |mark: &u8| matches!(mark, b':' | b'/' | b'.' | b'\\');
    rest.get(3).is_some_and(marks) && rest[..3].eq_ignore_ascii_case(b"doi")
}

/// Whether a registrant of two or three digits is accepted: a mark announces the DOI, or a word in its line. The word in
/// the line above may be the header of a column, or another cell.
pub(super) fn is_marked_in_line(before: &[u8]) -> bool {
    let is_blank = |b: &u8| b.is_ascii_whitespace() || b"\"'".contains(b);
    let blanks = before.iter().rev().take(8).take_while(|b| is_blank(b)).count();
    let (label, blanks) = before.split_at(before.len() - blanks);
    is_marked(before) && !(blanks.contains(&b'\n') && strip_word(label, b"doi").is_some())
}

/// Whether the text before the name announces a DOI: `doi:10.123/x`, `doi = {10.123/x`, `<doi>10.123/x`.
pub(super) fn is_marked(before: &[u8]) -> bool {
    if let Some(rest) = strip_slash(before) {
        return strip_word(rest, b"doi").is_some() || strip_word(rest, b"doi.org").is_some();
    }
    let is_filler = |b: &u8| b.is_ascii_whitespace() || b":=\"'{>\\|([".contains(b);
    let filler = before.iter().rev().take(8).take_while(|b| is_filler(b)).count();
    strip_word(&before[..before.len() - filler], b"doi").is_some()
}

/// Whether `before` ends in `doi:`, `DOI `, a resolver address, also with a blank after it, or the path `/doi/` of a
/// page.
pub(super) fn is_address(before: &[u8]) -> bool {
    // Programs that write Markdown set such names as code.
    let before = before.strip_suffix(b"`").unwrap_or(before);
    let address = before.strip_suffix(b" ").unwrap_or(before);
    let is_marked = strip_resolver(address).is_some() || strip_label(before).is_some();
    is_marked || before.ends_with(b"/doi/") || is_spaced(before) || is_divided(before, trim_hidden)
}

/// Returns `before` without zero-width spaces at its end.
fn trim_hidden(mut before: &[u8]) -> &[u8] {
    while let Some(rest) = before.strip_suffix("\u{200b}".as_bytes()) {
        before = rest;
    }
    before
}

/// Whether `before` ends in the address of the resolver with blanks or line ends around its marks: `doi. org/ `,
/// `doi . org / `.
pub(super) fn is_spaced(before: &[u8]) -> bool {
    let is_plain = || strip_word(before.trim_ascii_end(), b"doi.org/").is_some();
    !is_plain() && is_divided(before, <[u8]>::trim_ascii_end)
}

/// Whether `before` ends in the address of the resolver with what `trim` leaves out around its marks.
fn is_divided(before: &[u8], trim: fn(&[u8]) -> &[u8]) -> bool {
    let parts: [&[u8]; 4] = [b"/", b"org", b".", b"doi"];
    parts.iter().try_fold(before, |rest, part| strip_word(trim(rest), part)).is_some()
}

/// Whether `before` ends in the path of an address of a page: of a host that is no resolver, or
/// relative to one, also if it is escaped.
pub(super) fn is_in_path(before: &[u8]) -> bool {
    let is_part = |b: &&u8| b.is_ascii_graphic() && !b"\"'<>()[]{}|,;?".contains(b);
    let len = before.iter().rev().take_while(is_part).count();
    let run = &before[before.len() - len..];
    let has_path = memchr::memchr(b'/', run).is_some_and(|at| at + 1 < run.len());
    let is_open = run.ends_with(b"/") || is_encoded(before);
    has_path && is_open && strip_resolver(run).is_none()
}

/// Whether `before` ends in a delimiter that is percent-encoded once or twice. If so, the address
/// around the name is encoded inside another one.
pub(super) fn is_encoded(before: &[u8]) -> bool {
    let ([.., b'%', a, b] | [.., b'%', b'2', b'5', a, b]) = before else { return false };
    matches!([*a, b.to_ascii_uppercase()], [b'2', b'F' | b'2' | b'6'] | [b'3', b'A' | b'D' | b'F'])
}

/// Whether `before` ends in `urn:doi:` or `urn:eidr:`, after which a colon separates prefix and
/// suffix.
pub(super) fn is_urn(before: &[u8]) -> bool {
    let urns = LABELS.iter().filter(|row| row.text.starts_with("urn:"));
    { urns }.any(|row| strip_word(before, row.text.as_bytes()).is_some())
}

/// Whether `before` ends in `:eidr-u:`, after which an underscore separates prefix and suffix (EIDR
/// identifier formats, section 3).
pub(super) fn is_underscored(before: &[u8]) -> bool {
    strip_word(before, b":eidr-u:").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_pages() {
        for (before, expected) in [
            ("https://onlinelibrary.wiley.com/doi/", true),
            ("href=\"/doi/", true),
            ("app.aip.org/1/2/", true),
            ("\"/api/v2/datasets/doi%3A", true),
            ("https://doi.org/", false),
            ("https:\\/\\/doi.org\\/", false),
            ("https://a.org/x?u=https%3A%2F%2Fdoi.org%2F", false),
            ("https://a.org/https%3A%2F%2Fdoi.org%2F", true),
            ("https://a.org/x?doi=", false),
            ("https://a.org/login?url=https://b.org/view/", true),
            ("https:\\/\\/b.org\\/doi\\/", true),
            ("https://a.org/url?q=https%3A%2F%2Fb.org%2Fx%3Fdoi%3D", false),
            ("https://a.org/doi:", false),
            ("doi/", false),
            ("see ", false),
            ("", false),
        ] {
            assert_eq!(is_in_path(before.as_bytes()), expected, "{before}");
        }
    }

    #[test]
    fn marked() {
        for before in
            ["doi:", "DOI ", "doi = {", "\"DOI\": \"", "<doi>", "https://doi.org/", "|doi=", "doi/"]
        {
            assert!(is_marked(before.as_bytes()), "{before}");
        }
        for filler in " \t\n:=\"'{>\\|([".chars() {
            assert!(is_marked(format!("doi{filler}").as_bytes()), "{filler:?}");
        }
        assert!(is_marked(b"doi        ") && !is_marked(b"doi         "));
        for filler in ")]}<,;.-_".chars() {
            assert!(!is_marked(format!("doi{filler}").as_bytes()), "{filler:?}");
        }
        for before in ["", "see ", "rated ", "https://example.org/", "version="] {
            assert!(!is_marked(before.as_bytes()), "{before}");
        }
    }
}
