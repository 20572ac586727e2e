//! Finds the names in inputs: workers take pieces of inputs from a queue.

mod account;
mod decode_task;
mod eidrs;
mod fields;
pub(crate) mod inputs;
mod known;
mod mode;
mod occurrences;
mod open;
mod parts;
mod per_input;
mod pieces;
mod prefetch;
mod queue;
mod row_groups;
pub(crate) mod scan;
mod search;
mod searcher;
mod sink;
pub(crate) mod substitutes;
mod sync;
mod table;
mod worker;
