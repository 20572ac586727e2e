//! Tests of mails, mailboxes and parts as text.

use super::*;

/// The text of `source`, read in pieces of `size` bytes.
fn text(source: &str, size: usize) -> String {
    let source = source.as_bytes();
    let mut mail = Mail::new(source, is_mailbox(source));
    let (mut out, mut piece) = (Vec::new(), vec![0; size]);
    loop {
        match mail.read(&mut piece).expect("memory") {
            0 => return String::from_utf8_lossy(&out).into_owned(),
            got => out.extend_from_slice(&piece[..got]),
        }
    }
}

#[test]
fn mails_are_told_by_their_headers() {
    for (head, expected) in [
        ("Received: by x\n with y\nMIME-Version: 1.0\n\ntext", true),
        ("From a@example.org Mon Jan 1\nmessage-id: <1>\nSub", true),
        ("Snapshot-Content-Location: x\r\nMIME-Version: 1.0\r\n\r\n", true),
        ("Content-Transfer-Encoding: base64\nTo: you\n\ntext", true),
        ("\u{feff}MIME-Version: 1.0\n\ntext", true),
        ("\r\n\nMIME-Version: 1.0\n\ntext", true),
        ("\n\n", false),
        ("Subject: words\nTo: you\n\ntext", false),
        ("From here on\nwords and words\nReceived: 1\n", false),
        ("{\"received\": 1}\n", false),
        ("Received: 10.1000/182\nno header\n", false),
        ("", false),
    ] {
        assert_eq!(is_mail(head.as_bytes()), expected, "{head:?}");
    }
}

#[test]
fn parts_are_decoded_as_their_headers_say() {
    let quoted = "Content-Transfer-Encoding: Quoted-Printable\n";
    let base64 = "content-transfer-encoding: base64\n";
    for (body, expected) in [
        (format!("{quoted}\na=3Db =C3=A9 =zz =\n"), "a=b é =zz "),
        (format!("{quoted}\r\n10.1000/1=\r\n82 \r\n"), "10.1000/182 \r\n"),
        (format!("{base64}\nMTAuMTAw\nMC8xODI=\n"), "10.1000/182"),
        (format!("{base64}\nMTAuMTAwMC\n8xODI\n"), "10.1000/182"),
        (
            "Content-Transfer-Encoding : BASE64 (text)\nContent-Type: application/json\n\nMTAu\n"
                .to_owned(),
            "10.",
        ),
        (format!("{base64}\nnot base 64!\nMTAu\n"), "not base 64!\nMTAu\n"),
        (format!("Content-Type: image/png\n{base64}\nMTAu\n"), "MTAu\n"),
        (format!("Content-Type: text/html;\n charset=utf-8\n{base64}\nMTAu\n"), "10."),
        ("\na=3Db\n".to_owned(), "a=3Db\n"),
    ] {
        let whole = text(&format!("MIME-Version: 1.0\n{body}"), 7);
        let (_, found) = whole.split_once("\n\n").or(whole.split_once("\n\r\n")).expect("body");
        assert_eq!(found.trim_end_matches('\n'), expected.trim_end_matches('\n'), "{body:?}");
    }
}

const PARTS: &str = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"=_b\"\n\n\
    preface =3D\n--=_b\nContent-Transfer-Encoding: quoted-printable\n\none =3D=\n\
    --=_b\nContent-Type: multipart/alternative; boundary=in\n\n\
    --in\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\ndHdv\n--in--\n\
    between =3D\n--=_b\nContent-Type: message/rfc822\n\nSubject: x\n\
    Content-Transfer-Encoding: quoted-printable\n\nthree =3D\n--=_b--\nafter =3D\n";

#[test]
fn parts_end_at_their_boundaries() {
    let whole = text(PARTS, 1000);
    let bodies = [
        "preface =3D\n--",
        "one =\n--=_b\n",
        "two\n--in--",
        "between =3D\n--",
        "three =\n--",
        "after =3D\n",
    ];
    let mut rest = &whole[..];
    for body in bodies {
        let at = rest.find(&format!("\n{body}")).unwrap_or_else(|| panic!("{body:?} in {whole}"));
        rest = &rest[at + 1..];
    }
    for size in [1, 3, 64] {
        assert_eq!(text(PARTS, size), whole, "{size}");
    }
}

#[test]
fn every_mail_of_a_mailbox_is_read() {
    let mail = "From a@example.org Mon\nMIME-Version: 1.0\n\
                Content-Transfer-Encoding: quoted-printable\n\n=3D\nFrom =3D\n\n";
    let whole = text(&mail.repeat(3), 10);
    assert_eq!(whole.matches("\n\n=\nFrom =\n\n").count(), 3, "{whole}");
    // A mail outside a mailbox continues after such a line.
    let mail =
        "MIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n\n\nFrom =3D\n=3D\n";
    assert!(text(mail, 10).ends_with("From =\n=\n"));
}

#[test]
fn long_lines_fields_and_nested_parts_take_no_memory() {
    let line = "x".repeat(MAX_LINE as usize * 3);
    let source = format!("MIME-Version: 1.0\nA: {line}\n\n{line}\n--{line}\n");
    assert_eq!(text(&source, 100_000), source);
    let source = format!("MIME-Version: 1.0\n\n{}", "--\n".repeat(1000));
    assert_eq!(text(&source, 100_000), source);
}

#[test]
fn base64_that_is_cut_is_named_and_its_last_word_may_be_left_out() {
    let base64 = "MIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n";
    let parts = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
                 Content-Transfer-Encoding: base64\n\n";
    let mailbox = format!("From a Mon\n{base64}YWIgMTAuMTAwMC8xO\n\nFrom b Mon\n{base64}");
    // `ab 10.1000/1`, followed by 82 or 824.
    for (source, end, is_cut) in [
        (format!("{base64}YWIgMTAuMTAwMC8xODI="), "ab 10.1000/182\n", false),
        (format!("{base64}YWIgMTAuMTAwMC8xODI\n"), "ab 10.1000/182\n", false),
        (format!("{base64}YWIgMTAuMTAwMC8xODI0"), "ab 10.1000/1824\n", false),
        (format!("{base64}YWIgMTAuMTAwMC8xODI"), "ab 10.1000/182", true),
        (format!("{base64}YWIgMTAuMTAwMC8xO"), "ab 10.1000/1", true),
        (format!("{base64}YWIgMTAu\nMTAwMC8xO\n"), "ab 10.1000/1", true),
        (format!("{parts}YWIgMTAuMTAwMC8x\n--b--\n"), "ab 10.1000/1\n--b--\n", false),
        (format!("{parts}YWIgMTAu\nMTAwMC8xO\n--b--\n"), "ab \n--b--\n", true),
        (format!("{parts}YWIgMTAuMTAwMC8x\n"), "ab 10.1000/1", true),
        (format!("{mailbox}MTAuMTAwMC8xODI=\n"), "\n\n10.1000/182\n", true),
    ] {
        for size in [1, 7, 1000] {
            let mut mail = Mail::new(source.as_bytes(), is_mailbox(source.as_bytes()));
            let (mut out, mut piece) = (Vec::new(), vec![0; size]);
            let error = loop {
                match mail.read(&mut piece) {
                    Ok(0) => break None,
                    Ok(got) => out.extend_from_slice(&piece[..got]),
                    Err(error) => break Some(error.to_string()),
                }
            };
            let text = String::from_utf8(out).expect("text");
            assert!(text.ends_with(end), "{source}: {text}");
            assert!(!text.contains("10.1000/1\nFrom"), "{text}");
            let words = "a Base64 part of the mail ends early";
            assert_eq!(error.as_deref(), is_cut.then_some(words), "{source}");
            assert_eq!(mail.read(&mut piece).expect("the end"), 0);
        }
    }
    // Words of any length are kept.
    for len in [MAX_WORD - 1, MAX_WORD, 10 * MAX_WORD] {
        let line = format!("{}\n", "YWFh".repeat(15));
        let source = format!("{base64}{}", line.repeat(len / 45));
        let expected = "aaa".repeat(15 * (len / 45));
        assert!(text(&source, 1000).ends_with(&format!("\n\n{expected}\n")), "{len}");
    }
}

#[test]
fn a_fault_comes_after_what_was_read() {
    struct Faulty<'a>(&'a [u8]);
    impl Read for Faulty<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::Error::other("bad disk")),
                got => Ok(got),
            }
        }
    }
    let mut mail = Mail::new(Faulty(b"MIME-Version: 1.0\n\n10.1000/1"), false);
    let mut out = String::new();
    assert_eq!(mail.read_to_string(&mut out).expect_err("fault").to_string(), "bad disk");
    assert!(out.ends_with("\n\n10.1000/1"), "{out}");
}

#[test]
fn parameters_may_be_quoted_split_and_commented() {
    let base64 = "Content-Transfer-Encoding: base64\n\nMTAuMTAwMC8xODI=\n";
    for (kind, boundary) in [
        ("boundary=b", "b"),
        ("boundary = b", "b"),
        ("boundary = \"b c\" ; charset=x", "b c"),
        ("charset=\"x;boundary=no\"; BOUNDARY=\"b\\\"c\"", "b\"c"),
        ("boundary*0=b;\n boundary*1=\"c\"", "bc"),
        ("(a (comment) \"; boundary=no) boundary=b (a comment)", "b"),
    ] {
        let source = format!(
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; {kind}\n\n--{boundary}\n{base64}--{boundary}--\n"
        );
        assert!(text(&source, 100).contains("\n10.1000/182\n"), "{kind}");
    }
    for coding in ["\"base64\"", "(a) BASE64", "base64 ; x=y", "base64(a)"] {
        let source = format!("Content-Transfer-Encoding: {coding}\n\nMTAuMTAwMC8xODI=\n");
        assert!(text(&source, 100).contains("\n10.1000/182"), "{coding}");
    }
}

#[test]
fn blank_lines_and_a_mark_may_be_in_front_of_the_header() {
    for begin in ["\u{feff}", "\n", "\r\n\n"] {
        let source = format!("{begin}Content-Transfer-Encoding: base64\n\nMTAuMTAwMC8xODI=\n");
        assert!(text(&source, 100).contains("\n10.1000/182"), "{begin:?}");
    }
}

#[test]
fn parts_in_wide_characters_are_reported() {
    for (charset, coding, is_reported) in [
        ("utf-16", "base64", true),
        ("\"UTF-16LE\"", "base64", true),
        ("utf-32", "base64", true),
        ("utf-8", "base64", false),
        ("utf-16", "7bit", false),
    ] {
        let source = format!(
            "Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {coding}\n\nMTAu\n"
        );
        let mut all = Vec::new();
        let result = Mail::new(source.as_bytes(), false).read_to_end(&mut all);
        assert_eq!(result.is_err(), is_reported, "{charset} {coding}");
    }
}
