//! ANSI/NISO Z39.84-2005, Syntax for the Digital Object Identifier.

use super::support::*;
use doiscan::doi::{DoiBuf, Form, Reason, is_folded, is_graphic};
use doiscan::scan::{Notation, Options, Scanner};
use std::collections::{BTreeSet, HashSet};

#[test]
fn z39_84_2005_2_1_characters_are_those_of_unicode() {
    // Characters added in Unicode 4.0 and in 5.1, and an unassigned code point.
    assert!(is_graphic('ȡ') && is_graphic('ẞ') && !is_graphic('\u{e0fff}'));
    assert_eq!(refused("10.1000/ẞ"), None);
}

#[test]
fn z39_84_2005_3_a_prefix_is_directory_and_registrant() {
    let doi = doi("10.978.8898392/315");
    assert_eq!((doi.prefix(), doi.registrant()), ("10.978.8898392", "978.8898392"));
}

#[test]
fn z39_84_2005_3_a_suffix_is_unique_within_its_prefix_alone() {
    assert_ne!(doi("10.123/456"), doi("10.124/456"));
}

#[test]
fn z39_84_2005_4_directory_registrant_suffix() {
    let doi = doi("10.123/456/789.0");
    assert_eq!((doi.prefix(), doi.registrant(), doi.suffix()), ("10.123", "123", "456/789.0"));
}

#[test]
fn z39_84_2005_4_no_practical_limit_on_length() {
    check_length();
}

#[test]
fn z39_84_2005_4_letters_are_case_insensitive() {
    assert_eq!(doi("10.123/ABC"), doi("10.123/AbC"));
    let small: String = ('a'..='z').collect();
    let capital = small.to_ascii_uppercase();
    assert_eq!(doi(&format!("10.123/{small}")), doi(&format!("10.123/{capital}")));
}

#[test]
fn z39_84_2005_4_only_a_to_z_are_folded() {
    for (a, b) in [("é", "É"), ("ſ", "S"), ("\u{212a}", "K"), ("ı", "I"), ("ß", "SS"), ("[", "{")]
    {
        assert_ne!(doi(&format!("10.123/{a}")), doi(&format!("10.123/{b}")));
    }
    assert_eq!(written("10.123/éſ\u{212a}ıß", Form::Plain), "10.123/éſ\u{212a}ıß");
}

#[test]
fn z39_84_2005_4_names_are_converted_to_upper_case() {
    assert_eq!(doi("10.123/abc").canonical(), "10.123/ABC");
    assert_eq!(written("10.123/abc", Form::Plain), "10.123/ABC");
    // In text, letter by letter, and sixteen bytes at a time.
    assert_eq!(names("doi:10.123/abc"), ["10.123/ABC"]);
    let long = "10.1000/abcdefghijklm.nopqrstuvwxyz-0123456789";
    assert_eq!(names(long), [long.to_ascii_uppercase()]);
    assert!(is_folded(b"10.123/ABC") && !is_folded(b"10.123/ABc"));
}

#[test]
fn z39_84_2005_4_a_second_spelling_is_no_second_name() {
    let (mut sorted, mut hashed) = (BTreeSet::new(), HashSet::new());
    for name in ["10.123/ABC", "10.123/abc", "10.123/AbC"] {
        let doi: DoiBuf = name.parse().expect("a DOI");
        assert_eq!(sorted.insert(doi.clone()), name == "10.123/ABC", "{name}");
        assert_eq!(hashed.insert(doi), name == "10.123/ABC", "{name}");
    }
}

#[test]
fn z39_84_2005_4_comparison_is_octet_by_octet() {
    // By octets, a capital letter sorts before `_`, and a composed `é` differs from a decomposed
    // one.
    assert!(doi("10.123/b") < doi("10.123/_") && doi("10.123/a") < doi("10.123/B"));
    assert_ne!(doi("10.123/\u{e9}"), doi("10.123/e\u{301}"));
    assert!(doi("10.123/AB") < doi("10.123/abc"));
}

#[test]
fn z39_84_2005_4_1_legal_are_graphic_characters() {
    for c in ['!', '~', 'é', '本', '\u{301}', '€', '—'] {
        assert_eq!(refused(format!("10.123/{c}")), None, "{c:?}");
    }
    for c in [' ', '\u{3000}', '\u{feff}', '\u{202e}', '\u{f8ff}', '\u{10ffff}'] {
        assert_eq!(refused(format!("10.123/a{c}")), Some(Reason::NonGraphic), "{c:?}");
    }
}

#[test]
fn z39_84_2005_4_1_control_characters_are_no_part() {
    for c in ('\0'..='\u{1f}').chain('\u{80}'..='\u{9f}') {
        assert_eq!(refused(format!("10.123/ab{c}")), Some(Reason::NonGraphic), "{c:?}");
        assert_eq!(names(&format!("10.1000/ab{c}cd")), ["10.1000/AB"], "{c:?}");
        let encoded: String = c.to_string().bytes().map(|b| format!("%{b:02X}")).collect();
        assert!(read(&format!("10.1000/ab{encoded}")).is_err(), "{c:?}");
    }
}

#[test]
fn z39_84_2005_4_2_the_directory_code_is_10() {
    for value in ["11.123/456", "1O.123/456", "1.123/456", "Ten.123/456", "123/456", ""] {
        assert_eq!(refused(value), Some(Reason::LeftBoundary), "{value}");
    }
}

#[test]
fn z39_84_2005_4_2_a_registrant_is_required_behind_a_full_stop() {
    for value in ["10./456", "10.", "10", "10/123/456", "10,123/456"] {
        assert!(refused(value).is_some(), "{value}");
    }
}

#[test]
fn z39_84_2005_4_2_registrants_of_digits_alone() {
    check_registrants();
}

#[test]
fn z39_84_2005_4_3_a_suffix_is_required() {
    assert_eq!(refused("10.123/"), Some(Reason::NoSuffix));
    assert_eq!(refused("10.123"), Some(Reason::NoSeparator));
    assert_eq!(names("doi:10.1000/ doi:10.1000"), [""; 0]);
}

#[test]
fn z39_84_2005_4_3_any_legal_character_in_a_suffix() {
    let all: String =
        "10.123/".chars().chain('!'..='~').chain('¡'..='¬').chain('®'..='ÿ').collect();
    assert_eq!(refused(&all), None);
}

#[test]
fn z39_84_2005_4_3_a_reserved_suffix() {
    check_reserved_suffix();
}

#[test]
fn z39_84_2005_4_3_suffixes_are_case_insensitive() {
    assert_eq!(doi("10.1000/x-Y"), doi("10.1000/X-y"));
    assert_eq!(names("10.1000/x-Y 10.1000/X-y"), ["10.1000/X-Y", "10.1000/X-Y"]);
}

#[test]
fn z39_84_2005_a_a_prefix_is_numeric() {
    check_registrants();
}

#[test]
fn z39_84_2005_a_the_directory_code_is_10() {
    assert_eq!(doi("10.1000/182").prefix(), "10.1000");
    assert_eq!(refused("12.1000/182"), Some(Reason::LeftBoundary));
}

#[test]
fn z39_84_2005_a_names_are_utf_8() {
    for octets in NO_UTF_8 {
        let name = [b"10.1000/ab", octets].concat();
        assert_eq!(refused(&name), Some(Reason::NonGraphic), "{octets:x?}");
        let found = Scanner::new(Options::default()).names(&name, Notation::Unknown);
        // A letter of Windows-1252 is the beginning of the rest of a name.
        let is_letter = octets[0] >= 0xc0 && octets[0] != 0xed;
        assert_eq!(found.is_empty(), is_letter, "{octets:x?}");
        assert!(is_letter || found == ["10.1000/AB"], "{octets:x?}");
    }
}

/// Checks that `name` is valid as a whole value and as a cell.
fn check_example(name: &str) {
    assert_eq!(judged(name, false), (true, vec![]));
    assert_eq!(judged(name, true), (true, vec![]));
    assert_eq!(names(&format!("\"{name}\"")), [name.to_ascii_uppercase()]);
}

#[test]
fn z39_84_2005_c_a_sici() {
    let printed = "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO:2-0";
    let registered = "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O";
    for name in [printed, registered] {
        check_example(name);
        assert_eq!(names(&format!("see {name}, and")), [name]);
    }
    assert_ne!(doi(printed), doi(registered));
}

#[test]
fn z39_84_2005_c_a_suffix_with_a_comma_and_a_colon_at_its_end() {
    check_example("10.1001/PUBS.JAMA(278)3,JOC7055-ABSY:");
    // In running text, the comma ends it.
    assert_eq!(names("10.1001/PUBS.JAMA(278)3,JOC7055-ABSY:"), ["10.1001/PUBS.JAMA(278)3"]);
}

#[test]
fn z39_84_2005_c_a_suffix_with_full_stops() {
    check_example("10.1006/rwei.1999.0001");
    assert_eq!(names("10.1006/rwei.1999.0001."), ["10.1006/RWEI.1999.0001"]);
}

#[test]
fn z39_84_2005_e_contexts_do_not_restrict_the_syntax() {
    let name = "10.123/\"#?<>{}^[]`|\\+,&';=@";
    assert_eq!(refused(name), None);
    assert_eq!(written(name, Form::Plain), name);
}

#[test]
fn z39_84_2005_e_ascii_stays_as_it_is() {
    let name: String = "10.123/".chars().chain('!'..='~').collect();
    assert_eq!(written(&name, Form::Lower), name.to_ascii_lowercase());
    assert_eq!(written(&name, Form::Plain), name.to_ascii_uppercase());
}

#[test]
fn z39_84_2005_e_the_example_of_utf_8() {
    check_nihongo();
}

#[test]
fn z39_84_2005_e_five_and_six_octets_are_no_utf_8() {
    for octets in &NO_UTF_8[4..] {
        assert_eq!(refused([b"10.123/", *octets].concat()), Some(Reason::NonGraphic));
    }
}

#[test]
fn z39_84_2005_e_a_name_behind_the_address_of_the_proxy() {
    assert_eq!(read("http://dx.doi.org/10.123/456"), read("doi:10.123/456"));
    assert_eq!(names("http://dx.doi.org/10.123/456 doi:10.123/456"), ["10.123/456"; 2]);
    assert_eq!(url("10.123/456", true), "https://doi.org/10.123/456");
}

#[test]
fn z39_84_2005_e_a_link_in_html() {
    check_link();
}

#[test]
fn z39_84_2005_e_an_octet_is_a_percent_sign_and_two_digits() {
    assert_eq!(read("10.123/%23%5b%5B").as_deref(), Ok("10.123/#[["));
    assert_eq!(url("10.123/\u{ff}", false), "https://doi.org/10.123/%C3%BF");
}

#[test]
fn z39_84_2005_e_in_urns_too() {
    assert_eq!(written("10.123/a#b\"c%d", Form::Urn), "urn:doi:10.123:a%23b%22c%25d");
    assert_eq!(read("urn:doi:10.123:a%23b%22c%25d").as_deref(), Ok("10.123/a#b\"c%d"));
}

#[test]
fn z39_84_2005_e_a_number_sign_is_encoded() {
    check_number_sign();
}

#[test]
fn z39_84_2005_e_the_doi_itself_does_not_change() {
    check_one_doi("10.123/456#789");
}

#[test]
fn z39_84_2005_e_only_decoded_names_are_kept() {
    assert_eq!(names("doi:10.123/456%23789"), ["10.123/456#789"]);
    assert_eq!(written("10.123/456#789", Form::Plain), "10.123/456#789");
}

#[test]
fn z39_84_2005_e_a_percent_sign_is_always_encoded_in_a_url() {
    check_percent_sign();
}

#[test]
fn z39_84_2005_table_1_mandatory() {
    check_table(false, &[('%', "%25"), ('"', "%22"), ('#', "%23")]);
}

#[test]
fn z39_84_2005_table_1_space() {
    check_space();
}

#[test]
fn z39_84_2005_table_2_recommended() {
    let codes = ["%3C", "%3E", "%7B", "%7D", "%5E", "%5B", "%5D", "%7C", "%5C"].into_iter();
    let rows: Vec<(char, &str)> = "<>{}^[]|\\".chars().zip(codes).collect();
    check_table(true, &rows);
}

#[test]
fn z39_84_2005_table_2_backtick_whose_row_is_misprinted() {
    check_table(true, &[('`', "%60")]);
    // The apostrophe printed in its place needs no code, and `%6o` is not one.
    assert_eq!(url("10.123/it's", true), "https://doi.org/10.123/it's");
    assert_eq!(read("10.123/%6o").as_deref(), Ok("10.123/%6o"));
    assert!(read_strictly("10.123/%6o").is_err());
}
