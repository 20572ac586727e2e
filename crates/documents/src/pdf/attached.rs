//! Files that are attached to a PDF file (ISO 32000-1, 7.11): to all of it, by their names, or to a place of a page.

use super::string::decode;
use super::unpack::unpack;
use crate::budget::Budget;
use crate::error::{Error, ErrorKind};
use crate::{Parts, give_file, guarded};
use hayro_syntax::Pdf;
use hayro_syntax::object::dict::keys::{ANNOTS, EMBEDDED_FILES, KIDS, NAMES};
use hayro_syntax::object::{Array, Dict, Object, ObjectIdentifier, Stream, String as Text};
use hayro_syntax::page::Page;
use std::collections::HashSet;

/// Maximum number of nodes of the tree of names, of entries in it, and of annotations of a page.
const MOST: usize = 20_000;

/// The attached files that were read.
#[derive(Default)]
pub(super) struct Attached {
    seen: HashSet<ObjectIdentifier>,
    /// Which were not read, and why.
    unread: Vec<String>,
}

impl Attached {
    /// Passes on the files that are attached to all of a file.
    pub(super) fn of_file(
        &mut self,
        pdf: &Pdf,
        budget: &mut Budget,
        parts: &mut Parts<'_>,
    ) -> Result<(), Error> {
        let files = guarded(|| named(pdf, budget)).unwrap_or(Ok(Vec::new()))?;
        files.iter().try_for_each(|file| self.give(file, budget, parts))
    }

    /// Passes on the files that are attached to places of a page.
    pub(super) fn of_page(
        &mut self,
        page: &Page<'_>,
        budget: &mut Budget,
        parts: &mut Parts<'_>,
    ) -> Result<(), Error> {
        let notes = guarded(|| dicts(page.raw(), ANNOTS, MOST, budget));
        for note in notes.unwrap_or(Ok(Vec::new()))? {
            if let Some(file) = guarded(|| note.get::<Dict<'_>>(b"FS")).flatten() {
                self.give(&file, budget, parts)?;
            }
        }
        Ok(())
    }

    /// Passes on the file that a specification has within it.
    fn give(
        &mut self,
        file: &Dict<'_>,
        budget: &mut Budget,
        parts: &mut Parts<'_>,
    ) -> Result<(), Error> {
        let found = guarded(|| embedded(file)).flatten();
        let Some((name, stream)) = found.filter(|(_, stream)| self.seen.insert(stream.obj_id()))
        else {
            return Ok(());
        };
        let Some(unpacked) = guarded(|| unpack(&stream, budget.room() / 4).ok()).flatten() else {
            self.unread.push(format!("{name} is not read"));
            return Ok(());
        };
        // The bytes, and their text.
        let size = unpacked.data.len() as u64;
        budget.spend(size)?;
        budget.hold(4 * size)?;
        let given = give_file(&name, unpacked.data, unpacked.is_damaged, budget, parts);
        budget.release(4 * size);
        match given {
            Err(error) if error.kind() == ErrorKind::Limit => return Err(error),
            Err(error) => self.unread.push(error.to_string()),
            Ok(()) if unpacked.is_damaged => self.unread.push(format!("{name} is damaged")),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Names what was not read.
    pub(super) fn damage(&self) -> Option<String> {
        match &self.unread[..] {
            [] => None,
            [one] => Some(format!("attached file {one}")),
            [one, rest @ ..] => Some(format!("attached file {one}, and {} more", rest.len())),
        }
    }
}

/// Returns the specifications in the tree of names of a file (7.7.4), and those of its associated files.
fn named<'a>(pdf: &'a Pdf, budget: &mut Budget) -> Result<Vec<Dict<'a>>, Error> {
    let Some(root) = pdf.xref().get::<Dict<'a>>(pdf.xref().root_id()) else {
        return Ok(Vec::new());
    };
    let mut files = dicts(&root, b"AF", MOST, budget)?;
    let tree = root.get::<Dict<'a>>(NAMES).and_then(|names| names.get::<Dict<'a>>(EMBEDDED_FILES));
    let (mut nodes, mut count) = (Vec::from_iter(tree), 0);
    while let Some(node) = nodes.pop() {
        count += 1;
        nodes.extend(dicts(&node, KIDS, MOST.saturating_sub(count + nodes.len()), budget)?);
        files.extend(dicts(&node, NAMES, MOST.saturating_sub(files.len()), budget)?);
    }
    Ok(files)
}

/// Returns the name and the bytes of the file that a specification has within it (7.11.3).
fn embedded<'a>(file: &Dict<'a>) -> Option<(String, Stream<'a>)> {
    const KEYS: [&[u8]; 5] = [b"UF", b"F", b"Unix", b"Mac", b"DOS"];
    let streams = file.get::<Dict<'a>>(b"EF")?;
    let stream = KEYS.iter().find_map(|key| streams.get::<Stream<'a>>(*key))?;
    let name = KEYS.iter().find_map(|key| file.get::<Text<'a>>(*key));
    let name = name.map(|name| decode(name.as_bytes())).filter(|name| !name.is_empty());
    Some((name.unwrap_or("attached file".to_owned()), stream))
}

/// Returns up to `most` dictionaries in the array `key`.
fn dicts<'a>(
    dict: &Dict<'a>,
    key: &[u8],
    most: usize,
    budget: &mut Budget,
) -> Result<Vec<Dict<'a>>, Error> {
    let Some(array) = dict.get::<Array<'a>>(key) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for item in array.iter::<Object<'a>>().filter_map(Object::into_dict).take(most) {
        budget.spend(item.data().len() as u64)?;
        found.push(item);
    }
    Ok(found)
}
