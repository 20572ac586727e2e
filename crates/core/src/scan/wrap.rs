//! Continues names after a line end: in wrapped text, in the columns of `pdftotext -layout`, in
//! email.
//!
//! In 177 papers read with `pdftotext`, line ends cut 14.6 % of the printed names.

use super::anchor::{self, Anchor};
use super::field::Close;
use super::prefix::Prefix;
use super::stem::has_digit;
use super::suffix::Suffix;
use super::unfinished::{self, ends_in_serial, is_article_cut};
use super::{Joining, LOOKBEHIND, Notation, emphasis, field, glued, hyphen, marker, ocr, sici};
use crate::decode::Char;
use crate::lazy::LazyLock;
use core::ops::Range;
use memchr::memmem::Finder;

/// Maximum number of line ends and blanks within one name: `10. 1016/j. jpba. 2019. 112970`.
pub(super) const MAX_LINES: usize = 8;

/// Maximum number of bytes of the next line that are searched for the rest of a name.
const MAX_LINE: usize = 512;

/// Maximum number of bytes of the pages of a SICI before a line end.
const MAX_PAGES: usize = 64;

/// Maximum number of bytes of the margin of a line.
const MAX_MARGIN: usize = 32;

/// Minimum number of blanks between two columns.
const GAP: usize = 3;

/// How far to the left and right of its column the rest of a name may begin.
const OUTDENT: usize = 2;
const INDENT: usize = 12;

/// The effect of a line end on a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The name ends there, or there is no line end.
    Whole,
    /// The name continues after these bytes.
    Goes(Range<usize>),
    /// The name continues, but its rest was not found.
    Stem,
    /// These bytes stand for this mark.
    StandsFor(Range<usize>, u8),
}

/// Returns the effect of the text at `at` on `name`, which was read up to there and whose suffix
/// begins at `start`. `around` holds the bytes before the candidate and those from its start on;
/// `at` is an offset in the latter.
pub(super) fn line_end(
    around: (&[u8], &[u8]),
    at: usize,
    name: &[u8],
    start: usize,
    joining: Joining,
) -> End {
    let (before, after) = around;
    if joining != Joining::Never
        && after.get(at) == Some(&b'<')
        && let Some(gap) = cut_pages(before, after, at)
    {
        return End::Goes(gap);
    }
    if joining == Joining::Never || !is_line_end(&after[at..]) {
        return End::Whole;
    }
    if sici::is_open(&name[start..]) {
        let next = next(before, after, at).filter(|next| !next.holds_another());
        match next.filter(|next| sici::ends(&name[start..], next.token)) {
            Some(next) => return End::Goes(at..next.at),
            None if name.ends_with(b";2-") => return End::Stem,
            None => {}
        }
    }
    if after[..at].ends_with(ZERO_WIDTH_SPACE) && name.len() > start {
        return divided(around, at, name, start);
    }
    if unfinished::ends_in_shape(name, start) {
        // A letter that is not alone may be a word.
        let is_part = |next: &Next<'_>| next.token.len() > 1 || next.is_alone || next.has_digit();
        let goes_on = |next: &Next<'_>| {
            let is_on = unfinished::continues_shape(name, start, next.token);
            is_on && is_part(next) && !next.holds_another()
        };
        let next = next(before, after, at).filter(goes_on);
        return next.map_or(End::Stem, |next| End::Goes(at..next.at));
    }
    let last = after[at - 1];
    if last == b'_' && emphasis::opens(before) {
        return End::Whole;
    }
    // Torn words are searched for only after names without a digit, which are few.
    let is_bare = !has_digit(&name[start..]);
    let is_word = last.is_ascii_alphabetic() && is_bare;
    if last.is_ascii_alphanumeric() && !is_word && is_plain(before, &after[at..]) {
        return End::Whole;
    }
    let is_unfinished = unfinished::is_unfinished(name, start);
    let found = next(before, after, at);
    if let Some(next) = &found {
        if last == b'-' && is_bare && hyphen::divides(name, start) && next.is_torn() {
            return End::Goes(at - 1..next.at);
        }
        // A list of words may have `10.1016/` before a number.
        let is_lone = name.len() == start && !next.is_strong() && !marker::is_address(before);
        let is_rest = !is_lone && next.is_rest(last, &name[start..], is_unfinished);
        if is_rest && !glued::begins_another(next.token) && !next.holds_another() {
            return End::Goes(at..next.at);
        }
    }
    // A blank line, a list mark, another entry or another name ends the sentence, and the name
    // with it.
    let is_open = is_bare && !unfinished::has_forms(&name[..start]);
    let is_word = |next: &Next<'_>| next.token.len() > 1 || !is_bare && next.has_digit();
    let goes_on = |next: &Next<'_>| {
        is_word(next) && !next.holds_another() && !(is_open && next.begins_entry())
    };
    let is_broken = || line_break(&after[at..]).is_some();
    let is_stem = match last {
        b'-' => found.is_some() || at + 1 < after.len(),
        b'.' | b'/' => is_unfinished && found.as_ref().map_or_else(is_broken, goes_on),
        _ => false,
    };
    match name.len() > start && is_stem {
        true => End::Stem,
        false => End::Whole,
    }
}

/// U+200B, which publishers write where an address may be divided.
const ZERO_WIDTH_SPACE: &[u8] = "\u{200b}".as_bytes();

/// Returns the effect of the line end at `at`, at a place where the address of the name may be divided. The name goes
/// on unless it is whole, or the next word is one of a sentence.
#[cold]
fn divided((before, after): (&[u8], &[u8]), at: usize, name: &[u8], start: usize) -> End {
    let is_unfinished =
        unfinished::is_unfinished(name, start) || unfinished::ends_in_shape(name, start);
    let is_rest = |next: &Next<'_>| {
        let is_apart =
            glued::begins_another(next.token) || next.holds_another() || next.is_reference();
        let is_part = matches!(next.token, [b'.' | b'-' | b'/' | b'_', ..]) || next.digits() >= 5;
        let is_on = next.has_digit() && (is_unfinished || is_part || next.has_parts());
        next.is_of_name() && !is_apart && (is_on || is_unfinished && next.has_parts())
    };
    match next(before, after, at).filter(is_rest) {
        Some(next) => End::Goes(at..next.at),
        None if is_unfinished => End::Stem,
        None => End::Whole,
    }
}

/// Returns the line end within the pages of a SICI, which begin at `at`, if the next line has their end:
/// `<108::AID-␤IGS5>3.0.CO;2-2`.
#[cold]
fn cut_pages(before: &[u8], after: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &after[at + 1..after.len().min(at + MAX_PAGES)];
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let len = rest.iter().position(|b| !b.is_ascii_graphic() || b"<>\"".contains(b))?;
    let end = at + 1 + len;
    if digits == 0 || !rest[digits..].starts_with(b":") || !is_line_end(&after[end..]) {
        return None;
    }
    let next = next(before, after, end)?;
    let close = memchr::memchr(b'>', next.token)?;
    let is_sici = matches!(next.token[close + 1..], [a, b'.', b, b'.', b'C', b'O', ..] if a.is_ascii_digit() && b.is_ascii_digit());
    is_sici.then_some(end..next.at)
}

/// Returns the gap after which the prefix of a marked candidate continues: `doi:10.␤1000/182`. Its
/// anchor has `anchor` bytes, and `digits` bytes of the registrant come before the gap.
pub(super) fn prefix(
    before: &[u8],
    after: &[u8],
    anchor: usize,
    digits: usize,
    joining: Joining,
) -> Option<Range<usize>> {
    let read = anchor + digits;
    if joining == Joining::Never || !is_line_end(&after[read..]) {
        return None;
    }
    let next = next(before, after, read)?;
    let more = next.token.iter().take_while(|b| b.is_ascii_digit()).count();
    let behind = next.token[more..].strip_prefix(b"/")?;
    let has_rest = behind.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'(');
    ((4..=5).contains(&(digits + more)) && has_rest).then_some(read..next.at)
}

/// Whether the line after the line end that begins `rest` clearly does not continue a name that
/// ends in a letter or a digit. This is true for nearly every line of a table: the line begins
/// neither with a blank or one of `.-/_`, nor like the second half of a number, and there are no
/// columns beside the name.
fn is_plain(before: &[u8], rest: &[u8]) -> bool {
    let line = match rest {
        [b'\n', line @ ..] | [b'\r', b'\n', line @ ..] => line,
        _ => return false,
    };
    let digits = line.iter().take(MAX_LINE).take_while(|b| b.is_ascii_digit()).count();
    let is_other = match line[digits..] {
        [b' ' | b'\t' | b'\x0c' | b'.' | b'-' | b'/' | b'_', ..] if digits == 0 => false,
        [b'(', a, b, b')', ..] if digits == 0 && a.is_ascii_digit() && b.is_ascii_digit() => false,
        [b'-', check, next, ..] if check.is_ascii_alphanumeric() => next.is_ascii_alphanumeric(),
        [b'.', b'v', ..] | [b'.', b'1', b'9', ..] | [b'.', b'2', b'0', ..] => false,
        _ => true,
    };
    is_other && !column(before).1
}

/// Elements that end a line: of TEI, HTML and JATS.
const BREAKS: [&[u8]; 3] = [b"lb", b"br", b"break"];

/// Maximum number of bytes of such an element.
const MAX_BREAK: usize = 64;

/// Returns the length of the element that ends a line at the start of `rest`, with a blank and a line end
/// before it: `<lb/>`, `<br />`, or of the quotes between two lines of one string, as gettext writes them.
#[inline]
fn line_break(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\n', next, ..] if next.is_ascii_alphanumeric() => None,
        _ => other_line_break(rest),
    }
}

#[cold]
fn other_line_break(rest: &[u8]) -> Option<usize> {
    if let Some(pieces) = rest.strip_prefix(b"\"\n\"").or(rest.strip_prefix(b"\"\r\n\"")) {
        return Some(rest.len() - pieces.len());
    }
    let blanks = rest.iter().take(GAP).take_while(|b| matches!(b, b' ' | b'\r' | b'\n')).count();
    let inner = rest[blanks..].strip_prefix(b"<")?;
    let len = inner.iter().take(MAX_BREAK).take_while(|b| b.is_ascii_alphabetic()).count();
    let is_break = BREAKS.iter().any(|name| inner[..len].eq_ignore_ascii_case(name));
    let end = memchr::memchr(b'>', &inner[..inner.len().min(MAX_BREAK)])?;
    is_break.then_some(blanks + end + 2)
}

/// Whether a line, or a column of it, ends at the start of `rest`. A carriage return ends a line only
/// with a line feed: alone, it returns to the start of the same line, as in the output of programs.
#[inline]
pub(super) fn is_line_end(rest: &[u8]) -> bool {
    match rest {
        [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..] => true,
        [b'\\', b'\n', ..] | [b'\\', b'\r', b'\n', ..] => true,
        [b'"', b'\n', b'"', ..] | [b'"', b'\r', b'\n', b'"', ..] => true,
        [b'<', b'b' | b'B' | b'l' | b'L', ..] | [b' ', b'<', b'b' | b'B' | b'l' | b'L', ..] => {
            line_break(rest).is_some()
        }
        [b' ', b' ' | b'\n' | b'\r', ..] => {
            let blanks = rest.iter().take(MAX_LINE).take_while(|b| **b == b' ').count();
            blanks >= GAP || matches!(rest[blanks..], [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..])
        }
        _ => false,
    }
}

/// Whether the line end that begins `rest` is in a quoted cell of a table with this `delimiter`: the last quote
/// in `before` that is not doubled opens a cell.
pub(super) fn is_in_cell(before: &[u8], rest: &[u8], delimiter: u8) -> bool {
    let is_end = |byte: &u8| *byte == delimiter || matches!(byte, b'\n' | b'\r');
    let mut before = match rest {
        [b'\n' | b'\r', ..] => before,
        [b' ', ..] if is_line_end(rest) && !rest.starts_with(b"   ") => before,
        _ => return false,
    };
    while let Some(at) = memchr::memrchr(b'"', before) {
        let (front, cell) = (&before[..at], &before[at + 1..]);
        match front.last() {
            Some(b'"') => before = &front[..at - 1],
            Some(byte) => return is_end(byte) && !cell.first().is_some_and(is_end),
            // A longer cell may begin before the window.
            None => return before.len() < LOOKBEHIND,
        }
    }
    false
}

/// Numeric entities of line ends, after their `&`.
const LINE_ENDS: [&[u8]; 6] = [b"#10;", b"#13;", b"#xA;", b"#xD;", b"#x0A;", b"#x0D;"];

/// The first word of the next line.
#[derive(Debug)]
pub(super) struct Next<'a> {
    /// Where it begins.
    pub(super) at: usize,
    /// Its text.
    pub(super) token: &'a [u8],
    /// Whether it is alone on its line, or in its column.
    pub(super) is_alone: bool,
}

/// Returns the first word of the line after the one that ends at `at`, in the same column.
fn next<'a>(before: &[u8], after: &'a [u8], at: usize) -> Option<Next<'a>> {
    let rest = &after[at..after.len().min(at + MAX_LINE)];
    if let Some(len) = line_break(rest) {
        return Next::after_break(after, at + len);
    }
    let end = memchr::memchr(b'\n', rest)?;
    // What follows a carriage return alone is in no column of this line.
    if memchr::memchr(b'\r', &rest[..end]).is_some_and(|at| at + 1 < end) {
        return None;
    }
    let is_gap = !rest[..end].iter().all(|b| matches!(b, b' ' | b'\r' | b'\\'));
    let mut from = at + end + 1;
    let mut line = line_at(after, from);
    let (column, is_column) = column(before);
    let place = match is_gap || is_column {
        _ if numbered(before, line).is_some() => numbered(before, line)?,
        // Lines of two columns alternate where their heights differ.
        _ if is_left_of(line, column) => {
            from += line.len() + 1;
            line = line_at(after, from.min(after.len()));
            in_column(line, column)?
        }
        true => in_column(line, column)?,
        false => {
            let margin = margin(before, line).unwrap_or(0);
            margin + line[margin..].iter().position(|b| !matches!(b, b' ' | b'\t' | b'\x0c'))?
        }
    };
    // No name continues after the end of quotes, of a quoted cell or of braces.
    let is_part = |b: &&u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'}');
    let len = line[place..].iter().take_while(is_part).count();
    let token = &line[place..place + len];
    let behind = &line[place + len..];
    // The next line of a program after a comment.
    if behind.starts_with(b" = ") {
        return None;
    }
    let is_end = behind.trim_ascii().is_empty() || matches!(behind[0], b'"' | b'}');
    let is_alone = is_end || behind.starts_with(b"   ") || ends_entry(behind);
    (len > 0).then_some(Next { at: from + place, token, is_alone })
}

/// Whether `behind`, after a word, ends a reference: with the number of PubMed, or the end of an element.
fn ends_entry(behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    rest.starts_with(b"PMID:") || rest.starts_with(b"</")
}

/// Returns the length of the margin that `line` shares with the line of `before`: the marks of a quotation, a
/// comment or a table, with a blank after them: `> `, `// `, ` * `, `   | `.
fn margin(before: &[u8], line: &[u8]) -> Option<usize> {
    let start = match memchr::memrchr(b'\n', before) {
        Some(end) => end + 1,
        None if before.len() < LOOKBEHIND => 0,
        None => return None,
    };
    let last = &before[start..];
    let is_part =
        |b: &&u8| matches!(b, b' ' | b'\t' | b'>' | b'|' | b'#' | b'*' | b'/' | b'%' | b';' | b'!');
    let len = last.iter().take(MAX_MARGIN).take_while(is_part).count();
    let margin = last[..len].trim_ascii_end();
    (!margin.trim_ascii().is_empty() && line.starts_with(margin)).then_some(margin.len())
}

/// Returns the line at `from`, at most [`MAX_LINE`] bytes of it.
fn line_at(text: &[u8], from: usize) -> &[u8] {
    let line = &text[from..text.len().min(from + MAX_LINE)];
    &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())]
}

/// Returns where the text of `line` begins after its number, if the lines of a preprint are numbered:
/// the line of `before` has the number before it.
fn numbered(before: &[u8], line: &[u8]) -> Option<usize> {
    let last = &before[memchr::memrchr(b'\n', before)? + 1..];
    let number = |line: &[u8]| {
        let digits = line.iter().take(5).take_while(|b| b.is_ascii_digit()).count();
        let text = str::from_utf8(&line[..digits]).ok()?.parse::<u32>().ok()?;
        let blanks = line[digits..].iter().take_while(|b| **b == b' ').count();
        (blanks >= GAP).then_some((text, digits + blanks))
    };
    let ((before, _), (after, place)) = (number(last)?, number(line)?);
    (after == before + 1 && place < line.len()).then_some(place)
}

/// Returns the column in which the text at the end of `before` begins, and whether other columns
/// are to the left of it.
fn column(before: &[u8]) -> (usize, bool) {
    let line = memchr::memrchr2(b'\n', b'\r', before).map_or(before, |at| &before[at + 1..]);
    let place = column_gap(line).map_or(0, |at| at + GAP);
    let indent = line.iter().take_while(|b| **b == b' ').count();
    (width(&line[..place.max(indent)]), place > indent)
}

/// Returns where the last [`GAP`] blanks before the column at the end of `line` begin. A justified
/// line before a long word has wide gaps between its words, which do not separate columns:
/// `in    Context.    doi:    10.1000/`.
fn column_gap(line: &[u8]) -> Option<usize> {
    let mut gap = last_gap(line)?;
    let label = line[..gap].trim_ascii_end();
    let is_label = label.len() >= 4 && label[label.len() - 4..].eq_ignore_ascii_case(b"doi:");
    if gap + GAP < line.len() || !is_label {
        return Some(gap);
    }
    while let Some(next) = last_gap(line[..gap].trim_ascii_end()) {
        if line[next + GAP..gap].trim_ascii_end().contains(&b' ') {
            break;
        }
        gap = next;
    }
    Some(gap)
}

/// Length in bytes of a short line.
const SHORT: usize = 48;

/// Searcher for [`GAP`] consecutive blanks.
static WIDE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(&[b' '; GAP]));

/// Returns where the last [`GAP`] consecutive blanks begin.
fn last_gap(line: &[u8]) -> Option<usize> {
    // Nearly every line has none. Short ones are read faster than searched.
    if line.len() > SHORT {
        WIDE.find(line)?;
    }
    // One of three consecutive blanks is at an offset divisible by three.
    let mut places = (0..line.len()).step_by(GAP).rev().filter(|&at| line[at] == b' ');
    places.find_map(|at| {
        let after = line[at..].iter().take(GAP).take_while(|b| **b == b' ').count();
        let before = line[..at].iter().rev().take(GAP).take_while(|b| **b == b' ').count();
        (before + after >= GAP).then(|| at + after - GAP)
    })
}

/// Returns the number of columns that `text` takes.
fn width(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b & 0xc0 != 0x80).count()
}

/// Whether `line` has text, all of it to the left of `column`.
fn is_left_of(line: &[u8], column: usize) -> bool {
    let text = line.trim_ascii_end();
    !text.is_empty() && width(text) + INDENT < column
}

/// Returns where the word of `line` begins that is nearest to `column`.
fn in_column(line: &[u8], column: usize) -> Option<usize> {
    let (mut at, mut best) = (0, None);
    for (place, &byte) in line.iter().enumerate() {
        let is_start = byte != b' ' && (line[..place].ends_with(b"  ") || place == 0);
        if is_start && at + OUTDENT >= column && at <= column + INDENT {
            let distance = at.abs_diff(column);
            best = best.filter(|&(_, other)| other <= distance).or(Some((place, distance)));
        }
        at += usize::from(byte & 0xc0 != 0x80);
    }
    best.map(|(place, _)| place)
}

impl<'a> Next<'a> {
    /// Returns the first word after the element before `from` that ends a line. Tags end words.
    fn after_break(after: &'a [u8], from: usize) -> Option<Next<'a>> {
        let rest = &after[from..after.len().min(from + MAX_LINE)];
        let place = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let is_part = |b: &&u8| b.is_ascii_graphic() && !b"<\"".contains(b);
        let len = rest[place..].iter().take_while(is_part).count();
        let behind = &rest[place + len..];
        let is_alone = line_break(behind).is_some() || ends_entry(behind);
        let token = &rest[place..place + len];
        (len > 0).then_some(Next { at: from + place, token, is_alone })
    }
}

impl Next<'_> {
    /// Whether the word can only be the rest of a name that ends in `last`. `suffix` is
    /// what was read of the suffix, `is_unfinished` says that the name is cut short within a known form.
    fn is_rest(&self, last: u8, suffix: &[u8], is_unfinished: bool) -> bool {
        if !self.is_of_name() {
            return false;
        }
        let is_wanted =
            || self.has_digit() && (self.is_alone || !self.is_number()) || self.has_parts();
        match last {
            _ if matches!(self.token, [b'.' | b'-' | b'/' | b'_', next, ..] if next.is_ascii_alphanumeric()) => {
                is_unfinished && self.has_digit() || self.is_strong()
            }
            b'/' if suffix.is_empty() => is_wanted() || self.has_digit() && !self.is_reference(),
            b'.' | b'/' if is_unfinished => {
                let is_part = self.is_alone || !self.is_number() || self.is_part();
                self.has_digit() && is_part || self.is_check()
            }
            b'/' => self.has_digit() && (self.has_parts() || self.is_alone && self.is_strong()),
            b'-' => self.has_digit() && !self.is_entry() || self.is_check(),
            b'_' if suffix.strip_suffix(b"_").is_some_and(unfinished::is_book) => {
                self.has_digit() && !self.is_entry()
            }
            b'_' | b'(' => self.has_digit() && !self.is_reference() || self.is_check(),
            b'.' => self.is_alone && self.is_strong() && !self.has_scheme(),
            b')' | b':' | b'\\' => is_unfinished && self.has_digit() && !self.is_reference(),
            b'A'..=b'Z' | b'a'..=b'z' if is_unfinished => self.is_torn(),
            b'0'..=b'9' | b'X' | b'x' if ends_in_serial(suffix) => self.is_year_in_brackets(),
            b'0'..=b'9' if is_article_cut(suffix) => self.is_checked(),
            _ => self.is_alone && self.is_half(),
        }
    }

    /// Whether the word is the number of the next reference and its mark: `12.`, `3)`.
    pub(super) fn is_entry(&self) -> bool {
        self.is_reference() && self.word().len() < self.token.len()
    }

    /// Whether the word begins with the year of a SICI: `(08)60162-0`.
    pub(super) fn is_year_in_brackets(&self) -> bool {
        matches!(self.token, [b'(', a, b, b')', ..] if a.is_ascii_digit() && b.is_ascii_digit())
    }

    /// Whether the word is the end of an article number and its check character: `130-5`.
    fn is_checked(&self) -> bool {
        let [digits @ .., b'-', check] = self.word() else { return false };
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) && check.is_ascii_alphanumeric()
    }

    /// Whether the word begins the next entry of a list, or a sentence: `Nosarti,`, `13.`, `[37]`,
    /// an address. In 2 texts of 12 where a name without a digit ends a line before such a word, it
    /// is cut; both stand in the list of stems. Registrants with known forms have no names without a
    /// digit.
    fn begins_entry(&self) -> bool {
        let first = self.token.first();
        first.is_some_and(|b| b.is_ascii_uppercase() || !b.is_ascii() || b"[(".contains(b))
            || self.is_reference()
            || glued::begins_another(self.token)
    }

    /// Whether another name begins inside the word. The two would overlap if they were joined.
    pub(super) fn holds_another(&self) -> bool {
        memchr::memmem::find_iter(self.token, b"10").any(|start| {
            let len = anchor::anchor(&self.token[start..]);
            let anchor = len.map(|len| Anchor { start, end: start + len });
            let prefix = anchor.and_then(|anchor| Prefix::new(self.token, anchor));
            prefix.is_some_and(|prefix| prefix.suffix().is_ok())
                || ocr::begins(&self.token[start..])
        })
    }

    /// Whether the word begins with the name of another scheme: `swh:1:dir:`, `arXiv:`. No name
    /// ends in a full stop and continues so.
    pub(super) fn has_scheme(&self) -> bool {
        let letters = self.token.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        letters > 1 && self.token.get(letters) == Some(&b':')
    }

    /// Whether every character of the word can be part of a name.
    pub(super) fn is_of_name(&self) -> bool {
        let word = self.word();
        let is_first =
            word.first().is_some_and(|b| b.is_ascii_alphanumeric() || b"(-./_".contains(b));
        is_first && word.iter().all(|b| b.is_ascii_alphanumeric() || b"-._/()[]:;<>%+".contains(b))
    }

    /// Returns the word without the fragment of an address, the entity of a line end, and the punctuation of the
    /// sentence.
    pub(super) fn word(&self) -> &[u8] {
        // Words are too short for `memchr`.
        let end = self.token.iter().position(|&b| b == b'#').unwrap_or(self.token.len());
        let (token, fragment) = self.token.split_at(end);
        let is_line_end = LINE_ENDS.iter().any(|code| fragment.eq_ignore_ascii_case(code));
        let token = token.strip_suffix(b"&").filter(|_| is_line_end).unwrap_or(token);
        let marks = token.iter().rev().take_while(|b| b".,;)]'\"".contains(b)).count();
        &token[..token.len() - marks]
    }

    pub(super) fn has_digit(&self) -> bool {
        self.token.iter().any(u8::is_ascii_digit)
    }

    pub(super) fn digits(&self) -> usize {
        self.token.iter().filter(|b| b.is_ascii_digit()).count()
    }

    /// Whether the word is a number of up to three digits, like the number of a page or a
    /// reference.
    pub(super) fn is_number(&self) -> bool {
        let word = self.word();
        word.len() <= 3 && word.iter().all(u8::is_ascii_digit)
    }

    /// Whether the word is a number that no reference has: with a comma or a leading zero. References may have two
    /// digits and a full stop: `01. Smith`.
    fn is_part(&self) -> bool {
        let word = self.word();
        let is_plain = word.len() == 3 || word.len() == self.token.len();
        self.token.ends_with(b",") || is_plain && matches!(word, [b'0', _, ..])
    }

    /// Whether the word is a single letter alone on its line, like the check characters of an ISSN
    /// and of Springer, and the `x` of Wiley.
    fn is_check(&self) -> bool {
        self.is_alone && matches!(self.word(), [letter] if letter.is_ascii_alphabetic())
    }

    /// Whether the word is the number of the next reference: `12. Babaian`.
    fn is_reference(&self) -> bool {
        self.is_number() && !self.is_alone
    }

    /// Whether the word has parts separated by `.` or `/`: `figshare.8950505.v1`, `r.manuals`.
    /// Words of a sentence usually have none.
    pub(super) fn has_parts(&self) -> bool {
        let word = self.word();
        word.windows(3).any(|w| {
            b"./".contains(&w[1]) && w[0].is_ascii_alphanumeric() && w[2].is_ascii_alphanumeric()
        }) && !word.starts_with(b"www.")
    }

    /// Whether the word, alone on its line, cannot be a page number. It has five digits, is a
    /// version, or has parts and three digits.
    pub(super) fn is_strong(&self) -> bool {
        let is_version = matches!(self.word(), [b'v', rest @ ..] if !rest.is_empty() && rest.iter().all(u8::is_ascii_digit));
        self.digits() >= 5 || is_version || self.digits() >= 3 && self.has_parts()
    }

    /// Whether the word, alone on its line, continues a word of the name:
    /// `10.1016/j.neuropsycholog␤ia.2015.07.019`.
    fn is_torn(&self) -> bool {
        let is_small = self.token.first().is_some_and(u8::is_ascii_lowercase);
        self.is_alone && is_small && self.has_parts() && self.digits() >= 3
    }

    /// Whether the word is the second half of a number and the parts after it: `7.2006.10762721`,
    /// `750.v1`.
    fn is_half(&self) -> bool {
        let mut parts = self.word().split(|&b| b == b'.');
        let is_number = |part: Option<&[u8]>| {
            part.is_some_and(|p| !p.is_empty() && p.iter().all(u8::is_ascii_digit))
        };
        if !is_number(parts.next()) {
            return false;
        }
        match parts.next() {
            Some([b'v', version @ ..]) => is_number(Some(version)) && parts.next().is_none(),
            year => {
                let is_year = year.is_some_and(|y| {
                    y.len() == 4 && (y.starts_with(b"19") || y.starts_with(b"20"))
                });
                let last = parts.next();
                is_year && is_number(year) && is_number(last) && last.is_some_and(|l| l.len() >= 5)
            }
        }
    }
}

impl Suffix<'_> {
    /// Returns where the name continues after a soft line break that `c` begins, followed by a character of the
    /// name: a `=` at the end of a line of quoted-printable text (RFC 2045, 6.7), or a `%` at the end of a line
    /// within the braces of TeX, where BibTeX breaks long lines. An escaped mark, such as `&#x3D;`, is content. In
    /// tables and lists a line end ends a value.
    pub(super) fn soft_break(&self, c: Char, has_begun: bool) -> Option<usize> {
        let context = self.context;
        let is_text = context.notation == Notation::Unknown && !context.options.strict;
        if !is_text || !c.is(b'=') && !c.is(b'%') || !c.is(context.text.bytes[c.next - 1]) {
            return None;
        }
        let (at, rest) = match *self.rest(c.next) {
            [b'\n', ref rest @ ..] => (c.next + 1, rest),
            [b'\r', b'\n', ref rest @ ..] => (c.next + 2, rest),
            _ => return None,
        };
        let is_joined = context.options.joining() != Joining::Never;
        let is_break = c.is(b'=') || is_joined && is_tex(context.before, rest);
        let is_part =
            |next: &u8| next.is_ascii_graphic() && (has_begun || next.is_ascii_alphanumeric());
        (is_break && rest.first().is_some_and(is_part)).then_some(at)
    }
}

/// Whether the name after `before` is in braces, and no other name begins `rest`, which follows a `%` and a line
/// end.
pub(super) fn is_tex(before: &[u8], rest: &[u8]) -> bool {
    let field = field::field(before, Notation::Unknown);
    field.is_some_and(|field| field.close == Close::Byte(b'}')) && !glued::begins_another(rest)
}

#[cfg(test)]
mod tests;
