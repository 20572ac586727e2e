//! The oracle: the rules of the scanner with none of its tricks.
//!
//! It looks at every position, undoes one escaping after the other over all the text
//! behind a candidate, and reads and trims character by character. It is far too
//! slow for use and stays for ever: the scanner must give the same answers on every
//! input. What stands before a candidate, and single escapes, are judged by the same
//! functions in both; those are plain already.

use super::anchor::{self, Anchor};
use super::candidate::{find_registrant, lookahead};
use super::class::{self, Kind, is_blank};
use super::field::{self, Close, Field};
use super::{LOOKBEHIND, Match, Notation, Options, Repair, Repairs, Sink};
use super::{boundary, glued, lookalike, marker, sici, suffix, trim, urn};
use crate::decode::{Char, Entity, Json, Latex, Layer, Percent, Text, Utf8};
use crate::doi::{LEAST_DIGITS, MAX_DIGITS, Reason, fold, is_graphic};
use std::ops::Range;

/// Reports the same as [`super::Scanner::scan`].
pub fn scan<S: Sink>(
    haystack: &[u8],
    starts: Range<usize>,
    notation: Notation,
    options: &Options,
    sink: &mut S,
) {
    for start in starts {
        if haystack[start..].starts_with(urn::MARK) {
            urn::report(haystack, start, sink);
            continue;
        }
        let Some(len) = anchor::anchor(&haystack[start..]) else { continue };
        if !haystack.get(start + len).is_some_and(u8::is_ascii_digit) {
            continue;
        }
        match judge(haystack, Anchor { start, end: start + len }, notation, options) {
            Ok(name) => sink.accept(&Match {
                start,
                end: start + name.end,
                doi: &name.folded(),
                repairs: name.repairs,
            }),
            Err(reason) => sink.reject(start, reason),
        }
    }
}

/// A character, how it was written, and where its source ends.
#[derive(Clone, Copy)]
struct Unit {
    c: char,
    literal: bool,
    valid: bool,
    end: usize,
}

/// Units as a layer: a place is an index.
struct Units<'a>(&'a [Unit]);

impl Layer for Units<'_> {
    fn at(&self, at: usize) -> Option<Char> {
        let unit = self.0.get(at)?;
        let code = if unit.valid { unit.c.into() } else { Char::INVALID };
        Some(Char { code, next: at + 1, literal: unit.literal })
    }
}

/// All characters of `layer`, whose places are indices of `below`.
fn undo<L: Layer>(layer: L, below: &[Unit]) -> Vec<Unit> {
    let mut at = 0;
    std::iter::from_fn(|| {
        let c = layer.at(at)?;
        at = c.next;
        let end = below[at - 1].end;
        let valid = c.code != Char::INVALID;
        Some(Unit { c: char::from_u32(c.code).unwrap_or('\0'), literal: c.literal, valid, end })
    })
    .collect()
}

/// The characters of `after` up to the first blank and with it, unescaped; all of
/// them where a name may go on behind the end of a line.
fn unescape(after: &[u8], options: &Options) -> Vec<Unit> {
    let blank = after.iter().position(|&b| is_blank(b)).filter(|_| !options.join_lines);
    let len = blank.map_or(after.len(), |at| at + 1);
    let bytes: Vec<Unit> =
        (1..=len).map(|end| Unit { c: '\0', literal: false, valid: false, end }).collect();
    let mut units = undo(Utf8(&after[..len]), &bytes);
    units = undo(Json(Units(&units)), &units);
    units = undo(Json(Units(&units)), &units);
    units = undo(Latex(Units(&units)), &units);
    units = undo(Entity(Units(&units)), &units);
    units = undo(Entity(Units(&units)), &units);
    undo(Percent(Units(&units)), &units)
}

/// A name, character by character.
struct Name {
    prefix: String,
    /// Characters of the suffix and where the source of each ends.
    suffix: Vec<(char, usize)>,
    /// Where the source of the name ends.
    end: usize,
    repairs: Repairs,
}

impl Name {
    fn text(&self) -> String {
        self.suffix.iter().map(|(c, _)| c.to_ascii_uppercase()).collect()
    }

    fn folded(&self) -> Vec<u8> {
        let mut name = format!("{}{}", self.prefix, self.text()).into_bytes();
        fold(&mut name);
        name
    }

    fn len(&self) -> usize {
        self.prefix.len() + self.suffix.iter().map(|(c, _)| c.len_utf8()).sum::<usize>()
    }

    fn ends_with(&self, end: &str) -> bool {
        self.text().ends_with(end)
    }

    /// Cuts `count` characters from the end.
    fn cut(&mut self, count: usize) {
        self.suffix.truncate(self.suffix.len() - count);
    }
}

/// The text of one candidate.
struct Source<'a> {
    after: &'a [u8],
    is_cut: bool,
    /// Whether percent-encoding was undone twice.
    twice: bool,
    /// Where the suffix begins.
    from: usize,
    units: Vec<Unit>,
    options: &'a Options,
}

/// Why reading ends without a name.
enum Stop {
    NotWhole,
    TooLong,
}

fn judge(
    haystack: &[u8],
    anchor: Anchor,
    notation: Notation,
    options: &Options,
) -> Result<Name, Reason> {
    let before = &haystack[anchor.start.saturating_sub(LOOKBEHIND)..anchor.start];
    let reach = haystack.len().min(anchor.start + lookahead(options));
    let after = &haystack[anchor.start..reach];
    let digits = &after[anchor.end - anchor.start..];
    let found = find_registrant(digits);
    let separator = anchor.end - anchor.start + found.len;

    let mut units = unescape(&after[separator..], options);
    let first = *units.first().ok_or(Reason::NoSeparator)?;
    let text: String = units.iter().take(3).map(|u| u.c).collect();
    let mut twice = false;
    let from = if first.valid && class::is_slash(first.c.into())
        || text.starts_with(':') && !first.literal && marker::is_urn(before)
        || text.starts_with('_') && marker::is_underscored(before)
    {
        units.remove(0);
        first.end
    } else if first.literal && (text == "%2F" || text == "%2f") {
        let rest = units.split_off(3);
        let end = units[2].end;
        units = undo(Percent(Units(&rest)), &rest);
        twice = true;
        end
    } else {
        return Err(Reason::NoSeparator);
    };
    if found.longest > MAX_DIGITS {
        return Err(Reason::TooLongRegistrant);
    }
    if boundary::is_date(&digits[..found.len]) {
        return Err(Reason::Date);
    }
    let is_marked = found.first >= LEAST_DIGITS && marker::is_marked(before);
    if !found.is_plain() && (digits.starts_with(b"10.") || !is_marked) {
        return Err(Reason::TooShortRegistrant);
    }
    if found.first >= 6 && !boundary::has_letter(digits) && !marker::is_marked(before) {
        return Err(Reason::TooLongRegistrant);
    }
    boundary::left_boundary(before, digits)?;

    let is_encoded = marker::is_encoded(before);
    for unit in &mut units {
        unit.end += separator;
        unit.literal &= !is_encoded;
    }
    let is_cut = reach < haystack.len();
    let from = separator + from;
    let source = Source { after, is_cut, twice, from, units, options };
    let prefix = format!("10.{}/", String::from_utf8_lossy(&digits[..found.len]));
    let name = source.read(prefix, field::field(before, notation))?;
    if name.suffix.is_empty() {
        return Err(source.why_empty());
    }
    if options.strict && name.suffix.get(1).is_some_and(|(c, _)| *c == '/') {
        return Err(Reason::ReservedSuffix);
    }
    lookalike::lookalike(before, &name.folded()).map_or(Ok(name), Err)
}

impl Source<'_> {
    /// Reads and trims the name, as a whole field or as running text.
    fn read(&self, prefix: String, field: Option<Field>) -> Result<Name, Reason> {
        let from = self.from;
        let empty = || Name {
            prefix: prefix.clone(),
            suffix: vec![],
            end: from,
            repairs: Repairs::default(),
        };
        let mut name = empty();
        let is_whole = field.is_some_and(|field| self.whole(&mut name, field).is_ok());
        if is_whole {
            while !self.options.strict && is_dirty(&name.text()) {
                name.cut(1);
                name.repairs.insert(Repair::Trailing);
            }
        } else {
            name = empty();
            self.running(&mut name).map_err(|_| Reason::TooLong)?;
            trim_running(&mut name);
        }
        name.end = name.suffix.last().map_or(from, |&(_, end)| end);
        Ok(name)
    }

    /// Why nothing is left of the suffix.
    fn why_empty(&self) -> Reason {
        let vanishes = |u: &&Unit| u.valid && class::kind(u.c.into()) == Kind::Vanishes;
        let mut units = self.units.iter();
        let first = units.find(|u| self.options.strict || u.c.is_ascii() || !vanishes(u));
        match first {
            Some(u) if !u.valid || (!u.c.is_ascii() && !is_graphic(u.c)) => Reason::NonGraphic,
            _ => Reason::NoSuffix,
        }
    }

    /// The place in the source where the unit `i` begins.
    fn start(&self, i: usize) -> usize {
        if i == 0 { self.from } else { self.units[i - 1].end }
    }

    /// The source behind the unit `i`.
    fn behind(&self, i: usize) -> &[u8] {
        &self.after[self.units[i].end..]
    }

    /// Takes the unit `i`. Returns the index of the next one, or `None` if the unit
    /// is a mark or no part of any name.
    fn take(&self, i: usize, name: &mut Name, is_running: bool) -> Option<usize> {
        let unit = self.units[i];
        if let Some(end) = self.pages(i) {
            name.suffix.extend(self.units[i..end].iter().map(|u| (u.c, u.end)));
            return Some(end);
        }
        if unit.c.is_ascii() && unit.valid {
            if self.is_encoded_delimiter(i) {
                return None;
            }
            let is_content = unit.literal && !"<>()[]{}".contains(unit.c);
            if !is_content || u8::try_from(unit.c).is_ok_and(is_blank) {
                return None;
            }
            name.suffix.push((unit.c, unit.end));
            return Some(i + 1);
        }
        match class::kind(if unit.valid { unit.c.into() } else { Char::INVALID }) {
            Kind::Ends => return None,
            Kind::Vanishes if self.options.strict => return None,
            Kind::Vanishes => name.repairs.insert(Repair::ZeroWidth),
            Kind::Dash if is_running && !self.options.strict => {
                name.repairs.insert(Repair::Dash);
                name.suffix.push(('-', unit.end));
            }
            Kind::Symbol if is_running && !unit.literal => return None,
            Kind::Ideograph
                if is_running
                    && !unit.literal
                    && !name.text().is_empty()
                    && name.text().is_ascii() =>
            {
                return None;
            }
            _ => name.suffix.push((unit.c, unit.end)),
        }
        Some(i + 1)
    }

    /// Whether the unit `i` is a percent-encoded delimiter of a list of names.
    fn is_encoded_delimiter(&self, i: usize) -> bool {
        let unit = self.units[i];
        let byte = u8::try_from(unit.c).unwrap_or_default();
        unit.literal && glued::is_delimiter(byte, self.behind(i))
    }

    /// The index behind the pages of a SICI that the unit `i` opens.
    fn pages(&self, i: usize) -> Option<usize> {
        let close = match self.units[i].c {
            '<' => '>',
            '¡' => '¿',
            _ => return None,
        };
        let rest = &self.units[i + 1..];
        let len = rest.iter().take(64).position(|u| u.c == close)?;
        let inner: String = rest[..len].iter().map(|u| u.c).collect();
        let fits = !inner.contains(".....")
            && inner.chars().all(|c| c.is_ascii_graphic() && !"<\"|\\".contains(c));
        let version: Vec<char> = rest[len + 1..].iter().take(3).map(|u| u.c).collect();
        let is_version =
            matches!(version[..], [a, '.', b] if a.is_ascii_digit() && b.is_ascii_digit());
        (fits && (len == 0 || inner.contains(':')) && is_version).then_some(i + len + 2)
    }

    fn whole(&self, name: &mut Name, field: Field) -> Result<(), Stop> {
        let (mut i, mut depth) = (0, 0);
        while i < self.units.len() {
            if name.len() > self.options.max_length {
                return Err(Stop::NotWhole);
            }
            if let Some(next) = self.take(i, name, false) {
                i = next;
                continue;
            }
            let unit = self.units[i];
            if !unit.valid || !unit.c.is_ascii() || self.is_encoded_delimiter(i) {
                return Err(Stop::NotWhole);
            }
            let closes = u8::try_from(unit.c).is_ok_and(|b| field.closes(b));
            let another = glued::begins_another(self.behind(i));
            let leads = glued::leads_to_another(self.behind(i));
            let goes_on = match unit.c {
                '{' => depth < 16,
                '}' if depth > 0 => true,
                ';' if sici::is_before_semicolon(name.text().as_bytes()) => true,
                _ if closes => return Ok(()),
                c if u8::try_from(c).is_ok_and(is_blank) => {
                    return self.closes_behind_blanks(self.start(i), field);
                }
                '"' | '<' | '>' | '\\' => false,
                '#' if name.ends_with(";2-") => true,
                '?' | '#' => !field.url,
                '&' => !another && !leads && !self.is_parameter(i),
                ',' | ';' | '|' => !glued::is_list(self.behind(i)),
                '=' => !another && !leads,
                '(' | '[' | '+' => !another,
                ':' => glued::word(name.text().as_bytes(), self.behind(i)).is_none(),
                _ => true,
            };
            if !goes_on {
                return Err(Stop::NotWhole);
            }
            depth += i32::from(unit.c == '{') - i32::from(unit.c == '}' && depth > 0);
            name.suffix.push((unit.c, unit.end));
            i += 1;
        }
        let ends = name.len() <= self.options.max_length && !self.is_cut;
        if ends && !matches!(field.close, Close::Byte(_)) { Ok(()) } else { Err(Stop::NotWhole) }
    }

    /// Whether the field closes behind the blanks at `at`, or with one of them.
    fn closes_behind_blanks(&self, at: usize, field: Field) -> Result<(), Stop> {
        let rest = &self.after[at..];
        let blanks: Vec<u8> = rest.iter().copied().take_while(|&b| is_blank(b)).collect();
        let closes = match rest.get(blanks.len()) {
            _ if blanks.len() >= suffix::MAX_BLANKS => false,
            Some(&b) => field.closes(b) || blanks.iter().any(|&b| field.closes(b)),
            None => !self.is_cut && !matches!(field.close, Close::Byte(_)),
        };
        if closes { Ok(()) } else { Err(Stop::NotWhole) }
    }

    fn is_parameter(&self, i: usize) -> bool {
        let word = self.units[i + 1..].iter().take(32);
        let mut len = 0;
        for unit in word {
            match unit.c {
                '=' | ':' => return len > 0,
                c if c.is_ascii_alphanumeric() || "_.-".contains(c) => len += 1,
                _ => return false,
            }
        }
        false
    }

    fn running(&self, name: &mut Name) -> Result<(), Stop> {
        let mut open: Vec<(char, usize)> = vec![];
        let mut i = 0;
        loop {
            if name.ends_with(".....") {
                name.cut(5);
                break;
            }
            if name.len() > self.options.max_length + 5 {
                return Err(Stop::TooLong);
            }
            if i == self.units.len() {
                // The text of a name that is cut off ends with no blank.
                if self.is_cut {
                    return Err(Stop::TooLong);
                }
                break;
            }
            if let Some(next) = self.take(i, name, true) {
                i = next;
                continue;
            }
            if let Some(next) = self.next_line(i, name) {
                name.repairs.insert(Repair::LineEnd);
                i = next;
                continue;
            }
            let unit = self.units[i];
            if !unit.valid || !unit.c.is_ascii() || !self.goes_on(i, name, &mut open) {
                break;
            }
            name.suffix.push((unit.c, unit.end));
            i += 1;
        }
        if name.len() > self.options.max_length {
            return Err(Stop::TooLong);
        }
        if let Some(&(_, place)) = open.first() {
            name.suffix.truncate(place);
        }
        Ok(())
    }

    /// The index behind the end of a line at `i`, if the name goes on there.
    fn next_line(&self, i: usize, name: &Name) -> Option<usize> {
        let before = name.folded().last().copied()?;
        if !self.options.join_lines || self.options.strict || !b"/-._(".contains(&before) {
            return None;
        }
        let text: Vec<char> = self.units[i..].iter().map(|u| u.c).collect();
        let end = if text[0] == '\r' { 1 } else { 0 };
        let indent = text.get(end + 1..)?.iter().take_while(|c| " \t".contains(**c)).count();
        let next = end + 1 + indent;
        let goes_on = text.get(next).is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let another = || glued::begins_another(&self.after[self.start(i + next)..]);
        (text[end] == '\n' && goes_on && indent <= suffix::MAX_INDENT && !another())
            .then(|| i + next)
    }

    fn goes_on(&self, i: usize, name: &mut Name, open: &mut Vec<(char, usize)>) -> bool {
        let unit = self.units[i];
        let rest = self.behind(i);
        let another = glued::begins_another(rest);
        let leads = glued::leads_to_another(rest);
        match unit.c {
            '(' | '[' | '{' => {
                let tag = unit.c == '[' && glued::is_note(rest)
                    || unit.c == '{' && rest.first() == Some(&b'{');
                let goes_on = !another && !tag && open.len() < 16;
                if goes_on {
                    open.push((unit.c, name.suffix.len()));
                }
                goes_on
            }
            ')' => open.pop_if(|(c, _)| *c == '(').is_some(),
            ']' => open.pop_if(|(c, _)| *c == '[').is_some(),
            '}' => open.pop_if(|(c, _)| *c == '{').is_some(),
            ';' => {
                let text = Text { bytes: self.after, twice: self.twice };
                !another && sici::goes_on_after_semicolon(&text, unit.end, name.text().as_bytes())
            }
            '#' => name.ends_with(";2-"),
            '&' => !another && !leads && !self.is_parameter(i),
            '=' => !another && !leads && !glued::is_quoted_printable(rest),
            '+' => !another,
            '>' if name.ends_with("--") => {
                name.cut(2);
                false
            }
            ':' => match glued::word(name.text().as_bytes(), rest) {
                Some(len) => {
                    name.cut(len);
                    false
                }
                None => true,
            },
            c => "$%".contains(c) || u8::try_from(c).is_ok_and(class::is_plain),
        }
    }
}

/// Whether a field's name ends in what is none of it.
fn is_dirty(suffix: &str) -> bool {
    let more = |close, open| suffix.matches(close).count() > suffix.matches(open).count();
    match suffix.chars().last() {
        Some('.' | ',' | ';' | '/') => true,
        Some(')') => more(')', '('),
        Some(']') => more(']', '['),
        Some('}') => more('}', '{'),
        _ => false,
    }
}

/// Trims what was read in running text, one rule after the other until none applies.
fn trim_running(name: &mut Name) {
    let suffix = name.text();
    if let Some(at) = trim::SEGMENTS.iter().filter_map(|s| find(&suffix, s)).min() {
        name.suffix.truncate(suffix[..at].chars().count());
    }
    loop {
        let suffix = name.text();
        let Some(last) = suffix.chars().last() else { return };
        let keeps_symbols = ["10.5438/", "10.18730/"].contains(&&name.prefix[..]);
        let is_punctuation = ".,;:!?'\"/&^@".contains(last)
            || "*~$=".contains(last) && !keeps_symbols
            || class::is_closing_punctuation(last);
        let cut = if is_punctuation { 1 } else { page(&name.prefix, &suffix) };
        if cut == 0 {
            return;
        }
        name.cut(cut);
    }
}

/// The characters of the page or file at the end of `suffix`.
fn page(prefix: &str, suffix: &str) -> usize {
    let ends = |words: &[&[u8]], mark: &str| {
        let known = words.iter().map(|w| format!("{mark}{}", String::from_utf8_lossy(w)));
        known.filter(|w| suffix.ends_with(w)).map(|w| w.len()).next()
    };
    let found = ends(&trim::WORDS, "").or_else(|| ends(&trim::PAGES, "/"));
    let file = || if prefix == "10.1107/" { None } else { ends(&trim::FILES, ".") };
    let central = trim::pubmed_central(suffix.as_bytes());
    let found = (central > 0).then_some(central).or(found);
    found.or_else(file).unwrap_or(0)
}

fn find(text: &str, part: &[u8]) -> Option<usize> {
    text.find(str::from_utf8(part).ok()?)
}
