//! The standards as observed by the command: every test runs the binary, usually in chains.

use crate::command::shell;
use std::fs;

/// Runs each line of shell with `input` in the file `in`, and compares its standard output.
fn check(cases: &[(&str, &str, &str)]) {
    let folder = tempfile::tempdir().expect("folder");
    for &(input, line, expected) in cases {
        fs::write(folder.path().join("in"), input).expect("write");
        let (_, out, err) = shell(folder.path(), line);
        assert_eq!(out, expected, "{line} of {input}\n{err}");
    }
}

#[test]
fn commands_a_list_is_batch_input() {
    let json = r#"{"doi":"10.1000/a%2541"}"#;
    let name = "10.1000/A%2541\n";
    check(&[
        (json, "$D scan -q in", name),
        (json, "$D scan -q in | $D scan -q", name),
        (json, "$D scan -q in | $D check -q | cut -f3", name),
        (json, "$D scan -q in | $D check -q --strict | cut -f3", name),
        (json, "$D scan -q in | $D convert -q --to plain", name),
        (json, "$D scan -q in | $D convert -q --to url | $D convert -q --to plain", name),
        (json, "$D scan -q in > a; $D merge -q a a", name),
        (json, "$D scan -q in > a; $D diff a a", ""),
        ("10.1000/A.\n10.1000/B)\n", "$D scan -q in", "10.1000/A\n10.1000/B\n"),
        ("10.1000/b)\n10.1000/a.\n", "$D scan -q --format list in", "10.1000/A.\n10.1000/B)\n"),
        ("10.1000/b)\n10.1000/a.\n", "$D scan -q in", "10.1000/A\n10.1000/B\n"),
    ]);
}

#[test]
fn commands_a_space_is_encoded() {
    let encoded = "10.1000/AB%20C%C2%A0D\n";
    check(&[
        (
            encoded,
            "$D check -q in | cut -f2,3,5",
            &format!("true\t{}\tpercent-encoded,space\n", encoded.trim_end()),
        ),
        (encoded, "$D check -q --strict in | cut -f2,3", &format!("true\t{encoded}")),
        ("10.1000/ab cd\n", "$D check -q in | cut -f2,3", "false\t10.1000/AB\n"),
        ("10.1000/ab\u{a0}cd\n", "$D check -q in | cut -f2,3", "false\t10.1000/AB\n"),
        (
            "10.1000/ab cd\n",
            "$D convert -q --to url in 2>&1; echo $?",
            "doiscan: in:1: suffix: expected a graphic character (write a space in a name as %20), found U+0020 at byte 11\n3\n",
        ),
        (encoded, "$D convert -q --to url in", "https://doi.org/10.1000/AB%20C%C2%A0D\n"),
        (encoded, "$D convert -q --to doi in", "doi:10.1000/AB%20C%C2%A0D\n"),
        (encoded, "$D convert -q --to lower in | $D convert -q --to plain", encoded),
        (encoded, "$D scan -q in", encoded),
        (encoded, "$D scan -q in | $D scan -q --case lower | $D scan -q --format list", encoded),
        (encoded, "$D merge -q in in", encoded),
        (
            "see https://doi.org/10.1000/ab%20cd\n",
            "$D scan -q in | $D check -q | cut -f2,3",
            "true\t10.1000/AB%20CD\n",
        ),
        ("see 10.1000/ab cd\n", "$D scan -q in", "10.1000/AB\n"),
    ]);
}

#[test]
fn commands_addresses_are_those_a_browser_sends() {
    let all = "10.1000/\"#<>?[\\]^`{|}+,\n";
    let recommended = "https://doi.org/10.1000/%22%23%3C%3E%3F%5B%5C%5D%5E%60%7B%7C%7D%2B,\n";
    check(&[
        (all, "$D convert -q --to url in", recommended),
        (all, "$D convert -q --to url --recommended in", recommended),
        (
            all,
            "$D convert -q --to url --mandatory in",
            "https://doi.org/10.1000/%22%23<>%3F[%5C]^`{|}+,\n",
        ),
        (all, "$D convert -q --to url in | $D convert -q --to plain", all),
        ("https://doi.org/10.1000/a?b\n", "$D check -q in | cut -f3,5", "10.1000/A\tquery\n"),
        ("https://doi.org/10.1000/a#b\n", "$D check -q in | cut -f3,5", "10.1000/A\tfragment\n"),
        ("https://doi.org/10.1000/a?b\n", "$D check -q --strict in | cut -f2", "false\n"),
        ("urn:doi:10.1000:a?b#c\n", "$D check -q in | cut -f3,5", "10.1000/A?B#C\t\n"),
        ("info:doi/10.1000/a?b#c\n", "$D check -q in | cut -f3,5", "10.1000/A?B#C\t\n"),
        (
            "10.1006/rwei.1999\".0001\n",
            "$D convert -q --to html in",
            "<a href=\"https://doi.org/10.1006/rwei.1999%22.0001\">10.1006/rwei.1999%22.0001</a>\n",
        ),
        ("10.1000/a&b\"\n", "$D convert -q --to html in | $D scan -q", "10.1000/A&B\"\n"),
    ]);
}

#[test]
fn commands_resolvers_and_labels() {
    for notation in [
        "https://DOI.org/",
        "http://www.dx.doi.org:80/",
        "https://hdl.handle.net/",
        "https://hdl.handle.net/api/handles/",
        "https://doi.org/ra/",
        "https://doi.org/doiRA/",
        "https://doi.org/doi:",
        "http://doi.acm.org/",
        "https://doi-org.proxy.example.edu/",
        "hdl:",
        "info:doi/",
        "info:doi:",
    ] {
        let value = format!("{notation}10.1000/abc*");
        let field = format!("{{\"link\":\"{value}\"}}");
        check(&[
            (&value, "$D check -q in | cut -f2,3", "true\t10.1000/ABC*\n"),
            (&value, "$D convert -q --to doi in", "doi:10.1000/abc*\n"),
            (&field, "$D scan -q in", "10.1000/ABC*\n"),
        ]);
    }
    check(&[
        (
            "https://doi.evil.example/10.1000/1\n",
            "$D check -q --strict in | cut -f2,3",
            "false\t\n",
        ),
        ("https://DOI.org/f77\n", "$D scan -q --short-doi short in; cat short", "10/f77\n"),
    ]);
}

#[test]
fn commands_eidrs_are_one_identifier_however_spelled() {
    let name = "10.5240/7791-8534-2C23-9030-8610-5";
    let wrong = "10.5240/7791-8534-2C23-9030-8610-6";
    for prefix in [
        "10.5240/",
        "doi:10.5240/",
        "urn:eidr:10.5240:",
        "urn:x1:eidr:10.5240%2F",
        "urn:x1:eidr-s:",
        "urn:x1:eidr-u:10.5240_",
        "https://doi.org/10.5240/",
    ] {
        let value = |check| format!("{prefix}7791-8534-2c23-9030-8610-{check}\n");
        check(&[
            (&value(5), "$D check -q in | cut -f2,3,5", &format!("true\t{name}\t\n")),
            (&value(6), "$D check -q in | cut -f2,3,5", &format!("true\t{wrong}\teidr-check\n")),
            (&value(6), "$D check -q --strict in | cut -f2,3", "false\t\n"),
            (
                &value(5),
                "$D convert -q --to eidr-urn-colon in",
                "urn:eidr:10.5240:7791-8534-2C23-9030-8610-5\n",
            ),
            (&value(5), "$D convert -q --to url in", &format!("https://doi.org/{name}\n")),
        ]);
    }
    check(&[
        (
            "urn:eidr:10.5240:7791-8534-2C23-9030-8610-5:extra\n",
            "$D convert -q --to plain in; $D check -q in | cut -f3; $D scan -q in; $D scan -q in -o d --eidr -",
            &format!("{name}\n").repeat(4),
        ),
        (
            "10.5240/779185342C23903086105\n",
            "$D check -q in | cut -f3,5",
            &format!("{name}\trepaired,eidr-hyphens\n"),
        ),
        ("10.5238/Ray\n", "$D check -q --strict in | cut -f2,5", "true\teidr-shape\n"),
        ("10.5240/BLADE\n", "$D check -q --fail-on eidr-shape in > a; echo $?", "1\n"),
        (
            name,
            "$D convert -q --to eidr-full --binary base64url in | $D convert -q --to plain",
            &format!("{name}\n"),
        ),
        (
            name,
            "$D convert -q --to eidr-full --binary base64url-padded in | $D convert -q --to plain",
            &format!("{name}\n"),
        ),
    ]);
}

#[test]
fn commands_eidrs_get_their_hyphens() {
    let name = "10.5240/7791-8534-2C23-9030-8610-5";
    for prefix in ["10.5240/", "doi:10.5240/", "https://doi.org/10.5240/", "urn:eidr:10.5240:"] {
        let value = format!("{prefix}779185342c23903086105\n");
        check(&[
            (&value, "$D check -q in | cut -f3", &format!("{name}\n")),
            (&value, "$D convert -q --to plain in", &format!("{name}\n")),
            (&value, "$D convert -q --to doi in", &format!("doi:{name}\n")),
            (&value, "$D convert -q --to url in", &format!("https://doi.org/{name}\n")),
            (&value, "$D convert -q --to eidr-canonical in", &format!("{name}\n")),
            (&value, "$D scan -q in -o dois --eidr e; cat e", &format!("{name}\n")),
        ]);
    }
}

#[test]
fn commands_scan_lists_eidrs_in_canonical_form() {
    let name = "10.5240/7791-8534-2C23-9030-8610-5\n";
    for form in [
        "10.5240/7791-8534-2c23-9030-8610-5",
        "10.5240/779185342C23903086105",
        "urn:eidr:10.5240:7791-8534-2C23-9030-8610-5",
        "urn:x1:eidr:10.5240%2F7791-8534-2C23-9030-8610-5",
        "urn:x1:eidr-u:10.5240_7791-8534-2C23-9030-8610-5",
        "urn:x1:eidr-s:7791-8534-2C23-9030-8610-5",
        "info:doi/10.5240/7791-8534-2C23-9030-8610-5",
        "http://dx.doi.org/10.5240/7791-8534-2C23-9030-8610-5",
        "doi:10.5240/7791-8534-2C23-9030-8610-5",
        "{\"eidr\":\"1478779185342C2390308610\"}",
        "{\"eidr\":\"FHh3kYU0LCOQMIYQ\"}",
        "{\"eidr\":\"MTAuNTI0MC93kYU0LCOQMIYQNQ\"}",
    ] {
        check(&[(form, "$D scan -q --allow-empty in -o dois --eidr e; cat e", name)]);
    }
    check(&[
        ("10.5240/7791-8534-2C23-9030-8610-6", "$D scan -q in -o dois --eidr e; cat e", ""),
        (
            "10.5240/7791-8534-2C23-9030-8610-5",
            "$D scan -q in -o dois --eidr e --case lower; cat e",
            name,
        ),
    ]);
}

#[test]
fn commands_scan_reads_bare_suffixes_where_they_are_eidrs() {
    let scan = "$D scan -q --allow-empty --format csv in -o dois --eidr e; cat e";
    let name = "10.5240/7791-8534-2C23-9030-8610-5\n";
    check(&[
        ("EIDR,id\n7791-8534-2C23-9030-8610-5,1\n", scan, name),
        ("EIDR,id\n7791-8534-2C23-9030-8610-6,1\n", scan, ""),
        ("ISAN,id\n7791-8534-2C23-9030-8610-5,1\n", scan, ""),
        ("EIDR,id\n7791-8534-2C23-9030-8610,1\n", scan, ""),
        ("EIDR,id\n9DD9-E249,1\n", scan, ""),
    ]);
}

#[test]
fn commands_have_no_limit_of_length() {
    let name = format!("10.{}/{}", "1".repeat(2_000_000), "A".repeat(2_000_000));
    let line = format!("{name}\n");
    check(&[
        (&line, "$D check -q --strict in | cut -f2", "true\n"),
        (&line, "$D convert -q --to url in | $D convert -q --to plain | cmp - in", ""),
        (&line, "$D check -q --max-length 1M in | cut -f2", "false\n"),
    ]);
}

#[test]
fn commands_strict_means_strict() {
    for value in [
        "https://doi.org/10.1000/a\"b",
        "https://doi.org/10.1000/é",
        "urn:doi:10.1000:a/b",
        "doi 10.1000/182",
        "https://doi-org.proxy.example.edu/10.1000/182",
        "10.1000/100%",
    ] {
        let line = format!("{value}\n");
        check(&[
            (&line, "$D check -q --strict in | cut -f2", "false\n"),
            (&line, "$D check -q in | cut -f2", "true\n"),
        ]);
    }
}

#[test]
fn commands_fold_ascii_letters_alone() {
    let (value, name) = ("10.1000/aſ\u{212a}ßıé\n", "10.1000/Aſ\u{212a}ßıé\n");
    check(&[
        (value, "$D check -q in | cut -f3", name),
        (value, "$D convert -q --to plain in", name),
        (value, "$D scan -q in", name),
        (value, "$D scan -q --case lower in", value),
        ("10.1000/é\n10.1000/É\n", "$D scan -q in", "10.1000/É\n10.1000/é\n"),
    ]);
    // Tested one at a time, because Unicode folding changes the length of some letters and not of
    // others.
    for letter in ["é", "ſ", "\u{212a}", "ß", "ı", "я", "ǆ", "ﬁ"] {
        let (value, name) = (format!("10.1000/a{letter}\n"), format!("10.1000/A{letter}\n"));
        for line in [
            "$D check -q in | cut -f3",
            "$D convert -q --to plain in",
            "$D scan -q in",
            "$D merge -q in",
        ] {
            let input = if line.contains("merge") { &name } else { &value };
            check(&[(input, line, &name)]);
        }
    }
}
