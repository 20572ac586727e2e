use super::*;

#[test]
fn quoted_stems() {
    for (read, name, rest, expected) in [
        ("10.1002/advs.", "10.1002/ADVS", "'", true),
        ("10.1002/advs,", "10.1002/ADVS", "'", false),
        ("10.1002/advs/", "10.1002/ADVS", "\",", false),
        ("10.1002/advs:", "10.1002/ADVS:", "\"", true),
        ("10.1002/advs-", "10.1002/ADVS-", "\"", true),
        ("10.1002/adv1.", "10.1002/ADV1", "'", false),
        ("10.1002/adv1/", "10.1002/ADV1", "\"+\n", false),
        ("10.1002/adv1/", "10.1002/ADV1", "'. The", false),
        ("10.1002/adv1.", "10.1002/ADV1", "' + n", true),
        ("10.1002/adv1/", "10.1002/ADV1", "\" . $n", true),
        ("10.1002/adv1/", "10.1002/ADV1", "' || n", true),
        ("10.1002/adv1/", "10.1002/ADV1", "\"&A2", true),
        ("10.1002/adv1", "10.1002/ADV1", "' + n", false),
    ] {
        let after = format!("{read}{rest}");
        let around = Around { before: b"", after: after.as_bytes(), stop: Some(read.len()) };
        assert_eq!(is_quoted_stem(around, name.as_bytes(), 8), expected, "{after}");
    }
}

#[test]
fn what_was_read() {
    for (read, rest, expected) in [
        ("10.1093/BIOINFORMATICS/B…", "</a>", Some(Reason::Ellipsis)),
        ("10.1093/BIOINFORMATICS/B..", "</a>", None),
        ("10.1093/BIOINFORMATICS/BTAB123...", " and", None),
        ("10.48550/%", "'", Some(Reason::Pattern)),
        ("10.5281/ZENODO.%S", "\"", Some(Reason::Pattern)),
        ("10.1000/182%3", "", Some(Reason::Pattern)),
        ("10.11591/IJPEDS.V8.I2.PP%P", "", None),
        ("10.5281/ZENODO.${ID}", "", Some(Reason::Pattern)),
        ("10.5281/ZENODO.{ID}", "", Some(Reason::Pattern)),
        ("10.1002/({SICI})1", "", None),
        ("10.1000/A{B}C", "", None),
        ("10.7910/DVN/[A-Z0-9]{6}", "", Some(Reason::Pattern)),
        ("10.1000/69[71-CSMAET]2", "", None),
        ("10.1000/69[7-CSMAET]2", "", None),
        ("10.5281/ZENODO.XXXXXXX", "", Some(Reason::Pattern)),
        ("10.1079/PNS2004XXX", "", None),
        ("10.5438/GY4A-STW*", "", None),
        ("10.1087/*", "", Some(Reason::Pattern)),
        ("10.4028/AMR.429*", "", None),
        ("10.1371/(.+)", "", Some(Reason::Pattern)),
        ("10.13039/$1", "", Some(Reason::Pattern)),
        ("10.1007/978-3-030-01379-…", " 2018", Some(Reason::Ellipsis)),
        ("10.1001/12…", " 2015", Some(Reason::Ellipsis)),
        ("10.1111/TB", "\\d+", Some(Reason::Pattern)),
        ("10.1111/TB", "\\\\d+", Some(Reason::Pattern)),
        ("10.1111/TB", "\\delta", None),
        ("10.11646/ZOOTAXA.1", "{{!}}", None),
        ("10.7910/DVN/", "[^/]+", Some(Reason::Pattern)),
        ("10.7910/DVN/1", "[^1]", None),
        ("10.7554/ELIFE\\.", "?P<id>", None),
    ] {
        let after = [read, rest].concat();
        let around = Around { before: b"", after: after.as_bytes(), stop: Some(read.len()) };
        assert_eq!(
            when_read(around, read.as_bytes(), 8, true, false, None),
            expected,
            "{read} {rest}"
        );
    }
}

#[test]
fn what_is_left() {
    for (name, rest, expected) in [
        ("10.5281/ZENODO.1", "", None),
        ("10.13140/RG", " . ", None),
        ("10.2217/FCA", "\u{a0}and", None),
        ("10.13140/RG.2", " . 2", None),
        ("10.1002/(SICI)1097-4571(199507)46:6", "<400::AID-", Some(Reason::Stem)),
        ("10.1002/(SICI)1097-4571(199507)46:6", "&lt;400::AID-", Some(Reason::Stem)),
        ("10.1002/(SICI)1097-4571(199507)46:6", "</p>", Some(Reason::Stem)),
        ("10.1002/1097-4571(2000)9999:9999", "<b>x:", None),
        ("10.1002/1097-4571(2000)9999:9999", "</p>", None),
        ("10.1002/1097-4571(2000)9999:9999", "[5]", None),
    ] {
        let start = 1 + name.find('/').unwrap();
        let around = Around { before: b"", after: rest.as_bytes(), stop: Some(0) };
        let found = when_trimmed(around, name.as_bytes(), start);
        assert_eq!(found, expected, "{name}");
    }
}
