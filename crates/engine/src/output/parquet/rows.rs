//! Rows that are not yet encoded.

use super::super::columns::{Column, ColumnKind};
use super::super::text_rows::{Same, Value};
use super::texts::{BYTES, FewTexts, Texts};
use std::ops::Range;

/// Maximum number of rows of a row group: about the number that DuckDB (122,880) assigns to one
/// thread.
const ROWS: usize = 128 * 1024;

/// The values of one column.
#[derive(Debug)]
pub(super) enum Data {
    Text(Texts),
    FewTexts(FewTexts),
    Number(Vec<i64>),
}

/// The number of a value, which is none only of a row of other columns.
#[inline]
fn number(value: &Value<'_>) -> i64 {
    match value {
        Value::Number(number) => *number as i64,
        _ => 0,
    }
}

impl Data {
    fn new(column: &Column) -> Data {
        match (column.kind, column.name) {
            (ColumnKind::Number, _) => Data::Number(Vec::new()),
            (_, "input" | "reason" | "repairs" | "notation" | "known") => {
                Data::FewTexts(FewTexts::default())
            }
            _ => Data::Text(Texts::default()),
        }
    }

    /// Sets the value from `row` on; of numbers, that of this row. Returns the length of its text.
    #[inline]
    fn set(&mut self, row: usize, value: &Value<'_>) -> usize {
        match (self, value) {
            (Data::Number(numbers), value) => numbers.push(number(value)),
            (Data::Text(texts), value) => return texts.set(row, |out| value.write(out)),
            (Data::FewTexts(texts), value) => return texts.set(row, |out| value.write(out)),
        }
        0
    }

    /// Adds some rows of another column after the first `len` rows.
    fn extend(&mut self, len: usize, other: &Data, rows: Range<usize>) {
        match (self, other) {
            (Data::Text(to), Data::Text(from)) => to.extend(len, from, rows),
            (Data::FewTexts(to), Data::FewTexts(from)) => to.extend(len, from, rows),
            (Data::Number(to), Data::Number(from)) => to.extend_from_slice(&from[rows]),
            _ => debug_assert!(false, "the columns are the same"),
        }
    }

    /// Makes room for a whole row group, as many values as the first `len` rows have. Otherwise its memory
    /// is copied each time it grows.
    fn reserve(&mut self, len: usize) {
        match self {
            Data::Text(texts) => texts.reserve(ROWS.div_ceil(len)),
            Data::FewTexts(_) => {}
            Data::Number(numbers) => numbers.reserve_exact(ROWS - len),
        }
    }

    fn clear(&mut self) {
        match self {
            Data::Text(texts) => texts.clear(),
            Data::FewTexts(texts) => texts.clear(),
            Data::Number(numbers) => numbers.clear(),
        }
    }
}

/// Rows that are not yet encoded.
#[derive(Debug)]
pub struct PendingRows {
    columns: &'static [Column],
    /// The columns of texts, if there are so few that [`Same`] has all, and the others.
    texts: Option<Same>,
    numbers: Vec<usize>,
    pub(super) data: Vec<Data>,
    /// Bytes of each text of the last row, and of all.
    lens: Vec<usize>,
    row_text: usize,
    /// Bytes of text up to the end of each row.
    ends: Vec<usize>,
}

impl PendingRows {
    /// Creates an empty set of rows.
    pub fn new(columns: &'static [Column]) -> Self {
        let data = columns.iter().map(Data::new).collect();
        let is_number = |index: &usize| columns[*index].kind == ColumnKind::Number;
        let (numbers, others): (Vec<_>, Vec<_>) = (0..columns.len()).partition(is_number);
        let texts = Same::of(others);
        let lens = vec![0; columns.len()];
        PendingRows { columns, texts, numbers, data, lens, row_text: 0, ends: Vec::new() }
    }

    /// Appends a row, with one value for each column, in column order.
    pub fn push(&mut self, row: &[Value<'_>]) {
        self.push_like_last(row, Same::default());
    }

    /// Like [`PendingRows::push`], for a row of which some texts are those of the last row.
    #[inline]
    pub fn push_like_last(&mut self, row: &[Value<'_>], same: Same) {
        debug_assert_eq!(row.len(), self.columns.len());
        let at = self.ends.len();
        if self.texts.is_some_and(|texts| same.covers(texts)) {
            // More than half of the hits of a table.
            for &index in &self.numbers {
                if let Data::Number(numbers) = &mut self.data[index] {
                    numbers.push(number(&row[index]));
                }
            }
            return self.ends.push(self.text() + self.row_text);
        }
        let columns = self.data.iter_mut().zip(&mut self.lens).zip(row);
        for (index, ((data, len), value)) in columns.enumerate() {
            if !same.has(index) {
                let before = std::mem::replace(len, data.set(at, value));
                self.row_text = self.row_text - before + *len;
            }
        }
        self.ends.push(self.text() + self.row_text);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.text() + self.len() * 8 * self.columns.len()
    }

    pub(super) fn text(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.data.iter_mut().for_each(Data::clear);
    }

    /// Whether these rows fill a row group.
    fn is_full(&self) -> bool {
        self.len() >= ROWS || self.text() >= BYTES
    }

    /// Moves rows from `other`, starting at the row `at`, until the row group is full. Returns the
    /// index of the first row not moved.
    fn fill_from(&mut self, other: &PendingRows, at: usize) -> usize {
        let before = |row: usize| row.checked_sub(1).map_or(0, |last| other.ends[last]);
        let room = BYTES.saturating_sub(self.text()) + before(at);
        let by_bytes = other.ends.partition_point(|&end| end < room) + 1;
        let end = (at + ROWS - self.len()).min(by_bytes).min(other.len());
        let (base, len) = (self.text(), self.len());
        if len > 0 && self.ends.capacity() < ROWS {
            self.ends.reserve_exact(ROWS - len);
            self.data.iter_mut().for_each(|data| data.reserve(len));
        }
        self.ends.extend(other.ends[at..end].iter().map(|row| base + row - before(at)));
        for (to, from) in self.data.iter_mut().zip(&other.data) {
            to.extend(len, from, at..end);
        }
        end
    }
}

/// Splits rows into row groups.
#[derive(Debug)]
pub struct Cutter {
    rows: PendingRows,
    /// Row groups that were encoded, whose memory is used again. Otherwise the kernel clears 240 MB of
    /// new pages for each million hits.
    spare: Vec<PendingRows>,
}

impl Cutter {
    /// Creates a cutter without rows.
    pub fn new(columns: &'static [Column]) -> Self {
        Cutter { rows: PendingRows::new(columns), spare: Vec::new() }
    }

    /// Takes back the memory of row groups that were encoded.
    pub fn reuse(&mut self, groups: impl IntoIterator<Item = PendingRows>) {
        self.spare.extend(groups);
        self.spare.iter_mut().for_each(PendingRows::clear);
    }

    /// Adds `rows` and passes each full row group to `full`.
    pub fn take(&mut self, rows: &PendingRows, mut full: impl FnMut(PendingRows)) {
        let mut at = 0;
        while at < rows.len() {
            at = self.rows.fill_from(rows, at);
            if self.rows.is_full() {
                let empty = self.spare.pop().unwrap_or_else(|| PendingRows::new(self.rows.columns));
                full(std::mem::replace(&mut self.rows, empty));
            }
        }
    }

    /// Returns the last row group, which may be empty.
    pub fn finish(self) -> PendingRows {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::NAMES;

    /// Cuts rows of these lengths into row groups, `size` rows at a time. Returns the number of rows
    /// of each full group, and of the last one.
    fn groups(lens: &[usize], size: usize) -> (Vec<usize>, usize) {
        let (mut cutter, mut full) = (Cutter::new(NAMES), Vec::new());
        let text = vec![b'A'; BYTES];
        let mut rows = PendingRows::new(NAMES);
        for lens in lens.chunks(size) {
            rows.clear();
            lens.iter().for_each(|&len| rows.push(&[Value::Bytes(&text[..len])]));
            assert_eq!(rows.text(), lens.iter().sum::<usize>());
            cutter.take(&rows, |group| full.push(group.len()));
        }
        (full, cutter.finish().len())
    }

    #[test]
    fn the_row_that_reaches_the_limit_of_text_ends_a_row_group() {
        const PART: usize = BYTES / 4;
        for (lens, full, last) in [
            (&[PART; 4][..], &[4][..], 0),
            (&[PART; 9], &[4, 4], 1),
            (&[PART, PART, PART, PART - 1, 1, PART], &[5], 1),
            (&[PART, PART, PART, PART + 1, PART], &[4], 1),
            (&[PART, 2 * PART, PART - 1, PART, BYTES, 7], &[4, 1], 1),
            (&[BYTES - 1], &[], 1),
        ] {
            for size in [1, 2, 3, lens.len()] {
                assert_eq!(groups(lens, size), (full.to_vec(), last), "{lens:?} {size}");
            }
        }
    }

    #[test]
    fn the_last_of_so_many_rows_ends_a_row_group() {
        let lens = vec![1; 2 * ROWS + 1];
        for size in [ROWS - 1, ROWS, lens.len()] {
            assert_eq!(groups(&lens, size), (vec![ROWS; 2], 1), "{size}");
        }
    }
}
