//! Cuts text that publishers and interfaces add to a name in their addresses: page segments,
//! preprint versions, article numbers.
//!
//! None of 580,860 names from parsed fields contains text that is cut here.

use super::{Repair, registrant};
use crate::doi::holds;

const BIORXIV: u64 = registrant::of(b"10.1101/");
const OPEN_RXIV: u64 = registrant::of(b"10.64898");
const OXFORD: u64 = registrant::of(b"10.1093/");
const FRONTIERS: u64 = registrant::of(b"10.3389/");
const WILEY: u64 = registrant::of(b"10.1111/");

/// Path segments below the page of a name. Cut with everything after them, in running text and in
/// fields.
const SUBPAGES: [&[u8]; 17] = [
    b"TRANSFORM",
    b"MEDIAOBJECTS",
    b"ASSET",
    b"FIGURES",
    b"TABLES",
    b"FULLPDF",
    b"EPUBPDF",
    b"METRICS",
    b"LOOKINSIDE",
    b"VERSIONS",
    b"STATUS",
    b"TAB-PDF",
    b"TAB-FIGURES-DATA",
    b"SUPPLEMENTAL",
    b"CITATION",
    b"CITATIONS",
    b"RELATED",
];

/// Path segments that pages of 10.3389 and 10.1111 add to the name even in fields. None of their 13,903
/// and 26,849 names ends in one.
const PAGES_IN_FIELDS: [&[u8]; 6] = [b"/FULL", b"/ABSTRACT", b"/PDF", b"/EPDF", b"/EPUB", b"/XML"];

/// Returns the length of the folded `name` without the publisher's addition, and the kind of
/// repair. The suffix begins at `start`. `is_whole` says that the name fills a field.
#[inline]
pub(super) fn cut(name: &[u8], start: usize, is_whole: bool) -> Option<(usize, Repair)> {
    match registrant::head(name) {
        BIORXIV | OPEN_RXIV => version(name).map(|len| (len, Repair::Version)),
        OXFORD => article_number(name).map(|len| (len, Repair::PublisherPath)),
        FRONTIERS | WILEY if is_whole => page(name).map(|len| (len, Repair::PublisherPath)),
        _ => None,
    }
    .or_else(|| {
        let at = holds(&name[start..], b'/').then(|| path(&name[start..]))??;
        Some((start + at, Repair::PublisherPath))
    })
}

/// Returns the length of the name of a preprint without its version: `10.1101/656678V1`. None of
/// 1,678 names of bioRxiv and medRxiv ends like this. The address of a version is the name followed
/// by the version, such as `v1`.
fn version(name: &[u8]) -> Option<usize> {
    let suffix = name.strip_prefix(b"10.1101/").or_else(|| name.strip_prefix(b"10.64898/"))?;
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let number = suffix[..suffix.len() - digits].strip_suffix(b"V")?;
    let is_number = number.len() >= 6 && number.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    ((1..=2).contains(&digits) && is_number).then(|| name.len() - digits - 1)
}

/// Returns the length of a name of Oxford University Press without the number and the title that
/// its pages add: `10.1093/BIOINFORMATICS/BTZ162/5372677`. None of 23,551 names has such a number.
fn article_number(name: &[u8]) -> Option<usize> {
    let suffix = name.strip_prefix(b"10.1093/")?;
    let mut segments = suffix.splitn(4, |&b| b == b'/');
    let journal = segments.next().filter(|journal| journal.iter().all(u8::is_ascii_alphabetic))?;
    let article = segments.next().filter(|article| !article.is_empty())?;
    let number = segments.next()?;
    let is_number = (5..=9).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    is_number.then(|| b"10.1093/".len() + journal.len() + 1 + article.len())
}

/// Returns the length of a name that fills a field without a page segment: `10.3389/X/FULL`.
fn page(name: &[u8]) -> Option<usize> {
    let page = PAGES_IN_FIELDS.iter().find(|page| name.ends_with(page))?;
    Some(name.len() - page.len())
}

/// Returns where the first of [`SUBPAGES`] begins in `suffix`, including its slash.
fn path(suffix: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'/', suffix).filter(|&at| at > 0).find(|&at| {
        let rest = &suffix[at + 1..];
        let len = rest.iter().take_while(|&&b| b != b'/').count();
        SUBPAGES.contains(&&rest[..len])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_publishers_add() {
        for (name, is_whole, expected) in [
            ("10.1101/656678V1", false, "10.1101/656678"),
            ("10.1101/2020.02.02.931238V12", true, "10.1101/2020.02.02.931238"),
            ("10.1101/GR.1V1", false, ""),
            ("10.1101/656678", false, ""),
            ("10.1093/BIOINFORMATICS/BTZ162/5372677", false, "10.1093/BIOINFORMATICS/BTZ162"),
            ("10.1093/A/B/5372677/A-TITLE", true, "10.1093/A/B"),
            ("10.1093/ACPROF:OSO/9780198507789.001.0001", false, ""),
            ("10.1093/A/B/53-1", false, ""),
            ("10.1000/A/B/5372677", false, ""),
            ("10.3389/FIMMU.2019.01787/FULL", true, "10.3389/FIMMU.2019.01787"),
            ("10.1000/182/FULL", true, ""),
            ("10.1155/2012/2/TRANSFORM/APPLICATION/X+XML", false, "10.1155/2012/2"),
            ("10.1007/BF02727953/METRICS", false, "10.1007/BF02727953"),
            ("10.1007/S1/MEDIAOBJECTS/1.GIF", false, "10.1007/S1"),
            ("10.1007/MEDIAOBJECTS/1.GIF", false, ""),
            ("10.1007/S1/METRICS2", false, ""),
        ] {
            let found = cut(name.as_bytes(), 1 + name.find('/').unwrap(), is_whole);
            assert_eq!(found.map_or("", |(len, _)| &name[..len]), expected, "{name}");
        }
    }

    /// The oracle uses the same tables, so only these lists check their entries.
    #[test]
    fn every_tail_of_a_page() {
        let subpages = "TRANSFORM MEDIAOBJECTS ASSET FIGURES TABLES FULLPDF EPUBPDF METRICS LOOKINSIDE \
                        VERSIONS STATUS TAB-PDF TAB-FIGURES-DATA SUPPLEMENTAL CITATION CITATIONS \
                        RELATED";
        for subpage in subpages.split_whitespace() {
            for (rest, is_whole) in [("", false), ("/1", false), ("", true), ("/1", true)] {
                let name = format!("10.1000/182/{subpage}{rest}");
                assert_eq!(
                    cut(name.as_bytes(), 8, is_whole),
                    Some((11, Repair::PublisherPath)),
                    "{name}"
                );
            }
        }
        for page in ["FULL", "ABSTRACT", "PDF", "EPDF", "EPUB", "XML"] {
            for registrant in ["10.3389", "10.1111"] {
                let name = format!("{registrant}/182/{page}");
                assert_eq!(
                    cut(name.as_bytes(), 8, true),
                    Some((11, Repair::PublisherPath)),
                    "{name}"
                );
                assert_eq!(cut(name.as_bytes(), 8, false), None, "{name}");
            }
        }
        let entries = subpages.split_whitespace().count();
        assert_eq!(
            (SUBPAGES.len(), PAGES_IN_FIELDS.len()),
            (entries, 6),
            "an entry has no example"
        );
    }
}
