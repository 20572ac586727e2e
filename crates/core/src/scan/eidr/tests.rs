use super::{EidrValue, Keys, LOOKAHEAD, each_in, is_named, of_name};
use proptest::prelude::*;
use proptest::sample::select;

const SUFFIX: &str = "7791-8534-2C23-9030-8610-5";
const NAME: &str = "10.5240/7791-8534-2C23-9030-8610-5";

fn word(found: EidrValue) -> String {
    match found {
        EidrValue::Eidr(eidr) => eidr.name(),
        EidrValue::WrongCheck => "check".to_owned(),
        EidrValue::WrongShape => "shape".to_owned(),
    }
}

fn found(text: &[u8]) -> Vec<String> {
    let mut words = Vec::new();
    Keys::default().each(text, 0..text.len(), |found| words.push(word(found)));
    words
}

fn values(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_in(text.as_bytes(), &mut |found| words.push(word(found)));
    words
}

#[test]
fn keys() {
    for (text, count) in [
        (r#"{"eidr":"V"}"#, 1),
        (r#"{"EIDR" : "V"}"#, 1),
        (r#"{"eidrId":"V","contentEIDR":"V","eidr_ids":["V", "V"]}"#, 4),
        (r#""{\"eidr\":\"V\"}""#, 1),
        (r#"a,"{""eidr"":""V""}""#, 1),
        ("{'eidr': 'V'}", 1),
        ("'eidr' => 'V'", 1),
        ("&quot;eidr&quot;:&quot;V&quot;", 1),
        ("<eidr>V</eidr>", 1),
        ("<md:EIDR a=\"b\">\n  V\n</md:EIDR>", 1),
        ("<ID type=\"EIDR\">V</ID>", 1),
        ("<ID type='EIDR' scope=\"x\">V</ID>", 1),
        ("<eidr><![CDATA[V]]></eidr>", 1),
        ("<film eidr=\"V\"/>", 1),
        ("  eidr = {V},", 1),
        ("  eidr = {{V}},", 1),
        ("EIDR: V", 1),
        ("EIDR: V.", 1),
        ("EIDR number: V, and EIDR = V)", 2),
        ("| EIDR = V\n", 1),
        ("eidr:V", 1),
        ("{\"eidr\":\"V; V\"}", 2),
    ] {
        let text = text.replace('V', SUFFIX);
        assert_eq!(found(text.as_bytes()), vec![NAME; count], "{text}");
    }
}

#[test]
fn what_is_no_key() {
    for text in [
        "V",
        "weidr: V",
        "EIDRX: V",
        "{\"eidr_status\":\"V\"}",
        "{\"eidr\":\"V",
        "EIDR V",
        "EIDR > V",
        "<eidr/>V<",
        "<a eidr=\"\" />V<",
        "urn:x1:eidr-s:V",
        "urn:x1:eidr-u:10.5240_V",
        "urn:eidr:10.5240:V",
        "{\"eidr\":\"10.5240/V\"}",
        "{\"title\":\"V\"}",
    ] {
        let text = text.replace('V', SUFFIX);
        assert_eq!(found(text.as_bytes()), [""; 0], "{text}");
    }
}

#[test]
fn forms_of_a_bare_value() {
    let party = "10.5237/9DD9-E249";
    for (value, expected) in [
        (SUFFIX, &[NAME][..]),
        ("7791-8534-2c23-9030-8610-5", &[NAME]),
        ("779185342C23903086105", &[NAME]),
        (" 7791-8534-2C23-9030-8610-5 ", &[NAME]),
        ("1478779185342C2390308610", &[NAME]),
        ("FHh3kYU0LCOQMIYQ", &[NAME]),
        ("MTAuNTI0MC93kYU0LCOQMIYQNQ", &[NAME]),
        ("MTAuNTI0MC93kYU0LCOQMIYQNQ==", &[NAME]),
        ("31302E353234302F779185342C239030861035", &[NAME]),
        ("7791-8534-2C23-9030-8610-5|7791-8534-2C23-9030-8610-6", &[NAME, "check"]),
        ("7791-8534-2C23-9030-8610-6", &["check"]),
        ("779185342C23903086106", &["check"]),
        ("31302E353234302F779185342C239030861036", &["check"]),
        ("7791-8534-2C23-9030-8610", &["shape"]),
        ("7791-85342C23-9030-8610-5", &["shape"]),
        ("1477779185342C2390308610", &["shape"]),
        ("tt0133093", &["shape"]),
        ("9DD9-E249", &["shape"]),
        ("7791-8534 2C23-9030", &[]),
        (NAME, &[]),
        (party, &[]),
        ("urn:eidr:10.5240:7791-8534-2C23-9030-8610-5", &[]),
        ("registered", &[]),
        ("n/a", &[]),
        ("0", &[]),
        ("", &[]),
        (&"1".repeat(65), &[]),
    ] {
        assert_eq!(values(value), expected, "{value}");
    }
}

#[test]
fn names() {
    for (name, expected) in [
        (NAME, Some(NAME)),
        ("10.5240/779185342C23903086105", Some(NAME)),
        ("10.5240/7791-8534-2C23-9030-8610-6", Some("check")),
        ("10.5240/BLADE", Some("shape")),
        ("10.5240/7791-8534-2C23-9030-8610-55", Some("shape")),
        ("10.5237/9DD9-E249", Some("10.5237/9DD9-E249")),
        ("10.5238/RAY", None),
        ("10.1000/182", None),
        ("10.5241/7791-8534-2C23-9030-8610-5", None),
    ] {
        assert_eq!(of_name(name.as_bytes()).map(word).as_deref(), expected, "{name}");
    }
}

#[test]
fn names_of_columns() {
    for name in [
        "EIDR",
        " eidr ",
        "eidrs",
        "eidr_id",
        "EIDR-ID",
        "Title.EIDR",
        "contentEIDR",
        "titleEidrId",
    ] {
        assert!(is_named(name.as_bytes()), "{name}");
    }
    for name in [
        "",
        "doi",
        "EIDRX",
        "weidr",
        "TITLEEIDR",
        "eidr_status",
        "EIDR (level 1)",
        "eidr id id id id",
        "eidR",
    ] {
        assert!(!is_named(name.as_bytes()), "{name}");
    }
}

/// The value ends at the last byte that can affect the result, or one byte later.
#[test]
fn the_look_ahead_has_its_end() {
    for (filler, count) in [(0, 1), (1, 0)] {
        let first = "\"eidr\":[";
        let last = format!("\"{SUFFIX}\"");
        let blanks = LOOKAHEAD + 1 - first.len() - last.len() + filler;
        let (blanks, names) = (blanks % 9, blanks / 9);
        let text = format!("{first}{}{}{last}", " ".repeat(blanks), "\"abcde\", ".repeat(names));
        assert_eq!(found(text.as_bytes()).len(), count, "{filler}");
    }
}

/// Pieces of keys, separators and values.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => select(vec!["eidr", "EIDR", "Eidr", "\"eidr\"", "content", "s", "Id", "_id", " number", "-s", "status"]),
        4 => select(vec!["\"", "'", "\\\"", "\"\"", "&quot;", ":", " : ", "=", "=>", ">", "<", "/>", "{", "}", "[", "]", ",", "; "]),
        4 => select(vec![SUFFIX, "1478779185342C2390308610", "FHh3kYU0LCOQMIYQ", "7791-8534-2C23-9030-8610-6", "tt0133093"]),
        2 => select(vec!["{\"eidr\":[\"", "\", \"", "<eidr>", "<![CDATA[", "]]>", "eidr = {{", "}}", NAME]),
        1 => select(vec![" ", "\n", ".", "x", "é", "-", "                "]),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn every_cut_finds_the_same(text in texts(), at in any::<prop::sample::Index>()) {
        let text = text.as_bytes();
        let at = at.index(text.len() + 1);
        let mut words = Vec::new();
        for starts in [0..at, at..text.len()] {
            let from = starts.start.saturating_sub(1);
            let reach = text.len().min(starts.end + LOOKAHEAD);
            let starts = starts.start - from..starts.end - from;
            Keys::default().each(&text[from..reach], starts, |found| words.push(word(found)));
        }
        words.sort();
        let mut whole = found(text);
        whole.sort();
        prop_assert_eq!(words, whole);
    }
}
