//! Explains the reasons for rejecting a candidate, the repairs, and the notes on a value.

use crate::doi::Reason;
use crate::quality::Note;
use crate::scan::Repair;
use std::fmt::Write;

const BEGINNING: &str = "\
Why doiscan scan rejects a candidate (scan -v and --stats count each reason), and which
reasons doiscan check gives. A candidate is a place that looks like the beginning of a DOI.
";

const REPAIRS: &str = "
What doiscan scan repairs in a DOI (scan and --stats count each kind, --hits names it). With
--strict nothing is repaired.
";

const MIDDLE: &str = "
Notes of doiscan check. A value with a note may be valid all the same.
";

/// Returns the page `doiscan help reasons`.
pub(in crate::cli) fn text() -> String {
    let mut text = BEGINNING.to_owned();
    for reason in Reason::ALL {
        let Explanation { meaning, example, advice } = of_reason(reason);
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{reason}\n    {meaning}\n");
        let _ = write!(text, "    Example: {example}\n    What to do: {advice}\n");
    }
    text.push_str(REPAIRS);
    for kind in Repair::ALL {
        let (meaning, example) = of_repair(kind);
        let _ = write!(text, "\n{}\n    {meaning}\n    Example: {example}\n", kind.name());
    }
    text.push_str(MIDDLE);
    for note in Note::ALL {
        let Explanation { meaning, example, advice } = of_note(note);
        let _ = write!(text, "\n{}\n    {meaning}\n", note.name());
        let _ = write!(text, "    Example: {example}\n    What to do: {advice}\n");
    }
    text
}

/// Returns the meaning of a reason, and advice.
pub(in crate::cli) fn advice(reason: Reason) -> (&'static str, &'static str) {
    let Explanation { meaning, advice, .. } = of_reason(reason);
    (meaning, advice)
}

/// The meaning of a reason or a note, an example, and advice.
struct Explanation {
    meaning: &'static str,
    example: &'static str,
    advice: &'static str,
}

const fn explain(
    meaning: &'static str,
    example: &'static str,
    advice: &'static str,
) -> Explanation {
    Explanation { meaning, example, advice }
}

fn of_reason(reason: Reason) -> Explanation {
    match reason {
        Reason::TooShortRegistrant => explain(
            "The registrant has fewer than four digits and no label such as doi: precedes it.",
            "10.12/x",
            "nothing, if it is a fraction; a DOI from a field or after doi: is accepted",
        ),
        Reason::TooLongRegistrant => explain(
            "The registrant has more digits than any registration agency has given out.",
            "10.1234567890/x",
            "nothing",
        ),
        Reason::NoSeparator => explain(
            "No slash, plain or encoded, follows the registrant.",
            "10.1000 people",
            "nothing, if it is a number; else look for a slash that is lost in the source",
        ),
        Reason::NoSuffix => explain(
            "Nothing that can be in a DOI follows the slash.",
            "10.1000/ and",
            "look for a line break after the slash; scan --join-lines joins it",
        ),
        Reason::ReservedSuffix => explain(
            "The suffix begins with one character and a slash, which Z39.84 (4.3) reserves. \
             Only with --strict.",
            "10.1000/a/b",
            "leave out --strict",
        ),
        Reason::TooLong => explain(
            "It is longer than --max-length, 2048 bytes by default.",
            "10.1000/ and 3,000 letters",
            "raise --max-length; more often, a delimiter is missing in the source",
        ),
        Reason::NonGraphic => explain(
            "A character that is not printable (Z39.84-2005, 4.1) follows the slash; for check, one \
             anywhere in the value.",
            "10.1000/ and a control character",
            "look for damage in the source, or text in another encoding",
        ),
        Reason::NotEidr => explain(
            "A DOI under a prefix of EIDR that its registry would refuse: a wrong check character, \
             another shape, or no hyphens. Only check --strict.",
            "10.5240/7791-8534-2C23-9030-8610-6",
            "compare it with its source",
        ),
        Reason::LeftBoundary
        | Reason::VersionOrAddress
        | Reason::Date
        | Reason::InsideDoi
        | Reason::VolumeYear
        | Reason::ReferenceKey
        | Reason::Licence
        | Reason::Pattern
        | Reason::Ellipsis
        | Reason::Stem
        | Reason::CutByFault => of_surroundings(reason),
    }
}

/// Explains a reason that lies in the text around the candidate.
fn of_surroundings(reason: Reason) -> Explanation {
    match reason {
        Reason::LeftBoundary => explain(
            "The candidate continues a word or a number.",
            "v10.1234/x",
            "nothing, if it is a version or a figure; else put a space or doi: in front of it",
        ),
        Reason::VersionOrAddress => explain(
            "Digits and a full stop precede it, as in a version or a network address.",
            "192.10.1234/24",
            "nothing",
        ),
        Reason::Date => explain("A date, followed by a slash.", "17.10.2014/file", "nothing"),
        Reason::InsideDoi => explain(
            "It stands inside the suffix of another DOI, which is accepted.",
            "10.1000/10.1000/182",
            "nothing",
        ),
        Reason::VolumeYear => {
            explain("Volume and year of a journal.", "Vol. 10.1930/31 and", "nothing")
        }
        Reason::ReferenceKey => explain(
            "The key of an entry in a list of references, made from the DOI of the article.",
            "{\"key\":\"10.1000/xyz123-BIB7\"}",
            "nothing; the DOI of the article itself is found elsewhere",
        ),
        Reason::Licence => explain(
            "The name of a licence for text mining, not of a work.",
            "10.1002/tdm_license_1.1",
            "nothing",
        ),
        Reason::Pattern => explain(
            "A pattern or a placeholder that stands for many DOIs.",
            "LIKE '10.1016/%'",
            "nothing",
        ),
        Reason::Ellipsis => explain(
            "The DOI was shortened to an ellipsis, as in the text of a link.",
            "<a>10.1093/bioinformatics/b...</a>",
            "nothing; the whole DOI is usually in the address of the link, and found there",
        ),
        Reason::Stem => explain(
            "The beginning of a DOI whose rest is missing: a line end or the source cut it.",
            "'10.1002/ache.'",
            "look for the rest in the source; scan --join-lines=always joins more line ends",
        ),
        _ => explain(
            "It touches a place where the input is damaged or cut, so its end is unknown.",
            "10.1000/ab at the end of a truncated archive",
            "get the input anew; the message about it names the place",
        ),
    }
}

/// Describes a kind of repair and gives an example.
fn of_repair(kind: Repair) -> (&'static str, &'static str) {
    match kind {
        Repair::Dash => ("A dash in running text is a hyphen.", "10.1000/abc–182"),
        Repair::ZeroWidth => (
            "A character without width is left out, such as a soft hyphen.",
            "10.1000/abc\u{ad}182",
        ),
        Repair::Trailing => (
            "A full stop, a comma or a semicolon at the end of a field.",
            "<doi>10.1000/182.</doi>",
        ),
        Repair::LineEnd => (
            "A line end within the DOI, where the next line can only be its rest (--join-lines).",
            "doi:10.1177/ and, on the next line, 0160017607301605",
        ),
        Repair::PublisherPath => (
            "What the address of a publisher's page has after the DOI.",
            "10.1007/BF02727953/metrics",
        ),
        Repair::Version => ("The version of a preprint.", "10.1101/656678v1.full"),
        Repair::QuotedPrintable => (
            "A soft line break of quoted-printable text within the DOI.",
            "10.1000/18= and, on the next line, 2",
        ),
        Repair::LostHyphen => (
            "A hyphen that the text of a PDF lost, where all names of the registrant have it.",
            "10.1111/j.14679787.1982.tb00744.x",
        ),
        Repair::Badge => (
            "The escapes and the colour of a badge.",
            "img.shields.io/badge/DOI-10.1000%2Fa--b-blue.svg",
        ),
    }
}

fn of_note(note: Note) -> Explanation {
    match note {
        Note::ReservedSuffix => explain(
            "The suffix begins with one character and a slash, which Z39.84 (4.3) reserves.",
            "10.1000/a/b",
            "look it up at doi.org; with --strict it is invalid",
        ),
        Note::EidrCheck => explain(
            "An EIDR whose check character does not fit its digits: one of them is wrong.",
            "10.5240/7791-8534-2C23-9030-8610-6",
            "compare it with its source",
        ),
        Note::ShortRegistrant => explain(
            "The registrant has two or three digits. Such registrants are rare.",
            "10.123/abc",
            "look it up at doi.org",
        ),
        Note::Repaired => explain(
            "The DOI in the row is the likely one, not the value as it stands.",
            "10.1000/abc.",
            "take the DOI from the row; --strict repairs nothing",
        ),
        Note::PercentEncoded => explain(
            "Characters of the value were percent-encoded; the DOI in the row has them decoded.",
            "10.1000/456%23789",
            "nothing",
        ),
        Note::ShortDoi => explain(
            "A shortDOI stands for a DOI that only its service knows.",
            "https://doi.org/f77",
            "resolve it at shortdoi.org",
        ),
        Note::Licence => explain(
            "The name of a licence for text mining, not of a work.",
            "10.1002/tdm_license_1.1",
            "remove it from a list of works",
        ),
        Note::Space => explain(
            "The suffix holds an encoded space. Z39.84 allows it, but no known DOI has one.",
            "10.1000/ab%20cd",
            "look it up at doi.org",
        ),
        Note::Query => explain(
            "A query follows the name in the address, and was left out.",
            "https://doi.org/10.1000/182?locatt=mode:legacy",
            "nothing; a question mark in a name is %3F; with --strict the value is invalid",
        ),
        Note::Fragment => explain(
            "A fragment follows the name in the address, and was left out.",
            "https://doi.org/10.1000/182#abstract",
            "nothing; a number sign in a name is %23; with --strict the value is invalid",
        ),
        Note::EidrShape => explain(
            "A DOI under a prefix of EIDR that does not have the shape of an EIDR.",
            "10.5240/BLADE",
            "look it up at doi.org; with --strict it is invalid under 10.5240",
        ),
        Note::EidrHyphens => explain(
            "An EIDR without its hyphens, which its registry requires; the DOI in the row has them.",
            "10.5240/779185342C23903086105",
            "take the DOI from the row; with --strict the value is invalid",
        ),
        Note::SeveralDois => explain(
            "The value holds several DOIs. The reason lists them; in JSON, dois does.",
            "10.1000/a; 10.1000/b",
            "split the value",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::Judge;
    use crate::scan::{Match, Notation, Options, Repairs, Scanner, Sink};

    #[derive(Default)]
    struct Rejected(Vec<Reason>, Repairs);

    impl Sink for Rejected {
        fn accept(&mut self, found: &Match<'_>) {
            self.1 |= found.repairs;
        }

        fn reject(&mut self, _: usize, reason: Reason) {
            self.0.push(reason);
        }
    }

    fn answers(text: &[u8], strict: bool) -> Rejected {
        let mut sink = Rejected::default();
        let mut scanner = Scanner::new(Options { strict, ..Options::default() });
        scanner.scan(text, 0..text.len(), Notation::Unknown, &mut sink);
        sink
    }

    #[test]
    fn every_repair_is_explained_by_an_example_of_it_and_strict_leaves_it() {
        for kind in Repair::ALL {
            let text = of_repair(kind).1.replace(" and, on the next line, ", "\n");
            assert!(answers(text.as_bytes(), false).1.contains(kind), "{}", kind.name());
            assert!(answers(text.as_bytes(), true).1.is_empty(), "{}", kind.name());
        }
        let page = text();
        assert!(Repair::ALL.iter().all(|kind| page.contains(&format!("\n{}\n    ", kind.name()))));
    }

    #[test]
    fn every_reason_is_explained_by_an_example_of_it() {
        for reason in Reason::ALL {
            let mut text = of_reason(reason).example.as_bytes().to_vec();
            match reason {
                Reason::TooLong => text = [&b"10.1000/"[..], &[b'a'; 3000]].concat(),
                // Only a reader detects faults: see tests/integration/faults.rs.
                Reason::CutByFault => continue,
                Reason::NotEidr => {
                    let judged = Judge::new(true).judge(&text).reason.map(|wrong| wrong.reason);
                    assert_eq!(judged, Some(reason));
                    continue;
                }
                Reason::NonGraphic => text = b"10.1000/\xc2\x85b".to_vec(),
                _ => {}
            }
            let found = answers(&text, reason == Reason::ReservedSuffix).0;
            assert!(found.contains(&reason), "{reason}: {found:?}");
        }
        let page = text();
        assert!(Reason::ALL.iter().all(|r| page.contains(&format!("\n{r}\n    "))));
    }

    #[test]
    fn every_note_is_explained_by_an_example_of_it() {
        for note in Note::ALL {
            let example = of_note(note).example;
            let notes = Judge::new(false).judge(example.as_bytes()).notes;
            assert!(notes.contains(note), "{}: {example}", note.name());
        }
        let page = text();
        assert!(Note::ALL.iter().all(|n| page.contains(&format!("\n{}\n    ", n.name()))));
    }
}
