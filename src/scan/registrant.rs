//! The first eight bytes of a name as one number: most registrants have four digits, and rules
//! for the names of one are asked of every name.

/// The number that `name` begins with; 0 for a shorter one.
#[inline]
pub(super) fn head(name: &[u8]) -> u64 {
    name.first_chunk().map_or(0, of)
}

/// The number of names that begin with `prefix`.
pub(super) const fn of(prefix: &[u8; 8]) -> u64 {
    u64::from_be_bytes(*prefix)
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
