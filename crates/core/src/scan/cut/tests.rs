//! Tests of names next to a cut.

use super::*;
use crate::scan::{Joining, Options};
use alloc::vec;

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
    settle((&cut, 0), 0..cut.len(), far, &mut sink, |bytes, starts, found| {
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
fn far_bytes_may_change_every_name() {
    assert_eq!(judged("fshsdsss", b""), "fshsxsss");
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
fn names_far_from_the_cut_are_kept() {
    let text: String = (0..3 * FAR / 16).map(|n| format!("10.1234/n.{n:05}\n")).collect();
    for len in text.len() - 16..text.len() {
        let found = answers(&text[..len], &Options::default());
        assert!(found[..found.len() - 2].iter().all(|name| name.starts_with("10.")), "{len}");
    }
}
