//! The oracle: finds keys named EIDR and their values by definition, without a cursor.
//!
//! It examines every position, and splits the text there in every possible way into a name, a
//! separator and values, each judged as a whole. Only `each_in` defines bare values.

use super::{EidrValue, LOOKAHEAD, each_in};

const WORDS: &str = "id ids identifier identifiers number numbers no code codes value values suffix \
                     compact binary hex base64 base64url list";
const QUOTES: [&str; 4] = ["\"", "'", "&quot;", "&#34;"];

/// Reports the same as [`super::Keys::each`] for all of `bytes`, in the order of the keys.
pub(super) fn each(bytes: &[u8], visit: &mut impl FnMut(EidrValue)) {
    for at in 0..bytes.len() {
        let text = &bytes[at..bytes.len().min(at + LOOKAHEAD)];
        // One character for each byte.
        let text: String = text.iter().map(|&b| char::from(b)).collect();
        let before = at.checked_sub(1).map(|at| char::from(bytes[at]));
        let ends = text.char_indices().map(|(i, _)| i).chain([text.len()]).take(64);
        let is_whole = |end: &usize| !text[*end..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if let Some(end) = ends.filter(is_whole).filter(|&end| is_name(before, &text[..end])).last()
        {
            let is_cut = text.chars().count() == LOOKAHEAD;
            after_name(&text[end..], is_cut, visit);
        }
    }
}

fn is_name(before: Option<char>, name: &str) -> bool {
    let Some(rest) = ["eidr", "EIDR", "Eidr"].iter().find_map(|word| name.strip_prefix(word))
    else {
        return false;
    };
    let begins = match before {
        Some('a'..='z') => name.starts_with('E'),
        Some('A'..='Z') => false,
        _ => true,
    };
    let is_word = |word: &str| WORDS.split(' ').any(|known| known.eq_ignore_ascii_case(word));
    let mut words = rest.split(['_', '-', '.', ' ']);
    let glued = words.next().unwrap_or_default();
    let count = words.clone().count() + usize::from(!glued.is_empty());
    let is_first = glued.is_empty() || glued.eq_ignore_ascii_case("s") || is_word(glued);
    begins && is_first && words.all(is_word) && count <= 3
}

fn after_name(text: &str, is_cut: bool, visit: &mut impl FnMut(EidrValue)) {
    let quote = quote_of(text, true);
    let behind = skip_blanks(&text[quote.map_or(0, str::len)..]);
    match ["=>", "=", ":"].iter().find_map(|mark| behind.strip_prefix(mark)) {
        Some(value) => after_mark(skip_blanks(value), quote, is_cut, visit),
        None => in_element(text, visit),
    }
}

fn skip_blanks(text: &str) -> &str {
    let blanks = text.chars().take(16).take_while(char::is_ascii_whitespace).count();
    &text[blanks..]
}

/// Returns the quote at the start of `text`.
fn quote_of(text: &str, may_double: bool) -> Option<&str> {
    if may_double && text.starts_with("\"\"") {
        return Some(&text[..2]);
    }
    let one = |escapes: usize| {
        let rest = text.get(escapes..)?;
        let known = QUOTES.iter().find(|quote| rest.starts_with(**quote))?;
        let is_plain = escapes == 0 || known.len() == 1;
        is_plain.then_some(&text[..escapes + known.len()])
    };
    one(text.chars().take(7).take_while(|&c| c == '\\').count())
}

fn after_mark(text: &str, quote: Option<&str>, is_cut: bool, visit: &mut impl FnMut(EidrValue)) {
    let opened = |text: &str| match quote {
        Some(quote) => text.starts_with(quote).then(|| quote.to_owned()),
        None => quote_of(text, false).map(str::to_owned),
    };
    if let Some(array) = text.strip_prefix('[') {
        let mut rest = skip_blanks(array);
        while let Some(quote) = opened(rest) {
            let Some((value, behind)) = until(&rest[quote.len()..], &quote) else { return };
            judge(value, visit);
            let Some(next) = skip_blanks(behind).strip_prefix(',') else { return };
            rest = skip_blanks(next);
        }
        return;
    }
    let text = skip_blanks(text);
    let closed = if let Some(quote) = opened(text) {
        until(&text[quote.len()..], &quote)
    } else if let Some(inner) = text.strip_prefix("{{") {
        until(inner, "}}")
    } else if let Some(inner) = text.strip_prefix('{') {
        until(inner, "}")
    } else {
        return bare(text, is_cut, visit);
    };
    if let Some((value, _)) = closed {
        judge(value, visit);
    }
}

/// Returns the text before `close` and the text after it, if no other delimiter comes first.
fn until<'a>(text: &'a str, close: &str) -> Option<(&'a str, &'a str)> {
    let end = text.find(['"', '\'', '\\', '<', '>', '{', '}', '[', ']', '&']).unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    Some((value, rest.strip_prefix(close)?))
}

fn in_element(text: &str, visit: &mut impl FnMut(EidrValue)) {
    let Some((attributes, content)) = text.split_once('>') else { return };
    let has_space = attributes.starts_with(|c: char| c.is_ascii_whitespace());
    let is_tag = attributes.is_empty()
        || (has_space || quote_of(attributes, false).is_some()) && !attributes.ends_with('/');
    let is_long = attributes.chars().count() >= 128;
    if !is_tag || is_long || attributes.contains(['<', '\r', '\n']) {
        return;
    }
    let content = skip_blanks(content);
    let closed = match content.strip_prefix("<![CDATA[") {
        Some(data) => until(data, "]]>"),
        None => until(content, "<"),
    };
    if let Some((value, _)) = closed {
        judge(value, visit);
    }
}

fn bare(text: &str, is_cut: bool, visit: &mut impl FnMut(EidrValue)) {
    let is_end = |c: char| c.is_ascii_whitespace() || "\"'\\<>{}[]&,;|)".contains(c);
    let value = match text.find(is_end) {
        None if is_cut => return,
        end => &text[..end.unwrap_or(text.len())],
    };
    judge(value.strip_suffix('.').unwrap_or(value), &mut |found| {
        if found != EidrValue::WrongShape {
            visit(found);
        }
    });
}

fn judge(value: &str, visit: &mut impl FnMut(EidrValue)) {
    let bytes: Vec<u8> = value.chars().map(|c| c as u8).collect();
    each_in(&bytes, visit);
}
