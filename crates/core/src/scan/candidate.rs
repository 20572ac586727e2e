//! Judges one candidate by the bytes around it.

use super::anchor::{Anchor, Anchors, find_registrant};
use super::around::Around;
use super::class::{self, Kind};
use super::edit::Edit;
use super::field::{Close, Field};
use super::join::{self, End, Front};
use super::others::Others;
use super::prefix::{self, Prefix};
use super::suffix::{Context, MAX_BLANKS, MAX_ESCAPE, Suffix, TooLong};
use super::{LOOKBEHIND, Match, Notation, Options, Repair, Repairs, Sink};
use super::{
    badge, boundary, emphasis, field, hyphen, learned, lookalike, marker, ocr, sici, stem, trim,
    urn,
};
use crate::decode::{Layer, Text};
use crate::doi::{Reason, is_graphic, is_space};
use crate::names::Whole;
use alloc::vec::Vec;
use core::ops::Range;

/// An anchor followed by a digit, and the bytes that can affect the result.
pub(super) struct Candidate<'a> {
    start: usize,
    prefix: Prefix<'a>,
    others: Others<'a>,
    /// Whether the input continues after the bytes that can affect the result.
    is_cut: bool,
    anchors: &'a Anchors,
    /// Number of line ends that the name may still continue over.
    lines: usize,
    /// Whether a blank within it was left out.
    is_loose: bool,
}

/// Why a candidate has no name within these bytes.
enum Stop {
    /// It is not a DOI.
    Refused(Reason),
    /// Its name is judged with this change.
    Line(Edit),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Stop::Refused(reason)
    }
}

/// Returns the damaged anchor at `start`.
#[cold]
fn misread(text: &[u8], start: usize) -> Option<Anchor> {
    ocr::anchor(text, start).map(|len| Anchor { start, end: start + len })
}

/// Returns the prefix of a marked candidate that a line end cuts after its anchor:
/// `doi:10.␤1000/182`.
#[cold]
fn cut_prefix<'a>(text: &'a [u8], anchor: &Anchor, options: &Options) -> Option<Prefix<'a>> {
    let before = &text[anchor.start.saturating_sub(LOOKBEHIND)..anchor.start];
    let after = &text[anchor.start..];
    let len = anchor.end - anchor.start;
    if !is_gap(&after[len..]) {
        return None;
    }
    join::prefix(before, after, len, 0, options)?;
    Some(Prefix { before, after, anchor: len, registrant: find_registrant(&after[len..]) })
}

/// Whether a line end, a blank, an escape, a tag or a character that is not ASCII, over which a prefix may
/// continue, begins `rest`.
#[inline]
fn is_gap(rest: &[u8]) -> bool {
    match rest {
        [b' ' | b'<' | b'&' | 0x80.., ..] => true,
        // Escaped slashes are frequent.
        [b'\\', next, ..] => *next != b'/',
        [b'%', next, ..] => *next != b'2',
        _ => join::is_line_end(rest),
    }
}

/// An accepted candidate.
struct Accepted {
    /// Its length in the source, in bytes.
    len: usize,
    /// Repairs made to the name.
    repairs: Repairs,
}

/// Returns the maximum number of bytes from a candidate's start on that can affect the result: the
/// longest anchor, registrant and separator, the longest suffix, the blanks after it, and the
/// longest look-ahead from its last character.
pub(super) fn lookahead(options: &Options) -> usize {
    MAX_ESCAPE * (options.max_length + 1) + MAX_BLANKS + 2048
}

impl<'a> Candidate<'a> {
    /// Creates the candidate at `anchor` if a digit follows it. No other anchor starts between it
    /// and `next`; `anchors` finds the later ones.
    pub(super) fn new(
        haystack: &'a [u8],
        anchor: Anchor,
        next: usize,
        anchors: &'a Anchors,
        options: &Options,
    ) -> Option<Self> {
        let reach = haystack.len().min(anchor.start + lookahead(options));
        let text = &haystack[..reach];
        let start = anchor.start;
        let anchor = if anchor.end == start { misread(text, start)? } else { anchor };
        if prefix::is_repeated(text, start) {
            return None;
        }
        let prefix = match text.get(anchor.end)? {
            byte if byte.is_ascii_digit() => Prefix::new(text, anchor)?,
            _ => cut_prefix(text, &anchor, options)?,
        };
        let others = Others::new(text, start, next, anchors);
        let is_cut = reach < haystack.len();
        Some(Candidate {
            start,
            prefix,
            others,
            is_cut,
            anchors,
            lines: join::MAX_LINES,
            is_loose: false,
        })
    }

    /// Reports the name, or the reason for rejection. `name` is scratch space.
    pub(super) fn report<S: Sink>(
        &self,
        notation: Notation,
        options: &Options,
        name: &mut Vec<u8>,
        sink: &mut S,
    ) {
        match self.judge(notation, options, name) {
            Ok(mut found) => {
                if let Some(repair) = ocr::repair(self.prefix.after) {
                    found.repairs.insert(repair);
                }
                let (start, end, repairs) = (self.start, self.start + found.len, found.repairs);
                sink.accept(&Match { start, end, doi: name, repairs });
            }
            Err(reason) => sink.reject(self.start, boundary::reason(reason, self.prefix.before)),
        }
    }

    /// Writes the canonical name to `name`, or returns the reason for rejection.
    fn judge(
        &self,
        notation: Notation,
        options: &Options,
        name: &mut Vec<u8>,
    ) -> Result<Accepted, Reason> {
        match self.judge_line(notation, options, name) {
            Ok(found) => Ok(found),
            Err(Stop::Refused(reason)) => Err(reason),
            Err(Stop::Line(edit)) => {
                let rest = edit.gap.end;
                let found = self.judge_edited(&edit, notation, options, name)?;
                match self.holds_another(rest..found.len) {
                    true => Candidate { lines: 0, ..*self }.judge(notation, options, name),
                    false => Ok(found),
                }
            }
        }
    }

    /// Whether another name begins in `places` of the unjoined text. Names must not overlap, and
    /// joining line ends changes the bytes before an anchor.
    #[cold]
    fn holds_another(&self, places: Range<usize>) -> bool {
        let next = |at: &usize| at.checked_add(1).map(|place| self.others.next(place));
        std::iter::successors(Some(places.start), next)
            .take_while(|&at| at < places.end)
            .any(|at| self.others.begins(at))
    }

    /// Judges the candidate with this change.
    #[cold]
    fn judge_edited(
        &self,
        edit: &Edit,
        notation: Notation,
        options: &Options,
        name: &mut Vec<u8>,
    ) -> Result<Accepted, Reason> {
        let Prefix { before, after, anchor, .. } = self.prefix;
        let (after, is_cut) = edit.apply(after);
        let (text, start) = ([before, &after].concat(), before.len());
        let anchor = Anchor { start, end: start + anchor };
        let next = anchor.end;
        let joined = Candidate {
            start,
            prefix: Prefix::new(&text, anchor).ok_or(Reason::NoSeparator)?,
            others: Others::new(&text, start, next, self.anchors),
            is_cut: self.is_cut || is_cut,
            anchors: self.anchors,
            lines: self.lines - 1,
            is_loose: self.is_loose || edit.is_blank(self.prefix.after),
        };
        let mut found = joined.judge(notation, options, name)?;
        edit.undo(&mut found.len, &mut found.repairs);
        Ok(found)
    }

    /// Writes the canonical name to `name`, unless a line end cuts it.
    fn judge_line(
        &self,
        notation: Notation,
        options: &Options,
        name: &mut Vec<u8>,
    ) -> Result<Accepted, Stop> {
        if let Some(edit) = self.prefix_edit(options) {
            return Err(Stop::Line(edit));
        }
        let Prefix { before, after, anchor, registrant } = self.prefix;
        let (found, is_short) = match self.prefix.suffix(false) {
            Err(Reason::TooShortRegistrant) if options.are_short_accepted => {
                (self.prefix.suffix(true), true)
            }
            found => (found, false),
        };
        let (text, from) = found?;

        name.clear();
        if after[..from].ends_with(b"/")
            && from == anchor + registrant.len + 1
            && anchor == 3
            && after[2] == b'.'
        {
            // Nearly every prefix has no escapes.
            name.extend_from_slice(&after[..from]);
        } else {
            name.extend_from_slice(b"10.");
            name.extend_from_slice(self.prefix.digits());
            name.push(b'/');
        }
        let start = name.len();
        let context = Context {
            text,
            before,
            others: &self.others,
            is_encoded: marker::is_encoded(before),
            is_cut: self.is_cut,
            notation,
            options,
        };
        let (mut len, repairs) = match self.read_field(&context, name, from, notation)? {
            Some(found) => found,
            None if is_short => return Err(Reason::TooShortRegistrant.into()),
            None => self.read_running(&context, name, from, notation)?,
        };
        if let Some(end) = urn::component(before, after, name) {
            name.truncate(end);
            len = end;
        }
        if name.len() == start {
            return Err(why_empty(text, from, options.strict).into());
        }
        if options.strict && is_reserved(&name[start..]) {
            return Err(Reason::ReservedSuffix.into());
        }
        match lookalike::lookalike(before, name) {
            Some(reason) => Err(reason.into()),
            None => Ok(Accepted { len, repairs }),
        }
    }

    /// Reads and trims a suffix that fills its field. Returns its end in the source and its repairs,
    /// or `None` if there is no field or the suffix does not fill it.
    #[inline]
    fn read_field(
        &self,
        context: &Context<'_>,
        name: &mut Vec<u8>,
        from: usize,
        notation: Notation,
    ) -> Result<Option<(usize, Repairs)>, Stop> {
        let Some(field) = field::field(self.prefix.before, self.prefix.after, notation) else {
            return Ok(None);
        };
        let start = name.len();
        let mut suffix = Suffix::new(context, name, Some(field));
        let Some(end) = suffix.whole(from) else {
            name.truncate(start);
            return Ok(None);
        };
        if field.close == Close::Byte(b'<') {
            self.continues(&suffix, end, notation)?;
        }
        let len = self.tidy(&mut suffix, field, from, end)?;
        Ok(Some((len, suffix.repairs)))
    }

    /// Reads and trims a suffix in running text. Returns its end in the source and its repairs.
    #[inline]
    fn read_running(
        &self,
        context: &Context<'_>,
        name: &mut Vec<u8>,
        from: usize,
        notation: Notation,
    ) -> Result<(usize, Repairs), Stop> {
        let mut suffix = Suffix::new(context, name, None);
        let (start, strict) = (suffix.start, context.options.strict);
        let end = suffix.running(from).map_err(|TooLong| Reason::TooLong)?;
        let mut told = None;
        if !suffix.is_led {
            told = self.continues(&suffix, end, notation)?;
            if !strict && join::is_open(self.front(&suffix, end), context.options.model()) {
                return Err(Reason::Stem.into());
            }
        }
        let around = self.around((!suffix.is_led).then_some(end));
        let model = context.options.model();
        let elided = model.and_then(|model| learned::elided(model, around, suffix.name, start));
        let refused = match elided {
            Some(is_whole) => (!is_whole).then_some(Reason::Ellipsis),
            None => stem::when_read(around, suffix.name, suffix.has_marks),
        };
        if let Some(reason) = refused {
            return Err(reason.into());
        }
        let length = suffix.name.len() - start;
        let untrimmed = model.map(|model| (model, suffix.name.clone()));
        if !strict && let Some(len) = glued_end(around, suffix.name) {
            suffix.name.truncate(len);
        }
        suffix.repairs |= trim::running(suffix.name, start, self.prefix.before, strict, model);
        let ends = model.and_then(|model| learned::ends(model, suffix.name, start));
        let is_known = matches!(ends, Some(Whole::Yes | Whole::Last));
        if let Some((model, untrimmed)) = untrimmed.as_ref().filter(|_| !is_known) {
            let plain = suffix.name.len();
            let told = told.filter(|_| ends.is_some());
            let len = learned::end(model, around, untrimmed, start, plain, told, ends)?;
            let is_glued = suffix.name[len..].iter().any(u8::is_ascii_alphabetic)
                || !marker::fills_address(self.prefix.before, around.rest());
            if len < plain && is_glued {
                suffix.name.truncate(len);
                suffix.repairs.insert(Repair::Trailing);
            }
        }
        let is_badge = !strict && badge::begins(self.prefix.before);
        if is_badge && let Some(at) = badge::colour(&suffix.name[start..]) {
            suffix.name.truncate(start + at);
            suffix.repairs.insert(Repair::Badge);
        }
        let len = suffix.source_end(from, end, length);
        if is_badge {
            badge::undouble(suffix.name, start);
        }
        if !strict {
            hyphen::undo_dashes(suffix.name, start);
        }
        if !is_known && model.is_some_and(|model| hyphen::restore(suffix.name, start, model)) {
            suffix.repairs.insert(Repair::LostHyphen);
        }
        if !strict && sici::complete(suffix.name, start) {
            suffix.repairs.insert(Repair::Compatibility);
        }
        let is_known = || model.is_some_and(|model| learned::is_sure(model, suffix.name, start));
        match stem::when_trimmed(around, suffix.name, start) {
            Some(Reason::Stem | Reason::Ellipsis) if is_known() => Ok((len, suffix.repairs)),
            Some(reason) => Err(reason.into()),
            None => Ok((len, suffix.repairs)),
        }
    }

    /// Returns what the model tells of the end of the suffix that was read up to `end`, if it was asked. Fails if the name
    /// continues after a line end, a blank or a tag.
    fn continues(
        &self,
        suffix: &Suffix<'_>,
        end: usize,
        notation: Notation,
    ) -> Result<Option<[usize; 2]>, Stop> {
        if self.lines == 0 {
            return Ok(None);
        }
        match join::effect(self.front(suffix, end), notation, suffix.context.options) {
            End::Whole => Ok(None),
            End::At(end) => Ok(Some(end)),
            End::Goes(gap) => Err(Stop::Line(Edit::join(gap))),
            End::Underscore(gap) => Err(Stop::Line(Edit::underscore(gap))),
            End::Stem => Err(Reason::Stem.into()),
        }
    }

    /// Returns what was read of the name, up to `at`.
    fn front<'b>(&'b self, suffix: &'b Suffix<'_>, at: usize) -> Front<'b> {
        let Prefix { before, after, .. } = self.prefix;
        let is_loose = self.is_loose;
        Front { before, after, at, name: suffix.name, start: suffix.start, is_loose, ends: None }
    }

    /// Trims a suffix that fills a field, from `from` to `end`. Returns the end of the trimmed
    /// suffix in the source.
    fn tidy(
        &self,
        suffix: &mut Suffix<'_>,
        field: Field,
        from: usize,
        end: usize,
    ) -> Result<usize, Reason> {
        let (start, strict) = (suffix.start, suffix.context.options.strict);
        let around = self.around(Some(end));
        if let Some(reason) = stem::when_read(around, suffix.name, suffix.has_marks) {
            return Err(reason);
        }
        let model = suffix.context.options.model();
        if let Some(reason) = learned::cut_field(model, suffix.name, start) {
            return Err(reason);
        }
        let length = suffix.name.len() - start;
        // A value that a line end cuts is text of a page.
        let is_joined = self.lines < join::MAX_LINES;
        if is_joined {
            suffix.repairs |= trim::running(suffix.name, start, self.prefix.before, strict, model);
        }
        suffix.repairs |= trim::whole(suffix.name, start, strict, model);
        let is_code = !strict && field.is_code(around.rest(), suffix.context.notation);
        if is_code && stem::is_quoted_stem(around, suffix.name, start) {
            return Err(Reason::Stem);
        }
        let len = suffix.source_end(from, end, length);
        if !strict {
            hyphen::undo_dashes(suffix.name, start);
        }
        if is_joined
            && let Some(model) = model
            && hyphen::restore(suffix.name, start, model)
        {
            suffix.repairs.insert(Repair::LostHyphen);
        }
        if !strict && sici::complete(suffix.name, start) {
            suffix.repairs.insert(Repair::Compatibility);
        }
        stem::when_trimmed(around, suffix.name, start).map_or(Ok(len), Err)
    }

    /// Returns the change within the prefix of a marked candidate, where a line end or a blank is.
    fn prefix_edit(&self, options: &Options) -> Option<Edit> {
        let Prefix { before, after, anchor, registrant } = self.prefix;
        let is_gap = self.lines > 0 && is_gap(&after[anchor + registrant.len..]);
        is_gap.then(|| join::prefix(before, after, anchor, registrant.len, options)).flatten()
    }

    /// Returns the bytes around the candidate, with `stop` as the place where reading stopped.
    fn around(&self, stop: Option<usize>) -> Around<'a> {
        Around { before: self.prefix.before, after: self.prefix.after, stop }
    }
}

/// Returns the length of the untrimmed `name` of running text without what its sentence glues to
/// it: the mark that closes emphasis.
pub(super) fn glued_end(around: Around<'_>, name: &[u8]) -> Option<usize> {
    match name.last() {
        Some(b'_' | b'+' | b'.' | b',' | b':' | b';' | b'!' | b'?') => {
            emphasis::closing(around.before, name, around.rest())
        }
        _ => None,
    }
}

/// Whether a suffix begins with one character and a slash (Z39.84, 4.3).
fn is_reserved(suffix: &[u8]) -> bool {
    let text = str::from_utf8(suffix).unwrap_or_default();
    text.chars().nth(1) == Some('/')
}

/// Returns why nothing of the suffix at `from` is left: its first character that has a width is no graphic one, or
/// there is none.
#[cold]
fn why_empty(text: Text<'_>, from: usize, strict: bool) -> Reason {
    let mut at = from;
    while let Some(c) = text.at(at) {
        let is_seen = strict || c.code < 0x80 || class::kind(c.code) != Kind::Vanishes;
        if is_seen {
            let is_graphic = |c| is_graphic(c) && !is_space(c);
            let is_part = c.code < 0x80 || char::from_u32(c.code).is_some_and(is_graphic);
            return if is_part { Reason::NoSuffix } else { Reason::NonGraphic };
        }
        at = c.next;
    }
    Reason::NoSuffix
}
