//! Judges names at a place where the input was cut by damage, a read error or a limit.
//!
//! Whether such a name is whole depends on the missing bytes. The last candidates are therefore judged once without an
//! addition and once with each of several continuations. A candidate is rejected as [`Reason::CutByFault`] if its answer
//! differs, or if no blank or quote separates its name from the cut.

use super::{LOOKBEHIND, Match, Notation, Repairs, Scanner, Sink};
use crate::doi::Reason;
use alloc::vec::Vec;
use core::ops::Range;

/// Possible continuations: more of the name, each delimiter of a field, a line end, the next line
/// of a broken name.
const CONTINUATIONS: [&[u8]; 20] = [
    b"0", b"a", b"/", b".0", b"\"", b"'", b"`", b"<", b">", b"}", b")", b"]", b";", b",", b"|",
    b"\t", b"\n", b"\na", b" 0", b"\"\n",
];

/// Maximum number of bytes between a name and the cut in which an escape or a SICI may be
/// incomplete.
const REACH: usize = 64;

/// Number of bytes before the cut in which names end that are judged with every continuation. An archive of small damaged
/// members costs at most 21 times as much as a scan.
const FAR: usize = 2 * 1024;

/// Answers of one scan, with the offsets at which they start.
#[derive(Debug, Default)]
pub struct Answers(Vec<(usize, Answer)>);

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Name { end: usize, doi: Vec<u8>, repairs: Repairs },
    Rejected(Reason),
}

impl Sink for Answers {
    fn accept(&mut self, found: &Match<'_>) {
        let (end, repairs) = (found.end, found.repairs);
        self.0.push((found.start, Answer::Name { end, doi: found.doi.to_vec(), repairs }));
    }

    fn reject(&mut self, start: usize, reason: Reason) {
        self.0.push((start, Answer::Rejected(reason)));
    }
}

impl Scanner {
    /// Like [`Scanner::scan`], for the last bytes of an input whose rest is lost: by damage, a read
    /// error or a limit. Rejects names that the missing bytes could change as
    /// [`Reason::CutByFault`]. Do not use it for the parts of a complete stream: [`Scanner::scan`]
    /// reads these, each with the bytes around it.
    ///
    /// # Panics
    ///
    /// If `starts` does not lie within `haystack`.
    pub fn scan_cut<S: Sink>(
        &mut self,
        haystack: &[u8],
        starts: Range<usize>,
        notation: Notation,
        sink: &mut S,
    ) {
        let last = haystack.len().saturating_sub(self.lookahead());
        let tail = last.clamp(starts.start, starts.end);
        self.scan(haystack, starts.start..tail, notation, sink);
        let from = tail.saturating_sub(LOOKBEHIND);
        let starts = tail - from..starts.end - from;
        let scan = |bytes: &[u8], starts, answers: &mut Answers| {
            self.scan(bytes, starts, notation, answers);
        };
        settle((&haystack[from..], from), starts, b"", sink, scan);
    }
}

/// Passes the answers of `scan` for the candidates of `cut` in `starts` to `sink`, and rejects those
/// that depend on the missing bytes. `cut` begins at `origin` of the input. Calls `scan` with `cut`, and with longer
/// texts that begin with it. `far` is a continuation that may change any answer, such as the missing quote of a table.
pub fn settle(
    (cut, origin): (&[u8], usize),
    starts: Range<usize>,
    far: &[u8],
    sink: &mut dyn Sink,
    mut scan: impl FnMut(&[u8], Range<usize>, &mut Answers),
) {
    let mut answers = Answers::default();
    scan(cut, starts.clone(), &mut answers);
    let mut open: Vec<bool> = answers.0.iter().map(|(_, found)| found.touches(cut)).collect();
    let first = answers.0.iter().find(|(start, found)| found.end(*start) + FAR > cut.len());
    let near = CONTINUATIONS.iter().filter_map(|continuation| Some((*continuation, first?.0)));
    let all = (!far.is_empty()).then_some((far, starts.start));
    let mut longer = cut.to_vec();
    for (continuation, from) in near.chain(all) {
        longer.truncate(cut.len());
        longer.extend_from_slice(continuation);
        let mut others = Answers::default();
        scan(&longer, from..starts.end, &mut others);
        let mut others = others.0.into_iter().peekable();
        for (found, is_open) in answers.0.iter().zip(&mut open).filter(|(found, _)| found.0 >= from)
        {
            while others.next_if(|other| other.0 < found.0).is_some() {}
            *is_open |= others.peek() != Some(found);
        }
    }
    for ((at, answer), is_open) in answers.0.into_iter().zip(open) {
        let start = origin + at;
        match answer {
            _ if is_open => sink.reject(start, Reason::CutByFault),
            Answer::Rejected(reason) => sink.reject(start, reason),
            Answer::Name { end, doi, repairs } => {
                sink.accept(&Match { start, end: origin + end, doi: &doi, repairs });
            }
        }
    }
}

impl Answer {
    /// The end of the name, or the start of a candidate that has none.
    fn end(&self, start: usize) -> usize {
        if let Answer::Name { end, .. } = self { *end } else { start }
    }

    /// Whether it is a name that touches the bytes missing after `cut`.
    fn touches(&self, cut: &[u8]) -> bool {
        let rest = &cut[self.end(cut.len())..];
        let is_delimited = rest.iter().any(|byte| *byte <= b' ' || *byte == b'"');
        matches!(self, Answer::Name { .. }) && rest.len() < REACH && !is_delimited
    }
}

#[cfg(test)]
mod tests;
