//! Documents: PDF, Word, spreadsheets and others, through every route.

#![expect(clippy::disallowed_methods, reason = "tests make files and start processes")]

use crate::command::shell;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Crc;
use std::fs;
use std::path::Path;

/// A PDF file with a page for each text.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|n| format!("{} 0 R ", 4 + 2 * n)).collect();
    let mut objects = vec![
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        format!("<</Type /Pages /Kids [{kids}] /Count {}>>", pages.len()),
        "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>".to_owned(),
    ];
    for (n, text) in pages.iter().enumerate() {
        let content = format!("BT /F 10 Tf 50 700 Td ({text}) Tj ET");
        objects.push(format!(
            "<</Type /Page /Parent 2 0 R /Contents {} 0 R /MediaBox [0 0 600 800] \
             /Annots [<</A <</URI (https://doi.org/10.1000/link{n})>> >>] \
             /Resources <</Font <</F 3 0 R>> >> >>",
            5 + 2 * n
        ));
        let len = content.len();
        objects.push(format!("<</Length {len}>>\nstream\n{content}\nendstream"));
    }
    let (mut out, mut table) = ("%PDF-1.7\n".to_owned(), String::new());
    for (number, object) in (1..).zip(&objects) {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let (at, count) = (out.len(), objects.len() + 1);
    out.push_str(&format!(
        "xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<</Size {count} /Root 1 0 R>>\n\
         startxref\n{at}\n%%EOF\n"
    ));
    out.into_bytes()
}

/// A zip archive of these members, stored.
fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in members {
        let mut crc = Crc::new();
        crc.update(data.as_bytes());
        let len = (data.len() as u32).to_le_bytes();
        let header =
            [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &crc.sum().to_le_bytes(), &len, &len].concat();
        let header = [header, (name.len() as u32).to_le_bytes().to_vec()].concat();
        directory.extend([b"PK\x01\x02\x14\x00", &header[..], &[0; 10]].concat());
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        out.extend([b"PK\x03\x04", &header[..], name.as_bytes(), data.as_bytes()].concat());
    }
    let (at, count) = (out.len() as u32, (members.len() as u16).to_le_bytes());
    let len = (directory.len() as u32).to_le_bytes();
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &len, &at.to_le_bytes(), &[0; 2]];
    [out, directory, end.concat()].concat()
}

/// A Word file whose name of a DOI is divided into runs.
fn docx() -> Vec<u8> {
    zip(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "word/document.xml",
            "<w:document><w:body><w:p><w:r><w:t>see 10.10</w:t></w:r><w:r><w:t>00/body</w:t></w:r>\
             </w:p><w:del><w:r><w:t>10.1000/deleted</w:t></w:r></w:del></w:body></w:document>",
        ),
        ("word/footnotes.xml", "<w:footnotes><w:p><w:t>10.1000/note</w:t></w:p></w:footnotes>"),
        ("word/media/image.txt", "10.1000/image"),
    ])
}

/// A workbook with two sheets. Only the second has a column of DOIs.
fn xlsx() -> Vec<u8> {
    let row = |number: u32, cells: &[&str]| {
        let cells = cells.iter().map(|text| format!("<c t=\"str\"><v>{text}</v></c>"));
        format!("<row r=\"{number}\">{}</row>", cells.collect::<String>())
    };
    let sheet = |rows: String| format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    zip(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "xl/workbook.xml",
            "<workbook><sheets><sheet name=\"Notes\" r:id=\"r1\"/>\
             <sheet name=\"Works\" r:id=\"r2\"/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id=\"r1\" Target=\"worksheets/sheet1.xml\"/>\
             <Relationship Id=\"r2\" Target=\"worksheets/sheet2.xml\"/></Relationships>",
        ),
        ("xl/worksheets/sheet1.xml", &sheet(row(3, &["10.1000/notes"]))),
        (
            "xl/worksheets/sheet2.xml",
            &sheet(
                row(1, &["title", "doi"])
                    + &row(2, &["10.1000/title", "10.1000/a,b"])
                    + &row(4, &["", "10.1000/c"]),
            ),
        ),
    ])
}

/// Runs a command on files of a new folder, and returns the status, the output, the messages, and
/// the input, line and name of each hit.
fn scan(files: &[(&str, &[u8])], line: &str) -> (Option<i32>, String, String, Vec<String>) {
    let folder = tempfile::tempdir().expect("folder");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("write");
    }
    let (status, out, err) = shell(folder.path(), line);
    (status, out, err, hits(folder.path()))
}

fn hits(folder: &Path) -> Vec<String> {
    let rows = fs::read_to_string(folder.join("h.jsonl")).unwrap_or_default();
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let part = Some(text("part")).filter(|part| !part.is_empty());
        let part = part.map(|part| format!("!{part}")).unwrap_or_default();
        format!("{}{part}:{} {}", text("input"), row["line"], text("doi"))
    };
    rows.lines().map(row).collect()
}

#[test]
fn the_pages_of_a_pdf_file_are_places_whatever_it_is_in() {
    let file = pdf(&["doi:10.1000/one", "see 10.1000/two."]);
    let moved = format!("\u{feff}{}", String::from_utf8_lossy(&file));
    let packed = zip(&[("b.pdf", &moved)]);
    for (line, prefix) in [
        ("$D scan a.pdf", "a.pdf"),
        ("$D scan --chunk-size 7 -j 3 a.pdf", "a.pdf"),
        ("$D scan --format pdf a.pdf", "a.pdf"),
        ("$D scan - < a.pdf", "-"),
        ("gzip a.pdf; $D scan a.pdf.gz", "a.pdf.gz"),
        ("tar cf a.tar a.pdf; $D scan --chunk-size 7 a.tar", "a.tar!a.pdf"),
        ("tar czf a.tgz a.pdf; $D scan a.tgz", "a.tgz!a.pdf"),
        // Bytes may stand in front of the file.
        ("(echo; cat a.pdf) > b.pdf; $D scan b.pdf", "b.pdf"),
        ("(printf 'HTTP/1.1 200 OK\r\n\r\n'; cat a.pdf) > b; gzip b; $D scan b.gz", "b.gz"),
        ("$D scan c.zip", "c.zip!b.pdf"),
    ] {
        let line = line.replace("scan", "scan --hits h.jsonl --stats s.json");
        let line = format!("{line} && grep -o '\"files\": *[0-9]*' s.json | head -n 1 >&2");
        let (status, out, err, hits) = scan(&[("a.pdf", &file), ("c.zip", &packed)], &line);
        let names = "10.1000/LINK0\n10.1000/LINK1\n10.1000/ONE\n10.1000/TWO\n";
        assert_eq!((status, out.as_str()), (Some(0), names), "{line}: {err}");
        assert!(err.ends_with(": 1\n") || err.ends_with(":1\n"), "{err}");
        let expected = [
            format!("{prefix}!page 1:3 10.1000/LINK0"),
            format!("{prefix}!page 2:3 10.1000/LINK1"),
            format!("{prefix}!page 1:1 10.1000/ONE"),
            format!("{prefix}!page 2:1 10.1000/TWO"),
        ];
        assert_eq!(hits, expected, "{line}");
    }
}

#[test]
fn a_pdf_file_that_is_not_read_as_a_whole_is_named() {
    let closed = include_bytes!("../../crates/documents/testdata/encrypted-closed.pdf");
    let file = String::from_utf8(pdf(&["10.1000/one"])).expect("text");
    let lost = file.replace("/Catalog /Pages 2 0 R", "/Xatalog /Xages 2 0 R");
    let bare = b"%PDF-1.7\n/URI(https://doi.org/10.1000/a\\(b\\))>> (see 10.1000/c.) and so on";
    for (file, name, message) in [
        (&pdf(&[" "])[..], "10.1000/LINK0\n", "a.pdf: no text in 1 page; it may need OCR"),
        (
            lost.as_bytes(),
            "10.1000/LINK0\n10.1000/ONE\n",
            "a.pdf: has lost its catalogue; its pages were read in the order of the file",
        ),
        (
            bare,
            "10.1000/A(B)\n10.1000/C\n",
            "a.pdf: not a readable PDF file; it was searched as if it were no document",
        ),
        (closed, "", "a.pdf: is encrypted with a password"),
    ] {
        let (status, out, err, _) = scan(&[("a.pdf", file)], "$D scan a.pdf --allow-empty");
        assert_eq!((status, out.as_str()), (Some(3), name), "{err}");
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn a_file_of_another_kind_with_a_pdf_file_in_it_keeps_its_own_text() {
    let file = String::from_utf8(pdf(&["10.1000/one"])).expect("text");
    let mail = format!("From: a@b.de\nSubject: 10.1000/mail\nDate: x\nMessage-ID: <1@b>\n\n{file}");
    let script = format!("# 10.1000/first\ncat > a.pdf <<E\n{file}E\n# 10.1000/last\n");
    let text = "The header is\n%PDF-1.7\n and 10.1000/text, see 10.1000/b follows";
    for (name, file, expected) in [
        ("a.eml", &*mail, &["MAIL"][..]),
        ("a.sh", &script, &["FIRST", "LAST", "ONE"]),
        ("a.txt", text, &["B", "TEXT"]),
    ] {
        let (status, out, err, _) = scan(&[(name, file.as_bytes())], "$D scan a.*");
        assert_eq!(status, Some(0), "{name}: {err}");
        let found: Vec<_> = out.lines().filter_map(|line| line.strip_prefix("10.1000/")).collect();
        assert!(expected.iter().all(|name| found.contains(name)), "{name}: {found:?}");
    }
}

/// A PDF file of one page with this content.
fn page(contents: &str, stream: &[u8]) -> Vec<u8> {
    let begin = format!(
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
         3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents {contents}>>endobj\n4 0 obj\n"
    );
    let end = b"\nendstream endobj trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n";
    [begin.as_bytes(), stream, end].concat()
}

/// The bound of `-S 16M` holds for each file, and for all of them at once.
#[cfg(target_os = "linux")]
#[test]
fn documents_stay_within_the_memory_of_the_run() {
    let many = format!("[{}]", "4 0 R ".repeat(300_000));
    let text = [&b"<</Length 100000>>stream\n"[..], &[b' '; 100_000]].concat();
    let zeros =
        [&b"<</Length 30000000/Filter/ASCII85Decode>>stream\n"[..], &[b'z'; 30_000_000]].concat();
    let runs = b"<</Length 4000000/Filter[/RL/RL/RL]>>stream\n";
    let runs = [&runs[..], &[0x81; 4_000_000]].concat();
    let pages: Vec<&str> = vec!["10.1000/a"; 20_000];
    for file in [page(&many, &text), page("4 0 R", &zeros), page("4 0 R", &runs), pdf(&pages)] {
        let names = ["a.pdf", "b.pdf", "c.pdf", "d.pdf"];
        let line = "$D scan *.pdf -S 16M -j 4 --stats s.json --allow-empty; cat s.json";
        let (status, out, err, _) = scan(&names.map(|name| (name, &file[..])), line);
        let stats = &out[out.find('{').unwrap_or_default()..];
        let stats: serde_json::Value = serde_json::from_str(stats).expect("JSON");
        let peak = stats["peak_memory"].as_u64().expect("Linux tells it");
        assert!(peak <= 80 << 20, "{peak}: {err}");
        assert!(status == Some(0) && err.matches(".pdf: ").count() >= 4, "{err}");
        assert!(!err.contains("not searched; it was searched"), "{err}");
    }
}

#[test]
fn a_pdf_file_without_text_is_one_of_the_files() {
    let file = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj trailer<</Root 1 0 R>>\n%%EOF\n";
    let line = "$D scan a.pdf -q --allow-empty -o o --stats s && grep -oE '\"(files|documents_without_text)\": 1' s | sort";
    let (status, out, err, _) = scan(&[("a.pdf", file)], line);
    assert_eq!(out, "\"documents_without_text\": 1\n\"files\": 1\n", "{status:?} {err}");
}

#[test]
fn of_word_files_the_text_is_read_by_paragraph() {
    for line in ["$D scan", "$D scan --chunk-size 5 -j 3"] {
        let line = format!("{line} --hits h.jsonl a.docx");
        let (status, out, err, hits) = scan(&[("a.docx", &docx())], &line);
        assert_eq!((status, out.as_str()), (Some(0), "10.1000/BODY\n10.1000/NOTE\n"), "{err}");
        let expected =
            ["a.docx!word/document.xml:1 10.1000/BODY", "a.docx!word/footnotes.xml:1 10.1000/NOTE"];
        assert_eq!(hits, expected);
    }
    let other = zip(&[("all.zip.txt", "10.1000/text")]);
    let line = "tar cf a.tar a.docx b.zip && $D scan --hits h.jsonl a.tar";
    let (status, _, err, hits) = scan(&[("a.docx", &docx()), ("b.zip", &other)], line);
    assert_eq!(status, Some(0), "{err}");
    let expected = [
        "a.tar!a.docx!word/document.xml:1 10.1000/BODY",
        "a.tar!a.docx!word/footnotes.xml:1 10.1000/NOTE",
        "a.tar!b.zip!all.zip.txt:1 10.1000/TEXT",
    ];
    assert_eq!(hits, expected);
}

#[test]
fn bytes_in_front_of_a_word_file_change_nothing() {
    for front in [&b"\xef\xbb\xbf"[..], b"\r\n\r\n", b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n"] {
        let file = [front, &docx()].concat();
        for line in [
            "$D scan a.docx",
            "$D scan - < a.docx",
            "mv a.docx a; $D scan --chunk-size 5 a",
            "tar cf a.tar a.docx; $D scan a.tar",
            "head -c $(($(wc -c < a.docx) - 9)) a.docx > b; $D scan b 2> /dev/null || test $? = 3",
        ] {
            let (status, out, err, _) = scan(&[("a.docx", &file)], line);
            let expected = (Some(0), "10.1000/BODY\n10.1000/NOTE\n");
            assert_eq!((status, out.as_str()), expected, "{line}: {err}");
        }
    }
}

#[test]
fn other_kinds_are_told_by_their_content() {
    let odt = |kind: &str, text: &str| {
        zip(&[
            ("mimetype", &format!("application/{kind}")),
            (
                "content.xml",
                &format!("<x><text:p>10.10<text:span>00/{text}</text:span></text:p></x>"),
            ),
            ("OEBPS/a.xhtml", &format!("<html><p>10.10<b>00/{text}</b></p></html>")),
        ])
    };
    let text = odt("vnd.oasis.opendocument.text", "odt");
    let book = odt("epub+zip", "epub");
    let slide =
        "<p:sld><a:p><a:r><a:t>10.10</a:t></a:r><a:r><a:t>00/slide</a:t></a:r></a:p></p:sld>";
    let slides = zip(&[("ppt/presentation.xml", ""), ("ppt/slides/slide1.xml", slide)]);
    let rich = br"{\rtf1 see 10.10{\b 00/rtf} .}";
    let files: [(&str, &[u8]); 4] = [("a", &text), ("b", &book), ("c", &slides), ("d", rich)];
    let (status, out, err, _) = scan(&files, "$D scan a b c d");
    let names = "10.1000/EPUB\n10.1000/ODT\n10.1000/RTF\n10.1000/SLIDE\n";
    assert_eq!((status, out.as_str()), (Some(0), names), "{err}");
}

#[test]
fn attachments_of_a_mail_are_its_members() {
    let part = |name: &str, bytes: &[u8]| {
        let text = BASE64.encode(bytes).into_bytes();
        let lines: String = text
            .chunks(76)
            .map(|line| String::from_utf8_lossy(line).into_owned() + "\r\n")
            .collect();
        format!(
            "--b\r\nContent-Type: application/pdf; name=\"x\"\r\n\
             Content-Disposition: attachment; filename=\"{name}\"\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{lines}\r\n"
        )
    };
    let inner = zip(&[("list.txt", "10.1000/zip")]);
    let mail = format!(
        "From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/plain\r\n\r\nsee 10.1000/body\r\n{}{}{}--b--\r\n",
        part("a paper.pdf", &pdf(&["10.1000/one"])),
        part("", &inner),
        part("image.png", b"\x89PNG\r\n\x1a\n 10.1000/image"),
    );
    let other = part("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04");
    let more = mail.replace("--b--", &format!("{other}--b--"));
    let (status, _, err, _) = scan(&[("m.eml", more.as_bytes())], "$D scan m.eml");
    assert!(
        status == Some(3) && err.contains("m.eml!a.7z: 7z archives are not supported"),
        "{err}"
    );
    for line in ["$D scan m.eml", "$D scan - < m.eml", "gzip m.eml; $D scan m.eml.gz"] {
        let line = line.replace("scan", "scan --hits h.jsonl");
        let (status, _, err, hits) = scan(&[("m.eml", mail.as_bytes())], &line);
        assert_eq!(status, Some(0), "{line}: {err}");
        let places: Vec<_> = hits.iter().filter_map(|hit| hit.split_once('!')).collect();
        let expected = [
            "a paper.pdf!page 1:3 10.1000/LINK0",
            "a paper.pdf!page 1:1 10.1000/ONE",
            "x!list.txt:1 10.1000/ZIP",
        ];
        assert_eq!(places.iter().map(|(_, place)| *place).collect::<Vec<_>>(), expected);
        assert!(hits.len() == 4 && hits[0].ends_with("10.1000/BODY"), "{hits:?}");
    }
}

/// A mail attached in Base64 has attachments too, whatever its first line says.
#[test]
fn a_mail_within_a_mail_keeps_its_attachments() {
    let coded = |bytes: &[u8]| {
        let text = BASE64.encode(bytes);
        text.as_bytes()
            .chunks(76)
            .fold(String::new(), |out, line| out + std::str::from_utf8(line).expect("ASCII") + "\n")
    };
    let mail = |kind: &str, bytes: &[u8]| {
        let head = "From: Somebody with a long name <somebody@example.org>\nTo: b@example.org\nSubject: A paper\n";
        let coded = coded(bytes);
        format!(
            "{head}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n\
             Content-Type: {kind}\nContent-Transfer-Encoding: base64\n\n{coded}--b--\n"
        )
    };
    let inner = mail("application/pdf", &pdf(&["10.1000/one"]));
    for kind in ["message/rfc822", "application/octet-stream; name=a.eml", "text/plain"] {
        let outer = mail(kind, inner.as_bytes());
        let (status, out, err, _) = scan(&[("m.eml", outer.as_bytes())], "$D scan m.eml");
        assert_eq!(
            (status, out.as_str()),
            (Some(0), "10.1000/LINK0\n10.1000/ONE\n"),
            "{kind}: {err}"
        );
    }
}

#[test]
fn rows_of_spreadsheets_are_lines_of_their_sheet() {
    let (status, _, err, hits) = scan(&[("a.xlsx", &xlsx())], "$D scan --hits h.jsonl a.xlsx");
    assert_eq!(status, Some(0), "{err}");
    let expected = [
        "a.xlsx!Works:2 10.1000/A,B",
        "a.xlsx!Works:4 10.1000/C",
        "a.xlsx!Notes:3 10.1000/NOTES",
        "a.xlsx!Works:2 10.1000/TITLE",
    ];
    assert_eq!(hits, expected);
}

#[test]
fn archives_that_look_like_documents_stay_archives() {
    let archive = zip(&[("word/a.txt", "10.1000/one"), ("b.txt", "10.1000/two")]);
    for name in ["a.zip", "a.docx"] {
        let line = format!("$D scan --hits h.jsonl {name}");
        let (status, _, err, hits) = scan(&[(name, &archive)], &line);
        assert_eq!(status, Some(0), "{err}");
        let expected = ["word/a.txt:1 10.1000/ONE", "b.txt:1 10.1000/TWO"];
        assert_eq!(hits, expected.map(|hit| format!("{name}!{hit}")));
    }
    // The notation that the user gave leaves the bytes as they are.
    let (_, out, _, _) = scan(&[("a.docx", &docx())], "$D scan -q --format text a.docx");
    assert!(out.contains("10.1000/IMAGE"), "{out}");
}

#[test]
fn documents_keep_the_limits() {
    let line = "$D scan --max-unpacked 20 --hits h.jsonl a.docx";
    let (status, out, err, _) = scan(&[("a.docx", &docx())], line);
    assert_eq!(status, Some(3), "{out} {err}");
    assert!(err.contains("more than 20 bytes (limit: --max-unpacked)"), "{err}");
}

#[test]
fn the_first_page_has_the_doi_of_a_paper_itself() {
    let file = pdf(&["10.1000/one", "10.1000/two", "10.1000/three"]);
    for (flag, expected) in [
        ("--own", "10.1000/LINK0\n10.1000/ONE\n"),
        ("--cited", "10.1000/LINK1\n10.1000/LINK2\n10.1000/THREE\n10.1000/TWO\n"),
    ] {
        let line = format!("$D scan -q {flag} a.pdf b.docx");
        let (status, out, err, _) = scan(&[("a.pdf", &file), ("b.docx", &docx())], &line);
        assert_eq!((status, out.as_str()), (Some(0), expected), "{flag}: {err}");
    }
    let book = zip(&[
        ("mimetype", "application/epub+zip"),
        ("OEBPS/a.xhtml", "<html><p>10.1000/chapter</p></html>"),
        (
            "OEBPS/book.opf",
            "<package><metadata><dc:identifier>doi:10.1000/book</dc:identifier></metadata></package>",
        ),
    ]);
    let (status, out, err, _) = scan(&[("b.epub", &book)], "$D scan -q --own b.epub");
    assert_eq!((status, out.as_str()), (Some(0), "10.1000/BOOK\n"), "{err}");
}

#[test]
fn a_state_knows_documents() {
    let file = pdf(&["10.1000/one"]);
    let line = "$D scan . --state s -o l.txt -q && $D scan . --state s -o l.txt --stats s.json && cat l.txt";
    let (status, out, err, _) = scan(&[("a.pdf", &file), ("b.docx", &docx())], line);
    let names = "10.1000/BODY\n10.1000/LINK0\n10.1000/NOTE\n10.1000/ONE\n";
    assert_eq!((status, out.as_str()), (Some(0), names), "{err}");
}

#[test]
fn a_sheet_without_the_column_names_the_flag_for_sheets() {
    let (_, _, err, _) = scan(&[("a.xlsx", &xlsx())], "$D check --column doi a.xlsx");
    assert!(err.contains("; --sheet reads another: \"Works\""), "{err}");
}

#[test]
fn a_state_remembers_that_a_pdf_file_has_no_text() {
    let files = [("a.pdf", &pdf(&[" "])[..]), ("b.docx", b"PK\x03\x04")];
    let line = "sleep 0.06; $D scan a.pdf b.docx --state s -o l -q 2> first; $D scan a.pdf b.docx --state s -o l -q --stats t 2> err; \
                cmp first err && grep -c . err; grep -o '\"inputs_skipped\": 2' t";
    let (_, out, err, _) = scan(&files, line);
    assert_eq!(out, "2\n\"inputs_skipped\": 2\n", "{err}");
}

#[test]
fn a_column_of_a_sheet_is_read_as_of_a_table() {
    let other = xlsx();
    for (line, status, out) in [
        (
            "$D check --column doi --sheet Works a.xlsx",
            0,
            "10.1000/a,b\ttrue\t10.1000/A,B\t\t\t2\n10.1000/c\ttrue\t10.1000/C\t\t\t4\n",
        ),
        ("$D check --column 2 --sheet 2 --json a.xlsx | grep -c true", 0, "2\n"),
        (
            "$D convert --column doi --sheet works --to url a.xlsx",
            0,
            "https://doi.org/10.1000/a,b\nhttps://doi.org/10.1000/c\n",
        ),
        ("gzip a.xlsx; $D check --column doi --sheet Works a.xlsx.gz | wc -l", 0, "2\n"),
        ("$D check --column doi --sheet Works - < a.xlsx | wc -l", 0, "2\n"),
        (
            "$D check --column doi --sheet Works --keep-columns a.xlsx --csv | tail -n 3",
            0,
            "10.1000/title,\"10.1000/a,b\",true,\"10.1000/A,B\",,\n,,,,,\n,10.1000/c,true,10.1000/C,,\n",
        ),
        ("$D scan --column doi --sheet 2 a.xlsx", 0, "10.1000/A,B\n10.1000/C\n"),
        ("$D scan --sheet notes a.xlsx", 0, "10.1000/NOTES\n"),
        ("tar cf a.tar a.xlsx; $D scan --sheet notes a.tar", 0, "10.1000/NOTES\n"),
        ("$D scan --sheet 2 --column title b.csv a.xlsx", 0, "10.1000/CSV\n10.1000/TITLE\n"),
        ("$D scan b.csv -o w.xlsx; $D check w.xlsx", 0, "10.1000/CSV\ttrue\t10.1000/CSV\t\t\t2\n"),
    ] {
        let files: [(&str, &[u8]); 2] =
            [("a.xlsx", &other), ("b.csv", b"title,x\n10.1000/csv,1\n")];
        let line =
            line.replace("--json", "--output-format jsonl").replace("--csv", "--output-format csv");
        let (found, text, err, _) = scan(&files, &line);
        let text = text.replace("input\tvalid\tdoi\treason\tnotes\trecord\n", "");
        assert_eq!((found, text.as_str()), (Some(status), out), "{line}: {err}");
    }
    for (line, status, message) in [
        ("$D check --column doi a.xlsx", 2, "a.xlsx: no column \"doi\"; it has: 10.1000/notes"),
        ("$D check --column 1 --sheet x a.xlsx", 2, "a.xlsx: no sheet \"x\"; it has: Notes, Works"),
        ("$D scan --sheet x a.xlsx b.csv", 3, "a.xlsx: no sheet \"x\"; it has: Notes, Works"),
        (
            "$D check a.xlsx",
            2,
            "a.xlsx: no column \"doi\"; it has: 10.1000/notes; add --column NAME",
        ),
        ("$D check --column 1 a.docx", 2, "a.docx: has no rows"),
        ("$D check --sheet 1 a.xlsx", 2, "--column"),
    ] {
        let files: [(&str, &[u8]); 3] =
            [("a.xlsx", &other), ("b.csv", b"title,x\n10.1000/csv,1\n"), ("a.docx", &docx())];
        let (found, _, err, _) = scan(&files, line);
        assert_eq!(found, Some(status), "{line}: {err}");
        assert!(err.contains(message), "{line}: {err}");
    }
}

#[test]
fn the_row_of_a_sheet_is_the_line_of_its_answer() {
    let row = "$D check --column doi --sheet Works a.xlsx --strict --fail-on invalid --output-format jsonl";
    let (status, out, err, _) = scan(&[("a.xlsx", &xlsx())], row);
    assert_eq!(status, Some(0), "{out} {err}");
    // A cut workbook is named, and its sheets up to there are answered.
    let rows: String = (1..=5_000)
        .map(|n| format!("<row r=\"{n}\"><c t=\"str\"><v>10.1000/{n}</v></c></row>"))
        .collect();
    let whole = zip(&[
        ("[Content_Types].xml", "<Types/>"),
        ("xl/workbook.xml", "<sheet name=\"One\" r:id=\"r\"/>"),
        ("xl/_rels/workbook.xml.rels", "<Relationship Id=\"r\" Target=\"s.xml\"/>"),
        ("xl/s.xml", &format!("<worksheet><sheetData>{rows}")),
    ]);
    let cut = &whole[..whole.len() / 2];
    let line =
        "$D check --no-header --column 1 a.xlsx > o; n=$?; test $(wc -l < o) -gt 1000 && exit $n";
    let (status, _, err, _) = scan(&[("a.xlsx", cut)], line);
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("a.xlsx: One is damaged") || err.contains("damaged"), "{err}");
}

/// A script that prints the text of its argument in capitals, and its name.
const CAPITALS: &str = "#!/bin/sh\necho \"$1\" >> seen\ntr a-z A-Z < \"$1\"\n";

#[test]
fn a_command_prepares_the_files_that_match() {
    for (line, status, out, seen) in [
        ("$D scan --pre ./c a.x b.y --pre-glob '*.x'", 0, "10.1000/A1\n10.1000/B2\n", 1),
        ("$D scan --pre ./c a.x b.y", 0, "10.1000/A1\n10.1000/B2\n", 2),
        ("$D scan --pre ./c --pre-glob '!*.y' a.x b.y -j 2", 0, "10.1000/A1\n10.1000/B2\n", 1),
        (
            "tar cf t.tar a.x b.y; $D scan --pre ./c --pre-glob '*.x' t.tar --chunk-size 7",
            0,
            "10.1000/A1\n10.1000/B2\n",
            1,
        ),
        ("gzip a.x; $D scan --pre ./c --pre-glob '*.x' a.x.gz", 0, "10.1000/A1\n", 1),
        ("$D scan --pre ./c - < a.x", 0, "10.1000/A1\n", 0),
        ("mv a.x ./-.x; $D scan --pre ./c -- -.x", 0, "10.1000/A1\n", 1),
    ] {
        let files: [(&str, &[u8]); 3] =
            [("a.x", b"doi:10.1000/a1\n"), ("b.y", b"10.1000/b2\n"), ("c", CAPITALS.as_bytes())];
        let line = format!(
            "chmod +x c; : > seen; {} && wc -l < seen >&2",
            line.replace("scan", "scan -q")
        );
        let (found, text, err, _) = scan(&files, &line);
        assert_eq!((found, text.as_str()), (Some(status), out), "{line}: {err}");
        assert_eq!(err.trim(), seen.to_string(), "{line}");
    }
    // The text is scanned under the name of the file.
    let files: [(&str, &[u8]); 2] = [("a.x", b"x\n10.1000/a1\n"), ("c", CAPITALS.as_bytes())];
    let line =
        "chmod +x c; tar cf t.tar a.x; $D scan --pre ./c --pre-glob '*.x' --hits h.jsonl a.x t.tar";
    let (status, _, err, hits) = scan(&files, line);
    assert_eq!(
        (status, hits),
        (Some(0), vec!["a.x:2 10.1000/A1".into(), "t.tar!a.x:2 10.1000/A1".into()]),
        "{err}"
    );
}

#[test]
fn a_command_that_fails_is_named_with_its_last_message() {
    let failing = "#!/bin/sh\necho 10.1000/first; echo 10.1000/cut\necho one >&2; echo \"no ink\" >&2\nexit 4\n";
    let noisy = "#!/bin/sh\nyes 10.1000/first | head -c 300000; yes noise | head -c 300000 >&2; kill -9 $$\n";
    let long = "#!/bin/sh\nyes 10.1000/first\n";
    let slow = "#!/bin/sh\necho 10.1000/first; echo 10.1000/cut; sleep 60\n";
    let closed = "#!/bin/sh\necho 10.1000/first; echo 10.1000/cut; exec >&- 2>&-; sleep 60\n";
    let left = "#!/bin/sh\necho 10.1000/first; echo 10.1000/cut; sleep 60 &\n";
    let left_failing = "#!/bin/sh\necho 10.1000/first; echo 10.1000/cut; sleep 60 & exit 5\n";
    let silent = "#!/bin/sh\nprintf ' \\f\\n'\n";
    for (script, flags, message) in [
        (
            failing,
            "",
            "a.x: the command ./c failed with status 4: no ink; DOIs found before this point are kept",
        ),
        (noisy, "", "the command ./c was ended by signal 9: noise"),
        (long, "--max-unpacked 100K", "unpacks to more than 102400 bytes (limit: --max-unpacked)"),
        (slow, "--pre-timeout 1", "the command ./c took more than 1 second (limit: --pre-timeout)"),
        (closed, "--pre-timeout 1", "the command ./c took more than 1 second"),
        (
            left,
            "",
            "the command ./c ended, but a process that it started kept its output open; let the command wait for it",
        ),
        (left_failing, "", "the command ./c failed with status 5"),
        (silent, "", "a.x: the command ./c printed no text"),
        (long, "--pre ./none", "a.x: the command ./none cannot be run: No such file"),
    ] {
        let pre = if flags.contains("--pre ") { "" } else { "--pre ./c" };
        for input in ["a.x", "t.tar"] {
            let line = format!(
                "chmod +x c; tar cf t.tar a.x; $D scan --allow-empty {pre} {flags} --pre-glob '*.x' {input}"
            );
            let (status, out, err, _) = scan(&[("a.x", b"x"), ("c", script.as_bytes())], &line);
            assert_eq!(status, Some(3), "{line}: {out} {err}");
            assert!(err.replace("t.tar!", "").contains(message), "{line}: {err}");
            let is_run = script.contains("first") && !message.contains("none");
            assert_eq!(out.contains("10.1000/FIRST"), is_run, "{line}: {out}");
        }
    }
}

#[test]
fn a_command_that_no_input_needs_is_named() {
    for (line, is_named) in [
        ("$D scan -q --pre ./c --pre-glob '*.y' a.x", true),
        ("$D scan -q --pre ./c - < a.x", false),
        ("$D scan -q --pre ./c --pre-glob '*.x' a.x", false),
        ("tar cf t.tar a.x; $D scan -q --pre ./c --pre-glob '*.x' t.tar", false),
        ("for i in 1 2; do $D scan -q --pre ./c --pre-glob '*.x' --state s -o o a.x; done", false),
    ] {
        let line = format!("chmod +x c; {line}");
        let (status, _, err, _) = scan(&[("a.x", b"10.1000/a"), ("c", CAPITALS.as_bytes())], &line);
        assert_eq!(
            (status, err.contains("--pre was run for no input")),
            (Some(0), is_named),
            "{line}: {err}"
        );
    }
}

#[test]
fn a_signal_ends_the_commands_too() {
    let script = "#!/bin/sh\necho $$ > pid\nsleep 60 & echo $! >> pid\nwait\n";
    let line = "chmod +x c; tar cf t.tar a.x; \
        for input in a.x t.tar; do rm -f pid; $D scan -q -T . --pre ./c --pre-glob '*.x' $input > o & run=$!; \
        while [ \"$(cat pid 2>/dev/null | wc -l)\" -lt 2 ]; do sleep 0.05; done; kill -TERM $run; wait $run; echo $?; \
        sleep 0.2; for p in $(cat pid); do grep -L \") Z\" /proc/$p/stat 2>/dev/null; done; done; ls";
    let (_, out, err, _) = scan(&[("a.x", b"x"), ("c", script.as_bytes())], line);
    assert_eq!(out, "143\n143\na.x\nc\no\npid\nt.tar\n", "{err}");
}

#[test]
fn a_state_remembers_the_command_and_the_sheet() {
    for (first, second) in
        [("", "--pre ./c"), ("--pre ./c", "--pre ./c --pre-glob '*.z'"), ("", "--sheet 1")]
    {
        let run = |flags: &str| {
            format!(
                "$D scan a.x --state s -o l.txt --stats s.json {flags} -q; grep -o '\"files\": *[0-9]*' s.json | head -n 1"
            )
        };
        let line = format!("chmod +x c; {}; {}; {}", run(first), run(second), run(second));
        let (status, out, err, _) =
            scan(&[("a.x", b"10.1000/a"), ("c", CAPITALS.as_bytes())], &line);
        let read: Vec<&str> =
            out.lines().map(|line| line.rsplit([':', ' ']).next().unwrap_or_default()).collect();
        assert_eq!((status, read), (Some(0), vec!["1", "1", "1"]), "{err}");
    }
}

/// One input has one name in all outputs.
#[test]
fn rows_join_on_their_input() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let files =
        [("a.pdf", pdf(&["see 10.1000/one 10.1000/"])), ("a.docx", docx()), ("a.xlsx", xlsx())];
    for (name, bytes) in &files {
        fs::write(at.join(name), bytes).expect("write");
    }
    let line = "mkdir in; tar cf in/all.tar a.pdf a.docx a.xlsx; mv a.* in; \
                $D scan -q in/a.docx -o in/b.parquet";
    assert_eq!(shell(at, line).0, Some(0));
    let names = ["c", "h", "r", "p", "i"];
    for flags in ["", "--state st", "--column doi", "--column 10.1000/notes", "--state st"] {
        let line = "$D scan -q in --counts -o c.jsonl --hits h.jsonl --rejects r.jsonl --per-input p.jsonl \
                    --stats-inputs i.jsonl --stats s.json --allow-empty";
        let (status, _, err) = shell(at, &format!("{line} {flags}"));
        assert!(matches!(status, Some(0 | 3)), "{flags}: {err}");
        let rows = |name: &str| -> Vec<String> {
            let text = fs::read_to_string(at.join(format!("{name}.jsonl"))).expect("rows");
            let rows = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
            rows.map(|row: serde_json::Value| row["input"].as_str().expect("a name").to_owned())
                .collect()
        };
        let inputs = rows("i");
        for name in names {
            let lost: Vec<_> = rows(name).into_iter().filter(|row| !inputs.contains(row)).collect();
            assert_eq!(lost, [""; 0], "{name} {flags}");
        }
        let known: Vec<_> = inputs.iter().map(|name| name.replace('\\', "/")).collect();
        let documents = ["a.docx", "a.pdf", "a.xlsx"]
            .map(|name| [format!("in/{name}"), format!("in/all.tar!{name}")]);
        let expected: Vec<_> =
            documents.into_iter().flatten().chain(["in/b.parquet".to_owned()]).collect();
        assert!(known.iter().all(|name| expected.contains(name)), "{flags}: {known:?}");
        let stats: serde_json::Value =
            serde_json::from_slice(&fs::read(at.join("s.json")).expect("stats")).expect("JSON");
        for problem in stats["problems"].as_array().expect("problems") {
            let text = |key: &str| problem[key].as_str().map(str::to_owned);
            let name = text("path").into_iter().chain(text("member")).collect::<Vec<_>>().join("!");
            assert!(inputs.contains(&name), "{flags}: {problem}");
        }
    }
}

#[test]
fn a_document_is_one_input_of_figures_and_its_pages_are_places() {
    let folder = tempfile::tempdir().expect("folder");
    let at = folder.path();
    let page = "see 10.1000/same";
    fs::write(at.join("a.pdf"), pdf(&[page, page, "10.1000/other"])).expect("write");
    fs::write(at.join("b.txt"), "10.1000/same").expect("write");
    let files = "--counts -o c.csv --per-input p.csv --stats-inputs i.csv --hits h.csv";
    for state in ["", "--state st"] {
        assert_eq!(shell(at, &format!("$D scan -q *.pdf *.txt {files} {state}")).0, Some(0));
        let read = |name| fs::read_to_string(at.join(name)).expect("rows");
        let counts = read("c.csv");
        assert!(counts.contains("\n10.1000/SAME,3,2,a.pdf,"), "{counts}");
        let pairs = read("p.csv");
        assert_eq!(pairs.matches("a.pdf,10.1000/SAME\n").count(), 1, "{pairs}");
        let hits = read("h.csv");
        assert_eq!(hits.matches("10.1000/SAME,a.pdf,").count(), 2, "{hits}");
        assert!(hits.contains(",page 1\n") && hits.contains(",page 2\n"), "{hits}");
        let inputs = read("i.csv");
        assert_eq!(inputs.lines().count(), 3, "{inputs}");
        // Three links, and two names of pages.
        assert!(inputs.lines().any(|line| line.starts_with("a.pdf,") && line.ends_with(",5")));
    }
}
