//! Cuts tails: what pages, reference lists and interfaces put after a name. What a registered name ends in tells the
//! model of names; the rest is said in general, and the words and extensions are in [`rules`](super::rules).

use super::around::has_digit;
use super::learned::SURE;
use super::registrant::registrant;
use super::rules::FILES;
use super::{Repair, marker, sici};
use crate::names::{LONGEST, Model, Place as Known, is_page};

/// Where a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// In running text, after these bytes.
    Running(&'a [u8]),
    /// It fills a field, or is a single value.
    Field,
}

/// Whether [`cut`] may cut the folded `name`, which fills a field. `has_slash` says that its suffix
/// has a slash.
#[inline]
pub(super) fn may_cut(name: &[u8], has_slash: bool) -> bool {
    // Paths follow a slash.
    has_slash
        || match name {
            [.., b'V', b'0'..=b'9'] | [.., b'V', _, b'0'..=b'9'] => true,
            // So do all extensions and hosts end.
            [.., a, b] => a.is_ascii_uppercase() && b.is_ascii_uppercase(),
            _ => false,
        }
}

/// Returns the length of the folded `name` without its tail, and the kind of repair. The suffix
/// begins at `start`.
#[inline]
pub(super) fn cut(
    name: &[u8],
    start: usize,
    place: Place<'_>,
    model: Option<&Model>,
) -> Option<(usize, Repair)> {
    let suffix = &name[start..];
    let tail = Tail { registrant: registrant(name, start), suffix, place, model };
    let glued = || Some((tail.glued()?, Repair::Glued));
    let version = || Some((tail.version()?, Repair::Version));
    let page = || tail.file().or_else(|| tail.path()).or_else(|| session(suffix));
    let page = || Some((page()?, Repair::PublisherPath));
    let check = || Some((sici::after_check(suffix)?, Repair::Glued));
    let (len, repair) = glued().or_else(version).or_else(page).or_else(check)?;
    Some((start + len, repair))
}

/// A suffix whose tail is looked for.
struct Tail<'a> {
    registrant: &'a [u8],
    suffix: &'a [u8],
    place: Place<'a>,
    model: Option<&'a Model>,
}

impl Tail<'_> {
    /// What the registrant's DOIs tell after the first `len` bytes of the suffix. A number may have one digit more than theirs.
    fn known(&self, len: usize) -> Known {
        let suffix = &self.suffix[..len.min(LONGEST)];
        self.model.map_or(Known::default(), |model| model.grown(self.registrant, suffix))
    }

    /// Whether a name may end after `at` bytes of the suffix, before a tail: no DOI of the registrant ends like the whole
    /// suffix.
    fn may_end(&self, at: usize) -> bool {
        self.may_end_before(at, self.known(self.suffix.len()).ending, SURE)
    }

    /// Whether a name may end after `at` bytes of the suffix, if this many DOIs of the registrant are `longer` and none is
    /// known with the word there. In a field, at `least` this many must end there, and most that come there.
    fn may_end_before(&self, at: usize, longer: f32, least: f32) -> bool {
        let front = self.known(at);
        let has_word = |model: &Model| model.has_word(self.registrant, &self.suffix[at..]);
        let is_most = || front.ending > 0.2 * front.passing && front.lost <= 0.02 * front.passing;
        longer == 0.0
            && (self.is_in_path() || !self.model.is_some_and(has_word))
            && (self.place != Place::Field || front.ending >= least && is_most())
    }

    /// Whether the name is in the path of an address of a page.
    fn is_in_path(&self) -> bool {
        matches!(self.place, Place::Running(before) if marker::is_in_path(before))
    }

    /// Returns the length of the suffix without a host that is glued to it and, in running text, without the key of a
    /// reference or the label of a file, where DOIs are known to end, or the year of its reference: `182_BIB12`,
    /// `182-SUPPLEMENT`, `182(2019)`.
    fn glued(&self) -> Option<usize> {
        let part = || before_part(self.suffix).filter(|at| self.known(*at).ending >= FEW);
        let at = || part().or_else(|| before_year(self.suffix)).filter(|at| self.may_end(*at));
        host(self.suffix).or_else(|| if self.place == Place::Field { None } else { at() })
    }

    /// Returns the length of the suffix without the version of its page: `656678V1`.
    fn version(&self) -> Option<usize> {
        let count = |text: &[u8]| text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        // Pages have views of it: `656678V1.FULL-TEXT`.
        let end = self.suffix.iter().rposition(u8::is_ascii_digit)? + 1;
        let (read, view) = self.suffix.split_at(end);
        let number = count(read);
        let front = read[..end - number].strip_suffix(b"V")?;
        let digits = count(front);
        let at = front.strip_suffix(b".").unwrap_or(front).len();
        // A registrant's latest numbers may be new.
        let is_new = || self.known(0).passing > 0.0 || self.is_in_path();
        let is_known = self.known(at).ending >= FEW;
        let is_version = match digits >= LONG {
            true => is_known || is_new(),
            false => is_known && self.place != Place::Field,
        };
        let is_view = view.is_empty() || view.starts_with(b".");
        (is_view && number <= 2 && is_version && self.may_end(at)).then_some(at)
    }

    /// Returns the length of the suffix without the extension of a file or the view of a page: `182.PDF`.
    fn file(&self) -> Option<usize> {
        let at = memchr::memrchr(b'.', self.suffix).filter(|at| *at > 0)?;
        if !FILES.holds(&self.suffix[at..]) || !self.may_end(at) {
            return None;
        }
        // A word alone is the name of a file: `182.5/DATA.ZIP`.
        let letters =
            self.suffix[..at].iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
        let front = self.suffix[..at - letters].strip_suffix(b"/").unwrap_or_default();
        Some(if letters >= WORD && count_digits(front) > 1 { front.len() } else { at })
    }

    /// Returns the length of the suffix before the path of a page, which begins with a word: `182/FULL`, `182/-/DC1`. In the
    /// path of an address, it may be anything after a name that is known.
    fn path(&self) -> Option<usize> {
        let is_path = |at: &usize| {
            let path = &self.suffix[at + 1..];
            let segment = path.split(|b| *b == b'/').next().unwrap_or_default();
            let letters = path.iter().take_while(|b| b.is_ascii_alphabetic()).count();
            let has_digits = || count_digits(&self.suffix[..*at]) > 1;
            let is_known = |least| self.known(*at).ending >= least;
            let may_end = |tail| self.may_end_before(*at, self.known(at + tail).passing, SURE);
            // A page of a book has its number again: `9780262016056.001.0001/UPSO-9780262016056`.
            let number = segment.get(letters + 1..).filter(|number| number.len() > LONG);
            let is_again = number
                .is_some_and(|number| memchr::memmem::find(&self.suffix[..*at], number).is_some());
            // Places of advertisements and users have an `@`.
            let is_mark = path.starts_with(b"-/") || segment.contains(&b'@') || is_again;
            if is_mark || letters >= WORD {
                let is_page = is_page(&path[..letters]);
                // A word of a page is of a DOI only if the registrant's DOIs have it.
                let may_end = || match is_page {
                    true => self.may_end_before(*at, 0.0, FEW),
                    false => may_end(1 + if is_mark { 1 } else { letters }),
                };
                let is_page = || is_mark || is_page || self.is_in_path();
                // Volumes and pages follow the name of a journal: `AGRIAMBI.V25N4P270-276`.
                let is_word = || is_known(1.0) && count_digits(&segment[letters..]) < LONG;
                return (is_mark || !is_numbered(&path[letters..]))
                    && (is_page() || is_word())
                    && (is_known(1.0) || has_digits())
                    && may_end();
            }
            // A number as databases of pages have it. Alone, it may be of a DOI of a registrant that is not known.
            let is_number = segment.len() >= LONG && segment.iter().all(u8::is_ascii_digit);
            let is_page = || path.len() > segment.len() || self.known(0).passing > 0.0;
            match is_number {
                true if is_known(SURE) => may_end(1),
                true => self.is_in_path() && is_page() && has_digits() && may_end(1),
                false => self.is_in_path() && is_known(1.0) && may_end(1),
            }
        };
        let slashes = memchr::memchr_iter(b'/', self.suffix).take_while(|at| *at < LONGEST);
        { slashes }.find(|at| *at > 0 && is_path(at))
    }
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().filter(|b| b.is_ascii_digit()).count()
}

/// Whether [`cut`] may cut the folded `name` of running text that ends in a letter or a digit or a bracket.
#[inline]
pub(super) fn may_cut_running(name: &[u8], start: usize, has_slash: bool) -> bool {
    may_cut(name, has_slash) || name.ends_with(b")") || before_part(&name[start..]).is_some()
}

/// Returns where the key of a reference or the label of a file at the end of `suffix` begins: `_BIB12`, `-SUPPLEMENT`.
fn before_part(suffix: &[u8]) -> Option<usize> {
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let front = &suffix[..suffix.len() - digits];
    let letters = front.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    let at = front.len().checked_sub(letters + 1).filter(|at| *at > 0)?;
    let is_part = match front[at] {
        b'_' => digits > 0 && (2..=4).contains(&letters),
        b'-' => digits == 0 && letters > WORD,
        _ => false,
    };
    is_part.then_some(at)
}

/// Returns where the year in brackets at the end of `suffix` begins: `(2019)`.
fn before_year(suffix: &[u8]) -> Option<usize> {
    let (front, year) = suffix.split_last_chunk::<6>()?;
    let is_year =
        matches!(year, [b'(', b'1' | b'2', b'0' | b'9', _, last, b')'] if last.is_ascii_digit());
    (is_year && front.last()?.is_ascii_alphanumeric()).then_some(front.len())
}

/// The last parts of hosts.
const TOP_LEVELS: [&[u8]; 4] = [b".COM", b".ORG", b".NET", b".EDU"];

/// Returns the length of `suffix` before a host that is glued to it, with the path after it: `10.1000/182WWW.EXAMPLE.ORG`,
/// `10.1177/0022034510388516JDR.SAGEPUB.COM/HOME`. A name may begin with one: `10.4028/WWW.SCIENTIFIC.NET/AMR.429`.
fn host(suffix: &[u8]) -> Option<usize> {
    let mut ends = memchr::memchr_iter(b'/', suffix).chain([suffix.len()]);
    ends.find_map(|end| {
        let front = TOP_LEVELS.iter().find_map(|top| suffix[..end].strip_suffix(*top))?;
        let is_part = |b: &&u8| b.is_ascii_alphabetic() || **b == b'.';
        let host = front.iter().rev().take_while(is_part).count();
        let at = front.len() - host;
        let is_glued = host >= WORD && at > 0 && suffix[at - 1].is_ascii_digit();
        (is_glued && suffix[at] != b'.').then_some(at)
    })
}

/// The fewest DOIs that tell where others end.
const FEW: f32 = 3.0;

/// The fewest digits of a number before a version, and in the path of a page.
const LONG: usize = 5;

/// The fewest letters of a word.
const WORD: usize = 3;

/// Whether `rest`, after a word, begins with a number, as in the names of chapters: `OXFORDHB-9780199552238-E-023`.
fn is_numbered(rest: &[u8]) -> bool {
    rest.strip_prefix(b"-").unwrap_or(rest).first().is_some_and(u8::is_ascii_digit)
}

/// Returns the length of `suffix` before the session of a Java servlet, which its address has after a semicolon.
fn session(suffix: &[u8]) -> Option<usize> {
    memchr::memchr(b';', suffix).filter(|at| suffix[*at..].starts_with(b";JSESSIONID"))
}

/// Whether the last segment of `name` is a word, as in the address of a page.
pub(crate) fn ends_in_page(name: &[u8], start: usize) -> bool {
    let suffix = &name[start..];
    let at = memchr::memrchr(b'/', suffix).filter(|at| has_digit(&suffix[..*at]));
    at.is_some_and(|at| {
        let word = &suffix[at + 1..];
        word.len() >= WORD && word.iter().all(u8::is_ascii_alphabetic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    /// The length without the tail in running text and in a field, with the built-in model.
    fn both(name: &str) -> [Option<usize>; 2] {
        let model = names::built_in().ok();
        [Place::Running(b"see "), Place::Field].map(|place| {
            let start = 1 + name.find('/').unwrap();
            cut(name.as_bytes(), start, place, model.as_deref()).map(|(len, _)| len)
        })
    }

    #[test]
    fn pages_of_known_and_unknown_names() {
        for (name, tail) in [
            ("10.1111/BRV.12289", "/FULL"),
            ("10.3389/FIMMU.2019.01787", "/FULL"),
            ("10.1021/JF803188D", "/ASSET/IMAGES/LARGE/JF803188D_0001.JPEG"),
            ("10.1186/1471-2105-9-367", "/TABLES/1"),
            ("10.1371/JOURNAL.PONE.0113556", ".XML"),
            ("10.1101/2020.02.02.931238", "V12"),
        ] {
            assert_eq!(both(&format!("{name}{tail}")), [Some(name.len()); 2], "{name}");
        }
        // Nothing is cut from a field if it is not known where names end.
        for (name, tail) in [
            ("10.99999/ABC.2020.17", "/ABSTRACT"),
            ("10.99999/ABC.2020.17", "/-/DC1"),
            ("10.99999/ABC.2020.17", ".PDF"),
            ("10.1016/J.CELL.2009.01.042", "_BIB12"),
        ] {
            let expected = [Some(name.len()), None];
            assert_eq!(both(&format!("{name}{tail}")), expected, "{name}{tail}");
        }
    }

    #[test]
    fn words_after_an_unknown_name_are_of_a_page_in_its_address() {
        let cut = |before: &'static str, name: &str| {
            cut(name.as_bytes(), 9, Place::Running(before.as_bytes()), None).map(|(len, _)| len)
        };
        for (before, name, expected) in [
            ("https://example.org/article/", "10.99999/17/DOWNLOAD", Some(11)),
            ("doi:", "10.99999/17/DOWNLOAD", None),
            ("doi:", "10.99999/17/SUPPL_FILE/17_1", Some(11)),
            ("https://example.org/content/", "10.99999/2026.02.12.705514V1", Some(26)),
            ("doi:", "10.99999/2026.02.12.705514V1", None),
        ] {
            assert_eq!(cut(before, name), expected, "{before}{name}");
        }
    }

    #[test]
    fn every_extension_ends_in_two_letters() {
        for row in FILES.rows {
            assert!(may_cut(row.text.as_bytes(), false), "{}", row.text);
        }
    }

    #[test]
    fn what_is_no_tail() {
        for name in [
            "10.1101/656678",
            "10.1093/OXFORDHB/9780199552238.001.0001/OXFORDHB-9780199552238-E-023",
            "10.7287/PEERJ.10039V0.1/REVIEWS/1",
            "10.2210/PDB1AL6/PDB",
            "10.1088/1361-6463/ABEFFE",
            "10.5194/BG-11-899-2014-SUPPLEMENT",
            "10.1007/978-3-540-27806-0_289",
            "10.1107/S0108270104009497/HJ1006IISUP3.HKL",
            "10.1096/FJ.07-9131.COM",
            "10.4028/WWW.SCIENTIFIC.NET/AMR.429",
            "10.1061/(ASCE)0733-9364(2005)131:11(1165)",
            "10.6084/M9.FIGSHARE.1008320.V2",
            "10.5072/FK2/ABCDEF",
            "10.1234/CORPUS/TABLES/3",
            "10.99999/FULL",
        ] {
            assert_eq!(both(name), [None; 2], "{name}");
        }
    }

    #[test]
    fn the_path_of_a_page_may_begin_with_anything() {
        let model = names::built_in().ok();
        let cut = |name: &[u8], before| cut(name, 8, Place::Running(before), model.as_deref());
        let page = b"https://example.org/articles/";
        let (name, len) = (b"10.1016/J.CELL.2009.01.042/F1.LARGE", 26);
        assert_eq!(cut(name, page), Some((len, Repair::PublisherPath)));
        assert_eq!(cut(name, b"https://doi.org/"), None);
    }
}
