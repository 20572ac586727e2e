//! What a part of a table does to the place, whatever the place at its start is.
//!
//! Where a chunk lies in the table follows from everything before it. So that
//! chunks need not be read one after the other, each says where it ends for every
//! state in which it may begin, and these answers are chained. The naive form walks
//! the chunk once for each state. Here two walks stop as soon as they meet, which
//! they do after a quote or two: text in quotes holds no quote behind a delimiter,
//! and a walk that is wrong about one quote is right about the next.

use super::cells::{Dialect, Inside, Place, closing, is_line_end};
use memchr::memrchr2;
use std::ops::Range;

/// How a stretch moves the column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shift {
    /// Whether a record ends in it.
    ends_record: bool,
    /// Delimiters in it, those behind the last end of a record.
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
    /// None where no pair lies across the chunk's start.
    pair: Option<Walk>,
}

impl Transition {
    /// The place behind a chunk that begins at `place`.
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
    /// What the positions `starts` do to the place. `bytes` as for [`Dialect::cells`].
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

/// How far one walk has come, and as what.
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

    /// This walk and then `rest`, which began where this one is.
    fn then(self, rest: Walk) -> Walk {
        Walk { shift: self.shift.then(rest.shift), ..rest }
    }
}

/// What is walked through.
struct Text<'a> {
    dialect: Dialect,
    bytes: &'a [u8],
    end: usize,
}

impl Text<'_> {
    /// Both walks to the end: apart until they meet, then together.
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

    /// From `walk` to behind the next quoted cell that it comes to.
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

    /// From `from` in a quoted cell to behind its end.
    fn leave(&self, from: usize, shift: Shift) -> Walk {
        let (at, inside) = match closing(self.bytes, from, self.end) {
            Ok(close) => (close + 1, Inside::Unquoted),
            Err(at) if at > self.end => (self.end, Inside::Pair),
            Err(_) => (self.end, Inside::Quoted),
        };
        Walk { at, inside, shift }
    }

    /// What text outside of quotes does to the column.
    fn shift(&self, text: Range<usize>) -> Shift {
        let text = &self.bytes[text];
        let last = match text.len() {
            // The text between two quoted cells is a delimiter, as a rule.
            ..16 => text.iter().rposition(|&b| is_line_end(b)),
            _ => memrchr2(b'\n', b'\r', text),
        };
        let line = &text[last.map_or(0, |at| at + 1)..];
        let columns = line.iter().filter(|&&b| b == self.dialect.delimiter).count();
        Shift { ends_record: last.is_some(), columns }
    }
}
