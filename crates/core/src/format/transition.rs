//! Computes how a part of a table changes the place, for every possible place at its start.
//!
//! The place of a chunk depends on everything before it. To allow chunks to be read in parallel,
//! each chunk reports where it ends for every state in which it may begin, and the reports are
//! chained. The naive form walks the chunk once for each state. Here two walks continue as one as
//! soon as they meet, usually after a quote or two: quoted text seldom contains a quote after a
//! delimiter, so a walk that misreads one quote is right about the next.

use super::cells::{Dialect, Inside, Place, closing, is_line_end};
use core::ops::Range;
use memchr::memrchr2;

/// How a range of text changes the column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shift {
    /// Whether a record ends in it.
    ends_record: bool,
    /// Number of delimiters in it, after the last end of a record.
    columns: usize,
}

impl Shift {
    fn then(self, next: Shift) -> Shift {
        match next.ends_record {
            true => next,
            false => Shift { columns: self.columns + next.columns, ..self },
        }
    }
}

/// Where a chunk ends, for each state in which it may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    unquoted: Walk,
    quoted: Walk,
    /// `None` if no pair of quotes spans the chunk's start.
    pair: Option<Walk>,
}

impl Transition {
    /// The place after a chunk that begins at `place`.
    pub fn apply(&self, place: Place) -> Place {
        let walk = match place.inside {
            Inside::Unquoted => self.unquoted,
            Inside::Quoted => self.quoted,
            Inside::Pair => self.pair.unwrap_or(self.quoted),
        };
        let column = if walk.shift.ends_record { 0 } else { place.column };
        Place { inside: walk.inside, column: column + walk.shift.columns }
    }
}

impl Dialect {
    /// Computes how the positions `starts` change the place. `bytes` is as for [`Dialect::cells`].
    ///
    /// # Panics
    ///
    /// If `starts` does not lie within `bytes`.
    pub fn transition(&self, bytes: &[u8], starts: Range<usize>) -> Transition {
        let text = Text { dialect: *self, bytes, end: starts.end };
        let at = starts.start;
        let (unquoted, quoted) =
            text.both(Walk::new(at, Inside::Unquoted), Walk::new(at, Inside::Quoted));
        let cuts_pair = at > 0 && bytes.get(at - 1..=at) == Some(b"\"\"");
        let pair = cuts_pair.then(|| text.finish(Walk::new(at, Inside::Pair)));
        Transition { unquoted, quoted, pair }
    }
}

/// The position and state of one walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Walk {
    at: usize,
    inside: Inside,
    shift: Shift,
}

impl Walk {
    fn new(at: usize, inside: Inside) -> Self {
        Walk { at, inside, shift: Shift::default() }
    }

    fn meets(&self, other: &Walk) -> bool {
        (self.at, self.inside) == (other.at, other.inside)
    }

    /// Returns this walk followed by `rest`, which began where this one ended.
    fn then(self, rest: Walk) -> Walk {
        Walk { shift: self.shift.then(rest.shift), ..rest }
    }
}

/// The text that is walked.
struct Text<'a> {
    dialect: Dialect,
    bytes: &'a [u8],
    end: usize,
}

impl Text<'_> {
    /// Continues both walks to the end: separately until they meet, then as one.
    fn both(&self, mut a: Walk, mut b: Walk) -> (Walk, Walk) {
        while !a.meets(&b) {
            let behind = if a.at <= b.at { &mut a } else { &mut b };
            if behind.at >= self.end {
                return (a, b);
            }
            *behind = behind.then(self.step(*behind));
        }
        let rest = self.finish(Walk::new(a.at, a.inside));
        (a.then(rest), b.then(rest))
    }

    fn finish(&self, mut walk: Walk) -> Walk {
        while walk.at < self.end {
            walk = walk.then(self.step(walk));
        }
        walk
    }

    /// Moves `walk` past the next quoted cell.
    fn step(&self, walk: Walk) -> Walk {
        let from = match walk.inside {
            Inside::Quoted => return self.leave(walk.at, Shift::default()),
            Inside::Pair => return self.leave(walk.at + 1, Shift::default()),
            Inside::Unquoted => walk.at,
        };
        match self.dialect.next_quoted(self.bytes, from, self.end) {
            Some((open, close)) if close < self.end => {
                Walk { at: close + 1, inside: Inside::Unquoted, shift: self.shift(from..open) }
            }
            Some((open, _)) => self.leave(open + 1, self.shift(from..open)),
            None => {
                Walk { at: self.end, inside: Inside::Unquoted, shift: self.shift(from..self.end) }
            }
        }
    }

    /// Moves from `from`, in a quoted cell, past the end of the cell.
    fn leave(&self, from: usize, shift: Shift) -> Walk {
        let (at, inside) = match closing(self.bytes, from, self.end) {
            Ok(close) => (close + 1, Inside::Unquoted),
            Err(at) if at > self.end => (self.end, Inside::Pair),
            Err(_) => (self.end, Inside::Quoted),
        };
        Walk { at, inside, shift }
    }

    /// How text outside quotes changes the column.
    fn shift(&self, text: Range<usize>) -> Shift {
        let text = &self.bytes[text];
        let last = match text.len() {
            // The text between two quoted cells is usually one delimiter.
            ..16 => text.iter().rposition(|&b| is_line_end(b)),
            _ => memrchr2(b'\n', b'\r', text),
        };
        let line = &text[last.map_or(0, |at| at + 1)..];
        let columns = line.iter().filter(|&&b| b == self.dialect.delimiter).count();
        Shift { ends_record: last.is_some(), columns }
    }
}
