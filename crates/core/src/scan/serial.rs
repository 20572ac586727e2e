//! The ISSN, alone and at the beginning of a SICI (Z39.56) or of an article number of Elsevier.

/// Returns the length of the ISSN at the start of `text`.
pub(super) fn issn(text: &[u8]) -> Option<usize> {
    let number = text.first_chunk::<9>()?;
    let is_digit = |at: usize| match at {
        4 => number[at] == b'-',
        8 => number[at].is_ascii_digit() || number[at] == b'X',
        _ => number[at].is_ascii_digit(),
    };
    (0..number.len()).all(is_digit).then_some(number.len())
}
