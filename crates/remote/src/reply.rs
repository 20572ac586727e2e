//! What servers and stores answer, and which version of an input it is of.

use crate::failure::Failure;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use std::ops::Range;

/// What tells one version of an input from others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    /// The number of bytes, if the server says it.
    pub(crate) size: Option<u64>,
    /// The entity tag.
    pub(crate) tag: Option<String>,
    /// The time of the last modification, as the server writes it.
    pub(crate) modified: Option<String>,
}

impl Version {
    /// Whether a reply may be of this version: what both say agrees.
    pub(crate) fn agrees(&self, other: &Version) -> bool {
        fn same<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
            a.zip(b).is_none_or(|(a, b)| a == b)
        }
        let tags = same(self.tag.as_ref(), other.tag.as_ref());
        tags && same(self.size.as_ref(), other.size.as_ref())
            && same(self.modified.as_ref(), other.modified.as_ref())
    }

    /// Whether anything tells it from others of its size.
    pub(crate) fn is_known(&self) -> bool {
        self.tag.is_some() || self.modified.is_some()
    }
}

/// A reply.
pub(crate) struct Reply {
    pub(crate) version: Version,
    /// The bytes that the body has, if the reply is for a range.
    pub(crate) range: Option<Range<u64>>,
    pub(crate) body: BoxStream<'static, Result<Bytes, Failure>>,
}
