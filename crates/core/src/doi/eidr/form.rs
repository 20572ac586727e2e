//! The forms in which an EIDR is written, and the options for writing them.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;

/// A form of an EIDR. The names are stable: see [`EidrForm::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EidrForm {
    /// `10.5240/5FD4-FEE1-22F5-583E-FECC-O`, the DOI name.
    Canonical,
    /// `10.5240/5FD4FEE122F5583EFECCO`, the canonical form without its hyphens.
    Plain,
    /// 12 bytes: the sub-prefix in 16 bits, the suffix without its check character in 80, both
    /// big-endian. Content only.
    Compact,
    /// 19 bytes: `10.5240/`, the suffix in 80 bits, the check character. Content only.
    Full,
    /// `urn:SCHEME:eidr:10.5240%2F5FD4-FEE1-22F5-583E-FECC-O`.
    Urn,
    /// `urn:eidr:10.5240:5FD4-FEE1-22F5-583E-FECC-O` (RFC 7972).
    UrnColon,
    /// `urn:SCHEME:eidr-u:10.5240_5FD4-FEE1-22F5-583E-FECC-O`.
    U,
    /// `urn:SCHEME:eidr-s:5FD4-FEE1-22F5-583E-FECC-O`. Content only, because the form implies it.
    S,
    /// `info:doi/10.5240/5FD4-FEE1-22F5-583E-FECC-O` (RFC 4452).
    Info,
    /// `https://doi.org/10.5240/5FD4-FEE1-22F5-583E-FECC-O`, the resolver's preferred address.
    Url,
    /// `doi:10.5240/5FD4-FEE1-22F5-583E-FECC-O`.
    Doi,
}

impl EidrForm {
    /// Every form.
    pub const ALL: [EidrForm; 11] = [
        EidrForm::Canonical,
        EidrForm::Plain,
        EidrForm::Compact,
        EidrForm::Full,
        EidrForm::Urn,
        EidrForm::UrnColon,
        EidrForm::U,
        EidrForm::S,
        EidrForm::Info,
        EidrForm::Url,
        EidrForm::Doi,
    ];

    /// The stable name, such as `eidr-canonical`.
    pub const fn name(self) -> &'static str {
        match self {
            EidrForm::Canonical => "eidr-canonical",
            EidrForm::Plain => "eidr-plain",
            EidrForm::Compact => "eidr-compact",
            EidrForm::Full => "eidr-full",
            EidrForm::Urn => "eidr-urn",
            EidrForm::UrnColon => "eidr-urn-colon",
            EidrForm::U => "eidr-u",
            EidrForm::S => "eidr-s",
            EidrForm::Info => "eidr-info",
            EidrForm::Url => "eidr-url",
            EidrForm::Doi => "eidr-doi",
        }
    }

    /// Returns the form with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Whether the form is binary, so that [`Style::binary`] selects its encoding.
    pub const fn is_binary(self) -> bool {
        matches!(self, EidrForm::Compact | EidrForm::Full)
    }

    /// Whether the form contains the name of a URN scheme, which is given by [`Style::scheme`].
    pub const fn has_scheme(self) -> bool {
        matches!(self, EidrForm::Urn | EidrForm::U | EidrForm::S)
    }
}

impl fmt::Display for EidrForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Options for writing an EIDR. The default writes raw bytes and has no scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style<'a> {
    /// The scheme of [`EidrForm::Urn`], [`EidrForm::U`] and [`EidrForm::S`]. There is no default, because only
    /// the systems that exchange these forms can agree on a name.
    pub scheme: Option<Scheme<'a>>,
    /// How [`EidrForm::Compact`] and [`EidrForm::Full`] are encoded.
    pub binary: Binary,
}

/// The encoding of a binary form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// Raw bytes: 12 or 19.
    #[default]
    Bytes,
    /// 24 or 38 hexadecimal digits in upper case (RFC 4648, section 8).
    Hex,
    /// 16 or 28 characters of padded Base64 (RFC 4648, section 4).
    Base64,
    /// 16 or 26 characters of URL-safe Base64, not padded (RFC 4648, section 5).
    Base64Url,
    /// 16 or 28 characters of URL-safe Base64, padded.
    Base64UrlPadded,
}

/// The name of a URN scheme: `x` in `urn:x:eidr:…`. It has 2 to 32 letters, digits and hyphens,
/// with no hyphen first or last (RFC 8141, section 2, "NID").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme<'a>(&'a str);

impl<'a> Scheme<'a> {
    /// Creates a scheme from its name, whose letter case is kept.
    ///
    /// # Errors
    ///
    /// Returns [`BadScheme`] if the name is not valid for a URN scheme, or is `eidr`, `eidr-u` or
    /// `eidr-s`.
    pub fn new(name: &'a str) -> Result<Self, BadScheme> {
        if !is_scheme(name.as_bytes()) {
            return Err(BadScheme::Syntax(name.to_owned()));
        }
        if MARKS.iter().any(|mark| mark.eq_ignore_ascii_case(name)) {
            return Err(BadScheme::Reserved(name.to_owned()));
        }
        Ok(Scheme(name))
    }

    /// The name.
    pub const fn as_str(&self) -> &'a str {
        self.0
    }
}

/// The reason why a name is not a valid scheme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadScheme {
    /// It violates RFC 8141, section 2.
    #[error(
        "scheme {0:?}: expected 2 to 32 letters, digits and hyphens, and no hyphen at either end"
    )]
    Syntax(String),
    /// It is reserved as the mark of a form.
    #[error("scheme {0:?}: expected a name other than eidr, eidr-u and eidr-s, which are reserved")]
    Reserved(String),
}

/// Marks that follow the scheme and cannot be schemes themselves.
const MARKS: [&str; 3] = ["eidr", "eidr-u", "eidr-s"];

/// `NID = alphanum 0*30( alphanum / "-" ) alphanum`
pub(super) fn is_scheme(name: &[u8]) -> bool {
    (2..=32).contains(&name.len())
        && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && name.first() != Some(&b'-')
        && name.last() != Some(&b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_back() {
        for form in EidrForm::ALL {
            assert_eq!(EidrForm::named(form.name()), Some(form));
            assert!(form.name().starts_with("eidr-"), "{form}");
        }
        assert_eq!(EidrForm::named("eidr"), None);
    }

    #[test]
    fn schemes() {
        for name in ["ab", "schemename", "X-studio9", &"a".repeat(32)] {
            assert_eq!(Scheme::new(name).map(|scheme| scheme.as_str().len()), Ok(name.len()));
        }
        for name in ["", "a", "-a", "a-", "a:b", "a b", "é1", "a%2F", &"a".repeat(33)] {
            assert!(matches!(Scheme::new(name), Err(BadScheme::Syntax(_))), "{name}");
        }
        for name in ["eidr", "EIDR", "eidr-u", "Eidr-S"] {
            assert!(matches!(Scheme::new(name), Err(BadScheme::Reserved(_))), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_scheme() {
        assert_eq!(
            Scheme::new("a:b").unwrap_err().to_string(),
            "scheme \"a:b\": expected 2 to 32 letters, digits and hyphens, and no hyphen at either end"
        );
        assert_eq!(
            Scheme::new("eidr").unwrap_err().to_string(),
            "scheme \"eidr\": expected a name other than eidr, eidr-u and eidr-s, which are reserved"
        );
    }
}
