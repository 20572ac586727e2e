//! Tests of mails, mailboxes and parts as text.

use super::part::MAX_DEPTH;
use super::*;
use ::base64::Engine;
use ::base64::prelude::BASE64_STANDARD as BASE64;

/// The text of `source`, read in pieces of `size` bytes.
fn text(source: &str, size: usize) -> String {
    let source = source.as_bytes();
    let mut mail = Mail::new(source, is_mailbox(source), |_| false);
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
        ("Received: by x\n>From a Mon\nTo: you\n\ntext", true),
        ("Received: by x\nTo: you\nSubject: x\na line of text\n\n", true),
        ("Received: by x\nTo: you\na line of text\n\n", false),
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
        (format!("{base64}\n doi:10.1/a\nMTAu\nMTAx\n"), " doi:10.1/a\n10.101"),
        (format!("{base64}\nMTAu\n\0--b==: c=\n\nMTAx\n"), "10.\n\0--b==: c=\n101"),
        (format!("{base64}\nMTAu\n________\na, b\n"), "10.\n________\na, b\n"),
        (format!("{base64}\nMTAu\nMQ==\na list, its name\n"), "10.1\na list, its name\n"),
        (format!("Content-Type: image/png\n{base64}\nMTAu\n"), "10."),
        (format!("Content-Type: application/octet-stream\n{base64}\nMTAu\nMTAx\n"), "10.101"),
        (format!("Content-Type: application/octet-stream\n{base64}\nAAAA\nMTAx\n"), "AAAA\nMTAx\n"),
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
fn a_boundary_may_be_encoded_and_split() {
    for boundary in
        ["boundary=a-b", "boundary*=us-ascii'en'a%2Db", "boundary*0*=''a; boundary*1=-b"]
    {
        let source = format!(
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; {boundary}\n\n--a-b\n\
             Content-Transfer-Encoding: quoted-printable\n\n=3D\n--a-b--\n=3D\n"
        );
        assert!(text(&source, 100).ends_with("\n\n=\n--a-b--\n=3D\n"), "{boundary}");
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
    let line = "x".repeat(PIECE * 3);
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
        (format!("{base64}YWIgMTAuMTAwMC8xODI="), "ab 10.1000/182", false),
        (format!("{base64}YWIgMTAuMTAwMC8xODI\n"), "ab 10.1000/182\n", false),
        (format!("{base64}YWIgMTAuMTAwMC8xODI0"), "ab 10.1000/1824", false),
        (format!("{base64}YWIgMTAuMTAwMC8xODI"), "ab ", true),
        (format!("{base64}YWIgMTAuMTAwMC8xO"), "ab ", true),
        (format!("{base64}YWIgMTAu\nMTAwMC8xO\n"), "ab \n", true),
        (format!("{parts}YWIgMTAuMTAwMC8x\n--b--\n"), "ab 10.1000/1\n--b--\n", false),
        (format!("{parts}YWIgMTAu\nMTAwMC8xO\n--b--\n"), "ab \n--b--\n", true),
        (format!("{parts}YWIgMTAuMTAwMC8x\n"), "ab \n", true),
        (format!("{mailbox}MTAuMTAwMC8xODI=\n"), "\n\n10.1000/182\n", true),
    ] {
        for size in [1, 7, 1000] {
            let mut mail = Mail::new(source.as_bytes(), is_mailbox(source.as_bytes()), |_| false);
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
    for len in [4095, 4096, 40960] {
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
    let mut mail = Mail::new(Faulty(b"MIME-Version: 1.0\n\n10.1000/1"), false, |_| false);
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
fn bytes_outside_the_alphabet_are_ignored() {
    let lines = ["YWIg", "MTAu", "MTAw", "MC8x", "ODIg"].join("\n");
    for noise in [" ", "!", "-", "\0", "\"", "=", "==", "\r", "> ", "\u{e9}"] {
        for at in 0..lines.len() {
            // The end of a part may be padded.
            if noise.starts_with('=') && matches!(lines.as_bytes().get(at), Some(b'\n')) {
                continue;
            }
            let body = format!("{}{noise}{}", &lines[..at], &lines[at..]);
            let source = format!("Content-Transfer-Encoding: base64\n\n{body}\n");
            let whole = text(&source, 100);
            assert!(whole.ends_with("\n\nab 10.1000/182 \n"), "{body:?}: {whole}");
        }
    }
}

/// Reads `source` as bytes. Returns the text and the error at its end.
fn read(source: &[u8]) -> (String, Option<String>) {
    let mut all = Vec::new();
    let result = Mail::new(source, is_mailbox(source), |_| false).read_to_end(&mut all);
    (String::from_utf8_lossy(&all).into_owned(), result.err().map(|error| error.to_string()))
}

#[test]
fn base64_that_lost_a_character_is_named() {
    let parts = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
                 Content-Transfer-Encoding: base64\n\n";
    let damaged = Some("a Base64 part of the mail is damaged");
    for (body, expected) in [
        ("YWJj\nMTAuMTAwMC8xODI=", None),
        ("YWJj\nMTAuMTAwMC8xODI", None),
        ("YWJj!\nMTAuMTAwMC8xODI=", None),
        ("a: 10.1000/1\nYWJj\nMTAuMT*AwMC8xODI=", None),
        ("YW!j\nMTAuMTAwMC8xODIw", damaged),
        ("YW!j\nMTAuMTAwMC8xODI=", damaged),
        ("YWj\nMTAuMTAwMC8xODI=", damaged),
        ("YWJjZA==\nMTAuMTAwMC8xODI=", damaged),
        ("YWJj\nMTAuMTAwMC8xOA=", damaged),
        ("YW!j\nMTAuMTAwMC8xOA==", Some("a Base64 part of the mail ends early")),
    ] {
        let (_, error) = read(format!("{parts}{body}\n--b--\n").as_bytes());
        assert_eq!(error.as_deref(), expected, "{body}");
    }
}

#[test]
fn an_octet_may_lie_across_pieces_of_a_long_line() {
    let head = "MIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n\n";
    for shift in 0..4 {
        let line = format!("{}=2E=\r\n=2E=", "x".repeat(PIECE - shift));
        let expected = format!("\n\n{}..=", "x".repeat(PIECE - shift));
        assert!(text(&format!("{head}{line}"), 1000).ends_with(&expected), "{shift}");
    }
}

#[test]
fn parts_that_are_nested_too_deeply_are_named() {
    for (depth, is_named) in [(MAX_DEPTH, false), (MAX_DEPTH + 1, true)] {
        let mut source = "MIME-Version: 1.0\n".to_owned();
        for part in 0..depth {
            source += &format!("Content-Type: multipart/mixed; boundary=b{part}\n\n--b{part}\n");
        }
        source += "Content-Transfer-Encoding: base64\n\nMTAuMTAwMC8xODI=\n";
        source.extend((0..depth).rev().map(|part| format!("--b{part}--\n")));
        let (text, error) = read(source.as_bytes());
        let words = "parts of the mail that are nested in 64 others were not decoded";
        assert_eq!(error.as_deref(), is_named.then_some(words));
        assert_eq!(text.contains("10.1000/182"), !is_named);
    }
}

#[test]
fn parts_in_wide_characters_are_decoded() {
    let units = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let body = units("\u{feff}a\nein 10.1000/182\n");
    let octets = |bytes: &[u8]| bytes.iter().map(|b| format!("={b:02X}")).collect::<String>();
    let base64 = |bytes: &[u8]| BASE64.encode(bytes);
    let soft = octets(&body).replace("=0A", "=0A=\n");
    // An encoder that leaves line feeds as they are.
    let hard = octets(&body).replace("=0A", "\n");
    let crlf = hard.replace('\n', "\r\n");
    for (charset, coding, body) in [
        ("utf-16", "base64", base64(&body).into_bytes()),
        ("\"UTF-16LE\"", "base64", base64(&body[2..]).into_bytes()),
        ("utf-16", "quoted-printable", soft.into_bytes()),
        ("utf-16", "quoted-printable", hard.into_bytes()),
        ("utf-16", "quoted-printable", crlf.into_bytes()),
        ("utf-16", "binary", body),
        ("utf-16", "7bit", b"ein 10.1000/182\n".to_vec()),
    ] {
        let head = format!(
            "Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {coding}\n\n"
        );
        let (text, error) = read(&[head.as_bytes(), &body].concat());
        assert!(text.contains("ein 10.1000/182\n"), "{charset} {coding}: {text:?}");
        assert_eq!(error, None, "{charset} {coding}");
    }
}

#[test]
fn wide_characters_that_are_cut_are_named_without_the_last_word() {
    let cut = "ein 10.1000/182".encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let octets = cut[..cut.len() - 1].iter().map(|b| format!("={b:02X}")).collect::<String>() + "=";
    for (coding, body) in
        [("base64", BASE64.encode(&cut[..cut.len() - 1])), ("quoted-printable", octets)]
    {
        let source = format!(
            "Content-Type: multipart/mixed; boundary=b\nMIME-Version: 1.0\n\n--b\n\
             Content-Type: text/plain; charset=utf-16be\nContent-Transfer-Encoding: {coding}\n\n{body}\n--b--\n"
        );
        let (text, error) = read(source.as_bytes());
        assert!(text.ends_with("\n\nein \n--b--\n"), "{coding}: {text}");
        let words = "a part of the mail in UTF-16 or UTF-32 ends within a character";
        assert_eq!(error.as_deref(), Some(words), "{coding}");
    }
}

#[test]
fn headers_that_are_damaged_end_where_the_body_begins() {
    let base64 = "Content-Transfer-Encoding: base64\n";
    let body = "MTAuMTAwMC8xODIK\n";
    for source in [
        // No blank line.
        format!("MIME-Version: 1.0\n{base64}{body}"),
        format!("Content-Type: message/rfc822\n\n{base64}A: b\n{body}"),
        // No end of the outer header, so an inner one seems to be a part of it.
        format!(
            "Content-Type: multipart/mixed; boundary=a\n> \nContent-Type: x/y; boundary=b\n\n--a\n{base64}\n{body}"
        ),
        // What a program put in front of the fields or among them.
        format!("MIME-Version: 1.0\nnot folded\n{base64}\n{body}"),
        format!("MIME-Version: 1.0\n>From a@example.org Mon\n{base64}\n{body}"),
        format!("Content-Type: multipart/mixed; boundary=a\n\n--a\n>\n{base64}\n{body}"),
        format!("Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx\n\r--a\n{base64}\n{body}"),
        // Parts of a digest are mails.
        format!("Content-Type: multipart/digest; boundary=a\n\n--a\n\n{base64}\n{body}"),
        format!("Content-Type: message/news\n\n{base64}\n{body}"),
    ] {
        let (text, _) = read(source.as_bytes());
        assert!(text.contains("\n10.1000/182"), "{source}: {text}");
    }
}

#[test]
fn the_content_decides_whether_a_file_of_a_program_is_text() {
    let units = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let (csv, zip) = (b"doi\n10.1000/182\n", b"PK\x03\x0410.1000/182\n");
    let wide = units("\u{feff}doi\n10.1000/182\n");
    for (kind, bytes, is_text) in [
        ("application/vnd.ms-excel", &csv[..], true),
        ("application/msword", csv, true),
        ("application/vnd.ms-excel", zip, false),
        ("application/pdf", csv, true),
        ("application/octet-stream", &wide, true),
        ("application/vnd.ms-excel", &wide, true),
        ("text/csv; charset=utf-8", &wide, true),
        ("image/svg+xml", csv, true),
        ("image/png", b"\x89PNG\r\n\x1a\n 10.1000/182", false),
    ] {
        let source = format!(
            "Content-Type: {kind}\nContent-Transfer-Encoding: base64\n\n{}\n",
            BASE64.encode(bytes)
        );
        let (text, error) = read(source.as_bytes());
        assert_eq!(text.contains("doi\n10.1000/182\n"), is_text, "{kind}: {text}");
        assert_eq!(error, None, "{kind}");
    }
    let source = "Content-Type: application/octet-stream\nContent-Transfer-Encoding: quoted-printable\n\n10.1000/=\n182\n";
    assert!(text(source, 100).ends_with("\n\n10.1000/182\n"));
}

#[test]
fn encoded_words_of_headers_are_decoded() {
    for (field, expected) in [
        ("Subject: =?utf-8?Q?Paper_doi=3A10=2E1000/182?=", "Subject: Paper doi:10.1000/182"),
        ("Subject: =?UTF-8?B?ZG9pOjEwLjEwMDAvMTgy?= x", "Subject: doi:10.1000/182 x"),
        ("Subject:\t=?utf-8*en?q?10.1000/1?=", "Subject: 10.1000/1"),
        // Blanks between words are no text, blanks beside others are.
        (
            "Subject: =?x-a?Q?10.1000/1?=\r\n =?x-b?B?ODI=?= \t=?utf-8?q?_3?= 4",
            "Subject: 10.1000/182 3 4",
        ),
        ("Subject: =?utf-8?Q?10.1000/1?=\r\n 82", "Subject: 10.1000/1 82"),
        ("Subject: =?utf-8?Q?1?=\nX: =?utf-8?Q?2?=", "Subject: 1\nX: 2"),
        // Charsets.
        ("Subject: =?iso-8859-1?Q?M=FCller_10.1000/182?=", "Subject: M\u{fc}ller 10.1000/182"),
        ("Subject: =?iso-2022-jp?B?GyRCRnwbKEIxMC4xMDAwLzE=?=", "Subject: \u{65e5}10.1000/1"),
        // What is no encoded word is copied.
        ("Subject: =?utf-8?Q?10.1000/1", "Subject: =?utf-8?Q?10.1000/1"),
        ("Subject: =?utf-8?X?1?= =? 10.?=", "Subject: =?utf-8?X?1?= =? 10.?="),
        ("=?utf-8?Q?1?= x", "=?utf-8?Q?1?= x"),
    ] {
        let source = format!("MIME-Version: 1.0\n{field}\n\n=?utf-8?Q?b?=\n");
        let expected = format!("MIME-Version: 1.0\n{expected}\n\n=?utf-8?Q?b?=\n");
        for size in [1, 1000] {
            assert_eq!(text(&source, size), expected, "{field}");
        }
    }
    // The header is the last of the mail, or ends without a blank line.
    let parts = "Content-Type: multipart/mixed; boundary=b\n\n--b\nSubject: =?utf-8?Q?1?=";
    for end in ["", "\n", "\n--b--\n"] {
        assert!(text(&format!("{parts}{end}"), 100).contains("\n--b\nSubject: 1\n"), "{end:?}");
    }
    for (word, is_damaged) in [("?b?MTAu!MTA=?=", true), ("?Q?a=3?=", false), ("?b?MTAu", false)] {
        let (_, error) = read(format!("MIME-Version: 1\nSubject: =?utf-8{word}\n\n").as_bytes());
        let words = "an encoded word of the mail is damaged";
        assert_eq!(error.as_deref(), is_damaged.then_some(words), "{word}");
    }
    // A field that is long is copied.
    let long = format!("To: {}\n\n", "=?utf-8?Q?a?=\n ".repeat(400));
    assert_eq!(text(&long, 1000), long);
}

#[test]
fn flowed_lines_are_joined_without_their_blanks() {
    for (body, expected) in [
        ("10.1000/1 \n82 and\nx\n", "10.1000/182 and\nx\n"),
        ("10.1000/1 \r\n8 \r\n2\r\n", "10.1000/182\r\n"),
        ("a  \n 10.1000/1 \n 82\n", "a 10.1000/182\n"),
        ("> 10.1000/1 \n> 82\n>> x \n>\n", "> 10.1000/182\n>> x \n>\n"),
        ("> 10.1000/1 \n82\n", "> 10.1000/1 \n82\n"),
        ("10.1000/1 \n-- \nname\n", "10.1000/1 \n-- \nname\n"),
        (" \n10.1000/1 \n", " \n10.1000/1 \n"),
        ("10.1000/182", "10.1000/182"),
    ] {
        let flowed = "Content-Type: text/plain; format=flowed; DelSp=\"Yes\"";
        let base64 = BASE64.encode(body);
        let quoted = body.replace(" \r", "=20\r").replace(" \n", "=20\n");
        for (coding, body) in [("8bit", body), ("quoted-printable", &quoted), ("base64", &base64)] {
            let head = format!("{flowed}\nContent-Transfer-Encoding: {coding}\n\n");
            for size in [1, 1000] {
                let whole = text(&format!("{head}{body}"), size);
                let (_, found) = whole.split_once("\n\n").expect("body");
                let found = if coding == "base64" { found.trim_end_matches('\n') } else { found };
                let expected =
                    if coding == "base64" { expected.trim_end_matches('\n') } else { expected };
                assert_eq!(found, expected, "{coding} {body:?}");
            }
        }
        let plain = format!("{}\nMIME-Version: 1.0\n\n{body}", &flowed[..40]);
        assert_eq!(text(&plain, 1000), plain);
    }
    let long = format!("{} \n82\n", "x".repeat(3 * PIECE));
    let head = "Content-Type: text/plain; format=flowed; delsp=yes\n\n";
    assert_eq!(text(&format!("{head}{long}"), 1000), format!("{head}{}", long.replace(" \n", "")));
}

#[test]
fn an_attachment_is_not_read_as_text_too() {
    let rtf = BASE64.encode("{\\rtf1 10.1000/182}");
    for kind in ["application/msword", "application/octet-stream"] {
        let source = format!("Content-Type: {kind}\nContent-Transfer-Encoding: base64\n\n{rtf}\n");
        let mut mail = Mail::new(source.as_bytes(), false, |head| head.starts_with(b"{\\rtf"));
        let mut text = String::new();
        mail.read_to_string(&mut text).expect("memory");
        assert_eq!((text, mail.parts.attachments.len()), (source, 1), "{kind}");
    }
}

#[test]
fn what_is_encrypted_or_enclosed_in_a_signature_is_named() {
    for (kind, is_named) in [
        ("application/pkcs7-mime; smime-type=enveloped-data", true),
        ("Application/X-PKCS7-MIME; smime-type=signed-data", true),
        ("application/pkcs7-mime; smime-type=certs-only", false),
        ("multipart/encrypted; boundary=b", true),
        ("multipart/signed; boundary=b", false),
        ("application/pkcs7-signature", false),
    ] {
        let source = format!("Content-Type: {kind}\n\n--b\n\nx\n--b--\n");
        let mut mail = Mail::new(source.as_bytes(), false, |_| false);
        let error = mail.read_to_string(&mut String::new()).err().map(|error| error.to_string());
        let is_said = error.is_some_and(|error| error.contains("encrypted"));
        assert_eq!(is_said, is_named, "{kind}");
    }
}
