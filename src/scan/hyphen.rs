//! Hyphens that the text of a PDF lost at the ends of lines, where the form of a name restores
//! them.

use super::registrant::{self, of};

/// Registrants whose names begin with an ISSN, and what stands in front of it. Of 580,860 names
/// those of the first have a hyphen in it 9,786 times and never none, the others 300, 144, 119,
/// 186, 1,297, 27 and 19 times.
const WITH_ISSN: [(u64, &[u8]); 8] = [
    (of(b"10.1111/"), b"J."),
    (of(b"10.1034/"), b"J."),
    (of(b"10.1088/"), b""),
    (of(b"10.1890/"), b""),
    (of(b"10.4067/"), b"S"),
    (of(b"10.1590/"), b"S"),
    (of(b"10.5433/"), b""),
    (of(b"10.5007/"), b""),
];

/// The American Society for Engineering Education.
const ASEE: u64 = of(b"10.18260");

/// Puts the hyphens back into the folded `name`, whose suffix begins at `start`. Returns whether
/// one was missing.
pub(super) fn restore(name: &mut Vec<u8>, start: usize) -> bool {
    let at = match registrant::head(name) {
        ASEE => double(name),
        head => issn(name, start, head).or_else(|| springer(name, start)),
    };
    if let Some(at) = at {
        name.insert(at, b'-');
    }
    at.is_some()
}

/// Where the hyphen of an ISSN is missing: `10.1111/J.14679787.1982.TB00744.X`.
fn issn(name: &[u8], start: usize, head: u64) -> Option<usize> {
    let (_, letter) = WITH_ISSN.iter().find(|(prefix, _)| *prefix == head)?;
    let rest = name[start..].strip_prefix(*letter)?;
    let (number, rest) = rest.split_first_chunk::<8>()?;
    let goes_on = matches!(rest.first(), Some(b'.' | b'(' | b'/' | b'0'..=b'9'));
    (goes_on && is_issn(number)).then_some(start + letter.len() + 4)
}

/// Whether the check digit of an ISSN (ISO 3297) is right.
fn is_issn(number: &[u8; 8]) -> bool {
    if !number[..7].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let digits = number[..7].iter().map(|b| u32::from(b - b'0'));
    let sum: u32 = digits.zip((2..=8).rev()).map(|(digit, weight)| digit * weight).sum();
    let check = match number[7] {
        b'X' => 10,
        digit if digit.is_ascii_digit() => u32::from(digit - b'0'),
        _ => return false,
    };
    (sum + check).is_multiple_of(11)
}

/// Where the second hyphen of Springer's form is missing: `10.1007/S11192-0162006-2`. With it
/// there are 29,705 names, and none without.
fn springer(name: &[u8], start: usize) -> Option<usize> {
    let suffix = &name[start..];
    let is_form = suffix.len() == 16 && suffix[0] == b'S' && suffix[6] == b'-';
    let digits = |from: usize, to: usize| suffix[from..to].iter().all(u8::is_ascii_digit);
    (is_form && digits(1, 6) && digits(7, 14) && suffix[14] == b'-').then_some(start + 10)
}

/// Where the second of two hyphens is missing, which TeX prints as one dash: every name of the
/// American Society for Engineering Education begins with `10.18260/1-2--`.
fn double(name: &[u8]) -> Option<usize> {
    const PREFIX: &[u8] = b"10.18260/1-2-";
    let next = name.strip_prefix(PREFIX)?.first()?;
    next.is_ascii_digit().then_some(PREFIX.len())
}

/// How many hyphens the character `code` stands for between `last` and `next`, if it can be part
/// of a name. The text of PDFs has private-use characters and `¬` for hyphens: between digits
/// they are one, and `¬` is none in front of a mark.
pub(super) fn hyphens(last: Option<u8>, code: u32, next: Option<u8>) -> Option<usize> {
    match (last?, next?) {
        (b'0'..=b'9', b'0'..=b'9') => Some(1),
        (last, b'_' | b'-' | b'.' | b'/') if code == NOT_SIGN => {
            last.is_ascii_alphanumeric().then_some(0)
        }
        _ => None,
    }
}

/// `¬`, the soft hyphen of text in a wrong code page.
const NOT_SIGN: u32 = 0xac;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_hyphens() {
        for (name, expected) in [
            ("10.1111/J.14679787.1982.TB00744.X", "10.1111/J.1467-9787.1982.TB00744.X"),
            ("10.1111/J.2041210X.2012.00234.X", "10.1111/J.2041-210X.2012.00234.X"),
            ("10.1590/S141399362013000200005", "10.1590/S1413-99362013000200005"),
            (
                "10.1890/10510761(2001)011[1778:P]2.0.CO;2",
                "10.1890/1051-0761(2001)011[1778:P]2.0.CO;2",
            ),
            ("10.1007/S11192-0162006-2", "10.1007/S11192-016-2006-2"),
            ("10.18260/1-2-22585", "10.18260/1-2--22585"),
            ("10.18260/1-2--22585", ""),
            ("10.1111/J.14679788.1982.TB00744.X", ""),
            ("10.1111/J.1467-9787.1982.TB00744.X", ""),
            ("10.1080/00011037.1983.11008332", ""),
            ("10.1007/S11192-016-2006-2", ""),
            ("10.1111/J.14679787", ""),
        ] {
            let mut bytes = name.as_bytes().to_vec();
            let is_restored = restore(&mut bytes, 1 + name.find('/').unwrap());
            let expected = if is_restored { expected } else { name };
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
            assert_eq!(is_restored, name != expected, "{name}");
        }
    }
}
