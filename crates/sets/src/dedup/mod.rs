//! Turns collected names into a sorted list: sorts, spills, merges, and writes in order.

pub mod filter;
pub mod merge;
pub mod name_buffer;
pub mod ordered;
pub mod publish;
mod sort;
pub mod spill;
