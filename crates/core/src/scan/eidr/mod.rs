//! Finds EIDRs that are not written as DOIs: bare values of keys and columns named EIDR.
//!
//! An EIDR written as a DOI (in canonical form, without hyphens, in a URN, in an address) is a
//! candidate of [`Scanner`](super::Scanner), and [`of_name`] judges the name that it finds. A
//! suffix without its prefix and the binary forms are not DOIs, and other identifiers can have
//! the same characters. They are read only in [`values`](each_in) of a key or column that
//! [`is_named`] EIDR. A suffix is recognised by its check character, a binary form by the
//! sub-prefix at its start.

mod key;
#[cfg(test)]
mod tests;
mod value;

pub use key::{LOOKAHEAD, is_named};
pub use value::{EidrValue, LONGEST, each_in, of_name};

use core::ops::Range;
use memchr::memmem::Finder;

/// Searchers for keys named EIDR.
#[derive(Debug)]
pub struct Keys([Finder<'static>; key::SPELLINGS.len()]);

impl Default for Keys {
    fn default() -> Self {
        Keys(key::SPELLINGS.map(Finder::new))
    }
}

impl Keys {
    /// Calls `visit` with the bare values of each key that starts in `starts`. Looks at the byte
    /// before the key and at most at [`LOOKAHEAD`] bytes from its start on.
    ///
    /// # Panics
    ///
    /// If `starts` does not lie within `haystack`.
    pub fn each(&self, haystack: &[u8], starts: Range<usize>, mut visit: impl FnMut(EidrValue)) {
        let reach = haystack.len().min(starts.end + key::SPELLINGS[0].len() - 1);
        for finder in &self.0 {
            for at in finder.find_iter(&haystack[starts.start..reach]) {
                let at = starts.start + at;
                let text = &haystack[at..haystack.len().min(at + LOOKAHEAD)];
                key::values(haystack[..at].last().copied(), text, &mut visit);
            }
        }
    }
}
