//! Documents in which no DOI was found. Their text may be inaccessible.

use doiscan_input::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum number of documents remembered.
const MOST: usize = 1_000;

/// Documents of one kind in which no DOI was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Silent {
    /// Their type.
    pub document: Document,
    /// The first of them, in path order.
    pub path: PathBuf,
    /// Number of documents.
    pub count: u64,
    /// Whether there may be more than `count`.
    pub is_more: bool,
}

/// Number of DOIs found in each document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    found: BTreeMap<PathBuf, (Document, u64)>,
    is_more: bool,
}

impl Documents {
    /// Adds DOIs found in a part of the document `path`.
    pub(crate) fn found(&mut self, document: Document, path: &Path, dois: u64) {
        if let Some((_, sum)) = self.found.get_mut(path) {
            *sum += dois;
        } else if self.found.len() < MOST {
            self.found.insert(path.to_path_buf(), (document, dois));
        } else {
            self.is_more = true;
        }
    }

    /// Adds the counts of another worker.
    pub(crate) fn add(&mut self, other: Documents) {
        self.is_more |= other.is_more;
        for (path, (document, dois)) in other.found {
            self.found(document, &path, dois);
        }
    }

    /// All documents by path, with the DOIs found in each.
    pub(crate) fn into_found(self) -> BTreeMap<PathBuf, (Document, u64)> {
        self.found
    }

    /// The documents without a DOI, grouped by type.
    pub(crate) fn silent(self) -> Vec<Silent> {
        let mut kinds: BTreeMap<Document, Silent> = BTreeMap::new();
        for (path, (document, _)) in self.found.into_iter().filter(|(_, (_, dois))| *dois == 0) {
            let new = Silent { document, path, count: 0, is_more: self.is_more };
            kinds.entry(document).or_insert(new).count += 1;
        }
        kinds.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_a_doi_in_any_part_is_not_silent() {
        let (mut one, mut other) = (Documents::default(), Documents::default());
        one.found(Document::Docx, Path::new("a"), 0);
        one.found(Document::Docx, Path::new("b"), 0);
        one.found(Document::Sqlite, Path::new("d"), 0);
        other.found(Document::Docx, Path::new("a"), 1);
        other.found(Document::Docx, Path::new("c"), 0);
        one.add(other);
        let silent = one.silent();
        let found: Vec<_> =
            silent.iter().map(|s| (s.document, s.path.as_path(), s.count)).collect();
        let expected = [(Document::Docx, Path::new("b"), 2), (Document::Sqlite, Path::new("d"), 1)];
        assert_eq!(found, expected);
    }

    #[test]
    fn many_documents_are_counted_to_a_limit() {
        let mut many = Documents::default();
        for n in 0..MOST + 5 {
            many.found(Document::Docx, Path::new(&n.to_string()), 0);
        }
        let silent = many.silent();
        assert_eq!((silent[0].count, silent[0].is_more), (MOST as u64, true));
    }
}
