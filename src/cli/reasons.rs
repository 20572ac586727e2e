//! Explains the reasons for rejecting a candidate, the repairs, and the notes on a value.

use doiscan_core::doi::Reason;
use doiscan_core::judge::Note;
use doiscan_core::scan::Repair;

const BEGINNING: &str = "\
Reasons why doiscan scan rejects a candidate (scan -v and --stats count each reason), and why
doiscan check calls a value invalid. A candidate is a place that looks like the beginning of a
DOI.
";

const REPAIRS: &str = "
Repairs that doiscan scan makes in a DOI (scan and --stats count each kind, --hits names it).
With --strict nothing is repaired.
";

const MIDDLE: &str = "
Notes of doiscan check. A value with a note can still be valid.
";

/// Returns the page `doiscan help reasons`.
pub(in crate::cli) fn text() -> String {
    let page = |(head, entries): (&str, Vec<Explained>)| {
        let entries: String = entries.iter().map(|(_, text)| format!("\n{text}")).collect();
        head.to_owned() + &entries
    };
    chapters().map(page).concat()
}

/// Returns the parts of the page about `name`, which may be a reason and a note.
pub(in crate::cli) fn one(name: &str) -> Option<String> {
    let kinds = ["reason", "repair of scan", "note of check"];
    let kinds = chapters().into_iter().zip(kinds);
    let entries =
        kinds.flat_map(|((_, entries), kind)| entries.into_iter().map(move |e| (e, kind)));
    let named = entries.filter(|((own, _), _)| *own == name);
    let texts: Vec<_> =
        named.map(|((_, text), kind)| text.replacen('\n', &format!(" ({kind})\n"), 1)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// A name and the text about it.
type Explained = (&'static str, String);

/// What stands above the reasons, the repairs and the notes, and the text about each.
fn chapters() -> [(&'static str, Vec<Explained>); 3] {
    let explained = |name: &'static str, (meaning, example, advice): Explanation| {
        let text =
            format!("{name}\n    {meaning}\n    Example: {example}\n    What to do: {advice}\n");
        (name, text)
    };
    let repaired = |kind: Repair| {
        let ((meaning, example, _), name) = (of_repair(kind), kind.name());
        (name, format!("{name}\n    {meaning}\n    Example: {example}\n"))
    };
    let reasons = Reason::ALL.into_iter().filter(|reason| reason.is_of_candidate());
    let reasons = reasons.map(|reason| explained(reason.name(), of_reason(reason))).collect();
    let notes = Note::ALL.map(|note| explained(note.name(), of_note(note)));
    [(BEGINNING, reasons), (REPAIRS, Repair::ALL.map(repaired).into()), (MIDDLE, notes.into())]
}

/// The meaning of a reason, a repair or a note, an example, and advice.
pub(in crate::cli) type Explanation = (&'static str, &'static str, &'static str);

pub(in crate::cli) fn of_reason(reason: Reason) -> Explanation {
    match reason {
        Reason::TooShortRegistrant => (
            "The registrant has fewer than four digits and no label such as doi: precedes it.",
            "10.12/x",
            "nothing, if it is a fraction; a DOI in a field or after doi: is accepted",
        ),
        Reason::TooLongRegistrant => (
            "The registrant has more digits than any that a registration agency has assigned.",
            "10.1234567890/x",
            "nothing",
        ),
        Reason::NoSeparator => (
            "No slash, plain or encoded, follows the registrant.",
            "10.1000 people",
            "nothing, if it is a number; otherwise look for a slash that is missing in the source",
        ),
        Reason::NoSuffix => (
            "No character that a DOI can contain follows the slash.",
            "10.1000/ and",
            "look for a line break after the slash in the source",
        ),
        Reason::ReservedSuffix => (
            "The suffix begins with one character and a slash, which Z39.84 (4.3) reserves. \
             Only with --strict.",
            "10.1000/a/b",
            "omit --strict to accept it",
        ),
        Reason::TooLong => (
            "The candidate is longer than --max-length, by default 2048 bytes.",
            "10.1000/ and 3,000 letters",
            "look for a delimiter that is missing in the source; if the DOI is real, raise --max-length",
        ),
        Reason::NonGraphic => (
            "A character that is not printable (Z39.84-2005, 4.1) follows the slash. In check, it \
             may be anywhere in the value.",
            "10.1000/ and a control character",
            "look for damage or another text encoding in the source",
        ),
        Reason::SeveralDois => (
            "The value is a list of DOIs, or of spellings of one DOI. Only in check, without --strict.",
            "10.1000/a;10.1000/b",
            "split the value; scan lists each of them",
        ),
        Reason::NotEidr => (
            "A DOI with an EIDR prefix that the registry would refuse: its check character or \
             shape is wrong, or it has no hyphens. Only with check --strict.",
            "10.5240/7791-8534-2C23-9030-8610-6",
            "compare it with its source",
        ),
        Reason::Unknown => (
            "No index of known DOIs has it, and no other end makes a known DOI. Only with \
             scan --unknown reject.",
            "10.1000/182",
            "doiscan check --known INDEX names the nearest known DOIs",
        ),
        Reason::LeftBoundary
        | Reason::VersionOrAddress
        | Reason::Date
        | Reason::InsideDoi
        | Reason::NestedDoi
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
        Reason::LeftBoundary => (
            "The candidate continues a word or a number.",
            "v10.1234/x",
            "nothing, if it is a version or a number; if it is a DOI, write a space or doi: before it",
        ),
        Reason::VersionOrAddress => (
            "Digits and a full stop precede it, as in a version or a network address.",
            "192.10.1234/24",
            "nothing",
        ),
        Reason::Date => ("A date, followed by a slash.", "17.10.2014/file", "nothing"),
        Reason::InsideDoi => (
            "Digits inside another DOI that are no DOI themselves.",
            "10.1016/j.cell.2020.10.003",
            "nothing",
        ),
        Reason::NestedDoi => (
            "The candidate has the form of a DOI and is inside the suffix of another, which is accepted: one DOI that \
             contains another, or two without a character between them.",
            "10.1000/abc.10.1000/182",
            "look for a delimiter that is missing in the source; the rejects name the place",
        ),
        Reason::VolumeYear => {
            ("The volume and year of a journal.", "Vol. 10.1930/31 and", "nothing")
        }
        Reason::ReferenceKey => (
            "The key of an entry in a reference list, derived from the DOI of the article.",
            "{\"key\":\"10.1000/xyz123-BIB7\"}",
            "nothing; the DOI of the article is found where it occurs",
        ),
        Reason::Licence => (
            "The DOI of a licence for text mining, not of a work.",
            "10.1002/tdm_license_1.1",
            "nothing",
        ),
        Reason::Pattern => {
            ("A pattern or a placeholder that stands for many DOIs.", "LIKE '10.1016/%'", "nothing")
        }
        Reason::Ellipsis => (
            "The DOI was shortened to an ellipsis, as in the text of a link.",
            "<a>10.1093/bioinformatics/b...</a>",
            "nothing; the address of the link usually contains the whole DOI, which is found there",
        ),
        Reason::Stem => (
            "The beginning of a DOI: a line end or the source cut off the rest.",
            "'10.1002/ache.'",
            "look for the rest in the source",
        ),
        _ => (
            "The input is damaged or cut at this place, so the end of the DOI is unknown.",
            "10.1000/ab at the end of a truncated archive",
            "fetch the input again; the message about it names the place",
        ),
    }
}

pub(in crate::cli) fn of_repair(kind: Repair) -> Explanation {
    match kind {
        Repair::ZeroWidth => (
            "A character without width, such as a soft hyphen, is removed.",
            "10.1000/abc\u{ad}182",
            "nothing; if one source has many of them, remove them there",
        ),
        Repair::Trailing => (
            "A full stop, comma or semicolon at the end of a field is removed.",
            "<doi>10.1000/182.</doi>",
            "nothing; doiscan check --invalid lists such values of a column",
        ),
        Repair::LineEnd => (
            "A line end, blank or tag within the DOI is removed if only the rest can follow (--join-lines).",
            "doi:10.1177/ and, on the next line, 0160017607301605",
            "nothing; --join-lines=never joins no lines",
        ),
        Repair::PublisherPath => (
            "The part of a publisher's URL or file name that follows the DOI is removed.",
            "10.1007/BF02727953/metrics",
            "nothing, unless the DOIs of a publisher end like this; --strict keeps the segments",
        ),
        Repair::Version => (
            "The version of a preprint after its DOI is removed.",
            "10.1101/656678v1.full",
            "nothing, unless you need each version; --strict keeps them",
        ),
        Repair::QuotedPrintable => (
            "A soft line break of quoted-printable text within the DOI is removed.",
            "10.1000/18= and, on the next line, 2",
            "nothing; the source is mail that was not decoded",
        ),
        Repair::LostHyphen => (
            "A hyphen or an underscore lost in the text of a PDF is restored from the form of the DOI.",
            "10.1111/j.14679787.1982.tb00744.x",
            "check the examples: the hyphen is inferred from the form of the DOI",
        ),
        Repair::Badge => (
            "The escapes of a badge are decoded, and its colour is removed.",
            "img.shields.io/badge/DOI-10.1000%2Fa--b-blue.svg",
            "nothing",
        ),
        Repair::Glued => (
            "The key of a reference, the label of a file, a year or a host after the DOI, or text after the check character of a SICI, is removed.",
            "10.1016/j.cell.2009.01.042_bib12",
            "nothing; --strict keeps them",
        ),
        Repair::Ocr => (
            "The full stop of a prefix that character recognition misread is corrected after doi: or a resolver's address.",
            "doi:10,1016/j.cell.2009.01.042",
            "check the examples: letters and digits that were misread in the same text are not corrected",
        ),
        Repair::Registry => (
            "The end of a DOI, a misread digit or the hyphens of an EIDR are corrected because an index has the result (--known).",
            "10.1016/j.cell.2009.01.042.In, if 10.1016/j.cell.2009.01.042 is known",
            "check the examples: a DOI that is newer than the index may have been cut",
        ),
        Repair::Compatibility => (
            "A dash (`10.1000/abc–182`), a full-width character, a ligature, a low line, a subscript (`{$_4$}` of TeX) or the comma of a SICI (`3.0.CO,2-4`) becomes the ASCII characters that it stands for.",
            "10.1016/S0140-6736（20）30183-5",
            "nothing; the source is text of a word processor, an East Asian keyboard or a PDF file, or of a program that replaces semicolons",
        ),
    }
}

fn of_note(note: Note) -> Explanation {
    match note {
        Note::ReservedSuffix => (
            "The suffix begins with one character and a slash, which Z39.84 (4.3) reserves.",
            "10.1000/a/b",
            "look it up at doi.org; with --strict it is invalid",
        ),
        Note::EidrCheck => (
            "An EIDR whose check character does not match its digits: one of them is wrong.",
            "10.5240/7791-8534-2C23-9030-8610-6",
            "compare it with its source",
        ),
        Note::ShortRegistrant => (
            "The registrant has two or three digits. Such registrants are rare.",
            "10.123/abc",
            "look it up at doi.org",
        ),
        Note::Repaired => (
            "The DOI in the row is the likely one; it differs from the value.",
            "10.1000/abc.",
            "take the DOI from the row; --strict repairs nothing",
        ),
        Note::PercentEncoded => (
            "Characters of the value were percent-encoded; the DOI in the row has them decoded.",
            "10.1000/456%23789",
            "nothing",
        ),
        Note::ShortDoi => (
            "The value is a shortDOI. Only its service knows the DOI that it stands for.",
            "https://doi.org/f77",
            "resolve it at shortdoi.org",
        ),
        Note::Licence => (
            "The DOI of a licence for text mining, not of a work.",
            "10.1002/tdm_license_1.1",
            "remove it if the list is of works",
        ),
        Note::Space => (
            "The suffix contains an encoded space. Z39.84 allows it, but no known DOI has one.",
            "10.1000/ab%20cd",
            "look it up at doi.org",
        ),
        Note::Query => (
            "A query after the DOI in a URL was dropped.",
            "https://doi.org/10.1000/182?locatt=mode:legacy",
            "nothing; write a question mark in a DOI as %3F; with --strict the value is invalid",
        ),
        Note::Fragment => (
            "A fragment after the DOI in a URL was dropped.",
            "https://doi.org/10.1000/182#abstract",
            "nothing; write a number sign in a DOI as %23; with --strict the value is invalid",
        ),
        Note::EidrShape => (
            "A DOI with an EIDR prefix that does not have the shape of an EIDR.",
            "10.5240/BLADE",
            "look it up at doi.org; with --strict it is invalid under 10.5240",
        ),
        Note::EidrHyphens => (
            "An EIDR without the hyphens that its registry requires; the DOI in the row has them.",
            "10.5240/779185342C23903086105",
            "take the DOI from the row; with --strict the value is invalid",
        ),
        Note::SeveralDois => (
            "The value contains several DOIs. The reason lists them; JSON lists them in dois.",
            "10.1000/a; 10.1000/b",
            "split the value",
        ),
        Note::Dash | Note::AddressTail | Note::Doubtful | Note::TestPrefix => of_doubt(note),
    }
}

/// Notes on a valid name that is probably another one, or one of no work.
fn of_doubt(note: Note) -> Explanation {
    match note {
        Note::Dash => (
            "The suffix contains a dash where nearly all DOIs have a hyphen, as word processors write it.",
            "10.1000/abc–182",
            "use the DOI of the verdict, which has hyphens, unless --strict is given",
        ),
        Note::TestPrefix => (
            "The prefix is for tests and examples: 10.5555 of Crossref, 10.5072 of DataCite.",
            "10.5555/12345678",
            "remove it if the list is of works",
        ),
        Note::Doubtful => (
            "scan rejects such a cell: a pattern, a cut DOI, or the volume and the years of a journal. Or the DOI is an ISSN, a year and a number alone.",
            "10.1930/31",
            "look for the rest in the source",
        ),
        _ => (
            "The suffix ends like the query, the fragment or the last segment of a URL.",
            "10.1000/182?utm_source=x",
            "look it up at doi.org without the end; --known names the DOI without it",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use doiscan_core::judge::Judge;
    use doiscan_core::scan::{Match, Notation, Options, Repairs, Scanner, Sink};

    #[derive(Default)]
    struct RejectedExample(Vec<Reason>, Repairs);

    impl Sink for RejectedExample {
        fn accept(&mut self, found: &Match<'_>) {
            self.1 |= found.repairs;
        }

        fn reject(&mut self, _: usize, reason: Reason) {
            self.0.push(reason);
        }
    }

    fn answers(text: &[u8], strict: bool) -> RejectedExample {
        let mut sink = RejectedExample::default();
        let mut scanner = Scanner::new(Options::default().with_strict(strict));
        scanner.scan(text, 0..text.len(), Notation::Unknown, &mut sink);
        sink
    }

    #[test]
    fn every_repair_is_explained_by_an_example_of_it_and_strict_leaves_it() {
        // An index corrects: see tests/integration/known.rs.
        for kind in Repair::ALL.into_iter().filter(|kind| *kind != Repair::Registry) {
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
            let mut text = of_reason(reason).1.as_bytes().to_vec();
            match reason {
                Reason::TooLong => text = [&b"10.1000/"[..], &[b'a'; 3000]].concat(),
                // Only a reader detects faults: see tests/integration/faults.rs.
                Reason::CutByFault => continue,
                // Only an index knows: see tests/integration/known.rs.
                Reason::Unknown => continue,
                Reason::NotEidr | Reason::SeveralDois => {
                    let judged = Judge::new(reason == Reason::NotEidr)
                        .judge(&text)
                        .reason
                        .map(|wrong| wrong.reason);
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
        assert!(
            Reason::ALL
                .iter()
                .all(|r| page.contains(&format!("\n{r}\n    ")) == r.is_of_candidate())
        );
    }

    #[test]
    fn every_note_is_explained_by_an_example_of_it() {
        for note in Note::ALL {
            let example = of_note(note).1;
            let notes = Judge::new(false).judge(example.as_bytes()).notes;
            assert!(notes.contains(note), "{}: {example}", note.name());
        }
        let page = text();
        assert!(Note::ALL.iter().all(|n| page.contains(&format!("\n{}\n    ", n.name()))));
    }
}
