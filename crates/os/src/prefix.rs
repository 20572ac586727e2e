//! Common prefixes of byte strings.

/// Length of the common prefix of `a` and `b`.
#[inline]
pub fn shared(a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        let differing = word(a) ^ word(b);
        if differing != 0 {
            return at + differing.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let tail = a[at..].iter().zip(&b[at..]);
    at + tail.take_while(|(a, b)| a == b).count()
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
