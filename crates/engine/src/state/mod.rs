//! Remembers the inputs of a run, so that the next run reads only what changed.
//!
//! Every collected record carries the number of its source: one version of one input. Records are
//! stored in segments, which are sorted runs kept on disk. The catalogue knows which sources are
//! live. An input that changed gets a new source; the records of its old source stay in place but
//! no longer count. The answer is the merge of all segments without the records that do not count.
//!
//! The rest of the engine knows a state only as `plan::remember`.
//!
//! | file | |
//! |---|---|
//! | `data` | the data kept between runs |
//! | `sqlite` | the folder of a state and its catalogue |
//! | `details` | encodes the results of an input as bytes |
//! | `compare` | selects the inputs that must be read |
//! | `begin` | begins a run: compares the inputs with the state and checks for damage |
//! | `run` | a run with a state: segments and checkpoints |
//! | `end` | updates the state at the end of a run |
//! | `replaced` | the list that the run replaces, if there is no good run to compare with |
//! | `live` | tracks live sources and counts their records in the merge |
//! | `filter` | filters merged records by their sources |
//! | `segments` | opens, checks and compacts segments |

mod begin;
mod compare;
pub(crate) mod data;
mod details;
mod end;
pub(crate) mod filter;
mod live;
mod replaced;
mod run;
mod segments;
pub mod sqlite;

pub use begin::StateFolder;
