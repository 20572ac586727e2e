//! What a character means for a name. The scanner and its oracle read a text in their own ways and
//! share these rules.

use super::class::{self, Kind};
use super::field::Field;
use super::{Notation, Options, Repair, glued, marker, sici, subfield};
use crate::decode::{Char, Layer, Text};
use crate::doi::{is_space, notation};

/// A place in a text, after a character.
pub(super) struct Spot<'a> {
    pub(super) options: &'a Options,
    pub(super) notation: Notation,
    /// The bytes before the name.
    pub(super) before: &'a [u8],
    /// Whether the rules for running text apply.
    pub(super) is_running: bool,
    /// The folded suffix before the character.
    pub(super) suffix: &'a [u8],
    /// The bytes of the candidate.
    pub(super) text: Text<'a>,
    /// Where the next character begins.
    pub(super) next: usize,
}

impl<'a> Spot<'a> {
    /// Returns the bytes after the character.
    fn rest(&self) -> &'a [u8] {
        &self.text.bytes[self.next..]
    }

    /// Returns the characters after the character.
    fn ahead(&self) -> impl Iterator<Item = Char> {
        let (is_encoded, mut at) = (marker::is_encoded(self.before), self.next);
        core::iter::from_fn(move || {
            let mut c = self.text.at(at)?;
            c.literal &= !is_encoded;
            at = c.next;
            Some(c)
        })
    }

    /// Whether a URL parameter follows: `utm_source=`.
    fn is_parameter(&self) -> bool {
        glued::is_parameter(&self.text, self.next)
    }
}

/// The effect of a mark in running text.
pub(super) enum Mark {
    /// It is part of the name.
    Part,
    /// It is part of the name if its bracket can open.
    Opens,
    /// It is part of the name if its bracket is open.
    Closes,
    /// The name ends so many bytes before it.
    Ends(usize),
}

/// Returns the effect of the mark `byte` in running text.
pub(super) fn mark(byte: u8, at: &Spot<'_>) -> Mark {
    let rest = at.rest();
    let is_part = match byte {
        // A variable of a template, a footnote of Markdown.
        b'{' if rest.starts_with(b"{") => false,
        b'[' if rest.starts_with(b"^") => false,
        b'(' | b'[' | b'{' => return Mark::Opens,
        b')' | b']' | b'}' => return Mark::Closes,
        b';' => sici::goes_on_after_semicolon(at.suffix, rest),
        // It stands for the semicolon of a SICI.
        b',' => sici::is_before_semicolon(at.suffix),
        b'#' => at.suffix.ends_with(b";2-"),
        b'&' => !glued::is_entity(rest) && !at.is_parameter() && !glued::is_in_query(at.before),
        b':' if divides(at.suffix, rest) => false,
        b':' => match glued::word(at.suffix, rest) {
            Some(word) => return Mark::Ends(word),
            None => true,
        },
        b'$' if subfield::begins(rest) => at.notation != Notation::Marc,
        // The end of an HTML comment.
        b'>' if at.suffix.ends_with(b"--") => return Mark::Ends(2),
        // The blank of a form.
        b'+' => !goes_on(at) || !glued::is_in_query(at.before),
        b'$' | b'%' | b'=' => true,
        // An escaped character of a name: `\_`, `&#x2F;`.
        _ => class::is_plain(byte),
    };
    if is_part { Mark::Part } else { Mark::Ends(0) }
}

/// Whether the mark `byte`, which does not close `field`, is part of the name that fills it.
pub(super) fn is_in_field(byte: u8, field: Field, at: &Spot<'_>) -> bool {
    match byte {
        b'"' | b'<' | b'>' | b'\\' => false,
        b'?' | b'#' => !field.url,
        b'&' | b'|' if at.is_parameter() => false,
        b'&' => !glued::is_entity(at.rest()),
        b':' if divides(at.suffix, at.rest()) => false,
        b':' => glued::word(at.suffix, at.rest()).is_none(),
        _ => true,
    }
}

/// Whether the colon before `rest` is the first of two that divide a number from that of a grant: `10.13039/501100000780::654000`.
fn divides(suffix: &[u8], rest: &[u8]) -> bool {
    rest.starts_with(b":") && suffix.iter().all(u8::is_ascii_digit)
}

/// The effect of a non-ASCII character.
pub(super) enum Foreign {
    /// It is part of the name.
    Part,
    /// It stands for these ASCII characters.
    StandsFor(&'static str, Repair),
    /// It ends the name.
    Ends,
}

/// Returns the effect of the non-ASCII character `c`.
pub(super) fn foreign(c: Char, at: &Spot<'_>) -> Foreign {
    let (is_strict, is_running) = (at.options.strict, at.is_running);
    let is_latin = || !at.suffix.is_empty() && at.suffix.is_ascii();
    if !is_strict && let Some(text) = compatible(c.code, at) {
        return Foreign::StandsFor(text, Repair::Compatibility);
    }
    if is_running
        && !is_strict
        && let Some(text) = lost_hyphen(c, at)
    {
        return Foreign::StandsFor(text, Repair::LostHyphen);
    }
    match class::kind(c.code) {
        _ if class::is_dash(c.code) && is_strict => Foreign::Part,
        _ if is_of_sentence(c.code, at) => Foreign::Ends,
        _ if class::is_dash(c.code) => Foreign::StandsFor("-", Repair::Compatibility),
        Kind::Ends if is_encoded_blank(c) && goes_on_after_space(at) => Foreign::Part,
        Kind::Ends => Foreign::Ends,
        Kind::Vanishes if is_strict => Foreign::Ends,
        Kind::Vanishes => Foreign::StandsFor("", Repair::ZeroWidth),
        // A name may consist of emoji: `10.1000/🐔`.
        Kind::Symbol | Kind::Ideograph if is_running && is_latin() => Foreign::Ends,
        _ => Foreign::Part,
    }
}

/// What a character of private use or a `¬` stands for, which the text of PDF files has for a hyphen: for one between digits, and for
/// none before a mark.
fn lost_hyphen(c: Char, at: &Spot<'_>) -> Option<&'static str> {
    let is_not = c.code == 0xac;
    if c.literal || !is_not && !(0xe000..=0xf8ff).contains(&c.code) {
        return None;
    }
    match (at.suffix.last()?, at.ahead().next()?.ascii()?) {
        (b'0'..=b'9', b'0'..=b'9') => Some("-"),
        (last, b'_' | b'-' | b'.' | b'/') if is_not && last.is_ascii_alphanumeric() => Some(""),
        _ => None,
    }
}

/// Whether `code` is a dash of the sentence: a blank follows it, or in running text a word, if it also stands between words.
fn is_of_sentence(code: u32, at: &Spot<'_>) -> bool {
    let is_digit = |text: &[u8]| text.first().is_some_and(u8::is_ascii_digit);
    if goes_on(at) {
        return at.is_running && class::is_sentence_dash(code) && !is_digit(at.rest());
    }
    class::is_other_dash(code)
        || class::is_long_dash(code) && !is_digit(at.rest().trim_ascii_start())
}

/// The ASCII characters of U+FF01 to U+FF5E, folded.
const FULL_WIDTH: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`ABCDEFGHIJKLMNOPQRSTUVWXYZ{|}~";

/// The ligatures U+FB00 to U+FB06, folded.
const LIGATURES: [&str; 7] = ["FF", "FI", "FL", "FFI", "FFL", "ST", "ST"];

/// What the subscripts U+2080 to U+2089 stand for.
const SUBSCRIPTS: [&str; 10] = ["_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9"];

/// Returns the ASCII characters that the full-width character, the ligature, the dash, the low line or the subscript `code`
/// stands for within a name. Full-width marks are also those of Chinese and Japanese sentences: few stand for ASCII, and
/// only where the name goes on directly after them.
fn compatible(code: u32, at: &Spot<'_>) -> Option<&'static str> {
    match code {
        // A ligature at the end of a name may be its own.
        0xfb00..=0xfb06 if goes_on(at) => Some(LIGATURES[code as usize - 0xfb00]),
        // What fonts of TeX and word processors draw for an underscore.
        0x2d9 | 0x331 | 0x332 if goes_on(at) => Some("_"),
        // A subscript, or `$_4$` of TeX, is an underscore that a program took for a mark of TeX.
        0x2080..=0x2089 if !at.suffix.is_empty() => Some(SUBSCRIPTS[code as usize - 0x2080]),
        0xff01..=0xff5e => {
            let index = code as usize - 0xff01;
            let byte = FULL_WIDTH.as_bytes()[index];
            let is_open = || at.suffix.contains(&b'(');
            let is_mark = || b"-_./(".contains(&byte) || byte == b')' && is_open();
            let is_part = byte.is_ascii_alphanumeric()
                || goes_on(at) && is_mark() && !glued::begins_another(at.rest());
            is_part.then(|| &FULL_WIDTH[index..=index])
        }
        _ => None,
    }
}

/// Whether an ASCII letter or digit follows.
fn goes_on(at: &Spot<'_>) -> bool {
    at.ahead().next().and_then(|c| c.ascii()).is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// Whether `c` is an encoded blank before the suffix, which belongs to no name: `https://doi.org/10.1000/%20182`.
pub(super) fn is_left_out(c: Char, at: &Spot<'_>) -> bool {
    at.suffix.is_empty() && is_encoded_blank(c)
}

fn is_encoded_blank(c: Char) -> bool {
    c.literal && char::from_u32(c.code).is_some_and(|c| c <= ' ' || is_space(c))
}

/// Whether the name continues after an encoded space: with a letter or a digit, in running text only in an address with its scheme.
pub(super) fn goes_on_after_space(at: &Spot<'_>) -> bool {
    let is_letter = |c: Char| char::from_u32(c.code).is_some_and(char::is_alphanumeric);
    let is_mark = |c: &Char| c.ascii().is_some_and(|b| b"._-/:".contains(&b));
    at.ahead().take(2).find(|c| !is_mark(c)).is_some_and(is_letter)
        && at.suffix.last().is_some_and(|last| !b",.".contains(last))
        && (!at.is_running || notation::is_whole_address(at.before))
        && !glued::begins_another(at.rest())
}

#[cfg(test)]
mod tests {
    use crate::doi::Reason;
    use crate::judge::{Judge, Note};
    use crate::scan::{Match, Notation, Options, Repairs, Scanner, Sink, naive};

    /// The names and the reasons of a text.
    #[derive(Debug, Default, PartialEq)]
    struct Answers(Vec<Result<(String, Repairs), Reason>>);

    impl Sink for Answers {
        fn accept(&mut self, found: &Match<'_>) {
            let name = String::from_utf8_lossy(found.doi).into_owned();
            self.0.push(Ok((name, found.repairs)));
        }

        fn reject(&mut self, _: usize, reason: Reason) {
            self.0.push(Err(reason));
        }
    }

    /// Returns the names and reasons that the scanner and its oracle give for `text`.
    fn answers(text: &str, notation: Notation) -> Vec<String> {
        let (text, options) = (text.as_bytes(), Options::default());
        let (mut fast, mut slow) = (Answers::default(), Answers::default());
        naive::scan(text, 0..text.len(), notation, &options, &mut slow);
        Scanner::new(options).scan(text, 0..text.len(), notation, &mut fast);
        assert_eq!(fast, slow, "{}", text.escape_ascii());
        let name = |answer: Result<(String, Repairs), Reason>| match answer {
            Ok((name, _)) => name,
            Err(reason) => reason.name().to_owned(),
        };
        fast.0.into_iter().map(name).collect()
    }

    const CELLS: Notation = Notation::Csv(b',');

    #[test]
    fn full_width_characters() {
        for (name, cell, text) in [
            ("10.1016/S0140-6736（20）30183-5", "10.1016/S0140-6736(20)30183-5", ""),
            ("10.3969/j.issn.1000－0000.2020.01", "10.3969/J.ISSN.1000-0000.2020.01", ""),
            ("10.1007/978-3-319-28059-2＿8", "10.1007/978-3-319-28059-2_8", ""),
            ("10.1000/ａ１", "10.1000/A1", ""),
            ("10.1016/j．cell．2009", "10.1016/J.CELL.2009", ""),
            ("10.1000/182，", "10.1000/182", ""),
            ("10.1000/182。", "10.1000/182", ""),
            ("10.1000/182，见", "10.1000/182", ""),
            ("10.1000/182（见", "10.1000/182", ""),
            ("10.1000/182）", "10.1000/182", ""),
            ("10.1000/182－", "10.1000/182", ""),
            ("10.1000/182；Zhang", "10.1000/182", ""),
        ] {
            assert_eq!(answers(&format!("{name},x"), CELLS), [cell], "{name}");
            let text = if text.is_empty() { cell } else { text };
            assert_eq!(answers(&format!("see {name} x"), Notation::Unknown), [text], "{name}");
        }
        for list in ["10.1000/a、10.1000/b", "10.1000/a；10.1000/b", "10.1000/a（10.1000/b）"] {
            for notation in [CELLS, Notation::Unknown] {
                assert_eq!(answers(list, notation), ["10.1000/A", "10.1000/B"], "{list}");
            }
        }
    }

    #[test]
    fn ligatures_and_marks_of_direction() {
        for (name, expected) in [
            ("10.1016/j.jﬁneco.2009.12.005", "10.1016/J.JFINECO.2009.12.005"),
            ("10.1016/j.jeﬃc.2009.12.005", "10.1016/J.JEFFIC.2009.12.005"),
            ("10.1000/213/ﬁg-1", "10.1000/213/FIG-1"),
            ("10.1016/j.cell\u{200e}.2009.01.042", "10.1016/J.CELL.2009.01.042"),
            ("10.1016/j.cell\u{202a}.2009.01.042\u{202c}", "10.1016/J.CELL.2009.01.042"),
        ] {
            assert_eq!(answers(&format!("{name},x"), CELLS), [expected], "{name}");
            assert_eq!(answers(&format!("see {name} x"), Notation::Unknown), [expected], "{name}");
            let mut judge = Judge::new(false);
            let verdict = judge.judge(name.as_bytes());
            assert_eq!(verdict.doi, Some(expected.as_bytes()), "{name}");
            assert!(verdict.notes.contains(Note::Repaired), "{name}");
        }
    }

    #[test]
    fn one_name_has_one_spelling() {
        let mut strict = Scanner::new(Options::default().with_strict(true));
        for (name, expected) in [
            ("10.1007/s10711\u{2010}018\u{2011}0300\u{2012}1", "10.1007/S10711-018-0300-1"),
            ("10.1007/s10711\u{2013}018\u{2014}0300\u{2015}1", "10.1007/S10711-018-0300-1"),
            ("10.1007/s10711\u{2212}018\u{2043}0300\u{207b}1", "10.1007/S10711-018-0300-1"),
            ("10.1007/s10711\u{fe63}018\u{ff0d}0300\u{fe58}1", "10.1007/S10711-018-0300-1"),
            ("10.3390/\u{fb01}1010047", "10.3390/FI1010047"),
            ("10.1000/\u{fb00}x", "10.1000/FFX"),
            ("10.1000/a\u{fb01}", "10.1000/A\u{fb01}"),
            ("10.1300/j123v48n01\u{332}19", "10.1300/J123V48N01_19"),
            ("10.1000/１２", "10.1000/12"),
        ] {
            let escaped: String = name
                .chars()
                .map(|c| match c.is_ascii() {
                    true => c.into(),
                    false => format!("\\u{:04x}", u32::from(c)),
                })
                .collect();
            let entities: String = name
                .chars()
                .map(|c| match c.is_ascii() {
                    true => c.into(),
                    false => format!("&#{};", u32::from(c)),
                })
                .collect();
            for text in [
                format!("see {name} x"),
                format!("\"DOI\":\"{name}\""),
                format!("\"DOI\":\"{escaped}\""),
                format!("<doi>{name}</doi>"),
                format!("<doi>{entities}</doi>"),
                format!("<a href=\"https://doi.org/{name}\">"),
                format!("<a href='{entities}'>"),
                format!("doi = {{{name}}},"),
                format!("DO  - {name}\n"),
            ] {
                assert_eq!(answers(&text, Notation::Unknown), [expected], "{text}");
            }
            assert_eq!(answers(&format!("{name},x"), CELLS), [expected], "{name}");
            let mut judge = Judge::new(false);
            assert_eq!(judge.judge(name.as_bytes()).doi, Some(expected.as_bytes()), "{name}");
            if !name.contains('\u{200b}') {
                let quoted = format!("\"{name}\"");
                let kept = strict.names(quoted.as_bytes(), Notation::Unknown);
                assert_eq!(kept, [name.to_ascii_uppercase()], "{name}");
            }
        }
    }

    #[test]
    fn a_dash_of_the_sentence_ends_a_name() {
        for (text, expected) in [
            ("see 10.1000/182\u{2014}then", "10.1000/182"),
            ("see 10.1000/182\u{2014}then 3", "10.1000/182"),
            ("see 10.1000/182\u{2015}10.1000/183", "10.1000/182 10.1000/183"),
            ("see 10.1000/182\u{2014}doi:10.1000/183", "10.1000/182 10.1000/183"),
            ("see 10.1000/182\u{2014} 3", "10.1000/182"),
            ("see 10.1000/182\u{2014}\n3", "10.1000/182"),
            ("see 10.1000/182\u{207b} x", "10.1000/182"),
            ("see 10.1007/s10711\u{2014}", "stem"),
            ("see 10.1007/s10711\u{2014}\n018\u{2014}0300\u{2014}1", "stem"),
        ] {
            assert_eq!(answers(text, Notation::Unknown).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn encoded_blanks() {
        for (name, expected) in [
            ("10.21615/ces%20med.v24i1.1011", "10.21615/CES MED.V24I1.1011"),
            ("10.1000/182%20_3", "10.1000/182 _3"),
            ("10.1000/182%20", "10.1000/182"),
            ("10.1000/182%20%20", "10.1000/182"),
        ] {
            let mut judge = Judge::new(false);
            assert_eq!(judge.judge(name.as_bytes()).doi, Some(expected.as_bytes()), "{name}");
            let text = format!("see https://doi.org/{name} x");
            assert_eq!(answers(&text, Notation::Unknown), [expected], "{name}");
        }
        for rest in ["%20-%20a%20title", "%20(accessed%202020)", "%20(2020)", "%20%E2%80%93"] {
            let text = format!("see https://doi.org/10.1000/182{rest} x");
            assert_eq!(answers(&text, Notation::Unknown), ["10.1000/182"], "{rest}");
        }
    }

    #[test]
    fn two_names_without_a_blank() {
        for (text, expected) in [
            (
                "10.1016/0272-7358(85)90039-X10.1016/0272-7358(85)90039-X",
                &["10.1016/0272-7358(85)90039-X"; 2],
            ),
            (
                "10.15700/saje.v37n3a137710.17159/2520-9868/i81a03",
                &["10.15700/SAJE.V37N3A1377", "10.17159/2520-9868/I81A03"],
            ),
        ] {
            assert_eq!(answers(&format!("{text},x"), CELLS), *expected, "{text}");
            assert_eq!(answers(&format!("see {text} x"), Notation::Unknown), *expected, "{text}");
        }
    }
}
