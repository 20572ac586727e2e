//! The texts of a column.

use foldhash::quality::RandomState;
use std::collections::HashMap;
use std::ops::Range;

/// Bytes of text that close a row group. The row that reaches the limit is included.
pub const BYTES: usize = 16 * 1024 * 1024;

/// Texts of which consecutive ones are often equal. Those are stored once.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Where each stored text ends, and the row where it begins to hold.
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Texts {
    /// Sets the text from `row` on, which `write` appends to the bytes it is given. Returns its length.
    #[inline]
    pub(super) fn set(&mut self, row: usize, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let start = self.bytes.len();
        write(&mut self.bytes);
        self.ends.push(self.bytes.len() as u32);
        self.rows.push(row as u32);
        self.bytes.len() - start
    }

    /// Where a stored text begins.
    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// The index of the text that holds in `row`.
    fn at(&self, row: usize) -> usize {
        self.rows.partition_point(|&from| from as usize <= row) - 1
    }

    /// Adds some rows of another column after the first `len` rows.
    pub(super) fn extend(&mut self, len: usize, other: &Texts, rows: Range<usize>) {
        let (first, last) = (other.at(rows.start), other.at(rows.end - 1));
        let (start, base) = (other.start(first), self.bytes.len());
        self.bytes.extend_from_slice(&other.bytes[start..other.ends[last] as usize]);
        let moved = |end: &u32| (*end as usize - start + base) as u32;
        self.ends.extend(other.ends[first..=last].iter().map(moved));
        self.rows.push(len as u32);
        let moved = |row: &u32| (*row as usize - rows.start + len) as u32;
        self.rows.extend(other.rows[first + 1..=last].iter().map(moved));
    }

    /// Iterates over the texts of some rows, each with the number of consecutive rows that have it.
    pub(super) fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = (&[u8], usize)> {
        let mut at = rows.start;
        (self.at(rows.start)..self.rows.len()).map_while(move |index| {
            let next = self.rows.get(index + 1).map_or(rows.end, |&row| rows.end.min(row as usize));
            let count = next.checked_sub(at).filter(|&count| count > 0)?;
            at = next;
            Some((&self.bytes[self.start(index)..self.ends[index] as usize], count))
        })
    }

    /// Makes room for so many `times` the texts.
    pub(super) fn reserve(&mut self, times: usize) {
        self.bytes.reserve_exact((self.bytes.len() * times).min(BYTES));
        self.ends.reserve_exact(self.ends.len() * times);
        self.rows.reserve_exact(self.rows.len() * times);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.rows.clear();
    }
}

/// Texts of few distinct values. Each is stored once and has a number, in the order of their first
/// rows.
#[derive(Debug, Default)]
pub(super) struct FewTexts {
    numbers: HashMap<Box<[u8]>, u32, RandomState>,
    /// The values as a page has them: their lengths in 32 bits, and their bytes.
    pub(super) values: Vec<u8>,
    /// Where each of them begins.
    begins: Vec<u32>,
    /// The numbers of the values, and the rows where they begin to hold.
    runs: Vec<(u32, u32)>,
    /// Scratch space for a value, and the numbers that another column's values have in this one.
    value: Vec<u8>,
    theirs: Vec<u32>,
}

impl FewTexts {
    /// Number of distinct values.
    pub(super) fn len(&self) -> usize {
        self.begins.len()
    }

    /// Sets the text from `row` on, which `write` appends to the bytes it is given. Returns its length.
    #[inline]
    pub(super) fn set(&mut self, row: usize, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let mut value = std::mem::take(&mut self.value);
        value.clear();
        write(&mut value);
        let number = self.number(&value);
        self.push(number, row);
        self.value = value;
        self.value.len()
    }

    /// The value of a number.
    fn get(&self, number: u32) -> &[u8] {
        let begin = self.begins[number as usize] as usize;
        let end =
            self.begins.get(number as usize + 1).map_or(self.values.len(), |&end| end as usize);
        &self.values[begin + 4..end]
    }

    /// Returns the number of a value, which may be new.
    fn number(&mut self, value: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.begins.len() as u32;
        self.begins.push(self.values.len() as u32);
        self.values.extend_from_slice(&(value.len() as u32).to_le_bytes());
        self.values.extend_from_slice(value);
        self.numbers.insert(value.into(), number);
        number
    }

    #[inline]
    fn push(&mut self, number: u32, row: usize) {
        if self.runs.last().is_none_or(|last| last.0 != number) {
            self.runs.push((number, row as u32));
        }
    }

    /// The index of the run that has `row`.
    fn at(&self, row: usize) -> usize {
        self.runs.partition_point(|run| run.1 as usize <= row) - 1
    }

    /// Adds some rows of another column after the first `len` rows.
    pub(super) fn extend(&mut self, len: usize, other: &FewTexts, rows: Range<usize>) {
        let mut theirs = std::mem::take(&mut self.theirs);
        theirs.clear();
        theirs.resize(other.len(), u32::MAX);
        for &(number, from) in &other.runs[other.at(rows.start)..=other.at(rows.end - 1)] {
            let ours = &mut theirs[number as usize];
            if *ours == u32::MAX {
                *ours = self.number(other.get(number));
            }
            self.push(*ours, (from as usize).max(rows.start) - rows.start + len);
        }
        self.theirs = theirs;
    }

    /// Appends the numbers of the values of some rows.
    pub(super) fn numbers(&self, rows: Range<usize>, numbers: &mut Vec<u32>) {
        let base = numbers.len();
        for index in self.at(rows.start)..=self.at(rows.end - 1) {
            let end = self.runs.get(index + 1).map_or(rows.end, |run| rows.end.min(run.1 as usize));
            numbers.resize(base + end - rows.start, self.runs[index].0);
        }
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.values.clear();
        self.begins.clear();
        self.runs.clear();
    }
}
