//! Inputs that deserve a look: a document whose text may be inaccessible, a file without a byte, a
//! table whose selected columns have no value, a text that is not UTF-8, a list of DOIs in a folder.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum number of inputs remembered for each cause.
const MOST: usize = 1_000;

/// Maximum number of them named.
const NAMED: usize = 20;

/// Why an input deserves a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Cause {
    /// It is a compound file, whose text may be inaccessible, whatever was found in it.
    Compound,
    /// It has no bytes, as after a download that failed.
    Empty,
    /// It is a table with rows, whose selected columns have no value.
    NoValue,
    /// It is a table with columns of text that were not read, because their names lack `doi`.
    InPart,
    /// It is a text that does not begin as UTF-8, whatever was found in it.
    NotUtf8,
    /// It is a document of images, or a page without text, such as a figure.
    NoText,
    /// It is a list of DOIs that was found in a folder, as an earlier run may have written it.
    List,
    /// It has none of the columns and fields to which the search is limited.
    NoField,
}

/// Inputs in which nothing was found, for one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Silent {
    /// The cause.
    pub cause: Cause,
    /// The first of them, in path order: one at least, and at most 20.
    pub first: Vec<PathBuf>,
    /// Number of inputs.
    pub count: u64,
    /// Whether there may be more than `count`.
    pub is_more: bool,
}

/// Number of DOIs or values found in each input that may be silent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspects(BTreeMap<Cause, Alike>);

/// Those of one cause: the first by path.
#[derive(Clone, Debug, Default)]
struct Alike {
    found: BTreeMap<PathBuf, u64>,
    is_more: bool,
}

impl Suspects {
    /// Adds DOIs found in a part of the input `path`.
    pub(crate) fn found(&mut self, cause: Cause, path: &Path, dois: u64) {
        let alike = self.0.entry(cause).or_default();
        if let Some(sum) = alike.found.get_mut(path) {
            *sum += dois;
            return;
        }
        alike.found.insert(path.to_path_buf(), dois);
        // A later part of the last one would be the last one again.
        if alike.found.len() > MOST {
            alike.found.pop_last();
            alike.is_more = true;
        }
    }

    /// Adds the counts of another worker.
    pub(crate) fn add(&mut self, other: Suspects) {
        for (cause, alike) in other.0 {
            self.0.entry(cause).or_default().is_more |= alike.is_more;
            alike.found.into_iter().for_each(|(path, dois)| self.found(cause, &path, dois));
        }
    }

    /// All of them by path, with the DOIs found in each.
    pub(crate) fn into_found(self) -> BTreeMap<(PathBuf, Cause), u64> {
        let of = |(cause, alike): (Cause, Alike)| {
            alike.found.into_iter().map(move |(path, dois)| ((path, cause), dois))
        };
        self.0.into_iter().flat_map(of).collect()
    }

    /// Those without a DOI, grouped by cause.
    pub(crate) fn silent(self) -> Vec<Silent> {
        let of = |(cause, Alike { found, is_more }): (Cause, Alike)| {
            let mut first: Vec<_> =
                found.into_iter().filter(|(_, dois)| *dois == 0).map(|(path, _)| path).collect();
            let count = first.len() as u64;
            first.truncate(NAMED);
            (count > 0).then_some(Silent { cause, first, count, is_more })
        };
        self.0.into_iter().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_a_doi_in_any_part_is_not_silent() {
        let (mut one, mut other) = (Suspects::default(), Suspects::default());
        let [list, old] = [Cause::List, Cause::Compound];
        one.found(list, Path::new("a"), 0);
        one.found(list, Path::new("b"), 0);
        one.found(old, Path::new("d"), 0);
        other.found(list, Path::new("a"), 1);
        other.found(list, Path::new("c"), 0);
        other.found(Cause::Empty, Path::new("e"), 0);
        one.add(other);
        let silent = one.silent();
        let found: Vec<_> =
            silent.iter().map(|s| (s.cause, s.first[0].as_path(), s.count)).collect();
        let expected = [(old, "d", 1), (Cause::Empty, "e", 1), (list, "b", 2)];
        assert_eq!(found, expected.map(|(cause, path, count)| (cause, Path::new(path), count)));
    }

    #[test]
    fn many_documents_are_counted_to_a_limit() {
        let list = Cause::List;
        let name = |n: usize| PathBuf::from(format!("{n:04}"));
        let (mut one, mut other) = (Suspects::default(), Suspects::default());
        for n in (0..MOST + 5).rev() {
            one.found(list, &name(n), 0);
        }
        // The first by path are kept in whatever order they come.
        other.found(list, &name(MOST + 2), 1);
        other.found(list, &name(0), 1);
        one.add(other);
        let silent = one.silent();
        assert_eq!((silent[0].count, silent[0].is_more), (MOST as u64 - 1, true));
        assert_eq!(silent[0].first, (1..=NAMED).map(name).collect::<Vec<_>>());
    }
}
