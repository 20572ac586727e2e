//! Documents and objects within documents, and text beside the main text.

use super::{compound, docx, expect, read, zip};

const SLIDES: (&str, &[u8]) = ("ppt/presentation.xml", b"<p:presentation/>");
const ODT: (&str, &[u8]) = ("mimetype", b"application/vnd.oasis.opendocument.text");

/// An object that holds a file with its name and its path (MS-OLEDS, 2.3.6).
fn native(data: &[u8]) -> Vec<u8> {
    let len = (data.len() as u32).to_le_bytes();
    let object =
        [b"\0\0\0\0\x02\0a.txt\0C:\\a.txt\0\0\0\x03\0\x05\0\0\0C:\\a\0", &len[..], data].concat();
    compound(&[("/\u{1}Ole10Native", &object)])
}

fn text(name: &str) -> String {
    format!("<w:p><w:r><w:t>{name}</w:t></w:r></w:p>")
}

#[test]
fn documents_and_objects_within_documents_are_read() {
    let inner = docx(&text("10.1000/in"), &[]);
    let body = "word/document.xml";
    for (name, data, place) in [
        ("word/embeddings/a.docx", inner.clone(), Some(format!("!{body}"))),
        ("word/embeddings/a.rtf", br"{\rtf1 10.1000/in}".to_vec(), Some("!text".to_owned())),
        ("word/embeddings/a.bin", compound(&[("/Package", &inner)]), Some(format!("!{body}"))),
        ("word/embeddings/b.bin", compound(&[("/CONTENTS", b"10.1000/in")]), Some(String::new())),
        ("word/embeddings/c.bin", native(b"10.1000/in"), Some(String::new())),
        ("word/embeddings/d.bin", compound(&[("/Equation Native", b"10.1000/in")]), None),
        ("word/vbaProject.bin", compound(&[("/PROJECT", b"10.1000/in")]), None),
        ("word/media/a.png", inner.clone(), None),
    ] {
        let file = docx(&text("10.1000/out"), &[(name, &data)]);
        let inside = place.map(|place| format!("{name}{place}"));
        let inside = inside.iter().map(|place| (place.as_str(), "10.1000/in"));
        let expected: Vec<_> = [(body, "10.1000/out")].into_iter().chain(inside).collect();
        expect(&file, &expected);
    }
    let other = compound(&[("/Other", b"10.1000/in")]);
    let error = read(&docx(&text("a"), &[("word/embeddings/o.bin", &other)])).1;
    let message = "word/embeddings/o.bin is an object of another program and is not read";
    assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(message));
    // In slides, texts and sheets too.
    let place = format!("{{}}!{body}");
    for (before, name) in [
        (SLIDES, "ppt/embeddings/a.docx"),
        (ODT, "Object 1"),
        (ODT, "ObjectReplacements/Object 1"),
        (("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), "Object 1"),
    ] {
        let sheet = b"<spreadsheet><table name=\"a\"/></spreadsheet>";
        let file = zip(&[
            before,
            ("content.xml", sheet),
            ("ppt/slides/slide1.xml", b"<a/>"),
            (name, &inner),
        ]);
        expect(&file, &[(&place.replace("{}", name), "10.1000/in")]);
    }
}

#[test]
fn text_of_charts_and_diagrams_is_read() {
    let point = "<c:c><c:tx><a:p><a:r><a:t>10.1000/a</a:t></a:r></a:p></c:tx><c:pt idx='0'><c:v>10.1000/b</c:v></c:pt><c:pt><c:v>c</c:v></c:pt></c:c>";
    let diagram =
        "<dgm:m><dgm:pt><dgm:t><a:p><a:r><a:t>10.1000/a</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:m>";
    let (in_chart, in_diagram) = ("10.1000/a\n10.1000/b\nc", "10.1000/a");
    let xlsx = ("xl/workbook.xml", &b"<workbook/>"[..]);
    let word = ("word/document.xml", &b"<w/>"[..]);
    for (main, name, xml, expected) in [
        (word, "word/charts/chart1.xml", point, in_chart),
        (word, "word/diagrams/data1.xml", diagram, in_diagram),
        (word, "word/diagrams/drawing1.xml", diagram, in_diagram),
        (SLIDES, "ppt/charts/chart1.xml", point, in_chart),
        (SLIDES, "ppt/diagrams/drawing1.xml", diagram, in_diagram),
        (xlsx, "xl/charts/chart1.xml", point, in_chart),
        (xlsx, "xl/drawings/drawing1.xml", diagram, in_diagram),
        (xlsx, "docProps/core.xml", "<a>10.1000/a</a>", "<a>10.1000/a</a>"),
    ] {
        let (parts, _) = read(&zip(&[main, (name, xml.as_bytes())]));
        let parts: Vec<_> =
            parts.iter().map(|(place, text)| (place.as_str(), text.trim())).collect();
        assert_eq!(parts, [(name, expected)]);
    }
    let master = ("ppt/slideMasters/slideMaster1.xml", diagram.as_bytes());
    let slide = ("ppt/slides/slide1.xml", &b"<a:p><a:r><a:t>x</a:t></a:r></a:p>"[..]);
    expect(&zip(&[SLIDES, master, slide]), &[(master.0, "10.1000/a"), (slide.0, "x")]);
    let chart = b"<o><p>10.1000/a</p></o>";
    expect(&zip(&[ODT, ("Object 1/content.xml", chart)]), &[("Object 1/content.xml", "10.1000/a")]);
}

#[test]
fn entities_of_a_document_type_are_text() {
    let begin = "<!DOCTYPE html [<!ENTITY d '10.1000/d'> <!ENTITY e \"b&#45;c\">\n<!ENTITY % p 'x'><!ENTITY s SYSTEM 'f'>";
    for (value, expected) in [
        ("&d;", "10.1000/d"),
        ("10.1000/a&e;", "10.1000/ab-c"),
        // Not text, or unknown.
        ("&l;x", "&l;x"),
        ("&s;x", "&s;x"),
        ("10.1000/caf&eacute;", "10.1000/caf&eacute;"),
    ] {
        let laughs = "<!ENTITY a \"10.1000/a\"><!ENTITY l \"&a;&a;\">]>";
        let page = format!("{begin}{laughs}<html><body><p>{value}</p></body></html>");
        let file = zip(&[
            ("mimetype", b"application/epub+zip"),
            ("META-INF/container.xml", b"<c/>"),
            ("a.xhtml", page.as_bytes()),
        ]);
        expect(&file, &[("a.xhtml", expected)]);
    }
    // What they expand to is bounded.
    let long = format!("<!ENTITY x '{}'>]>", "x".repeat(1000));
    let page = format!("{begin}{long}<html><body><p>{}</p></body></html>", "&x;".repeat(10_000));
    let (parts, _) =
        read(&zip(&[("META-INF/container.xml", b"<c/>"), ("a.xhtml", page.as_bytes())]));
    assert!(parts[0].1.len() < 200_000, "{}", parts[0].1.len());
}
