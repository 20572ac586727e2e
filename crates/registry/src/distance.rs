//! How far two names are apart: bands of the usual table, row by row, and the order of those found.

use doiscan_os::prefix::shared;
use fst::Automaton;

/// Largest distance that is searched.
pub(crate) const FAR: usize = 2;

/// Cells of a row: those at most [`FAR`] to the left and right of the diagonal.
const BAND: usize = 2 * FAR + 1;

/// More than any distance that is searched.
const NEVER: u8 = 100;

/// A row of the table: distances of the first bytes of a name to all beginnings of the query
/// whose length differs by at most [`FAR`].
type Row = [u8; BAND];

/// A query and the largest distance: an automaton that accepts the names near enough.
pub(crate) struct Query<'a> {
    text: &'a [u8],
    most: u8,
    /// Names must begin with this number of bytes of the query.
    fixed: usize,
    /// The text between bytes that equal no other, so that all cells of a band have one.
    padded: Vec<u16>,
}

/// Number of such bytes in front of the text.
const PAD: usize = FAR + 2;

/// What is known after the first bytes of a name.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// Number of bytes.
    depth: usize,
    /// The row of all bytes but the last, and that of all.
    rows: [Row; 2],
    last: u8,
}

impl<'a> Query<'a> {
    pub(crate) fn new(text: &'a [u8], most: u8, fixed: usize) -> Self {
        let pad = || std::iter::repeat_n(u16::MAX, PAD + FAR);
        let padded = pad().take(PAD).chain(text.iter().map(|&b| u16::from(b))).chain(pad());
        Query { text, most, fixed, padded: padded.collect() }
    }
}

impl Automaton for Query<'_> {
    /// `None` if no name that begins so is near enough.
    type State = Option<State>;

    fn start(&self) -> Self::State {
        let begin = |cell: usize| cell.checked_sub(FAR).map_or(NEVER, |column| column as u8);
        Some(State { depth: 0, rows: [[NEVER; BAND], std::array::from_fn(begin)], last: 0 })
    }

    #[inline]
    fn is_match(&self, state: &Self::State) -> bool {
        let long_enough = |state: &State| state.depth >= self.fixed;
        state.filter(long_enough).is_some_and(|State { depth, rows: [_, row], .. }| {
            let cell = (self.text.len() + FAR).checked_sub(depth);
            cell.and_then(|cell| row.get(cell)).is_some_and(|&distance| distance <= self.most)
        })
    }

    #[inline]
    fn can_match(&self, state: &Self::State) -> bool {
        state.is_some()
    }

    /// Goes on with the byte `next`. An insertion, a removal, a change and the exchange of two adjacent bytes cost one
    /// each; no byte is changed twice.
    ///
    /// Cells after the end of the query are never less than its last, so they need no exception.
    #[inline]
    fn accept(&self, state: &Self::State, next: u8) -> Self::State {
        let State { depth, rows: [older, before], last } = (*state)?;
        if depth < self.fixed && self.text[depth] != next {
            return None;
        }
        // The bytes of the query at the cells of the row, and the one in front of them.
        let wanted: &[u16; BAND + 1] =
            self.padded.get(depth + 1 + PAD - FAR - 2..)?.first_chunk()?;
        let (mut row, mut left, mut least) = ([NEVER; BAND], NEVER, NEVER);
        for cell in 0..BAND {
            let above = if cell + 1 < BAND { before[cell + 1] } else { NEVER };
            let is_equal = wanted[cell + 1] == u16::from(next);
            let mut cost = (left.min(above) + 1).min(before[cell] + u8::from(!is_equal));
            if wanted[cell + 1] == u16::from(last) && wanted[cell] == u16::from(next) {
                cost = cost.min(older[cell] + 1);
            }
            left = cost.min(NEVER);
            row[cell] = left;
            least = least.min(left);
        }
        let state = State { depth: depth + 1, rows: [before, row], last: next };
        (least <= self.most).then_some(state)
    }
}

/// Cost of a usual confusion, and of any other edit. Two usual ones cost more than one other.
const USUAL: u16 = 2;
const OTHER: u16 = 3;

/// Bytes that are taken for each other.
const ALIKE: [&[u8]; 3] = [b"0Oo", b"1IiLl", b".-_"];

/// Returns the cost of writing `written` for `meant`. Cheaper than others are a missing or doubled
/// letter, a missing zero, adjacent bytes that change places, and bytes that look alike.
pub(crate) fn cost(written: &[u8], meant: &[u8]) -> u16 {
    // Equal ends cost nothing. The byte in front of the difference shows what is doubled.
    let begin = shared(written, meant).saturating_sub(1);
    let (written, meant) = (&written[begin..], &meant[begin..]);
    let pairs = written.iter().rev().zip(meant.iter().rev());
    let most = written.len().min(meant.len()).saturating_sub(1);
    let end = pairs.take(most).take_while(|(a, b)| a == b).count();
    let (written, meant) = (&written[..written.len() - end], &meant[..meant.len() - end]);
    let width = meant.len() + 1;
    let mut table = vec![0; width * (written.len() + 1)];
    for at in 1..table.len() {
        let (row, column) = (at / width, at % width);
        let mut least = u16::MAX;
        if column > 0 {
            least = table[at - 1] + missing(meant, column - 1);
        }
        if row > 0 {
            least = least.min(table[at - width] + extra(written, row - 1));
        }
        if row > 0 && column > 0 {
            let (a, b) = (written[row - 1], meant[column - 1]);
            least = least.min(table[at - width - 1] + changed(a, b));
            let are_exchanged =
                row > 1 && column > 1 && (written[row - 2], a) == (b, meant[column - 2]);
            if are_exchanged {
                least = least.min(table[at - 2 * width - 2] + USUAL);
            }
        }
        table[at] = least;
    }
    table[table.len() - 1]
}

/// Cost of leaving out the byte at `at` of the name that was meant.
fn missing(meant: &[u8], at: usize) -> u16 {
    match meant[at] {
        b'1'..=b'9' if !is_double(meant, at) => OTHER,
        _ => USUAL,
    }
}

/// Cost of adding the byte at `at` of the name that was written.
fn extra(written: &[u8], at: usize) -> u16 {
    if is_double(written, at) { USUAL } else { OTHER }
}

/// Whether the byte at `at` equals the one in front of it.
fn is_double(text: &[u8], at: usize) -> bool {
    at > 0 && text[at] == text[at - 1]
}

/// Cost of writing `a` for `b`.
fn changed(a: u8, b: u8) -> u16 {
    match () {
        () if a == b => 0,
        () if ALIKE.iter().any(|set| set.contains(&a) && set.contains(&b)) => USUAL,
        () => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_confusions_cost_less() {
        for (written, meant, expected) in [
            ("2009.01.42", "2009.01.042", USUAL),
            ("2O09", "2009", USUAL),
            ("20l2", "2012", USUAL),
            ("ABC-12", "ABC.12", USUAL),
            ("2090", "2009", USUAL),
            ("CEL", "CELL", USUAL),
            ("CEELL", "CELL", USUAL),
            ("CLL", "CELL", USUAL),
            ("CELXL", "CELL", OTHER),
            ("2008", "2009", OTHER),
            ("209", "2009", USUAL),
            ("2009.42", "2009.142", OTHER),
            ("2009.1.42", "2009.01.042", 2 * USUAL),
            ("same", "same", 0),
            ("", "A", USUAL),
        ] {
            assert_eq!(cost(written.as_bytes(), meant.as_bytes()), expected, "{written} {meant}");
        }
    }
}
