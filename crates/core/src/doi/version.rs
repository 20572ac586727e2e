//! Versions of one work that the name itself tells: `10.6084/m9.figshare.123456.v2`, `10.1101/2020.01.01.123456v2`,
//! `10.31234/osf.io/abcde_v1`.

/// The least number of digits in front of a version: a volume follows a year.
const LEAST_DIGITS: usize = 5;

/// Returns the name without the version at its end. A name without one is returned as it is.
pub fn without_version(name: &[u8]) -> &[u8] {
    let digits = |name: &[u8]| name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let count = digits(name);
    let Some((b'v' | b'V', rest)) = name[..name.len() - count].split_last() else { return name };
    let base = match rest.split_last() {
        Some((b'_' | b'.' | b'/' | b'-', base)) => base,
        _ => rest,
    };
    let is_counted = |base: &[u8]| {
        let is_number = |b: &&u8| b.is_ascii_digit() || **b == b'.';
        let number = base.iter().rev().take_while(is_number).filter(|b| **b != b'.').count();
        number >= LEAST_DIGITS && !is_year(&base[base.len() - digits(base)..])
    };
    let is_version = matches!(count, 1..=3) && (rest.ends_with(b"_") || is_counted(base));
    // A prefix is no work.
    if is_version && base.contains(&b'/') { base } else { name }
}

fn is_year(number: &[u8]) -> bool {
    number.len() == 4 && (number.starts_with(b"19") || number.starts_with(b"20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_from_volumes() {
        for (name, work) in [
            ("10.6084/M9.FIGSHARE.123456.V2", "10.6084/M9.FIGSHARE.123456"),
            ("10.1101/2020.01.01.123456V12", "10.1101/2020.01.01.123456"),
            ("10.31234/OSF.IO/ABCDE_V1", "10.31234/OSF.IO/ABCDE"),
            ("10.21203/rs.3.rs-123456/v1", "10.21203/rs.3.rs-123456"),
            ("10.20944/PREPRINTS202001.0001.V1", "10.20944/PREPRINTS202001.0001"),
            ("10.1000/J.2010.V12", "10.1000/J.2010.V12"),
            ("10.1000/1234.2010.V12", "10.1000/1234.2010.V12"),
            ("10.1000/V1", "10.1000/V1"),
            ("10.1000/123456V", "10.1000/123456V"),
            ("10.1000/123456V1234", "10.1000/123456V1234"),
            ("10.1000/12", "10.1000/12"),
        ] {
            assert_eq!(without_version(name.as_bytes()), work.as_bytes(), "{name}");
        }
    }
}
