//! The grammar of a DOI, one function for each rule.
//!
//! ```text
//! DOI        = prefix "/" suffix
//! prefix     = "10." registrant
//! registrant = DIGITS *( "." DIGITS )
//! suffix     = 1*( graphic Unicode character ), whose last is not a space
//! ```

use super::character::{is_graphic, is_space};
use super::invalid::{Found, Invalid, Part};
use super::reason::Reason;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Minimum number of digits of a registrant that is recognised without a marker.
///
/// Of 1.34 million DOIs in parsed fields, 94.8 % have 4 digits and 5.2 % have 5. Shorter ones are
/// examples in the standard (`10.054/…`).
pub(super) const MIN_DIGITS: usize = 4;

/// Minimum number of digits of the first part of any registrant. Z39.84 sets no limit, but its
/// examples have three or more, none of 1.34 million names has one, and every third-party test
/// suite that covers the case rejects `10.1/x`.
pub const LEAST_DIGITS: usize = 2;

/// Maximum number of digits of one part of a registrant that is recognised in text. Neither the
/// standard nor [`Doi::parse`] has a limit.
pub const MAX_DIGITS: usize = 9;

/// The registrant at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registrant {
    /// Its length in bytes, or `0` if there is none.
    pub len: usize,
    /// Number of digits of its first part.
    pub first: usize,
    /// Number of digits of its longest part.
    pub longest: usize,
    /// Whether its first part is `978` or `979`, as in an ISBN-A.
    pub is_isbn: bool,
}

impl Registrant {
    /// Whether it is plausible without a marker. Its first part must have at least 4 digits or
    /// begin an ISBN-A (`10.978.88…/…`), and no part may have more than 9. This excludes addresses
    /// (`10.0.0.1/24`) and versions (`10.2.1234/…`).
    pub fn is_plain(&self) -> bool {
        (self.first >= MIN_DIGITS || self.is_isbn) && self.longest <= MAX_DIGITS
    }
}

/// Parses `registrant = DIGITS *( "." DIGITS )` at the start of `text`. A full stop without a digit
/// after it is not part of it.
pub fn registrant(text: &[u8]) -> Registrant {
    let digits = |at: usize| text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let first = digits(0);
    let mut found = Registrant { len: first, first, longest: first, is_isbn: false };
    while found.len > 0 && text.get(found.len) == Some(&b'.') {
        let part = digits(found.len + 1);
        if part == 0 {
            break;
        }
        found.is_isbn |= found.len == 3 && matches!(text, [b'9', b'7', b'8' | b'9', ..]);
        found.len += 1 + part;
        found.longest = found.longest.max(part);
    }
    found
}

/// A DOI, split into its parts, as it was written.
///
/// Equality, order and hash use the folded octets (Z39.84-2005, section 4): `10.123/ABC` equals
/// `10.123/AbC`, and letters that are not ASCII are not folded.
///
/// ```
/// use doiscan_core::doi::Doi;
///
/// let parse = |name: &'static str| Doi::try_from(name.as_bytes()).unwrap();
/// assert_eq!(parse("10.123/ABC"), parse("10.123/AbC"));
/// assert_ne!(parse("10.123/É"), parse("10.123/é"));
/// assert!(parse("10.123/b") > parse("10.123/A"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Doi<'a> {
    name: &'a str,
    separator: usize,
}

impl<'a> Doi<'a> {
    /// Judges a whole value by Z39.84-2005, without trimming or unescaping. For a value in the
    /// notation of an address or a label, see [`Reader`](super::Reader).
    ///
    /// # Errors
    ///
    /// Returns [`Invalid`], which names the first violation of the grammar.
    ///
    /// ```
    /// use doiscan_core::doi::Doi;
    ///
    /// let doi = Doi::parse(b"10.1001/PUBS.JAMA(278)3,JOC7055-ABSY:")?;
    /// assert_eq!(doi.prefix(), "10.1001");
    /// assert_eq!(doi.suffix(), "PUBS.JAMA(278)3,JOC7055-ABSY:");
    ///
    /// let error = Doi::parse(b"10.abc/123").unwrap_err();
    /// assert_eq!(error.to_string(), "registrant: expected a digit, found \"a\" at byte 4");
    /// # Ok::<(), doiscan_core::doi::Invalid>(())
    /// ```
    pub fn parse(value: &'a [u8]) -> Result<Self, Invalid> {
        let separator = prefix(value)?;
        let name = suffix(value, separator + 1)?;
        Ok(Doi { name, separator })
    }

    /// Creates the DOI `name`, whose prefix is known to end at `separator`.
    pub(super) fn from_parts(name: &'a str, separator: usize) -> Self {
        Doi { name, separator }
    }

    /// The whole name as it was written.
    pub fn as_str(&self) -> &'a str {
        self.name
    }

    /// The directory code and the registrant: `10.1000`.
    pub fn prefix(&self) -> &'a str {
        &self.name[..self.separator]
    }

    /// The digits after `10.`.
    pub fn registrant(&self) -> &'a str {
        &self.name[DIRECTORY.len()..self.separator]
    }

    /// The part chosen by the registrant.
    pub fn suffix(&self) -> &'a str {
        &self.name[self.separator + 1..]
    }

    /// Whether the suffix begins with one character and a slash, which Z39.84 (4.3) reserves. Seven
    /// of 1.34 million registered names nevertheless do.
    pub fn is_reserved(&self) -> bool {
        self.reserved().is_some()
    }

    /// Offset of the slash that makes the suffix reserved.
    pub(super) fn reserved(&self) -> Option<usize> {
        let mut chars = self.suffix().char_indices().skip(1);
        let (at, _) = chars.next().filter(|&(_, c)| c == '/')?;
        Some(self.separator + 1 + at)
    }

    /// Whether the suffix contains a space, which the standard allows.
    pub fn has_space(&self) -> bool {
        self.suffix().chars().any(is_space)
    }

    /// Whether the registrant has too few digits to be recognised in running text.
    pub fn is_short(&self) -> bool {
        let registrant = registrant(self.registrant().as_bytes());
        registrant.first < MIN_DIGITS && !registrant.is_isbn
    }

    /// The canonical form (see [`super::fold`]).
    pub fn canonical(&self) -> String {
        self.name.to_ascii_uppercase()
    }

    /// The folded octets, which define equality.
    fn folded(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.name.bytes().map(|b| b.to_ascii_uppercase())
    }
}

impl PartialEq for Doi<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.name.eq_ignore_ascii_case(other.name)
    }
}

impl Eq for Doi<'_> {}

impl PartialOrd for Doi<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Doi<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.folded().cmp(other.folded())
    }
}

impl Hash for Doi<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.folded().for_each(|octet| state.write_u8(octet));
        state.write_u8(0xff);
    }
}

impl fmt::Display for Doi<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<'a> TryFrom<&'a [u8]> for Doi<'a> {
    type Error = Invalid;

    fn try_from(value: &'a [u8]) -> Result<Self, Invalid> {
        Doi::parse(value)
    }
}

impl<'a> TryFrom<&'a str> for Doi<'a> {
    type Error = Invalid;

    fn try_from(value: &'a str) -> Result<Self, Invalid> {
        Doi::parse(value.as_bytes())
    }
}

/// The only directory code (Z39.84-2005, 4.2) and its full stop.
const DIRECTORY: &[u8] = b"10.";

/// Parses the prefix at the start of `value` and returns the offset of its separator.
fn prefix(value: &[u8]) -> Result<usize, Invalid> {
    let wrong = |reason, part, at, expected| {
        Err(Invalid { reason, part, at, expected, found: Found::at(value, at) })
    };
    let same = value.iter().zip(DIRECTORY).take_while(|(a, b)| a == b).count();
    if same < DIRECTORY.len() {
        return wrong(Reason::LeftBoundary, Part::Directory, same, "\"10.\"");
    }
    let registrant = registrant(&value[same..]);
    if registrant.first < LEAST_DIGITS {
        let at = same + registrant.first;
        let expected = if registrant.first == 0 { "a digit" } else { "at least two digits" };
        return wrong(Reason::TooShortRegistrant, Part::Registrant, at, expected);
    }
    let separator = same + registrant.len;
    match value.get(separator) {
        Some(b'/') => Ok(separator),
        _ => wrong(Reason::NoSeparator, Part::Separator, separator, "\"/\""),
    }
}

/// Checks the suffix of `value` that begins at `start`. Returns the whole value as text.
fn suffix(value: &[u8], start: usize) -> Result<&str, Invalid> {
    let wrong = |reason, at, expected| {
        Err(Invalid { reason, part: Part::Suffix, at, expected, found: Found::at(value, at) })
    };
    if value.len() == start {
        return wrong(Reason::NoSuffix, start, "a character");
    }
    let name = match str::from_utf8(value) {
        Ok(name) => name,
        Err(e) => return wrong(Reason::NonGraphic, e.valid_up_to(), "UTF-8"),
    };
    if name.as_bytes()[start..].iter().all(u8::is_ascii_graphic) {
        return Ok(name);
    }
    if let Some((at, _)) = name[start..].char_indices().find(|&(_, c)| !is_graphic(c)) {
        return wrong(Reason::NonGraphic, start + at, "a graphic character");
    }
    match name.char_indices().next_back().filter(|&(_, c)| is_space(c)) {
        Some((at, _)) => wrong(Reason::NonGraphic, at, "no space at the end"),
        None => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrants() {
        for (text, len, longest) in [
            ("1000/1", 4, 4),
            ("1000.10/1", 7, 4),
            ("978.8898392/315", 11, 7),
            ("1000./1", 4, 4),
            ("1000..1/1", 4, 4),
            (".1000/1", 0, 0),
            ("abc/1", 0, 0),
            ("", 0, 0),
        ] {
            let found = registrant(text.as_bytes());
            assert_eq!((found.len, found.longest), (len, longest), "{text}");
        }
    }

    #[test]
    fn addresses_are_no_plain_registrants() {
        assert!(!registrant(b"0.0.1/24").is_plain());
        assert!(!registrant(b"5/10").is_plain());
        assert!(!registrant(b"2.1234/file").is_plain());
        assert!(registrant(b"978.8898392/315").is_plain());
        assert!(registrant(b"123456789/f").is_plain());
        assert!(!registrant(b"1234567890/f").is_plain());
    }

    #[test]
    fn parts() {
        let doi = Doi::parse(b"10.1000.10/a/b").unwrap();
        assert_eq!(
            (doi.prefix(), doi.registrant(), doi.suffix()),
            ("10.1000.10", "1000.10", "a/b")
        );
        assert!(doi.is_reserved());
        assert_eq!(doi.canonical(), "10.1000.10/A/B");
    }

    #[test]
    fn what_is_wrong_and_where() {
        for (value, message) in [
            ("", "does not begin with 10.: found the end at byte 1"),
            ("11.1000/1", "does not begin with 10.: found \"1\" at byte 2"),
            ("10/1000/1", "does not begin with 10.: found \"/\" at byte 3"),
            ("10.a/1", "registrant: expected a digit, found \"a\" at byte 4"),
            ("10.1/100", "registrant: expected at least two digits, found \"/\" at byte 5"),
            ("10.1000", "separator: expected \"/\", found the end at byte 8"),
            ("10.10a00/1", "separator: expected \"/\", found \"a\" at byte 6"),
            ("10.1000/", "suffix: expected a character, found the end at byte 9"),
            ("10.1000/a\t", "suffix: expected a graphic character, found U+0009 at byte 10"),
            ("10.1000/a b ", "suffix: expected no space at the end, found U+0020 at byte 12"),
            ("10.1000/ ", "suffix: expected no space at the end, found U+0020 at byte 9"),
            ("10.1000/a\u{3000}", "suffix: expected no space at the end, found U+3000 at byte 10"),
            ("10.1000/a\u{85}", "suffix: expected a graphic character, found U+0085 at byte 10"),
        ] {
            let error = Doi::parse(value.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), message, "{value}");
        }
        let error = Doi::parse(b"10.1000/a\xff").unwrap_err();
        assert_eq!(error.to_string(), "suffix: expected UTF-8, found the byte FF at byte 10");
    }

    #[test]
    fn spaces_inside_a_suffix_and_long_parts_are_legal() {
        for name in ["10.1000/a b", "10.1000/ a", "10.1000/a\u{a0}b", "10.1000/a\u{3000}b"] {
            assert!(Doi::try_from(name).unwrap().has_space(), "{name}");
        }
        for name in ["10.12345678901/1", "10.12.1234567890/1"] {
            assert!(!Doi::try_from(name).unwrap().has_space(), "{name}");
        }
        let long = format!("10.{}/{}", "1".repeat(100_000), "a".repeat(1_000_000));
        assert_eq!(Doi::try_from(&*long).unwrap().as_str(), long);
    }

    #[test]
    fn names_are_compared_folded_and_octet_by_octet() {
        let hash = |doi: &Doi<'_>| {
            let mut state = std::hash::DefaultHasher::new();
            doi.hash(&mut state);
            state.finish()
        };
        let names = ["10.123/ABC", "10.123/AbC", "10.123/abcd", "10.123/[", "10.123/É", "10.123/é"];
        for (a, b) in names.iter().flat_map(|a| names.iter().map(move |b| (a, b))) {
            let (x, y) = (Doi::try_from(*a).unwrap(), Doi::try_from(*b).unwrap());
            let (p, q) = (x.canonical(), y.canonical());
            assert_eq!((x == y, x.cmp(&y)), (p == q, p.as_bytes().cmp(q.as_bytes())), "{a} {b}");
            assert_eq!(hash(&x) == hash(&y), p == q, "{a} {b}");
        }
    }

    #[test]
    fn short_registrants() {
        for (name, short) in [("10.054/1418EC1N2LE", true), ("10.21/x", true), ("10.1000/1", false)]
        {
            assert_eq!(Doi::try_from(name).unwrap().is_short(), short, "{name}");
        }
    }
}
