//! Documents in formats other than plain text. They are scanned as raw bytes, which can miss DOIs.

use super::InputName;
use super::unpack::codec::has_suffix;
use super::unpack::magic::COMPOUND;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A document format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Document {
    /// A zip archive of XML in which formatting splits the text.
    Docx,
    /// A compound file, the format of Word before 2007 and of other programs.
    Compound,
}

/// The member of a docx file that holds the text.
const DOCX_TEXT: &str = "word/document.xml";

impl Document {
    /// Returns the document that `name` is, or whose text `name` is, and the path of that document.
    pub fn of(name: &InputName, head: &[u8]) -> Option<(Document, PathBuf)> {
        if name.content_bytes() == DOCX_TEXT.as_bytes() {
            let path = name.path().as_os_str().as_encoded_bytes();
            let outer = path.strip_suffix(DOCX_TEXT.as_bytes())?.strip_suffix(b"!")?;
            let outer = PathBuf::from(doiscan_os::paths::from_bytes(outer).into_owned());
            return Some((Document::Docx, outer));
        }
        let is_encrypted = || has_suffix(name.content(), &["docx", "xlsx", "pptx"]);
        let is_compound = head.starts_with(COMPOUND) && !is_encrypted();
        is_compound.then(|| (Document::Compound, name.path().to_path_buf()))
    }

    /// The name of the format in messages.
    pub const fn noun(self) -> &'static str {
        match self {
            Document::Docx => "Word file",
            Document::Compound => "old Office file",
        }
    }

    /// A command that scans the text of `file`.
    pub fn scan_command(self, file: &str) -> String {
        let print = match self {
            Document::Docx => format!("unzip -p {file} {DOCX_TEXT} | sed 's/<[^>]*>//g'"),
            // With LibreOffice.
            Document::Compound => {
                return format!(
                    "soffice --convert-to pdf --outdir converted {file} && doiscan scan converted"
                );
            }
        };
        format!("{print} | doiscan scan -")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn documents_are_told_by_their_first_bytes() {
        for (name, head, document) in [
            ("a.doc", &b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], Some(Document::Compound)),
            ("a.doc", b"text", None),
            ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", None),
            (DOCX_TEXT, b"<?xml", None),
        ] {
            let found = Document::of(&InputName::new(Path::new(name)), head);
            assert_eq!(found, document.map(|d| (d, PathBuf::from(name))), "{name}");
        }
    }
}
