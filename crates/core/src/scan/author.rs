//! Cuts the first word of the next reference that a text glues to a name:
//! `10.1111/psj.12212.Cogley, J.G., R. Hock`.

use super::around::{Around, has_digit};

/// Returns the length of the untrimmed `name`, whose suffix begins at `start`, without the author of
/// the next reference. Pages made of PDF files lose the line end between two references. 273 of
/// 629,067 names end in a full stop and letters after a part with digits. In running text an
/// initial, `and`, `et al` or a year follows none of them.
pub(super) fn glued(around: Around<'_>, name: &[u8], start: usize) -> Option<usize> {
    let follows = around.rest();
    // Nearly every name ends before a blank, a quote or a tag.
    if !matches!(follows.first(), Some(b',' | b' ' | b'\'' | b'&' | 0xc2 | 0xe2)) {
        return None;
    }
    let at = start + name[start..].iter().rposition(|&b| b == b'.')?;
    let is_word =
        name[at + 1..].iter().all(|b| b.is_ascii_alphabetic() || *b == b'-' || !b.is_ascii());
    let read = around.read();
    let word = &read[1 + read.iter().rposition(|&b| b == b'.')?..];
    let is_name = is_word && (is_capital(word) || PARTICLES.contains(&word));
    (is_name && has_digit(&name[start..at]) && leads_on(word, follows)).then_some(at)
}

/// Returns the length of the untrimmed `name`, whose suffix begins at `start`, without the first word of
/// a title: `10.1063/1.456153Gaussian basis sets`, `10.1177/2324709616643990Journal of`.
pub(super) fn title(around: Around<'_>, name: &[u8], start: usize) -> Option<usize> {
    let read = around.read();
    let is_part = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-';
    let word = &read[read.len() - read.iter().rev().take_while(is_part).count()..];
    let is_title =
        matches!(word, [a, b, _, ..] if a.is_ascii_uppercase() && b.is_ascii_lowercase());
    let goes_on = matches!(around.rest(), [b' ', next, ..] if next.is_ascii_alphabetic());
    let len = name.len().checked_sub(word.len()).filter(|&len| len > start)?;
    // A name ends before a bracket that stays open: `10.1111/j.1365-2028.2008.00997.x[Larsen et al.]`.
    let is_end = name[len..].eq_ignore_ascii_case(word);
    let is_glued = is_end && name[len - 1].is_ascii_digit();
    (is_title && goes_on && is_glued).then_some(len)
}

/// Words with small letters in the names of authors and organisations.
const PARTICLES: [&[u8]; 15] = [
    b"van", b"von", b"de", b"der", b"den", b"da", b"di", b"del", b"dos", b"du", b"la", b"le",
    b"el", b"and", b"of",
];

/// Maximum number of further words of an author: `De la Sota`, `American Diabetes Association`.
const MAX_WORDS: usize = 4;

/// Maximum number of bytes after a name that are read, so that the answer does not depend on where the input is cut.
const MAX_REST: usize = 96;

/// Blanks as texts and pages write them.
const BLANKS: [&[u8]; 4] = [b" ", "\u{a0}".as_bytes(), b"&#160;", b"&nbsp;"];

/// Whether `follows`, after the author `word`, continues a reference.
fn leads_on(word: &[u8], follows: &[u8]) -> bool {
    let follows = &follows[..follows.len().min(MAX_REST)];
    // `O’Neill`.
    for quote in ["’".as_bytes(), b"'", b"&#8217;", b"&rsquo;"] {
        if let Some(rest) = follows.strip_prefix(quote) {
            return word.len() == 1
                && matches!(rest, [a, b, ..] if a.is_ascii_uppercase() && b.is_ascii_lowercase());
        }
    }
    // Names in capitals end in letters: 17,768 of 629,067, most of them in one.
    let is_mixed = word.iter().any(u8::is_ascii_lowercase);
    if let Some(rest) = blanks(follows).filter(|_| is_mixed) {
        let is_other = rest.strip_prefix(b"and").and_then(blanks).is_some_and(is_capital);
        if is_other && is_capital(word) {
            return true;
        }
    }
    let (mut rest, mut words) = (follows, 0);
    while words < MAX_WORDS
        && let Some(behind) = blanks(rest).and_then(next_word)
    {
        (rest, words) = (behind, words + 1);
    }
    let Some(rest) = rest.strip_prefix(b",").and_then(blanks) else { return false };
    let is_author = is_mixed && (words > 0 || is_capital(word));
    is_author && is_initial(rest) || is_year(rest) && (is_mixed || word.len() > 1 || words > 0)
}

/// Returns `text` without the blanks at its start, if there are any.
fn blanks(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    while let Some(behind) = BLANKS.iter().find_map(|blank| rest.strip_prefix(*blank)) {
        rest = behind;
    }
    (rest.len() < text.len()).then_some(rest)
}

/// Returns `text` without the word of an author at its start: one with a capital, or a particle.
fn next_word(text: &[u8]) -> Option<&[u8]> {
    let is_part = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-' || !b.is_ascii();
    let (word, rest) = text.split_at(text.iter().take_while(is_part).count());
    (is_capital(word) || PARTICLES.contains(&word)).then_some(rest)
}

/// Whether `word` begins with a capital letter: `Cogley`, `Álvaro`.
fn is_capital(word: &[u8]) -> bool {
    let first = &word[..word.len().min(4)];
    let first = first.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    first.is_some_and(char::is_uppercase)
}

/// Whether `rest` begins with an initial: `J.`, `H.-O.`.
fn is_initial(rest: &[u8]) -> bool {
    matches!(rest, [a, b'.', ..] if a.is_ascii_uppercase())
}

/// Whether `rest` begins with a year and a colon: `2001:`, `2019b:`.
fn is_year(rest: &[u8]) -> bool {
    let Some((year, rest)) = rest.split_first_chunk::<4>() else { return false };
    let rest = rest.strip_prefix(b"a").or(rest.strip_prefix(b"b")).unwrap_or(rest);
    matches!(year[0], b'1' | b'2') && year.iter().all(u8::is_ascii_digit) && rest.starts_with(b":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_title_follows_an_open_bracket() {
        let after = b"10.1039/c5cp00437c[Smith et al.]";
        let around = Around { before: b"", after, stop: Some(b"10.1039/c5cp00437c[Smith".len()) };
        assert_eq!(title(around, b"10.1039/C5CP00437C", 8), None);
    }

    #[test]
    fn titles() {
        for (read, follows, expected) in [
            ("10.1063/1.456153Gaussian", " basis sets", Some(16)),
            ("10.1063/1.2039347Supersonic-jet", " cryogenic", Some(17)),
            ("10.1063/1.456153Gaussian", ".", None),
            ("10.1063/1.456153Gaussian", " 2", None),
            ("10.1192/bjp.200.1.74A", " black", None),
            ("10.1063/1.456153gaussian", " basis", None),
            ("10.1002/jbio.Gaussian", " basis", None),
            ("10.1922/Owens", " and", None),
        ] {
            let after = format!("{read}{follows}");
            let name = read.to_ascii_uppercase();
            let around = Around { before: b"", after: after.as_bytes(), stop: Some(read.len()) };
            let start = 1 + read.find('/').unwrap();
            assert_eq!(title(around, name.as_bytes(), start), expected, "{after}");
        }
    }

    #[test]
    fn authors() {
        for (read, follows, expected) in [
            ("10.1111/psj.12212.Cogley", ", J.G., R. Hock", true),
            ("10.1038/nclimate1745.Hoegh-Guldberg", ", O., D. Jacob", true),
            ("10.1126/science.aap8826.FAO", ", 2001: Glossary", true),
            ("10.1126/science.aap8826.FAO", ", 2001b: Glossary", true),
            ("10.1126/science.aap8826.CPI", " and World Bank, 2021: Glossary", true),
            ("10.1126/science.aap8826.American", " Diabetes Association, 2018: Standards", true),
            ("10.1126/science.aap8826.UN", ", 1992: Agenda", true),
            ("10.1126/science.aap8826.FAO", " Smith, J.", false),
            ("10.1039/c1ee01029h.Wicke", ",&#160;B., and", true),
            ("10.1086/701781.Aarflot", ",  J.M.,  H.R.", true),
            ("10.1039/c8ee03706j.de", " Haas, M., R.", true),
            ("10.1039/c8ee03706j.de", ", M., R.", false),
            ("10.1039/c8ee03706j.De", " la Sota, C., V.J.", true),
            ("10.1039/c8ee03706j.Ramachandran", "\u{a0}Nair, P.K.", true),
            ("10.1038/ngeo2514.Next", " word, J. et al.", false),
            ("10.1039/c8ee03706j.De", &format!(" {}, J. et al.", "Ab".repeat(50)), false),
            ("10.1016/j.x.2011.10.003.Pescaroli", " and Alexander, 2018", true),
            ("10.1007/s10584-013-0905-2.O", "’Neill, B.C.", true),
            ("10.1007/s10584-013-0905-2.O", "&#8217;Neill, B.C.", true),
            ("10.1007/s10584-013-0905-2.O", "’s", false),
            ("10.1075/cf.00072.ing", ", J. and", false),
            ("10.1002/0470020229.Index", ", and", false),
            ("10.1002/0470020229.Index", " and others", false),
            ("10.32614/CRAN.package.Tidymodels", ", J.", false),
            ("10.1016/j.x.2011.10.003", ", J.", false),
            ("10.1111/J.1540-6210.2011.02488.X", ", J. Smith", false),
            ("10.1097/01.TA.0000025322.68435.BE", ", J. Smith", false),
            ("10.1016/j.x.2011.10.G03", ", J.", false),
        ] {
            let after = format!("{read}{follows}");
            let name = read.to_ascii_uppercase();
            let around = Around { before: b"", after: after.as_bytes(), stop: Some(read.len()) };
            let start = 1 + read.find('/').unwrap();
            let kept = read.rfind('.').filter(|_| expected);
            assert_eq!(glued(around, name.as_bytes(), start), kept, "{after}");
        }
    }
}
