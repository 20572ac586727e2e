//! Reads most names of running text in one pass, like [`plain_field`](super::plain_field) those of
//! fields.
//!
//! A word, a bracket or the end of a sentence comes before the name or its label. The registrant has
//! four or five digits. The suffix consists of letters, digits, `-._/` and pairs of round brackets, ends
//! in a digit or in one letter, and perhaps in the full stop of the sentence. The rules that can still
//! affect such a name are asked; the others cannot.

use super::around::Around;
use super::join::{self, End, Front};
use super::plain_field;
use super::tail::{self, Place};
use super::{LOOKBEHIND, Notation, Options, class, field, hyphen, learned, lookalike, sici, stem};
use crate::names::Whole;
use alloc::vec::Vec;

/// Labels and addresses before a name. None ends like the text before them.
const LABELS: [&[u8]; 8] = [
    b"https://doi.org/",
    b"http://dx.doi.org/",
    br"https:\/\/doi.org\/",
    br"http:\/\/dx.doi.org\/",
    b"doi:",
    b"DOI:",
    b"doi: ",
    b"DOI: ",
];

/// Writes the name at `start` to `name` and returns its end, if it has the plain shape and is a DOI. `next`
/// returns a place before which no other anchor starts after it.
pub(super) fn read(
    haystack: &[u8],
    start: usize,
    next: &dyn Fn() -> usize,
    notation: Notation,
    options: &Options,
    name: &mut Vec<u8>,
) -> Option<usize> {
    let model = options.model()?;
    let (before, after) = (&haystack[start.saturating_sub(LOOKBEHIND)..start], &haystack[start..]);
    let (suffix, from) = plain_field::prefix(after, name)?;
    if !is_running(before, after, notation) {
        return None;
    }
    let (end, has_slash) = plain_field::fold(after, from, suffix, None, options.max_length, name)?;
    // The bytes of a mapped file that is cut meanwhile can differ between two reads.
    let read = name.get(suffix..)?;
    let is_short = name.len() <= options.max_length;
    // A text after a slash may be another name.
    if !is_short || class::find_leader(read).is_some() || has_slash && start + end > next() {
        return None;
    }
    let ends = learned::ends(model, name.strip_suffix(b".").unwrap_or(name), suffix);
    let is_glued = || after[from..end].iter().any(u8::is_ascii_uppercase);
    if ends.is_none() && is_glued() {
        return None;
    }
    let front = Front { before, after, at: end, name, start: suffix, is_loose: false, ends };
    let told = match after.get(end)? {
        b'"' | b')' => None,
        b',' if !after.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) => None,
        b' ' | b'\n' => match join::effect(front, notation, options) {
            End::Whole => None,
            End::At(told) => Some(told),
            _ => return None,
        },
        _ => return None,
    };
    let is_new = ends == Some(Whole::No);
    if is_new {
        let around = Around { before, after, stop: Some(end) };
        let plain = name.len() - usize::from(name.ends_with(b"."));
        if learned::end(model, around, name, suffix, plain, told, ends) != Ok(plain) {
            return None;
        }
    }
    let len = name.len();
    if name.ends_with(b".") {
        name.pop();
    }
    let is_other = sici::is_front(&name[suffix..])
        || name.get(suffix) == Some(&b'(') && sici::is_cut(&name[suffix..])
        || !stem::is_plain(name, suffix)
        || name[suffix..].windows(2).any(|two| two == b"--")
        || (is_new || tail::may_cut_running(name, suffix, has_slash))
            && !learned::is_sure(model, name, suffix)
            && tail::cut(name, suffix, Place::Running(before), Some(model)).is_some()
        || is_new && hyphen::restore(name, suffix, model)
        || lookalike::lookalike(before, name).is_some();
    (!is_other).then(|| start + end - (len - name.len()))
}

/// Whether no field opens before the label or the address at the end of `before`: a bracket, a word or
/// another line comes first. A word that ends in `i` may be a label, and one letter the code of a subfield.
#[inline]
fn is_running(before: &[u8], after: &[u8], notation: Notation) -> bool {
    let labels = LABELS.iter().filter(|_| matches!(before.last(), Some(b'/' | b':' | b' ')));
    let rest = { labels }.find_map(|label| before.strip_suffix(*label)).unwrap_or(before);
    match rest {
        [.., b'('] => true,
        [.., mark @ (b'.' | b',' | b')'), b' '] => notation != Notation::Csv(*mark),
        [.., b'a'..=b'e' | b'g'..=b'z', b'a'..=b'h' | b'j'..=b'z', b' '] => true,
        [.., b'\n'] => field::field(before, after, notation).is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Joining;
    use crate::scan::plain_field::tests::compare_read;
    use proptest::prelude::*;

    fn compare(text: &str, notation: Notation, options: &Options) -> usize {
        compare_read(text.as_bytes(), notation, options, |anchor, next, name| {
            read(text.as_bytes(), anchor.start, &|| next, notation, options, name)
        })
    }

    #[test]
    fn the_shape() {
        for (text, expected) in [
            ("see 10.1000/182 and", 1),
            ("see\ndoi:10.1000/182 and", 1),
            ("10.1000/1\n10.1000/182 and", 0),
            ("see (doi:10.1016/j.cell.2015.06.615) and", 1),
            ("word. https://doi.org/10.1000/182.\",", 1),
            ("word, DOI: 10.1111\\/brv.12288, and", 1),
            ("see 10.1000/182. The next", 1),
            ("see 10.1000/182.\n[2] The next", 1),
            ("see 10.1000/j.xy.2015.10.249 and", 1),
            ("see 10.1002/tdm_license_1.1 and", 0),
            ("see 10.1002/eco.\n2042", 0),
            ("see 10.1000/182.. The", 0),
            ("see 10.1000/182.....3 ", 0),
            ("see 10.1000/182PMC123456 ", 0),
            ("see 10.1101/656678v1 ", 0),
            ("see 10.1007/s11192-0162006-2 ", 0),
            ("see 10.1000/a/182 and", 1),
            ("see 10.1093/bioinformatics/btz162/5372677 and", 0),
            ("see 10.1000/a/10.1000/182 and", 0),
            ("see (10.1016/S0140-6736(05)67877-7) and", 1),
            ("see 10.1016/S0140-6736(05 and", 0),
            ("see 10.1016/S0140-6736(10.1000/182) and", 1),
            ("see 10.1111/j.1469-8137.2004.01185.x. The next", 1),
            ("see 10.1111/j.1469-8137.2004.01185.xx. The next", 0),
            ("see 10.1000/12.x and", 1),
            ("see 10.1000/18.-PMC1.x and", 0),
            ("see 10.1000/182; and", 0),
            ("see 10.1930/31 and", 0),
            ("$a 10.1000/182 and", 0),
            ("doi 10.1000/182 and", 0),
            ("v10.1000/182 and", 0),
        ] {
            assert_eq!(compare(text, Notation::Unknown, &Options::default()), expected, "{text}");
        }
    }

    /// Text before a label, labels, prefixes, parts of suffixes, and text after a name.
    const PARTS: [&[&str]; 5] = [
        &[
            "see ",
            "(",
            "word. ",
            "x, ",
            "a) ",
            "\"",
            "\"see ",
            "doi ",
            "$a ",
            "\\u001fa ",
            "fa ",
            "\u{1f}a ",
            "wi ",
            "1 ",
            "a   b ",
            "10.1000/2\n",
            "DO  - \n",
            "doi\n",
            "$a\n",
            "x,1\n",
            "\"\n",
            "word\n",
            "",
            ">",
            "10.1000/a ",
            "10.1000/a(",
            "10.1000/a) ",
            "$(",
            "|ab ",
        ],
        &[
            "",
            "doi:",
            "DOI: ",
            "https://doi.org/",
            "http://dx.doi.org/",
            "https:\\/\\/doi.org\\/",
            "http:\\/\\/dx.doi.org\\/",
            "https://a.org/",
            "doi: ",
        ],
        &[
            "10.1016/",
            "10.1101/",
            "10.1093/",
            "10.1002/",
            "10.1111\\/",
            "10.1930/",
            "10.48550/",
            "10.18260/",
            "10.123/",
            "10.1007/",
            "10.5438/",
            "10.1186/",
            "10.3969/",
        ],
        &[
            "j.",
            "1",
            "31",
            "2019",
            "s11192",
            "-0162006",
            "-2",
            ".10.249",
            "10.",
            "PMC123456",
            "tdm_license_1.1",
            "1471-2105",
            "12-187",
            "0022030",
            ".",
            "..",
            "-",
            "_",
            "a",
            "eco",
            "656678v1",
            "xxxx",
            "j.issn",
            "(1)",
            "/b",
            "journal.",
            "9",
            "(05)",
            "(",
            "(10.1234/",
            "/full",
            "/METRICS",
            "/5372677",
            "/10.1234/",
            "/doi.org/",
            "j.1469-8137.2004.01185.",
        ],
        &[
            " and",
            ". The",
            ".\n",
            "\n",
            "\n12",
            ")",
            "),",
            "\"",
            ".\"",
            ",",
            ", 12",
            " (",
            " 8.",
            " . 2",
            "  3",
            "\n0013",
            "\n   2042 ",
            " 2042.v1",
            ". 2015.07",
            "...",
            ".)",
            ";",
            "</a>",
            " <br>12345",
            " </a>",
            "\r\n12",
            "\\n",
            "",
            " ",
            ".\n12. Next",
            " 10.1000/b",
        ],
    ];

    fn one_of(part: usize) -> impl Strategy<Value = &'static str> {
        prop::sample::select(PARTS[part])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8_000))]
        #[test]
        fn all_rules_say_the_same(
            front in one_of(0),
            label in one_of(1),
            prefix in one_of(2),
            suffix in prop::collection::vec(one_of(3), 0..4),
            last in "[0-9]?[.-]?[0-9A-Fa-fxX]?",
            behind in one_of(4),
            most in prop::sample::select(vec![2048_usize, 20]),
            joining in prop::sample::select(vec![Joining::Auto, Joining::Never]),
            after in prop::sample::select(vec!["", "x", " word of a line\n13. next 2015.12"]),
        ) {
            let text = ["A line\n  of ", front, label, prefix, &suffix.concat(), &last, behind, after].concat();
            let options = Options { max_length: most, joining, ..Options::default() };
            for notation in [Notation::Unknown, Notation::Csv(b','), Notation::Csv(b' '), Notation::Marc] {
                compare(&text, notation, &options);
            }
        }
    }
}
