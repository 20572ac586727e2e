//! Compares the scanner with its oracle, and with itself over every way to cut the input.

use doiscan::doi::Reason;
use doiscan::scan::{
    Joining, LOOKBEHIND, Match, Notation, Options, Repair, Repairs, Scanner, Sink,
};
use doiscan_core::scan::naive;
use proptest::prelude::*;
use std::sync::LazyLock;

/// One answer: its position, and the name or the reason.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    start: usize,
    end: usize,
    outcome: Result<String, Reason>,
    repairs: Repairs,
}

/// Collects answers.
#[derive(Default)]
struct Answers {
    all: Vec<Answer>,
    offset: usize,
}

impl Sink for Answers {
    fn accept(&mut self, found: &Match<'_>) {
        self.all.push(Answer {
            start: self.offset + found.start,
            end: self.offset + found.end,
            outcome: Ok(String::from_utf8(found.doi.to_vec()).expect("names are UTF-8")),
            repairs: found.repairs,
        });
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        let start = self.offset + start;
        self.all.push(Answer {
            start,
            end: start,
            outcome: Err(reason),
            repairs: Repairs::default(),
        });
    }
}

fn fast(scanner: &mut Scanner, haystack: &[u8], notation: Notation) -> Vec<Answer> {
    let mut answers = Answers::default();
    scanner.scan(haystack, 0..haystack.len(), notation, &mut answers);
    answers.all
}

fn slow(haystack: &[u8], notation: Notation, options: &Options) -> Vec<Answer> {
    let mut answers = Answers::default();
    naive::scan(haystack, 0..haystack.len(), notation, options, &mut answers);
    answers.all
}

/// The answers of the scanner when it reads `chunk` bytes at a time, with only the surrounding
/// bytes that it asks for.
fn windows(
    scanner: &mut Scanner,
    haystack: &[u8],
    chunk: usize,
    notation: Notation,
) -> Vec<Answer> {
    let mut answers = Answers::default();
    for start in (0..haystack.len()).step_by(chunk) {
        let end = haystack.len().min(start + chunk);
        let begin = start.saturating_sub(LOOKBEHIND);
        let reach = haystack.len().min(end + scanner.lookahead());
        answers.offset = begin;
        scanner.scan(&haystack[begin..reach], start - begin..end - begin, notation, &mut answers);
    }
    answers.all
}

/// Delimiters of tables: those of files, and marks that can be part of a name.
const DELIMITERS: [u8; 5] = [b',', b'\t', b'\n', b'"', b'!'];

/// Checks that the scanner gives the answers of the oracle, on the whole input and in windows, for
/// several notations.
pub(crate) fn check(haystack: &[u8], options: &Options) {
    check_tables(haystack, options, &DELIMITERS);
}

/// Like [`check`], for tables with these delimiters.
fn check_tables(haystack: &[u8], options: &Options, delimiters: &[u8]) {
    let mut scanner = Scanner::new(options.clone());
    let tables = delimiters.iter().map(|&delimiter| Notation::Csv(delimiter));
    for notation in tables.chain([Notation::Unknown, Notation::List, Notation::Marc]) {
        let whole = fast(&mut scanner, haystack, notation);
        assert_eq!(
            whole,
            slow(haystack, notation, options),
            "{:?} as {notation:?}",
            String::from_utf8_lossy(haystack)
        );
        for chunk in [1, 2, 7, 64] {
            assert_eq!(
                windows(&mut scanner, haystack, chunk, notation),
                whole,
                "chunks of {chunk}"
            );
        }
    }
}

/// Checks that the answers do not depend on the size of chunks, and so not on the position of a
/// cut.
pub(crate) fn check_cuts(haystack: &[u8], options: &Options) {
    let mut scanner = Scanner::new(options.clone());
    let whole = fast(&mut scanner, haystack, Notation::Unknown);
    for chunk in 1..=haystack.len() {
        let cut = windows(&mut scanner, haystack, chunk, Notation::Unknown);
        assert_eq!(cut, whole, "chunks of {chunk}");
    }
}

/// Parts of notations, rules and their exceptions.
const PIECES: &[&str] = &[
    "\u{1f}a",
    "\u{1e}",
    "$a",
    "$$2doi",
    "$zConnect",
    "|a",
    "‡a",
    "ƒ0",
    "$uhttp://dx.doi.org/",
    "</span><span>",
    "</b> <b>",
    "10.1016/j. ",
    "10.1016/S0079-7421 (08)",
    "60358-5",
    "- ",
    ". ",
    "doi: 10. ",
    "1000/182",
    ".Latham, A.",
    ", J.",
    "’Neill",
    " and Bo",
    "_https://doi.org/",
    "__;",
    "…",
    "...",
    "15… ",
    "(.+)",
    "/*",
    "$1",
    "[/b]",
    "&page%5Bx%5D=",
    "https://x.org/?a=1&doi=",
    "%0A",
    "10.1126/sci-\n",
    "ence.1072702\n",
    "\n13. Bo",
    "\nNosarti, C.",
    "10.5334/jors.bu.",
    "\n490    ",
    "\n491    btg412",
    "10.1000/",
    "10.1000/182",
    "10.1234\\/abc",
    "10.1000%2Fx",
    "10.1000%252Fx",
    "10.12/a",
    "10.1000.10/1",
    "10.05.2015/004",
    "10%2E1000/1",
    "10\\.1000/1",
    "10&#46;1000/1",
    "10.5438/GY4A-STW",
    "10.1107/S1/",
    "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
    "10.1234567890/x",
    "10.",
    "10",
    "doi:",
    "doi ",
    "DOI: ",
    "doi.org/",
    "https://doi.org/",
    "http:\\/\\/dx.doi.org\\/",
    "urn:doi:",
    "info:doi/",
    "10.123:456",
    "\"",
    "'",
    "`",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    ".....",
    "?",
    "#",
    "&",
    "&x=",
    "=",
    "|",
    "*",
    "~",
    "$",
    "+",
    "-",
    "_",
    "/",
    "//",
    "\\",
    "\\\\",
    "\\/",
    "\\_",
    "\\n",
    "\\\"",
    "\\u003c",
    "\\u0026lt;",
    "\\ud83d\\udc14",
    "\\textless{}",
    "{\\_}",
    "{[}",
    "$<$",
    "%",
    "%3C",
    "%3E",
    "%20",
    "%22",
    "%25",
    "%28",
    "%29",
    "%C3%A9",
    "%E9",
    "%%3C",
    "&lt;",
    "&gt;",
    "&amp;",
    "&amp;lt;",
    "&quot;",
    "&#60;",
    "&#x0003c;",
    "&nbsp;",
    "&unknown;",
    " ",
    "  ",
    "\n",
    "\t",
    "\r\n",
    "\u{a0}",
    "\u{200b}",
    "\u{ad}",
    "–",
    "‐",
    "é",
    "本",
    "，",
    "”",
    "•",
    "¡",
    "¿",
    "\u{fffd}",
    "\u{e000}",
    "🐔",
    "a",
    "Z",
    "0",
    "9",
    "abc",
    "1:2",
    "3.0.CO;2-I",
    ";2-#",
    "2006;05:61-70",
    "/full",
    "/abstract",
    ".pdf",
    "/asset/1",
    "/-/dcsupplemental",
    "PMID",
    "pmid:123",
    "Accessed",
    "[doi]",
    "http://x",
    "DO  - ",
    "tdm_license",
    "10.1002/tdm_license_1.1",
    "192.",
    "17.",
    "577–82.",
    "</doi>",
    "<doi>",
    "<b>",
    "</b>",
    "<>",
    "]]>",
    "](",
    "v",
    "$a$",
    "{0}",
    "https%3A%2F%2Fdoi.org%2F10.1000%2F182%3Futm%3Dx",
    "%2210.1000%2F182%22",
    "dx.doi.org/",
    "10.10.1000/a-1",
    "&rsquo;",
    "语",
    "©",
    "—",
    "=20",
    "=3E",
    "CrossRef",
    "PMC123456",
    "{{!}}",
    "\x1b[1m",
    "10.123456/7",
    "10.2.1234/a",
    "%2C10.1000%2F1",
    "+10.1000/1",
    "-->",
    "[^1]",
    "\\xe2\\x80\\x9c",
    "urn:eidr:10.5240:7791-8534",
    "\n  b",
    "-\r\n2",
    "\"key\":\"",
    "_bib9",
    "-BIB40|cit40",
    "key-",
    "\\x3c",
    "¡1:2¿3.0",
    "10%2E1234%2F",
    "10&#x2e;1234/",
    "10.1234&#47;",
    "10.1234\\u002f",
    "10.1234/doi.org/",
    "10.1234/==%252F",
    "10.1234/&amp;‐",
    "1doi10.12/",
    "DOI10.1000/",
    "10.1000%252F%2540",
    "\\u2010.1000/1",
    "{10.1000/1}",
    "...",
    "…",
    "[0-9]",
    "{id}",
    "${ID}",
    "#{id}",
    "{{{2}}}",
    "%s",
    "XXXX",
    "\\d+",
    ".*",
    "10.1930/31",
    "(1971)",
    "（20）3",
    "(20）3",
    "－1",
    "A：1",
    "；a",
    "“a",
    "ﬁ",
    "\u{202a}",
    "\u{200b}\nb.2019.1",
    "%5Cnhttp://",
    "%20(2).4",
    "%EF%BC%8820%EF%BC%893",
    "x10.1000/182",
    "0959-6526",
    "Disponível",
    "10.1101/656678v1",
    "v2.full.pdf",
    "10.1093/bioinformatics/btz162/5372677",
    "10.3389/fimmu.2019.01787/full",
    "/metrics",
    "/figures/2",
    "/MediaObjects/1.gif",
    "/transform/application/x",
    "badge/DOI-",
    "--",
    "__",
    "-blue.svg",
    "%2528",
    "=\r\n",
    "=\n",
    "=3D",
    "\u{e011}",
    "¬",
    "10.1111/j.14679787.1982",
    "10.18260/1-2–22585",
    "10.1007/s11192-0162006-2",
    " . ",
    "10.5281/zenodo",
    "10.1016/j.",
    "doi:10.\n",
    "doi:10.1000\n",
    "182\n",
    "12. A",
    "2017v1",
    "1126/science.1",
    ".\n            2042\n",
    "10.1002/eco.\n2042",
    "10.1016/0009-2614(80)\n80396-4",
    "   x   ",
    "-HP071",
];

static INPUTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(crate::vectors::inputs);

/// Returns parts of the inputs of vectors, one after the other.
fn spliced() -> impl Strategy<Value = Vec<u8>> {
    let part = any::<[prop::sample::Index; 3]>().prop_map(|[row, a, b]| {
        let input = row.get(&INPUTS);
        let [a, b] = [a, b].map(|place| place.index(input.len() + 1));
        input[a.min(b)..a.max(b)].to_vec()
    });
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn fast_is_naive_on_structured_text(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..24)) {
        check(pieces.concat().as_bytes(), &Options::default());
    }

    /// The scanner does not read a cell again that equals the last but one.
    #[test]
    fn fast_is_naive_where_cells_repeat(
        cells in prop::array::uniform3(prop::collection::vec(prop::sample::select(PIECES), 0..3)),
        rows in prop::collection::vec((0..3_usize, prop::sample::select(vec![",", "\n", "\n", "\r\n", "\t", "\"", "x,"])), 4..12),
    ) {
        let cells = cells.map(|pieces| format!("10.1000/a1{}", pieces.concat()));
        let text: String = rows.iter().map(|(cell, end)| format!("{}{end}", cells[*cell])).collect();
        check(format!(",{text}").as_bytes(), &Options::default());
    }

    #[test]
    fn fast_is_naive_near_the_limit(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..40),
        max_length in 12_usize..40,
    ) {
        check(pieces.concat().as_bytes(), &Options::default().with_max_length(max_length));
    }

    #[test]
    fn fast_is_naive_when_strict_or_joining(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..24),
        strict in any::<bool>(),
        joining in prop::sample::select(vec![Joining::Auto, Joining::Never]),
    ) {
        let options = Options::default().with_strict(strict).with_joining(joining);
        check(pieces.concat().as_bytes(), &options);
    }

    #[test]
    fn fast_is_naive_where_vectors_are_spliced(text in spliced()) {
        check_tables(&text, &Options::default(), &DELIMITERS[..3]);
    }

    #[test]
    fn fast_is_naive_on_bytes_of_a_small_alphabet(
        bytes in prop::collection::vec(prop::sample::select(&b"10./0123ab \\%2Ff\"<>();,&\xc2\xa0\xff"[..]), 1..80),
    ) {
        check(&bytes, &Options::default());
    }

    #[test]
    fn fast_is_naive_on_any_bytes_behind_a_prefix(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        check(&[b"x \"10.1000/", &bytes[..], b"\""].concat(), &Options::default());
    }
}

/// A line after a line of a list is a field, but only while the rules see the start of that line.
#[test]
fn the_line_after_a_long_line_is_judged_by_what_the_rules_see() {
    let names = |len: usize| {
        let text = format!("10.1000/1\n10.1000/{}\n10.1000/182.pdf\n 10.1000/2", "a1".repeat(len));
        check(text.as_bytes(), &Options::default());
        Scanner::new(Options::default()).names(text.as_bytes(), Notation::Unknown)
    };
    let kept: Vec<bool> = (50..150).map(|len| names(len)[2] == "10.1000/182.PDF").collect();
    assert!(kept.is_sorted_by(|a, b| a >= b) && kept[0] && !kept[99], "{kept:?}");
}

/// Inputs that random text seldom has.
#[test]
fn fast_is_naive_on_rare_inputs() {
    for text in [
        // A line end cuts a prefix that no label marks.
        "10.\n1000/182 ",
        // The escapes have as many bytes more than their characters as prefixes have twice.
        "doi:10.1000/%61%62%63%64%65%66%67%68 ",
    ] {
        check(text.as_bytes(), &Options::default());
        check_cuts(text.as_bytes(), &Options::default());
    }
}

/// Parts of chains in which every part may begin a name: escaped anchors, separators and markers.
const LINKS: &[&str] = &[
    "10%2E1234%2F",
    "10.1234&#47;",
    "10.1234\\u002f",
    "10.1234/doi.org/",
    "10.1234/==%252F",
    "10&#x2e;1234/",
    "10.1234/&amp;‐",
    "10.1234/",
    "doi10.12/",
    "10.1234%252F%2510",
    "10.1234/<1:10.1234/>1.0",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn chains_are_read_the_same_however_they_are_cut(
        links in prop::collection::vec(prop::sample::select(LINKS), 1..4),
        count in 1_usize..40,
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..3),
        max_length in 12_usize..400,
    ) {
        let text = links.concat().repeat(count) + &pieces.concat();
        let options = Options::default().with_max_length(max_length);
        check(text.as_bytes(), &options);
        if text.len() < 300 {
            check_cuts(text.as_bytes(), &options);
        }
    }

    #[test]
    fn names_do_not_overlap(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..24)) {
        let text = pieces.concat();
        let mut scanner = Scanner::new(Options::default());
        let answers = fast(&mut scanner, text.as_bytes(), Notation::Unknown);
        let names: Vec<_> = answers.iter().filter(|a| a.outcome.is_ok()).collect();
        for pair in names.windows(2) {
            // A name that continues in the next line of its column surrounds those of other columns.
            let is_around = pair[0].repairs.contains(Repair::LineEnd);
            prop_assert!(is_around || pair[0].end <= pair[1].start, "{pair:?}");
        }
    }
}

/// Each chain is one megabyte long, and so is the limit. Reading a chain again from each of its
/// parts would take hours.
#[test]
fn a_chain_is_read_once() {
    let options = Options::default().with_max_length(1024 * 1024);
    let mut scanner = Scanner::new(options);
    for link in LINKS {
        let text = link.repeat(1024 * 1024 / link.len());
        fast(&mut scanner, text.as_bytes(), Notation::Unknown);
    }
}

/// Compares the fast scanner with the naive one on a real file.
pub(crate) fn check_file(path: &std::path::Path, bytes: &[u8]) {
    let name = path.as_os_str().as_encoded_bytes();
    let notation = doiscan::pipeline::Format::Auto.notation(Some(name), bytes);
    let options = Options::default();
    let mut scanner = Scanner::new(options.clone());
    let whole = fast(&mut scanner, bytes, notation);
    assert!(whole == slow(bytes, notation, &options), "{}", path.display());
    assert!(whole == windows(&mut scanner, bytes, 4096, notation), "{} cut", path.display());
}
