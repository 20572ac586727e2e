//! An input as its rows tell of it.

use super::chain::{Chain, Ticket};

/// An input of which rows tell.
pub(in crate::pipeline) struct Source {
    /// Its name, as a part of a key.
    pub(in crate::pipeline) key: Vec<u8>,
    /// Its number among the inputs as a part of a key, when occurrences are counted.
    pub(in crate::pipeline) number: Vec<u8>,
    /// What ends its records of hits and rejects: the number of its source, if it is remembered.
    pub(in crate::pipeline) trailer: Vec<u8>,
    /// The lines at which its chunks begin, when rows have lines.
    pub(in crate::pipeline) lines: Option<Chain<u64, u64>>,
    /// Where its text begins in what is scanned.
    pub(in crate::pipeline) begin: u64,
}

/// The ticket of a chunk for its first line.
pub(in crate::pipeline) type LineTicket<'a> = Ticket<'a, u64, u64>;
