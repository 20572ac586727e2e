//! Finds the names in inputs: workers take pieces of inputs from a queue.

mod at_hand;
pub(in crate::pipeline) mod chain;
mod decode_task;
mod eidrs;
#[cfg(test)]
mod input_tests;
pub(in crate::pipeline) mod inputs;
mod mode;
mod occurrences;
mod open;
#[cfg(test)]
mod part_tests;
mod prefetch;
mod queue;
#[cfg(test)]
mod refused_tests;
mod remembering;
#[cfg(feature = "parquet")]
mod row_groups;
pub(in crate::pipeline) mod row_input;
pub(in crate::pipeline) mod run;
mod search;
mod sink;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod work;
mod worker;
