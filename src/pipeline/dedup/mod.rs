//! Turns collected names into a sorted list: sorts, spills, merges, and writes in order.

pub(in crate::pipeline) mod merge;
pub(in crate::pipeline) mod name_buffer;
pub(in crate::pipeline) mod ordered;
mod sort;
pub(in crate::pipeline) mod spill;
pub(in crate::pipeline) mod write_list;
