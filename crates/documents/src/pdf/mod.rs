//! PDF files: the text of their pages, the addresses of their links and their metadata.

mod count;
mod encrypted;
mod extras;
mod font;
mod images;
mod lines;
mod matrix;
mod page;
mod string;
mod syntax;
mod unpack;

#[cfg(test)]
mod tests;

use crate::budget::Budget;
use crate::error::{Error, ErrorKind};
use crate::{Content, Parts, guarded};
use font::Fonts;
use hayro_syntax::Pdf;
use hayro_syntax::{DecryptionError, LoadPdfError};
use std::sync::Arc;

/// Maximum number of pages.
const PAGES: usize = 200_000;

/// Extracts the parts of a PDF file.
pub(crate) fn extract(
    file: &Arc<Vec<u8>>,
    budget: &mut Budget,
    parts: &mut Parts<'_>,
) -> Result<(), Error> {
    count::check(file, budget)?;
    let data = Arc::clone(file);
    let pdf = guarded(|| Pdf::new(data)).ok_or_else(unreadable)?.map_err(refusal)?;
    pages(&pdf, file, budget, parts)
}

fn unreadable() -> Error {
    Error::new(ErrorKind::Unreadable, "not a readable PDF file")
}

fn refusal(error: LoadPdfError) -> Error {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            Error::new(ErrorKind::Encrypted, "is encrypted with a password")
        }
        LoadPdfError::Decryption(_) => {
            Error::new(ErrorKind::Encrypted, "is encrypted in an unknown way")
        }
        LoadPdfError::Invalid => unreadable(),
    }
}

fn pages(pdf: &Pdf, file: &[u8], budget: &mut Budget, parts: &mut Parts<'_>) -> Result<(), Error> {
    let pages = guarded(|| pdf.pages()).ok_or_else(unreadable)?;
    let mut fonts = Fonts::new();
    let (mut has_text, mut damaged) = (false, Vec::new());
    extras::metadata(pdf, file, budget, parts);
    for (number, page) in pages.iter().enumerate().take(PAGES) {
        if parts.is_ended {
            return Ok(());
        }
        let place = format!("page {}", number + 1);
        let read = guarded(|| page::read(page, &mut fonts, budget));
        let text = match read {
            Some(Ok(read)) => {
                if read.is_damaged {
                    damaged.push(number + 1);
                }
                read.text
            }
            Some(Err(error)) => return Err(error.at(&place)),
            None => {
                damaged.push(number + 1);
                String::new()
            }
        };
        has_text |= text.contains(|c: char| c.is_alphanumeric());
        parts.give(&place, &text, Content::Text);
        let links = guarded(|| extras::links(page, &text)).unwrap_or_default();
        parts.give(&place, &links, Content::Links);
    }
    match &damaged[..] {
        [] if !has_text && !pages.is_empty() => {
            let count = pages.len();
            let noun = if count == 1 { "page" } else { "pages" };
            let message = format!("no text in {count} {noun}; it may need OCR");
            Err(Error::new(ErrorKind::NoText, message))
        }
        [] => Ok(()),
        [first, rest @ ..] => {
            let others =
                if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let message = format!("page {first}{others} could not be read");
            Err(Error::new(ErrorKind::Damaged, message))
        }
    }
}
