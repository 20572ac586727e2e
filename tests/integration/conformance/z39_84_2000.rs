//! ANSI/NISO Z39.84-2000, Syntax for the Digital Object Identifier.

use super::support::*;
use doiscan::doi::{Doi, Form, Reason, is_graphic};
use doiscan::quality::Note;

#[test]
fn z39_84_2000_2_1_characters_are_those_of_unicode() {
    // Characters of Unicode 3.0 and of 6.0, and an unassigned code point.
    assert!(is_graphic('é') && is_graphic('🐔') && !is_graphic('\u{378}'));
    assert_eq!(refused("10.1000/é🐔"), None);
    assert_eq!(refused("10.1000/\u{378}"), Some(Reason::NonGraphic));
}

#[test]
fn z39_84_2000_3_a_prefix_is_directory_and_registrant() {
    let doi = doi("10.1000.10/182");
    assert_eq!((doi.prefix(), doi.registrant()), ("10.1000.10", "1000.10"));
}

#[test]
fn z39_84_2000_3_a_suffix_is_unique_within_its_prefix_alone() {
    assert_ne!(doi("10.1000/182"), doi("10.1001/182"));
    assert_eq!(names("10.1000/182 10.1001/182").len(), 2);
}

#[test]
fn z39_84_2000_4_directory_registrant_suffix() {
    let doi = doi("10.1006/rwei.1999.0001");
    let parts = (doi.prefix(), doi.registrant(), doi.suffix());
    assert_eq!(parts, ("10.1006", "1006", "rwei.1999.0001"));
    for (name, reason) in [
        ("1006.10/rwei", Reason::LeftBoundary),
        ("10/1006.rwei", Reason::LeftBoundary),
        ("10.1006.rwei", Reason::NoSeparator),
        ("10.1006:rwei", Reason::NoSeparator),
    ] {
        assert_eq!(refused(name), Some(reason), "{name}");
    }
}

#[test]
fn z39_84_2000_4_no_limit_on_length() {
    check_length();
}

#[test]
fn z39_84_2000_4_1_only_graphic_characters() {
    for c in ['\t', '\u{7f}', '\u{ad}', '\u{200b}', '\u{2028}', '\u{e000}', '\u{ffff}'] {
        assert_eq!(refused(format!("10.1000/a{c}b")), Some(Reason::NonGraphic), "{c:?}");
    }
}

#[test]
fn z39_84_2000_4_2_a_directory_code_is_required() {
    for value in ["1000/182", ".1000/182", "/182", "182", ""] {
        assert_eq!(refused(value), Some(Reason::LeftBoundary), "{value}");
    }
}

#[test]
fn z39_84_2000_4_2_a_registrant_is_required_behind_a_full_stop() {
    assert_eq!(refused("10./182"), Some(Reason::TooShortRegistrant));
    for value in ["10/182", "10-1000/182", "101000/182", "10..1000/182"] {
        assert!(refused(value).is_some(), "{value}");
    }
}

#[test]
fn z39_84_2000_4_2_registrants_of_digits_alone() {
    check_registrants();
}

#[test]
fn z39_84_2000_4_3_a_suffix_is_required() {
    for value in ["10.1000/", "10.1000"] {
        assert!(matches!(refused(value), Some(Reason::NoSuffix | Reason::NoSeparator)), "{value}");
    }
}

#[test]
fn z39_84_2000_4_3_any_character_in_a_suffix() {
    for c in ('!'..='~').chain(['é', '本', '–', '\u{301}', '🐔', '\u{2010}']) {
        let name = format!("10.1000/{c}");
        assert_eq!(
            Doi::try_from(name.as_str()).map(|doi| doi.suffix().to_owned()),
            Ok(c.to_string())
        );
    }
}

#[test]
fn z39_84_2000_4_3_a_reserved_suffix() {
    check_reserved_suffix();
}

#[test]
fn z39_84_2000_4_3_case_is_folded_all_the_same() {
    assert_eq!(doi("10.1000/ABC"), doi("10.1000/abc"));
    // The written form is preserved.
    assert_eq!(doi("10.1000/aBc").as_str(), "10.1000/aBc");
    assert_eq!(written("10.1000/aBc", Form::Doi), "doi:10.1000/aBc");
}

#[test]
fn z39_84_2000_a_a_prefix_is_numeric() {
    check_registrants();
}

#[test]
fn z39_84_2000_a_the_directory_code_is_10() {
    for value in ["1.1000/182", "11.1000/182", "100.1000/182", "20.1000/182", "010.1000/182"] {
        assert_eq!(refused(value), Some(Reason::LeftBoundary), "{value}");
    }
    assert_eq!(names("20.1000/100 1.1000/182 010.1000/182"), [""; 0]);
}

#[test]
fn z39_84_2000_a_names_are_utf_8() {
    for octets in NO_UTF_8 {
        let name = [b"10.1000/", octets].concat();
        assert_eq!(refused(&name), Some(Reason::NonGraphic), "{octets:x?}");
    }
}

#[test]
fn z39_84_2000_c_a_registrant_of_three_digits() {
    let name = "10.054/1418EC1N2LE";
    assert_eq!(judged(name, false), (true, vec![Note::ShortRegistrant]));
    assert_eq!(names(&format!("doi:{name}")), [name]);
    assert_eq!(names(&format!("see {name}")), [""; 0]);
}

#[test]
fn z39_84_2000_e_contexts_do_not_restrict_the_syntax() {
    let name = "10.1000/\"#?<>{}^[]`|\\+,&';=@";
    assert_eq!(refused(name), None);
    assert_eq!(written(name, Form::Plain), name);
    assert_eq!(written(name, Form::Doi), format!("doi:{name}"));
}

#[test]
fn z39_84_2000_e_ascii_stays_as_it_is() {
    let name: String = "10.1000/".chars().chain('!'..='~').collect();
    assert_eq!(doi(&name).as_str().as_bytes(), name.as_bytes());
    assert_eq!(written(&name, Form::Plain), name.to_ascii_uppercase());
}

#[test]
fn z39_84_2000_e_the_example_of_utf_8() {
    check_nihongo();
}

#[test]
fn z39_84_2000_e_five_and_six_octets_are_no_utf_8() {
    for octets in &NO_UTF_8[4..] {
        let name = [b"10.1000/", *octets].concat();
        assert_eq!(refused(&name), Some(Reason::NonGraphic));
        let encoded: String = octets.iter().map(|octet| format!("%{octet:02X}")).collect();
        assert!(read(&format!("10.1000/{encoded}")).is_err());
    }
}

#[test]
fn z39_84_2000_e_a_name_behind_the_address_of_the_proxy() {
    let address = "http://dx.doi.org/10.1006/rwei.1999.0001";
    assert_eq!(read(address).as_deref(), Ok("10.1006/rwei.1999.0001"));
    assert_eq!(names(address), ["10.1006/RWEI.1999.0001"]);
}

#[test]
fn z39_84_2000_e_a_link_in_html() {
    check_link();
}

#[test]
fn z39_84_2000_e_an_octet_is_a_percent_sign_and_two_digits() {
    assert_eq!(read("10.1000/%41%6a%6A").as_deref(), Ok("10.1000/Ajj"));
    assert_eq!(read("10.1000/%4").as_deref(), Ok("10.1000/%4"));
    assert_eq!(read("10.1000/%4g").as_deref(), Ok("10.1000/%4g"));
    assert_eq!(url("10.1000/\u{100}", false), "https://doi.org/10.1000/%C4%80");
}

#[test]
fn z39_84_2000_e_a_number_sign_is_encoded() {
    check_number_sign();
}

#[test]
fn z39_84_2000_e_the_doi_itself_does_not_change() {
    check_one_doi("10.1000/456#789");
    check_one_doi("10.1000/a<b>c\"d|e\\f");
}

#[test]
fn z39_84_2000_e_only_decoded_names_are_kept() {
    assert_eq!(
        names("http://dx.doi.org/10.1000/456%23789 10.1000/456%2323"),
        ["10.1000/456#789", "10.1000/456#23",]
    );
}

#[test]
fn z39_84_2000_e_a_percent_sign_is_always_encoded_in_a_url() {
    check_percent_sign();
}

#[test]
fn z39_84_2000_table_1_mandatory() {
    check_table(false, &[('%', "%25"), ('"', "%22"), ('#', "%23")]);
}

#[test]
fn z39_84_2000_table_1_space() {
    check_space();
}

#[test]
fn z39_84_2000_table_2_recommended() {
    check_table(
        true,
        &[
            ('<', "%3C"),
            ('>', "%3E"),
            ('{', "%7B"),
            ('}', "%7D"),
            ('^', "%5E"),
            ('[', "%5B"),
            (']', "%5D"),
            ('|', "%7C"),
            ('\\', "%5C"),
        ],
    );
    assert_eq!(url("10.1000/<>{}^[]|\\", false), "https://doi.org/10.1000/<>{}^[]|%5C");
}

#[test]
fn z39_84_2000_table_2_backtick_whose_code_is_misprinted() {
    check_table(true, &[('`', "%60")]);
    assert_eq!(read("10.1000/ab%6acd").as_deref(), Ok("10.1000/abjcd"));
}
