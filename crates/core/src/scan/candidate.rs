//! Judges one candidate by the bytes around it.

use super::anchor::Anchor;
use super::around::Around;
use super::edit::Edit;
use super::field::{self, Close, Field};
use super::join::{self, End, Front};
use super::others::Others;
use super::prefix::Prefix;
use super::suffix::{Context, MAX_BLANKS, MAX_ESCAPE, Suffix};
use super::{Match, Notation, Options, Repair, Repairs, Sink};
use super::{
    badge, boundary, deep, emphasis, hyphen, learned, lookalike, ocr, sici, stem, trim, urn,
};
use crate::decode::{Layer, Text};
use crate::doi::{Reason, is_graphic, is_space};
use crate::names::{Model, Whole};
use alloc::vec::Vec;

/// An anchor followed by a digit, and the bytes that can affect the result.
pub(super) struct Candidate<'a> {
    context: Context<'a>,
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

/// The length of an accepted candidate in the source, and the repairs made to its name.
type Accepted = (usize, Repairs);

/// Returns the maximum number of bytes from a candidate's start on that can affect the result: the
/// longest anchor, registrant and separator, the longest suffix, the blanks after it, and the
/// longest look-ahead from its last character.
pub(super) fn lookahead(options: &Options) -> usize {
    MAX_ESCAPE * (options.max_length + 1) + MAX_BLANKS + 2048
}

impl<'a> Candidate<'a> {
    /// Creates the candidate at `anchor` if a digit follows it, perhaps after a gap. No other anchor starts
    /// between it and `next`.
    pub(super) fn new(
        haystack: &'a [u8],
        anchor: Anchor,
        next: usize,
        notation: Notation,
        options: &'a Options,
    ) -> Option<Self> {
        let text = &haystack[..haystack.len().min(anchor.start + lookahead(options))];
        let (prefix, others) = (Prefix::new(text, anchor), Others::new(text, anchor.start, next));
        let is_cut = text.len() < haystack.len();
        let context = Context { prefix, others, is_cut, notation, options };
        let candidate = Candidate { context, lines: join::MAX_LINES, is_loose: false };
        // Of a run `10.10.10.` the first is the candidate.
        let is_repeated = prefix.before.ends_with(b"10.") && prefix.after.starts_with(b"10.10.");
        let is_one =
            !is_repeated && (prefix.registrant.len > 0 || candidate.prefix_edit().is_some());
        is_one.then_some(candidate)
    }

    /// Reports the name, or the reason for rejection. `name` is scratch space.
    pub(super) fn report<S: Sink>(&self, name: &mut Vec<u8>, sink: &mut S) {
        let (start, prefix) = (self.context.others.origin, self.context.prefix);
        match self.judge(name) {
            Ok((len, mut repairs)) => {
                ocr::repair(prefix.after).into_iter().for_each(|repair| repairs.insert(repair));
                sink.accept(&Match { start, end: start + len, doi: name, repairs });
            }
            Err(reason) => sink.reject(start, boundary::reason(reason, prefix.before)),
        }
    }

    /// Writes the canonical name to `name`, or returns the reason for rejection.
    fn judge(&self, name: &mut Vec<u8>) -> Result<Accepted, Reason> {
        self.judge_line(name).or_else(|stop| match stop {
            Stop::Refused(reason) => Err(reason),
            Stop::Line(edit) => self.judge_edited(&edit, name),
        })
    }

    /// Judges the candidate with this change. Names must not overlap, and joining line ends changes the bytes before
    /// an anchor.
    #[cold]
    fn judge_edited(&self, edit: &Edit, name: &mut Vec<u8>) -> Result<Accepted, Reason> {
        let Prefix { before, after, anchor, .. } = self.context.prefix;
        let (edited, is_cut) = edit.apply(after);
        let (text, start) = ([before, &edited].concat(), before.len());
        let anchor = Anchor { start, end: start + anchor };
        let context = Context {
            prefix: Prefix::new(&text, anchor),
            others: Others::new(&text, start, anchor.end),
            is_cut: self.context.is_cut || is_cut,
            ..self.context
        };
        let is_loose = self.is_loose || edit.is_blank(after);
        let joined = Candidate { context, lines: self.lines - 1, is_loose };
        let (mut len, mut repairs) = joined.judge(name)?;
        edit.undo(&mut len, &mut repairs);
        match self.context.others.begins_within(edit.gap.end..len) {
            true => Candidate { lines: 0, ..*self }.judge(name),
            false => Ok((len, repairs)),
        }
    }

    /// Writes the canonical name to `name`, unless a line end cuts it.
    fn judge_line(&self, name: &mut Vec<u8>) -> Result<Accepted, Stop> {
        if let Some(edit) = self.prefix_edit() {
            return Err(Stop::Line(edit));
        }
        let Context { prefix, notation, options, .. } = self.context;
        let Prefix { before, after, .. } = prefix;
        let (found, is_short) = match prefix.suffix(false) {
            Err(Reason::TooShortRegistrant) if options.are_short_accepted => {
                (prefix.suffix(true), true)
            }
            found => (found, false),
        };
        let (text, from) = found?;
        name.clear();
        name.extend_from_slice(&after[prefix.anchor - 3..prefix.anchor + prefix.registrant.len]);
        name[..3].copy_from_slice(b"10.");
        name.push(b'/');
        let start = name.len();
        let mut suffix =
            Suffix::new(&self.context, text, name, field::field(before, after, notation));
        let (mut len, repairs) = match suffix.whole(from) {
            Some((field, end)) => self.read_field(suffix, field, from, end)?,
            None if is_short => return Err(Reason::TooShortRegistrant.into()),
            None => {
                name.truncate(start);
                self.read_running(Suffix::new(&self.context, text, name, None), from)?
            }
        };
        if let Some(end) = urn::component(before, after, name) {
            name.truncate(end);
            len = end;
        }
        if name.len() == start {
            return Err(why_empty(text, from).into());
        }
        if options.strict && super::is_reserved(name) {
            return Err(Reason::ReservedSuffix.into());
        }
        lookalike::lookalike(before, name).map_or(Ok((len, repairs)), |reason| Err(reason.into()))
    }

    /// Trims a suffix that fills `field`, from `from` to `end`.
    fn read_field(
        &self,
        mut suffix: Suffix<'_>,
        field: Field,
        from: usize,
        end: usize,
    ) -> Result<Accepted, Stop> {
        let Context { prefix: Prefix { before, after, .. }, notation, options, .. } = self.context;
        let (start, strict, model) = (suffix.start, options.strict, options.model());
        if field.close == Close::Byte(b'<') {
            self.continues(&suffix, end)?;
        }
        let around = Around { before, after, stop: Some(end) };
        let refused = stem::when_read(around, suffix.name, start, suffix.has_marks, true, model);
        if let Some(reason) = refused {
            return Err(reason.into());
        }
        // A value that a line end cuts is text of a page.
        if self.lines < join::MAX_LINES {
            suffix.repairs |= trim::running(suffix.name, start, before, strict, model);
        }
        if !strict {
            suffix.repairs |= trim::whole(suffix.name, start, model);
        }
        let is_code = !strict && field.is_code(around.rest(), notation);
        if is_code && stem::is_quoted_stem(around, suffix.name, start) {
            return Err(Reason::Stem.into());
        }
        Ok(self.finish(suffix, around, from, None)?)
    }

    /// Reads and trims a suffix in running text.
    fn read_running(&self, mut suffix: Suffix<'_>, from: usize) -> Result<Accepted, Stop> {
        let Context { prefix: Prefix { before, after, .. }, options, .. } = self.context;
        let (start, strict, model) = (suffix.start, options.strict, options.model());
        let end = suffix.running(from)?;
        let mut told = None;
        if !suffix.is_led {
            told = self.continues(&suffix, end)?;
            if !strict && join::is_open(self.front(&suffix, end), model) {
                return Err(Reason::Stem.into());
            }
        }
        let around = Around { before, after, stop: (!suffix.is_led).then_some(end) };
        let refused = stem::when_read(around, suffix.name, start, suffix.has_marks, false, model);
        if let Some(reason) = refused {
            return Err(reason.into());
        }
        let untrimmed = model.map(|model| (model, suffix.name.clone()));
        // The mark that closes emphasis.
        if !strict && let Some(len) = emphasis::closing(before, suffix.name) {
            suffix.name.truncate(len);
        }
        suffix.repairs |= trim::running(suffix.name, start, before, strict, model);
        let ends = model.and_then(|model| learned::ends(model, suffix.name, start));
        let untrimmed = untrimmed.filter(|_| !matches!(ends, Some(Whole::Yes | Whole::Last)));
        let Some((model, untrimmed)) = untrimmed else {
            return Ok(self.finish(suffix, around, from, None)?);
        };
        let plain = suffix.name.len();
        let len = learned::end(model, around, &untrimmed, start, plain, told, ends)?;
        if len < plain {
            suffix.name.truncate(len);
            suffix.repairs.insert(Repair::Trailing);
        }
        Ok(self.finish(suffix, around, from, Some(model))?)
    }

    /// Mends the trimmed suffix, which begins at `from`. Asks `model` for a lost hyphen.
    fn finish(
        &self,
        mut suffix: Suffix<'_>,
        around: Around<'_>,
        from: usize,
        model: Option<&Model>,
    ) -> Result<Accepted, Reason> {
        let Options { strict, .. } = *self.context.options;
        let start = suffix.start;
        let is_badge = !strict && badge::begins(around.before);
        if is_badge && let Some(at) = badge::colour(suffix.suffix()) {
            suffix.name.truncate(start + at);
            suffix.repairs.insert(Repair::Badge);
        }
        let len = suffix.source_end(from);
        if is_badge {
            badge::undouble(suffix.name, start);
        }
        deep::undo(suffix.name, start, strict);
        if model.is_some_and(|model| hyphen::restore(suffix.name, start, model)) {
            suffix.repairs.insert(Repair::LostHyphen);
        }
        if !strict && sici::complete(suffix.name, start) {
            suffix.repairs.insert(Repair::Compatibility);
        }
        stem::when_trimmed(around, suffix.name, start).map_or(Ok((len, suffix.repairs)), Err)
    }

    /// Returns what the model tells of the end of the suffix that was read up to `end`, if it was asked. Fails if the name
    /// continues after a line end, a blank or a tag.
    fn continues(&self, suffix: &Suffix<'_>, end: usize) -> Result<Option<[usize; 2]>, Stop> {
        if self.lines == 0 {
            return Ok(None);
        }
        let Context { notation, options, .. } = self.context;
        match join::effect(self.front(suffix, end), notation, options) {
            End::Whole => Ok(None),
            End::At(end) => Ok(Some(end)),
            End::Goes(gap) => Err(Stop::Line(Edit::join(gap))),
            End::Underscore(gap) => Err(Stop::Line(Edit::underscore(gap))),
            End::Stem => Err(Reason::Stem.into()),
        }
    }

    /// Returns what was read of the name, up to `at`.
    fn front<'b>(&'b self, suffix: &'b Suffix<'_>, at: usize) -> Front<'b> {
        let Prefix { before, after, .. } = self.context.prefix;
        let is_loose = self.is_loose;
        Front { before, after, at, name: suffix.name, start: suffix.start, is_loose, ends: None }
    }

    /// Returns the change within the prefix of a marked candidate, where a line end, a blank, an escape, a tag or a
    /// character that is not ASCII is: `doi:10.␤1000/182`.
    fn prefix_edit(&self) -> Option<Edit> {
        let Prefix { before, after, anchor, registrant } = self.context.prefix;
        let is_gap = match &after[anchor + registrant.len..] {
            [b'/', ..] | [b'\\', b'/', ..] => false,
            [b' ' | b'<' | b'&' | b'\\' | 0x80.., ..] => true,
            [b'%', next, ..] => *next != b'2',
            rest => join::is_line_end(rest),
        };
        let edit = || join::prefix(before, after, anchor, registrant.len, self.context.options);
        (is_gap && self.lines > 0).then(edit).flatten()
    }
}

/// Returns why nothing of the suffix at `from` is left: its first character is no graphic one, or there is none.
#[cold]
fn why_empty(text: Text<'_>, from: usize) -> Reason {
    let is_part = |c| is_graphic(c) && !is_space(c);
    match text.at(from) {
        Some(c) if c.code >= 0x80 && !char::from_u32(c.code).is_some_and(is_part) => {
            Reason::NonGraphic
        }
        _ => Reason::NoSuffix,
    }
}
