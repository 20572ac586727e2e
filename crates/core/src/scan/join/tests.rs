//! Tests of the word that continues a name.

use super::column::in_column;
use super::next::Next;
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

#[test]
fn second_halves_of_a_number() {
    for (word, expected) in [
        ("7.2006.10762721", true),
        ("7.1999.10762,", true),
        ("7.2006.1076", false),
        ("7.2006.x0762721", false),
        ("7.20061.10762721", false),
        ("7.3006.10762721", false),
        ("x.2006.10762721", false),
        (".2006.10762721", false),
        ("7.2006", false),
        ("750.v1", true),
        ("750.v", false),
        ("750.v1.1", false),
        ("750", false),
    ] {
        let next = Next { at: 0, token: word.as_bytes(), is_alone: true };
        assert_eq!(next.is_half(), expected, "{word}");
    }
}

#[test]
fn words_alone_on_their_line() {
    let next = |word| Next { at: 0, token: word, is_alone: true };
    for (word, is_check, is_strong) in [
        (&b"x"[..], true, false),
        (b"7", false, false),
        (b"xy", false, false),
        (b"12345", false, true),
        (b"1234", false, false),
        (b"v1", false, true),
        (b"v", true, false),
        (b"v1a", false, false),
        (b"a.1b2.3", false, true),
    ] {
        let next = next(word);
        assert_eq!((next.is_check(), next.is_strong()), (is_check, is_strong), "{word:?}");
        assert!(!Next { is_alone: false, ..next }.is_check());
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
        ("https://doi.org/10.1000/a\u{200b}\nhttps://doi.org/10.1000/182", "10.1000/182"),
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
