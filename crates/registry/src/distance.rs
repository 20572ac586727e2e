//! How far two names are apart: bands of the usual table, row by row, and the order of those found.

use doiscan_os::prefix::shared;

/// Largest distance that is searched.
pub(crate) const FAR: usize = 2;

/// Cells of a row: those at most [`FAR`] to the left and right of the diagonal.
const BAND: usize = 2 * FAR + 1;

/// More than any distance that is searched.
const NEVER: u8 = 100;

/// A row of the table: distances of the first bytes of a name to all beginnings of the query
/// whose length differs by at most [`FAR`].
pub(crate) type Row = [u8; BAND];

/// The query and the largest distance.
#[derive(Clone, Debug)]
pub(crate) struct Query<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) most: u8,
    /// The text between bytes that equal no other, so that all cells of a band have one.
    padded: Vec<u16>,
}

/// Number of such bytes in front of the text.
const PAD: usize = FAR + 2;

impl<'a> Query<'a> {
    pub(crate) fn new(text: &'a [u8], most: u8) -> Self {
        let pad = || std::iter::repeat_n(u16::MAX, PAD + FAR);
        let padded = pad().take(PAD).chain(text.iter().map(|&b| u16::from(b))).chain(pad());
        Query { text, most, padded: padded.collect() }
    }

    /// The row of the empty name.
    pub(crate) fn begin(&self) -> Row {
        std::array::from_fn(|cell| cell.checked_sub(FAR).map_or(NEVER, |column| column as u8))
    }

    /// The row after the byte `next` of a name that begins with `name`, whose rows are `rows`. An
    /// insertion, a removal, a change and the exchange of two adjacent bytes cost one each; no byte
    /// is changed twice. `None` if no name that begins so is near enough.
    ///
    /// Cells after the end of the query are never less than its last, so they need no exception.
    #[inline]
    pub(crate) fn next(&self, rows: &[Row], name: &[u8], next: u8) -> Option<Row> {
        let depth = name.len() + 1;
        // The bytes of the query at the cells of the row, and the one in front of them.
        let wanted: &[u16; BAND + 1] = self.padded.get(depth + PAD - FAR - 2..)?.first_chunk()?;
        let before = &rows[depth - 1];
        let exchanged = match depth {
            1 => None,
            _ => Some((&rows[depth - 2], u16::from(name[depth - 2]))),
        };
        let next = u16::from(next);
        let (mut row, mut left, mut least) = ([NEVER; BAND], NEVER, NEVER);
        for cell in 0..BAND {
            let above = if cell + 1 < BAND { before[cell + 1] } else { NEVER };
            let mut cost =
                (left.min(above) + 1).min(before[cell] + u8::from(wanted[cell + 1] != next));
            if let Some((rows, last)) = exchanged
                && wanted[cell + 1] == last
                && wanted[cell] == next
            {
                cost = cost.min(rows[cell] + 1);
            }
            left = cost.min(NEVER);
            row[cell] = left;
            least = least.min(left);
        }
        (least <= self.most).then_some(row)
    }

    /// Whether a name with this last row may go on with any byte.
    #[inline]
    pub(crate) fn is_free(&self, row: &Row) -> bool {
        row.iter().any(|&cost| cost < self.most)
    }

    /// The distance of the name of `depth` bytes whose last row is `row`, if it is near enough.
    #[inline]
    pub(crate) fn distance(&self, row: &Row, depth: usize) -> Option<u8> {
        let cell = (self.text.len() + FAR).checked_sub(depth)?;
        row.get(cell).copied().filter(|&distance| distance <= self.most)
    }

    /// The least byte greater than `than` (any byte if `None`) with which a name may go on after
    /// `name`.
    pub(crate) fn least_next(&self, rows: &[Row], name: &[u8], than: Option<u8>) -> Option<u8> {
        let from = than.map_or(Some(0), |byte| byte.checked_add(1))?;
        let depth = name.len();
        if self.is_free(&rows[depth]) {
            return Some(from);
        }
        // Without edits left, the next byte is that of the query in one of the cells, or the first
        // of two bytes whose second was the last one.
        let wanted = |depth: usize, cell: usize| self.padded.get(depth + cell + PAD - FAR).copied();
        let equal = (0..BAND).filter(|&cell| rows[depth][cell] <= self.most);
        let equal = equal.filter_map(|cell| wanted(depth, cell));
        let last = depth.checked_sub(1);
        let exchanged = last.into_iter().flat_map(|last| {
            let is_open = move |cell: &usize| {
                rows[last][*cell] < self.most && wanted(last, cell + 1) == Some(name[last].into())
            };
            (0..BAND).filter(is_open).filter_map(move |cell| wanted(last, cell))
        });
        let bytes = equal.chain(exchanged).filter_map(|byte| u8::try_from(byte).ok());
        bytes.filter(|&byte| byte >= from).min()
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
