//! What a run remembers of its inputs, so that the next one reads only what changed.
//!
//! Every record that a worker collects carries the number of its source: one input in one state.
//! Records go to segments, sorted runs that are kept, and a [`Store`] knows which sources count.
//! An input that changed gets a new source; the records of the old one are left where they are and
//! count no more. The answer is the merge of all segments, less what does not count.
//!
//! | file | |
//! |---|---|
//! | `store` | what is kept, and the trait of who keeps it |
//! | `details` | what is known of an input, as bytes |
//! | `compare` | which inputs must be read |
//! | `dry_run` | what would be read |
//! | `reading` | an input that is being read, by one worker or several |
//! | `begin` | what a run finds: inputs, damage, what must be read |
//! | `night` | a run with a state: segments and checkpoints |
//! | `settle` | what a run leaves |
//! | `live` | which sources count, and what the merge saw of each |
//! | `sieve` | gives out of merged records those that count |
//! | `segments` | opens, checks and compacts segments |
//! | `changes` | names that came and went |

mod begin;
pub(in crate::pipeline) mod changes;
pub(in crate::pipeline) mod compare;
mod details;
pub(in crate::pipeline) mod dry_run;
pub(in crate::pipeline) mod live;
pub(in crate::pipeline) mod night;
pub(in crate::pipeline) mod reading;
pub(in crate::pipeline) mod segments;
pub(in crate::pipeline) mod settle;
pub(in crate::pipeline) mod sieve;
pub(in crate::pipeline) mod store;
