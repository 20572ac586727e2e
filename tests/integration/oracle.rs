//! The scanner against its oracle, and against itself over every way to cut the input.

use doiscan::doi::Reason;
use doiscan::scan::{LOOKBEHIND, Match, Notation, Options, Repairs, Scanner, Sink, naive};
use proptest::prelude::*;

/// One answer: where, and the name or the reason.
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

/// What the scanner sees when `chunk` bytes at a time are read with no more around
/// them than it asks for.
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

/// Whether the scanner answers what the oracle answers, whole and in windows, whatever
/// the notation.
pub(crate) fn check(haystack: &[u8], options: &Options) {
    let mut scanner = Scanner::new(options.clone());
    for notation in [Notation::Unknown, Notation::Csv(b','), Notation::Csv(b'\t')] {
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

/// Whether every size of chunk, and so every place of a cut, gives one answer.
pub(crate) fn check_cuts(haystack: &[u8], options: &Options) {
    let mut scanner = Scanner::new(options.clone());
    let whole = fast(&mut scanner, haystack, Notation::Unknown);
    for chunk in 1..=haystack.len() {
        let cut = windows(&mut scanner, haystack, chunk, Notation::Unknown);
        assert_eq!(cut, whole, "chunks of {chunk}");
    }
}

/// Pieces that notations, rules and their exceptions are made of.
const PIECES: &[&str] = &[
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
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn fast_is_naive_on_structured_text(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..24)) {
        check(pieces.concat().as_bytes(), &Options::default());
    }

    #[test]
    fn fast_is_naive_near_the_limit(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..40),
        max_length in 12_usize..40,
    ) {
        check(pieces.concat().as_bytes(), &Options { max_length, ..Options::default() });
    }

    #[test]
    fn fast_is_naive_when_strict_or_joining(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..24),
        strict in any::<bool>(),
    ) {
        let options = Options { strict, join_lines: !strict, ..Options::default() };
        check(pieces.concat().as_bytes(), &options);
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

/// Fast against naive on a real file.
pub(crate) fn check_file(path: &std::path::Path, bytes: &[u8]) {
    let notation = doiscan::format::detect(Some(path), bytes);
    let options = Options::default();
    let mut scanner = Scanner::new(options.clone());
    let whole = fast(&mut scanner, bytes, notation);
    assert!(whole == slow(bytes, notation, &options), "{}", path.display());
    assert!(whole == windows(&mut scanner, bytes, 4096, notation), "{} cut", path.display());
}
