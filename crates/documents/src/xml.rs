//! XML as a sequence of tags and text. Entities that a document declares are not expanded.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// A piece of XML. Names are without prefix.
pub(crate) enum Node<'n, 'x> {
    Start(&'n str, &'n BytesStart<'x>),
    End(&'n str),
    Text(&'n str),
}

/// Passes on the pieces of `xml`. Returns whether it was read to its end: damaged XML is read up to
/// the damage.
pub(crate) fn walk<'x>(xml: &'x str, mut visit: impl FnMut(Node<'_, 'x>)) -> bool {
    let mut reader = Reader::from_str(xml);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => visit(Node::Start(tag.local_name().as_ref(), &tag)),
            Ok(Event::Empty(tag)) => {
                visit(Node::Start(tag.local_name().as_ref(), &tag));
                visit(Node::End(tag.local_name().as_ref()));
            }
            Ok(Event::End(tag)) => visit(Node::End(tag.local_name().as_ref())),
            Ok(Event::Text(text)) => visit(Node::Text(&text.into_inner())),
            Ok(Event::CData(text)) => visit(Node::Text(&text.into_inner())),
            Ok(Event::GeneralRef(entity)) => {
                let character = match entity.resolve_char_ref() {
                    Ok(Some(character)) => Some(character),
                    _ => named(&entity.into_inner()),
                };
                if let Some(character) = character {
                    visit(Node::Text(character.encode_utf8(&mut [0; 4])));
                }
            }
            Ok(Event::Eof) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

fn named(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        // Of HTML.
        "nbsp" => Some('\u{a0}'),
        "shy" => Some('\u{ad}'),
        "ndash" => Some('–'),
        "mdash" => Some('—'),
        _ => None,
    }
}

/// Returns the value of the attribute with this local name.
pub(crate) fn attribute<'t>(tag: &'t BytesStart<'_>, name: &str) -> Option<Cow<'t, str>> {
    let mut attributes = tag.attributes();
    let attributes = attributes.with_checks(false);
    let found = attributes.flatten().find(|a| a.key.local_name().as_ref() == name)?;
    let value = found.value;
    match quick_xml::escape::unescape(&value) {
        Ok(unescaped) => Some(Cow::Owned(unescaped.into_owned())),
        Err(_) => Some(value),
    }
}

/// Returns the text of a file of XML.
pub(crate) fn decode(data: Vec<u8>) -> String {
    let utf16 = |unit: fn([u8; 2]) -> u16| {
        let units = data[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match &data[..] {
        [0xfe, 0xff, ..] => utf16(u16::from_be_bytes),
        [0xff, 0xfe, ..] => utf16(u16::from_le_bytes),
        _ => match String::from_utf8(data) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        },
    }
}
