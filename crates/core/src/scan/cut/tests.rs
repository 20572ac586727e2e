//! Tests of names next to a cut.

use super::*;
use crate::scan::{Joining, Options};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Returns the names and the reasons for rejection, in order.
fn answers(text: &str, options: &Options) -> Vec<String> {
    let (mut scanner, mut answers) = (Scanner::new(options.clone()), Answers::default());
    scanner.scan_cut(text.as_bytes(), 0..text.len(), Notation::Unknown, &mut answers);
    let words = answers.0.into_iter().map(|(_, answer)| match answer {
        Answer::Name { doi, .. } => String::from_utf8(doi).expect("UTF-8"),
        Answer::Rejected(reason) => reason.name().to_owned(),
    });
    words.collect()
}

#[test]
fn a_name_that_touches_the_cut_is_rejected() {
    let cut = "cut-by-fault";
    for (text, expected) in [
        ("10.1234/name.1;\n10.1234/other.9876", &["10.1234/NAME.1", cut][..]),
        ("10.1234/name.1 10.1234/other.", &["10.1234/NAME.1", cut]),
        ("10.1234/name.1 10.1234/", &["10.1234/NAME.1", cut]),
        ("10.1234/name.1 10.12", &["10.1234/NAME.1", cut]),
        ("10.1234/name.1\n", &[cut]),
        ("10.1234/name.1 ", &["10.1234/NAME.1"]),
        ("see 10.1234/name.1, which", &["10.1234/NAME.1"]),
        ("\"10.1234/name.1\"", &["10.1234/NAME.1"]),
        ("\"10.1234/name.1\",\"a\":\"b", &["10.1234/NAME.1"]),
        ("\"10.1234/name.1", &[cut]),
        ("10.1234/name&am", &[cut]),
        ("10.1234/name\\u00", &[cut]),
        ("10.1234/(SICI)1097-4571(199806)49:8", &["stem"]),
        ("10.1234/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.", &["stem"]),
        ("<doi>10.1234/name.1</d", &[cut]),
        ("{10.1234/name.1 ", &["10.1234/NAME.1"]),
    ] {
        assert_eq!(answers(text, &Options::default()), expected, "{text}");
    }
    assert_eq!(answers("10.1234/name-\n", &Options::default()), [cut]);
    let never = Options { joining: Joining::Never, ..Options::default() };
    assert_eq!(answers("10.1234/name-\n", &never), ["10.1234/NAME-"]);
}

#[test]
fn a_name_far_from_the_cut_needs_no_blank_behind_it() {
    for (count, expected) in [(63, "10.1234/NAME.1"), (62, "cut-by-fault")] {
        let text = format!("{{10.1234/name.1}}{}", "x".repeat(count));
        assert_eq!(answers(&text, &Options::default()), [expected], "{count}");
    }
}

#[test]
fn a_prefix_at_the_end_of_a_line_may_continue() {
    assert_eq!(answers("doi:10.1000\n/", &Options::default()), ["cut-by-fault"]);
    assert_eq!(answers("10.1000\n/", &Options::default()), ["no-separator"]);
}

#[test]
fn a_name_that_continues_in_the_last_line_may_change() {
    // It continues over the line end only if nothing else is in the line.
    let text = "10.1016/j.cell.2009.   10.1234/doi:10.1234/\n01.042 ";
    let found = answers(text, &Options::default());
    assert_eq!(found, ["10.1016/J.CELL.2009.01.042", "no-suffix", "no-suffix"]);
}

#[test]
fn places_where_no_name_begins_settle_nothing() {
    // If a tag follows, the name fills its element and keeps the asterisk.
    let found = answers("<doi>10.1234/a/10.5/10.6/x* ", &Options::default());
    assert_eq!(found, ["cut-by-fault", "inside-doi", "inside-doi"]);
}

/// A continuation that may change any name.
const FAR_OFF: &[u8] = b"far off";

/// Judges one name for each letter of `names`. No continuation changes `s`, each changes `d`, and
/// only [`FAR_OFF`] changes `f` and hides `h`. Returns the letters of the names that are kept, and
/// `x` for each that is rejected.
fn judged(names: &str, far: &[u8]) -> String {
    let cut = names.chars().map(|name| format!("{name} ")).collect::<String>().into_bytes();
    let mut sink = Answers::default();
    settle(&cut, 0..cut.len(), far, &mut sink, |bytes, starts, found| {
        let (is_longer, is_far) = (bytes.len() > cut.len(), bytes.ends_with(FAR_OFF));
        for start in starts.filter(|at| cut[*at] != b' ') {
            let doi = match cut[start] {
                b'h' if is_far => continue,
                b'd' if is_longer => b'D',
                b'f' if is_far => b'F',
                letter => letter,
            };
            let (end, repairs) = (start + 1, Repairs::default());
            found.0.push((start, Answer::Name { end, doi: vec![doi], repairs }));
        }
    });
    let letter = |(_, answer): &(usize, Answer)| match answer {
        Answer::Name { doi, .. } => char::from(doi[0]),
        Answer::Rejected(reason) => {
            assert_eq!(*reason, Reason::CutByFault);
            'x'
        }
    };
    sink.0.iter().map(letter).collect()
}

#[test]
fn two_settled_names_in_a_row_settle_those_before_them() {
    assert_eq!(SETTLED, 2);
    for (names, expected) in
        [("dd", "xx"), ("ds", "xs"), ("dss", "dss"), ("dsds", "xsxs"), ("dssdsds", "dssxsxs")]
    {
        assert_eq!(judged(names, b""), expected, "{names}");
    }
}

#[test]
fn far_bytes_may_change_every_name() {
    assert_eq!(judged("fshsdsss", b""), "fshsdsss");
    assert_eq!(judged("fshsdsss", FAR_OFF), "xsxsxsss");
}

#[test]
fn a_cut_anywhere_invents_no_name() {
    let text = "10.1234/a\n10.1234/b-1.x.\nsee (10.1234/c(2)d), \"10.1234/e+f\" doi:10.1234/g%2Fh \
                <doi>10.1234/i&lt;j&gt;k</doi> {10.1234/l\\_m} 10.1002/(SICI)1097-4571(199806)49:8\
                &lt;693::AID-ASI4&gt;3.0.CO;2-O \"10.1234\\/n\\u002Fo\" 10.1234/p/full; 10.1234/q:a \
                10.1234/caf\u{e9}-\u{2010}x https://doi.org/10.1234/r?s=t&amp;u=v 10.1234/w...... 5 ";
    for options in [Options::default(), Options { strict: true, ..Options::default() }] {
        let whole = answers(text, &options);
        for len in (0..text.len()).filter(|&len| text.is_char_boundary(len)) {
            let cut = answers(&text[..len], &options);
            let invented = cut.iter().find(|a| a.starts_with("10.") && !whole.contains(a));
            assert_eq!(invented, None, "{}", &text[..len]);
        }
    }
}

#[test]
fn a_long_name_that_touches_the_cut_is_rejected() {
    let options = Options { max_length: 1 << 20, ..Options::default() };
    let long = format!("10.1234/{}", "a".repeat(100_000));
    assert_eq!(answers(&format!("10.1234/b {long}"), &options), ["10.1234/B", "cut-by-fault"]);
    let far = answers(&format!("{long} {}", "x ".repeat(FAR)), &options);
    assert!(far[0].starts_with("10.1234/AAA"), "{far:?}");
}

#[test]
fn a_long_name_is_kept_only_far_from_the_cut() {
    for (len, behind, is_kept) in [
        (LONGEST, 1, true),
        (LONGEST + 1, 1, false),
        (LONGEST + 1, FAR - 1, false),
        (LONGEST + 1, FAR, true),
    ] {
        let name = format!("{:A<len$}", "10.1234/");
        let text = format!("{name}{: <behind$}", "");
        let expected = if is_kept { name } else { "cut-by-fault".to_owned() };
        assert_eq!(answers(&text, &Options::default()), [expected], "{len} {behind}");
    }
}

/// Returns the names that are kept if every candidate is tried with every continuation.
fn kept_by_trying_all(cut: &str, options: &Options) -> BTreeSet<(usize, Vec<u8>)> {
    let mut scanner = Scanner::new(options.clone());
    let mut of = |text: &[u8]| {
        let mut answers = Answers::default();
        scanner.scan(text, 0..cut.len(), Notation::Unknown, &mut answers);
        answers
    };
    let answers = of(cut.as_bytes());
    let mut open: Vec<bool> = answers
        .0
        .iter()
        .map(|(start, a)| matches!(a.fate(*start, cut.as_bytes()), Fate::Open))
        .collect();
    for continuation in CONTINUATIONS {
        answers.compare(of(&[cut.as_bytes(), continuation].concat()), &mut open);
    }
    let kept = answers.0.into_iter().zip(open).filter(|(_, is_open)| !is_open);
    kept.filter_map(|((start, answer), _)| match answer {
        Answer::Name { doi, .. } => Some((start, doi)),
        Answer::Rejected(_) => None,
    })
    .collect()
}

/// Collects the names with their places.
struct Kept(BTreeSet<(usize, Vec<u8>)>);

impl Sink for Kept {
    fn accept(&mut self, found: &Match<'_>) {
        self.0.insert((found.start, found.doi.to_vec()));
    }

    fn reject(&mut self, _: usize, _: Reason) {}
}

const PIECES: [&str; 40] = [
    "10.1234/",
    "10.1016/j.x-",
    "10.1000/1",
    "10.",
    "10.5 ",
    "10%2E1234%2F",
    "10.1234%252F",
    "doi:",
    "https://doi.org/",
    "\"",
    "'",
    "<",
    ">",
    "(",
    ")",
    "[",
    "{",
    "}",
    ";",
    ",",
    ".",
    "...",
    "-",
    "/",
    " ",
    "   ",
    "\n",
    "\r\n",
    "=\n",
    "\\",
    "a",
    "1",
    "<693::AID-ASI4>3.0.CO;2-O",
    "&amp;",
    "&#4",
    "%2",
    "%20",
    "\n2010.05.003",
    "10.1093/bja/74.3",
    "\nDO  - ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_last_names_tell_of_all(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
        mode in 0_usize..2,
    ) {
        let options = [
            Options::default(),
            Options { strict: true, ..Options::default() },
        ][mode].clone();
        let cut = pieces.concat();
        let (mut scanner, mut kept) = (Scanner::new(options.clone()), Kept(BTreeSet::new()));
        scanner.scan_cut(cut.as_bytes(), 0..cut.len(), Notation::Unknown, &mut kept);
        let all = kept_by_trying_all(&cut, &options);
        prop_assert!(kept.0.is_subset(&all), "{cut:?} {:?}", kept.0.difference(&all).map(|(at, name)| (*at, String::from_utf8_lossy(name).into_owned())).collect::<Vec<_>>());
    }
}
