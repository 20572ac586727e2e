//! What a character means for a name. The scanner and its oracle read a text in their own ways and
//! share these rules.

use super::class::{self, Kind, is_private_use};
use super::field::Field;
use super::rules::WORDS;
use super::{Options, Repair, glued, hyphen, marker, sici, subfield};
use crate::decode::Char;
use crate::doi::{is_space, notation};

/// A place in a text, after a character.
pub(super) trait Reading {
    /// Returns the options of the caller.
    fn options(&self) -> &Options;
    /// Whether the rules for running text apply.
    fn is_running(&self) -> bool;
    /// Returns the bytes before the name.
    fn before(&self) -> &[u8];
    /// Returns the folded suffix before the character.
    fn suffix(&self) -> &[u8];
    /// Returns the bytes after the character.
    fn rest(&self) -> &[u8];
    /// Returns the characters after the character, at most up to the first blank.
    fn ahead(&self) -> impl Iterator<Item = Char>;
    /// Returns the next character.
    fn next(&self) -> Option<Char> {
        self.ahead().next()
    }
    /// Whether the input consists of library records.
    fn is_marc(&self) -> bool;
    /// Whether a URL parameter follows: `utm_source=`.
    fn is_parameter(&self) -> bool;
    /// Whether a part of a known form follows, if the character is a semicolon.
    fn goes_on_after_semicolon(&self) -> bool;
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
pub(super) fn mark(byte: u8, at: &impl Reading) -> Mark {
    let rest = at.rest();
    let begins = || glued::begins_another(rest);
    let leads = || begins() || glued::leads_to_another(rest);
    let is_part = match byte {
        b'(' | b'[' | b'{' => {
            let is_note = match byte {
                b'{' => rest.first() == Some(&b'{'),
                // The macro of an address in AsciiDoc: `https://doi.org/10.1000/182[]`.
                b'[' if rest.first() == Some(&b']') => true,
                b'[' => glued::is_remark(rest, b']', notation::is_whole_address(at.before())),
                _ => at.suffix().ends_with(b".") && glued::is_remark(rest, b')', false),
            };
            return if is_note || begins() { Mark::Ends(0) } else { Mark::Opens };
        }
        b')' | b']' | b'}' => return Mark::Closes,
        b';' => !begins() && at.goes_on_after_semicolon(),
        // It stands for the semicolon of a SICI.
        b',' => sici::is_before_semicolon(at.suffix()) && rest.first() == Some(&b'2'),
        b'#' => at.suffix().ends_with(b";2-"),
        b'&' if glued::is_entity(rest) => false,
        b'&' => !leads() && !at.is_parameter() && !glued::is_in_query(at.before()) && !is_flag(at),
        b'=' => !leads() && !glued::is_quoted_printable(rest),
        b'+' => !begins() && !is_form_blank(at),
        // `10.13039/501100000780::283595`
        b':' if ends_number(at) => false,
        b':' => match glued::word(at.suffix(), rest) {
            Some(word) => return Mark::Ends(word),
            None => true,
        },
        // A note in mathematics: `10.1093/nar/gkv1001$^{a}$`.
        b'$' if rest.first() == Some(&b'^') => false,
        b'$' if subfield::begins(rest) => !at.is_marc() && !subfield::is_in_value(at.before()),
        // A comment of TeX, or a share: no name ends in `%`.
        b'%' if matches!(rest, [b' ', ..] | [b'\n', b'\\', ..]) => {
            !at.suffix().last().is_some_and(u8::is_ascii_digit)
        }
        b'$' | b'%' => true,
        // The end of an HTML comment.
        b'>' if at.suffix().ends_with(b"--") => return Mark::Ends(2),
        // An edge of a graph: `10.1000/182->10.1000/183`.
        b'>' if at.suffix().ends_with(b"-") && begins() => return Mark::Ends(1),
        // An escaped character of a name: `\_`, `&#x2F;`.
        _ => class::is_plain(byte),
    };
    if is_part { Mark::Part } else { Mark::Ends(0) }
}

/// Whether two colons follow a name that is a number.
fn ends_number(at: &impl Reading) -> bool {
    at.rest().starts_with(b":") && at.suffix().iter().all(u8::is_ascii_digit)
}

/// Whether a plus is the blank of a form: in the query of an address, before a word, a dash, a bracket, an encoded mark or
/// another plus. The plus of a SICI comes before its pages.
fn is_form_blank(at: &impl Reading) -> bool {
    let is_next =
        |c: Char| c.literal || is_alphanumeric(c) || c.ascii().is_some_and(|b| b"+-(".contains(&b));
    at.next().is_some_and(is_next) && !sici::begins(at.suffix()) && glued::is_in_query(at.before())
}

/// Whether a `&` begins a parameter without a value in an address: `/10.1000/182&download`.
fn is_flag(at: &impl Reading) -> bool {
    let rest = at.rest();
    let word = rest.iter().take(32).take_while(|b| b.is_ascii_alphabetic() || **b == b'_').count();
    let goes_on = |b: &u8| b.is_ascii_alphanumeric() || b"-./%(:_".contains(b) || *b >= 0x80;
    let is_word = (3..32).contains(&word) && !rest.get(word).is_some_and(goes_on);
    is_word && (notation::is_whole_address(at.before()) || marker::is_in_path(at.before()))
}

/// Whether the mark `byte`, which does not close `field`, is part of the name that fills it.
pub(super) fn is_in_field(byte: u8, field: Field, at: &impl Reading) -> bool {
    let begins = || glued::begins_another(at.rest());
    let leads = || begins() || glued::leads_to_another(at.rest());
    match byte {
        b'"' | b'<' | b'>' | b'\\' => false,
        b'#' if at.suffix().ends_with(b";2-") => true,
        b'?' | b'#' => !field.url,
        b'$' if at.rest().first() == Some(&b'^') => false,
        b'&' => !leads() && !at.is_parameter() && !glued::is_entity(at.rest()) && !is_flag(at),
        // A parameter of a template: `'10.1000/182|doi-access=free'`.
        b'|' if at.is_parameter() => false,
        b';' if at.rest().starts_with(b";") => false,
        b',' | b';' | b'|' => !glued::is_list(field.within(at.rest())),
        b'=' => !leads(),
        b'[' => {
            // The text of a link of AsciiDoc: `"https://doi.org/10.1000/182[Mothur]"`.
            let is_text = field.url && glued::is_remark(at.rest(), b']', false);
            !begins() && !glued::is_tag(at.rest()) && !is_text
        }
        b'(' | b'+' => !begins(),
        b':' if ends_number(at) => false,
        b':' => {
            let rest = field.within(at.rest());
            glued::word(at.suffix(), rest).is_none()
                && !(rest.first().is_none_or(|byte| field.closes(*byte)) && is_remark(at.suffix()))
        }
        _ => true,
    }
}

/// Whether `suffix` ends in one of [`WORDS`], whose colon ends a field: `…1406470Accessed:`.
fn is_remark(suffix: &[u8]) -> bool {
    WORDS.iter().any(|row| suffix.ends_with(row.text.as_bytes()))
}

/// The effect of a non-ASCII character.
pub(super) enum Foreign {
    /// It is part of the name.
    Part,
    /// It stands for these ASCII characters.
    StandsFor(&'static str, Repair),
    /// It ends the name.
    Ends,
    /// It shows that the value, which goes on after it, is damaged.
    Damages,
}

/// Returns the effect of the non-ASCII character `c`.
pub(super) fn foreign(c: Char, at: &impl Reading) -> Foreign {
    let (is_strict, is_running) = (at.options().strict, at.is_running());
    let is_text = is_running && !c.literal;
    let is_latin = || !at.suffix().is_empty() && at.suffix().is_ascii();
    match compatible(c.code, at) {
        Some(text) if !is_strict => return Foreign::StandsFor(text, Repair::Compatibility),
        Some(_) if class::is_other_dash(c.code) => return Foreign::Part,
        _ => {}
    }
    match class::kind(c.code) {
        Kind::Ends
            if is_encoded_blank(c) && !is_in_address(at.before()) && goes_on_after_space(at) =>
        {
            Foreign::Part
        }
        Kind::Ends if !is_strict && !is_running && is_damage(c.code, at) => Foreign::Damages,
        Kind::Symbol if !is_strict && class::is_note(c.code) => Foreign::Ends,
        Kind::Ends => Foreign::Ends,
        Kind::Vanishes if is_strict => Foreign::Ends,
        Kind::Vanishes => Foreign::StandsFor("", Repair::ZeroWidth),
        Kind::Dash if is_running && !is_strict && is_punctuation(c, at.rest()) => Foreign::Ends,
        Kind::Dash if !is_strict => {
            // Programs write both for one: 2 of 628,072 names have two hyphens.
            let is_double = at.suffix().ends_with(b"-");
            Foreign::StandsFor(if is_double { "" } else { "-" }, Repair::Compatibility)
        }
        Kind::Hyphen if is_running => {
            let next = at.next().and_then(|next| next.ascii());
            let count = hyphen::hyphens(at.suffix().last().copied(), c.code, next);
            let count = count.filter(|_| !is_strict && !c.literal);
            count.map_or(Foreign::Ends, |count| {
                Foreign::StandsFor(["", "-"][count], Repair::LostHyphen)
            })
        }
        Kind::Hyphen if is_private_use(c.code) => Foreign::Ends,
        // A name may consist of emoji: `10.1000/🐔`.
        Kind::Symbol if is_text && (c.code < 0x10000 || is_latin()) => Foreign::Ends,
        Kind::Ideograph if is_text && is_latin() => Foreign::Ends,
        _ => Foreign::Part,
    }
}

fn is_letter(code: u32) -> bool {
    char::from_u32(code).is_some_and(char::is_alphanumeric)
}

/// Whether the dash `c` before `rest` belongs to the sentence: another name follows it, or a blank, a line end or nothing,
/// and no digit. None of 629,067 names ends in a dash.
fn is_punctuation(c: Char, rest: &[u8]) -> bool {
    let is_apart = match rest.trim_ascii_start() {
        word if word.len() == rest.len() => word.is_empty() || glued::begins_another(word),
        word => !word.first().is_some_and(u8::is_ascii_digit),
    };
    is_apart && !c.literal && class::is_long_dash(c.code)
}

/// The ASCII characters of U+FF01 to U+FF5E, folded.
const FULL_WIDTH: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`ABCDEFGHIJKLMNOPQRSTUVWXYZ{|}~";

/// The ligatures U+FB00 to U+FB06, folded.
const LIGATURES: [&str; 7] = ["FF", "FI", "FL", "FFI", "FFL", "ST", "ST"];

/// What the subscripts U+2080 to U+2089 stand for. No name in the test data contains one.
const SUBSCRIPTS: [&str; 10] = ["_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9"];

/// Maximum number of characters between full-width brackets.
const MAX_INNER: usize = 16;

/// Returns the ASCII characters that the full-width character, the ligature, the dash, the low line or the subscript `code` stands
/// for within a name. None of 628,072 names contains one. Full-width marks are also those of Chinese and Japanese sentences:
/// they stand for ASCII only where the name goes on directly after them.
fn compatible(code: u32, at: &impl Reading) -> Option<&'static str> {
    let index = match code {
        // A ligature at the end of a name may be its own.
        0xfb00..=0xfb06 if goes_on(at) => return Some(LIGATURES[code as usize - 0xfb00]),
        _ if class::is_other_dash(code) && is_within_word(at) && is_hyphen(code, at) => {
            return Some("-");
        }
        // What fonts of TeX and word processors draw for an underscore.
        0x2d9 | 0x331 | 0x332 if is_within_word(at) => return Some("_"),
        // A subscript, or `$_4$` of TeX, is an underscore that a program took for a mark of TeX.
        0x2080..=0x2089 if !at.suffix().is_empty() => {
            return Some(SUBSCRIPTS[code as usize - 0x2080]);
        }
        // `10.3321/j.issn：0001-5733.2005.01.010`.
        0xff1a if at.suffix().ends_with(b"ISSN") => return Some(":"),
        0xff01..=0xff5e => code as usize - 0xff01,
        // Brackets of mathematics and quotation marks for those of a SICI.
        0x27e8 | 0x2329 | 0x3008 | 0x2039 if sici::begins(at.suffix()) => {
            return Some("<");
        }
        0x27e9 | 0x232a | 0x3009 | 0x203a if sici::begins(at.suffix()) && is_open(at.suffix()) => {
            return Some(">");
        }
        _ => return None,
    };
    let (last, is_running) = (at.suffix().last(), at.is_running());
    let is_between =
        || last.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b')') && goes_on(at);
    let is_part = match FULL_WIDTH.as_bytes()[index] {
        b'0'..=b'9' | b'A'..=b'Z' => true,
        b'-' | b'_' => is_between(),
        // Names of the journals of Kluwer: `A:1015556508925`.
        b':' if is_running => at.suffix().len() == 1 && at.next().is_some_and(|c| c.is_digit()),
        b'.' | b'/' | b':' => !is_running && is_between(),
        b'(' => opens_number(at),
        b')' => ends_in_number(at.suffix()) && (!is_running || goes_on(at)),
        _ => false,
    };
    is_part.then(|| &FULL_WIDTH[index..=index])
}

/// Whether a letter or a digit comes before the character, and one after it.
fn is_within_word(at: &impl Reading) -> bool {
    at.suffix().last().is_some_and(u8::is_ascii_alphanumeric) && goes_on(at)
}

/// Whether the dash `code` within a word of running text is no mark of the sentence: the rest of the word has a digit and
/// begins no other name.
fn is_hyphen(code: u32, at: &impl Reading) -> bool {
    let is_part = |c: &Char| match c.ascii() {
        Some(byte) => class::is_plain(byte) || matches!(byte, b'(' | b')'),
        None => class::is_dash(c.code) || class::kind(c.code) == Kind::Vanishes,
    };
    let has_digit = || at.ahead().take(MAX_WORD).take_while(is_part).any(|c| c.is_digit());
    let is_sentence = at.is_running() && class::is_sentence_dash(code);
    !is_sentence || has_digit() && !glued::begins_another(at.rest())
}

/// Maximum number of characters that are searched for a digit.
const MAX_WORD: usize = 64;

/// Whether an angle bracket of `suffix` is open.
fn is_open(suffix: &[u8]) -> bool {
    memchr::memrchr2(b'<', b'>', suffix).is_some_and(|at| suffix[at] == b'<')
}

fn is_alphanumeric(c: Char) -> bool {
    c.ascii().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// Whether an ASCII letter or digit follows, perhaps after characters without a width.
fn goes_on(at: &impl Reading) -> bool {
    let vanishes = |c: &Char| c.code >= 0x80 && class::kind(c.code) == Kind::Vanishes;
    at.ahead().find(|c| !vanishes(c)).is_some_and(is_alphanumeric)
}

/// Whether a number and a full-width closing bracket follow, in running text with more of the name after them.
fn opens_number(at: &impl Reading) -> bool {
    let mut ahead = at.ahead();
    let close = ahead.by_ref().take(MAX_INNER + 1).find(|c| !is_alphanumeric(*c));
    let closes = goes_on(at) && close.is_some_and(|c| c.code == 0xff09);
    closes && (!at.is_running() || ahead.next().is_some_and(is_alphanumeric))
}

/// Whether `suffix` ends in an opening bracket and a number.
fn ends_in_number(suffix: &[u8]) -> bool {
    let inner = suffix.iter().rev().take(MAX_INNER).take_while(|b| b.is_ascii_alphanumeric());
    let inner = inner.count();
    inner > 0 && suffix[..suffix.len() - inner].ends_with(b"(")
}

/// Whether the mark `code`, which ends names of running text, is damage of the value that goes on after it: a quote, a
/// mark of Chinese and Japanese text, or U+FFFD between letters and digits: `10.1000/a“b`. A capital after the mark of a
/// sentence begins a word. None of 628,072 names contains such a mark.
fn is_damage(code: u32, at: &impl Reading) -> bool {
    let is_mark = matches!(code, 0x2018..=0x201f | 0x2032 | 0x2033 | 0x2039 | 0x203a | 0xab | 0xbb)
        || matches!(code, 0x3001..=0x303f | 0xff01..=0xff65 | 0xfe30..=0xfe6f | 0xfffd);
    let is_sentence = matches!(code, 0x3001 | 0x3002 | 0xff01 | 0xff0c | 0xff1b | 0xff1f);
    let begins_word = || at.next().and_then(|c| c.ascii()).is_some_and(|b| b.is_ascii_uppercase());
    is_mark
        && at.suffix().last().is_some_and(u8::is_ascii_alphanumeric)
        && goes_on(at)
        && !(is_sentence && begins_word())
        && !glued::begins_another(at.rest())
}

/// Whether `c` is a space or a control character that is percent-encoded.
fn is_encoded_blank(c: Char) -> bool {
    c.literal && (c.code <= 0x20 || is_space_code(c.code))
}

/// Whether `code` is a space.
fn is_space_code(code: u32) -> bool {
    char::from_u32(code).is_some_and(is_space)
}

/// Whether the character `c` belongs to no name: an encoded blank or line end before the suffix in an address, or where the
/// address was wrapped.
pub(super) fn is_left_out(c: Char, at: &impl Reading) -> bool {
    is_encoded_blank(c)
        && is_in_address(at.before())
        && (at.suffix().is_empty() || !at.options().strict && is_wrapped(c, at))
}

/// Whether the name after `before` is in an address: of a resolver, in the path of another one, or in its query.
fn is_in_address(before: &[u8]) -> bool {
    notation::strip_resolver(before).is_some()
        || marker::is_in_path(before)
        || glued::is_in_query(before)
}

/// Whether the name goes on after the encoded blank `c`: a mark, after which no name ends, or no digit comes before it, or a mark
/// after a line end, and one word with a digit up to the end of the address after it. A space without a mark may be part of a name.
fn is_wrapped(c: Char, at: &impl Reading) -> bool {
    let last = at.suffix().last();
    let is_open = last.is_some_and(|b| b"-._/()".contains(b))
        || !c.is(b' ') && !at.suffix().iter().any(u8::is_ascii_digit);
    let is_part = |c: &Char| {
        is_encoded_blank(*c)
            || c.ascii().is_some_and(|b| b.is_ascii_graphic() && !b"\"'<>&?#,;:|+".contains(&b))
    };
    let mut word = at
        .ahead()
        .take(MAX_WORD)
        .skip_while(|c| is_encoded_blank(*c))
        .take_while(is_part)
        .peekable();
    let is_mark = |next: &Char| !c.is(b' ') && next.ascii().is_some_and(|b| b"-._/".contains(&b));
    let is_open = is_open || word.peek().is_some_and(is_mark);
    let is_begun = word.peek().is_some_and(|c| is_alphanumeric(*c) || is_mark(c));
    let (mut has_digit, mut is_one) = (false, true);
    word.for_each(|c| {
        has_digit |= c.is_digit();
        is_one &= !is_encoded_blank(c);
    });
    is_open && is_begun && has_digit && is_one && !glued::begins_another(at.rest())
}

/// Whether the name continues after an encoded space. In running text, this requires an address
/// with its scheme. A letter or a digit follows the space, or a mark or a bracketed number and then a letter or a
/// digit: `10.25115/eea.v38i3%20(2).4279`.
pub(super) fn goes_on_after_space(at: &impl Reading) -> bool {
    let Some(first) = at.next() else { return false };
    if matches!(at.suffix().last(), Some(b',' | b'.')) || begins_title(at) {
        return false;
    }
    (is_letter(first.code) || goes_on_after_mark(at))
        && (!at.is_running() || notation::is_whole_address(at.before()))
        && !glued::begins_another(at.rest())
}

/// Whether a number ends the suffix before an encoded space and the words of a title: `10.1016/j.eswa.2016.04.008%20Short%20Survey`.
fn begins_title(at: &impl Reading) -> bool {
    let mut ahead = at.ahead().map(|c| c.ascii().unwrap_or_default());
    at.suffix().last().is_some_and(u8::is_ascii_digit)
        && ahead.next().is_some_and(|b| b.is_ascii_uppercase())
        && ahead.take(2).filter(u8::is_ascii_lowercase).count() == 2
}

/// Whether a name continues after an encoded space with a mark or a bracketed number, and a letter or a digit.
fn goes_on_after_mark(at: &impl Reading) -> bool {
    let mut ahead = at.ahead().map(|c| c.ascii());
    let mut next = ahead.next().flatten();
    if next == Some(b'(') {
        let close = ahead.by_ref().take(MAX_INNER).find(|c| !c.is_some_and(|b| b.is_ascii_digit()));
        if close.flatten() != Some(b')') {
            return false;
        }
        next = ahead.next().flatten();
    }
    let is_mark = matches!(next, Some(b'.' | b'-' | b'_' | b'/' | b':'));
    is_mark && ahead.next().flatten().is_some_and(|b| b.is_ascii_alphanumeric())
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
            ("10.1016/S0140-6736(20）30183-5", "10.1016/S0140-6736(20)30183-5", "stem"),
            ("10.3969/j.issn.1000－0000.2020.01", "10.3969/J.ISSN.1000-0000.2020.01", ""),
            ("10.1023/A：1015556508925", "10.1023/A:1015556508925", ""),
            ("10.1007/978-3-319-28059-2＿8", "10.1007/978-3-319-28059-2_8", ""),
            ("10.1000/ａ１", "10.1000/A1", ""),
            ("10.1000/mm（2020）", "10.1000/MM(2020)", "10.1000/MM"),
            ("10.1016/j．cell．2009", "10.1016/J.CELL.2009", "stem"),
            ("10.1000/182，", "10.1000/182", ""),
            ("10.1000/182。", "10.1000/182", ""),
            ("10.1000/182，见", "10.1000/182", ""),
            ("10.1000/182（见", "10.1000/182", ""),
            ("10.1000/182）", "10.1000/182", ""),
            ("10.1000/182－", "10.1000/182", ""),
            ("10.1000/182；Zhang", "10.1000/182", ""),
            ("10.1000/a‘b", "stem", "10.1000/A"),
            ("10.1000/a“b", "stem", "10.1000/A"),
            ("10.1000/a、1", "stem", "10.1000/A"),
            ("10.1000/a～1", "stem", "10.1000/A"),
            ("10.1000/a\u{fffd}1", "stem", "stem"),
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
            ("10.1007/s10711\u{2014}\u{200b}018\u{2d7}0300\u{208b}1", "10.1007/S10711-018-0300-1"),
            ("10.1000/a\u{2014}b\u{2015}2", "10.1000/A-B-2"),
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
            ("10.25115/eea.v38i3%20(2).4279", "10.25115/EEA.V38I3 (2).4279"),
            ("10.25115/eea.v38i3%20%282%29.4279", "10.25115/EEA.V38I3 (2).4279"),
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
