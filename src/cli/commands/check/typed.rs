//! DOIs with the errors that people make when they type one.

use doiscan_core::doi::{Doi, fold};

/// Returns the canonical name that the invalid `value` may stand for: without blanks, and with `/`, `.`, `0` and `1`
/// in its prefix where people type `\`, `,`, `O` and `l`. The `10.` or the slash may be missing. The name is a
/// guess, to be looked up in an index.
pub(super) fn likely(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.replace('\\', "/").to_ascii_uppercase();
    let text = ["DOI.ORG/", "DOI:"]
        .iter()
        .find_map(|mark| Some(text.split_once(mark)?.1))
        .unwrap_or(&text);
    let (registrant, suffix) = registrant(text)?;
    let mut name = format!("10.{registrant}/{suffix}").into_bytes();
    Doi::parse(&name).ok()?;
    fold(&mut name);
    Some(name)
}

/// Splits a text into the digits of its registrant and its suffix.
fn registrant(text: &str) -> Option<(String, &str)> {
    let digit = |c: char| match c {
        'O' => Some('0'),
        'L' | 'I' => Some('1'),
        _ => c.is_ascii_digit().then_some(c),
    };
    let head: String = text.chars().take(2).map_while(digit).collect();
    let after = text.get(2..).and_then(|rest| rest.strip_prefix(['.', ',', '/']));
    let rest = after.filter(|_| head == "10").unwrap_or(text);
    let registrant: String = rest.chars().map_while(digit).collect();
    let suffix = rest.get(registrant.len()..)?.strip_prefix(['/', '.', ','])?;
    (registrant.len() >= 4).then_some((registrant, suffix.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_typing_are_undone() {
        for (value, name) in [
            ("10.1038/ nature12373", Some("10.1038/NATURE12373")),
            ("10.1038 /nature12373", Some("10.1038/NATURE12373")),
            ("10,1038/nature12373", Some("10.1038/NATURE12373")),
            ("10.1038\\nature12373", Some("10.1038/NATURE12373")),
            ("1O.1038/nature12373", Some("10.1038/NATURE12373")),
            ("l0.1O38//nature12373", Some("10.1038/NATURE12373")),
            ("1038/nature12373", Some("10.1038/NATURE12373")),
            ("https://doi.org/1038/nature12373", Some("10.1038/NATURE12373")),
            ("doi: 10.1038.nature12373", Some("10.1038/NATURE12373")),
            ("10.1016.j.cell.2020.01.04 2", Some("10.1016/J.CELL.2020.01.042")),
            ("10/1038/nature12373", Some("10.1038/NATURE12373")),
            ("10.38/nature12373", None),
            ("nature12373", None),
            ("10.1038", None),
            ("10.1038/", None),
            ("", None),
            ("1é", None),
        ] {
            let found = likely(value.as_bytes());
            assert_eq!(found.as_deref(), name.map(str::as_bytes), "{value}");
        }
        assert_eq!(likely(b"10.1038/\xff"), None);
    }
}
