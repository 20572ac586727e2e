//! Reads a value that is a DOI in one of the notations of presentation: the way back from
//! [`Form`](super::Form).

use super::invalid::{Found, Invalid, Part};
use super::resolver::{self, strip_word};
use super::{Doi, Reason, registrant};

/// Reads values. Holds the name of one that was escaped.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    is_strict: bool,
    name: Vec<u8>,
}

/// A DOI and how it was presented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading<'a> {
    /// The DOI.
    pub doi: Doi<'a>,
    /// Whether octets of it were percent-encoded.
    pub is_encoded: bool,
    /// Offset in the value of the first `%` that begins no encoded octet. Batch input of the
    /// DOI system wants it written `%25` (Handling of special characters, rule 3).
    pub bare_percent: Option<usize>,
}

/// The most labels before one name: `doi: https://doi.org/urn:doi:`.
const MAX_LABELS: usize = 3;

impl Reader {
    /// A reader that takes the standards by their letter: it refuses the suffixes that Z39.84
    /// (4.3) reserves, and a `%` that is not written `%25`.
    pub fn strict() -> Self {
        Reader { is_strict: true, name: Vec::new() }
    }

    /// Reads a whole value: a name, or one behind `doi:`, `info:doi/`, `urn:doi:` (where a colon
    /// may stand for the first slash) or the address of a resolver, in any case of letters.
    ///
    /// Percent-encoding is undone once, wherever it stands: batch input of the DOI system
    /// takes characters raw or encoded alike, and a `%` only as `%25`. In an address a raw
    /// `?` ends the name, and so does a raw `#`, except in the check part `;2-#` of a SICI.
    /// Nothing else is trimmed.
    ///
    /// # Errors
    ///
    /// [`Invalid`], with the offset in `value`.
    ///
    /// ```
    /// use doiscan::doi::Reader;
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
    /// # Ok::<(), doiscan::doi::Invalid>(())
    /// ```
    pub fn read<'a>(&'a mut self, value: &'a [u8]) -> Result<Reading<'a>, Invalid> {
        let Presented { start, end, is_urn } = Presented::of(value);
        let name = &value[start..end];
        let is_plain = !is_urn && memchr::memchr(b'%', name).is_none();
        let decoded = if is_plain {
            Decoded { octets: 0, bare_percent: None }
        } else {
            decode(name, is_urn, &mut self.name)
        };
        let reading = Doi::parse(if is_plain { name } else { &self.name })
            .and_then(|doi| if self.is_strict { strictly(doi) } else { Ok(doi) });
        if let (true, Some(at)) = (self.is_strict, decoded.bare_percent) {
            return Err(bare_percent(value, start + at));
        }
        match reading {
            Ok(doi) => Ok(Reading {
                doi,
                is_encoded: decoded.octets > 0,
                bare_percent: decoded.bare_percent.map(|at| start + at),
            }),
            Err(error) if is_plain => Err(Invalid { at: start + error.at, ..error }),
            Err(error) => Err(Invalid { at: start + source_of(name, error.at), ..error }),
        }
    }
}

/// Refuses a suffix that Z39.84 (4.3) reserves.
fn strictly(doi: Doi<'_>) -> Result<Doi<'_>, Invalid> {
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

/// Refuses the `%` at the offset `at`.
fn bare_percent(value: &[u8], at: usize) -> Invalid {
    let digits = value[at + 1..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let at = at + 1 + digits;
    Invalid {
        reason: Reason::NonGraphic,
        part: Part::Suffix,
        at,
        expected: "two hexadecimal digits behind \"%\"",
        found: Found::at(value, at),
    }
}

/// Where in a value the name lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Presented {
    start: usize,
    end: usize,
    /// Whether a colon may stand for its first slash.
    is_urn: bool,
}

impl Presented {
    fn of(value: &[u8]) -> Presented {
        let mut rest = value;
        let (mut is_urn, mut is_address) = (false, false);
        for _ in 0..MAX_LABELS {
            if rest.starts_with(b"10.") {
                break;
            }
            if let Some(behind) = urn(rest) {
                (rest, is_urn) = (behind, true);
            } else if let Some(behind) = label(rest) {
                rest = behind;
            } else if let Some(behind) = resolver::strip(rest) {
                (rest, is_address) = (behind, true);
            } else {
                break;
            }
        }
        let len = if is_address { address_end(rest) } else { rest.len() };
        let start = value.len() - rest.len();
        Presented { start, end: start + len, is_urn }
    }
}

/// What stands behind `urn:doi:`, or behind a `urn:` that a name follows.
fn urn(value: &[u8]) -> Option<&[u8]> {
    let rest = strip_word(value, b"urn:")?;
    strip_word(rest, b"doi:").or_else(|| rest.starts_with(b"10.").then_some(rest))
}

/// What stands behind `doi:`, `doi `, `info:doi/`, or `info:doi:` as the EIDR document prints it.
fn label(value: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = strip_word(value, b"info:doi") {
        return rest.strip_prefix(b"/").or_else(|| rest.strip_prefix(b":"));
    }
    let rest = strip_word(value, b"doi")?;
    let word = rest.trim_ascii_start();
    let behind = word.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
    behind.or_else(|| (word.len() < rest.len()).then_some(word))
}

/// Where the name in the path of an address ends.
fn address_end(path: &[u8]) -> usize {
    let is_check_part = |at: usize| {
        let before = &path[..at];
        before.ends_with(b";2-") || before.ends_with(b"%3B2-") || before.ends_with(b"%3b2-")
    };
    memchr::memchr2_iter(b'?', b'#', path)
        .find(|&at| path[at] == b'?' || !is_check_part(at))
        .unwrap_or(path.len())
}

/// What was met in decoding.
struct Decoded {
    octets: usize,
    bare_percent: Option<usize>,
}

/// Writes to `out` what is encoded in `name`. `is_urn`: the colon behind the registrant is
/// a slash.
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

/// Bytes of an encoded octet.
const ENCODED: usize = 3;

/// The octet that is encoded at the start of `bytes`.
fn octet(bytes: &[u8]) -> Option<u8> {
    let &[b'%', a, b, ..] = bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(a)? * 16 + digit(b)?).ok()
}

/// Where in `name` the octet stands that is number `index` when it is decoded.
fn source_of(name: &[u8], index: usize) -> usize {
    (0..index).fold(0, |at, _| {
        at + if octet(&name[at.min(name.len())..]).is_some() { ENCODED } else { 1 }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Form, Writer};
    use super::*;
    use proptest::prelude::*;

    fn read(value: &str) -> Result<String, String> {
        let mut reader = Reader::default();
        let reading = reader.read(value.as_bytes()).map_err(|e| e.to_string())?;
        Ok(reading.doi.as_str().to_owned())
    }

    #[test]
    fn notations() {
        for (value, name) in [
            ("10.1000/182", "10.1000/182"),
            ("doi:10.1000/182", "10.1000/182"),
            ("DOI : 10.1000/182", "10.1000/182"),
            ("doi 10.1000/182", "10.1000/182"),
            ("doi https://doi.org/10.1000/182", "10.1000/182"),
            ("info:doi/10.1000/182", "10.1000/182"),
            ("info:doi:10.1000/182", "10.1000/182"),
            ("urn:doi:10.1000:182", "10.1000/182"),
            ("URN:DOI:10.1000/182", "10.1000/182"),
            ("urn:10.123/456", "10.123/456"),
            ("urn:doi:10.123:a:b%2Fc", "10.123/a:b/c"),
            ("https://doi.org/10.1000/182", "10.1000/182"),
            ("https://doi.org/doi:10.1000/182", "10.1000/182"),
            ("https://doi.org/urn:doi:10.1000:182", "10.1000/182"),
            ("https://doi.org/10.1000%2F182?a=b", "10.1000/182"),
            ("https://doi.org/10.1000/182#top", "10.1000/182"),
            ("https://doi.org/10.1002/A;2-#", "10.1002/A;2-#"),
            ("https://doi.org/10.1002/A%3B2-#top", "10.1002/A;2-#top"),
            ("https://doi.org/10.1002/A%3b2-#", "10.1002/A;2-#"),
            ("doi: https://doi.org/urn:doi:10.1000:182", "10.1000/182"),
            ("https://doi.org/10.1000/a%3Fb%23c", "10.1000/a?b#c"),
            ("10.1000/a?b#c", "10.1000/a?b#c"),
            ("10.1000%2f182", "10.1000/182"),
            ("10.1000/%E6%9C%AC", "10.1000/本"),
            ("10.1000/100%", "10.1000/100%"),
            ("10.1000/a%2541", "10.1000/a%41"),
            ("10.1000/182.", "10.1000/182."),
        ] {
            assert_eq!(read(value).as_deref(), Ok(name), "{value}");
        }
    }

    #[test]
    fn places_are_those_of_the_value() {
        for (value, message) in [
            ("https://doi.org/", "directory: expected \"10.\", found the end at byte 17"),
            ("https://doi.org/11.1/x", "directory: expected \"10.\", found \"1\" at byte 18"),
            ("doi:10/f77", "directory: expected \"10.\", found \"/\" at byte 7"),
            ("10.1000%2Fa%20b", "suffix: expected a graphic character, found U+0020 at byte 12"),
            ("10.1000/%E9b", "suffix: expected UTF-8, found the byte E9 at byte 9"),
            ("urn:doi:10.1000", "separator: expected \"/\", found the end at byte 16"),
            ("https://example.org/10.1000/1", "directory: expected \"10.\", found \"h\" at byte 1"),
        ] {
            assert_eq!(read(value), Err(message.to_owned()), "{value}");
        }
    }

    #[test]
    fn strict() {
        let mut reader = Reader::strict();
        for (value, message) in [
            (
                "10.1000/a/b",
                "suffix: expected no slash as its second character, found \"/\" at byte 10",
            ),
            (
                "doi:10.1000/é%2Fb",
                "suffix: expected no slash as its second character, found \"/\" at byte 15",
            ),
            (
                "10.1000/1%",
                "suffix: expected two hexadecimal digits behind \"%\", found the end at byte 11",
            ),
            (
                "10.1000/1%2x",
                "suffix: expected two hexadecimal digits behind \"%\", found \"x\" at byte 12",
            ),
        ] {
            assert_eq!(reader.read(value.as_bytes()).unwrap_err().to_string(), message, "{value}");
            assert!(Reader::default().read(value.as_bytes()).is_ok(), "{value}");
        }
        assert!(reader.read(b"10.1000/ab/%25").is_ok());
    }

    #[test]
    fn how_it_was_written_is_told() {
        let mut reader = Reader::default();
        for (value, is_encoded, bare_percent) in [
            ("10.1000/1", false, None),
            ("doi:10.1000/%31", true, None),
            ("doi:10.1000/%", false, Some(12)),
            ("urn:doi:10.1000:1", false, None),
        ] {
            let reading = reader.read(value.as_bytes()).unwrap();
            assert_eq!((reading.is_encoded, reading.bare_percent), (is_encoded, bare_percent));
        }
    }

    /// Any DOI: any prefix, and a suffix of any graphic characters.
    fn any_doi() -> impl Strategy<Value = String> {
        let odd = prop::char::any().prop_filter("graphic", |&c| super::super::is_graphic(c));
        let mark = prop::sample::select("%25%2F/.#?&;2-<>[]:\\+\"'".chars().collect::<Vec<_>>());
        let c = prop_oneof![4 => prop::char::range('!', '~'), 3 => mark, 1 => odd];
        let suffix = prop::collection::vec(c, 1..24).prop_map(String::from_iter);
        ("10\\.[0-9]{2,9}(\\.[0-9]{1,9}){0,2}", suffix).prop_map(|(p, s)| format!("{p}/{s}"))
    }

    const FORMS: [Form; 6] =
        [Form::Plain, Form::Lower, Form::Doi, Form::Info, Form::Urn, Form::Url];

    /// What reading `name` in this form gives.
    fn back(name: &str, form: Form) -> String {
        match form {
            Form::Plain => name.to_ascii_uppercase(),
            Form::Lower => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        }
    }

    /// Run with `cargo test --release --lib doi::reader -- --ignored`.
    #[test]
    #[ignore = "takes most of a minute, and needs --release"]
    fn ten_million_come_back() {
        let marks: Vec<char> = "%25%2F/.#?&;2-<>[]:\\+\"'abcXYZ019_()é本🐔".chars().collect();
        // Weyl sequence and a mixer: the same names each time.
        let mut state = 0_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed ^ (mixed >> 29)) % below
        };
        let (mut reader, mut out) = (Reader::default(), Vec::new());
        let writer = Writer::default();
        for round in 0..10_000_000 {
            let mut name = format!("10.{}/", 10 + draw(99_990));
            for _ in 0..=draw(12) {
                name.push(marks[draw(marks.len() as u64) as usize]);
            }
            let doi = Doi::try_from(name.as_str()).unwrap();
            let form = FORMS[round % FORMS.len()];
            out.clear();
            writer.write(&doi, form, &mut out);
            let read = reader.read(&out).map(|reading| reading.doi.as_str().to_owned());
            assert_eq!(read, Ok(back(&name, form)), "{}", String::from_utf8_lossy(&out));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

        #[test]
        fn every_form_is_read_back(name in any_doi(), recommended: bool, which_ra: bool) {
            let doi = Doi::try_from(name.as_str()).unwrap();
            let writer = Writer { recommended, which_ra, ..Writer::default() };
            for form in FORMS {
                let written = writer.written(&doi, form);
                prop_assert_eq!(read(&written), Ok(back(&name, form)), "{}", written);
            }
        }

        #[test]
        fn reading_never_fails_otherwise(value: Vec<u8>) {
            let mut reader = Reader::default();
            if let Err(error) = reader.read(&value) {
                prop_assert!(error.at <= value.len());
            }
        }
    }
}
