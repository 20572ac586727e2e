//! The table of formats: how each is recognised, and which fields hold DOIs.

use crate::format::marc;

crate::named! {
    /// A format of bibliographic records.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RecordFormat {
        /// BibTeX and BibLaTeX, also as Scopus and Web of Science write it.
        Bibtex = "bibtex",
        /// RIS.
        Ris = "ris",
        /// MEDLINE, as PubMed writes `.nbib`.
        Medline = "nbib",
        /// Plain text of Web of Science.
        Wos = "wos",
        /// EndNote export, with `%` in front of each field.
        Refer = "refer",
        /// MARC 21 and UNIMARC as text.
        MarcText = "marc-text",
        /// MARC 21 and UNIMARC in files (ISO 2709).
        Marc = "marc",
        /// XML and HTML: JATS, Crossref, DataCite, PubMed, TEI, EndNote, MARCXML.
        Xml = "xml",
        /// JSON, in lines too: CSL, Crossref, DataCite, OpenAlex.
        Json = "json",
    }
}

/// Where a format has DOIs.
pub(super) struct Row {
    format: RecordFormat,
    /// The fields with the DOI of the record itself.
    pub(super) own: &'static [&'static str],
    /// Fields whose DOI is that of the record if no field of `own` has one.
    pub(super) instead: &'static [&'static str],
    /// The fields with the DOIs that it cites.
    pub(super) cited: &'static [&'static str],
    /// What begins a record. In JSON, the paths of objects that are records.
    pub(super) begin: &'static [&'static str],
    /// The fields with the key of the record.
    pub(super) key: &'static [&'static str],
}

/// In the order of [`RecordFormat::ALL`]. In XML a name is that of an element; `a/b` is a `b` in an `a`, `a//b` a `b` anywhere in it, and
/// `a[b=c]` an `a` with this attribute. Of elements within each other, the outer one counts. In RIS `N1|b:` is what follows
/// `b:` at the beginning of a line of an `N1`. In JSON a name is the path of
/// keys from the record, and stands for all below it.
#[rustfmt::skip]
static ROWS: [Row; RecordFormat::ALL.len()] = [
    Row { format: RecordFormat::Bibtex, own: &["doi"], instead: &["url", "note", "howpublished", "eprint"],
          cited: &["references", "cited-references"], begin: &[], key: &[] },
    Row { format: RecordFormat::Ris, own: &["DO"],
          instead: &["M3", "UR", "L2", "L3", "LK", "N1|10.", "N1|doi 10.", "N1|doi:", "N1|electronic-resource-num:"],
          cited: &["CR", "N1|References:"], begin: &["TY"], key: &[] },
    Row { format: RecordFormat::Medline, own: &["AID", "LID"], instead: &[], cited: &[], begin: &["PMID"], key: &["PMID"] },
    Row { format: RecordFormat::Wos, own: &["DI"], instead: &[], cited: &["CR"], begin: &["PT"], key: &["UT"] },
    Row { format: RecordFormat::Refer, own: &["R"], instead: &["U"], cited: &[], begin: &["0"], key: &[] },
    Row { format: RecordFormat::MarcText, own: &["024"], instead: &[], cited: &[], begin: &["LDR", "LEADER", "000"], key: &["001"] },
    Row { format: RecordFormat::Marc, own: &["024"], instead: &[], cited: &[], begin: &[], key: &["001"] },
    Row {
        format: RecordFormat::Xml,
        own: &[
            // JATS
            "article-meta/article-id[pub-id-type=doi]", "front-stub/article-id[pub-id-type=doi]",
            "book-meta/book-id[book-id-type=doi]", "book-meta/book-id[pub-id-type=doi]",
            "book-part-meta/book-part-id[book-part-id-type=doi]",
            // Crossref, DataCite, PubMed, TEI
            "doi_data/doi", "crossref/doi", "query/doi", "resource/identifier",
            "PubmedData/ArticleIdList/ArticleId[IdType=doi]", "ELocationID[EIdType=doi]", "teiHeader//idno[type=doi]",
            // EndNote, MARCXML, MODS
            "electronic-resource-num", "datafield[tag=024]", "mods/identifier[type=doi]",
            // HTML, Dublin Core, EPUB
            "meta[name=citation_doi]", "meta[name=dc.identifier]", "meta[name=dc.identifier.doi]", "meta[name=prism.doi]",
            "meta[name=bepress_citation_doi]", "dc/identifier", "metadata/identifier",
        ],
        instead: &[],
        cited: &[
            "ref-list", "citation_list", "relatedIdentifiers", "ReferenceList", "listBibl",
            "meta[name=citation_reference]",
        ],
        begin: &[
            "article", "book", "book-part", "journal_article", "conference_paper", "book_metadata", "content_item", "dissertation",
            "report-paper_metadata", "standard_metadata", "dataset", "posted_content", "peer_review", "component", "doi_record", "query",
            "resource", "PubmedArticle", "PubmedBookArticle", "TEI", "record", "mods", "html", "package",
        ],
        key: &["controlfield[tag=001]", "rec-number", "MedlineCitation/PMID"],
    },
    Row {
        format: RecordFormat::Json,
        own: &["DOI", "attributes.doi", "externalIds.DOI", "identifiers.doi"],
        instead: &[],
        cited: &["reference", "references", "relatedIdentifiers", "attributes.relatedIdentifiers", "cited_references"],
        begin: &["items", "message", "message.items", "data", "results", "records", "hits.hits._source"],
        key: &[],
    },
];

/// The names of columns with the DOI of the row itself, and of those with the DOIs that it cites.
pub(crate) const COLUMNS: [&[&str]; 2] = [
    &["doi", "di", "doi link", "item doi", "article doi"],
    &["references", "cited references", "cited-references", "cr", "reference", "cited_references"],
];

impl RecordFormat {
    pub(super) fn row(self) -> &'static Row {
        let row = &ROWS[self as usize];
        debug_assert_eq!(row.format, self);
        row
    }

    /// The format of a text that begins with `head`.
    pub fn of(head: &[u8]) -> Option<RecordFormat> {
        let text = text(head);
        let mut lines = text.split(|&b| b == b'\n' || b == b'\r');
        match text.first()? {
            b'<' => return is_xml(text).then_some(RecordFormat::Xml),
            b'{' | b'[' => return is_json(text).then_some(RecordFormat::Json),
            _ => {}
        }
        if marc::is_marc(head) {
            let is_binary =
                text.first_chunk::<5>().is_some_and(|len| len.iter().all(u8::is_ascii_digit));
            return Some(if is_binary { RecordFormat::Marc } else { RecordFormat::MarcText });
        }
        lines.find_map(|line| match line {
            [b'@', ..] if super::bibtex::entry(line).is_some() => Some(RecordFormat::Bibtex),
            [b'T', b'Y', b' ', b' ', b'-', ..] => Some(RecordFormat::Ris),
            [b'P', b'M', b'I', b'D', b'-', b' ', ..] => Some(RecordFormat::Medline),
            [b'P', b'T', b' ', b'B' | b'J' | b'P' | b'S'] => Some(RecordFormat::Wos),
            [b'%', b'0', b' ', _, ..] => Some(RecordFormat::Refer),
            _ => None,
        })
    }
}

/// A text without a byte order mark and blanks at its beginning.
pub(super) fn text(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start()
}

fn is_xml(text: &[u8]) -> bool {
    text.get(1).is_some_and(|&next| matches!(next, b'?' | b'!') || next.is_ascii_alphabetic())
}

fn is_json(text: &[u8]) -> bool {
    let next = text[1..].trim_ascii_start().first();
    match text[0] {
        b'{' => matches!(next, Some(b'"' | b'}')),
        _ => matches!(next, Some(b'{' | b'[' | b']')),
    }
}
