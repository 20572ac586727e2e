//! Reads nearly every name in tables, lists and JSON in one pass, because most have the same shape.
//!
//! A field opens directly before the name, or before a usual resolver address and the name. It
//! closes directly after the name. The registrant has four or five digits. The suffix consists of
//! letters, digits, `-._/`, round brackets and the parts of a SICI. Most rules do not affect such a
//! name, and checking each of them costs five times as much as reading the name. Any other shape, and
//! any name that a rule affects, is left to [`Candidate`](super::candidate), which gives the same answer for this
//! shape too (tests compare both).

use super::around::Around;
use super::cells::Cells;
use super::field::{self, Close, Field};
use super::stem;
use super::tail::{self, Place};
use super::{LOOKBEHIND, Notation, Options, glued, lookalike, sici};
use crate::vector;
use alloc::vec::Vec;
use core::ops::Range;

/// The length of `10.`.
pub(super) const ANCHOR: usize = 3;

/// A quote and the resolver address that may follow it.
const ADDRESSES: [&[u8]; 4] = [
    b"\"https://doi.org/",
    b"\"http://dx.doi.org/",
    br#""https:\/\/doi.org\/"#,
    br#""http:\/\/dx.doi.org\/"#,
];

/// Whether [`read`] and that of [`plain_text`](super::plain_text) may read names. With other delimiters more rules apply.
pub(super) fn are_read(notation: Notation, options: &Options) -> bool {
    let is_known =
        matches!(notation, Notation::Unknown | Notation::Csv(b',' | b';' | b'|' | b'\t' | b'\n'));
    is_known && !options.strict
}

/// Whether a field may open directly before `start`. Called for every candidate.
#[inline]
pub(super) fn may_open(haystack: &[u8], start: usize, notation: Notation) -> bool {
    let Some(last) = start.checked_sub(1).map(|at| haystack[at]) else { return true };
    let delimiter = if let Notation::Csv(delimiter) = notation { delimiter } else { b'"' };
    last == delimiter || matches!(last, b'"' | b'/' | b'\n' | b'\'')
}

/// Writes the name at `start` to `name` and returns its end, if it has the plain shape and is a
/// DOI. `next` returns a place before which no other anchor starts after it. `cells` are those before it.
pub(super) fn read(
    haystack: &[u8],
    start: usize,
    next: &dyn Fn() -> usize,
    notation: Notation,
    options: &Options,
    cells: &mut Cells,
    name: &mut Vec<u8>,
) -> Option<usize> {
    let before = &haystack[start.saturating_sub(LOOKBEHIND)..start];
    let field = opened(before, notation, cells.line == start)?;
    if let Close::Cell(delimiter) = field.close
        && cells.is_quoted(haystack, start, delimiter)
    {
        return None;
    }
    let (suffix, from) = prefix(&haystack[start..], name)?;
    let (end, may_hold) =
        fold(haystack, start + from, suffix, Some(field), options.max_length, name)?;
    if name.len() == suffix
        || name.len() > options.max_length
        || !name.last().is_some_and(u8::is_ascii_alphanumeric)
        || !stem::is_plain(name, suffix)
            && stem::when_trimmed(around(haystack, start..end), name, suffix).is_some()
        || tail::may_cut(name, may_hold)
            && tail::cut(name, suffix, Place::Field, options.model()).is_some()
        || lookalike::lookalike(before, name).is_some()
    {
        return None;
    }
    // Otherwise no name begins at an anchor in the suffix: `10.1016/J.PHYSLETB.2015.10.249`.
    (!may_hold || end < next()).then_some(end)
}

/// The address or label that a single value may begin with.
const LABELS: [&[u8]; 4] =
    [b"https://doi.org/", b"http://dx.doi.org/", b"https://dx.doi.org/", b"doi:"];

/// Writes the name of a single value to `name`, if the value has the plain shape: nothing or a usual
/// label before the name, and a suffix of letters, digits and `-._` that ends in a letter or a digit.
/// Such a value is valid, a scan of its cell lists its name, and no other name is in it.
pub(crate) fn value(value: &[u8], name: &mut Vec<u8>) -> bool {
    let at = LABELS.iter().find(|label| value.starts_with(label)).map_or(0, |label| label.len());
    let text = &value[at..];
    let Some((suffix, 0)) = prefix(text, name) else { return false };
    text.starts_with(b"10.")
        && run(value, at, suffix, usize::MAX, name) == Some((value.len(), false))
        && name.last().is_some_and(u8::is_ascii_alphanumeric)
        && name.len() > suffix
        && !tail::may_cut(name, false)
        && (stem::is_plain(name, suffix)
            || stem::when_trimmed(around(value, at..value.len()), name, suffix).is_none()
                && lookalike::lookalike(b"", name).is_none())
}

/// The bytes around the name at `place`.
fn around(haystack: &[u8], place: Range<usize>) -> Around<'_> {
    let before = &haystack[place.start.saturating_sub(LOOKBEHIND)..place.start];
    Around { before, after: &haystack[place.start..], stop: Some(place.len()) }
}

/// Finds the prefix at the start of `text` if its registrant has four or five digits. Returns where
/// the suffix begins in the name, and from where on `text` is appended to `name`: from the start, so
/// that bytes are read as they were stored, or after a prefix whose slash JSON escapes.
#[inline]
pub(super) fn prefix(text: &[u8], name: &mut Vec<u8>) -> Option<(usize, usize)> {
    let bytes: &[u8; ANCHOR + 7] = text.first_chunk()?;
    let suffix = if bytes[7].is_ascii_digit() { 9 } else { 8 };
    let digits = u32::from_ne_bytes([bytes[3], bytes[4], bytes[5], bytes[6]]);
    // The high half of each is 3, and stays so if 6 is added to the low half.
    let halves = (digits & 0xf0f0_f0f0) | (digits.wrapping_add(0x0606_0606) & 0xf0f0_f0f0) >> 4;
    let is_plain = halves == 0x3333_3333;
    name.clear();
    let from = match bytes[suffix - 1..] {
        [b'/', ..] => 0,
        [b'\\', b'/', ..] => {
            name.extend_from_slice(&bytes[..suffix]);
            name[suffix - 1] = b'/';
            suffix + 1
        }
        _ => return None,
    };
    is_plain.then_some((suffix, from))
}

/// Returns the field that opens at the end of `before`, if it is unambiguous. `is_next` says that
/// the line before it is known to be a line of a list.
fn opened(before: &[u8], notation: Notation, is_next: bool) -> Option<Field> {
    // A label may come before a blank.
    let is_label = |last: &u8| matches!(last, b':' | b'i' | b'I') || *last <= b' ';
    let close = match (before, notation) {
        ([], Notation::Csv(delimiter)) => Close::Cell(delimiter),
        ([rest @ .., open], Notation::Csv(delimiter)) if *open == delimiter || *open == b'\n' => {
            let rest = rest.strip_suffix(b"\r").filter(|_| *open == b'\n').unwrap_or(rest);
            if *open <= b' ' && rest.last().is_some_and(is_label) {
                return None;
            }
            Close::Cell(delimiter)
        }
        ([rest @ .., b'\n'], Notation::Unknown) => {
            let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
            if rest.last().is_some_and(is_label) || !(is_next || field::is_list(before)) {
                return None;
            }
            Close::Line
        }
        ([.., quote @ (b'"' | b'\'')], _) => Close::Byte(*quote),
        ([.., b'/'], _) => {
            let url = ADDRESSES.iter().any(|address| before.ends_with(address));
            return url.then_some(Field { close: Close::Byte(b'"'), url });
        }
        _ => return None,
    };
    Some(Field { close, url: false })
}

/// Appends the folded name from `at` on, whose suffix begins at `suffix`. Returns the place of the byte that closes `field`
/// or, in running text, that is not plain, and whether another name may begin at an anchor in the suffix: after a slash, or in
/// a SICI. Returns `None` if a byte that a plain name cannot contain comes first, or if the name is longer than `most` bytes.
#[inline(always)] // 2 % of the instructions of JSON lines
pub(super) fn fold(
    haystack: &[u8],
    at: usize,
    suffix: usize,
    field: Option<Field>,
    most: usize,
    name: &mut Vec<u8>,
) -> Option<(usize, bool)> {
    let (end, has_slash) = run(haystack, at, suffix, most, name)?;
    let byte = *haystack.get(end)?;
    match field.map_or(!matches!(byte, b'(' | b')'), |field| field.closes_plainly(byte)) {
        true => Some((end, has_slash)),
        false => fold_parts(haystack, (end, has_slash), suffix, field, most, name),
    }
}

/// Continues [`fold`] at a bracket or a part of a SICI.
#[inline(never)]
fn fold_parts(
    haystack: &[u8],
    (mut at, mut may_hold): (usize, bool),
    suffix: usize,
    field: Option<Field>,
    most: usize,
    name: &mut Vec<u8>,
) -> Option<(usize, bool)> {
    let mut is_open = false;
    loop {
        let rest = &haystack[at..];
        let byte = *rest.first()?;
        // The label of a part may follow a full stop: `10.1000/182.(a)`.
        let opens = || haystack[at - 1] != b'.' && !glued::begins_another(&rest[1..]);
        let len = match byte {
            b'(' | b')' if is_open == (byte == b')') && (is_open || opens()) => {
                is_open = !is_open;
                1
            }
            _ if field.map_or(!is_open, |field| field.closes_plainly(byte)) => {
                return (!sici::is_cut(&name[suffix..])).then_some((at, may_hold));
            }
            b':' | b';' | b'<' if field.is_some() => {
                may_hold = true;
                sici::plain_part(rest, &name[suffix..])?
            }
            _ => return None,
        };
        name.extend(rest[..len].iter().map(u8::to_ascii_uppercase));
        let (end, has_slash) = run(haystack, at + len, suffix, most, name)?;
        (at, may_hold) = (end, may_hold | has_slash);
    }
}

/// Appends the folded letters, digits and `-._/` from `at` on. Returns their end, and whether one of
/// them is a slash of the suffix, which begins at `suffix` of the name. Returns `None` if the name is
/// longer than `most` bytes.
#[inline(always)] // 2 % of the instructions of dense CSV
fn run(
    haystack: &[u8],
    mut at: usize,
    suffix: usize,
    most: usize,
    name: &mut Vec<u8>,
) -> Option<(usize, bool)> {
    let mut has_slash = false;
    loop {
        let (rest, len) = (&haystack[at..], name.len());
        let folded = match rest.first_chunk() {
            Some(block) => vector::append_folded(block, name),
            None => append_last(rest, name),
        };
        name.truncate(len + folded.len);
        has_slash |= folded.slashes >> suffix.saturating_sub(len) != 0;
        at += folded.len;
        if folded.len < vector::FOLD {
            return Some((at, has_slash));
        }
        if name.len() > most {
            return None;
        }
    }
}

/// Appends the folded last bytes of the haystack, which are fewer than a block. A zero, which ends a name,
/// follows them.
#[cold]
fn append_last(rest: &[u8], name: &mut Vec<u8>) -> vector::Folded {
    let mut block = [0; vector::FOLD];
    block[..rest.len()].copy_from_slice(rest);
    vector::append_folded(&block, name)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::doi::Reason;
    use crate::scan::anchor::{Anchor, DIGITS, Places};
    use crate::scan::candidate::Candidate;
    use crate::scan::{Match, Repairs, Sink};
    use proptest::prelude::*;

    #[derive(Default)]
    struct Last(Option<(usize, usize, Vec<u8>, Repairs)>);

    impl Sink for Last {
        fn accept(&mut self, found: &Match<'_>) {
            self.0 = Some((found.start, found.end, found.doi.to_vec(), found.repairs));
        }

        fn reject(&mut self, _: usize, _: Reason) {
            self.0 = None;
        }
    }

    fn compare(text: &[u8], notation: Notation, options: &Options) -> usize {
        compare_read(text, notation, options, |anchor, next, name| {
            let start = anchor.start;
            let end = read(text, start, &|| next, notation, options, &mut Cells::new(), name);
            assert!(end.is_none() || may_open(text, start, notation));
            end
        })
    }

    /// Compares the answer of `read` for each anchor of `text` with the answer of the complete rules.
    /// Returns the number of names that it takes.
    pub(in crate::scan) fn compare_read(
        text: &[u8],
        notation: Notation,
        options: &Options,
        read: impl Fn(Anchor, usize, &mut Vec<u8>) -> Option<usize>,
    ) -> usize {
        let finder = memchr::memmem::Finder::new(DIGITS);
        let places: Vec<_> = Places::search(text, 0..text.len(), &finder, false).collect();
        let nexts = places.iter().skip(1).map(|next| next.start).chain([text.len()]);
        let is_plain = |(&anchor, next): (&Anchor, usize)| {
            let mut name = Vec::new();
            if anchor.end - anchor.start != ANCHOR || !are_read(notation, options) {
                return false;
            }
            let Some(end) = read(anchor, next, &mut name) else { return false };
            let (mut all, mut scratch) = (Last::default(), Vec::new());
            let candidate = Candidate::new(text, anchor, next, notation, options).expect("a digit");
            candidate.report(&mut scratch, &mut all);
            let expected = Some((anchor.start, end, name, Repairs::default()));
            assert_eq!(all.0, expected, "{} {notation:?}", text.escape_ascii());
            true
        };
        places.iter().zip(nexts).filter(|&found| is_plain(found)).count()
    }

    #[test]
    fn the_shape() {
        let options = Options::default();
        let cells = Notation::Csv(b',');
        for (text, notation, expected) in [
            ("10.1000/abc.1,x", cells, 1),
            ("x,10.1016/S0140-6736(05)67877-7\r\n", cells, 1),
            ("1\n10.1000/182\n", cells, 1),
            ("\"DOI\":\"10.1000/182\"", Notation::Unknown, 1),
            ("\"https://doi.org/10.1000/182\"", Notation::Unknown, 1),
            ("\"key\":\"10.1016/j.abb.2016.10.011_bib9\"", Notation::Unknown, 0),
            ("\"10.1093/bioinformatics/btz162/5372677\"", Notation::Unknown, 0),
            ("\"10.1930/31\"", Notation::Unknown, 0),
            ("\"10.1000/182/\"", Notation::Unknown, 0),
            ("\"10.1000/a;10.1000/b1\"", Notation::Unknown, 0),
            ("\"10.1000/a%2fb1\"", Notation::Unknown, 0),
            ("\"10.1111\\/brv.12289\"", Notation::Unknown, 1),
            ("\"10.1111\\\\/brv.12289\"", Notation::Unknown, 0),
            ("x,10.1016/j.physletb.2015.10.249,", cells, 1),
            ("x,10.1016/j/physletb.2015.10.249,", cells, 0),
            ("\"10.1000/a(doi.org/b1\"", Notation::Unknown, 0),
            ("x,10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O,", cells, 1),
            ("x,10.1002/(SICI)1097-4571(199806)49:8<>3.0.CO;2-O,", cells, 1),
            ("x,10.1002/(SICI)1097-4571(199806)49:8<693>3.0.CO;2-O,", cells, 0),
            ("x,10.1002/(SICI)1097-4571(199806)49:8<693::A>.0.CO;2-O,", cells, 0),
            ("x,10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-,", cells, 0),
            ("x;10.1002/(SICI)1097-4571(199806)49:8<693::A>3.0.CO;2-O\n", Notation::Csv(b';'), 1),
            ("x;10.1002/1999;8;", Notation::Csv(b';'), 0),
            ("x,10.1093/acprof:oso/9780198507789,", cells, 0),
            (" 10.1000/182 ", Notation::Unknown, 0),
            ("10.1000/181\n10.1000/182\n", Notation::Unknown, 1),
            ("10.1000/181\r\n10.1000/182\r\n", Notation::Unknown, 1),
            ("10.1000/1,1\n10.1000/182\n", Notation::Unknown, 0),
            ("10.1000/doi\n10.1000/182\n", Notation::Unknown, 0),
            ("doi:\n10.1000/182\n", cells, 0),
            ("1\r\n10.1000/182\r\n", cells, 1),
            ("10.1000/a!10.1000/b2!", Notation::Csv(b'!'), 0),
            ("\"10.1000/182", Notation::Unknown, 0),
        ] {
            // The last bytes are read in another way.
            for behind in [0, 1, vector::FOLD] {
                let text = format!("{text}{}", " ".repeat(behind));
                assert_eq!(compare(text.as_bytes(), notation, &options), expected, "{text}");
            }
        }
    }

    /// Text before a name, prefixes, parts of suffixes, and text after a name.
    const PARTS: [&[&str]; 4] = [
        &[
            "\"",
            "'",
            ",",
            "x,",
            "\n",
            "1\n",
            "1\t",
            "doi\t",
            "doi:\n",
            "\"key\":\"",
            "\"DOI\":\"",
            "\"key\":\"r-",
            "\"https://doi.org/",
            "x\"http://dx.doi.org/",
            "\\\"https://doi.org/",
            "\"https:\\/\\/doi.org\\/",
            "x\"http:\\/\\/dx.doi.org\\/",
            "\\\"https:\\/\\/doi.org\\/",
            "/",
            "10.1000/1\n",
            "10.1000/1\r\n",
            "10.1000/doi\n",
            "10.1000/1 \n",
            "10.1000/1,",
            "(10.1000/a)\"",
            "v1.",
            "%22",
            "\"\"",
        ],
        &[
            "10.1016/",
            "10.1101/",
            "10.1093/",
            "10.3389/",
            "10.1111/",
            "10.5281/",
            "10.1930/",
            "10.48550/",
            "10.64898/",
            "10.123/",
            "10.123456/",
            "10.1000.5/",
            "10.1016\\/",
            "10.48550\\/",
            "10.1000\\",
            "10.2015/",
            "10.1002/",
            "10.1371/",
        ],
        &[
            "j.",
            "1",
            "31",
            "2019",
            "(05)",
            "(10.1000/",
            "(1971)",
            "/full",
            "/METRICS",
            "656678v1",
            "xxxx",
            "zenodo",
            "journal",
            ".pdf",
            "-",
            "_",
            "/",
            "5372677",
            "bib9",
            "_bib9",
            "a",
            "tdm_license_1.1",
            "(doi:1",
            "REF",
            ".",
            "M9",
            "%2F",
            "10.1234/",
            ".10.249",
            "10.",
            "issn1",
            "\u{e9}",
            "<",
            "*",
            "(SICI)1097-4571(199806)46:8<693::AID-ASI4>3.0.CO;2-",
            "<693::AID-ASI4>3.0.CO;2-",
            "<>3.0.CO;2",
            "<1:10.1234/b>3.0",
            "<1:v10.1234/b>3.0.CO;2-",
            "46:8",
            "9:",
            ":",
            ".CO;2-",
            ";",
        ],
        &[
            "\"",
            ",",
            "\n",
            "\r\n",
            "\t",
            "'",
            "<",
            " ",
            ";",
            "\"}",
            "",
            ",10.1234/b1,",
            "</a>",
            "\\\"",
        ],
    ];

    fn one_of(part: usize) -> impl Strategy<Value = &'static str> {
        prop::sample::select(PARTS[part])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn all_rules_say_the_same(
            front in one_of(0),
            prefix in one_of(1),
            suffix in prop::collection::vec(one_of(2), 0..5),
            last in "[0-9]?[.-]?[0-9A-Fa-fxX]?",
            behind in one_of(3),
            cells in prop::sample::select(b",\t;|\n!\"".to_vec()),
            most in prop::sample::select(vec![2048_usize, 20]),
            after in prop::sample::select(vec![16_usize, 0, 3]),
        ) {
            let filler = "x".repeat(if front.starts_with(',') { 20 } else { 0 });
            let text = [&filler, front, prefix, &suffix.concat(), &last, behind, &"z".repeat(after)].concat();
            let options = Options { max_length: most, ..Options::default() };
            for notation in [Notation::Unknown, Notation::Csv(cells)] {
                compare(text.as_bytes(), notation, &options);
            }
        }
    }
}
