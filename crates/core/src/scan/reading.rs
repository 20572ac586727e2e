//! What a character means for a name. The scanner and its oracle read a text in their own ways and
//! share these rules.

use super::class::{self, Kind, is_private_use};
use super::field::Field;
use super::rules::WORDS;
use super::{Options, Repair, glued, hyphen, subfield};
use crate::decode::Char;
use crate::doi::{is_space, notation};

/// A place in a text, after a character.
pub(super) trait Reading {
    /// Returns the options of the caller.
    fn options(&self) -> &Options;
    /// Whether the rules for running text apply.
    fn is_running(&self) -> bool;
    /// Whether U+2010 and U+2011 stand for hyphens.
    fn is_text(&self) -> bool;
    /// Returns the bytes before the name.
    fn before(&self) -> &[u8];
    /// Returns the folded suffix before the character.
    fn suffix(&self) -> &[u8];
    /// Returns the bytes after the character.
    fn rest(&self) -> &[u8];
    /// Returns the next character.
    fn next(&self) -> Option<Char>;
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
            let is_template = byte == b'{' && rest.first() == Some(&b'{');
            let is_note = is_template
                || byte == b'[' && glued::is_remark(rest, notation::is_whole_address(at.before()));
            return if is_note || begins() { Mark::Ends(0) } else { Mark::Opens };
        }
        b')' | b']' | b'}' => return Mark::Closes,
        b';' => !begins() && at.goes_on_after_semicolon(),
        b'#' => at.suffix().ends_with(b";2-"),
        b',' => is_hydrology(at.suffix()) && rest.first().is_some_and(u8::is_ascii_digit),
        b'&' => !leads() && !at.is_parameter() && !glued::is_in_query(at.before()),
        b'=' => !leads() && !glued::is_quoted_printable(rest),
        b'+' => !begins(),
        b':' => match glued::word(at.suffix(), rest) {
            Some(word) => return Mark::Ends(word),
            None => true,
        },
        // A link of Primo: `$$Uhttps://link.springer.com/10.1000/182$$EHTML`.
        b'$' if matches!(rest, [b'$', code, ..] if code.is_ascii_uppercase()) => false,
        b'$' if subfield::begins(rest) => !at.is_marc() && !subfield::is_in_value(at.before()),
        // A comment of TeX, or a share: no name ends in `%`.
        b'%' if matches!(rest, [b' ', ..]) => !at.suffix().last().is_some_and(u8::is_ascii_digit),
        b'$' | b'%' => true,
        // The end of an HTML comment.
        b'>' if at.suffix().ends_with(b"--") => return Mark::Ends(2),
        // An escaped character of a name: `\_`, `&#x2F;`.
        _ => class::is_plain(byte),
    };
    if is_part { Mark::Part } else { Mark::Ends(0) }
}

/// Whether `suffix` ends in the year of Hydrologie und Wasserbewirtschaftung, whose names have a comma
/// before the issue: `10.5675/HyWa_2012,1_1`.
fn is_hydrology(suffix: &[u8]) -> bool {
    let year = suffix.strip_prefix(b"HYWA_").unwrap_or_default();
    year.len() == 4 && year.iter().all(u8::is_ascii_digit)
}

/// Whether the mark `byte`, which does not close `field`, is part of the name that fills it.
pub(super) fn is_in_field(byte: u8, field: Field, at: &impl Reading) -> bool {
    let begins = || glued::begins_another(at.rest());
    let leads = || begins() || glued::leads_to_another(at.rest());
    match byte {
        b'"' | b'<' | b'>' | b'\\' => false,
        b'#' if at.suffix().ends_with(b";2-") => true,
        b'?' | b'#' => !field.url,
        b'&' => !leads() && !at.is_parameter(),
        // A parameter of a template: `'10.1000/182|doi-access=free'`.
        b'|' if at.is_parameter() => false,
        b',' | b';' | b'|' => !glued::is_list(field.within(at.rest())),
        b'=' => !leads(),
        b'[' => !begins() && !glued::is_tag(at.rest()),
        b'(' | b'+' => !begins(),
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
}

/// Returns the effect of the non-ASCII character `c`.
pub(super) fn foreign(c: Char, at: &impl Reading) -> Foreign {
    let (is_strict, is_running) = (at.options().strict, at.is_running());
    let is_text = is_running && !c.literal;
    let is_latin = || !at.suffix().is_empty() && at.suffix().is_ascii();
    match class::kind(c.code) {
        Kind::Ends if c.literal && is_space_code(c.code) && goes_on_after_space(at) => {
            Foreign::Part
        }
        // No program that reads PDF files encodes it.
        Kind::Ends if c.literal && class::is_old_bracket(c.code) => Foreign::Part,
        Kind::Ends => Foreign::Ends,
        Kind::Vanishes if is_strict => Foreign::Ends,
        Kind::Vanishes => Foreign::StandsFor("", Repair::ZeroWidth),
        Kind::Dash if is_running && !is_strict && is_punctuation(c, at.rest()) => Foreign::Ends,
        Kind::Dash if is_running && !is_strict => Foreign::StandsFor("-", Repair::Dash),
        Kind::Dash if at.is_text() && !is_strict && matches!(c.code, 0x2010 | 0x2011) => {
            Foreign::StandsFor("-", Repair::Dash)
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
        Kind::Symbol if c.code == DOT_ACCENT && is_text && !is_strict => {
            let is_within = at
                .next()
                .is_some_and(|next| next.ascii().is_some_and(|byte| byte.is_ascii_alphanumeric()));
            match is_within && !at.suffix().is_empty() {
                true => Foreign::StandsFor("_", Repair::LostHyphen),
                false => Foreign::Ends,
            }
        }
        Kind::Symbol if is_text => Foreign::Ends,
        Kind::Ideograph if is_text && is_latin() => Foreign::Ends,
        _ => Foreign::Part,
    }
}

/// Whether the dash `c` before `rest` belongs to the sentence: a word comes after a blank, or another name follows.
fn is_punctuation(c: Char, rest: &[u8]) -> bool {
    let is_word = |next: u8| !next.is_ascii_digit() && !next.is_ascii_whitespace();
    let is_apart =
        matches!(*rest, [b' ', next, ..] if is_word(next)) || glued::begins_another(rest);
    is_apart && !c.literal && class::is_long_dash(c.code)
}

/// `˙`, which has the code of the underscore in the fonts of TeX (OT1).
const DOT_ACCENT: u32 = 0x2d9;

/// Whether `code` is a space.
fn is_space_code(code: u32) -> bool {
    char::from_u32(code).is_some_and(is_space)
}

/// Whether the name continues after an encoded space. In running text, this requires an address
/// with its scheme, and a letter or digit after the space. In a field that the name fills, another
/// encoded character may follow instead.
pub(super) fn goes_on_after_space(at: &impl Reading) -> bool {
    at.next().is_some_and(|c| goes_on_with(c, at.is_running()))
        && (!at.is_running() || notation::is_whole_address(at.before()))
        && !glued::begins_another(at.rest())
}

/// Whether a name continues with `c` after an encoded space.
fn goes_on_with(c: Char, is_running: bool) -> bool {
    let is_alphanumeric = char::from_u32(c.code).is_some_and(char::is_alphanumeric);
    is_alphanumeric || !is_running && c.literal && !is_space_code(c.code)
}
