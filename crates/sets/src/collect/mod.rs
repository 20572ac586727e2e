//! Collects names from many workers, keeps each once, and sorts them.
//!
//! A [`Collector`] is split into shards by hash. Every worker fills a [`Batch`], which has one
//! small buffer per shard. A full buffer is drained into the shard's table under its lock, so the
//! table stays in the cache while it is used. [`Collector::take`] returns [`Names`] for sorting.
//!
//! With a [memory limit](Collector::with_limit), names are taken and sorted more than once. Each
//! time they become a [run] in an anonymous file. At the end the [runs](run::Run) are
//! [merged](merge).
//!
//! This module starts no threads; [`dedup`](crate::dedup) drives the parallel steps.

mod arena;
mod batch;
mod budget;
mod collector;
mod error;
mod groups;
mod keep;
pub mod merge;
mod names;
pub mod run;
mod shard;

pub use batch::Batch;
pub use collector::Collector;
pub use error::Error;
pub use groups::GroupIndex;
pub use keep::Names;
pub use keep::{All, Count, Counted, Grouped, Keep};
pub use names::{Collected, Entry, sort_key};
