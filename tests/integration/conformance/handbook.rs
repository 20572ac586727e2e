//! DOI handbook, DOI name encoding rules for URL presentation. It has no numbered clauses.

use super::support::*;
use doiscan::doi::{Form, Writer};

#[test]
fn handbook_url_what_has_a_meaning_is_encoded() {
    for c in ['#', '?', '%'] {
        let address = url(&format!("10.1000/456{c}789"), false);
        assert_eq!(address, format!("https://doi.org/10.1000/456%{:02X}789", u32::from(c)));
    }
    assert_eq!(url("10.1000/é", false), "https://doi.org/10.1000/%C3%A9");
}

#[test]
fn handbook_url_number_sign() {
    check_number_sign();
}

#[test]
fn handbook_url_the_proxy_of_a_library() {
    for host in
        ["doi-org.proxy.example.edu", "doi.org.proxy.example.edu", "doi-org.example.fr:8443"]
    {
        let address = format!("https://{host}/10.1000/456%23789");
        assert_eq!(read(&address).as_deref(), Ok("10.1000/456#789"), "{address}");
        assert_eq!(names(&address), ["10.1000/456#789"], "{address}");
    }
}

#[test]
fn handbook_url_mandatory_characters() {
    let rows = [('%', "%25"), ('"', "%22"), ('#', "%23"), ('?', "%3F")];
    check_table(false, &rows);
    check_table(true, &rows);
    check_others(false, "%\"#?");
}

/// Checks that ASCII characters not listed in `rows` are not encoded.
fn check_others(recommended: bool, rows: &str) {
    // Browsers treat a backslash as a slash, so it is always encoded.
    for c in ('!'..='~').filter(|&c| !rows.contains(c) && c != '\\') {
        let name = format!("10.1000/ab{c}cd");
        assert_eq!(url(&name, recommended), format!("https://doi.org/{name}"));
    }
}

#[test]
fn handbook_url_space() {
    check_space();
}

#[test]
fn handbook_url_a_raw_question_mark_begins_a_query() {
    assert_eq!(read("https://doi.org/10.1000/456?nosfx=y").as_deref(), Ok("10.1000/456"));
    assert_eq!(names("https://doi.org/10.1000/456?nosfx=y"), ["10.1000/456"]);
    assert_eq!(names("https://doi.org/10.1000/456%3F789"), ["10.1000/456?789"]);
    // In a bare name it is an ordinary character.
    assert_eq!(read("10.1000/456?789").as_deref(), Ok("10.1000/456?789"));
}

#[test]
fn handbook_url_recommended_characters() {
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
            ('`', "%60"),
            ('|', "%7C"),
            ('\\', "%5C"),
            ('+', "%2B"),
        ],
    );
    check_others(true, "%\"#?<>{}^[]`|\\+");
}

#[test]
fn handbook_url_encoded_characters_in_text() {
    for c in "%\"#?^`|\\+,".chars() {
        let name = format!("10.1000/AB{c}CD");
        let address = format!("https://doi.org/10.1000/ab%{:02X}cd", u32::from(c));
        assert_eq!(names(&address), [name]);
    }
    // Brackets belong to the name if they are balanced. `<` belongs to it if it opens a SICI's
    // pages.
    for (encoded, name) in [
        ("a%5Bb%5Dc", "10.1000/A[B]C"),
        ("a%7Bb%7Dc", "10.1000/A{B}C"),
        ("a%3C1::A%3E3.0.CO;2-O", "10.1000/A<1::A>3.0.CO;2-O"),
        ("ab%5Dc", "10.1000/AB"),
        ("ab%7Dc", "10.1000/AB"),
        ("a%3Cb%3Ec", "10.1000/A"),
    ] {
        assert_eq!(names(&format!("https://doi.org/10.1000/{encoded}")), [name]);
    }
    assert_eq!(read("https://doi.org/10.1000/a%3Cb%3Ec").as_deref(), Ok("10.1000/a<b>c"));
    // In a field that consists of an address, encoded characters belong to the name, but at the end marks that no name
    // ends in are dirt, encoded or not.
    for code in ["%3C", "%3E", "%5D", "%7D", "%2C", "%3B", "%29", "%2E", "%2F"] {
        let c = char::from(u8::from_str_radix(&code[1..], 16).expect("hexadecimal"));
        let end = if "<>".contains(c) { c.to_string() } else { String::new() };
        for (address, name) in [
            (format!("10.1000/ab{code}"), format!("10.1000/AB{end}")),
            (format!("10.1000/ab{code}cd"), format!("10.1000/AB{c}CD")),
        ] {
            let fields = [
                format!("\"https://doi.org/{address}\""),
                format!("<a>https://doi.org/{address}</a>"),
            ];
            for field in fields {
                assert_eq!(names(&field), [&*name], "{field}");
            }
        }
    }
}

#[test]
fn handbook_url_plus_is_no_space() {
    assert_eq!(read("https://doi.org/10.1000/ab+cd").as_deref(), Ok("10.1000/ab+cd"));
    assert_eq!(read("https://doi.org/10.1000/ab+%63d").as_deref(), Ok("10.1000/ab+cd"));
    assert_eq!(names("https://doi.org/10.1000/ab+cd"), ["10.1000/AB+CD"]);
}

#[test]
fn handbook_url_comma_for_which_ra() {
    let written = |which_ra| {
        let mut writer = Writer::default();
        writer.which_ra = which_ra;
        writer.written(&doi("10.1000/a,b"), Form::Url)
    };
    assert_eq!(written(true), "https://doi.org/10.1000/a%2Cb");
    assert_eq!(written(false), "https://doi.org/10.1000/a,b");
    assert_eq!(url("10.1000/a,b", true), "https://doi.org/10.1000/a,b");
    assert_eq!(names(&written(true)), ["10.1000/A,B"]);
}

#[test]
fn handbook_url_segments_of_dots() {
    for (name, written) in [
        ("10.1000/a/./b", "10.1000/a/.%2Fb"),
        ("10.1000/a/../b", "10.1000/a/..%2Fb"),
        ("10.1000/./b", "10.1000/.%2Fb"),
        ("10.1000/../b", "10.1000/..%2Fb"),
        ("10.1000/a/.../b", "10.1000/a/.../b"),
        ("10.1000/a./b", "10.1000/a./b"),
    ] {
        let address = url(name, false);
        assert_eq!(address, format!("https://doi.org/{written}"));
        assert_eq!(read(&address).as_deref(), Ok(name));
        assert_eq!(names(&address), [name.to_ascii_uppercase()]);
    }
}

#[test]
fn handbook_url_a_segment_of_dots_at_the_end() {
    assert_eq!(url("10.1000/a/.", false), "https://doi.org/10.1000/a%2F.");
    assert_eq!(url("10.1000/a/..", false), "https://doi.org/10.1000/a%2F..");
}

#[test]
fn handbook_url_urn_with_a_colon_for_the_first_slash() {
    assert_eq!(written("10.123/456", Form::Urn), "urn:doi:10.123:456");
    for urn in ["urn:doi:10.123:456", "https://doi.org/urn:doi:10.123:456"] {
        assert_eq!(read(urn).as_deref(), Ok("10.123/456"));
        assert_eq!(names(urn), ["10.123/456"]);
    }
    // Without `urn:`, a colon does not replace the slash. With it, the slash is also accepted.
    assert!(read("10.123:456").is_err() && read("10.123:%34").is_err());
    assert_eq!(read("urn:doi:10.123/456").as_deref(), Ok("10.123/456"));
}

#[test]
fn handbook_url_urn_with_its_other_slashes_encoded() {
    let urn = "urn:doi:10.123:456ABC%2Fzyz";
    assert_eq!(written("10.123/456ABC/zyz", Form::Urn), urn);
    assert_eq!(read(urn).as_deref(), Ok("10.123/456ABC/zyz"));
    assert_eq!(names(&format!("https://doi.org/{urn}")), ["10.123/456ABC/ZYZ"]);
    // Only the first colon replaces a slash.
    assert_eq!(read("urn:doi:10.123:a:b").as_deref(), Ok("10.123/a:b"));
    assert_eq!(written("10.123/a:b", Form::Urn), "urn:doi:10.123:a:b");
}
