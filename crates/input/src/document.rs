//! Documents in formats other than plain text. They are scanned as raw bytes, which can miss DOIs.

use super::InputName;
use std::path::{Path, PathBuf};

/// A document format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Document {
    /// A zip archive of XML in which formatting splits the text.
    Docx,
    /// A compound file, the format of Word before 2007 and of other programs.
    Compound,
    /// A database whose pages may split long texts or store text as UTF-16.
    Sqlite,
}

/// The member of a docx file that holds the text.
const DOCX_TEXT: &str = "word/document.xml";

impl Document {
    /// All formats, in the order of their discriminants.
    pub const ALL: [Document; 3] = [Document::Docx, Document::Compound, Document::Sqlite];

    /// Returns the document that `name` is, or whose text `name` is, and the path of that document.
    pub fn of(name: &InputName, head: &[u8]) -> Option<(Document, PathBuf)> {
        if name.content() == Path::new(DOCX_TEXT) {
            let path = name.path().as_os_str().as_encoded_bytes();
            let outer = path.strip_suffix(DOCX_TEXT.as_bytes())?.strip_suffix(b"!")?;
            return Some((
                Document::Docx,
                PathBuf::from(doiscan_os::paths::from_bytes(outer).into_owned()),
            ));
        }
        let signatures: [(&[u8], Document); 2] = [
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Document::Compound),
            (b"SQLite format 3\0", Document::Sqlite),
        ];
        let found = signatures.iter().find(|(bytes, _)| head.starts_with(bytes))?;
        Some((found.1, name.path().to_path_buf()))
    }

    /// The name of the format in messages.
    pub const fn noun(self) -> &'static str {
        match self {
            Document::Docx => "Word file",
            Document::Compound => "old Office file",
            Document::Sqlite => "SQLite database",
        }
    }

    /// A command that prints the text of `file`.
    pub fn text_command(self, file: &str) -> String {
        match self {
            Document::Docx => format!("unzip -p {file} {DOCX_TEXT} | sed 's/<[^>]*>//g'"),
            Document::Compound => format!("catdoc {file}"),
            Document::Sqlite => format!("sqlite3 {file} .dump"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_by_their_first_bytes() {
        for (name, head, document) in [
            ("a", &b"SQLite format 3\0"[..], Some(Document::Sqlite)),
            ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Some(Document::Compound)),
            ("a.doc", b"text", None),
            (DOCX_TEXT, b"<?xml", None),
        ] {
            let found = Document::of(&InputName::new(Path::new(name)), head);
            assert_eq!(found, document.map(|d| (d, PathBuf::from(name))), "{name}");
        }
    }
}
