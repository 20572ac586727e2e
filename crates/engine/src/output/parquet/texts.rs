//! The texts of a column.

use foldhash::quality::RandomState;
use std::collections::HashMap;
use std::ops::Range;

/// Texts of which consecutive ones are often equal. Those are stored once.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Where each stored text ends, and the row before which its rows end.
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Texts {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.last().map_or(0, |rows| *rows as usize)
    }

    /// Adds the text that `write` appends to the bytes it is given. Returns its length.
    #[inline]
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let last = self.ends.last().map_or(0, |end| *end as usize);
        write(&mut self.bytes);
        let (stored, new) = self.bytes.split_at(last);
        let rows = self.rows.last().map_or(0, |rows| *rows);
        let len = new.len();
        let begin = self.ends.len().checked_sub(2).map_or(0, |before| self.ends[before] as usize);
        if rows > 0 && stored[begin..] == *new {
            self.bytes.truncate(last);
            self.repeat();
        } else {
            self.ends.push(self.bytes.len() as u32);
            self.rows.push(rows + 1);
        }
        len
    }

    /// Adds the last text once more.
    pub(super) fn repeat(&mut self) {
        if let Some(rows) = self.rows.last_mut() {
            *rows += 1;
        }
    }

    /// Adds some rows of another column.
    pub(super) fn extend(&mut self, other: &Texts, rows: Range<usize>) {
        if rows.is_empty() {
            return;
        }
        let (from, to) = (rows.start as u32, rows.end as u32);
        let first = other.rows.partition_point(|&end| end <= from);
        let last = other.rows.partition_point(|&end| end < to);
        let start = first.checked_sub(1).map_or(0, |before| other.ends[before]);
        let (base, before) = (self.bytes.len() as u32, self.rows.last().map_or(0, |rows| *rows));
        self.bytes.extend_from_slice(&other.bytes[start as usize..other.ends[last] as usize]);
        self.ends.extend(other.ends[first..=last].iter().map(|end| base + end - start));
        self.rows.extend(other.rows[first..last].iter().map(|row| before + row - from));
        self.rows.push(before + to - from);
    }

    /// Iterates over the texts from the row `from` on, each with the number of consecutive rows that
    /// have it.
    pub(super) fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = (&[u8], usize)> {
        let first = self.rows.partition_point(|&end| end as usize <= rows.start);
        let mut at = rows.start;
        (first..self.rows.len()).map_while(move |index| {
            let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
            let end = rows.end.min(self.rows[index] as usize);
            let count = end.checked_sub(at).filter(|&count| count > 0)?;
            at = end;
            Some((&self.bytes[start..self.ends[index] as usize], count))
        })
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
    /// The number of the value of each row.
    pub(super) rows: Vec<u32>,
    /// Scratch space for a value, and the numbers that another column's values have in this one.
    value: Vec<u8>,
    theirs: Vec<u32>,
}

impl FewTexts {
    /// Number of distinct values.
    pub(super) fn len(&self) -> usize {
        self.begins.len()
    }

    /// Adds the text that `write` appends to the bytes it is given. Returns its length.
    #[inline]
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let mut value = std::mem::take(&mut self.value);
        value.clear();
        write(&mut value);
        let number = self.number(&value);
        self.rows.push(number);
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
    #[inline]
    fn number(&mut self, value: &[u8]) -> u32 {
        if let Some(&last) = self.rows.last()
            && self.get(last) == value
        {
            return last;
        }
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

    /// Adds some rows of another column.
    pub(super) fn extend(&mut self, other: &FewTexts, rows: Range<usize>) {
        let mut theirs = std::mem::take(&mut self.theirs);
        theirs.clear();
        theirs.resize(other.len(), u32::MAX);
        for &number in &other.rows[rows] {
            let ours = &mut theirs[number as usize];
            if *ours == u32::MAX {
                *ours = self.number(other.get(number));
            }
            self.rows.push(*ours);
        }
        self.theirs = theirs;
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.values.clear();
        self.begins.clear();
        self.rows.clear();
    }
}
