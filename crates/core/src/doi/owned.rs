//! A DOI that owns its name.

use super::invalid::Invalid;
use super::syntax::Doi;
use alloc::boxed::Box;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

/// An owned DOI as it was written. Compared like [`Doi`].
///
/// ```
/// use doiscan_core::doi::DoiBuf;
///
/// let doi: DoiBuf = "10.1000/Abc".parse()?;
/// assert_eq!(doi, "10.1000/aBC".parse()?);
/// assert_eq!(doi.to_string(), "10.1000/Abc");
/// assert_eq!(doi.as_doi().canonical(), "10.1000/ABC");
/// # Ok::<(), doiscan_core::doi::Invalid>(())
/// ```
#[derive(Clone, Debug)]
pub struct DoiBuf {
    name: Box<str>,
    separator: usize,
}

impl DoiBuf {
    /// Returns the same DOI, borrowed.
    pub fn as_doi(&self) -> Doi<'_> {
        Doi::from_parts(&self.name, self.separator)
    }

    /// The whole name as it was written.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl From<Doi<'_>> for DoiBuf {
    fn from(doi: Doi<'_>) -> Self {
        DoiBuf { name: doi.as_str().into(), separator: doi.prefix().len() }
    }
}

impl FromStr for DoiBuf {
    type Err = Invalid;

    fn from_str(value: &str) -> Result<Self, Invalid> {
        Doi::parse(value.as_bytes()).map(DoiBuf::from)
    }
}

impl TryFrom<&[u8]> for DoiBuf {
    type Error = Invalid;

    fn try_from(value: &[u8]) -> Result<Self, Invalid> {
        Doi::parse(value).map(DoiBuf::from)
    }
}

impl PartialEq for DoiBuf {
    fn eq(&self, other: &Self) -> bool {
        self.as_doi() == other.as_doi()
    }
}

impl Eq for DoiBuf {}

impl PartialOrd for DoiBuf {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DoiBuf {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_doi().cmp(&other.as_doi())
    }
}

impl Hash for DoiBuf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_doi().hash(state);
    }
}

impl fmt::Display for DoiBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_doi().fmt(f)
    }
}

/// Serializes a DOI as text, as it was written. Deserializes it by the grammar of [`Doi::parse`].
#[cfg(feature = "serde")]
mod serialized {
    use super::{Doi, DoiBuf};
    use alloc::string::String;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    impl Serialize for Doi<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }

    impl Serialize for DoiBuf {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.as_doi().serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for DoiBuf {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, HashSet};

    #[test]
    fn two_spellings_are_one_element() {
        let names = ["10.1000/b", "10.1000/B", "10.1000/A", "10.1000/é"];
        let dois = || names.iter().map(|name| name.parse::<DoiBuf>().unwrap());
        assert_eq!(dois().collect::<HashSet<_>>().len(), 3);
        let sorted: Vec<_> = dois().collect::<BTreeSet<_>>().into_iter().collect();
        let canonical: Vec<_> = sorted.iter().map(|doi| doi.as_doi().canonical()).collect();
        assert_eq!(canonical, ["10.1000/A", "10.1000/B", "10.1000/é"]);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serialized_as_text() {
        let doi: DoiBuf = "10.1000/a\"b".parse().unwrap();
        let json = serde_json::to_string(&doi).unwrap();
        assert_eq!(json, r#""10.1000/a\"b""#);
        assert_eq!(serde_json::from_str::<DoiBuf>(&json).unwrap(), doi);
        let error = serde_json::from_str::<DoiBuf>(r#""10.1000""#).unwrap_err().to_string();
        assert!(error.starts_with("separator: expected \"/\", found the end at byte 8"), "{error}");
    }
}
