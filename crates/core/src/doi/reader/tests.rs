//! Tests of the reader.

use super::super::form::{Form, Writer};
use super::*;
use proptest::prelude::*;

fn read(value: &str) -> Result<String, String> {
    let mut reader = Reader::default();
    let reading = reader.read(value.as_bytes()).map_err(|e| e.to_string())?;
    Ok(reading.doi.as_str().to_owned())
}

#[test]
fn notations() {
    for (value, name) in [
        ("10.1000/182", "10.1000/182"),
        ("doi:10.1000/182", "10.1000/182"),
        ("DOI : 10.1000/182", "10.1000/182"),
        ("doi 10.1000/182", "10.1000/182"),
        ("DOI：10.1000/182", "10.1000/182"),
        ("doi https://doi.org/10.1000/182", "10.1000/182"),
        ("info:doi/10.1000/182", "10.1000/182"),
        ("info:doi:10.1000/182", "10.1000/182"),
        ("urn:doi:10.1000:182", "10.1000/182"),
        ("URN:DOI:10.1000/182", "10.1000/182"),
        ("urn:10.123/456", "10.123/456"),
        ("urn:doi:10.123:a:b%2Fc", "10.123/a:b/c"),
        ("https://doi.org/10.1000/182", "10.1000/182"),
        ("https://doi.org/doi:10.1000/182", "10.1000/182"),
        ("https://doi.org/urn:doi:10.1000:182", "10.1000/182"),
        ("https://doi.org/10.1000%2F182?a=b", "10.1000/182"),
        ("https://doi.org/10.1000/182#top", "10.1000/182"),
        ("https://doi.org/10.1002/A;2-#", "10.1002/A;2-#"),
        ("https://doi.org/10.1002/A%3B2-#top", "10.1002/A;2-#top"),
        ("https://doi.org/10.1002/A%3b2-#", "10.1002/A;2-#"),
        ("doi: https://doi.org/urn:doi:10.1000:182", "10.1000/182"),
        ("https://doi.org/10.1000/a%3Fb%23c", "10.1000/a?b#c"),
        ("10.1000/a?b#c", "10.1000/a?b#c"),
        ("10.1000%2f182", "10.1000/182"),
        ("10.1000/%E6%9C%AC", "10.1000/本"),
        ("10.1000/100%", "10.1000/100%"),
        ("10.1000/a%2541", "10.1000/a%41"),
        ("10.1000/182.", "10.1000/182."),
        ("10.1000/a%20b%C2%A0c", "10.1000/a b\u{a0}c"),
    ] {
        assert_eq!(read(value).as_deref(), Ok(name), "{value}");
    }
}

#[test]
fn places_are_those_of_the_value() {
    for (value, message) in [
        ("https://doi.org/", "does not begin with 10.: found the end at byte 17"),
        ("https://doi.org/11.1/x", "does not begin with 10.: found \"1\" at byte 18"),
        ("doi:10/f77", "does not begin with 10.: found \"/\" at byte 7"),
        (
            "10.1000%2Fa b",
            "suffix: expected a graphic character (write a space in a name as %20), found U+0020 at byte 12",
        ),
        (
            "doi:10.1000/%41\u{3000}b",
            "suffix: expected a graphic character (write a space in a name as %20), found U+3000 at byte 16",
        ),
        ("10.1000/a\tb c", "suffix: expected a graphic character, found U+0009 at byte 10"),
        ("10.10 00/a", "separator: expected \"/\", found U+0020 at byte 6"),
        ("10.1000%2Fa%20", "suffix: expected no space at the end, found U+0020 at byte 12"),
        ("10.1000%2Fa%09b", "suffix: expected a graphic character, found U+0009 at byte 12"),
        ("10.1000/%E9b", "suffix: expected UTF-8, found the byte E9 at byte 9"),
        ("urn:doi:10.1000", "separator: expected \"/\", found the end at byte 16"),
        ("https://example.org/10.1000/1", "does not begin with 10.: found \"h\" at byte 1"),
    ] {
        assert_eq!(read(value), Err(message.to_owned()), "{value}");
    }
}

#[test]
fn strict() {
    let mut reader = Reader::strict();
    for (value, message) in [
        (
            "10.1000/a/b",
            "suffix: expected no slash as its second character, found \"/\" at byte 10",
        ),
        (
            "doi:10.1000/é%2Fb",
            "suffix: expected no slash as its second character, found \"/\" at byte 15",
        ),
        (
            "10.1000/1%",
            "suffix: expected two hexadecimal digits after \"%\", or \"%25\" for a literal %, found the end at byte 11",
        ),
        (
            "10.1000/1%2x",
            "suffix: expected two hexadecimal digits after \"%\", or \"%25\" for a literal %, found \"x\" at byte 12",
        ),
    ] {
        assert_eq!(reader.read(value.as_bytes()).unwrap_err().to_string(), message, "{value}");
        assert!(Reader::default().read(value.as_bytes()).is_ok(), "{value}");
    }
    for value in [
        "doi 10.1000/182",
        "DOI：10.1000/182",
        "https://doi-org.proxy.example.edu/10.1000/182",
        "https://doi.org/10.1000/182?a=b",
        "https://doi.org/10.1000/182#top",
        "https://doi.org/10.1000/a\"b",
        "https://doi.org/10.1000/é",
        "urn:doi:10.1000/182",
        "urn:doi:10.1000:a/b",
        "urn:doi:10.1000:a#b",
        "info:doi/10.1000/a#b",
    ] {
        let error = reader.read(value.as_bytes()).expect_err(value).to_string();
        assert!(error.contains("expected"), "{error}");
        assert!(Reader::default().read(value.as_bytes()).is_ok(), "{value}");
    }
    for value in [
        "https://doi.org/10.1000/a%22b%20c%C3%A9%3F%23",
        "urn:doi:10.1000:182%2Fab",
        "info:doi/10.1000/ab/c",
        "10.1000/a%20b\"é",
        "hdl:10.1000/182",
        "http://doi.acm.org/10.1000/182",
    ] {
        assert!(reader.read(value.as_bytes()).is_ok(), "{value}");
    }
    assert!(reader.read(b"10.1000/ab/%25").is_ok());
}

#[test]
fn how_it_was_written_is_told() {
    let mut reader = Reader::default();
    for (value, is_encoded, bare_percent) in [
        ("10.1000/1", false, None),
        ("doi:10.1000/%31", true, None),
        ("doi:10.1000/%", false, Some(12)),
        ("urn:doi:10.1000:1", false, None),
    ] {
        let reading = reader.read(value.as_bytes()).unwrap();
        assert_eq!((reading.is_encoded, reading.bare_percent), (is_encoded, bare_percent));
    }
}

/// Any DOI: any prefix and a suffix of any graphic characters.
fn any_doi() -> impl Strategy<Value = String> {
    let odd = prop::char::any().prop_filter("graphic", |&c| super::super::character::is_graphic(c));
    let mark = prop::sample::select("%25%2F/.#?&;2-<>[]:\\+\"'".chars().collect::<Vec<_>>());
    let c = prop_oneof![4 => prop::char::range('!', '~'), 3 => mark, 1 => odd];
    let suffix = prop::collection::vec(c, 1..24).prop_map(String::from_iter);
    let name =
        ("10\\.[0-9]{2,9}(\\.[0-9]{1,9}){0,2}", suffix).prop_map(|(p, s)| format!("{p}/{s}"));
    name.prop_filter("no space ends a name, and none begins with 10. twice", |name| {
        Doi::try_from(name.as_str()).is_ok() && !name.starts_with("10.10.")
    })
}

const FORMS: [Form; 6] = [Form::Plain, Form::Lower, Form::Doi, Form::Info, Form::Urn, Form::Url];

/// The expected result of reading `name` back from this form.
fn back(name: &str, form: Form) -> String {
    match form {
        Form::Plain => name.to_ascii_uppercase(),
        Form::Lower => name.to_ascii_lowercase(),
        _ => name.to_owned(),
    }
}

/// Run with `cargo test --release --lib doi::reader -- --ignored`.
#[test]
#[ignore = "takes most of a minute, and needs --release"]
fn ten_million_come_back() {
    let marks: Vec<char> = "%25%2F/.#?&;2-<>[]:\\+\"'abcXYZ019_()é本🐔".chars().collect();
    // A Weyl sequence with a mixer, which produces the same names in each run.
    let mut state = 0_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 29)) % below
    };
    let (mut reader, mut out) = (Reader::default(), Vec::new());
    let writer = Writer::default();
    for round in 0..10_000_000 {
        let mut name = format!("10.{}/", 10 + draw(99_990));
        for _ in 0..=draw(12) {
            name.push(marks[draw(marks.len() as u64) as usize]);
        }
        let doi = Doi::try_from(name.as_str()).unwrap();
        let form = FORMS[round % FORMS.len()];
        out.clear();
        writer.write(&doi, form, &mut out);
        let read = reader.read(&out).map(|reading| reading.doi.as_str().to_owned());
        assert_eq!(read, Ok(back(&name, form)), "{}", String::from_utf8_lossy(&out));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

    #[test]
    fn every_form_is_read_back(name in any_doi(), recommended: bool, which_ra: bool) {
        let doi = Doi::try_from(name.as_str()).unwrap();
        let writer = Writer { recommended, which_ra, ..Writer::default() };
        for form in FORMS {
            let written = writer.written(&doi, form);
            prop_assert_eq!(read(&written), Ok(back(&name, form)), "{}", written);
        }
    }

    #[test]
    fn reading_never_fails_otherwise(value: Vec<u8>) {
        let mut reader = Reader::default();
        if let Err(error) = reader.read(&value) {
            prop_assert!(error.at <= value.len());
        }
    }
}
