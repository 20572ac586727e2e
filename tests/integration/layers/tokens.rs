//! Rust source as tokens: just enough of the lexical grammar to tell code from
//! comments, strings, characters and lifetimes.

/// A token: a word, `::`, `!`, or another single character. Literals and
/// lifetimes leave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) text: String,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c == '_' || c.is_alphabetic())
    }
}

/// The tokens of `source`.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let line = 1 + source[..source.len() - rest.len()].matches('\n').count();
        let (length, is_code) = next(rest, first);
        if is_code {
            let text = rest[..length].trim_start_matches("r#").to_owned();
            tokens.push(Token { line, text });
        }
        rest = &rest[length..];
    }
    tokens
}

/// The names of the modules that are declared in `tokens`.
pub(super) fn modules(tokens: &[Token]) -> Vec<String> {
    let pairs = tokens.windows(2).filter(|pair| pair[0].is("mod") && pair[1].is_word());
    pairs.map(|pair| pair[1].text.clone()).collect()
}

/// How long the token or gap is that `rest` begins with, and whether it is code.
fn next(rest: &str, first: char) -> (usize, bool) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), false);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), false);
    }
    if let Some(length) = string(rest).or_else(|| character(rest)) {
        return (length, false);
    }
    if first == '_' || first.is_alphanumeric() || rest.starts_with("r#") {
        let skip = if rest.starts_with("r#") { 2 } else { 0 };
        return (skip + word(&rest[skip..]), !first.is_numeric());
    }
    if rest.starts_with("::") {
        return (2, true);
    }
    (first.len_utf8(), !first.is_whitespace())
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len())
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// `"…"`, `b"…"`, `c"…"`, `r#"…"#`, `br"…"`, `cr"…"`.
fn string(rest: &str) -> Option<usize> {
    let body = rest.trim_start_matches(['b', 'c']);
    let prefix = rest.len() - body.len();
    if prefix > 1 {
        return None;
    }
    if let Some(raw) = body.strip_prefix('r') {
        let text = raw.trim_start_matches('#');
        let hashes = &raw[..raw.len() - text.len()];
        let inside = text.strip_prefix('"')?;
        let end = format!("\"{hashes}");
        let closed = inside.find(&end).map_or(inside.len(), |at| at + end.len());
        return Some(rest.len() - inside.len() + closed);
    }
    let inside = body.strip_prefix('"')?;
    Some(rest.len() - inside.len() + closing(inside, '"'))
}

/// Behind the first `quote` that no backslash stands before.
fn closing(inside: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + quote.len_utf8(),
            _ => {}
        }
    }
    inside.len()
}

/// `'x'`, `b'x'`, `'\''`, or a lifetime, `'a`.
fn character(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix("b'").or_else(|| rest.strip_prefix('\''))?;
    let start = rest.len() - inside.len();
    let mut chars = inside.chars();
    let first = chars.next()?;
    if first == '\\' || chars.next() == Some('\'') {
        return Some(start + closing(inside, '\''));
    }
    Some(start + word(inside))
}

#[test]
fn only_code_is_a_token() {
    let rows = [
        ("a::b", "a :: b"),
        ("x /* y /* z */ w */ v", "x v"),
        ("x // y\nz", "x z"),
        (r#"f("a\"b") b"c" g"#, "f ( ) g"),
        (r###"r"a" br#"b"c"# d"###, "d"),
        (r"'a' '\'' '\u{1F600}' b'\\' e", "e"),
        ("fn f<'a>(x: &'static str)", "fn f < > ( x : & str )"),
        ("r#type bread r b", "type bread r b"),
        ("1.5e3 0x1F 'é' é", ". é"),
    ];
    for (source, want) in rows {
        let texts: Vec<_> = tokens(source).into_iter().map(|token| token.text).collect();
        assert_eq!(texts.join(" "), want, "{source}");
    }
}
