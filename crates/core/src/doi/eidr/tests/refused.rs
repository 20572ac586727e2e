//! Tests of values and forms that are rejected, and of the messages.

use super::*;

#[test]
fn wrong_check_characters() {
    for (value, message) in [
        (LETTER_O.replace("-O", "-0"), "expected \"O\", found \"0\" at byte 34"),
        ("10.5240/5FD4FEE122F5583EFECCq".into(), "expected \"O\", found \"q\" at byte 29"),
        ("doi:10.5240/7791-8534-2C23-9030-8610-6".into(), "expected \"5\", found \"6\" at byte 38"),
        (
            "urn:x2:eidr-s:5FD4-FEE1-22F5-583E-FECC-N".into(),
            "expected \"O\", found \"N\" at byte 40",
        ),
        ("31302E353234302F5FD4FEE122F5583EFECC30".into(), "expected \"O\", found \"0\" at byte 37"),
        ("MTAuNTI0MC9f1P7hIvVYPv7MMA==".into(), "expected \"O\", found \"0\" at byte 25"),
    ] {
        assert_eq!(read(&value), format!("check character: {message}"), "{value}");
    }
}

#[test]
fn what_is_missing() {
    let bare = "expected a sub-prefix such as 10.5240 before the suffix";
    let scheme =
        |mark| format!("expected \"urn:SCHEME:\" before \"{mark}\": the URN scheme is missing");
    let table = "expected a 16-bit sub-prefix, found a one-byte prefix index without its table";
    let short = "a shortDOI does not contain its DOI: look it up at shortdoi.org";
    for (value, message) in [
        ("5FD4-FEE1-22F5-583E-FECC-O", bare),
        ("5fd4fee122f5583efecco", bare),
        ("5FD4-FEE1-22F5-583E-FECC-0", bare),
        ("5FD4-FEE1-22F5-583E-FECC", bare),
        ("5FD4FEE122F5583EFECC", bare),
        ("9DD9-E249", bare),
        ("9dd9e249", bare),
        ("eidr-s:5FD4-FEE1-22F5-583E-FECC-O", &scheme("eidr-s:")),
        ("urn:eidr-s:5FD4-FEE1-22F5-583E-FECC-O", &scheme("eidr-s:")),
        ("EIDR-U:10.5240_5FD4-FEE1-22F5-583E-FECC-O", &scheme("eidr-u:")),
        ("urn:eidr-u:10.5240_5FD4-FEE1-22F5-583E-FECC-O", &scheme("eidr-u:")),
        ("eidr:10.5240%2F5FD4-FEE1-22F5-583E-FECC-O", &scheme("eidr:")),
        ("785FD4FEE122F5583EFECC", table),
        ("10/f77", short),
        ("doi:10/f77", short),
        ("http://dx.doi.org/10/f77", short),
        ("http://doi.org/f77", short),
    ] {
        assert_eq!(read(value), message, "{value}");
    }
}

#[test]
fn what_has_no_form() {
    let any = "expected \"10.\", \"doi:\", \"info:doi/\", \"urn:\", \"https://\" or a binary form \
               in hexadecimal or Base64 at byte 1, found";
    for (value, message) in [
        ("", "the end"),
        (" 10.5240/5FD4-FEE1-22F5-583E-FECC-O", "byte 0x20"),
        ("\u{FF11}0.5240/", "byte 0xEF"),
        ("internationalize", "\"i\""),
        ("FHlf1P7hIvVYPv7M", "\"F\""),
        ("31302E353234312F5FD4FEE122F5583EFECC4F", "\"3\""),
    ] {
        assert_eq!(read(value), format!("{any} {message}"), "{value}");
    }
}

#[test]
fn what_is_wrong_and_where() {
    for (value, message) in [
        ("10.1000/182", "expected 5237, 5238, 5239 or 5240 at byte 4, found \"1\""),
        ("10.5241/9DD9-E249", "expected 5237, 5238, 5239 or 5240 at byte 4, found \"5\""),
        ("10.52401/9DD9-E249", "expected \"/\" at byte 8, found \"1\""),
        ("10.5240", "expected \"/\" at byte 8, found the end"),
        ("10.5237/superparty", "expected a hexadecimal digit at byte 9, found \"s\""),
        ("10.5237/9DD9-E249-5", "expected the end at byte 18, found \"-\""),
        ("10.5237/9DD9-E2", "expected a hexadecimal digit at byte 16, found the end"),
        (
            "10.5240/5FD4-FEE1-22F5-583E-FECC",
            "expected \"-\" as between the earlier groups at byte 33, found the end",
        ),
        (
            "10.5240/5FD4FEE122F5583EFECC",
            "expected a check character (0-9, A-Z) at byte 29, found the end",
        ),
        (
            "10.5240/5FD4-FEE122F5-583E-FECC-O",
            "expected \"-\" as between the earlier groups at byte 18, found \"2\"",
        ),
        (
            "10.5240/5FD4FEE1-22F5583EFECCO",
            "expected no \"-\" as between the earlier groups at byte 17, found \"-\"",
        ),
        (
            "10.5240/5FD4-FEE1-22F5-583E-FECC-*",
            "expected a check character (0-9, A-Z) at byte 34, found \"*\"",
        ),
        ("10.5240/5FD4-FEE1-22F5-583E-FECC-0Q", "expected the end at byte 35, found \"Q\""),
    ] {
        assert_eq!(read(value), message, "{value}");
    }
}

#[test]
fn what_is_wrong_in_a_notation() {
    for (value, message) in [
        ("info:doi1:10.5240/", "expected \"/\" at byte 9, found \"1\""),
        ("doi: 10.5240/", "expected \"10.\" at byte 5, found byte 0x20"),
        (
            "http://example.org/10.5240/",
            "expected a resolver such as \"doi.org/\" at byte 8, found \"e\"",
        ),
        (
            "https://doi.org/10.5240/5FD4-FEE1-22F5-583E-FECC-O?locatt=type:Simple",
            "expected the end at byte 51, found \"?\"",
        ),
        ("urn:x:eidr:", "expected the name of a URN scheme and \":\" at byte 5, found \"x\""),
        ("https://doi.org/", "expected \"10.\" at byte 17, found the end"),
        ("urn:xx", "expected the name of a URN scheme and \":\" at byte 5, found \"x\""),
        ("urn:", "expected the name of a URN scheme and \":\" at byte 5, found the end"),
        (
            "urn:doi:10.5240:",
            "expected \"eidr:\", \"eidr-u:\" or \"eidr-s:\" at byte 9, found \"1\"",
        ),
        ("urn:xx:eidr:10.5240/", "expected \"%2F\" at byte 20, found \"/\""),
        ("urn:xx:eidr-u:10.5240 5FD4", "expected \"_\" at byte 22, found byte 0x20"),
        ("urn:eidr:10.5240%2F", "expected \":\" at byte 17, found \"%\""),
        (
            "14795FD4FEE122F5583EFECC",
            "expected the sub-prefix 5240 at byte 1, found the unknown sub-prefix 5241",
        ),
        (
            "14750000000000009DD9E249",
            "expected the sub-prefix 5240 at byte 1, found 5237: its suffixes have 32 bits, not 80",
        ),
    ] {
        assert_eq!(read(value), message, "{value}");
    }
}

#[test]
fn binary_forms_that_are_refused() {
    let refused = |bytes: &[u8]| Eidr::from_binary(bytes).unwrap_err().to_string();
    let content = eidr(LETTER_O);
    let full = content.full().unwrap();
    assert_eq!(Eidr::from_binary(&full), Ok(content));
    assert_eq!(Eidr::from_binary(&content.compact().unwrap()), Ok(content));

    let with = |at: usize, byte| {
        let mut changed = full;
        changed[at] = byte;
        refused(&changed)
    };
    assert_eq!(with(18, b'0'), "check character: expected \"O\", found \"0\" at byte 19");
    assert_eq!(with(17, 0xCD), "check character: expected \"M\", found \"O\" at byte 19");
    assert_eq!(with(6, b'1'), "expected the bytes of \"10.5240/\" at byte 7, found \"1\"");
    assert_eq!(with(7, 0), "expected the bytes of \"10.5240/\" at byte 8, found byte 0x00");
    let mut party = full;
    party[..8].copy_from_slice(b"10.5237/");
    assert_eq!(
        refused(&party),
        "expected the sub-prefix 5240 at byte 4, found 5237: its suffixes have 32 bits, not 80"
    );
    assert_eq!(refused(&full[8..18]), "expected a sub-prefix such as 10.5240 before the suffix");
    assert!(
        refused(&full[7..18])
            .starts_with("expected a 16-bit sub-prefix, found a one-byte prefix index")
    );
    assert_eq!(refused(&full[..18]), "expected 12 or 19 bytes, found 18");
}

#[test]
fn every_16_bit_number_but_one_is_refused() {
    for number in 0..=u16::MAX {
        let mut compact = eidr(LETTER_O).compact().unwrap();
        compact[..2].copy_from_slice(&number.to_be_bytes());
        let expected = match SubPrefix::from_number(number) {
            Some(SubPrefix::Content) => Ok(eidr(LETTER_O)),
            Some(sub_prefix) => Err(Error::NotContent { sub_prefix, at: 0 }),
            None => Err(Error::UnknownSubPrefix { number, at: 0 }),
        };
        assert_eq!(Eidr::from_compact(&compact), expected);
    }
}

#[test]
fn what_cannot_be_written() {
    let party = eidr("10.5237/9DD9-E249");
    let refused = |eidr: Eidr, form, style| {
        let mut out = b"before".to_vec();
        let error = eidr.write(form, style, &mut out).unwrap_err();
        assert_eq!(out, b"before");
        error.to_string()
    };
    let full_style = style(Binary::Bytes);
    assert_eq!(
        refused(party, EidrForm::S, full_style),
        "eidr-s: the form implies 10.5240 and cannot express 10.5237"
    );
    for form in [EidrForm::Compact, EidrForm::Full] {
        assert_eq!(
            refused(party, form, full_style),
            format!("{form}: expected a suffix of 80 bits; suffixes of 10.5237 have 32")
        );
    }
    for form in EidrForm::ALL.into_iter().filter(|form| form.has_scheme()) {
        assert_eq!(
            refused(eidr(LETTER_O), form, Style::default()),
            format!("{form}: the URN scheme is missing")
        );
    }
}
