//! The first eight bytes of a name as one number. Most registrants have four digits, so these bytes
//! are usually the whole prefix. Rules for single registrants are checked for every name, and a
//! number makes them fast.

use crate::rule::Table;

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

/// The digits of the registrant of `name`, whose suffix begins at `start`.
pub(super) fn registrant(name: &[u8], start: usize) -> &[u8] {
    name[..start - 1].strip_prefix(b"10.").unwrap_or_default()
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
