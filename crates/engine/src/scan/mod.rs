//! Finds the names in inputs: workers take pieces of inputs from a queue.

mod at_hand;
pub(crate) mod chain;
mod decode_task;
mod eidrs;
#[cfg(test)]
mod input_tests;
pub(crate) mod inputs;
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
mod row_groups;
pub(crate) mod row_input;
pub(crate) mod run;
mod search;
mod sink;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod work;
mod worker;
