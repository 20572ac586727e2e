//! Notes of cells. In Excel since 2007: comments (ECMA-376), and threaded comments since 2019.

use crate::budget::Budget;
use crate::error::Error;
use crate::xml::{Node, attribute, walk};
use crate::zip::Zip;
use std::collections::{HashMap, HashSet};

/// A note, or a reply to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// `SHEET!B3`, or `SHEET!B3 reply 1`.
    pub(super) place: String,
    pub(super) text: String,
}

/// The kinds of notes, as types of relationships end. For programs that do not know threaded comments, their text is
/// in a comment of the same cell too, which is passed over.
const KINDS: [&str; 2] = ["/threadedComment", "/comments"];

/// Reads the notes of the sheet `sheet`, which is the member `member`, in the order of the file.
pub(super) fn read(
    zip: &Zip<'_>,
    (sheet, member): (&str, &str),
    budget: &mut Budget,
) -> Result<Vec<Note>, Error> {
    let mut notes = Vec::new();
    let mut threaded = HashSet::new();
    let related = related(zip, member, budget)?;
    for kind in KINDS {
        let members = related.iter().filter(|(found, _)| found.ends_with(kind));
        let mut found: Vec<(String, String)> = Vec::new();
        for member in members.filter_map(|(_, name)| zip.find(name)) {
            let (xml, _) = zip.read(member, budget)?;
            if !cells(&xml, &mut found) {
                zip.note_damage(sheet);
            }
        }
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for (cell, text) in found.into_iter().filter(|(cell, _)| !threaded.contains(cell)) {
            budget.hold(text.len() as u64)?;
            let number = numbers.entry(cell.clone()).or_default();
            let place = match *number {
                0 => format!("{sheet}!{cell}"),
                reply => format!("{sheet}!{cell} reply {reply}"),
            };
            *number += 1;
            notes.push(Note { place, text });
        }
        threaded = numbers.into_keys().collect();
    }
    Ok(notes)
}

/// Adds cell and text of each note in `xml`. Returns whether it was read to its end.
fn cells(xml: &str, found: &mut Vec<(String, String)>) -> bool {
    let (mut cell, mut text) = (None, String::new());
    let (mut is_text, mut is_sound) = (false, false);
    let mut is_threaded = false;
    walk(xml, |node| match node {
        Node::Start(name @ ("comment" | "threadedComment"), tag) => {
            is_threaded = name == "threadedComment";
            cell = attribute(tag, "ref").map(|cell| cell.into_owned());
            text.clear();
        }
        Node::End("comment" | "threadedComment") => {
            found.extend(cell.take().map(|cell| (cell, std::mem::take(&mut text))));
        }
        Node::Start("rPh", _) => is_sound = true,
        Node::End("rPh") => is_sound = false,
        // The runs of a comment, or the text of a threaded one.
        Node::Start("t", _) => is_text = true,
        Node::Start("text", _) => is_text = is_threaded,
        Node::End("t" | "text") => is_text = false,
        Node::Text(part) if is_text && !is_sound => text.push_str(part),
        _ => {}
    })
}

/// Returns the letters of the column with this index: `A` for 0, `AA` for 26.
pub(super) fn letters(column: usize) -> String {
    let last = char::from(b'A' + (column % 26) as u8);
    match (column / 26).checked_sub(1) {
        Some(before) => letters(before) + last.encode_utf8(&mut [0; 4]),
        None => last.to_string(),
    }
}

/// Returns the types and the names of the members that `member` refers to.
fn related(
    zip: &Zip<'_>,
    member: &str,
    budget: &mut Budget,
) -> Result<Vec<(String, String)>, Error> {
    let (folder, file) = member.rsplit_once('/').unwrap_or(("", member));
    let Some(member) = zip.find(&format!("{folder}/_rels/{file}.rels")) else {
        return Ok(Vec::new());
    };
    let (xml, _) = zip.read(member, budget)?;
    let mut related = Vec::new();
    walk(&xml, |node| {
        if let Node::Start("Relationship", tag) = node
            && let (Some(kind), Some(target)) = (attribute(tag, "Type"), attribute(tag, "Target"))
        {
            related.push((kind.into_owned(), absolute(folder, &target)));
        }
    });
    Ok(related)
}

/// The name of the member `target`, which is relative to `folder` unless it begins with a slash.
fn absolute(folder: &str, target: &str) -> String {
    if let Some(target) = target.strip_prefix('/') {
        return target.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in target.split('/') {
        match part {
            ".." => _ = parts.pop(),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        for (column, expected) in [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")] {
            assert_eq!(letters(column), expected);
        }
    }

    #[test]
    fn targets_are_relative_to_the_folder() {
        for (target, expected) in [
            ("../comments1.xml", "xl/comments1.xml"),
            ("./a.xml", "xl/worksheets/a.xml"),
            ("/xl/threadedComments/a.xml", "xl/threadedComments/a.xml"),
            ("../../../a.xml", "a.xml"),
        ] {
            assert_eq!(absolute("xl/worksheets", target), expected);
        }
    }
}
