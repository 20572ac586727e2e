//! Policies: which parts of its records a collector keeps.
//!
//! A record is a byte string that begins with a key. Records are ordered by their bytes. If records
//! have more than a key, no key is a prefix of another, so records sort in the order of their keys.

use std::fmt::Debug;

/// A record in a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchRecord<'a> {
    pub(super) hash: u32,
    pub(super) record: &'a [u8],
    /// Where its key ends.
    pub(super) key: usize,
}

impl BatchRecord<'_> {
    /// The end of the key of a batch's entry that is no record, but the context of those that follow.
    pub(super) const CONTEXT: usize = u32::MAX as usize;
}

/// A policy that says what a collector keeps.
pub trait Keep: Debug + Default + Send + Sync + 'static {
    /// Whether records with equal keys are merged into one. If not, no table is needed.
    const IS_DISTINCT: bool = true;

    /// Length of the prefix common to all records, or `None` if it must be computed.
    const SHARED: Option<usize> = Some(3);

    /// Whether records have a tail after the key. If so, a batch stores where the key ends.
    const HAS_TAIL: bool = true;

    /// Whether records with equal keys are all kept, and have [a context](crate::collect::Batch::set_context).
    const IS_GROUPED: bool = false;

    /// Whether `stored` has the key of `record`, which ends at `key`.
    fn is_same(stored: &[u8], record: &[u8], key: usize) -> bool {
        stored.len() >= key && stored[..key] == record[..key]
    }

    /// Merges the tail of `record` into that of `stored`. If the result is longer, returns the
    /// record that replaces `stored`.
    fn add(stored: &mut [u8], record: &[u8], key: usize) -> Option<Vec<u8>> {
        let _ = (stored, record, key);
        None
    }

    /// Like [`Keep::add`], if that needs no more than a change of numbers. Returns false, and changes
    /// nothing, if it needs more.
    fn count(stored: &mut [u8], record: &[u8], key: usize) -> bool {
        let _ = (stored, record, key);
        false
    }

    /// Adds one to the count in `tail`, and returns whether it has one.
    fn count_later(tail: &mut [u8]) -> bool {
        let _ = tail;
        false
    }

    /// Whether a stored record was not replaced by a longer one.
    fn is_live(stored: &[u8]) -> bool {
        let _ = stored;
        true
    }
}

/// Names only, each once. All begin with `10.`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names;

impl Keep for Names {
    const HAS_TAIL: bool = false;

    #[inline]
    fn is_same(stored: &[u8], record: &[u8], _: usize) -> bool {
        stored == record
    }

    #[inline]
    fn count(_: &mut [u8], _: &[u8], _: usize) -> bool {
        true
    }
}

/// Keeps every record, including repeats.
#[derive(Clone, Copy, Debug, Default)]
pub struct All;

impl Keep for All {
    const IS_DISTINCT: bool = false;
    const SHARED: Option<usize> = None;
    const HAS_TAIL: bool = false;
}

/// Keeps every record, including repeats, and each key once. All keys begin with `10.` and end with
/// their only zero byte, so that none is a prefix of another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grouped;

impl Keep for Grouped {
    const IS_GROUPED: bool = true;
}

/// Each key once, with its number of occurrences and its first position.
///
/// The tail holds a count and an offset (64 bits each), one byte defined by the caller, the length
/// of a text (32 bits), and the text, in a space that may be longer than the text. All numbers are
/// little-endian. When two tails are merged, the text and the byte of the lower offset are kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted;

/// The tail of a record of [`Counted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count<'a> {
    /// How often the key occurred.
    pub count: u64,
    /// The lowest offset of an occurrence.
    pub offset: u64,
    /// The caller's byte for the occurrence at `offset`.
    pub kind: u8,
    /// The text of the occurrence at `offset`.
    pub text: &'a [u8],
}

impl<'a> Count<'a> {
    /// Appends the count to `out` in the format of a tail.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>) {
        // At once, because each extension of `out` checks its capacity.
        let mut head = [0; 8 + 8 + 1 + 4];
        head[..8].copy_from_slice(&self.count.to_le_bytes());
        head[8..16].copy_from_slice(&self.offset.to_le_bytes());
        head[16] = self.kind;
        head[17..].copy_from_slice(&(self.text.len() as u32).to_le_bytes());
        out.extend_from_slice(&head);
        out.extend_from_slice(self.text);
    }

    /// Parses a tail written by [`Count::write`].
    pub fn read(tail: &'a [u8]) -> Option<Count<'a>> {
        let (count, rest) = tail.split_first_chunk::<8>()?;
        let (offset, rest) = rest.split_first_chunk::<8>()?;
        let (&kind, rest) = rest.split_first()?;
        let (len, rest) = rest.split_first_chunk::<4>()?;
        let text = rest.get(..u32::from_le_bytes(*len) as usize)?;
        let (count, offset) = (u64::from_le_bytes(*count), u64::from_le_bytes(*offset));
        Some(Count { count, offset, kind, text })
    }
}

impl Keep for Counted {
    fn add(stored: &mut [u8], record: &[u8], key: usize) -> Option<Vec<u8>> {
        if Self::count(stored, record, key) {
            return None;
        }
        let (old, new) = (Count::read(&stored[key..])?, Count::read(&record[key..])?);
        let count = old.count + new.count;
        let mut sum = record[..key].to_vec();
        Count { count, ..new }.write(&mut sum);
        if sum.len() <= stored.len() {
            stored[..sum.len()].copy_from_slice(&sum);
            return None;
        }
        stored.fill(DEAD);
        Some(sum)
    }

    fn count(stored: &mut [u8], record: &[u8], key: usize) -> bool {
        let (Some(old), Some(new)) = (Count::read(&stored[key..]), Count::read(&record[key..]))
        else {
            return false;
        };
        // Two inputs of the same name may have different texts at the same offset.
        let is_later = (new.offset, new.kind, new.text) >= (old.offset, old.kind, old.text);
        if is_later {
            let count = old.count + new.count;
            stored[key..key + 8].copy_from_slice(&count.to_le_bytes());
        }
        is_later
    }

    #[inline]
    fn count_later(tail: &mut [u8]) -> bool {
        let Some(count) = tail.first_chunk_mut() else { return false };
        *count = (u64::from_le_bytes(*count) + 1).to_le_bytes();
        true
    }

    fn is_live(stored: &[u8]) -> bool {
        stored.first() != Some(&DEAD)
    }
}

/// First byte that marks a replaced record. No name begins with it.
const DEAD: u8 = 0xff;

#[cfg(test)]
mod tests {
    use super::*;

    fn record(count: u64, offset: u64, text: &[u8]) -> Vec<u8> {
        let mut record = b"10.1/A\0".to_vec();
        Count { count, offset, kind: 2, text }.write(&mut record);
        record
    }

    #[test]
    fn the_least_offset_wins_and_counts_add_up() {
        let key = 7;
        let mut stored = record(2, 50, b"first");
        assert_eq!(Counted::add(&mut stored, &record(1, 60, b"later text"), key), None);
        assert_eq!(stored, record(3, 50, b"first"));
        assert_eq!(Counted::add(&mut stored, &record(1, 40, b"abc"), key), None);
        let found = Count::read(&stored[key..]).expect("a tail");
        assert_eq!(found, Count { count: 4, offset: 40, kind: 2, text: b"abc" });
        let longer = Counted::add(&mut stored, &record(1, 30, b"abcdef"), key);
        assert_eq!(longer, Some(record(5, 30, b"abcdef")));
        assert!(!Counted::is_live(&stored));
    }
}
