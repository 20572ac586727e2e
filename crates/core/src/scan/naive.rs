//! The oracle: the rules of the scanner without its optimisations.
//!
//! It examines every position, undoes one layer of escaping after another over all text after the
//! separator of a candidate, and reads and trims character by character. It is much too slow for
//! production use but stays in the source permanently: the scanner must give the same answers on
//! every input. Both judge the text before a candidate, and single escapes, with the same
//! functions, which are simple enough already.

use super::anchor;
use super::anchor::find_registrant;
use super::around::Around;
use super::candidate::lookahead;
use super::class::{self, is_blank};
use super::edit::Edit;
use super::field::{self, Close, Field};
use super::join::{End, Front};
use super::prefix;
use super::reading::{self, Foreign, Mark, Spot};
use super::tail::{self, Place};
use super::{LOOKBEHIND, Match, Notation, Options, Repair, Repairs, Sink};
use super::{badge, deep, emphasis, hyphen, join, ocr, stem, trim};
use super::{boundary, learned, lookalike, marker, report_line, report_urn, sici, suffix, urn};
use crate::decode::{Break, Char, Double, Entity, Json, Latex, Layer, Percent, Text, Utf8};
use crate::doi::{LEAST_DIGITS, MAX_DIGITS, Reason, Registrant, fold, is_graphic, is_space};
use crate::names::Model;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Reports the same as [`super::Scanner::scan`].
pub fn scan<S: Sink>(
    haystack: &[u8],
    starts: Range<usize>,
    notation: Notation,
    options: &Options,
    sink: &mut S,
) {
    let options = &options.clone().bounded();
    for start in starts {
        if haystack[start..].starts_with(urn::MARK) {
            report_urn(haystack, start, notation, options, sink);
            continue;
        }
        let is_text = notation == Notation::Unknown && !options.strict;
        let misread = || ocr::anchor(haystack, start).filter(|_| is_text);
        let anchor = anchor::anchor(&haystack[start..]).or_else(misread);
        let Some(anchor) = anchor else { continue };
        let mut name = Vec::new();
        if report_line(haystack, start, notation, options, &mut name, sink) {
            continue;
        }
        let from = start.saturating_sub(LOOKBEHIND);
        let reach = haystack.len().min(start + lookahead(options));
        let (before, after) = (&haystack[from..start], &haystack[start..reach]);
        let is_digit = after.get(anchor).is_some_and(u8::is_ascii_digit);
        let is_repeated = before.ends_with(b"10.") && after.starts_with(b"10.10.");
        if is_repeated || !is_digit && join::prefix(before, after, anchor, 0, options).is_none() {
            continue;
        }
        let (text, is_cut) = (&haystack[from..reach], reach < haystack.len());
        let line = Line { text, start: start - from, is_cut, anchor, is_loose: false };
        match line.judge(join::MAX_LINES, notation, options) {
            Ok(mut found) => {
                if let Some(repair) = ocr::repair(after) {
                    found.repairs.insert(repair);
                }
                let (end, repairs) = (start + found.end, found.repairs);
                sink.accept(&Match { start, end, doi: &found.name, repairs });
            }
            Err(reason) => sink.reject(start, boundary::reason(reason, before)),
        }
    }
}

/// A character, how it was written, and the end of its source.
#[derive(Clone, Copy)]
struct SourceChar {
    c: char,
    literal: bool,
    valid: bool,
    end: usize,
}

/// Units as a layer whose places are indices.
struct SourceChars<'a>(&'a [SourceChar]);

impl Layer for SourceChars<'_> {
    fn at(&self, at: usize) -> Option<Char> {
        let unit = self.0.get(at)?;
        let code = if unit.valid { unit.c.into() } else { Char::INVALID };
        Some(Char { code, next: at + 1, literal: unit.literal })
    }
}

/// Returns all characters of `layer`, whose places are indices of `below`.
fn undo<L: Layer>(layer: L, below: &[SourceChar]) -> Vec<SourceChar> {
    let mut at = 0;
    std::iter::from_fn(|| {
        let c = layer.at(at)?;
        at = c.next;
        let end = below[at - 1].end;
        let valid = c.code != Char::INVALID;
        Some(SourceChar {
            c: char::from_u32(c.code).unwrap_or('\0'),
            literal: c.literal,
            valid,
            end,
        })
    })
    .collect()
}

/// Returns the characters of `after` up to and including the first blank that is not in a soft line
/// break, unescaped.
fn unescape(after: &[u8]) -> Vec<SourceChar> {
    let is_soft = |at: usize| {
        let front = after[..at].strip_suffix(b"\r").unwrap_or(&after[..at]);
        front.ends_with(b"=") || front.ends_with(b"%") && after[at] != b' '
    };
    // `<wbr />`, also if its brackets are escaped. No name continues over any other blank.
    let is_break = |at: usize| {
        let is_name = at >= 3 && after[at - 3..at].eq_ignore_ascii_case(b"wbr");
        is_name && after[at] == b' '
    };
    // `\textunderscore 1`
    let is_macro = |at: usize| {
        let macros: [&[u8]; 7] = [
            b"slash",
            b"textunderscore",
            b"textless",
            b"textgreater",
            b"symbol{95}",
            b"langle",
            b"rangle",
        ];
        let blanks = after[..at].iter().rev().take_while(|b| **b == b' ').count();
        let more = after[at..].iter().take_while(|b| **b == b' ').count();
        let next = after.get(at + more);
        let goes_on = || blanks + more <= 4 && next.is_some_and(u8::is_ascii_alphanumeric);
        let front = &after[..at - blanks];
        let is_macro = |word: &&[u8]| {
            let front = front.strip_suffix(*word);
            front.is_some_and(|front| blanks == 0 || front.ends_with(b"\\") && goes_on())
        };
        after[at] == b' ' && macros.iter().any(is_macro)
    };
    let ends =
        |at: &usize| is_blank(after[*at]) && !is_soft(*at) && !is_break(*at) && !is_macro(*at);
    let blank = (0..after.len()).find(ends);
    let len = blank.map_or(after.len(), |at| at + 1);
    let bytes: Vec<SourceChar> =
        (1..=len).map(|end| SourceChar { c: '\0', literal: false, valid: false, end }).collect();
    let mut units = undo(Utf8(&after[..len]), &bytes);
    units = undo(Json(SourceChars(&units)), &units);
    units = undo(Json(SourceChars(&units)), &units);
    units = undo(Latex(SourceChars(&units)), &units);
    units = undo(Entity(SourceChars(&units)), &units);
    units = undo(Entity(SourceChars(&units)), &units);
    units = undo(Break(SourceChars(&units)), &units);
    undo_percent(&units)
}

/// Undoes percent-encoding and marks that are encoded twice.
fn undo_percent(units: &[SourceChar]) -> Vec<SourceChar> {
    let units = undo(Percent(SourceChars(units)), units);
    undo(Double(SourceChars(&units)), &units)
}

/// A DOI that was found.
struct FoundDoi {
    name: Vec<u8>,
    end: usize,
    repairs: Repairs,
}

/// A name, character by character.
struct NameChars {
    prefix: String,
    /// Characters of the suffix, each with the end of its source.
    suffix: Vec<(char, usize)>,
    /// Where reading ended, if the text after it can affect the name.
    stop: Option<usize>,
    repairs: Repairs,
}

impl NameChars {
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

    /// Returns the length of the name before its suffix, in bytes.
    fn start(&self) -> usize {
        self.prefix.len()
    }

    /// Cuts the name to `len` bytes.
    fn keep(&mut self, len: usize) {
        while self.len() > len {
            self.suffix.pop();
        }
    }

    /// Cuts `count` characters from the end.
    fn cut(&mut self, count: usize) {
        self.suffix.truncate(self.suffix.len() - count);
    }
}

/// The text of one candidate.
struct Source<'a> {
    /// The input up to the last byte that can affect the candidate.
    text: &'a [u8],
    before: &'a [u8],
    after: &'a [u8],
    is_cut: bool,
    /// Number of line ends that the name may continue over.
    lines: usize,
    /// Whether a blank within it was left out.
    is_loose: bool,
    /// Where the suffix begins.
    from: usize,
    /// Whether percent-encoding was undone twice.
    twice: bool,
    units: Vec<SourceChar>,
    notation: Notation,
    options: &'a Options,
}

/// Why reading ended without a name.
enum Stop {
    NotWhole,
    TooLong,
    /// The name is judged with this change.
    Line(Edit),
    Refused(Reason),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Stop::Refused(reason)
    }
}

/// A candidate in which line ends may be joined.
struct Line<'a> {
    /// All bytes that can affect the candidate.
    text: &'a [u8],
    /// Where the candidate begins in the text.
    start: usize,
    is_cut: bool,
    /// The length of its anchor.
    anchor: usize,
    /// Whether a blank within it was left out.
    is_loose: bool,
}

impl Line<'_> {
    /// Judges the candidate, whose name may continue over at most this many `lines`.
    fn judge(
        &self,
        lines: usize,
        notation: Notation,
        options: &Options,
    ) -> Result<FoundDoi, Reason> {
        let edit = match judge(self, lines, notation, options) {
            Ok(found) => return Ok(found),
            Err(Stop::Line(edit)) => edit,
            Err(Stop::TooLong) => return Err(Reason::TooLong),
            Err(Stop::Refused(reason)) => return Err(reason),
            Err(Stop::NotWhole) => unreachable!("a field is tried before running text"),
        };
        let (before, after) = self.text.split_at(self.start);
        let is_loose = self.is_loose || edit.is_blank(after);
        let (after, is_cut) = edit.apply(after);
        let text = [before, &after].concat();
        let joined = Line { text: &text, is_cut: self.is_cut || is_cut, is_loose, ..*self };
        let mut found = joined.judge(lines - 1, notation, options)?;
        edit.undo(&mut found.end, &mut found.repairs);
        let mut rest = self.start + edit.gap.end..self.start + found.end;
        match rest.any(|place| prefix::begins_at(self.text, place)) {
            true => self.judge(0, notation, options),
            false => Ok(found),
        }
    }
}

/// Checks that the digits before the separator are a registrant.
fn check_registrant(
    found: Registrant,
    digits: &[u8],
    before: &[u8],
    is_short: bool,
) -> Result<(), Reason> {
    if found.longest > MAX_DIGITS {
        return Err(Reason::TooLongRegistrant);
    }
    let is_marked = found.first >= LEAST_DIGITS && (is_short || marker::is_marked_in_line(before));
    if !found.is_plain() && (digits.starts_with(b"10.") || !is_marked) {
        return Err(Reason::TooShortRegistrant);
    }
    Ok(())
}

/// Takes the separator from the front of `units`. Returns where it ends, and whether percent-encoding was undone twice.
fn take_separator(
    units: &mut Vec<SourceChar>,
    before: &[u8],
    is_mixed: bool,
) -> Option<(usize, bool)> {
    let first = *units.first()?;
    let text: String = units.iter().take(3).map(|u| u.c).collect();
    let is_slash = first.valid && class::is_slash(first.c.into())
        || text.starts_with(':') && !first.literal && marker::is_urn(before)
        || text.starts_with('_') && marker::is_underscored(before);
    if is_slash {
        units.remove(0);
        if is_mixed {
            *units = undo_percent(units);
        }
        return Some((first.end, is_mixed));
    }
    if !first.literal || text != "%2F" && text != "%2f" {
        return None;
    }
    let rest = units.split_off(3);
    let end = units[2].end;
    *units = undo_percent(&rest);
    Some((end, true))
}

fn judge(
    line: &Line<'_>,
    lines: usize,
    notation: Notation,
    options: &Options,
) -> Result<FoundDoi, Stop> {
    let Line { text, start, is_cut, anchor, is_loose } = *line;
    let (before, after) = text.split_at(start);
    let all = text;
    let digits = &after[anchor..];
    let found = find_registrant(digits);
    let separator = anchor + found.len;
    if lines > 0
        && let Some(edit) = join::prefix(before, after, anchor, found.len, options)
    {
        return Err(Stop::Line(edit));
    }

    let mut units = unescape(&after[separator..]);
    let first = *units.first().ok_or(Reason::NoSeparator)?;
    let is_mixed = first.literal && prefix::is_mixed(&after[separator + first.end..]);
    let Some((from, twice)) = take_separator(&mut units, before, is_mixed) else {
        return Err(Reason::NoSeparator.into());
    };
    let is_short = options.are_short_accepted
        && check_registrant(found, digits, before, false) == Err(Reason::TooShortRegistrant);
    check_registrant(found, digits, before, is_short)?;
    boundary::left_boundary(before, digits)?;

    let is_encoded = marker::is_encoded(before);
    for unit in &mut units {
        unit.end += separator;
        unit.literal &= !is_encoded;
    }
    let from = separator + from;
    let source = Source {
        text: all,
        before,
        after,
        is_cut,
        lines,
        is_loose,
        from,
        twice,
        units,
        notation,
        options,
    };
    let prefix = format!("10.{}/", String::from_utf8_lossy(&digits[..found.len]));
    let start = prefix.len();
    let mut found = source.read(prefix, field::field(before, after, notation), is_short)?;
    if let Some(end) = urn::component(before, after, &found.name) {
        found.name.truncate(end);
        found.end = end;
    }
    if found.name.len() == start {
        return Err(source.why_empty().into());
    }
    if options.strict && String::from_utf8_lossy(&found.name[start..]).chars().nth(1) == Some('/') {
        return Err(Reason::ReservedSuffix.into());
    }
    lookalike::lookalike(before, &found.name).map_or(Ok(found), |reason| Err(reason.into()))
}

impl Source<'_> {
    /// Reads and trims the name, as a whole field or as running text.
    fn read(&self, prefix: String, field: Option<Field>, is_short: bool) -> Result<FoundDoi, Stop> {
        let empty = || NameChars {
            prefix: prefix.clone(),
            suffix: vec![],
            stop: None,
            repairs: Repairs::default(),
        };
        let mut name = empty();
        if let Some(field) = field
            && let Ok(stop) = self.whole(&mut name, field)
        {
            name.stop = Some(stop);
            if field.close == Close::Byte(b'<') {
                self.continues(&name)?;
            }
            return Ok(self.trim_whole(name, field)?);
        }
        if is_short {
            return Err(Reason::TooShortRegistrant.into());
        }
        name = empty();
        self.running(&mut name)?;
        self.continues(&name)?;
        let is_open =
            |at| join::is_open(self.front(&name, &name.folded(), at), self.options.model());
        if name.stop.is_some_and(is_open) && !self.options.strict {
            return Err(Reason::Stem.into());
        }
        Ok(self.trim_running(name)?)
    }

    /// Fails if the name continues after a line end, a blank or a tag.
    fn continues(&self, name: &NameChars) -> Result<(), Stop> {
        let Some(at) = name.stop.filter(|_| self.lines > 0) else { return Ok(()) };
        let front = name.folded();
        let front = self.front(name, &front, at);
        match join::effect(front, self.notation, self.options) {
            End::Whole | End::At(_) => Ok(()),
            End::Goes(gap) => Err(Stop::Line(Edit::join(gap))),
            End::Underscore(gap) => Err(Stop::Line(Edit::underscore(gap))),
            End::Stem => Err(Reason::Stem.into()),
        }
    }

    /// Returns what was read of the `folded` name, up to `at`.
    fn front<'b>(&'b self, name: &NameChars, folded: &'b [u8], at: usize) -> Front<'b> {
        let (before, after, start) = (self.before, self.after, name.start());
        Front { before, after, at, name: folded, start, is_loose: self.is_loose, ends: None }
    }

    /// Trims the name of a field.
    fn trim_whole(&self, mut name: NameChars, field: Field) -> Result<FoundDoi, Reason> {
        let (around, model) = (self.around(&name), self.options.model());
        let refused = stem::when_read(around, &name.folded(), name.start(), true, true, model);
        if let Some(reason) = refused {
            return Err(reason);
        }
        let is_strict = self.options.strict;
        let is_joined = self.lines < join::MAX_LINES;
        // A value that a line end cuts is text of a page.
        if is_joined {
            trim_running(&mut name, self.before, is_strict, self.options.model());
        }
        loop {
            if is_strict {
                break;
            }
            if is_dirty(&name.text()) {
                name.cut(1);
                name.repairs.insert(Repair::Trailing);
            } else if let Some((len, kind)) =
                tail::cut(&name.folded(), name.start(), Place::Field, self.options.model())
            {
                name.keep(len);
                name.repairs.insert(kind);
            } else {
                break;
            }
        }
        let mut folded = name.folded();
        let is_code = !is_strict && field.is_code(self.around(&name).rest(), self.notation);
        if is_code && stem::is_quoted_stem(self.around(&name), &folded, name.start()) {
            return Err(Reason::Stem);
        }
        deep::undo(&mut folded, name.start(), is_strict);
        self.found(&name, folded)
    }

    /// Trims the name of running text.
    fn trim_running(&self, mut name: NameChars) -> Result<FoundDoi, Reason> {
        let model = self.options.model();
        let (untrimmed, start) = (name.folded(), name.start());
        let around = self.around(&name);
        if let Some(reason) = stem::when_read(around, &untrimmed, start, true, false, model) {
            return Err(reason);
        }
        if !self.options.strict
            && let Some(len) = emphasis::closing(self.before, &name.folded())
        {
            name.keep(len);
        }
        trim_running(&mut name, self.before, self.options.strict, model);
        if let Some(model) = model {
            let plain = name.folded().len();
            let len = learned::end(model, around, &untrimmed, start, plain, None, None)?;
            if len < plain {
                name.keep(len);
                name.repairs.insert(Repair::Trailing);
            }
        }
        let is_badge = !self.options.strict && badge::begins(self.before);
        if is_badge && let Some(at) = badge::colour(name.text().as_bytes()) {
            name.keep(name.start() + at);
            name.repairs.insert(Repair::Badge);
        }
        let mut folded = name.folded();
        if is_badge {
            badge::undouble(&mut folded, name.start());
        }
        deep::undo(&mut folded, name.start(), self.options.strict);
        if let Some(model) = self.options.model()
            && hyphen::restore(&mut folded, name.start(), model)
        {
            name.repairs.insert(Repair::LostHyphen);
        }
        self.found(&name, folded)
    }

    /// Returns the trimmed `name`, spelled `folded`, or the reason for rejection.
    fn found(&self, name: &NameChars, mut folded: Vec<u8>) -> Result<FoundDoi, Reason> {
        let end = name.suffix.last().map_or(self.from, |&(_, end)| end);
        let mut repairs = name.repairs;
        if !self.options.strict && sici::complete(&mut folded, name.start()) {
            repairs.insert(Repair::Compatibility);
        }
        let found = FoundDoi { end, repairs, name: folded };
        let refused = stem::when_trimmed(self.around(name), &found.name, name.start());
        refused.map_or(Ok(found), Err)
    }

    /// Returns the bytes around the candidate.
    fn around(&self, name: &NameChars) -> Around<'_> {
        Around { before: self.before, after: self.after, stop: name.stop }
    }

    /// Returns why the suffix is empty.
    fn why_empty(&self) -> Reason {
        match self.units.first() {
            Some(u) if !u.valid || (!u.c.is_ascii() && (!is_graphic(u.c) || is_space(u.c))) => {
                Reason::NonGraphic
            }
            _ => Reason::NoSuffix,
        }
    }

    /// Returns where the unit `i` begins in the source.
    fn start(&self, i: usize) -> usize {
        if i == 0 { self.from } else { self.units[i - 1].end }
    }

    /// Whether another name may begin with the unit `i`.
    fn begins_another(&self, i: usize) -> bool {
        self.begins_at(self.start(i))
    }

    /// Whether another name may begin at `place` of the source.
    fn begins_at(&self, place: usize) -> bool {
        prefix::begins_at(self.text, self.text.len() - self.after.len() + place)
    }

    /// Returns the source after the unit `i`.
    fn behind(&self, i: usize) -> &[u8] {
        &self.after[self.units[i].end..]
    }

    /// Takes the unit `i`, or the pages of a SICI that it opens. Returns the index of the next
    /// unit, or `None` if the unit is a mark or not part of any name.
    fn take(&self, i: usize, name: &mut NameChars, field: Option<Field>) -> Option<usize> {
        let unit = self.units[i];
        if let Some(end) = self.pages(i) {
            name.suffix.extend(self.units[i..end].iter().map(|u| (u.c, u.end)));
            return Some(end);
        }
        let c = SourceChars(&self.units).at(i)?;
        if reading::is_left_out(c, &self.spot(i, name.text().as_bytes(), field)) {
            return Some(i + 1);
        }
        if unit.c.is_ascii() && unit.valid {
            let is_bracket = "<>()[]{}".contains(unit.c);
            let is_kept = match unit.c {
                ' ' => reading::goes_on_after_space(&self.spot(i, name.text().as_bytes(), field)),
                '?' if self.is_parameter(i) => false,
                c => !(u8::try_from(c).is_ok_and(is_blank) || is_bracket && field.is_none()),
            };
            if !unit.literal || !is_kept {
                return None;
            }
            name.suffix.push((unit.c, unit.end));
            return Some(i + 1);
        }
        match reading::foreign(c, &self.spot(i, name.text().as_bytes(), field)) {
            Foreign::Part => name.suffix.push((unit.c, unit.end)),
            Foreign::StandsFor(text, repair) => {
                name.repairs.insert(repair);
                name.suffix.extend(text.chars().map(|c| (c, unit.end)));
            }
            Foreign::Ends => return None,
        }
        Some(i + 1)
    }

    /// Returns the place after the unit `i`.
    fn spot<'b>(&'b self, i: usize, suffix: &'b [u8], field: Option<Field>) -> Spot<'b> {
        Spot {
            options: self.options,
            notation: self.notation,
            before: self.before,
            is_running: field.is_none(),
            suffix,
            text: Text { bytes: self.after, twice: self.twice },
            next: self.units[i].end,
        }
    }

    /// Returns the index after the pages of a SICI that the unit `i` opens.
    fn pages(&self, i: usize) -> Option<usize> {
        let close = match self.units[i].c {
            '<' => '>',
            '¡' => '¿',
            _ => return None,
        };
        let rest: Vec<char> = self.units[i + 1..].iter().take(68).map(|unit| unit.c).collect();
        let has_version = |at: usize| {
            let version: Vec<char> = rest[at + 1..].iter().take(3).copied().collect();
            matches!(version[..], [a, '.', b] if a.is_ascii_digit() && b.is_ascii_digit())
        };
        let len = (0..rest.len().min(64)).find(|at| rest[*at] == close)?;
        let inner: String = rest[..len].iter().collect();
        let fits = inner.chars().all(|c| c.is_ascii_graphic());
        let is_sici = fits && (len == 0 || inner.contains(':')) && has_version(len);
        let end = i + 1 + len;
        let another = || (self.units[i].end..self.units[end].end).any(|at| self.begins_at(at));
        (is_sici && !another()).then_some(end + 1)
    }

    /// Reads the name that fills `field`. Returns its end in the source.
    fn whole(&self, name: &mut NameChars, field: Field) -> Result<usize, Stop> {
        let (mut i, mut depth) = (0, 0);
        while i < self.units.len() {
            if name.len() > self.options.max_length {
                return Err(Stop::NotWhole);
            }
            if self.begins_another(i) {
                return Err(Stop::NotWhole);
            }
            if let Some(next) = self.take(i, name, Some(field)) {
                i = next;
                continue;
            }
            let unit = self.units[i];
            if !unit.valid || !unit.c.is_ascii() {
                return Err(Stop::NotWhole);
            }
            let closes = u8::try_from(unit.c).is_ok_and(|b| field.closes(b));
            let goes_on = match unit.c {
                '{' => depth < 16 && !self.behind(i).starts_with(b"{"),
                '}' if depth > 0 => true,
                ';' if sici::is_before_semicolon(name.text().as_bytes())
                    && self.behind(i).starts_with(b"2") =>
                {
                    true
                }
                '<' | '"' if self.closes_after(self.start(i), field).is_ok() => {
                    return Ok(self.start(i));
                }
                '$' | '|' if field.ends_subfield(unit.c as u8, self.behind(i)) => {
                    return Ok(self.start(i));
                }
                _ if closes => return Ok(self.start(i)),
                c if u8::try_from(c).is_ok_and(is_blank) => {
                    let at = self.start(i);
                    return self.closes_after(at, field).map(|()| at);
                }
                c => u8::try_from(c).is_ok_and(|byte| {
                    reading::is_in_field(
                        byte,
                        field,
                        &self.spot(i, name.text().as_bytes(), Some(field)),
                    )
                }),
            };
            if !goes_on {
                return Err(Stop::NotWhole);
            }
            depth += i32::from(unit.c == '{') - i32::from(unit.c == '}' && depth > 0);
            name.suffix.push((unit.c, unit.end));
            i += 1;
        }
        let ends = name.len() <= self.options.max_length && !self.is_cut;
        let is_open = matches!(field.close, Close::Byte(_));
        if ends && !is_open { Ok(self.start(i)) } else { Err(Stop::NotWhole) }
    }

    /// Checks that the field closes after the blanks, tags and quotes at `at`, or with one of them.
    fn closes_after(&self, at: usize, field: Field) -> Result<(), Stop> {
        let mut place = at;
        while place < self.after.len() {
            let byte = self.after[place];
            let tag = field::tag(&self.after[place..]);
            if place - at >= suffix::MAX_BLANKS || tag.is_none() && !is_blank(byte) && byte != b'"'
            {
                break;
            }
            if field.closes(byte) {
                return Ok(());
            }
            place += tag.unwrap_or(1);
        }
        let closes = match self.after.get(place) {
            _ if place - at >= suffix::MAX_BLANKS => false,
            Some(&byte) => field.closes(byte),
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
                c if c.is_ascii_alphanumeric() || "_.-[]".contains(c) => len += 1,
                _ => return false,
            }
        }
        false
    }

    fn running(&self, name: &mut NameChars) -> Result<(), Stop> {
        let mut open: Vec<(char, usize)> = vec![];
        let mut i = 0;
        loop {
            if i == self.units.len() {
                // No blank ends the text, so the name is longer than the text that may be read.
                if self.is_cut {
                    return Err(Stop::TooLong);
                }
                break;
            }
            if self.begins_another(i) {
                if name.ends_with("DOI") {
                    name.cut(3);
                }
                if name.ends_with("-") {
                    name.cut(1);
                }
                break;
            }
            if let Some(next) = self.take(i, name, None) {
                i = next;
                continue;
            }
            if let Some(next) = self.soft_break(i, !name.suffix.is_empty()) {
                name.repairs.insert(Repair::QuotedPrintable);
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
        let leader = name.text().find(".....").map(|at| name.start() + at);
        if let Some(len) = leader {
            name.keep(len);
        }
        name.stop = leader.is_none().then(|| self.start(i));
        if name.len() > self.options.max_length {
            return Err(Stop::TooLong);
        }
        if let Some(&(_, place)) = open.first() {
            name.suffix.truncate(place);
        }
        Ok(())
    }

    /// Returns the index after the soft line break at `i`.
    fn soft_break(&self, i: usize, has_begun: bool) -> Option<usize> {
        let rest = self.behind(i);
        let end = if rest.starts_with(b"\r\n") { 2 } else { 1 };
        let mark = self.after[self.units[i].end - 1];
        let is_mark = self.units[i].c == '=' && mark == b'=';
        let is_break = is_mark && (end == 2 || rest.starts_with(b"\n"));
        let next = rest.get(end).filter(|b| b.is_ascii_graphic());
        let is_on = next.is_some_and(|b| has_begun || b.is_ascii_alphanumeric());
        let is_mail = self.notation == Notation::Unknown && !self.options.strict;
        (is_break && is_on && is_mail).then_some(i + 1 + end)
    }

    fn goes_on(&self, i: usize, name: &mut NameChars, open: &mut Vec<(char, usize)>) -> bool {
        let byte = u8::try_from(self.units[i].c).unwrap_or_default();
        match reading::mark(byte, &self.spot(i, name.text().as_bytes(), None)) {
            Mark::Part => true,
            Mark::Opens if open.len() == 16 => false,
            Mark::Opens => {
                open.push((self.units[i].c, name.suffix.len()));
                true
            }
            Mark::Closes => {
                let partner =
                    ['(', '[', '{'][usize::from(byte == b']') + 2 * usize::from(byte == b'}')];
                open.pop_if(|(c, _)| *c == partner).is_some()
            }
            Mark::Ends(count) => {
                name.cut(count);
                false
            }
        }
    }
}

/// Whether a field's name ends in a character to trim.
fn is_dirty(suffix: &str) -> bool {
    let more = |close, open| suffix.matches(close).count() > suffix.matches(open).count();
    match suffix.chars().last() {
        Some('.' | ',' | ';' | '\'' | '/' | ' ') => true,
        Some(')') => more(')', '('),
        Some(']') => more(']', '['),
        Some('}') => more('}', '{'),
        _ => false,
    }
}

/// Trims a name from running text, rule by rule, until none applies.
fn trim_running(name: &mut NameChars, before: &[u8], is_strict: bool, model: Option<&Model>) {
    loop {
        let Some(&(last, _)) = name.suffix.last() else { return };
        let is_checked = || trim::has_check_symbol(&name.folded()[name.start()..]);
        let is_punctuation =
            ".,;:!?'\"/&^@".contains(last) || "*~$=".contains(last) && !is_checked() || last == ' ';
        if is_punctuation {
            name.cut(1);
            continue;
        }
        let (folded, start) = (name.folded(), name.start());
        match tail::cut(&folded, start, Place::Running(before), model) {
            Some((len, kind)) if !is_strict => {
                name.keep(len);
                name.repairs.insert(kind);
            }
            _ => return,
        }
    }
}
