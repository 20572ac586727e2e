//! The first eight bytes of a name as one number. Most registrants have four digits, so these bytes
//! are usually the whole prefix. Rules for single registrants are checked for every name, and a
//! number makes them fast.

use crate::rule::{Row, Table};

/// Returns the number of the first eight bytes of `name`, or 0 if it is shorter.
#[inline]
pub(super) fn head(name: &[u8]) -> u64 {
    name.first_chunk().map_or(0, of)
}

/// Returns the number shared by all names that begin with `prefix`.
pub(super) const fn of(prefix: &[u8; 8]) -> u64 {
    u64::from_be_bytes(*prefix)
}

/// Returns the numbers of the registrants that are the texts of `table`.
pub(super) const fn heads<const N: usize>(table: &Table) -> [u64; N] {
    let (mut heads, mut at) = ([0; N], 0);
    while at < N {
        if let Some(head) = table.rows[at].text.as_bytes().first_chunk() {
            heads[at] = of(head);
        }
        at += 1;
    }
    heads
}

/// The rows of a table, each limited to one registrant, in the order of their numbers.
pub(super) struct ByRegistrant<const N: usize> {
    table: &'static Table,
    heads: [u64; N],
    /// Where the rows are in the table.
    places: [usize; N],
}

impl<const N: usize> ByRegistrant<N> {
    /// Sorts the rows of `table`.
    pub(super) const fn new(table: &'static Table) -> Self {
        let (mut heads, mut places, mut count) = ([0; N], [0; N], 0);
        while count < N {
            let [registrant] = table.rows[count].of else { panic!("a row for one registrant") };
            let Some(head) = registrant.as_bytes().first_chunk() else { panic!("eight bytes") };
            let (head, mut at) = (of(head), count);
            while at > 0 && heads[at - 1] > head {
                (heads[at], places[at]) = (heads[at - 1], places[at - 1]);
                at -= 1;
            }
            (heads[at], places[at]) = (head, count);
            count += 1;
        }
        ByRegistrant { table, heads, places }
    }

    /// Returns the rows for `name`.
    pub(super) fn of(&self, name: &[u8]) -> impl Iterator<Item = &'static Row> {
        let head = head(name);
        let from = self.heads.partition_point(|other| *other < head);
        let rows = self.heads[from..].iter().zip(&self.places[from..]);
        let rows = rows.take_while(move |(other, _)| **other == head);
        rows.map(|(_, &at)| &self.table.rows[at]).filter(|row| row.is_on() && row.is_of(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_registrant_have_its_number() {
        assert_eq!(head(b"10.1000/182"), of(b"10.1000/"));
        assert_ne!(head(b"10.1001/182"), of(b"10.1000/"));
        assert_eq!(head(b"10.1000"), 0);
    }
}
