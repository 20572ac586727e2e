//! Tests of the word that continues a name.

use super::column::in_column;
use super::*;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

#[test]
fn the_rest_begins_near_its_column() {
    for (column, from, to) in [(0, 2, 12), (5, 3, 17), (20, 18, 32)] {
        for place in 2..40 {
            let line = format!("{:place$}9500082", "");
            let expected = (from..=to).contains(&place).then_some(place);
            assert_eq!(in_column(line.as_bytes(), column), expected, "{column} {place}");
        }
    }
    for (line, column, expected) in [
        ("9500082", 0, Some(0)),
        ("9500082", 2, Some(0)),
        ("9500082", 3, None),
        ("one  9500082", 5, Some(5)),
        ("one 9500082", 4, None),
        ("  near      far", 3, Some(2)),
        ("  near      far", 12, Some(12)),
        ("  one  two", 5, Some(7)),
        ("é    9500082", 7, Some(6)),
        ("ééééééééé  9500082", 11, Some(20)),
        ("", 0, None),
    ] {
        assert_eq!(in_column(line.as_bytes(), column), expected, "{line} {column}");
    }
}

/// Returns the names that the scanner and its oracle find in `text`.
fn names(text: &str) -> Vec<String> {
    use crate::scan::{Options, OwnedMatch, Scanner, naive};
    let mut slow = alloc::collections::VecDeque::<OwnedMatch>::new();
    let (options, all) = (Options::default(), 0..text.len());
    naive::scan(text.as_bytes(), all, Notation::Unknown, &options, &mut slow);
    let fast = Scanner::new(options).names(text.as_bytes(), Notation::Unknown);
    assert!(slow.into_iter().map(|found| found.doi).eq(fast.iter().cloned()), "{text}");
    fast
}

#[test]
fn addresses_that_may_be_divided() {
    for (text, expected) in [
        (
            "https://doi.org/10.1016/j.ssres\u{200b}\nearch.2017.08.005\nHuddy",
            "10.1016/J.SSRESEARCH.2017.08.005",
        ),
        (
            "https://doi.org/10.1371/journ\u{200b}\nal.pone.0240539\n",
            "10.1371/JOURNAL.PONE.0240539",
        ),
        ("https://doi.org/10.1177/13684\u{200b}\n30220912345 and", "10.1177/1368430220912345"),
        ("https://doi.org/10.1000/182\u{200b}\nHuddy, J.", "10.1000/182"),
        ("https://doi.org/10.1000/182\u{200b}\n12. Huddy, J.", "10.1000/182"),
        ("https://doi.org/10.1000/182\u{200b}\n\nHuddy, J.", "10.1000/182"),
        ("https://doi.org/10.1371/journ\u{200b}\nHuddy, J. 10.1000/182", "10.1000/182"),
    ] {
        assert_eq!(names(text), [expected], "{text}");
    }
}

#[test]
fn names_that_a_blank_divides() {
    for (text, expected) in [
        (
            "https://doi.org/10.2305/IUCN.UK.2021-3.RLTS. T12305A95970485.en</span>",
            "10.2305/IUCN.UK.2021-3.RLTS.T12305A95970485.EN",
        ),
        ("https://doi.org/10.2305/IUCN.UK.2021-3.RLTS. Nature 12", "10.2305/IUCN.UK.2021-3.RLTS"),
        ("https://doi.org/10.1000/182. T12305A95970485.en", "10.1000/182"),
        (
            "see https://doi.org/10.1016/s2212- 5671(14)00981-2&#x0D;\nFrank, E",
            "10.1016/S2212-5671(14)00981-2",
        ),
    ] {
        assert_eq!(names(text), [expected], "{text}");
    }
}

#[test]
fn sicis_with_blanks_and_line_ends() {
    let name = "10.1002/1521-4095(200108)13:15<1173::AID-ADMA1173>3.0.CO;2-1";
    for text in [
        "see 10.1002/1521-4095(200108)13:15<1173::AID-ADMA1173>3.0.CO; 2-1",
        "see 10.1002/1521-4095(200108)13:15<1173::AID-ADMA1173>3.0.CO; 2-1. And",
        "10.1002/1521-4095(200108)13:15<1173::AID-ADMA1173>3.0.CO;\n2-1. And",
        "see 10.1002/ 1521-4095 (200108) 13:15<1173::AID-ADMA1173>3.0.CO;2-1, and",
        "doi:10.1002/ 1521-4095 (200108) 13:15<1173::AID-ADMA1173>3.0.CO; 2-1, and",
        "10.1002/1521-4095 (200108)13:15 <1173::AID-ADMA1173>3.0.CO;2-1",
        "<doi>10.1002/1521-4095 (200108)13:15<1173::AID-ADMA1173>3.0.CO; 2-1</doi>",
    ] {
        assert_eq!(names(text), [name], "{text}");
    }
    for (text, expected) in [
        (
            "doi: 10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;\n2. URL https://a.org",
            "10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2",
        ),
        ("see 10.1000/182>3.0.CO; 2-1", "10.1000/182"),
        ("see doi:10.1002/ecs2.2688 (2001) 13:15 and 3.0.CO;2-1", "10.1002/ECS2.2688"),
    ] {
        assert_eq!(names(text), [expected], "{text}");
    }
    let cut = "10.1002/1521-4095(200108)13:15<1173::AID-A>3.0.CO";
    for code in [";\nNext", "; and", ""] {
        assert_eq!(names(&format!("see {cut}{code}")), [""; 0], "{code}");
    }
}

#[test]
fn blank_lines_and_headings_within_a_name() {
    for (text, expected) in [
        ("https://doi.org/10.1016/j.\n\njala.2011.05.003 (2011).", "10.1016/J.JALA.2011.05.003"),
        ("doi:10.1016/j.\n  \nprocs.2020.06.011.", "10.1016/J.PROCS.2020.06.011"),
        ("https://doi.org/10.1124/dmd.107.\r\n\r\n014787.", "10.1124/DMD.107.014787"),
        ("https://doi.org/10.1371/journal.\n\npone.0023501\n[6] U", "10.1371/JOURNAL.PONE.0023501"),
        ("https://doi.org/10.\n\n1016/J.ORL.2017.10.001 James", "10.1016/J.ORL.2017.10.001"),
        ("https://doi.org/10.1007/s00146-022-\n\n01572-2 A", "10.1007/S00146-022-01572-2"),
        ("+as https://doi.org/10.48550/\n+arxiv.2206.08394", "10.48550/ARXIV.2206.08394"),
        ("http://doi.org/10.1080/00031305\n.2018.1518266\nB", "10.1080/00031305.2018.1518266"),
    ] {
        assert_eq!(names(text), [expected], "{text}");
    }
    for text in [
        "https://doi.org/10.1016/j.\n\nLiedtka, J. 2015",
        "https://doi.org/10.1016/j.\n\n[13]B. Elsinga",
        "https://doi.org/10.1016/j.\n\n\nprocs.2020.06.011.",
        "https://doi.org/10.1016/j.\n\n12. Smith",
        "https://doi.org/10.1016/j.\n#12345.1",
    ] {
        assert_eq!(names(text), [""; 0], "{text}");
    }
    assert_eq!(names("doi:10.1234/abc\n\n1234567.89"), ["10.1234/ABC"]);
    assert_eq!(names("https://doi.org/10.1016/j.\n\ndoi:10.1000/182.12345"), ["10.1000/182.12345"]);
}
