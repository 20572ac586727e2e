//! EIDR identifier formats.
//!
//! The document prints its example with the digit 0 instead of its last letter, O, as the check
//! character shows. Tests mention other errors in scans of the document.

use super::support::*;
use doiscan::doi::Reason;
use doiscan::doi::eidr::{
    Binary, Check, Eidr, EidrForm, Error, Missing, Scheme, Style, SubPrefix, Unwritable,
    check_character, check_of,
};
use doiscan::quality::Note;
use doiscan_core::scan::short;

const NAME: &str = "10.5240/5FD4-FEE1-22F5-583E-FECC-O";
const SUFFIX: &str = "5FD4-FEE1-22F5-583E-FECC-O";

fn eidr() -> Eidr {
    Eidr::from_name(NAME).expect("an EIDR")
}

fn bytes(form: EidrForm) -> Vec<u8> {
    let scheme = Scheme::new("schemename").ok();
    let mut out = Vec::new();
    eidr().write(form, Style { scheme, binary: Binary::Bytes }, &mut out).expect("the form");
    out
}

fn text(form: EidrForm) -> String {
    String::from_utf8(bytes(form)).expect("text")
}

/// Returns the name that a value in any form represents.
fn name_of(value: impl AsRef<[u8]>) -> Result<String, Error> {
    Eidr::parse(value.as_ref()).map(Eidr::name)
}

fn is_syntax(value: impl AsRef<[u8]>) -> bool {
    matches!(Eidr::parse(value.as_ref()), Err(Error::Syntax { .. }))
}

#[test]
fn eidr_1_1_an_eidr_is_a_doi() {
    assert_eq!(judged(NAME, true), (true, vec![]));
    assert_eq!(names(&format!("EIDR {NAME}.")), [NAME]);
}

#[test]
fn eidr_1_2_the_canonical_form() {
    assert_eq!(text(EidrForm::Canonical), NAME);
    assert_eq!(Eidr::recognise(NAME.as_bytes()), Ok((eidr(), EidrForm::Canonical)));
    // The pattern with a common scanning error, `XXXX=XXXK=XXXX`.
    assert!(is_syntax("10.5240/5FD4=FEE1=22F5-583E-FECC-O"));
    assert!(is_syntax("10.5240/5FD4=FEE1-22F5-583E-FECC-O"));
}

#[test]
fn eidr_1_2_prefix_and_sub_prefix() {
    assert_eq!(doi(NAME).prefix(), "10.5240");
    assert_eq!(eidr().sub_prefix(), SubPrefix::Content);
    assert_eq!(SubPrefix::Content.number(), 5240);
}

#[test]
fn eidr_1_2_digits_are_hexadecimal() {
    for digit in "0123456789ABCDEF".chars() {
        let digits = format!("{digit}FD4-FEE1-22F5-583E-FECC");
        let check = check_character(digits.as_bytes()).expect("a check character");
        assert!(name_of(format!("10.5240/{digits}-{check}")).is_ok());
    }
    for digit in ["G", "Z", "g", "_", "é"] {
        assert!(is_syntax(format!("10.5240/{digit}FD4-FEE1-22F5-583E-FECC-O")), "{digit}");
    }
    for other in
        ["5FD4-FEE1-22F5-583E-FEC-O", "5FD4-FEE1-22F5-583E-FECCC-O", "5FD4-FEE1-22F5-583E-O"]
    {
        assert!(is_syntax(format!("10.5240/{other}")), "{other}");
    }
}

#[test]
fn eidr_1_2_the_check_character_is_iso_7064_mod_37_36() {
    for suffix in [SUFFIX, "7791-8534-2C23-9030-8610-5", "EA73-79D7-1B2B-B378-3A73-M"] {
        let (digits, check) = suffix.split_at(suffix.len() - 1);
        assert_eq!(check_character(digits.as_bytes()), check.chars().next());
        for other in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars() {
            let name = format!("10.5240/{digits}{other}");
            assert_eq!(check_of(name.as_bytes()) == Check::Valid, other.to_string() == check);
        }
    }
    // Letters that are not hexadecimal digits may be used in the future.
    assert!(check_character(b"WXYZ").is_some());
}

#[test]
fn eidr_1_2_the_example_ends_in_a_letter() {
    let printed = "10.5240/5FD4-FEE1-22F5-583E-FECC-0";
    assert_eq!(check_of(printed.as_bytes()), Check::Wrong { expected: 'O', found: '0' });
    assert!(matches!(name_of(printed), Err(Error::Check { expected: 'O', found: '0', at: 33 })));
    // By its syntax it is a DOI, but a different one.
    assert_eq!(judged(printed, false), (true, vec![Note::EidrCheck]));
    assert_eq!(names(printed), [printed]);
}

#[test]
fn eidr_1_2_the_check_character_is_over_the_suffix_alone() {
    let digits = &SUFFIX[..SUFFIX.len() - 1];
    assert_eq!(check_character(digits.as_bytes()), eidr().check_character());
    assert_ne!(check_character(format!("105240{digits}").as_bytes()), eidr().check_character());
}

#[test]
fn eidr_1_2_another_prefix_is_another_registry() {
    for prefix in ["10.5241", "10.524", "10.52400", "11.5240"] {
        let name = format!("{prefix}/{SUFFIX}");
        assert!(is_syntax(&name), "{name}");
        assert_eq!(check_of(name.as_bytes()), Check::NotEidr);
    }
}

#[test]
fn eidr_1_2_upper_case_on_output() {
    for form in EidrForm::ALL {
        let written = bytes(form);
        let suffix = SUFFIX.replace('-', "").to_ascii_lowercase();
        let plain = String::from_utf8_lossy(&written).replace('-', "");
        assert!(!plain.contains(&suffix), "{form}");
    }
    assert_eq!(name_of(NAME.to_ascii_lowercase()).as_deref(), Ok(NAME));
}

#[test]
fn eidr_1_2_mixed_case_on_input() {
    let mixed = "10.5240/5fD4-fEe1-22F5-583e-FECC-o";
    assert_eq!(name_of(mixed).as_deref(), Ok(NAME));
    assert_eq!(check_of(mixed.as_bytes()), Check::Valid);
    assert_eq!(names(mixed), [NAME]);
}

#[test]
fn eidr_1_2_hyphens_are_required() {
    assert_eq!(text(EidrForm::Canonical).matches('-').count(), 5);
    // As a DOI, the name without hyphens is a different one.
    let plain = NAME.replace('-', "");
    assert_ne!(doi(&plain), doi(NAME));
    assert_eq!(names(&plain), [plain]);
}

#[test]
fn eidr_2_alternate_forms_lose_nothing() {
    for form in EidrForm::ALL {
        let written = bytes(form);
        let read = match form.is_binary() {
            true => Eidr::from_binary(&written),
            false => Eidr::parse(&written),
        };
        assert_eq!(read, Ok(eidr()), "{form}");
    }
}

#[test]
fn eidr_2_a_sub_prefix_cannot_be_regenerated() {
    for value in [SUFFIX, "5FD4-FEE1-22F5-583E-FECC", "5FD4FEE122F5583EFECCO"] {
        assert_eq!(name_of(value), Err(Error::Missing(Missing::SubPrefix)), "{value}");
    }
}

#[test]
fn eidr_2_four_sub_prefixes() {
    let numbers = SubPrefix::ALL.map(SubPrefix::number);
    assert_eq!(numbers, [5237, 5238, 5239, 5240]);
    for name in ["10.5237/9DD9-E249", "10.5238/9DD9-E249", "10.5239/9DD9-E249"] {
        assert_eq!(name_of(name).as_deref(), Ok(name));
    }
    let unknown = [&5241_u16.to_be_bytes()[..], &[0; 10]].concat();
    let refused = Error::UnknownSubPrefix { number: 5241, at: 0 };
    assert_eq!(Eidr::from_binary(&unknown), Err(refused));
}

#[test]
fn eidr_2_every_form_is_converted_to_the_canonical() {
    let texts = EidrForm::ALL.into_iter().filter(|form| !form.is_binary());
    for form in texts {
        assert_eq!(name_of(text(form)).as_deref(), Ok(NAME), "{form}");
    }
    let others = ["doi:", "info:doi/", "https://doi.org/", "urn:eidr:"];
    let written = [EidrForm::Doi, EidrForm::Info, EidrForm::Url, EidrForm::UrnColon].map(text);
    for (label, value) in others.iter().zip(written) {
        assert_eq!(names(&value), [NAME], "{label}");
    }
}

#[test]
fn eidr_2_1_1_compact_binary() {
    let compact = *b"\x14\x78\x5f\xd4\xfe\xe1\x22\xf5\x58\x3e\xfe\xcc";
    assert_eq!(u16::from_be_bytes([compact[0], compact[1]]), 5240);
    assert_eq!(eidr().compact(), Ok(compact));
    assert_eq!(compact.len() * 8, 96);
    assert_eq!(Eidr::from_compact(&compact).map(Eidr::name).as_deref(), Ok(NAME));
}

#[test]
fn eidr_2_1_2_full_binary() {
    let full = eidr().full().expect("content has it");
    assert_eq!((&full[..8], full[18]), (&b"10.5240/"[..], b'O'));
    assert_eq!(full[8..18], eidr().compact().expect("content has it")[2..]);
    assert_eq!(Eidr::from_full(&full), Ok(eidr()));
    let mut wrong = full;
    wrong[18] = b'0';
    assert!(matches!(Eidr::from_full(&wrong), Err(Error::Check { .. })));
}

#[test]
fn eidr_2_1_3_other_binary_is_refused() {
    for len in (0..32).filter(|len| ![12, 19].contains(len)) {
        assert!(Eidr::from_binary(&vec![0x14; len]).is_err(), "{len}");
    }
}

#[test]
fn eidr_2_2_no_hyphens_saves_five_bytes() {
    assert_eq!(text(EidrForm::Plain), "10.5240/5FD4FEE122F5583EFECCO");
    assert_eq!(text(EidrForm::Canonical).len() - text(EidrForm::Plain).len(), 5);
    assert_eq!(Eidr::recognise(text(EidrForm::Plain).as_bytes()), Ok((eidr(), EidrForm::Plain)));
    for mixed in ["5FD4-FEE122F5583EFECCO", "5FD4-FEE122F5-583E-FECC-O", "5FD4FEE1-22F5583EFECCO"] {
        assert!(is_syntax(format!("10.5240/{mixed}")), "{mixed}");
    }
}

/// The shortDOIs in a text.
fn short(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    short::each(text.as_bytes(), 0..text.len(), |name| {
        found.push(String::from_utf8_lossy(name).into_owned());
    });
    found
}

#[test]
fn eidr_2_3_the_alphabet_of_short_dois() {
    let is_one = |c: &char| short(&format!("see 10/b{c}2")).len() == 1;
    let alphabet: String = ('0'..='9').chain('a'..='z').filter(is_one).collect();
    // The letter after `p` is scanned as a second `g`.
    assert_eq!(alphabet, "23456789bcdfghjkmnpqrstvwxz");
    assert_eq!(alphabet.len(), 27);
    // Where `doi:` or an address says what it is, it may be one that was made with other letters.
    assert_eq!(short("doi:10/aabbe https://doi.org/10/adc"), ["10/aabbe", "10/adc"]);
}

#[test]
fn eidr_2_3_short_dois_have_three_characters_to_eight() {
    for (len, is_one) in [(2, false), (3, true), (7, true), (8, true), (9, false)] {
        let value = format!("doi:10/{}", &"f77f77f77"[..len]);
        assert_eq!(short(&value).len(), usize::from(is_one), "{value}");
    }
}

#[test]
fn eidr_2_3_addresses_of_short_dois() {
    for address in [
        "10/f77",
        "http://doi.org/f77",
        "http://dx.doi.org/10/f77",
        "http://dx.doi.org/10/f77?ignore_aliases",
        "http://dx.doi.org/10/f77?ocatt=type:Simple",
    ] {
        assert_eq!(short(address), ["10/f77"], "{address}");
        assert_eq!(names(address), [""; 0], "{address}");
    }
}

#[test]
fn eidr_2_3_only_the_service_expands_a_short_doi() {
    assert_eq!(refused("10/f77"), Some(Reason::LeftBoundary));
    for value in ["10/f77", "https://doi.org/f77", "doi:10/f77"] {
        assert_eq!(name_of(value), Err(Error::Missing(Missing::ShortDoi)), "{value}");
    }
}

#[test]
fn eidr_2_4_a_urn_escapes_the_slash() {
    let urn = "urn:schemename:eidr:10.5240%2F5FD4-FEE1-22F5-583E-FECC-O";
    assert_eq!(text(EidrForm::Urn), urn);
    assert_eq!(name_of(urn).as_deref(), Ok(NAME));
    assert_eq!(names(urn), [NAME]);
    assert!(is_syntax(urn.replace("%2F", "/")));
}

#[test]
fn eidr_2_5_info() {
    assert_eq!(text(EidrForm::Info), format!("info:doi/{NAME}"));
    // RFC 4452 has a slash where the document prints a colon. `info:doi1:` is a scanning error.
    for value in [format!("info:doi/{NAME}"), format!("info:doi:{NAME}")] {
        assert_eq!(name_of(&value).as_deref(), Ok(NAME));
        assert_eq!(read(&value).as_deref(), Ok(NAME));
        assert_eq!(names(&value), [NAME]);
    }
    assert!(is_syntax(format!("info:doi1:{NAME}")));
}

#[test]
fn eidr_2_5_the_proxy() {
    assert_eq!(text(EidrForm::Url), format!("https://doi.org/{NAME}"));
    let old = format!("http://dx.doi.org/{NAME}");
    assert_eq!(name_of(&old).as_deref(), Ok(NAME));
    assert_eq!(names(&old), [NAME]);
}

#[test]
fn eidr_2_5_doi_in_small_letters() {
    assert_eq!(text(EidrForm::Doi), format!("doi:{NAME}"));
    assert_eq!(name_of(format!("DOI:{NAME}")).as_deref(), Ok(NAME));
}

#[test]
fn eidr_3_an_index_of_one_byte_is_refused() {
    let indexed = &eidr().compact().expect("content has it")[1..];
    assert_eq!(Eidr::from_binary(indexed), Err(Error::Missing(Missing::PrefixTable)));
}

#[test]
fn eidr_3_an_underscore_for_the_slash() {
    let urn = "urn:schemename:eidr-u:10.5240_5FD4-FEE1-22F5-583E-FECC-O";
    assert_eq!(text(EidrForm::U), urn);
    assert_eq!(name_of(urn).as_deref(), Ok(NAME));
    assert_eq!(names(urn), [NAME]);
    // The underscore is scanned as a blank.
    assert!(is_syntax(urn.replace('_', " ")));
}

#[test]
fn eidr_3_a_mark_for_each_way_of_escaping() {
    for (mark, separator) in [("eidr", "_"), ("eidr-u", "%2F"), ("eidr-u", "/"), ("eidr-x", "_")] {
        let urn = format!("urn:schemename:{mark}:10.5240{separator}{SUFFIX}");
        assert!(is_syntax(&urn), "{urn}");
    }
    for mark in ["eidr", "eidr-u", "eidr-s"] {
        assert!(Scheme::new(mark).is_err(), "{mark}");
    }
}

#[test]
fn eidr_3_a_truncated_urn() {
    let urn = "urn:schemename:eidr-s:5FD4-FEE1-22F5-583E-FECC-O";
    assert_eq!(text(EidrForm::S), urn);
    assert_eq!(name_of(urn).as_deref(), Ok(NAME));
    assert_eq!(names(urn), [NAME]);
}

#[test]
fn eidr_3_a_truncated_urn_stands_for_10_5240_alone() {
    let party = Eidr::from_name("10.5237/9DD9-E249").expect("a party");
    let style = Style { scheme: Scheme::new("schemename").ok(), ..Style::default() };
    let lossy = Unwritable::Lossy { form: EidrForm::S, sub_prefix: SubPrefix::Party };
    assert_eq!(party.write(EidrForm::S, style, &mut Vec::new()), Err(lossy));
    let other = format!("urn:schemename:eidr-s1:{SUFFIX}");
    assert!(is_syntax(&other));
    assert_eq!(names(&other), [""; 0]);
}

#[test]
fn eidr_3_punctuation_that_is_removed() {
    let plain = "urn:schemename:eidr-s:5FD4FEE122F5583EFECCO";
    assert_eq!(name_of(plain).as_deref(), Ok(NAME));
    assert_eq!(names(plain), [NAME]);
}

#[test]
fn eidr_3_the_scheme_and_the_suffix_travel_together() {
    for before in ["", "urn:"] {
        let lacking = format!("{before}eidr-s:{SUFFIX}");
        assert_eq!(name_of(&lacking), Err(Error::Missing(Missing::Scheme("eidr-s:"))));
        assert_eq!(names(&lacking), [""; 0]);
    }
    for form in EidrForm::ALL.into_iter().filter(|form| form.has_scheme()) {
        let written = eidr().write(form, Style::default(), &mut Vec::new());
        assert_eq!(written, Err(Unwritable::NoScheme { form }));
    }
}

#[test]
fn eidr_4_sizes() {
    for (form, size) in [
        (EidrForm::Canonical, 34),
        (EidrForm::Plain, 29),
        (EidrForm::Full, 19),
        (EidrForm::Compact, 12),
        (EidrForm::Info, 43),
        (EidrForm::Urn, "urn:schemename:eidr:".len() + 36),
        (EidrForm::U, "urn:schemename:eidr-u:".len() + 34),
    ] {
        assert_eq!(bytes(form).len(), size, "{form}");
    }
}

#[test]
fn eidr_4_sizes_of_short_dois() {
    for len in [7, 8] {
        let value = format!("10/{}", &"f77f77f7"[..len]);
        assert_eq!(short(&value), [value]);
    }
}
