//! The external distinct sort: keeps byte strings from many threads once each and gives them back
//! in order, within a memory limit. It does not know what the strings mean.
//!
//! | module | purpose |
//! |---|---|
//! | [`collect`] | distinct strings in memory, sorted runs on disk, the merge of runs |
//! | [`pool`] | worker threads whose panics are errors |
//! | [`dedup`] | fills, spills, sorts and merges in parallel |

pub mod collect;
pub mod dedup;
mod error;
pub mod pool;

pub use error::Error;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: doiscan_os::testing::Counting = doiscan_os::testing::Counting;
