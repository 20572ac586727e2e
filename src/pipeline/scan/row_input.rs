//! An input as rows refer to it.

use super::chain::{Chain, Ticket};

/// An input that rows refer to.
pub(in crate::pipeline) struct RowInput {
    /// Its name, encoded for a key.
    pub(in crate::pipeline) key: Vec<u8>,
    /// Its number among the inputs, encoded for a key. Used if occurrences are counted.
    pub(in crate::pipeline) number: Vec<u8>,
    /// The last bytes of its records of hits and rejects: the number of its source, if inputs are
    /// remembered.
    pub(in crate::pipeline) trailer: Vec<u8>,
    /// The line numbers at the starts of its chunks, if rows have lines.
    pub(in crate::pipeline) lines: Option<Chain<u64, u64>>,
    /// Offset of its text in the scanned bytes.
    pub(in crate::pipeline) begin: u64,
}

/// The ticket of a chunk for its first line number.
pub(in crate::pipeline) type LineTicket<'a> = Ticket<'a, u64, u64>;
