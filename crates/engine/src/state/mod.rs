//! Remembers the inputs of a run, so that the next run reads only what changed.
//!
//! Every collected record carries the number of its source: one version of one input. Records are
//! stored in segments, which are sorted runs kept on disk. A `Store` knows which sources are
//! live. An input that changed gets a new source; the records of its old source stay in place but
//! no longer count. The answer is the merge of all segments without the records that do not count.
//!
//! | file | |
//! |---|---|
//! | `store` | the data kept between runs, and the trait that stores it |
//! | `details` | encodes the results of an input as bytes |
//! | `compare` | selects the inputs that must be read |
//! | `dry_run` | lists what a run would read |
//! | `reading` | an input being read by one or several workers |
//! | `begin` | begins a run: compares the inputs with the state and checks for damage |
//! | `night` | a run with a state: segments and checkpoints |
//! | `settle` | updates the state at the end of a run |
//! | `replaced` | the list that the run replaces, if there is no good run to compare with |
//! | `live` | tracks live sources and counts their records in the merge |
//! | `sieve` | filters merged records by their sources |
//! | `segments` | opens, checks and compacts segments |
//! | `changes` | names added and removed since the last good run |

mod begin;
pub(crate) mod changes;
pub(crate) mod compare;
mod details;
pub(crate) mod dry_run;
pub(crate) mod live;
pub(crate) mod night;
pub(crate) mod reading;
mod replaced;
pub(crate) mod segments;
pub(crate) mod settle;
pub(crate) mod sieve;
pub mod sqlite;
pub(crate) mod store;
