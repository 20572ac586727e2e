//! Continues names over blanks and between inline elements: `10.1126/science. 1228522`,
//! `<span>10.5194/a</span><span>cp-20-1801-2020</span>`.
//!
//! Programs that make text of PDF files write these blanks and elements where a line was
//! justified or a link was wrapped.

use super::stem::has_digit;
use super::unfinished::{
    SPRINGER, continues_shape, ends_in_serial, ends_in_shape, has_forms, is_book, is_sici_cut,
    is_unfinished, is_within_form,
};
use super::wrap::{self, End, Next};
use super::{Joining, Notation, glued, marker, ocr, sici};
use crate::doi::notation;

/// Maximum number of blanks within a name, on either side of the tags.
const MAX_BLANKS: usize = 2;

/// Maximum number of tags between two parts of a name, and of bytes in one of them.
const MAX_TAGS: usize = 4;
const MAX_TAG: usize = 256;

/// Maximum number of bytes of the next word.
const MAX_WORD: usize = 128;

/// Elements that divide no words.
const INLINE: [&[u8]; 10] =
    [b"a", b"b", b"em", b"font", b"i", b"mark", b"small", b"span", b"strong", b"u"];

/// Returns the effect of text on a name, as [`end`] and [`gap`] do.
pub(super) type Effect = fn((&[u8], &[u8]), usize, &[u8], usize, Joining) -> End;

/// Returns how the text at `at` affects a name in this `notation`, or `None` if it does not. In tables, line ends
/// and wide gaps end cells that are not quoted.
pub(super) fn effect(
    (before, after): (&[u8], &[u8]),
    at: usize,
    notation: Notation,
) -> Option<Effect> {
    match notation {
        Notation::Unknown => Some(end),
        Notation::Csv(delimiter) if delimiter != b' ' => {
            let is_wrapped = wrap::is_in_cell(before, &after[at..], delimiter);
            Some(if is_wrapped { end } else { gap })
        }
        _ => None,
    }
}

/// Returns the effect of the text at `at` on `name`: of a line end, blanks or tags.
pub(super) fn end(
    around: (&[u8], &[u8]),
    at: usize,
    name: &[u8],
    start: usize,
    joining: Joining,
) -> End {
    if around.1.get(at) == Some(&b',') {
        let is_misread = joining != Joining::Never && ocr::is_full_stop(around, at, name, start);
        return if is_misread { End::StandsFor(at..at + 1, b'.') } else { End::Whole };
    }
    if joining != Joining::Never
        && around.1.get(2) == Some(&b' ')
        && let Some(end) = spread(around.1, at, name, start)
    {
        return end;
    }
    match wrap::line_end(around, at, name, start, joining) {
        End::Whole => gap(around, at, name, start, joining),
        end => end,
    }
}

/// Returns the effect of the blanks at `at` on a name with a blank before the full stop of its anchor. Programs
/// that read PDF files of TeX find blanks around all marks of such names, because biblatex stretches them:
/// `10 . 1145 / 122344 . 122377`.
#[cold]
fn spread(after: &[u8], at: usize, name: &[u8], start: usize) -> Option<End> {
    let rest = &after[at..];
    let blanks = rest.iter().take(MAX_BLANKS + 1).take_while(|b| **b == b' ').count();
    if !(1..=MAX_BLANKS).contains(&blanks) {
        return None;
    }
    let is_part = |text: &[u8]| {
        let len = text.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let (word, behind) = text.split_at(len);
        let is_number = word.iter().all(u8::is_ascii_digit);
        len > 0
            && match is_number {
                true if len > 3 || !begins_entry(behind) => true,
                _ => name.len() == start || is_unfinished(name, start),
            }
    };
    match &rest[blanks..] {
        [mark @ (b'.' | b'/' | b'-'), behind @ ..] => {
            let gap = usize::from(behind.starts_with(b" "));
            let end = at + blanks + 1 + gap;
            is_part(&behind[gap..]).then_some(End::StandsFor(at..end, *mark))
        }
        text => {
            let is_open = matches!(after[at - 1], b'.' | b'/' | b'-');
            (is_open && is_part(text)).then_some(End::Goes(at..at + blanks))
        }
    }
}

/// Whether `rest`, after a number, begins an entry with this number: `. Smith`.
fn begins_entry(rest: &[u8]) -> bool {
    let word = rest.trim_ascii_start().strip_prefix(b".").unwrap_or_default();
    matches!(word.trim_ascii_start(), [a, b, ..] if a.is_ascii_uppercase() && !b.is_ascii_digit())
}

/// Returns the effect of a blank or of tags at `at` on `name`, which was read up to there and whose
/// suffix begins at `start`. `around` holds the bytes before the candidate and those from its start
/// on; `at` is an offset in the latter.
pub(super) fn gap(
    around: (&[u8], &[u8]),
    at: usize,
    name: &[u8],
    start: usize,
    joining: Joining,
) -> End {
    let (before, after) = around;
    if joining == Joining::Never || !matches!(after.get(at), Some(b' ' | b'<')) {
        return End::Whole;
    }
    let (last, suffix) = (after[at - 1], &name[start..]);
    let is_open = matches!(last, b'-' | b'.' | b'/' | b')' | b':');
    if after[at] == b' ' && ends_sici(&after[at + 1..]) {
        return End::Stem;
    }
    if after[at..].starts_with(b" CO;") && matches!(suffix, [.., b'>' | b']', _, b'.', _, b'.']) {
        return End::Goes(at..at + 1);
    }
    // Nearly every name has a digit and ends in a letter or a digit.
    if !is_open && has_digit(suffix) && !matches!(after[at..], [b' ', b'(', ..]) {
        return match last {
            _ if ends_in_shape(name, start) => shape(after, at, name, start),
            b'0'..=b'9' if matches!(after[at..], [b' ', b'0'..=b'9', ..]) => {
                behind_number(around, at, name, start)
            }
            b'_' if before.ends_with(SCATTERED) => {
                scattered(around, at, name, start).unwrap_or(End::Whole)
            }
            _ => End::Whole,
        };
    }
    if last.is_ascii_alphabetic()
        && after[at] == b' '
        && name.starts_with(MIT)
        && !has_digit(suffix)
    {
        return code(after, at, suffix);
    }
    if is_open && after[at] == b' ' && fills_element(around, at) {
        return End::Goes(at..at + 1);
    }
    let is_scattered = marker::is_scattered(before);
    if let Some(end) = is_scattered.then(|| scattered(around, at, name, start)).flatten() {
        return end;
    }
    let Some(Gap { next, has_tags }) = Gap::after(after, at) else { return End::Whole };
    let is_apart = glued::begins_another(next.token) || next.holds_another() || next.has_scheme();
    if !is_apart
        && next.goes_on(
            last,
            suffix,
            has_tags,
            || marker::is_address(before) || next.fills_quotes(before, after),
            || is_unfinished(name, start),
        )
    {
        return End::Goes(at..next.at);
    }
    if last == b'.' && !is_apart && has_forms(&name[..start]) && marker::is_address(before) {
        return next.form(after, at, name, start);
    }
    // 8 of 629,067 names end in a hyphen outside a SICI. A word of the sentence follows whole ones.
    let is_stem = last == b'-' && (has_tags || next.has_digit() || ends_in_shape(name, start));
    match is_stem && !suffix.is_empty() && !name.ends_with(b";2-") {
        true => End::Stem,
        false => End::Whole,
    }
}

/// Whether `rest` begins with the end of a SICI, whose pages a program took for a tag:
/// `10.1175/1520-0442(1998)011 2.0.CO;2`.
fn ends_sici(rest: &[u8]) -> bool {
    matches!(rest, [a, b'.', b, b'.', b'C' | b'c', b'O' | b'o', ..] if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Returns the effect of the gap at `at` on a name that ends within a known shape.
#[cold]
fn shape(after: &[u8], at: usize, name: &[u8], start: usize) -> End {
    let Some(Gap { next, .. }) = Gap::after(after, at) else { return End::Whole };
    let is_word = matches!(next.token, b"a" | b"A" | b"I");
    match continues_shape(name, start, next.token) && !is_word && !next.holds_another() {
        true => End::Goes(at..next.at),
        false => End::Stem,
    }
}

/// The end of an address that Springer Nature prints with a narrow blank after each mark.
const SCATTERED: &[u8] = b"doi. org/ ";

/// Returns the effect of the gap at `at` on a name after a scattered address: `doi. org/ 10. 1007/
/// s10584- 011- 0018-8`. Springer Nature prints addresses with a narrow blank after each mark.
#[cold]
fn scattered((before, after): (&[u8], &[u8]), at: usize, name: &[u8], start: usize) -> Option<End> {
    let Gap { next, .. } = Gap::after(after, at)?;
    let is_small = next.token.first().is_some_and(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    let is_part = next.has_digit() || matches!(next.token, [.., b'.' | b'/' | b'-']);
    // No sentence ends in these marks.
    let is_within = matches!(after[at - 1], b'/' | b'-' | b'_') && before.ends_with(SCATTERED);
    let is_on =
        is_within || is_small && is_part && (!next.is_entry() || is_unfinished(name, start));
    (is_on && next.is_of_name() && !next.holds_another()).then_some(End::Goes(at..next.at))
}

/// Number of digits between the blanks of a scattered address.
const GROUP: usize = 5;

/// Returns the effect of the blank at `at` on a name that ends in a digit. In a scattered address,
/// numbers of more than six digits have blanks: `10. 1145/ 33722 78. 33907 34`. Programs that read
/// PDF files of TeX lose underscores: `10.1007/978-3-030-58452-8 13`.
#[cold]
fn behind_number((before, after): (&[u8], &[u8]), at: usize, name: &[u8], start: usize) -> End {
    let is_group = || {
        let digits = name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        digits > 0 && digits.is_multiple_of(GROUP) && goes_on_in_groups(&after[at + 1..])
    };
    match () {
        () if before.ends_with(SCATTERED) && is_group() => End::Goes(at..at + 1),
        () if is_book(&name[start..]) && is_chapter(&after[at + 1..]) => {
            let is_springer = name.starts_with(SPRINGER) && marker::is_address(before);
            if is_springer { End::StandsFor(at..at + 1, b'_') } else { End::Whole }
        }
        () => End::Whole,
    }
}

/// Whether `rest` begins with the next digits of a number, not with the number of an entry: `12.
/// Smith`.
fn goes_on_in_groups(rest: &[u8]) -> bool {
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_entry = matches!(rest[digits..], [b'.', b' ', next, ..] if !next.is_ascii_digit());
    (1..=GROUP + 1).contains(&digits) && !is_entry
}

/// Whether `rest` begins with the number of a chapter, and the text after it ends a reference.
fn is_chapter(rest: &[u8]) -> bool {
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let ends = |rest: &[u8]| {
        let blanks = rest.iter().take(MAX_BLANKS + 1).take_while(|b| **b == b' ').count();
        matches!(rest[blanks..], [] | [b'\r' | b'\n' | b'[', ..])
    };
    let is_end = match &rest[digits..] {
        [b',' | b';' | b')' | b']', ..] => true,
        [b'.', rest @ ..] => ends(rest) || rest.starts_with(b" URL"),
        rest => ends(rest),
    };
    (1..=3).contains(&digits) && rest[0] != b'0' && is_end
}

/// The MIT Press. Of its 867 names, 562 are a code, a letter and five digits with `_` between them, and none is
/// only a code.
const MIT: &[u8] = b"10.1162/";

/// Returns the effect of the blank at `at` on the code of a journal of [`MIT`], whose underscores the
/// text may have lost: `10.1162/tacl a 00276`.
#[cold]
fn code(after: &[u8], at: usize, suffix: &[u8]) -> End {
    let is_number = |rest: &[u8]| {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        digits == 5 && !rest.get(5).is_some_and(u8::is_ascii_alphanumeric)
    };
    let is_cut = match (suffix, &after[at..]) {
        ([.., b'_', _], [b' ', rest @ ..]) => is_number(rest),
        (_, [b' ', letter, b' ', rest @ ..]) => letter.is_ascii_lowercase() && is_number(rest),
        _ => false,
    };
    match is_cut {
        true => End::StandsFor(at..at + 1, b'_'),
        false => End::Stem,
    }
}

/// Whether a name with blanks after its marks fills the rest of an element for DOIs:
/// `<doi>10.1051/nss: 2005018</doi>`.
#[cold]
fn fills_element((before, after): (&[u8], &[u8]), at: usize) -> bool {
    let front = notation::strip_label(before).unwrap_or(before).trim_ascii_end();
    let Some(tag) = front.strip_suffix(b">") else { return false };
    let tag = &tag[memchr::memrchr(b'<', tag).unwrap_or(0)..];
    let is_doi = tag.windows(3).any(|word| word.eq_ignore_ascii_case(b"doi"));
    let rest = &after[at..after.len().min(at + MAX_WORD)];
    let Some(end) = memchr::memchr(b'<', rest).filter(|&end| rest[end..].starts_with(b"</")) else {
        return false;
    };
    let is_part = |at: usize| match rest[at] {
        b' ' => at == 0 || matches!(rest[at - 1], b'-' | b'.' | b'/' | b')' | b':'),
        byte => byte.is_ascii_graphic() && byte != b'"',
    };
    // `10.1007/s11999-014-3568-z. Epub` ends before the word.
    let last = rest[..end].rsplit(|&b| b == b' ').next().unwrap_or_default();
    let is_last = has_digit(last) || last.len() == 1;
    let blanks = rest[..end].iter().filter(|b| **b == b' ').count();
    is_doi
        && is_last
        && blanks <= wrap::MAX_LINES
        && (0..end).all(is_part)
        && !glued::begins_another(&rest[1..end])
}

/// Returns the blank within the prefix of a marked candidate, after its anchor and `digits` bytes of
/// its registrant: `doi: 10. 1145/3689031.3696075`, `10.111 1/nph.15229`, `10.1001 /jama.2011.1255`.
pub(super) fn prefix(
    after: &[u8],
    anchor: usize,
    digits: usize,
    joining: Joining,
) -> Option<std::ops::Range<usize>> {
    let at = anchor + digits;
    let [b' ', rest @ ..] = &after[at..] else { return None };
    let more = rest.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let has_rest = matches!(rest[more..], [b'/', b' '..=b'~', ..]);
    // `10.1234 5/x` may be two numbers.
    let is_one = more == 0 || digits < 4;
    let is_gap = joining != Joining::Never && (4..=5).contains(&(digits + more)) && has_rest;
    (is_gap && is_one).then_some(at..at + 1)
}

/// Whether the name that was read up to `at` of `after` in running text is open: it is a SICI without its
/// pages, or it ends in a hyphen, or within a known form in a slash, before the end of a cell, a tag, a carriage
/// return alone or a no-break space, or a dash or a letter of Windows-1252 follows, or within a known shape before a
/// figure dash, an en dash or a minus sign. 8 of 629,067 names end in a hyphen outside a SICI.
#[inline]
pub(super) fn is_open(after: &[u8], at: usize, name: &[u8], start: usize) -> bool {
    let is_end = || {
        matches!(after[at..], [b'\t' | 0x1c..=0x1f, ..] | [0xc2, 0xa0, ..])
            || after.get(at) == Some(&b'\r') && begins_with_digits(&after[at + 1..])
            || is_tag(&after[at..])
    };
    if after.get(at).is_some_and(|byte| *byte >= 0x80)
        && name.len() > start
        && (goes_on_in_latin(&after[at..])
            || is_replaced(&after[at..])
            || is_dash(&after[at..]) && ends_in_shape(name, start))
    {
        return true;
    }
    match name.last() {
        _ if at < after.len() && name.get(start) == Some(&b'(') && sici::is_cut(&name[start..]) => {
            true
        }
        Some(b'0'..=b'9' | b')') => is_sici_cut(name, start),
        Some(b'-') => name.len() > start && is_end() && !name.ends_with(b";2-"),
        Some(b'/') => name.len() > start && is_end() && is_unfinished(name, start),
        _ => false,
    }
}

/// Whether the first word of `rest` has a digit.
fn begins_with_digits(rest: &[u8]) -> bool {
    rest.iter().take(MAX_WORD).take_while(|b| b.is_ascii_graphic()).any(u8::is_ascii_digit)
}

/// Whether a figure dash, an en dash or a minus sign begins `rest`.
fn is_dash(rest: &[u8]) -> bool {
    matches!(rest, [0xe2, 0x80, 0x92 | 0x93, ..] | [0xe2, 0x88, 0x92, ..])
}

/// Whether U+FFFD, which stands for a character that was lost, and a letter or a digit of no other name begin `rest`.
fn is_replaced(rest: &[u8]) -> bool {
    let is_part = |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_alphanumeric);
    rest.strip_prefix("\u{fffd}".as_bytes())
        .is_some_and(|rest| is_part(rest) && !glued::begins_another(rest))
}

/// Whether `rest`, after a part of a name, is not UTF-8 and begins with a letter of Windows-1252, or with a
/// dash before the next part, as Excel writes it for a hyphen: `10.1186/1471\x961458`. Letters among the controls
/// of Latin-1 (`\x9a`) count before the next part alone, because binary data has such bytes too.
#[cold]
fn goes_on_in_latin(rest: &[u8]) -> bool {
    let is_letter = |byte| byte >= 0xc0 && !matches!(byte, 0xd7 | 0xf7);
    let character = &rest[..rest.len().min(4)];
    let is_utf8 = || character.utf8_chunks().next().is_some_and(|chunk| !chunk.valid().is_empty());
    match *rest {
        [0x8a | 0x8c | 0x8e | 0x96 | 0x97 | 0x9a | 0x9c | 0x9e | 0x9f | 0xad, next, ..] => {
            next.is_ascii_alphanumeric()
        }
        // A surrogate, as half of a character in UTF-16 is written.
        [0xed, 0xa0..=0xbf, ..] => false,
        [byte, ..] => is_letter(byte) && !is_utf8(),
        [] => false,
    }
}

/// Blanks and tags, and the word after them.
struct Gap<'a> {
    next: Next<'a>,
    has_tags: bool,
}

impl<'a> Gap<'a> {
    /// Returns the gap at `at`. Inline elements must end and begin in it.
    fn after(after: &'a [u8], at: usize) -> Option<Gap<'a>> {
        let blanks = |at: usize| after[at..].iter().take_while(|b| **b == b' ').count();
        let mut place = at + blanks(at);
        if place - at > MAX_BLANKS {
            return None;
        }
        let mut tags = 0;
        while let Some(len) = tag(&after[place..]).filter(|_| tags < MAX_TAGS) {
            place += len;
            tags += 1;
        }
        let behind = if tags > 0 { blanks(place) } else { 0 };
        let at = place + behind.min(MAX_BLANKS);
        let is_end = |at: &usize| {
            let is_mark = matches!(after[*at], b'"' | b'`' | b'*' | b'\\' | 0x7f..);
            is_mark || after[*at] <= b' ' || is_tag(&after[*at..])
        };
        let end = (at..after.len().min(at + MAX_WORD))
            .find(is_end)
            .unwrap_or(after.len().min(at + MAX_WORD));
        let token = &after[at..end];
        let is_between = tags == 0 || tags >= 2 && after[place - 1] == b'>';
        (!token.is_empty() && is_between)
            .then_some(Gap { next: Next { at, token, is_alone: false }, has_tags: tags > 0 })
    }
}

/// Whether a tag begins at the start of `rest`.
fn is_tag(rest: &[u8]) -> bool {
    matches!(rest, [b'<', b'/' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// Returns the length of the tag of an inline element at the start of `rest`.
fn tag(rest: &[u8]) -> Option<usize> {
    let inner = rest.strip_prefix(b"<")?;
    let inner = inner.strip_prefix(b"/").unwrap_or(inner);
    let len = inner.iter().take(MAX_TAG).take_while(|b| b.is_ascii_alphabetic()).count();
    let is_inline = INLINE.iter().any(|name| inner[..len].eq_ignore_ascii_case(name));
    let end = memchr::memchr(b'>', &rest[..rest.len().min(MAX_TAG)])?;
    is_inline.then_some(end + 1)
}

impl Next<'_> {
    /// Whether the word can only be the rest of the name with this `suffix`, whose last byte in the
    /// source is `last`.
    fn goes_on(
        &self,
        last: u8,
        suffix: &[u8],
        has_tags: bool,
        is_marked: impl Fn() -> bool,
        is_unfinished: impl Fn() -> bool,
    ) -> bool {
        if !self.is_of_name() {
            return false;
        }
        let is_digits = self.token.first().is_some_and(u8::is_ascii_digit);
        let is_rest = self.has_digit() && !self.is_number() || self.has_parts();
        match last {
            // Without a blank, words do not end at tags.
            _ if has_tags && suffix.is_empty() => self.has_digit(),
            _ if suffix.is_empty() => self.begins_suffix() && is_marked(),
            b'-' if self.token[0].is_ascii_alphanumeric() => is_rest || self.is_check_character(),
            b'-' if suffix.ends_with(b"/-") => self.token.starts_with(b"/DCSupplemental"),
            b'/' if self.begins_suffix() && is_unfinished() && is_marked() => true,
            // Nearly every word after the full stop of a sentence.
            _ if matches!(self.token, [b'.', next, ..] if next.is_ascii_alphanumeric()) => {
                !has_digit(suffix) && is_unfinished() && is_marked()
            }
            _ if !self.has_digit() && !is_rest => false,
            b'.' if self.digits() >= 8
                && self.has_parts()
                && ends_in_word(suffix)
                && is_marked() =>
            {
                true
            }
            b'.' | b'/' if is_unfinished() => self.is_strong() || has_tags && is_rest,
            b')' if is_unfinished() => is_digits && self.digits() >= 5,
            _ if ends_in_serial(suffix) => self.is_year_in_brackets(),
            _ if has_tags && is_unfinished() => is_rest,
            _ if is_unfinished() && is_marked() => !is_dated(self.token) && self.is_strong(),
            _ => false,
        }
    }

    /// Whether the word ends the value in quotes that the name begins.
    fn fills_quotes(&self, before: &[u8], after: &[u8]) -> bool {
        before.ends_with(b"\"") && after.get(self.at + self.token.len()) == Some(&b'"')
    }

    /// Returns the effect of the blank at `at` on a marked name that ends in a full stop, and whose registrant
    /// gives known forms to all of its names: `10.1109/TSG. 2016. 2544947`, `10.1002/pds. 1563`,
    /// `10.1126/science. aaw2373`.
    #[cold]
    fn form(&self, after: &[u8], at: usize, name: &[u8], start: usize) -> End {
        let is_bare = !has_digit(&name[start..]);
        if !is_bare && !is_within_form(name, start) {
            return End::Whole;
        }
        let (word, digits) = (self.word(), digits_of_parts(&after[self.at..]));
        let is_year = matches!(word, [b'1', b'9', _, _] | [b'2', b'0', _, _]);
        let is_issue = word.len() == 4 && word.iter().all(u8::is_ascii_digit) && !is_year;
        let letters = word.iter().take_while(|b| b.is_ascii_lowercase()).count();
        let number = &word[letters..];
        let is_code = letters > 0 && number.len() >= 4 && number.iter().all(u8::is_ascii_digit);
        let is_rest = match is_bare {
            true => is_issue || is_code || digits >= 5 && !self.is_number(),
            false => digits >= 3 && word.first().is_some_and(u8::is_ascii_digit),
        };
        match is_rest && self.is_of_name() {
            true => End::Goes(at..self.at),
            false if is_bare || !self.has_digit() => End::Whole,
            false => End::Stem,
        }
    }

    /// Whether the word after a prefix and a blank can only be a suffix: `nrg1523`, `j.ajic.2011.03.008`,
    /// `2015/`.
    fn begins_suffix(&self) -> bool {
        let has_letter = || self.token.iter().any(u8::is_ascii_alphabetic);
        let is_open = || matches!(self.token, [.., b'/']);
        self.has_digit() && (has_letter() || self.digits() >= 7 || is_open())
    }

    /// Whether the word is one check character before the end of a sentence: `8.`.
    fn is_check_character(&self) -> bool {
        matches!(self.token, [c] | [c, b'.' | b',' | b';' | b')', ..] if c.is_ascii_alphanumeric())
    }
}

/// Whether the last part of `suffix`, after a full stop and before the full stop at its end, is a word:
/// `IUCN.UK.2021-3.RLTS.`. Of 628,072 names, 273 end in such a word, after which no sentence begins with a number in
/// parts.
fn ends_in_word(suffix: &[u8]) -> bool {
    let mut parts = suffix.strip_suffix(b".").unwrap_or_default().rsplit(|&b| b == b'.');
    let is_word = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphabetic);
    parts.next().is_some_and(is_word) && parts.next().is_some()
}

/// Maximum number of parts that [`digits_of_parts`] reads.
const MAX_PARTS: usize = 4;

/// Returns the number of digits in the parts of a name at the start of `text`, which have a full stop and a
/// blank between them: `humov. 2009. 03. 003`.
fn digits_of_parts(text: &[u8]) -> usize {
    let (mut rest, mut digits) = (&text[..text.len().min(MAX_WORD)], 0);
    for _ in 0..MAX_PARTS {
        let is_part = |b: &&u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let len = rest.iter().take_while(is_part).count();
        digits += rest[..len].iter().filter(|b| b.is_ascii_digit()).count();
        match &rest[len..] {
            [b'.' | b'-', b' ', behind @ ..] if len > 0 => rest = behind,
            _ => break,
        }
    }
    digits
}

/// Whether `word` begins with a date: `2019-05-12`.
fn is_dated(word: &[u8]) -> bool {
    matches!(word, [b'1' | b'2', _, _, _, b'-' | b'/' | b'.', ..])
}
