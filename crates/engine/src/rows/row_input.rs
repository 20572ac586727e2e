//! An input as rows refer to it.

use super::chain::{Chain, Ticket};

/// An input that rows refer to.
pub(crate) struct RowInput {
    /// Its name, encoded for a key.
    pub key: Vec<u8>,
    /// Its number among the inputs, encoded for a key. Used if occurrences are counted.
    pub number: Vec<u8>,
    /// Its name, encoded for the pair of input and name. Used if these are collected.
    pub pair: Vec<u8>,
    /// The last bytes of its records of hits and rejects: the number of its source, if inputs are
    /// remembered.
    pub trailer: Vec<u8>,
    /// The line numbers at the starts of its chunks, if rows have lines.
    pub lines: Option<Chain<u64>>,
    /// Offset of its text in the scanned bytes.
    pub begin: u64,
}

/// The ticket of a chunk for its first line number.
pub(crate) type LineTicket<'a> = Ticket<'a, u64>;
