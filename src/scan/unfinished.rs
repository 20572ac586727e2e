//! Which names want more: forms that a registrant gives to all of its names, cut short.

/// Whether the folded `name`, whose suffix begins at `start`, is the beginning of a longer one.
pub(super) fn is_unfinished(name: &[u8], start: usize) -> bool {
    let marks = name[start..].iter().rev().take_while(|b| b"./-_:(".contains(b)).count();
    let name = &name[..name.len() - marks];
    let (prefix, suffix) = name.split_at(start);
    // 147 of 580,860 names have no digit.
    let is_stem = !suffix.iter().any(u8::is_ascii_digit);
    is_stem || is_serial(suffix) || is_volume(suffix) || is_form(prefix, suffix)
}

/// Whether `suffix` is the ISSN of a journal (45 of 580,860 names are), with a year in brackets
/// or not, and so the beginning of a SICI: `0012-9658(2003)084`, `0009-2614(80)`.
fn is_serial(suffix: &[u8]) -> bool {
    let suffix = suffix.strip_prefix(b"S").or_else(|| suffix.strip_prefix(b"J.")).unwrap_or(suffix);
    let Some((number, rest)) = suffix.split_first_chunk::<9>() else { return false };
    let [head @ .., b'-', a, b, c, d] = number else { return false };
    let is_digits = head.iter().chain([a, b, c]).all(u8::is_ascii_digit);
    if !is_digits || !(d.is_ascii_digit() || *d == b'X') {
        return false;
    }
    let year = rest.strip_prefix(b"(").unwrap_or_default();
    let digits = year.iter().take_while(|b| b.is_ascii_digit()).count();
    match year.get(digits) {
        _ if rest.is_empty() => true,
        Some(b')') if digits == 2 => year.len() == 3,
        Some(b')') if digits == 4 => memchr::memmem::find(rest, b".CO;2").is_none(),
        _ => false,
    }
}

/// Whether `suffix` ends in a volume and an issue, as 15 names do: `IJDC.V10I1`.
fn is_volume(suffix: &[u8]) -> bool {
    let issue = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let Some(rest) = suffix[..suffix.len() - issue].strip_suffix(b"I") else { return false };
    let volume = rest.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    issue > 0 && volume > 0 && rest[..rest.len() - volume].ends_with(b".V")
}

/// Whether `suffix` is shorter than all those of its registrant: `J.BPJ.2022.11`.
fn is_form(prefix: &[u8], suffix: &[u8]) -> bool {
    let mut parts = suffix.split(|&b| b == b'.');
    let mut next = || parts.next().unwrap_or_default();
    let (first, second, third, fourth, fifth) = (next(), next(), next(), next(), next());
    let is_word = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphabetic);
    let is_year =
        |part: &[u8]| part.len() == 4 && (part.starts_with(b"19") || part.starts_with(b"20"));
    match prefix {
        // 2 of 24,929, none of 1,531, none of 13,903 names.
        b"10.1109/" | b"10.1098/" | b"10.3389/" => {
            is_word(first) && is_year(second) && third.is_empty()
        }
        // 3 of 58,903 names.
        b"10.1016/" => {
            first == b"J"
                && is_word(second)
                && is_year(third)
                && fourth.len() <= 2
                && fifth.is_empty()
        }
        // 1 of 9,787 names.
        b"10.1111/" => first == b"J" && second.len() == 9 && is_year(third) && fourth.is_empty(),
        b"10.1371/" => first == b"JOURNAL" && third.len() < 7,
        b"10.1523/" => first == b"JNEUROSCI" && third.is_empty(),
        b"10.1101/" => is_year(first) && third.len() <= 2 && fourth.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (name, expected) in [
            ("10.1002/ECO.", true),
            ("10.1002/ECO.2042", false),
            ("10.1111/2041-210X.", true),
            ("10.1016/0009-2614(80)", true),
            ("10.1016/0009-2614(80)80396-4", false),
            ("10.1890/0012-9658(2003)084", true),
            ("10.1662/0002-7685(2007)69[71:CSMAET]2.0.CO;2", false),
            ("10.2218/IJDC.V10I1.", true),
            ("10.2218/IJDC.V10I1.351", false),
            ("10.1109/ICCSA.2008.", true),
            ("10.1109/ICCSA.2008.7", false),
            ("10.1016/J.BPJ.2022.11.", true),
            ("10.1016/J.BPJ.2022.11.2277", false),
            ("10.1371/JOURNAL.PONE.00", true),
            ("10.1371/JOURNAL.PONE.0000001", false),
            ("10.1523/JNEUROSCI.5506-08.", true),
            ("10.1101/2020.02.02", true),
            ("10.1101/656678", false),
            ("10.1000/182", false),
        ] {
            let start = 1 + name.find('/').unwrap();
            assert_eq!(is_unfinished(name.as_bytes(), start), expected, "{name}");
        }
    }
}
