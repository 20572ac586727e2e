//! International DOI Foundation, Handling of special characters within the DOI syntax (2000).
//! It has no numbered clauses.

use super::support::*;
use doiscan::doi::{Form, Reader, Reason};
use doiscan::quality::{Judge, Note};

#[test]
fn special_characters_no_limit_of_128_characters() {
    let name = format!("10.1000/{}", "A".repeat(129 - 8));
    assert_eq!(name.len(), 129);
    assert_eq!(read(&name).as_ref(), Ok(&name));
    assert_eq!(names(&name), [name]);
    check_length();
}

#[test]
fn special_characters_a_name_in_a_url() {
    assert_eq!(read("http://dx.doi.org/10.1000/1").as_deref(), Ok("10.1000/1"));
    assert_eq!(url("10.1000/1", false), "https://doi.org/10.1000/1");
}

#[test]
fn special_characters_controls() {
    for octet in (0..=0x1f).chain([0x7f]) {
        let name = [b"10.1000/ab", &[octet][..]].concat();
        assert_eq!(refused(&name), Some(Reason::NonGraphic));
        let encoded = format!("10.1000/ab%{octet:02X}");
        assert!(read(&encoded).is_err());
        assert_eq!(names(&encoded), ["10.1000/AB"]);
    }
}

#[test]
fn special_characters_space() {
    check_space();
}

#[test]
fn special_characters_delimiters() {
    check_table(true, &[('<', "%3C"), ('>', "%3E"), ('#', "%23"), ('%', "%25"), ('"', "%22")]);
    // Those that every browser misinterprets are always encoded.
    assert_eq!(url("10.1000/<>#%\"", false), "https://doi.org/10.1000/<>%23%25%22");
}

#[test]
fn special_characters_unwise() {
    let codes = ["%7B", "%7D", "%7C", "%5C", "%5E", "%5B", "%5D", "%60"].into_iter();
    let rows: Vec<(char, &str)> = "{}|\\^[]`".chars().zip(codes).collect();
    check_table(true, &rows);
}

#[test]
fn special_characters_must_be_encoded_in_a_url() {
    check_table(false, &[('#', "%23"), ('%', "%25"), ('"', "%22")]);
}

#[test]
fn special_characters_any_other_may_be_encoded() {
    let name: String = "10.1000/".chars().chain('!'..='~').chain(['é', '本', '🐔']).collect();
    let encoded: String = name.bytes().map(|octet| format!("%{octet:02x}")).collect();
    assert_eq!(read(&format!("http://dx.doi.org/{encoded}")), Ok(name));
    assert_eq!(names("https://doi.org/%31%30%2E1000%2F%61%62"), [""; 0]);
    assert_eq!(names("https://doi.org/10%2E1000%2F%61%62"), ["10.1000/AB"]);
}

#[test]
fn special_characters_hex_encoding() {
    check_number_sign();
}

#[test]
fn special_characters_the_doi_is_not_changed() {
    check_one_doi("10.1000/456#789");
    check_one_doi("10.123/456#789");
}

#[test]
fn special_characters_batch_input_is_raw_or_encoded() {
    for c in ('!'..='~').filter(|&c| c != '%') {
        let name = format!("10.1000/ab{c}cd");
        let encoded = format!("10.1000/ab%{:02X}cd", u32::from(c));
        for value in [&name, &encoded] {
            assert_eq!(read(value).as_ref(), Ok(&name));
            assert_eq!(read_strictly(value).as_ref(), Ok(&name));
        }
    }
}

#[test]
fn special_characters_batch_input_is_tidied() {
    for (value, name) in [
        ("10.1000/ab.", "10.1000/AB"),
        ("10.1000/ab<i>", "10.1000/AB"),
        ("10.1000/ab\\", "10.1000/AB"),
        ("10.1000/ab\\_c", "10.1000/AB_C"),
        ("10.1000/ab&lt;c", "10.1000/AB"),
        ("10.1000/ab%3Ccd", "10.1000/AB<CD"),
        ("10.1000/ab%5Ccd", "10.1000/AB\\CD"),
    ] {
        for is_strict in [false, true] {
            let mut judge = Judge::new(is_strict);
            let verdict = judge.judge(value.as_bytes());
            let whole = read(value).map(|name| name.to_ascii_uppercase());
            let expected = if is_strict { whole.expect("a name") } else { name.to_owned() };
            assert!(verdict.is_valid(), "{value}");
            assert_eq!(verdict.doi, Some(expected.as_bytes()), "{value}");
            let is_other = !is_strict && !value.contains('%');
            assert_eq!(verdict.notes.contains(Note::Repaired), is_other, "{value}");
        }
    }
}

#[test]
fn special_characters_a_percent_sign_begins_an_encoded_octet() {
    assert_eq!(read("10.1000/ab%41").as_deref(), Ok("10.1000/abA"));
    // Decoding happens once.
    assert_eq!(read("10.1000/ab%2541").as_deref(), Ok("10.1000/ab%41"));
    // A `%` that begins no encoded octet is reported, and rejected in strict mode.
    let mut reader = Reader::default();
    let reading = reader.read(b"doi:10.1000/100%").map(|reading| reading.bare_percent);
    assert_eq!(reading, Ok(Some(15)));
    assert!(read_strictly("doi:10.1000/100%").is_err());
    assert_eq!(read_strictly("doi:10.1000/100%25").as_deref(), Ok("10.1000/100%"));
}

#[test]
fn special_characters_no_restriction_of_names() {
    for c in '!'..='~' {
        assert_eq!(refused(format!("10.1000/{c}")), None, "{c}");
    }
}

#[test]
fn special_characters_raw_in_other_contexts() {
    let name = "10.1000/\"#<>{}^[]`|\\";
    assert_eq!(written(name, Form::Plain), name);
    assert_eq!(written(name, Form::Doi), format!("doi:{name}"));
    assert_eq!(read(name).as_deref(), Ok(name));
}

#[test]
fn special_characters_a_percent_sign_is_always_encoded() {
    check_percent_sign();
    // In other forms it is encoded only if it would be read as the start of an octet.
    for (name, plain) in [("10.1000/a%41", "10.1000/A%2541"), ("10.1000/100%", "10.1000/100%")] {
        assert_eq!(written(name, Form::Plain), plain);
        assert_eq!(read(plain), Ok(name.replace('a', "A")));
    }
}
