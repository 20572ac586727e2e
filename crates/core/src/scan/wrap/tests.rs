//! Tests of the word that continues a name.

use super::*;

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
