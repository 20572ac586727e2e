use super::*;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec;

const BIB: &str = "Scopus\nEXPORT DATE: 1\n\n@STRING{j = \"J\"}\n@ARTICLE{Smith2010,\n  author={A {\\\"u} B},\n  doi={10.1000/a},\n  url={https://doi.org/10.1000/z},\n  \
    references={X, 2000, 10.1000/c; Y},\n}\n@book{k2, url = \"https://doi.org/10.1000/b\" , note = 10.1000/n, year = 2000}\n@misc{broken, title = {a {b}, \n\
    @misc{k3,doi=10.1000/d}\n";
const RIS: &str = "TY  - JOUR\r\nUR  - https://doi.org/10.1000/x\r\nDO  - 10.1000/a\r\nDO  - 10.1000/book\r\nL2  - https://x.org/10.1000/pdf\r\nER  - \r\n\r\nTY  - BOOK\nUR  - https://doi.org/10.1000/b\nER  - \n";
const NOTES: &str = "TY  - JOUR\nN1  - Cited By :5\nExport Date: 1\nReferences: A, (2000) 10.1000/c\n10.1000/d; B, doi: 10.1000/e\nDO  - 10.1000/a\nER  - \nTY  - JOUR\n\
    N1  - doi: 10.1000/b\nsee 10.1000/x\nER  - \nTY  - JOUR\r\nN1  - See 10.1000/x\r\nN1  - electronic-resource-num: 10.1000/f\r\nN1  - References: 10.1000/g\r\nN1  - 10.1000/h\r\nER  - \r\n\
    TY  - JOUR\nN1  - doi: 10.1000/own\nN1  - 10.1000/own\nDO  - 10.1000/own\nER  - \nTY  - JOUR\nN1  - Erratum: 10.1000/y\nER  - \n";
const OTHERS: &str = "TY  - JOUR\nDO  - 10.1000/a; 10.1000/b\nER  - \nTY  - JOUR\nDO  - PMC1012345\nUR  - https://doi.org/10.1000/c\nNOTE - PDF file: 10.1000/pdf\nER  - \n\
    TY  - JOUR\nUR  - https://doi.org/10.1000/d\nDO  - 10,1000/d\nER  - \nTY  - JOUR\nDO  - 10.1000\nDO  - 10.1000/e\nER  - \n";
const NBIB: &str = "\nPMID- 123\nLID - 10.1000/a [doi]\nAB  - see 10.1000/q\nAID - S01 [pii]\nAID - 10.1000/a\n      b [doi]\n\nPMID- 124\nAB  - none\n";
const NBIB_IDS: &str = "PMID- 1\nLID - 2017.10.JNS1 [pii]\nLID - 10.1000/a [doi]\nPMID- 2\nAID - 10.1000/b [doi]\nAID - 10.1000/pii [pii]\nPMID- 3\nLID - 10.1000 1 [pii]\n\
    AID - 10.1000/c [doi]\n";
const SEVERAL: &str = "PT J\nDI 10.1000/a; 10.1000/a.r001;10.1000/a.r002;\n   10.1000/a.r003\nER\n\nPT J\nDI 10.1000/b;2-c\nER\n\nPT J\nDI 10.1000/d;\r\n   10.1000/d.r001\r\nER\n";
const WOS: &str = "FN Clarivate\nVR 1.0\nPT J\nAU A\nDI 10.1000/a\nCR X, DOI 10.1000/c\n   Y, DOI [10.1000/d, 10.1000/e]\nUT WOS:1\nER\n\nPT J\nTI none\nER\n\nEF\n";
const JATS: &str = "<?xml version=\"1.0\"?><article><front><journal-id>10.1000/j</journal-id><article-meta><article-id pub-id-type=\"pmid\">1</article-id>\
    <article-id pub-id-type=\"doi\">10.1000/a&amp;b</article-id></article-meta></front><body>10.1000/t</body><!-- <ref-list> 10.1000/k -->\
    <back><ref-list><ref><pub-id pub-id-type=\"doi\">10.1000/c</pub-id></ref></ref-list></back></article>";
const PUBMED: &str = "<?xml version=\"1.0\"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version=\"1\">7</PMID><ELocationID EIdType='doi'>10.1000/a</ELocationID></MedlineCitation>\
    <PubmedData><ArticleIdList><ArticleId IdType=\"doi\">10.1000/a</ArticleId></ArticleIdList><ReferenceList><Reference><ArticleIdList>\
    <ArticleId IdType=\"doi\">10.1000/c</ArticleId></ArticleIdList></Reference></ReferenceList></PubmedData></PubmedArticle><PubmedArticle/></PubmedArticleSet>";
const MARCXML: &str = "<collection><record><controlfield tag=\"001\">m1</controlfield><datafield tag=\"024\" ind1=\"7\"><subfield code=\"a\">10.1000/a</subfield>\
    <subfield code=\"2\">doi</subfield></datafield><datafield tag=\"856\"><subfield code=\"u\">10.1000/u</subfield></datafield></record></collection>";
const HTML: &str = "<!DOCTYPE html><head><meta name=\"citation_doi\" content=\"10.1000/a\"><META content='10.1000/b' name='DC.Identifier'/><meta name=x content=10.1000/n>\
    <body>10.1000/t<br><meta name=\"citation_reference\" content=\"citation_doi=10.1000/c\">";
const LINES: &str = "{\"DOI\":\"10.1000\\/a\",\"reference\":[{\"key\":\"1\",\"DOI\":\"10.1000/c\"}],\"x\":{\"DOI\":\"10.1000/n\"},\"y\":[\"10.1000/n\"]}\n{\"DOI\":\"10.1000/b\",\"abstract\":\"cut 10.1000/t\n{\"doi\":\"10.1000/d\"}\n";
const ITEMS: &str = "{\"message\":{\"items\":[{\"title\":[\"10.1000/t\"],\"DOI\":\"10.1000/a\"},\n {\"URL\":\"10.1000/n\",\"reference\":[{\"DOI\":\"10.1000/c\"}]}, {\"DOI\":\"10.1000/b\"}]}}";
const MARC: &str = "00093nam a2200061   4500001000400000024002500004856001000029\x1em12\x1e7 \x1fa10.1000/a\x1f2doi\x1e\x1fu10.1/u\x1e\x1d";
const MARC_TEXT: &str =
    "=LDR  00093nam a2200061   4500\n=001  m1\n=024  7\\$a10.1000/a$2doi\n=856  40$u10.1000/u\n";

fn cutter(text: &str, wanted: &Wanted) -> Cutter {
    Cutter::of(text.as_bytes(), wanted).expect("records")
}

/// The fields with their records, of ranges of `size` bytes.
fn fields(text: &str, wanted: &Wanted, size: usize) -> Vec<String> {
    let (cutter, bytes) = (cutter(text, wanted), text.as_bytes());
    let mut place = Place::default();
    let mut found: Vec<(String, usize, usize)> = Vec::new();
    for start in (0..bytes.len()).step_by(size) {
        let (mut cuts, mut label) = (Vec::new(), place.label.clone());
        let starts = start..bytes.len().min(start + size);
        cutter.cut(&mut place, (bytes, 0), starts.clone(), &mut cuts);
        for cut in cuts {
            match cut {
                Cut::Record(_, new) => label = new,
                Cut::Field(range, _) => {
                    assert!(
                        range.start >= starts.start && range.end <= starts.end && !range.is_empty()
                    );
                    let label = String::from_utf8(label.text()).expect("UTF-8");
                    match found.last_mut() {
                        Some((_, _, end)) if *end == range.start => *end = range.end,
                        _ => found.push((label, range.start, range.end)),
                    }
                }
            }
        }
    }
    let names = found.into_iter().flat_map(|(label, start, end)| {
        let names = crate::scan::matches(&text[start..end])
            .map(|m| m.doi["10.1000/".len()..].to_lowercase());
        names.map(|name| format!("{label}:{name}")).collect::<Vec<_>>()
    });
    names.collect()
}

#[test]
fn own_and_cited_fields_of_each_format_in_ranges_of_any_size() {
    for (text, format, own, cited) in [
        (BIB, RecordFormat::Bibtex, "Smith2010:a k2:b k2:n k3:d", "Smith2010:c"),
        (RIS, RecordFormat::Ris, "1:a 2:b", ""),
        (NOTES, RecordFormat::Ris, "1:a 2:b 3:f 3:h 4:own", "1:c 1:d 1:e 3:g"),
        (OTHERS, RecordFormat::Ris, "1:a 1:b 2:c 3:d 4:e", ""),
        (NBIB, RecordFormat::Medline, "123:a", ""),
        (
            "\u{feff}PMID- 1\nLID - 10.1000/a [doi]\nPMID- 2\nLID - 10.1000/b [doi]\n",
            RecordFormat::Medline,
            "1:a 2:b",
            "",
        ),
        (
            "\u{feff}TY  - JOUR\nDO  - 10.1000/a\nER  - \nTY  - JOUR\nDO  - 10.1000/b\n",
            RecordFormat::Ris,
            "1:a 2:b",
            "",
        ),
        (NBIB_IDS, RecordFormat::Medline, "1:a 2:b 3:c", ""),
        (SEVERAL, RecordFormat::Wos, "1:a 2:b;2-c 3:d", ""),
        (WOS, RecordFormat::Wos, "WOS:1:a", "WOS:1:c WOS:1:d WOS:1:e"),
        ("%0 Journal Article\n%R 10.1000/a\n%X 10.1000/x\n", RecordFormat::Refer, "1:a", ""),
        (JATS, RecordFormat::Xml, "1:a&b", "1:c"),
        (PUBMED, RecordFormat::Xml, "7:a 7:a", "7:c"),
        (MARCXML, RecordFormat::Xml, "m1:a", ""),
        (HTML, RecordFormat::Xml, "1:a 1:b", "1:c"),
        (LINES, RecordFormat::Json, "1:a 2:b 3:d", "1:c"),
        (ITEMS, RecordFormat::Json, "1:a 3:b", "2:c"),
        (MARC, RecordFormat::Marc, "m12:a", ""),
        (MARC_TEXT, RecordFormat::MarcText, "m1:a", ""),
    ] {
        assert_eq!(RecordFormat::of(text.as_bytes()), Some(format));
        for size in [1, 2, 3, 7, 64, text.len()] {
            let wanted = |own, cited| Wanted { own, cited, names: vec![] };
            let found = |wanted| fields(text, &wanted, size).join(" ");
            assert_eq!(found(wanted(true, false)), own, "{format}, {size}");
            assert_eq!(found(wanted(false, true)), cited, "{format}, {size}");
        }
    }
}

#[test]
fn fields_by_name() {
    for (text, name, expected) in [
        (BIB, "URL", "Smith2010:z k2:b"),
        (RIS, "ur", "1:x 2:b"),
        (NOTES, "n1", "1:c 1:d 1:e 2:b 2:x 3:x 3:f 3:g 3:h 4:own 4:own 5:y"),
        (NBIB, "AB", "123:q"),
        (JATS, "article-id[@pub-id-type=\"doi\"]", "1:a&b"),
        (JATS, "ref//pub-id", "1:c"),
        (JATS, "body", "1:t"),
        (MARC, "856$u", ""),
        (LINES, "reference[].DOI", "1:c"),
        (LINES, "/x/DOI", "1:n"),
        (LINES, "y", "1:n"),
        (ITEMS, "/message/items/DOI", "1:a 3:b"),
        (ITEMS, "title", "1:t"),
    ] {
        let wanted = Wanted { names: vec![name.to_owned()], ..Wanted::default() };
        for size in [1, 5, text.len()] {
            assert_eq!(fields(text, &wanted, size).join(" "), expected, "{name}, {size}");
        }
    }
}

#[test]
fn texts_without_records() {
    for text in [
        "",
        "10.1000/1\n",
        "see [1]",
        "{{cite}}",
        "a,b\n",
        "< 5",
        "[1] A. B.",
        "@ home {\n",
        "PT A\n",
    ] {
        assert_eq!(RecordFormat::of(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn values_are_unescaped() {
    for (format, raw, expected) in [
        (RecordFormat::Bibtex, " {10.1000/a\\_b}\n", Some("10.1000/a_b")),
        (RecordFormat::Bibtex, "{{10.1000/a{\\_}b}}", Some("10.1000/a_b")),
        (RecordFormat::Bibtex, "\"10.1000/a\"", Some("10.1000/a")),
        (RecordFormat::Bibtex, "{}", Some("")),
        (RecordFormat::Json, "10.1000\\/a\\u003c", Some("10.1000/a<")),
        (RecordFormat::Xml, "<a b=\"c\">10.1000/a&lt;b&gt;</a>", Some("10.1000/a<b>")),
        (RecordFormat::Xml, "<a><style face=\"x\">10.1000/a</style></a>", Some("10.1000/a")),
        (
            RecordFormat::Xml,
            "<meta name=\"citation_doi\" content=\"10.1000/a\">",
            Some("10.1000/a"),
        ),
        (
            RecordFormat::Xml,
            "<f><s code=\"a\">10.1000/a</s><s code=\"2\">doi</s></f>",
            Some("10.1000/a"),
        ),
        (RecordFormat::Xml, "<f><s code=\"a\">urn:x</s><s code=\"2\">urn</s></f>", None),
        (RecordFormat::Marc, "7 \x1fa10.1000/a\x1f2doi\x1e", Some("10.1000/a")),
        (RecordFormat::MarcText, "  7\\$aurn:x$2urn\n", None),
        (RecordFormat::Medline, " 10.1000/a [doi]\n", Some("10.1000/a")),
        (RecordFormat::Medline, " S01 [pii]\n", None),
        (RecordFormat::Ris, " 10.1000/a-\r\n      b\r\n\r\n", Some("10.1000/a-b")),
    ] {
        let value = format.value(raw.as_bytes());
        assert_eq!(value.as_deref(), expected.map(str::as_bytes), "{raw}");
    }
}

#[test]
fn a_damaged_text_is_cut_alike_in_ranges_of_any_size() {
    let wanted = Wanted { own: true, cited: true, names: vec!["title".to_owned()] };
    for text in [
        BIB, RIS, NOTES, OTHERS, NBIB, NBIB_IDS, WOS, SEVERAL, JATS, PUBMED, MARCXML, HTML, LINES,
        ITEMS, MARC, MARC_TEXT,
    ] {
        for at in 0..text.len() {
            let lost = [&text[..at], &text[at + 1..]].concat();
            let twice = [&text[..at], &text[at..=at], &text[at..]].concat();
            for damaged in [lost, twice, text[..at].to_owned(), text[at..].to_owned()] {
                if RecordFormat::of(damaged.as_bytes()).is_none() {
                    continue;
                }
                let whole = fields(&damaged, &wanted, damaged.len());
                for size in [1, 13] {
                    assert_eq!(fields(&damaged, &wanted, size), whole, "{size}: {damaged}");
                }
            }
        }
    }
}
