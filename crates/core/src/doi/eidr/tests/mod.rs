//! Tests every form, read and written.

mod laws;
mod refused;

use super::*;

const LETTER_O: &str = "10.5240/5FD4-FEE1-22F5-583E-FECC-O";

fn eidr(name: &str) -> Eidr {
    Eidr::from_name(name).unwrap()
}

fn style(binary: Binary) -> Style<'static> {
    Style { scheme: Some(Scheme::new("schemename").unwrap()), binary }
}

fn bytes(eidr: Eidr, form: EidrForm, binary: Binary) -> Vec<u8> {
    let mut out = Vec::new();
    eidr.write(form, style(binary), &mut out).unwrap();
    out
}

fn text(eidr: Eidr, form: EidrForm, binary: Binary) -> String {
    String::from_utf8(bytes(eidr, form, binary)).unwrap()
}

/// The result of reading, as text.
fn read(value: &str) -> String {
    match Eidr::recognise(value.as_bytes()) {
        Ok((eidr, form)) => format!("{form} {eidr}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn forms_of_content() {
    let rows = [
        (EidrForm::Canonical, Binary::Bytes, LETTER_O),
        (EidrForm::Plain, Binary::Bytes, "10.5240/5FD4FEE122F5583EFECCO"),
        (EidrForm::Compact, Binary::Hex, "14785FD4FEE122F5583EFECC"),
        (EidrForm::Compact, Binary::Base64, "FHhf1P7hIvVYPv7M"),
        (EidrForm::Full, Binary::Hex, "31302E353234302F5FD4FEE122F5583EFECC4F"),
        (EidrForm::Full, Binary::Base64, "MTAuNTI0MC9f1P7hIvVYPv7MTw=="),
        (EidrForm::Urn, Binary::Bytes, "urn:schemename:eidr:10.5240%2F5FD4-FEE1-22F5-583E-FECC-O"),
        (EidrForm::UrnColon, Binary::Bytes, "urn:eidr:10.5240:5FD4-FEE1-22F5-583E-FECC-O"),
        (EidrForm::U, Binary::Bytes, "urn:schemename:eidr-u:10.5240_5FD4-FEE1-22F5-583E-FECC-O"),
        (EidrForm::S, Binary::Bytes, "urn:schemename:eidr-s:5FD4-FEE1-22F5-583E-FECC-O"),
        (EidrForm::Info, Binary::Bytes, "info:doi/10.5240/5FD4-FEE1-22F5-583E-FECC-O"),
        (EidrForm::Url, Binary::Bytes, "https://doi.org/10.5240/5FD4-FEE1-22F5-583E-FECC-O"),
        (EidrForm::Doi, Binary::Bytes, "doi:10.5240/5FD4-FEE1-22F5-583E-FECC-O"),
    ];
    for (form, binary, written) in rows {
        assert_eq!(text(eidr(LETTER_O), form, binary), written);
        assert_eq!(read(written), format!("{form} {LETTER_O}"));
    }
    assert!(EidrForm::ALL.iter().all(|form| rows.iter().any(|row| row.0 == *form)));
}

#[test]
fn forms_of_a_party() {
    for (form, written) in [
        (EidrForm::Canonical, "10.5237/9DD9-E249"),
        (EidrForm::Plain, "10.5237/9DD9E249"),
        (EidrForm::Urn, "urn:schemename:eidr:10.5237%2F9DD9-E249"),
        (EidrForm::UrnColon, "urn:eidr:10.5237:9DD9-E249"),
        (EidrForm::U, "urn:schemename:eidr-u:10.5237_9DD9-E249"),
        (EidrForm::Info, "info:doi/10.5237/9DD9-E249"),
        (EidrForm::Url, "https://doi.org/10.5237/9DD9-E249"),
        (EidrForm::Doi, "doi:10.5237/9DD9-E249"),
    ] {
        assert_eq!(text(eidr("10.5237/9DD9-E249"), form, Binary::Bytes), written);
        assert_eq!(read(written), format!("{form} 10.5237/9DD9-E249"));
    }
}

#[test]
fn the_number_of_a_suffix() {
    assert_eq!(eidr(LETTER_O).suffix(), 0x5fd4_fee1_22f5_583e_fecc);
    assert_eq!(eidr("10.5237/9DD9-E249").suffix(), 0x9dd9_e249);
}

/// The table in section 4 of the document, and the forms it omits.
#[test]
fn sizes() {
    let scheme = "schemename".len();
    let rows = [
        (EidrForm::Canonical, 34),
        (EidrForm::Plain, 29),
        (EidrForm::Compact, 12),
        (EidrForm::Full, 19),
        (EidrForm::Urn, 36 + "urn::eidr:".len() + scheme),
        (EidrForm::U, 34 + "urn::eidr-u:".len() + scheme),
        (EidrForm::S, 38 + scheme),
        (EidrForm::UrnColon, 43),
        (EidrForm::Info, 43),
        (EidrForm::Url, 50),
        (EidrForm::Doi, 38),
    ];
    for (form, size) in rows {
        assert_eq!(bytes(eidr(LETTER_O), form, Binary::Bytes).len(), size, "{form}");
    }
    assert_eq!(rows.len(), EidrForm::ALL.len());
    assert_eq!((rows[4].1, rows[5].1), (46 + scheme, 46 + scheme));
    for (form, hex, base64) in [(EidrForm::Compact, 24, 16), (EidrForm::Full, 38, 28)] {
        assert_eq!(bytes(eidr(LETTER_O), form, Binary::Hex).len(), hex);
        assert_eq!(bytes(eidr(LETTER_O), form, Binary::Base64).len(), base64);
    }
    assert_eq!("info:doi:".len() + 34, 43);
    assert_eq!("http://dx.doi.org/".len() + 34, 52);
    assert_eq!(size_of::<Eidr>(), 12);
}

#[test]
fn other_spellings_that_are_read() {
    for (value, form) in [
        ("10.5240/5fd4-fee1-22f5-583e-fecc-o", EidrForm::Canonical),
        ("10.5240/5fd4fee122f5583efecco", EidrForm::Plain),
        ("14785fd4fee122f5583efecc", EidrForm::Compact),
        ("DOI:10.5240/5FD4FEE122F5583EFECCO", EidrForm::Doi),
        ("INFO:DOI/10.5240/5FD4-FEE1-22F5-583E-FECC-O", EidrForm::Info),
        ("info:doi:10.5240/5FD4-FEE1-22F5-583E-FECC-O", EidrForm::Info),
        ("http://dx.doi.org/10.5240/5FD4-FEE1-22F5-583E-FECC-O", EidrForm::Url),
        ("HTTPS://WWW.DOI.ORG/10.5240%2f5FD4-FEE1-22F5-583E-FECC-O", EidrForm::Url),
        ("URN:EIDR:10.5240:5fd4fee122f5583efecco", EidrForm::UrnColon),
        ("urn:X2:EIDR:10.5240%2f5FD4-FEE1-22F5-583E-FECC-O", EidrForm::Urn),
        ("urn:X-2:Eidr-U:10.5240_5FD4FEE122F5583EFECCO", EidrForm::U),
        ("urn:x2:EIDR-S:5FD4FEE122F5583EFECCO", EidrForm::S),
        ("MTAuNTI0MC9f1P7hIvVYPv7MTw==", EidrForm::Full),
    ] {
        assert_eq!(read(value), format!("{form} {LETTER_O}"));
    }
    let content = eidr("10.5240/FFFF-FFFF-FFFF-FFFF-FFFF-I");
    assert_eq!(text(content, EidrForm::Compact, Binary::Base64), "FHj/////////////");
    assert_eq!(Eidr::parse(b"FHj_____________"), Ok(content));
}

#[test]
fn names_to_check() {
    let wrong = |expected, found| Check::Wrong { expected, found };
    for (name, check) in [
        (LETTER_O, Check::Valid),
        ("10.5240/5fd4-fee1-22f5-583e-fecc-o", Check::Valid),
        ("10.5240/5FD4FEE122F5583EFECCO", Check::Valid),
        ("10.5240/5FD4-FEE1-22F5-583E-FECC-0", wrong('O', '0')),
        ("10.5240/5fd4-fee1-22f5-583e-fecc-q", wrong('O', 'q')),
        ("10.5240/5FD4FEE122F5583EFECC1", wrong('O', '1')),
        ("10.5237/9DD9-E249", Check::Valid),
        ("10.5238/9DD9-E249", Check::Valid),
        ("10.5239/CB5F-4F4E", Check::Valid),
        ("10.5237/SUPERPARTY", Check::NotEidr),
        ("10.5240/", Check::NotEidr),
        ("10.5240", Check::NotEidr),
        ("10.5240/5FD4-FEE1-22F5-583E-FECC", Check::NotEidr),
        ("10.5240/5FD4-FEE1-22F5-583E-FECC-0Q", Check::NotEidr),
        ("10.5240/5FD4-FEE1-22F5-583E-FECC0", Check::NotEidr),
        ("10.5240/5FDG-FEE1-22F5-583E-FECC-0", Check::NotEidr),
        ("10.5241/5FD4-FEE1-22F5-583E-FECC-0", Check::NotEidr),
        ("10.52400/5FD4-FEE1-22F5-583E-FECC-0", Check::NotEidr),
        ("doi:10.5240/5FD4-FEE1-22F5-583E-FECC-O", Check::NotEidr),
        ("10.1000/182", Check::NotEidr),
        ("", Check::NotEidr),
    ] {
        assert_eq!(check_of(name.as_bytes()), check, "{name}");
        assert_eq!(Eidr::from_name(name).is_ok(), check == Check::Valid, "{name}");
    }
}

#[test]
fn widths() {
    assert!(Eidr::new(SubPrefix::Content, (1 << 80) - 1).is_some());
    for too_wide in [1 << 80, 1 << 96, u128::MAX] {
        assert_eq!(Eidr::new(SubPrefix::Content, too_wide), None);
    }
    for kind in [SubPrefix::Party, SubPrefix::User, SubPrefix::Service] {
        assert_eq!(Eidr::new(kind, u32::MAX.into()).map(Eidr::check_character), Some(None));
        assert_eq!(Eidr::new(kind, 1 << 32), None);
    }
    assert_eq!(eidr(LETTER_O).check_character(), Some('O'));
    assert_eq!(format!("{:?}", eidr("10.5237/9DD9-E249")), "Eidr(10.5237/9DD9-E249)");
}
