//! Checks shared by the tests of several documents.

use doiscan::doi::{Doi, Form, Reader, Reason, Writer};
use doiscan::quality::{Judge, Note};
use doiscan::scan::{Notation, Options, Scanner};

/// The DOI of that name.
pub(super) fn doi(name: &str) -> Doi<'_> {
    Doi::try_from(name).unwrap_or_else(|wrong| panic!("{name}: {wrong}"))
}

/// Returns the reason why a value is not a name.
pub(super) fn refused(value: impl AsRef<[u8]>) -> Option<Reason> {
    Doi::parse(value.as_ref()).err().map(|wrong| wrong.reason)
}

/// Returns the name in a value.
pub(super) fn read(value: &str) -> Result<String, String> {
    name_of(Reader::default(), value)
}

/// Like [`read`], in strict mode.
pub(super) fn read_strictly(value: &str) -> Result<String, String> {
    name_of(Reader::strict(), value)
}

fn name_of(mut reader: Reader, value: &str) -> Result<String, String> {
    let reading = reader.read(value.as_bytes()).map_err(|wrong| wrong.to_string())?;
    Ok(reading.doi.as_str().to_owned())
}

/// The canonical names in a text.
pub(super) fn names(text: &str) -> Vec<String> {
    names_with(Options::default(), text)
}

/// Like [`names`], with other options.
pub(super) fn names_with(options: Options, text: &str) -> Vec<String> {
    Scanner::new(options).names(text.as_bytes(), Notation::Unknown)
}

/// Returns whether a value is valid, and its notes.
pub(super) fn judged(value: &str, is_strict: bool) -> (bool, Vec<Note>) {
    let mut judge = Judge::new(is_strict);
    let verdict = judge.judge(value.as_bytes());
    (verdict.is_valid(), verdict.notes.iter().collect())
}

/// Returns the address of a name. If `recommended` is set, encodes the recommended characters in
/// addition to the mandatory ones.
pub(super) fn url(name: &str, recommended: bool) -> String {
    let mut writer = Writer::default();
    writer.recommended = recommended;
    writer.written(&doi(name), Form::Url)
}

/// Returns a name in a form, with mandatory characters encoded.
pub(super) fn written(name: &str, form: Form) -> String {
    Writer::default().written(&doi(name), form)
}

/// Checks the address of a name against a table of characters and codes: each character is written
/// as its code, and each code is read in upper and lower case.
pub(super) fn check_table(recommended: bool, rows: &[(char, &str)]) {
    for &(c, code) in rows {
        let name = format!("10.1000/ab{c}cd");
        let address = format!("https://doi.org/10.1000/ab{code}cd");
        assert_eq!(url(&name, recommended), address);
        assert_eq!(read(&address).as_ref(), Ok(&name));
        let small = format!("https://doi.org/10.1000/ab{}cd", code.to_ascii_lowercase());
        assert_eq!(read(&small), Ok(name));
    }
}

/// A space is a graphic character of Unicode, and its code is `%20`. In text, a raw space ends a
/// name.
pub(super) fn check_space() {
    assert_eq!(refused("10.1000/ab cd"), None);
    assert_eq!(url("10.1000/ab cd", false), "https://doi.org/10.1000/ab%20cd");
    for value in ["10.1000/ab%20cd", "https://doi.org/10.1000/ab%20cd"] {
        assert_eq!(read(value).as_deref(), Ok("10.1000/ab cd"), "{value}");
        let (valid, notes) = judged(value, false);
        assert!(valid && notes.contains(&Note::Space), "{value}");
    }
    let said = "suffix: expected a graphic character (write a space in a name as %20), \
                found U+0020 at byte 11";
    assert_eq!(read("10.1000/ab cd"), Err(said.to_owned()));
    for text in [
        "https://doi.org/10.1000/ab%20cd",
        "see http://doi.org/10.1000/ab%20cd%20.",
        "\"10.1000/ab%20cd\"",
    ] {
        assert_eq!(names(text), ["10.1000/AB CD"], "{text}");
    }
    for text in [
        "10.1000/ab cd",
        "https://doi.org/10.1000/ab cd",
        "see 10.1000/ab%20cd",
        "doi.org/10.1000/ab%20cd",
    ] {
        assert_eq!(names(text), ["10.1000/AB"], "{text}");
    }
    assert_eq!(refused("10.1000/ab "), Some(Reason::NonGraphic), "none ends a name");
}

/// The word of the example, in Unicode and in UTF-8.
pub(super) const NIHONGO: (&str, [u8; 9]) =
    ("日本語", [0xe6, 0x97, 0xa5, 0xe6, 0x9c, 0xac, 0xe8, 0xaa, 0x9e]);

/// The word of the example is UTF-8 in a name, and its octets are encoded in an address.
pub(super) fn check_nihongo() {
    let (word, octets) = NIHONGO;
    let name = [&b"10.1000/"[..], &octets].concat();
    assert_eq!(Doi::parse(&name).map(|doi| doi.suffix().to_owned()), Ok(word.to_owned()));
    let address = "https://doi.org/10.1000/%E6%97%A5%E6%9C%AC%E8%AA%9E";
    assert_eq!(url(&format!("10.1000/{word}"), false), address);
    assert_eq!(read(address), Ok(format!("10.1000/{word}")));
    assert_eq!(names(address), [format!("10.1000/{word}")]);
}

/// Octets that are not valid UTF-8: Latin-1, truncated, overlong, a surrogate, and sequences of
/// five and six octets.
pub(super) const NO_UTF_8: [&[u8]; 6] = [
    b"\xe9",
    b"\xe6\x97",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xfc\x84\x80\x80\x80\x80",
];

/// A name in an HTML link, in which a quotation mark is encoded.
pub(super) fn check_link() {
    let name = "10.1006/rwei.1999\".0001";
    assert_eq!(url(name, false), "https://doi.org/10.1006/rwei.1999%22.0001");
    let link =
        r#"<A HREF="http://dx.doi.org/10.1006/rwei.1999%22.0001">10.1006/rwei.1999%22.0001</A>"#;
    assert_eq!(names(link), [name.to_ascii_uppercase(), name.to_ascii_uppercase()]);
    assert_eq!(read("10.1006/rwei.1999%22.0001").as_deref(), Ok(name));
}

/// A number sign is encoded so that it does not begin a fragment. A raw one ends the name.
pub(super) fn check_number_sign() {
    assert_eq!(url("10.1000/456#789", false), "https://doi.org/10.1000/456%23789");
    for (address, name) in [
        ("http://dx.doi.org/10.1000/456%23789", "10.1000/456#789"),
        ("http://dx.doi.org/10.1000/456#789", "10.1000/456"),
    ] {
        assert_eq!(read(address).as_deref(), Ok(name));
        assert_eq!(names(address), [name]);
    }
}

/// The DOI is the same in every form.
pub(super) fn check_one_doi(name: &str) {
    for form in [Form::Doi, Form::Info, Form::Urn, Form::Url] {
        assert_eq!(read(&written(name, form)).as_deref(), Ok(name), "{form:?}");
    }
    assert_eq!(written(name, Form::Plain), name.to_ascii_uppercase());
}

/// A percent sign is always `%25` in a URL. In other forms it is encoded if it begins an encoded
/// octet.
pub(super) fn check_percent_sign() {
    for name in ["10.1000/100%", "10.1000/a%41", "10.1000/a%2541", "10.1000/%%"] {
        let encoded = name.replace('%', "%25");
        assert_eq!(url(name, false), format!("https://doi.org/{encoded}"));
        assert_eq!(written(name, Form::Info), format!("info:doi/{encoded}"));
        assert_eq!(read(&url(name, false)).as_deref(), Ok(name));
    }
}

/// A reserved suffix is valid with a note, and rejected in strict mode.
pub(super) fn check_reserved_suffix() {
    for (name, is_reserved) in [
        ("10.1000/a/b", true),
        ("10.1000/1/2/3", true),
        ("10.1000/é/b", true),
        ("10.1000/a/-", true),
        ("10.1000///b", true),
        ("10.1000/%2F/b", true),
        ("10.1000/ab/c", false),
        ("10.1000//b", false),
        ("10.1000/ab", false),
    ] {
        let notes = judged(name, false);
        assert_eq!(
            (notes.0, notes.1.contains(&Note::ReservedSuffix)),
            (true, is_reserved),
            "{name}"
        );
        assert_eq!(judged(name, true).0, !is_reserved, "{name}");
    }
    let strict = Options::default().with_strict(true);
    assert_eq!(names("10.1000/a/b 10.1000/ab/c"), ["10.1000/A/B", "10.1000/AB/C"]);
    assert_eq!(names_with(strict, "10.1000/a/b 10.1000/ab/c"), ["10.1000/AB/C"]);
}

/// Registrants are digits in parts of at most nine. The first part has two or more.
pub(super) fn check_registrants() {
    for name in
        ["10.12/x", "10.123/x", "10.1000/x", "10.12345678901/x", "10.1000.10/x", "10.1000.1/x"]
    {
        assert_eq!(refused(name), None, "{name}");
    }
    for (name, reason) in [
        ("10.1/x", Reason::TooShortRegistrant),
        ("10.abc/x", Reason::TooShortRegistrant),
        ("10.é/x", Reason::TooShortRegistrant),
        ("10.1000a/x", Reason::NoSeparator),
        ("10.1000.a/x", Reason::NoSeparator),
        ("10.1000-1/x", Reason::NoSeparator),
    ] {
        assert_eq!(refused(name), Some(reason), "{name}");
    }
    assert_eq!(names("10.123/x doi:10.123/y 10.abc/z"), ["10.123/Y"]);
}

/// A name may have a million bytes. The scanner has the limit set by its caller.
pub(super) fn check_length() {
    let name = format!("10.1000/{}", "a".repeat(1_000_000));
    assert_eq!(read(&name).as_ref(), Ok(&name));
    assert_eq!(judged(&name, true), (true, vec![]));
    let within = |max_length| names_with(Options::default().with_max_length(max_length), &name);
    assert_eq!(within(name.len()), [name.to_ascii_uppercase()]);
    assert_eq!(within(name.len() - 1), [""; 0]);
    assert_eq!(names(&name), [""; 0]);
    // The length of components is not limited either. In text, a registrant of 10 digits is a
    // number.
    let prefix = format!("10.{}.{}/a", "1".repeat(100_000), "2".repeat(100_000));
    assert_eq!(read(&prefix).as_ref(), Ok(&prefix));
    assert_eq!(judged(&prefix, true), (true, vec![]));
}
