//! Cuts tails: what pages, reference lists and interfaces put after a name. What a registered name ends in tells the
//! model of names; the rest is said in general, and the words and extensions are in [`rules`](super::rules).

use super::around::has_digit;
use super::learned::{self, SURE};
use super::rules::{FILES, WORDS};
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
    let tail = Tail { name, start, place, model };
    let suffix = &name[start..];
    let check = || Some((start + sici::after_check(suffix)?, Repair::Glued));
    let glued = || Some((tail.glued()?, Repair::Glued));
    let version = || Some((tail.version()?, Repair::Version));
    let session = || Some(start + session(suffix)?);
    let page =
        || Some((tail.file().or_else(|| tail.path()).or_else(session)?, Repair::PublisherPath));
    glued().or_else(version).or_else(page).or_else(check)
}

/// A name whose tail is looked for.
struct Tail<'a> {
    name: &'a [u8],
    start: usize,
    place: Place<'a>,
    model: Option<&'a Model>,
}

impl Tail<'_> {
    fn suffix(&self) -> &[u8] {
        &self.name[self.start..]
    }

    /// What the registrant's DOIs tell after the first `len` bytes of the suffix.
    fn known(&self, len: usize) -> Known {
        let suffix = &self.suffix()[..len.min(LONGEST)];
        self.model
            .map_or(Known::default(), |model| learned::grown(model, self.name, self.start, suffix))
    }

    /// Whether DOIs of the registrant are known to end after `at` bytes of the suffix.
    fn is_known(&self, at: usize) -> bool {
        self.known(at).ending >= FEW
    }

    /// Whether a name may end after `at` bytes of the suffix, before a tail: DOIs of the registrant hardly ever end like
    /// the whole suffix.
    fn may_end(&self, at: usize) -> bool {
        self.may_end_before(at, self.known(self.suffix().len()).ending)
    }

    /// Whether a name may end after `at` bytes of the suffix, if this many DOIs of the registrant are `longer` and none is
    /// known with the word there. In a field, the name must surely be whole.
    fn may_end_before(&self, at: usize, longer: f32) -> bool {
        let front = self.known(at);
        let tail = &self.suffix()[at..];
        let has_word = |model| learned::has_word(model, self.name, self.start, tail);
        let rare = if self.place == Place::Field { 0.0 } else { RARE };
        let has_word = || !self.is_in_path() && self.model.is_some_and(has_word);
        let is_longer = longer > rare * front.ending || has_word();
        let is_most = front.ending > 0.2 * front.passing && front.lost <= 0.02 * front.passing;
        let is_sure = || is_most && has_digit(&self.suffix()[..at]);
        match self.place {
            _ if is_longer || front.is_unfinished() => false,
            Place::Running(_) => true,
            Place::Field => front.ending >= SURE && is_sure(),
        }
    }

    /// Whether the name is in the path of an address of a page.
    fn is_in_path(&self) -> bool {
        matches!(self.place, Place::Running(before) if marker::is_in_path(before))
    }

    /// Returns the length of the name without a word, a year in brackets or a host that is glued to it.
    fn glued(&self) -> Option<usize> {
        let suffix = self.suffix();
        if let Some(len) = host(suffix) {
            return Some(self.start + len);
        }
        if self.place == Place::Field {
            return None;
        }
        let ends = |text: &str| Some(self.start + suffix.strip_suffix(text.as_bytes())?.len());
        let may_end = !suffix.last().is_some_and(u8::is_ascii_digit);
        let word = || WORDS.iter().filter(|_| may_end).find_map(|row| ends(row.text));
        word().or_else(|| self.year()).or_else(|| self.part())
    }

    /// Returns the length of the name without the key of a reference or the label of a file of it, where DOIs are known to
    /// end: `10.1000/182_BIB12`, `10.1000/182-SUPPLEMENT`, `10.1000/182-S001`.
    fn part(&self) -> Option<usize> {
        let suffix = self.suffix();
        let at = before_part(suffix)?;
        (self.is_known(at) && self.may_end(at)).then_some(self.start + at)
    }

    /// Returns the length of the name without the year of its reference: `10.1000/182(2019)`.
    fn year(&self) -> Option<usize> {
        let suffix = self.suffix();
        let at = suffix.len().checked_sub(b"(2019)".len()).filter(|at| *at > 0)?;
        let year = matches!(suffix[at..], [b'(', b'1' | b'2', b'0' | b'9', _, last, b')'] if last.is_ascii_digit());
        (year && suffix[at - 1].is_ascii_alphanumeric() && self.may_end(at))
            .then_some(self.start + at)
    }

    /// Returns the length of the name without the version of its page: `10.1101/656678V1`.
    fn version(&self) -> Option<usize> {
        let suffix = self.suffix();
        // Pages have views of it: `656678V1.FULL-TEXT`.
        let is_view = |b: &u8| b.is_ascii_alphabetic() || b"-.".contains(b);
        let view = suffix.iter().rev().take_while(|b| is_view(b)).count();
        let suffix = match &suffix[suffix.len() - view..] {
            [b'.', ..] => &suffix[..suffix.len() - view],
            _ => suffix,
        };
        let number = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let front = suffix[..suffix.len() - number].strip_suffix(b"V")?;
        let digits = front.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let front = front.strip_suffix(b".").unwrap_or(front);
        // A registrant's latest numbers may be new.
        let is_new = || self.known(0).passing > 0.0 || self.is_in_path();
        let is_version = match digits >= LONG {
            true => self.is_known(front.len()) || is_new(),
            false => self.place != Place::Field && self.is_known(front.len()),
        };
        ((1..=2).contains(&number) && is_version && self.may_end(front.len()))
            .then_some(self.start + front.len())
    }

    /// Returns the length of the name without the extension of a file or the view of a page: `10.1000/182.PDF`.
    fn file(&self) -> Option<usize> {
        let suffix = self.suffix();
        let at = memchr::memrchr(b'.', suffix).filter(|at| *at > 0 && suffix[at - 1] != b'/')?;
        (FILES.holds(&suffix[at..]) && self.may_end(at)).then_some(self.start + at)
    }

    /// Returns the length of the name before the path of a page, which begins with a word: `10.1000/182/FULL`,
    /// `10.1000/182/-/DC1`. In the path of an address, it may be anything after a name that is known.
    fn path(&self) -> Option<usize> {
        let suffix = self.suffix();
        let is_running = self.place != Place::Field;
        let is_path = |at: &usize| {
            let path = &suffix[at + 1..];
            let digits = suffix[..*at].iter().filter(|byte| byte.is_ascii_digit()).count();
            let is_known = |least| self.known(*at).ending >= least;
            let may_end = |tail| {
                let tail = if self.place == Place::Field { 1 } else { tail };
                self.may_end_before(*at, self.known(at + tail).passing)
            };
            match segment(path) {
                Segment::Word(len) => {
                    // Such a word is of a DOI only if the registrant's DOIs have it.
                    let is_page = is_page(&path[..len]);
                    let may_end = || match is_page {
                        true => self.may_end_before(*at, 0.0),
                        false => may_end(1 + len),
                    };
                    let is_word = is_page
                        || len == 1
                        || self.is_in_path()
                        || is_known(1.0) && !is_volume(&path[len..]);
                    is_word && (is_known(1.0) || digits > 1) && may_end()
                }
                Segment::Number if is_known(SURE) => may_end(1),
                Segment::Number => {
                    // A number alone may be of a DOI of a registrant that is not known.
                    let is_page = path.contains(&b'/') || self.known(0).passing > 0.0;
                    is_running && is_page && digits > 1 && may_end(1) && self.is_in_path()
                }
                Segment::Part => false,
                Segment::Other => is_running && is_known(1.0) && may_end(1) && self.is_in_path(),
            }
        };
        let slashes = memchr::memchr_iter(b'/', suffix).take_while(|at| *at < LONGEST);
        let at = slashes.filter(|at| *at > 0).find(is_path)?;
        // A URN is no address of a page.
        let is_urn = matches!(self.place, Place::Running(before) if marker::is_urn(before));
        (!is_urn).then_some(self.start + at)
    }
}

/// Whether [`cut`] may cut the folded `name` of running text that ends in a letter or a digit or a bracket.
#[inline]
pub(super) fn may_cut_running(name: &[u8], start: usize, has_slash: bool) -> bool {
    may_cut(name, has_slash) || name.ends_with(b")") || before_part(&name[start..]).is_some()
}

/// Returns where the key of a reference or the label of a file at the end of `suffix` begins: `_BIB12`, `-SUPPLEMENT`, `-S001`.
fn before_part(suffix: &[u8]) -> Option<usize> {
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let rest = &suffix[..suffix.len() - digits];
    let letters = rest.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    let at = rest.len().checked_sub(letters + 1).filter(|at| *at > 0)?;
    let is_part = match suffix[at] {
        b'_' => (2..=4).contains(&letters) && digits > 0,
        b'-' => digits == 0 && letters > WORD || letters == 1 && digits == WORD,
        _ => false,
    };
    is_part.then_some(at)
}

/// The fewest DOIs that tell where others end.
const FEW: f32 = 3.0;

/// The part of the DOIs that end at a place up to which those that go on are damaged names.
const RARE: f32 = 0.002;

/// The fewest digits of a number before a version, and in the path of a page.
const LONG: usize = 5;

/// The fewest letters of a word.
const WORD: usize = 3;

/// What the path of a page begins with.
enum Segment {
    /// A word of this length.
    Word(usize),
    /// A number as databases of pages have it.
    Number,
    /// A word with a number, as the names of parts have it.
    Part,
    Other,
}

fn segment(path: &[u8]) -> Segment {
    let letters = path.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let digits = path.iter().take_while(|b| b.is_ascii_digit()).count();
    let next = |len| path.get(len).copied();
    match () {
        () if path.starts_with(b"-/") || has_at(path) => Segment::Word(1),
        () if letters >= WORD && is_numbered(&path[letters..]) => Segment::Part,
        () if letters >= WORD => Segment::Word(letters),
        () if digits >= LONG && matches!(next(digits), None | Some(b'/')) => Segment::Number,
        () => Segment::Other,
    }
}

/// Whether the first segment of `path` has an `@`, as places of advertisements and users have.
fn has_at(path: &[u8]) -> bool {
    path.iter().take_while(|b| **b != b'/').any(|b| *b == b'@')
}

/// Whether `rest`, after a word, begins with a number, as in the names of chapters: `OXFORDHB-9780199552238-E-023`.
fn is_numbered(rest: &[u8]) -> bool {
    rest.strip_prefix(b"-").unwrap_or(rest).first().is_some_and(u8::is_ascii_digit)
}

/// Whether `rest`, after a word, has the numbers of a volume and pages up to its next slash: `AGRIAMBI.V25N4P270-276`.
fn is_volume(rest: &[u8]) -> bool {
    rest.iter().take_while(|b| **b != b'/').filter(|b| b.is_ascii_digit()).count() >= LONG
}

/// Returns the length of `suffix` before the session of a Java servlet, which its address has after a semicolon.
fn session(suffix: &[u8]) -> Option<usize> {
    memchr::memchr(b';', suffix).filter(|at| suffix[*at..].starts_with(b";JSESSIONID"))
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
            ("10.99999/ABC.2020.17", "(2019)"),
            ("10.99999/ABC.2020.17", ".PDF"),
            ("10.1016/J.CELL.2009.01.042", "-SUPPLEMENT"),
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
    fn hosts_are_glued_anywhere() {
        for (name, tail) in
            [("10.1177/0022034510388516", "JDR.SAGEPUB.COM/HOME"), ("10.1000/182", "DX.DOI.ORG/X")]
        {
            assert_eq!(both(&format!("{name}{tail}")), [Some(name.len()); 2], "{name}");
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
