//! Filters what a merge gives back.

use super::name_buffer::NameBuffer;

/// Makes a filter for each key range of a merge.
pub trait Filters: std::fmt::Debug + Send + Sync {
    /// Whether records begin with a name and a zero byte, and those of one name belong in one key
    /// range.
    fn is_grouped(&self) -> bool;

    /// Returns the filter of one key range.
    fn filter(&self) -> Box<dyn Filter>;
}

/// Filters the records of one key range, which arrive in sorted order.
pub trait Filter: Send {
    /// Takes a record. `is_repeat` says that it equals the previous one. Returns the number of
    /// records output.
    fn push(&mut self, record: &[u8], is_repeat: bool, out: &mut dyn NameBuffer) -> u64;

    /// Ends the range. Returns the number of records output.
    fn end(&mut self, out: &mut dyn NameBuffer) -> u64;
}
