//! What publishers, reference lists and interfaces put after a name.

use crate::rule::table;

table! {
    /// Last segments of the addresses of publishers' pages. In a field, they are cut only from the
    /// names of the registrants of the row: other registered names end in them. None of 999 sampled
    /// names ends in one, and none of the 13,903 names of 10.3389 and the 26,849 of 10.1111. Of the 34,468
    /// of 10.1002, one ends in `/full` and one in `/suppinfo`.
    pub(in crate::scan) PAGES, "running text; fields under the registrants", "publisher-path" {
        "/FULL" also ["10.3389/", "10.1111/"]: "see 10.1111/brv.12289/full." => "10.1111/BRV.12289", "\"10.3389/fimmu.2019.01787/full\"" => "10.3389/FIMMU.2019.01787", "\"10.1111/brv.12289/full\"" => "10.1111/BRV.12289";
        "/ABSTRACT" also ["10.3389/", "10.1111/", "10.1002/"]: "see 10.1002/jvim.13796/abstract" => "10.1002/JVIM.13796", "\"10.1002/jvim.13796/abstract\"" => "10.1002/JVIM.13796", "\"10.3389/fimmu.2019.01787/abstract\"" => "10.3389/FIMMU.2019.01787", "\"10.1111/jvim.13796/abstract\"" => "10.1111/JVIM.13796";
        "/PDF" also ["10.3389/", "10.1111/", "10.1002/", "10.1016/"]: "see 10.1088/1757-899X/87/1/012005/pdf" => "10.1088/1757-899X/87/1/012005", "\"10.3389/fimmu.2019.01787/pdf\"" => "10.3389/FIMMU.2019.01787", "\"10.1111/brv.12289/pdf\"" => "10.1111/BRV.12289", "\"10.1002/advs.201500314/pdf\"" => "10.1002/ADVS.201500314", "\"10.1016/s0021-9258(19)52451-6/pdf\"" => "10.1016/S0021-9258(19)52451-6";
        "/EPDF" also ["10.3389/", "10.1111/", "10.1002/"]: "see 10.1002/advs.201500314/epdf" => "10.1002/ADVS.201500314", "\"10.1002/advs.201500314/epdf\"" => "10.1002/ADVS.201500314", "\"10.3389/fimmu.2019.01787/epdf\"" => "10.3389/FIMMU.2019.01787", "\"10.1111/brv.12289/epdf\"" => "10.1111/BRV.12289";
        "/EPUB" also ["10.3389/", "10.1111/", "10.1080/"]: "see 10.1000/182/epub" => "10.1000/182", "\"10.1080/02640414.2019.1706829/epub\"" => "10.1080/02640414.2019.1706829", "\"10.3389/fimmu.2019.01787/epub\"" => "10.3389/FIMMU.2019.01787", "\"10.1111/brv.12289/epub\"" => "10.1111/BRV.12289";
        "/FORMAT" also ["10.1080/"]: "see 10.1080/02640414.2019.1706829/format/epub" => "10.1080/02640414.2019.1706829", "\"10.1080/02640414.2019.1706829/FORMAT/EPUB\"" => "10.1080/02640414.2019.1706829" # "Taylor & Francis; 0 of 628,072 names";
        "/XML" also ["10.3389/", "10.1111/"]: "see 10.1515/9783111615486-010/xml" => "10.1515/9783111615486-010", "\"10.3389/fimmu.2019.01787/xml\"" => "10.3389/FIMMU.2019.01787", "\"10.1111/brv.12289/xml\"" => "10.1111/BRV.12289";
        "/ABS": "see 10.1080/00018736100101281/abs" => "10.1080/00018736100101281";
        "/PDFDIRECT" also ["10.1111/", "10.1002/"]: "see 10.1002/advs.201500314/pdfdirect" => "10.1002/ADVS.201500314", "\"10.1002/advs.201500314/pdfdirect\"" => "10.1002/ADVS.201500314", "\"10.1111/brv.12289/pdfdirect\"" => "10.1111/BRV.12289";
        "/PDFFT" also ["10.1016/"]: "see 10.1016/j.cell.2009.01.042/pdfft" => "10.1016/J.CELL.2009.01.042", "\"10.1016/j.cell.2009.01.042/pdfft\"" => "10.1016/J.CELL.2009.01.042" # "ScienceDirect; 0 of 628,072 names";
        "/PDFPLUS": "see 10.1000/182/pdfplus" => "10.1000/182";
        "/FULLTEXT": "see 10.1000/182/fulltext" => "10.1000/182";
        "/FULL-TEXT": "see 10.1000/182/full-text" => "10.1000/182";
        "/META": "see 10.1088/1361-6463/aacf4c/meta" => "10.1088/1361-6463/AACF4C";
        "/SUMMARY": "see 10.1002/9781444304992.ch7/summary" => "10.1002/9781444304992.CH7";
        "/SHORT": "see 10.1000/182/short" => "10.1000/182";
        "/HTML" also ["10.1515/"]: "see 10.1515/zstw-2017-0033/html" => "10.1515/ZSTW-2017-0033", "\"10.1515/sjpain-2022-0018/html\"" => "10.1515/SJPAIN-2022-0018" # "in fields: 0 of 4,118 names of De Gruyter";
        "/REFERENCES": "see 10.1371/journal.pone.0123754/references" => "10.1371/JOURNAL.PONE.0123754";
        "/SUPPINFO": "see 10.1002/ecy.1701/suppinfo" => "10.1002/ECY.1701";
        "/DOI": "see 10.12688/f1000research.2-191.v2/doi" => "10.12688/F1000RESEARCH.2-191.V2" # "0 of 580,368 names";
        "/OLM" of ["10.1051/"]: "http://www.aanda.org/10.1051/0004-6361/201322183/olm" => "10.1051/0004-6361/201322183" # "EDP Sciences";
        "/CITEDBY": "see 10.1002/advs.201500314/citedby" => "10.1002/ADVS.201500314";
    }
}

table! {
    /// Segments below the page of a name, cut with everything after them. None of 580,860 names from
    /// parsed fields contains one.
    pub(in crate::scan) PATHS, "running text, fields", "publisher-path" {
        "/SUPPL_FILE": "see 10.1021/ja1/suppl_file/ja1_si_001.pdf" => "10.1021/JA1";
        "/-/DC1": "see 10.1136/bmj.n71/-/DC1" => "10.1136/BMJ.N71" # "HighWire";
        "/-/DCSUPPLEMENTAL": "see 10.1073/pnas.1418604112/-/dcsupplemental" => "10.1073/PNAS.1418604112";
        "/TYPE/JOURNAL_ARTICLE": "see 10.1000/182/type/journal_article" => "10.1000/182";
        "/TYPE/BOOK": "see 10.1000/182/type/book" => "10.1000/182";
        "/TRANSFORM/APPLICATION": "see 10.1155/2012/291294/transform/application/x+xml" => "10.1155/2012/291294" # "content negotiation of Crossref";
        "/CITATION/BIB": "http://datadryad.org/resource/doi:10.5061/dryad.7898/citation/bib" => "10.5061/DRYAD.7898" # "Dryad";
        "/CITATION/RIS": "http://datadryad.org/resource/doi:10.5061/dryad.7898/citation/ris" => "10.5061/DRYAD.7898" # "Dryad";
        "/CITATION/DOWNLOAD": "see 10.1000/182/citation/download" => "10.1000/182";
        "/CITE/BIBTEX": "see 10.1063/1.4945450/cite/bibtex" => "10.1063/1.4945450" # "AIP";
        "/BIBTEX": "see 10.3389/fmicb.2023.1304198/BIBTEX" => "10.3389/FMICB.2023.1304198", "\"10.3389/FMICB.2023.1304198/BIBTEX\"" => "10.3389/FMICB.2023.1304198" # "pages that Mendeley imports; 0 of 628,072 names";
        "/XML/NLM": "see 10.3389/fpls.2016.01419/xml/nlm" => "10.3389/FPLS.2016.01419" # "Frontiers";
        "/CITE/ENDNOTE": "see 10.1063/1.4945450/cite/endnote" => "10.1063/1.4945450" # "AIP";
        "/CITE/PLAINTEXT": "see 10.1063/1.4945450/cite/plaintext" => "10.1063/1.4945450" # "AIP";
        "/CITE/REFWORKS": "see 10.1063/1.4945450/cite/refworks" => "10.1063/1.4945450" # "AIP";
        "/MEDIAOBJECTS": "see 10.1186/s40643-016-0099-3/MediaObjects/1.gif" => "10.1186/S40643-016-0099-3";
        "/FULLPDF": "see 10.1111/1365-2435.12231/fullpdf" => "10.1111/1365-2435.12231";
        "/EPUBPDF": "see 10.1000/182/epubpdf" => "10.1000/182";
        "/EMAIL/CORRESPONDENT": "see 10.1007/s11926-017-0626-z/email/correspondent/c1/new" => "10.1007/S11926-017-0626-Z" # "Springer; 0 of 580,368 names";
        "/LOOKINSIDE": "see 10.1007/BF02727953/lookinside/1.png" => "10.1007/BF02727953";
        "/PDF/CDSR": "see 10.1002/14651858.CD013600/pdf/CDSR/CD013600/CD013600.pdf" => "10.1002/14651858.CD013600" # "Cochrane";
        "/MEDIA/CDSR": "see 10.1002/14651858.CD013600/media/CDSR/CD013600/image.png" => "10.1002/14651858.CD013600" # "Cochrane";
        "/__OBJECT__": "/opt/ocfl/10.26181/23089559/__object__" => "10.26181/23089559" # "Oxford Common File Layout";
        "/TAB-PDF": "see 10.1000/182/tab-pdf" => "10.1000/182";
        "/TAB-FIGURES-DATA": "see 10.1000/182/tab-figures-data" => "10.1000/182";
    }
}

table! {
    /// Beginnings of segments below the page of a name, cut with everything after them: more text may be
    /// glued to them.
    pub(in crate::scan) PATH_BEGINNINGS, "running text, fields", "publisher-path" {
        "/ACPROF-": "see 10.1093/acprof:oso/9780199596751.001.0001/acprof-9780199596751-chapter-1" => "10.1093/ACPROF:OSO/9780199596751.001.0001" # "Oxford Scholarship; 0 of 580,368 names";
        "/ISSUETOC": "see 10.1002/advs.v3.4/issuetoc" => "10.1002/ADVS.V3.4", "see 10.1234/abcdefg/1234/issuetocxyz" => "10.1234/ABCDEFG/1234";
    }
}

table! {
    /// Segments below the page of a name whose words are common in names too, cut with everything
    /// after them from the names of the registrants of the row, whose pages have them. Other names of
    /// running text lose them at the end, and in the address of a page with a number. None
    /// of 629,067 names contains one, but `10.1234/corpus/tables/3` may be a name.
    pub(in crate::scan) GENERIC, "running text; fields under the registrants", "publisher-path" {
        "/ASSET" also ["10.1002/", "10.1111/", "10.1021/", "10.1080/", "10.1128/", "10.1177/"]: "see 10.1000/182/asset" => "10.1000/182", "see 10.1021/jf803188d/asset/images/large/jf803188d_0001.jpeg" => "10.1021/JF803188D", "\"10.1021/jf803188d/asset/images/large/jf803188d_0001.jpeg\"" => "10.1021/JF803188D", "\"10.1080/0309/asset/images/1.jpg\"" => "10.1080/0309", "\"10.1128/JVI.01815-21/ASSET/8E6E/ASSETS/F001.JPG\"" => "10.1128/JVI.01815-21", "\"10.1177/0022034516653623/ASSET/IMAGES/10.1177_0022034516653623-FIG1.JPEG\"" => "10.1177/0022034516653623", "\"10.1111/ede.12081/asset/ede12081.pdf\"" => "10.1111/EDE.12081", "\"10.1002/ece3.1183/asset/ece31183.pdf\"" => "10.1002/ECE3.1183";
        "/ATTACHMENT" also ["10.1016/"]: "see 10.1000/182/attachment" => "10.1000/182", "see 10.1016/j.cell.2009.01.042/attachment/1f-2a/mmc1.pdf" => "10.1016/J.CELL.2009.01.042", "\"10.1016/j.cell.2009.01.042/attachment/1f-2a/mmc1.pdf\"" => "10.1016/J.CELL.2009.01.042" # "Cell Press";
        "/PEER-REVIEW" also ["10.1186/"]: "see 10.1186/s12889-021-11045-1/peer-review" => "10.1186/S12889-021-11045-1", "\"10.1186/s12889-021-11045-1/peer-review\"" => "10.1186/S12889-021-11045-1" # "BioMed Central";
        "/CITE": "see 10.1063/1.4945450/cite" => "10.1063/1.4945450";
        "/SUPPLEMENTAL": "see 10.1000/182/supplemental" => "10.1000/182";
        "/FIGURES" also ["10.1007/", "10.1038/", "10.1186/"]: "see 10.1000/182/figures" => "10.1000/182", "\"10.1007/s11192-016-2006-2/figures/1\"" => "10.1007/S11192-016-2006-2", "\"10.1038/nature12373/figures/1\"" => "10.1038/NATURE12373", "\"10.1186/1471-2105-9-367/figures/1\"" => "10.1186/1471-2105-9-367";
        "/TABLES" also ["10.1007/", "10.1038/", "10.1186/"]: "https://example.org/a/10.1000/182/tables/3" => "10.1000/182", "see 10.1186/1471-2105-9-367/tables/1" => "10.1186/1471-2105-9-367", "\"10.1007/s11192-016-2006-2/tables/1\"" => "10.1007/S11192-016-2006-2", "\"10.1038/nature12373/tables/1\"" => "10.1038/NATURE12373", "\"10.1186/1471-2105-9-367/tables/1\"" => "10.1186/1471-2105-9-367";
        "/METRICS" also ["10.1007/", "10.1038/", "10.1186/"]: "see 10.1007/BF02727953/metrics" => "10.1007/BF02727953", "\"10.1007/BF02727953/metrics\"" => "10.1007/BF02727953", "\"10.1038/nature12373/metrics\"" => "10.1038/NATURE12373", "\"10.1186/1471-2105-9-367/metrics\"" => "10.1186/1471-2105-9-367";
        "/VERSIONS": "see 10.1000/182/versions" => "10.1000/182", "https://example.org/a/10.1000/182/versions/2" => "10.1000/182";
        "/STATUS": "see 10.21105/joss.02439/status.svg" => "10.21105/JOSS.02439";
        "/CITATION": "see 10.1000/182/citation" => "10.1000/182";
        "/CITATIONS": "see 10.1000/182/citations" => "10.1000/182";
        "/RELATED": "see 10.1000/182/related" => "10.1000/182";
    }
}

table! {
    /// Segments of the addresses of pages, cut with a number after them where the name is in the path of
    /// an address of a host that is no resolver. `n` stands for digits, `*` for anything. None of
    /// 629,067 names contains one.
    pub(in crate::scan) HOSTED, "addresses of pages", "publisher-path" {
        "/ABSTRACT/*" of ["10.1002/"]: "https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD001901.pub2/abstract/es" => "10.1002/14651858.CD001901.PUB2" # "Cochrane: languages";
        "/ACTIVITIES": "https://example.org/works/10.1000/182/activities" => "10.1000/182";
        "/AGENCY": "https://api.crossref.org/works/10.1000/182/agency" => "10.1000/182" # "the interface of Crossref";
        "/APPENDICES" of ["10.1002/"]: "https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD013600/appendices" => "10.1002/14651858.CD013600" # "Cochrane";
        "/ASSET/*" of ["10.1017/", "10.1029/", "10.1034/", "10.1038/", "10.1046/", "10.1053/", "10.1890/"]: "http://onlinelibrary.wiley.com/store/10.1029/2005GL022411/asset/grl20019.pdf" => "10.1029/2005GL022411", "http://onlinelibrary.wiley.com/store/10.1034/j.1600-0706.2002.980101.x/asset/j.1600-0706.2002.980101.x.pdf" => "10.1034/J.1600-0706.2002.980101.X", "http://onlinelibrary.wiley.com/store/10.1046/j.1461-0248.1999.00067.x/asset/j.1461-0248.1999.00067.x.pdf" => "10.1046/J.1461-0248.1999.00067.X", "http://onlinelibrary.wiley.com/store/10.1890/08-0001.1/asset/ecy.pdf" => "10.1890/08-0001.1", "http://onlinelibrary.wiley.com/store/10.1017/S0048577201393198/asset/S0048577201393198.pdf" => "10.1017/S0048577201393198", "http://onlinelibrary.wiley.com/store/10.1038/oby.2003.86/asset/oby.2003.86.pdf" => "10.1038/OBY.2003.86", "http://onlinelibrary.wiley.com/store/10.1053/jhep.2001.29374/asset/510340616_ftp.pdf" => "10.1053/JHEP.2001.29374" # "Wiley";
        "/AUTHORS": "https://api.semanticscholar.org/graph/v1/paper/10.2139/ssrn.2250500/authors" => "10.2139/SSRN.2250500" # "the interface of Semantic Scholar";
        "/COVER": "https://example.org/doi/10.1000/182/cover" => "10.1000/182";
        "/DATA": "https://example.org/article/10.1000/182/data" => "10.1000/182";
        "/DOWNLOAD" of ["10.5061/", "10.7916/", "10.1525/"]: "/api/v2/datasets/10.5061/dryad.08vv50n/download" => "10.5061/DRYAD.08VV50N", "https://academiccommons.columbia.edu/doi/10.7916/D87S95PK/download" => "10.7916/D87S95PK", "https://www.luminosoa.org/site/books/m/10.1525/luminos.53/download/5643" => "10.1525/LUMINOS.53" # "Dryad, Columbia, Luminos";
        "/ENHANCED": "https://onlinelibrary.wiley.com/doi/10.1000/182/enhanced" => "10.1000/182" # "Wiley";
        "/FIGURE.PPTX": "https://example.org/doi/10.1002/advs.201500314/figure.pptx" => "10.1002/ADVS.201500314" # "Wiley";
        "/Fn.LARGE": "https://www.biorxiv.org/content/10.1000/182/F1.large" => "10.1000/182" # "HighWire";
        "/FULL/*" of ["10.1002/"]: "https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD013600/full/es" => "10.1002/14651858.CD013600" # "Cochrane: languages";
        "/GALLEY/n*": "https://example.org/articles/10.5334/jors.151/galley/245/download" => "10.5334/JORS.151" # "Ubiquity Press";
        "/INFORMATION*" of ["10.1002/"]: "https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD013600/information/es" => "10.1002/14651858.CD013600" # "Cochrane";
        "/ISSUES": "http://onlinelibrary.wiley.com/journal/10.1107/S20532296/issues" => "10.1107/S20532296" # "Wiley";
        "/READ-COMMENTS" of ["10.1002/"]: "https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD013600/read-comments" => "10.1002/14651858.CD013600" # "Cochrane";
        "/RELATED-CONTENT" of ["10.1002/"]: "https://www.cochranelibrary.com/cdsr/doi/10.1002/14651858.CD013600/related-content" => "10.1002/14651858.CD013600" # "Cochrane";
        "/RIGHTn": "app.aip.org/1/2/10.1063/1.4945450/Right1" => "10.1063/1.4945450" # "places of advertisements";
        "/SIDEBYSIDE": "https://www.microbiologyresearch.org/content/journal/micro/10.1099/mic.0.001077/sidebyside" => "10.1099/MIC.0.001077" # "Microbiology Society";
        "/STANDARD": "https://onlinelibrary.wiley.com/doi/10.1000/182/standard" => "10.1000/182" # "Wiley";
        "/Tn.LARGE": "https://www.biorxiv.org/content/10.1000/182/T2.large" => "10.1000/182" # "HighWire";
        "/TRANSFORM": "https://api.crossref.org/works/10.1000/182/transform" => "10.1000/182" # "the interface of Crossref";
        "/WORKS": "https://api.crossref.org/v1/10.1000/182/works" => "10.1000/182" # "the interface of Crossref";
        "/n@RIGHTn": "/ads/article/10.1186/1745/6215/16/1/12612505811@Right3" => "10.1186/1745/6215/16/1" # "advertisements";
        "/n@BOTTOM": "/ads/article/10.1186/1745/6215/16/1/12513717915@Bottom" => "10.1186/1745/6215/16/1" # "advertisements";
        "/n@TOP": "/ads/article/10.1186/1745/6215/16/1/18439358040@Top" => "10.1186/1745/6215/16/1" # "advertisements";
    }
}

table! {
    /// File extensions, and HighWire's names of views. `.abstract` is not listed, because registered
    /// names end in it. Names of the IUCr (10.1107) keep them: it registers supplements such as
    /// `10.1107/S1600536807045333/LW2031SUP0.HTML`. So do packages of CRAN: `10.32614/CRAN.PACKAGE.XML`. In
    /// a field, they are cut from the names of the registrants of the row.
    pub(in crate::scan) FILES, "running text; fields under the registrants", "publisher-path" {
        ".JATS": "see 10.21105/joss.00550.jats" => "10.21105/JOSS.00550";
        ".PDF" also ["10.1371/", "10.1007/", "10.1101/"]: "\"10.1101/gr.229202.pdf\"" => "10.1101/GR.229202", "see 10.1007/978-94-007-4933-7.pdf" => "10.1007/978-94-007-4933-7", "\"10.1007/s11629-006-0048-2.pdf\"" => "10.1007/S11629-006-0048-2", "\"http://dx.plos.org/10.1371/journal.pbio.1001934.pdf\"" => "10.1371/JOURNAL.PBIO.1001934";
        ".PDF+HTML": "see 10.1000/182.pdf+html" => "10.1000/182";
        ".RIS": "see 10.1000/182.ris" => "10.1000/182" # "0 of 580,368 names";
        ".BIB": "see 10.1000/182.bib" => "10.1000/182" # "0 of 580,368 names";
        ".MD": "see 10.1000/182.md" => "10.1000/182" # "0 of 580,368 names";
        ".HTM": "see 10.1000/182.htm" => "10.1000/182";
        ".HTML" also ["10.1007/", "10.1038/", "10.1186/", "10.3758/"]: "\"https://link.springer.com/10.1007/s11629-006-0048-2.html\"" => "10.1007/S11629-006-0048-2", "\"10.1038/nature12373.html\"" => "10.1038/NATURE12373", "\"10.1186/1471-2105-9-367.html\"" => "10.1186/1471-2105-9-367", "\"10.3758/s13414-013-0614-y.html\"" => "10.3758/S13414-013-0614-Y", "see 10.1000/182.html" => "10.1000/182";
        ".XML": "see 10.1000/182.xml" => "10.1000/182";
        ".EPUB": "see 10.1000/182.epub" => "10.1000/182";
        ".EPDF": "see 10.1038/nature12373.epdf" => "10.1038/NATURE12373" # "0 of 628,072 names";
        ".FULL" also ["10."]: "see 10.1000/182.full" => "10.1000/182", "\"10.1136/bmj.k123.full\"" => "10.1136/BMJ.K123" # "0 of 628,069 names";
        ".FULL-TEXT": "see 10.1000/182.full-text" => "10.1000/182";
        ".LONG" also ["10."]: "see 10.1000/182.long" => "10.1000/182", "\"10.1136/bmj.k123.long\"" => "10.1136/BMJ.K123" # "0 of 628,069 names";
        ".SHORT" also ["10."]: "see 10.1000/182.short" => "10.1000/182", "\"10.1136/bmj.k123.short\"" => "10.1136/BMJ.K123" # "0 of 628,069 names";
        ".SUPPLEMENTARY-MATERIAL": "see 10.1000/182.supplementary-material" => "10.1000/182";
        ".ARTICLE-INFO": "see 10.1000/182.article-info" => "10.1000/182";
        ".ZIP": "see 10.1000/182.zip" => "10.1000/182";
        ".JPG": "see 10.1000/182.jpg" => "10.1000/182";
        ".PNG": "see 10.1000/182.png" => "10.1000/182";
        ".SVG": "see 10.1000/182.svg" => "10.1000/182";
    }
}

table! {
    /// Words of reference lists and of captions directly after a name, not after a slash. None of
    /// 629,067 names ends in one. Packages of CRAN keep them: `10.32614/CRAN.PACKAGE.RCROSSREF`.
    pub(in crate::scan) WORDS, "running text", "glued" {
        "PMID": "see 10.1000/182.PMID" => "10.1000/182";
        "PMCID": "see 10.1000/182.PMCID" => "10.1000/182";
        "ACCESSED": "see 10.1000/182.Accessed" => "10.1000/182";
        "(DOI)": "see 10.1000/182(DOI)" => "10.1000/182";
        "(CROSSREF)": "see 10.1000/182(CrossRef)" => "10.1000/182";
        "CROSSREF": "see 10.1000/182CrossRef" => "10.1000/182";
        "PUBMED": "see 10.1000/182PubMed" => "10.1000/182";
        "GOOGLE": "see 10.1000/182Google" => "10.1000/182";
        "RECEIVED": "see 10.1000/182.Received 3 May" => "10.1000/182";
        "ACCEPTED": "see 10.1000/182.Accepted 3 May" => "10.1000/182";
        "PUBLISHED": "see 10.1000/182.Published 3 May" => "10.1000/182";
        "RESEARCH-ARTICLEACS": "https://doi.org/10.1021/j100326a051research-articleACS PublicationsCopyright" => "10.1021/J100326A051" # "abstracts of the American Chemical Society";
        "REVIEW-ARTICLEACS": "https://doi.org/10.1021/j100326a051review-articleACS PublicationsCopyright" => "10.1021/J100326A051";
        "BRIEF-REPORTACS": "https://doi.org/10.1021/j100326a051brief-reportACS PublicationsCopyright" => "10.1021/J100326A051";
        "BOOK-REVIEWACS": "https://doi.org/10.1021/cen-v071n037.p053book-reviewACS PublicationsCopyright" => "10.1021/CEN-V071N037.P053";
        "NEWSACS": "https://doi.org/10.1021/ac0029455newsACS PublicationsCopyright" => "10.1021/AC0029455";
        "CORRECTIONACS": "https://doi.org/10.1021/ja076898acorrectionACS PublicationsCopyright" => "10.1021/JA076898A";
        "EDITORIALACS": "https://doi.org/10.1021/ja076898aeditorialACS PublicationsCopyright" => "10.1021/JA076898A";
        "COPYRIGHT": "see 10.1021/ja953705nCopyright" => "10.1021/JA953705N";
        "ZUGEGRIFFEN": "see 10.1000/182.Zugegriffen am 3. Mai" => "10.1000/182" # "German";
        "ABGERUFEN": "see 10.1000/182.Abgerufen am 3. Mai" => "10.1000/182" # "German";
        "CONSULTADO": "see 10.1000/182.Consultado el 3 de mayo" => "10.1000/182" # "Spanish";
        "DISPONIBLE": "see 10.37811/cl_rcm.v7i1.4767.Disponible" => "10.37811/CL_RCM.V7I1.4767" # "Spanish";
        "DISPONíVEL": "see 10.1590/s0103-40142019.3397.013Disponível em" => "10.1590/S0103-40142019.3397.013" # "Portuguese";
        "RETRIEVED": "see 10.1000/182.Retrieved 3 May" => "10.1000/182";
        "FIGURE": "see 10.7554/eLife.02304.008Figure 2" => "10.7554/ELIFE.02304.008";
        "_MEDLINE": "see 10.1016/s1473-3099(20)30120-1_MEDLINE" => "10.1016/S1473-3099(20)30120-1" # "Web of Science";
        "MEDLINE": "see 10.1000/182Medline" => "10.1000/182";
        ".AUTHOR": "see 10.1000/182.Author Information" => "10.1000/182" # "pages that ADS read";
        ".THIEME": "see 10.1055/a-1522-3155.Thieme and" => "10.1055/A-1522-3155" # "abstracts of Thieme";
        ".URL:HTTPS": "see 10.1016/j.cell.2009.01.042.url:https : //doi.org" => "10.1016/J.CELL.2009.01.042" # "biblatex, as read from PDF files";
        ".URL": "see 10.1000/182.URL https" => "10.1000/182" # "styles of BibTeX";
        "{COLOR}": "see {color:#172b4d}10.1000/182{color} and" => "10.1000/182" # "Jira";
        ":APPLICATION": "see 10.1016/j.cell.2009.01.042:application/pdf and" => "10.1016/J.CELL.2009.01.042" # "types of the files that Zotero exports";
        ":PDF": "see 10.1007/s10664-014-9335-7.pdf:pdf and" => "10.1007/S10664-014-9335-7" # "files of Mendeley";
        ":TEXT": "see 10.1016/j.cell.2009.01.042:text/html and" => "10.1016/J.CELL.2009.01.042";
    }
}

table! {
    /// Hosts inside a name, cut with everything after them. No name contains one but at its start: `10.4028/www.scientific.net/AMR.429`.
    pub(in crate::scan) GLUED_HOSTS, "running text, fields", "glued" {
        "DX.DOI.ORG": "see 10.1000/182/dx.doi.org/x" => "10.1000/182";
        "WWW.": "see 10.1000/182/www.doi.org/x" => "10.1000/182", "see 10.3406/ingeo.2002.281.www.persee.fr/doc" => "10.3406/INGEO.2002.281";
        "DOI.ORG": "see 10.1000/182/doi.org/x" => "10.1000/182";
        ".SAGEPUB.COM": "see 10.1177/0022034510388516jdr.sagepub.com and" => "10.1177/0022034510388516", "\"10.1177/0022034510388516journals.sagepub.com/home/jdr\"" => "10.1177/0022034510388516" # "footers of SAGE, and fields of Web of Science; cut with the code of the journal before it";
    }
}

table! {
    /// Registrants of preprints. The address of a version is the name and the version, such as `v1`.
    /// None of 1,678 names of bioRxiv and medRxiv ends like this.
    pub(in crate::scan) VERSIONED, "running text, fields", "version" {
        "10.1101/": "see 10.1101/656678v1" => "10.1101/656678", "\"10.1101/2020.02.02.931238v12\"" => "10.1101/2020.02.02.931238", "see 10.1101/2024.01.30.577970v1.abstract" => "10.1101/2024.01.30.577970";
        "10.64898/": "see 10.64898/2025.12.01.691234v1" => "10.64898/2025.12.01.691234";
    }
}

table! {
    /// Registrants whose pages add a number and a title to the name. None of 23,551 names of Oxford
    /// University Press has such a number.
    pub(in crate::scan) NUMBERED, "running text, fields", "publisher-path" {
        "10.1093/": "see 10.1093/bioinformatics/btz162/5372677" => "10.1093/BIOINFORMATICS/BTZ162", "\"10.1093/bib/bbw110/2562646/a-title\"" => "10.1093/BIB/BBW110";
    }
}

table! {
    /// Registrants whose names end in a check symbol: `*`, `~`, `$`, `=` or a letter. The symbol is
    /// punctuation in other names.
    pub(in crate::scan) WITH_CHECK_SYMBOL, "running text", "keeps the symbol" {
        "10.5438/": "see 10.5438/gy4a-stw* and" => "10.5438/GY4A-STW*";
        "10.18730/": "see 10.18730/nvxj* and" => "10.18730/NVXJ*";
    }
}

table! {
    /// Registrants of names that end in a slash, which is dirt at the end of other fields. 257 of 75
    /// million names of Crossref ended in one in 2015, most of them by mistake.
    pub(in crate::scan) WITH_SLASH, "fields", "keeps the slash" {
        "10.24447/": "\"10.24447/slc-2024-00003/\"" => "10.24447/SLC-2024-00003/" # "DataCite; it resolves only so";
        "10.36652/": "\"https://doi.org/10.36652/0042-4633-2023-102-5-404-413/\"" => "10.36652/0042-4633-2023-102-5-404-413/" # "Crossref; it resolves only so";
    }
}
