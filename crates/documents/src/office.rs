//! Word, PowerPoint, OpenDocument and EPUB: zip archives of XML. Text is written by paragraph; runs
//! of one paragraph are joined.

use crate::budget::Budget;
use crate::error::{Error, ErrorKind};
use crate::links::Names;
use crate::xml::{Node, attribute, walk};
use crate::zip::{Member, Zip};
use crate::{APART, Content, Kind, MARKS, Parts, is_mark, raised};
use quick_xml::events::BytesStart;
use std::collections::HashSet;

/// Maximum number of blanks that one element may stand for.
const BLANKS: usize = 64;

/// Maximum nesting of notes and text boxes.
const NESTING: usize = 64;

/// What an element does to the text.
enum Action {
    /// A paragraph: text with a line end.
    Paragraph,
    /// Text is read within it, and nowhere else.
    Text,
    /// Text within it is an instruction of a field, such as `HYPERLINK "…"`.
    Field,
    /// It and all within it is passed over.
    Skip,
    /// Its text follows that of the paragraph around it.
    Aside,
    /// It stands for these characters.
    Characters(&'static str),
    /// It stands for blanks.
    Blanks,
    /// Its text is above the line.
    Raised,
    Nothing,
}

/// Elements of Word and PowerPoint (ECMA-376).
fn office(name: &str) -> Action {
    match name {
        "p" => Action::Paragraph,
        "t" | "text" => Action::Text,
        "instrText" => Action::Field,
        "del" | "moveFrom" | "Fallback" | "tabs" | "rt" | "rPrChange" => Action::Skip,
        "txbxContent" => Action::Aside,
        "tab" | "ptab" => Action::Characters("\t"),
        "br" | "cr" => Action::Characters("\n"),
        "noBreakHyphen" => Action::Characters("-"),
        _ => Action::Nothing,
    }
}

/// Elements of OpenDocument.
fn open_document(name: &str) -> Action {
    match name {
        "p" | "h" => Action::Paragraph,
        "tracked-changes" | "note-citation" | "binary-data" | "scripts" | "ruby-text" => {
            Action::Skip
        }
        "note-body" | "annotation" | "text-box" => Action::Aside,
        "tab" => Action::Characters("\t"),
        "line-break" => Action::Characters("\n"),
        "s" => Action::Blanks,
        _ => Action::Nothing,
    }
}

/// Elements of HTML. All but those of paragraphs join the text on both sides.
fn page(name: &str) -> Action {
    match name {
        "script" | "style" => Action::Skip,
        "p" | "div" | "li" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "td" | "th" | "tr"
        | "dt" | "dd" | "section" | "article" | "aside" | "figure" | "figcaption"
        | "blockquote" | "body" | "pre" | "title" | "text" | "identifier" | "source"
        | "relation" | "description" => Action::Paragraph,
        "br" => Action::Characters("\n"),
        "sup" => Action::Raised,
        _ => Action::Nothing,
    }
}

/// Tells which text is above the line, from the properties of runs and styles.
#[derive(Default)]
struct Height {
    /// Elements around the text that raise it.
    raised: u32,
    /// Whether the run of Word or PowerPoint is raised.
    is_run: bool,
    /// The style of OpenDocument that is being read, and those that raise text.
    style: String,
    styles: HashSet<String>,
    /// For each element of a style around the text, whether it is raised.
    spans: Vec<bool>,
    /// Whether the text before is raised.
    is_behind: bool,
}

impl Height {
    fn start(&mut self, name: &str, tag: &BytesStart<'_>, is_raised: bool) {
        let value = |key| attribute(tag, key).unwrap_or_default();
        match name {
            "r" => self.is_run = false,
            "vertAlign" => self.is_run = value("val") == "superscript",
            "position" => self.is_run = value("val").parse().is_ok_and(|rise: i32| rise > 0),
            "rPr" => self.is_run = value("baseline").parse().is_ok_and(|rise: i32| rise > 0),
            "style" => self.style = value("name").into_owned(),
            "text-properties" => {
                let position = value("text-position");
                let is_above = |rise: &str| {
                    rise.trim_end_matches('%').parse().is_ok_and(|rise: f64| rise > 0.0)
                };
                if position.starts_with("super") || position.split(' ').next().is_some_and(is_above)
                {
                    self.styles.insert(std::mem::take(&mut self.style));
                }
            }
            "span" => {
                let style = value("style").replace(' ', "");
                let is_super = style.contains("vertical-align:super");
                self.spans.push(is_super || self.styles.contains(&*value("style-name")));
            }
            _ => {}
        }
        self.raised += u32::from(is_raised);
    }

    /// Returns `action`, the action of the element that ends.
    fn end(&mut self, name: &str, action: Action) -> Action {
        match name {
            "r" => self.is_run = false,
            "span" => drop(self.spans.pop()),
            _ => {}
        }
        self.raised -= u32::from(matches!(action, Action::Raised) && self.raised > 0);
        action
    }

    /// Writes the text. A mark follows a word, and no other raised text.
    fn write(&mut self, text: &str, out: &mut String) {
        let is_raised = self.is_run || self.raised > 0 || self.spans.contains(&true);
        let follows = !out.is_empty() && !out.ends_with(char::is_whitespace);
        let is_first = !std::mem::replace(&mut self.is_behind, is_raised) && follows;
        // `a`, `a,b`, `1,a`
        let is_part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let is_letter = |part: &str| part.len() <= 2 && part.bytes().all(is_part);
        let are_letters = || text.len() <= MARKS && text.split([',', ' ']).all(is_letter);
        if is_raised && is_first && (is_mark(text) || are_letters()) {
            out.push(APART);
            out.extend(text.chars().map(raised));
        } else {
            out.push_str(text);
        }
    }
}

/// The text of a member, and the addresses in it.
#[derive(Default)]
struct Text {
    out: String,
    links: String,
    is_whole: bool,
}

/// Reads the text of `xml`. `needs_text` tells whether text is read only within [`Action::Text`].
fn text(xml: &str, action: fn(&str) -> Action, needs_text: bool) -> Text {
    let (mut links, mut field) = (String::new(), String::new());
    let mut buffers = vec![String::new()];
    let mut asides = String::new();
    let (mut skipped, mut inside, mut paragraphs, mut is_field) = (0u32, 0u32, 0u32, false);
    let mut height = Height::default();
    let is_whole = walk(xml, |node| match node {
        Node::Start(name, _) if skipped > 0 || matches!(action(name), Action::Skip) => skipped += 1,
        Node::End(_) if skipped > 0 => skipped -= 1,
        Node::Text(_) if skipped > 0 => {}
        Node::Start(name, tag) => {
            height.start(name, tag, matches!(action(name), Action::Raised));
            if matches!(name, "fldChar" | "p") && !field.is_empty() {
                links.push_str(&std::mem::take(&mut field));
                links.push('\n');
            }
            for key in ["instr", "href", "content"] {
                if let Some(value) = attribute(tag, key).filter(|value| value.contains("10.")) {
                    links.push_str(&value);
                    links.push('\n');
                }
            }
            match action(name) {
                Action::Text => inside += 1,
                Action::Paragraph => {
                    paragraphs += 1;
                    let text = last(&mut buffers);
                    if paragraphs > 1 && !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                }
                Action::Field => is_field = true,
                Action::Aside if buffers.len() < NESTING => buffers.push(String::new()),
                Action::Characters(text) => last(&mut buffers).push_str(text),
                Action::Blanks => {
                    let count = attribute(tag, "c").and_then(|c| c.parse().ok()).unwrap_or(1usize);
                    last(&mut buffers).push_str(&" ".repeat(count.min(BLANKS)));
                }
                _ => {}
            }
        }
        Node::End(name) => match height.end(name, action(name)) {
            Action::Text => inside = inside.saturating_sub(1),
            Action::Field => is_field = false,
            Action::Paragraph => {
                paragraphs = paragraphs.saturating_sub(1);
                last(&mut buffers).push('\n');
                if buffers.len() == 1 {
                    last(&mut buffers).push_str(&std::mem::take(&mut asides));
                }
            }
            Action::Aside if buffers.len() > 1 => {
                asides.push_str(&buffers.pop().unwrap_or_default())
            }
            _ => {}
        },
        Node::Text(text) if is_field => field.push_str(text),
        Node::Text(text) if inside > 0 => height.write(text, last(&mut buffers)),
        // Line ends in XML that is laid out to be read are blanks.
        Node::Text(text) if !needs_text && paragraphs > 0 => {
            height.write(&text.replace('\n', " "), last(&mut buffers));
        }
        Node::Text(_) => {}
    });
    links.push_str(&field);
    let mut out = buffers.concat();
    out.push_str(&asides);
    Text { out, links, is_whole }
}

fn last(buffers: &mut Vec<String>) -> &mut String {
    if buffers.is_empty() {
        buffers.push(String::new());
    }
    let at = buffers.len() - 1;
    &mut buffers[at]
}

/// What a member of a document is.
enum Role {
    Text,
    /// The metadata of the document.
    Metadata,
    /// A page in HTML.
    Page,
    /// Text as it is.
    Plain,
    None,
}

fn role(kind: Kind, name: &str) -> Role {
    let is_xml = name.ends_with(".xml");
    let is_any = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    match kind {
        Kind::Docx | Kind::Pptx if is_xml && is_any(&["docProps/", "customXml/item"]) => {
            Role::Metadata
        }
        Kind::Docx if is_xml => {
            const TEXTS: [&str; 8] = [
                "word/document",
                "word/footnotes",
                "word/endnotes",
                "word/comments",
                "word/header",
                "word/footer",
                "word/glossary/document",
                "word/diagrams/data",
            ];
            if is_any(&TEXTS) { Role::Text } else { Role::None }
        }
        Kind::Pptx if is_xml => {
            const TEXTS: [&str; 4] =
                ["ppt/slides/slide", "ppt/notesSlides/notes", "ppt/comments/", "ppt/diagrams/data"];
            if is_any(&TEXTS) { Role::Text } else { Role::None }
        }
        Kind::OpenDocument if matches!(name, "content.xml" | "styles.xml") => Role::Text,
        Kind::OpenDocument if name == "meta.xml" => Role::Metadata,
        Kind::Epub => {
            let is_any =
                |ends: &[&str]| ends.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
            match () {
                () if is_any(&[".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx"]) => Role::Page,
                () if is_any(&[".txt"]) => Role::Plain,
                () => Role::None,
            }
        }
        _ => Role::None,
    }
}

/// Extracts the parts of a document of this kind.
pub(crate) fn extract(
    kind: Kind,
    data: &[u8],
    budget: &mut Budget,
    parts: &mut Parts<'_>,
) -> Result<(), Error> {
    let zip = Zip::new(data);
    let mut has_text = false;
    for member in &zip.members {
        let role = role(kind, &member.name);
        if parts.is_ended || matches!(role, Role::None) {
            continue;
        }
        let (mut xml, is_complete) = zip.read(member, budget)?;
        has_text |= matches!(role, Role::Text | Role::Page | Role::Plain);
        if matches!(role, Role::Plain | Role::Metadata) {
            if !is_complete {
                drop_last_line(&mut xml);
            }
            let is_text = matches!(role, Role::Plain);
            let content = if is_text { Content::Text } else { Content::Metadata };
            parts.give(&member.name, &xml, content);
        } else {
            give_text(kind, &zip, member, &xml, is_complete, budget, parts)?;
        }
    }
    match has_text {
        false if zip.is_whole() => Err(Error::new(ErrorKind::Unreadable, "has no readable text")),
        _ => zip.end(),
    }
}

/// Drops the last line of a text that was cut, which may end within a name.
fn drop_last_line(text: &mut String) {
    text.truncate(text.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1));
}

/// Passes on the text of a member and the addresses of its links. `is_complete` tells whether the
/// end of the member is there.
fn give_text(
    kind: Kind,
    zip: &Zip<'_>,
    member: &Member,
    xml: &str,
    is_complete: bool,
    budget: &mut Budget,
    parts: &mut Parts<'_>,
) -> Result<(), Error> {
    let Text { mut out, mut links, is_whole } = match kind {
        Kind::OpenDocument => text(xml, open_document, false),
        Kind::Epub => text(xml, page, false),
        _ => text(xml, office, true),
    };
    if !is_whole {
        zip.note_damage(&member.name);
    }
    if !is_whole || !is_complete {
        drop_last_line(&mut out);
    }
    for target in targets(zip, &member.name, budget)? {
        links.push_str(&target.1);
        links.push('\n');
    }
    parts.give(&member.name, &out, Content::Text);
    parts.give(&member.name, &Names::of(&out).others(&links), Content::Links);
    Ok(())
}

/// Returns the external targets of a member, by their identifiers (ECMA-376, part 2).
pub(crate) fn targets(
    zip: &Zip<'_>,
    name: &str,
    budget: &mut Budget,
) -> Result<Vec<(String, String)>, Error> {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let name = format!("{folder}/_rels/{file}.rels");
    let Some(member) = zip.find(&name) else { return Ok(Vec::new()) };
    let (xml, _) = zip.read(member, budget)?;
    let mut targets = Vec::new();
    walk(&xml, |node| {
        if let Node::Start("Relationship", tag) = node
            && attribute(tag, "TargetMode").as_deref() == Some("External")
            && let (Some(id), Some(target)) = (attribute(tag, "Id"), attribute(tag, "Target"))
        {
            targets.push((id.into_owned(), target.into_owned()));
        }
    });
    Ok(targets)
}
