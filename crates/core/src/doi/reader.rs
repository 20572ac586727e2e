//! Reads a DOI in one of its notations: the inverse of [`Form`](super::Form).

use super::character::first_space;
use super::invalid::{Found, Invalid, Part};
use super::notation::{Presented, next_entry, unencoded};
use super::percent::{ENCODED, octet};
use super::reason::Reason;
use super::syntax::{Doi, registrant};
use alloc::vec::Vec;

/// Reads values. Stores the decoded name if the value was escaped.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    is_strict: bool,
    name: Vec<u8>,
}

/// A DOI and its notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading<'a> {
    /// The DOI.
    pub doi: Doi<'a>,
    /// Whether it contained percent-encoded octets.
    pub is_encoded: bool,
    /// Offset in the value of the first `%` that does not begin an encoded octet. Batch input of
    /// the DOI system requires it to be written `%25` (Handling of special characters, rule 3).
    pub bare_percent: Option<usize>,
    /// The kind of text after the name in an address.
    pub tail: Option<Tail>,
}

/// Text after the name in an address that is not part of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tail {
    /// A query: `?nosfx=y`.
    Query,
    /// A fragment: `#top`.
    Fragment,
}

impl Reader {
    /// Creates a reader that follows the standards to the letter. It rejects
    ///
    /// * suffixes that Z39.84 (4.3) reserves,
    /// * a `%` that is not followed by two hexadecimal digits and must be written `%25`,
    /// * a query or fragment after the name in an address,
    /// * characters that must be encoded in an address, an `info:` URI or a URN, including every
    ///   slash of a URN,
    /// * `doi` without a colon, and hosts that are not known to resolve DOIs.
    pub fn strict() -> Self {
        Reader { is_strict: true, name: Vec::new() }
    }

    /// Reads a whole value: a bare name, or a name after `doi:`, `hdl:`, `info:doi/`, `urn:doi:`
    /// (where a colon may replace the first slash) or a resolver address. Labels and addresses are
    /// case insensitive.
    ///
    /// Percent-encoding is decoded once, at any position: batch input of the DOI system accepts
    /// characters raw or encoded, and a `%` only as `%25`. In an address, a raw `?` ends the name.
    /// So does a raw `#`, except in the check part `;2-#` of a SICI ([`Reading::tail`]). Nothing
    /// else is trimmed.
    ///
    /// A space inside a name must be encoded (Z39.84, Table 1). A raw space is rejected: in real
    /// values it separates the name from other text, or results from damage. Unless the reader is strict,
    /// it rejects a list of names without spaces, such as `10.1000/a;10.1000/b`, and a registrant that begins with `10.`,
    /// which Z39.84 allows but no name has: `10.10.1000/a`.
    ///
    /// # Errors
    ///
    /// Returns [`Invalid`], with the offset in `value`.
    ///
    /// ```
    /// use doiscan_core::doi::Reader;
    ///
    /// let mut reader = Reader::default();
    /// for value in [
    ///     "10.123/456ABC/zyz",
    ///     "DOI: 10.123/456ABC/zyz",
    ///     "info:doi/10.123/456ABC/zyz",
    ///     "urn:doi:10.123:456ABC%2Fzyz",
    ///     "https://doi-org.proxy.example.edu/urn:doi:10.123:456ABC%2Fzyz?nosfx=y",
    /// ] {
    ///     assert_eq!(reader.read(value.as_bytes())?.doi.as_str(), "10.123/456ABC/zyz");
    /// }
    /// let error = reader.read(b"doi:10.a/1").unwrap_err();
    /// assert_eq!(error.to_string(), "registrant: expected a digit, found \"a\" at byte 8");
    /// # Ok::<(), doiscan_core::doi::Invalid>(())
    /// ```
    pub fn read<'a>(&'a mut self, value: &'a [u8]) -> Result<Reading<'a>, Invalid> {
        let presented = Presented::of(value);
        let Presented { start, end, is_urn, .. } = presented;
        let name = &value[start..end];
        let is_plain = !is_urn && memchr::memchr(b'%', name).is_none();
        let decoded = if is_plain {
            Decoded { octets: 0, bare_percent: None }
        } else {
            decode(name, is_urn, &mut self.name)
        };
        let doi = Doi::parse(if is_plain { name } else { &self.name })
            .and_then(|doi| if self.is_strict { unreserved(doi) } else { Ok(doi) });
        if self.is_strict {
            check_presented(value, &presented, &decoded)?;
        }
        let doi = doi.map_err(|error| {
            let at = if is_plain { error.at } else { source_of(name, error.at) };
            Invalid { at: start + at, ..error }
        });
        let space = first_space(name).map(|at| start + at);
        let error_at = doi.as_ref().map_or_else(|error| error.at, |_| value.len());
        if let Some(at) = space.filter(|&at| at < error_at) {
            let (reason, part, found) = (Reason::NonGraphic, Part::Suffix, Found::at(value, at));
            return Err(Invalid { reason, part, at, expected: SPACE, found });
        }
        let doi = doi?;
        if doi.as_str().starts_with("10.10.") && !self.is_strict {
            let (reason, part) = (Reason::TooShortRegistrant, Part::Registrant);
            let (at, expected) = (start + b"10.".len(), "a registrant, not \"10.\" again");
            return Err(Invalid { reason, part, at, expected, found: Found::at(value, at) });
        }
        if let Some(entry) = next_entry(doi.as_str().as_bytes()).filter(|_| !self.is_strict) {
            let at = start + if is_plain { entry } else { source_of(name, entry) };
            let (reason, part, found) = (Reason::SeveralDois, Part::Value, Found::More);
            return Err(Invalid { reason, part, at, expected: "one DOI", found });
        }
        Ok(Reading {
            doi,
            is_encoded: decoded.octets > 0,
            bare_percent: decoded.bare_percent.map(|at| start + at),
            tail: value.get(end).map(|&b| if b == b'?' { Tail::Query } else { Tail::Fragment }),
        })
    }
}

/// The expectation reported for a raw space in a value.
const SPACE: &str = "a graphic character (write a space in a name as %20)";

/// Rejects a suffix that Z39.84 (4.3) reserves.
fn unreserved(doi: Doi<'_>) -> Result<Doi<'_>, Invalid> {
    match doi.reserved() {
        None => Ok(doi),
        Some(at) => Err(Invalid {
            reason: Reason::ReservedSuffix,
            part: Part::Suffix,
            at,
            expected: "no slash as its second character",
            found: Found::Char('/'),
        }),
    }
}

/// Rejects names that their notation does not allow.
fn check_presented(value: &[u8], presented: &Presented, decoded: &Decoded) -> Result<(), Invalid> {
    let wrong = |reason, part, at, expected| {
        Err(Invalid { reason, part, at, expected, found: Found::at(value, at) })
    };
    if let Some(at) = presented.no_colon {
        return wrong(Reason::LeftBoundary, Part::Value, at, "\":\" after \"doi\"");
    }
    if let Some(at) = presented.proxy {
        return wrong(Reason::LeftBoundary, Part::Value, at, "a resolver such as https://doi.org/");
    }
    let Presented { start, end, is_urn, .. } = *presented;
    if let Some(at) = decoded.bare_percent {
        let digits = value[start + at + 1..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let at = start + at + 1 + digits;
        let expected = "two hexadecimal digits after \"%\", or \"%25\" for a literal %";
        return wrong(Reason::NonGraphic, Part::Suffix, at, expected);
    }
    if let Some(at) = unencoded(&value[start..end], presented) {
        let expected =
            if is_urn { "a character allowed in a URN, or %XX" } else { "%XX in its place" };
        return wrong(Reason::NonGraphic, Part::Suffix, start + at, expected);
    }
    if end < value.len() {
        return wrong(
            Reason::NonGraphic,
            Part::Suffix,
            end,
            "the end (write ? and # in a name as %3F and %23)",
        );
    }
    Ok(())
}

/// The escapes found while decoding.
struct Decoded {
    octets: usize,
    bare_percent: Option<usize>,
}

/// Writes the decoded `name` to `out`. If `is_urn` is set, the colon after the registrant becomes a
/// slash.
fn decode(name: &[u8], is_urn: bool, out: &mut Vec<u8>) -> Decoded {
    let mut decoded = Decoded { octets: 0, bare_percent: None };
    out.clear();
    let mut at = 0;
    while let Some(&byte) = name.get(at) {
        let octet = octet(&name[at..]);
        if byte == b'%' && octet.is_none() {
            decoded.bare_percent.get_or_insert(at);
        }
        decoded.octets += usize::from(octet.is_some());
        out.push(octet.unwrap_or(byte));
        at += if octet.is_some() { ENCODED } else { 1 };
    }
    if is_urn {
        let separator = 3 + registrant(&out[3.min(out.len())..]).len;
        if out.get(separator) == Some(&b':') {
            out[separator] = b'/';
        }
    }
    decoded
}

/// Returns the offset in `name` of the octet that has the offset `index` after decoding.
fn source_of(name: &[u8], index: usize) -> usize {
    (0..index).fold(0, |at, _| {
        at + if octet(&name[at.min(name.len())..]).is_some() { ENCODED } else { 1 }
    })
}

#[cfg(test)]
mod tests;
