//! Gathers names from many workers, keeps each once, and puts them in order.
//!
//! A [`Collector`] is cut into shards by hash. Every worker fills a [`Batch`]:
//! one small buffer per shard, drained into the shard's table under its lock
//! when full, so that a table stays in the cache while it is worked on.
//! [`Collector::take`] leaves [`Names`] to sort.
//!
//! With a [limit](Collector::with_limit) of memory the names are taken and sorted more
//! than once. Each time they become a [run] in a file without a name, and the
//! [runs](run::Run) are [merged](merge) in the end.
//!
//! No thread is started here: `pipeline` drives the parallel steps.

mod arena;
mod batch;
mod budget;
mod collector;
mod error;
mod keep;
mod ledger;
pub mod merge;
mod names;
pub mod run;
mod shard;
pub(crate) mod varint;

pub use batch::Batch;
pub use collector::Collector;
pub use error::Error;
pub use keep::{All, Count, Counted, Keep, Names};
pub use ledger::{Ledger, Reservation};
pub use names::{Entry, Records, sort_key};
