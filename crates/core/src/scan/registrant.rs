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

/// The rows of a table, each limited to one registrant, found by their buckets: they are asked for after
/// many names of running text.
pub(super) struct ByRegistrant<const N: usize> {
    table: &'static Table,
    /// The numbers of the registrants, in the order of their buckets and of the table.
    heads: [u64; N],
    /// Where the rows are in the table.
    places: [u8; N],
    /// Where each bucket begins. It ends where the next one begins.
    begins: [u8; BUCKETS + 1],
}

const BUCKETS: usize = 256;

/// Returns the bucket of a registrant: its third and fourth digit.
const fn bucket(head: u64) -> usize {
    (head >> 8 & 0xf | head >> 12 & 0xf0) as usize
}

impl<const N: usize> ByRegistrant<N> {
    /// Sorts the rows of `table`.
    pub(super) const fn new(table: &'static Table) -> Self {
        assert!(N <= u8::MAX as usize);
        let (mut heads, mut places, mut begins) = ([0; N], [0; N], [0; BUCKETS + 1]);
        let mut count = 0;
        while count < N {
            let [registrant] = table.rows[count].of else { panic!("a row for one registrant") };
            let Some(head) = registrant.as_bytes().first_chunk() else { panic!("eight bytes") };
            let (head, mut at) = (of(head), count);
            while at > 0 && bucket(heads[at - 1]) > bucket(head) {
                (heads[at], places[at]) = (heads[at - 1], places[at - 1]);
                at -= 1;
            }
            (heads[at], places[at]) = (head, count as u8);
            let mut behind = bucket(head) + 1;
            while behind <= BUCKETS {
                begins[behind] += 1;
                behind += 1;
            }
            count += 1;
        }
        ByRegistrant { table, heads, places, begins }
    }

    /// Returns the rows for `name`.
    #[inline]
    pub(super) fn of(&self, name: &[u8]) -> impl Iterator<Item = &'static Row> {
        let (head, bucket) = (head(name), bucket(head(name)));
        let rows = usize::from(self.begins[bucket])..usize::from(self.begins[bucket + 1]);
        let rows = rows.filter(move |&at| self.heads[at] == head);
        rows.map(|at| &self.table.rows[usize::from(self.places[at])])
            // Eight bytes are equal. Few registrants are longer.
            .filter(|row| row.is_on() && (row.of[0].len() == size_of::<u64>() || row.is_of(name)))
    }
}

/// The digits of the registrant of `name`, whose suffix begins at `start`.
pub(super) fn registrant(name: &[u8], start: usize) -> &[u8] {
    name[..start - 1].strip_prefix(b"10.").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::rules::FORMS;
    use super::*;

    #[test]
    fn the_rows_of_a_registrant_come_in_the_order_of_the_table() {
        static FOUND: ByRegistrant<{ FORMS.rows.len() }> = ByRegistrant::new(&FORMS);
        for row in FORMS.rows {
            let name = [row.of[0], "X"].concat();
            let expected = FORMS.rows.iter().filter(|other| other.of == row.of);
            assert!(FOUND.of(name.as_bytes()).map(|row| row.text).eq(expected.map(|row| row.text)));
        }
        for name in ["10.0000/X", "10.9999/X", "10.1", ""] {
            assert_eq!(FOUND.of(name.as_bytes()).count(), 0, "{name}");
        }
    }

    #[test]
    fn names_of_a_registrant_have_its_number() {
        assert_eq!(head(b"10.1000/182"), of(b"10.1000/"));
        assert_ne!(head(b"10.1001/182"), of(b"10.1000/"));
        assert_eq!(head(b"10.1000"), 0);
    }
}
