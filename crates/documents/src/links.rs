//! Addresses of hyperlinks.

/// Whether `text`, in lower case, has the name in the address `link`, without a line end in it.
pub(crate) fn has_name(text: &str, link: &str) -> bool {
    let link = link.to_lowercase();
    let Some(at) = link.find("10.") else { return false };
    let name = &link[at..];
    text.match_indices(name).any(|(at, _)| {
        let next = text[at + name.len()..].chars().next();
        next.is_none_or(|c| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ')' | ']'))
    })
}
