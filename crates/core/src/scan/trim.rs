//! Trims text that does not belong to a name from its end.

use super::class::is_closing_punctuation;
use super::{Repair, Repairs, publisher};
use crate::doi::{holds, is_space};
use memchr::memmem;

/// Prefixes whose names end in a check symbol: `*`, `~`, `$`, `=` or a letter.
const WITH_CHECK_SYMBOL: [&[u8]; 2] = [b"10.5438/", b"10.18730/"];

/// Path segments that end the addresses of publishers' pages. They are cut from names in running text
/// and from single values, not from names that fill a field. None of 999 sampled names ends in one.
pub(super) const LAST_SEGMENTS: [&[u8]; 20] = [
    b"FULL",
    b"ABSTRACT",
    b"ABS",
    b"PDF",
    b"EPDF",
    b"EPUB",
    b"PDFDIRECT",
    b"PDFPLUS",
    b"FULLTEXT",
    b"FULL-TEXT",
    b"META",
    b"SUMMARY",
    b"SHORT",
    b"HTML",
    b"REFERENCES",
    b"FIGURES",
    b"ISSUETOC",
    b"SUPPINFO",
    b"CITEDBY",
    b"DCSUPPLEMENTAL",
];

/// Supplements on HighWire's pages.
const SUPPLEMENTS: &[u8] = b"/-/DCSUPPLEMENTAL";

/// Resolvers, and parts of the paths of publishers' pages. No name contains one. They are cut with
/// everything after them, from names in running text and from single values.
pub(super) const PAGE_PATHS: [&[u8]; 10] = [
    b"DX.DOI.ORG/",
    b"WWW.DOI.ORG/",
    b"DOI.ORG/",
    b"/SUPPL_FILE/",
    b"/ASSET/",
    b"/CITE/",
    SUPPLEMENTS,
    b"/ISSUETOC",
    b"/TYPE/JOURNAL_ARTICLE",
    b"/TYPE/BOOK",
];

/// File extensions, and HighWire's names of views. `.abstract` is not listed, because registered
/// names end in it.
pub(super) const FILE_SUFFIXES: [&[u8]; 15] = [
    b"PDF",
    b"PDF+HTML",
    b"HTM",
    b"HTML",
    b"XML",
    b"EPUB",
    b"FULL",
    b"FULL-TEXT",
    b"LONG",
    b"SHORT",
    b"SUPPLEMENTARY-MATERIAL",
    b"ARTICLE-INFO",
    b"JPG",
    b"PNG",
    b"SVG",
];

/// Words glued to the end of a name.
pub(super) const GLUED_WORDS: [&[u8]; 9] = [
    b"PMID",
    b"PMCID",
    b"ACCESSED",
    b"[DOI]",
    b"(DOI)",
    b"CROSSREF",
    b"PUBMED",
    b"GOOGLE",
    b"MEDLINE",
];

/// Trims a name found in running text. Its suffix begins at `start`. Returns the kinds of publisher
/// additions that were cut; strict mode cuts none.
pub(super) fn running(name: &mut Vec<u8>, start: usize, is_strict: bool) -> Repairs {
    let mut repairs = Repairs::default();
    if holds(&name[start..], b'/')
        && let Some(at) = PAGE_PATHS.iter().filter_map(|s| memmem::find(&name[start..], s)).min()
    {
        name.truncate(start + at);
    }
    let has_check_symbol = WITH_CHECK_SYMBOL.iter().any(|prefix| name.starts_with(prefix));
    loop {
        let len = name.len();
        punctuation(name, start, has_check_symbol);
        pages(name, start);
        if name.len() < len {
            continue;
        }
        match publisher::cut(name, start, false) {
            Some((len, kind)) if !is_strict => {
                name.truncate(len);
                repairs.insert(kind);
            }
            _ => return repairs,
        }
    }
}

/// Trims dirt from the end of a field. 948 fields end in a full stop, comma or semicolon that
/// belongs to no name. None of 579,865 names ends in a slash or an unmatched closing bracket.
/// Before `floor`, the end of the percent-encoded part, these characters are part of the name. A
/// publisher's address in a field is cut too. Returns the kinds of repairs. Strict mode trims only
/// spaces.
pub(super) fn whole(name: &mut Vec<u8>, start: usize, floor: usize, is_strict: bool) -> Repairs {
    let mut repairs = Repairs::default();
    loop {
        spaces(name, start);
        if is_strict {
            return repairs;
        }
        // Nearly every name has another ending.
        let is_dirty = |byte: &u8| matches!(byte, b'.' | b',' | b';' | b'/' | b')' | b']' | b'}');
        let floor = floor.clamp(start, name.len());
        if name[floor..].last().is_some_and(is_dirty)
            && Dirt::of(&name[start..]).strip(name, floor, b".,;/")
        {
            repairs.insert(Repair::Trailing);
        }
        let Some((len, kind)) = publisher::cut(name, start, true) else { return repairs };
        name.truncate(len);
        repairs.insert(kind);
    }
}

/// Trims the end of a value that should be a name: full stops, commas, semicolons, unmatched
/// closing brackets, last segments of publishers' pages, and supplements and session IDs with
/// everything after them.
pub(super) fn value(name: &mut Vec<u8>, start: usize) {
    for tail in [b";JSESSIONID", SUPPLEMENTS] {
        if let Some(at) = memmem::find(&name[start..], tail).filter(|&at| at > 0) {
            name.truncate(start + at);
        }
    }
    let mut dirt = Dirt::of(&name[start..]);
    while dirt.strip(name, start, b".,;") || page(name, start) {}
}

/// The unmatched closing brackets of a suffix, counted once so that trimming is linear.
struct Dirt {
    /// Each closing bracket, and by how many it outnumbers its partner.
    excess: [(u8, usize); 3],
}

impl Dirt {
    fn of(suffix: &[u8]) -> Dirt {
        let excess = [(b'(', b')'), (b'[', b']'), (b'{', b'}')].map(|(open, close)| {
            let count = |bracket| suffix.iter().filter(|&&b| b == bracket).count();
            (close, count(close).saturating_sub(count(open)))
        });
        Dirt { excess }
    }

    /// Trims `marks`, unmatched closing brackets, and a quote before one of them: `10.1000/a');` is
    /// a piece of a program. Returns whether there were any.
    fn strip(&mut self, name: &mut Vec<u8>, start: usize, marks: &[u8]) -> bool {
        let len = name.len();
        while let Some(&last) = name[start..].last() {
            let unbalanced = self.excess.iter_mut().find(|(close, n)| *close == last && *n > 0);
            match unbalanced {
                Some((_, excess)) => *excess -= 1,
                None if marks.contains(&last) => {}
                None if last == b'\'' && name.len() < len => {}
                None => break,
            }
            name.pop();
        }
        name.len() < len
    }
}

fn punctuation(name: &mut Vec<u8>, start: usize, has_check_symbol: bool) {
    while let Some(&last) = name[start..].last() {
        let len = match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'"' | b'/' | b'&' | b'^' | b'@' => 1,
            b'*' | b'~' | b'$' | b'=' if !has_check_symbol => 1,
            b' ' => 1,
            0x80.. => closing_character(&name[start..]),
            _ => 0,
        };
        if len == 0 {
            return;
        }
        name.truncate(name.len() - len);
    }
}

/// Returns the length of the non-ASCII punctuation character or space at the end of `suffix`, or 0.
fn closing_character(suffix: &[u8]) -> usize {
    let is_closing = |&c: &char| is_closing_punctuation(c) || is_space(c);
    last_character(suffix).filter(is_closing).map_or(0, char::len_utf8)
}

/// Trims encoded spaces. A name contains spaces (`%20`) but does not end in one: what followed
/// the space did not belong to the name.
fn spaces(name: &mut Vec<u8>, start: usize) {
    while name[start..].last().is_some_and(|&b| b == b' ' || b >= 0x80)
        && let Some(space) = last_character(&name[start..]).filter(|&c| is_space(c))
    {
        name.truncate(name.len() - space.len_utf8());
    }
}

fn last_character(suffix: &[u8]) -> Option<char> {
    let begin = suffix.iter().rposition(|b| b & 0xc0 != 0x80)?;
    str::from_utf8(&suffix[begin..]).ok()?.chars().next()
}

/// Returns the length of a PubMed Central identifier glued to the end of `suffix`: `PMC1234567`.
pub(super) fn pubmed_central(suffix: &[u8]) -> usize {
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let is_glued = digits >= 5 && suffix[..suffix.len() - digits].ends_with(b"PMC");
    // The suffix may consist of it: `10.1000/PMC1234567`.
    if is_glued && suffix.len() > digits + 3 { digits + 3 } else { 0 }
}

/// Trims the last segment if it is one of [`LAST_SEGMENTS`]. Returns whether it was.
fn page(name: &mut Vec<u8>, start: usize) -> bool {
    let suffix = &name[start..];
    let segment = suffix.iter().rposition(|&b| b == b'/');
    let page = segment.filter(|&at| at > 0 && LAST_SEGMENTS.contains(&&suffix[at + 1..]));
    if let Some(at) = page {
        name.truncate(start + at);
    }
    page.is_some()
}

/// Trims a glued word or identifier, or a last segment or file extension of a page.
fn pages(name: &mut Vec<u8>, start: usize) {
    let suffix = &name[start..];
    let central = pubmed_central(suffix);
    if central > 0 {
        return name.truncate(name.len() - central);
    }
    if !suffix.last().is_some_and(|b| b.is_ascii_uppercase() || *b == b')' || *b == b']') {
        return;
    }
    if let Some(word) = GLUED_WORDS.iter().find(|word| suffix.ends_with(word)) {
        return name.truncate(name.len() - word.len());
    }
    let Some(at) = suffix.iter().rposition(|&b| b == b'/' || b == b'.') else { return };
    let known: &[&[u8]] = if suffix[at] == b'/' { &LAST_SEGMENTS } else { &FILE_SUFFIXES };
    // `10.1107/S1600536807045333/LW2031SUP0.HTML`: the IUCr registers supplements like this.
    let is_supplement = name.starts_with(b"10.1107/") && suffix[at] == b'.';
    if known.contains(&&suffix[at + 1..]) && !is_supplement {
        name.truncate(start + at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text() {
        for (name, expected) in [
            ("10.1000/182.", "10.1000/182"),
            ("10.1000/182...", "10.1000/182"),
            ("10.1111/BRV.12289/FULL", "10.1111/BRV.12289"),
            ("10.1111/BRV.12289/PDF/", "10.1111/BRV.12289"),
            ("10.1073/PNAS.1418604112/-/DCSUPPLEMENTAL", "10.1073/PNAS.1418604112"),
            ("10.1021/JA1/SUPPL_FILE/JA1_SI_001.PDF", "10.1021/JA1"),
            ("10.1007/978-94-007-4933-7.PDF", "10.1007/978-94-007-4933-7"),
            (
                "10.1107/S1600536807045333/LW2031SUP0.HTML",
                "10.1107/S1600536807045333/LW2031SUP0.HTML",
            ),
            ("10.1371/JOURNAL.PONE.0035968.PMID", "10.1371/JOURNAL.PONE.0035968"),
            ("10.4028/AMR.429*", "10.4028/AMR.429"),
            ("10.18730/NVXJ*", "10.18730/NVXJ*"),
            ("10.1016/J.CELL.2009.01.042CROSSREFPUBMEDGOOGLE", "10.1016/J.CELL.2009.01.042"),
            ("10.1016/J.CELL.2009.01.042PMC123456", "10.1016/J.CELL.2009.01.042"),
            ("10.1101/130617V1.FULL.PDF+HTML", "10.1101/130617"),
            ("10.1021/BC030018+", "10.1021/BC030018+"),
            ("10.1000/182•…", "10.1000/182"),
            ("10.1000/É", "10.1000/É"),
            ("10.1000/...", "10.1000/"),
            ("10.1000/FULL", "10.1000/FULL"),
        ] {
            let mut bytes = name.as_bytes().to_vec();
            running(&mut bytes, 1 + name.find('/').unwrap(), false);
            assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{name}");
        }
    }

    /// The oracle uses the same tables, so only this list checks their entries.
    #[test]
    fn every_tail_of_a_page() {
        let segments = "FULL ABSTRACT ABS PDF EPDF EPUB PDFDIRECT PDFPLUS FULLTEXT FULL-TEXT META \
                        SUMMARY SHORT HTML REFERENCES FIGURES ISSUETOC SUPPINFO CITEDBY \
                        DCSUPPLEMENTAL SUPPL_FILE/1 ASSET/1 CITE/1 -/DCSUPPLEMENTAL/1 ISSUETOC/1 \
                        TYPE/JOURNAL_ARTICLE TYPE/BOOK DX.DOI.ORG/1 WWW.DOI.ORG/1 DOI.ORG/1";
        let files = "PDF PDF+HTML HTM HTML XML EPUB FULL FULL-TEXT LONG SHORT \
                     SUPPLEMENTARY-MATERIAL ARTICLE-INFO JPG PNG SVG";
        let words = "PMID PMCID ACCESSED [DOI] (DOI) CROSSREF PUBMED GOOGLE MEDLINE";
        let entries = LAST_SEGMENTS.len() + PAGE_PATHS.len();
        assert_eq!(segments.split_whitespace().count(), entries, "an entry has no example");
        assert_eq!(
            files.split_whitespace().count(),
            FILE_SUFFIXES.len(),
            "an entry has no example"
        );
        assert_eq!(words.split_whitespace().count(), GLUED_WORDS.len(), "an entry has no example");
        for (mark, tails) in [("/", segments), (".", files), ("", words)] {
            for tail in tails.split_whitespace() {
                let mut name = format!("10.1000/182{mark}{tail}").into_bytes();
                running(&mut name, 8, false);
                assert_eq!(String::from_utf8(name).unwrap(), "10.1000/182", "{tail}");
            }
        }
    }

    #[test]
    fn no_field_ends_in_a_space() {
        for space in ('\0'..'\u{10000}').filter(|&c| is_space(c)) {
            let mut name = format!("10.1000/182{space}{space}").into_bytes();
            assert!(whole(&mut name, 8, 8, true).is_empty());
            assert_eq!(name, b"10.1000/182", "{space:?}");
        }
    }

    #[test]
    fn whole_values() {
        for (name, expected) in [
            ("10.1021/JA043356+", "10.1021/JA043356+"),
            ("10.5438/GY4A-STW*", "10.5438/GY4A-STW*"),
            ("10.1000/182.,", "10.1000/182"),
            ("10.1000/182),", "10.1000/182"),
            ("10.1000/A(1)/", "10.1000/A(1)"),
            ("10.1111/X/FULL", "10.1111/X"),
            ("10.1002/X/FULL", "10.1002/X/FULL"),
        ] {
            let mut bytes = name.as_bytes().to_vec();
            let trimmed = whole(&mut bytes, 8, 8, false);
            assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{name}");
            assert_eq!(!trimmed.is_empty(), name != expected);
        }
    }
}
