//! Cuts underscores that close emphasis and wrapped links: `_https://doi.org/10.1000/182_`,
//! `urldefense.com/v3/__https://doi.org/10.1000/182__;!!`.

/// Returns the length of the untrimmed `name` without underscores at its end, or before the punctuation of the sentence, if one
/// begins a word before the name without a blank. Names may end in an underscore.
pub(super) fn closing(before: &[u8], name: &[u8]) -> Option<usize> {
    let last = name.iter().rposition(|b| !b".,:;!?".contains(b)).filter(|at| name[*at] == b'_')?;
    let word = before.iter().rev().take_while(|b| b.is_ascii_graphic()).count();
    let word = &before[before.len() - word..];
    let open = memchr::memchr(b'_', word)?;
    let is_edge = !word[..open].last().is_some_and(u8::is_ascii_alphanumeric);
    let len = name[..last].iter().rposition(|b| *b != b'_')? + 1;
    is_edge.then_some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_closes() {
        for (before, name, marks) in [
            ("[_https://doi.org/", "10.3390/A_", 1),
            ("at _https://doi.org/", "10.6084/M9.V1_", 1),
            ("/v3/__https://doi.org/", "10.1016/X__", 2),
            ("__", "10.1016/X__", 2),
            ("_Comput J. doi: ", "10.1016/J.C.028_", 0),
            ("a_b:", "10.1016/J.C.028_", 0),
            ("_", "10.1016/J.C.028", 0),
            ("", "10.26615/978-954-452-038-0_", 0),
        ] {
            let expected = (marks > 0).then(|| name.len() - marks);
            assert_eq!(closing(before.as_bytes(), name.as_bytes()), expected, "{before}{name}");
        }
    }
}
